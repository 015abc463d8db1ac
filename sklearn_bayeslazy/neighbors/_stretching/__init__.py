"""Stretched axes: the least leave-one-out error of Shepard's method."""

from ._columns import MAX_CLASSES, class_indicators, columns_to_predict, standardize
from ._stretch import stretch

__all__ = [
    "MAX_CLASSES",
    "class_indicators",
    "columns_to_predict",
    "standardize",
    "stretch",
]
