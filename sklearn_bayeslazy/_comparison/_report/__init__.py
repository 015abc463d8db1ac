"""The report of a comparison: one HTML page with figures and code."""

from ._page import render

__all__ = ["render"]
