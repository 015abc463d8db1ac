"""Stretched axes: the least leave-one-out error of Shepard's method."""

from ._columns import class_indicators, columns_to_predict, standardize
from ._stretch import stretch
from ._table_columns import TableColumns

__all__ = [
    "TableColumns",
    "class_indicators",
    "columns_to_predict",
    "standardize",
    "stretch",
]
