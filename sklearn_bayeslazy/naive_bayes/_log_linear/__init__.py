"""Log-linear models: weights of log-likelihood terms, and offsets."""

from ._log_linear import LogLinearModel, LogLinearRows, center_terms, fit_log_linear
from ._value_offsets import ValueOffsets, choose_value_penalty

__all__ = [
    "LogLinearModel",
    "LogLinearRows",
    "ValueOffsets",
    "center_terms",
    "choose_value_penalty",
    "fit_log_linear",
]
