"""Log-linear models: weights of log-likelihood terms, and offsets."""

from ._log_linear import (
    MIN_TERM,
    LogLinearModel,
    LogLinearRows,
    center_terms,
    cut_terms,
    fit_log_linear,
)
from ._value_offsets import ValueOffsets, choose_value_penalty

__all__ = [
    "MIN_TERM",
    "LogLinearModel",
    "LogLinearRows",
    "ValueOffsets",
    "center_terms",
    "choose_value_penalty",
    "cut_terms",
    "fit_log_linear",
]
