"""Stretched axes: the least leave-one-out error of Shepard's method."""

from ._columns import class_indicators, standardize
from ._stretch import stretch

__all__ = ["class_indicators", "standardize", "stretch"]
