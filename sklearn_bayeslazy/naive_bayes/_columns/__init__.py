"""Columns of a naive Bayes model: distributions, priors, counts, leave-one-out."""

from ._batch import Batch
from ._build import (
    BINNINGS,
    DISTRIBUTIONS,
    SPARSE_DISTRIBUTIONS,
    ColumnSettings,
    named_distributions,
)
from ._column_model import ColumnModel
from ._discrete import sum_by_column
from ._left_out_cells import LeftOutCells
from ._m_estimates import log_m_estimate

__all__ = [
    "BINNINGS",
    "DISTRIBUTIONS",
    "SPARSE_DISTRIBUTIONS",
    "Batch",
    "ColumnModel",
    "ColumnSettings",
    "LeftOutCells",
    "log_m_estimate",
    "named_distributions",
    "sum_by_column",
]
