"""Private names of scikit-learn, imported here and nowhere else.

Grouped by the scikit-learn release that makes a line unnecessary.
"""

import sys
from numbers import Real

from sklearn.base import _fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

from ._warnings import COMPILATION

# No public counterpart yet (scikit-learn 1.9).

try:  # scikit-learn 1.9
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:
        """Estimators of older releases have no callbacks."""


class Interval(_Interval):
    """An interval of a parameter; one of reals has no integer that no float can hold.

    >>> from numbers import Real
    >>> 10**400 in Interval(Real, 0, None, closed="left")
    False
    """

    def __contains__(self, val):
        """Return whether a value is inside."""
        is_too_large = isinstance(val, int) and abs(val) > sys.float_info.max
        return not (self.type is Real and is_too_large) and super().__contains__(val)


def fit_context(*, prefer_skip_nested_validation):
    """Decorate a fit as scikit-learn does; report at its end what it compiled."""
    decorate = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return lambda fit: COMPILATION.during(decorate(fit))


def callback_context(estimator, n_tasks):
    """Return the context that reports tasks of fit to callbacks, None without any."""
    # `fit_context` ends it with fit.
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    return estimator._init_callback_context(max_subtasks=n_tasks)


__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "callback_context",
    "check_feature_names_in",
    "check_method_params",
    "check_sample_weight",
    "fit_context",
    "validate_parameter_constraints",
]
