"""Log-linear models: weights of log-likelihood terms, and offsets."""

from ._log_linear import (
    MAX_TERMS,
    MIN_TERM,
    LogLinearModel,
    LogLinearRows,
    center_terms,
    cut_terms,
    fit_log_linear,
)
from ._penalties import choose_penalties
from ._row_hashes import row_hashes
from ._value_offsets import ValueOffsets

__all__ = [
    "MAX_TERMS",
    "MIN_TERM",
    "LogLinearModel",
    "LogLinearRows",
    "ValueOffsets",
    "center_terms",
    "choose_penalties",
    "cut_terms",
    "fit_log_linear",
    "row_hashes",
]
