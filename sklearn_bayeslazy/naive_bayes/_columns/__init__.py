"""Columns of a naive Bayes model: distributions, priors, counts, leave-one-out."""

from ._batch import Batch
from ._build import BINNINGS, DISTRIBUTIONS, SPARSE_DISTRIBUTIONS, named_distributions
from ._column_model import ColumnModel
from ._settings import ColumnSettings

__all__ = [
    "BINNINGS",
    "DISTRIBUTIONS",
    "SPARSE_DISTRIBUTIONS",
    "Batch",
    "ColumnModel",
    "ColumnSettings",
    "named_distributions",
]
