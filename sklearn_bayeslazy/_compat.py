"""Private names of scikit-learn, imported here and nowhere else.

Grouped by the scikit-learn release that makes a line unnecessary.
"""

# No public counterpart yet (scikit-learn 1.9).
from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    RealNotInt,
    StrOptions,
)
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "RealNotInt",
    "StrOptions",
    "check_method_params",
    "check_sample_weight",
    "fit_context",
]
