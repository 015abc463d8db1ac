"""Columns of a naive Bayes model: distributions, priors, counts, leave-one-out."""

from ._build import BINNINGS, DISTRIBUTIONS, SPARSE_DISTRIBUTIONS, asked_distributions
from ._column_kernels import most_probable
from ._fitted import FittedColumnsMixin
from ._learning import LearningMixin, loo_needs_all_rows
from ._priors import LARGEST

__all__ = [
    "BINNINGS",
    "DISTRIBUTIONS",
    "LARGEST",
    "SPARSE_DISTRIBUTIONS",
    "FittedColumnsMixin",
    "LearningMixin",
    "asked_distributions",
    "loo_needs_all_rows",
    "most_probable",
]
