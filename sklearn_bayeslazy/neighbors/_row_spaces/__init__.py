"""Spaces of rows: how a metric reads rows, and finds the nearest ones."""

from ._brute_space import brute_space
from ._numeric_space import (
    EngineSpace,
    NumericSpace,
    TransformedRows,
    in_chunks,
    search_points,
)
from ._row_space import TrainingPoints
from ._table_space import TableSpace

__all__ = [
    "EngineSpace",
    "NumericSpace",
    "TableSpace",
    "TrainingPoints",
    "TransformedRows",
    "brute_space",
    "in_chunks",
    "search_points",
]
