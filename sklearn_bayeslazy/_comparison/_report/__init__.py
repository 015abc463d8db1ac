"""The report of a comparison: one HTML page with figures and code."""

from ._code import code_of_winner
from ._page import render

__all__ = ["code_of_winner", "render"]
