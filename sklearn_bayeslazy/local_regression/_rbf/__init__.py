"""Radial basis functions: centers, widths, and a ridge regression on them."""

from ._base import RBFNetwork

__all__ = ["RBFNetwork"]
