"""Conversion of the user's arrays into those that the package computes with."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.utils import check_array

from ._kernel import frozen


def as_numpy():
    """Return a context in which scikit-learn converts every array to NumPy's."""
    # Its option `array_api_dispatch` would keep arrays of other packages, such as
    # PyTorch, which kernels cannot read.
    return config_context(array_api_dispatch=False)


def as_float_array(values, name, meaning="an array of real numbers"):
    """Return a user's array or number as a new float64 array, or raise a ValueError.

    >>> as_float_array([1, 2], "feature_weights")
    array([1., 2.])
    >>> as_float_array(["1"], "m", "a number")
    Traceback (most recent call last):
    ValueError: m must be a number, got ['1'].
    """
    # name, meaning: the parameter and what it must be, as the error describes it.
    # The error: a value is not a real number, or lists differ in length.
    try:
        array = np.asarray(values)
        is_real = array.dtype.kind in "biuf" or (
            array.dtype == object and all(isinstance(v, Real) for v in array.flat)
        )
        if is_real:
            return array.astype(np.float64)
    except Exception:  # ragged lists, huge integers, cells of any package
        pass
    raise ValueError(f"{name} must be {meaning}, got {values!r:.200}.")


def check_numeric_targets(y):
    """Return y as finite float64 numbers of one or more dimensions.

    >>> check_numeric_targets(["low"])
    Traceback (most recent call last):
    ValueError: y must be numbers, got ['low'].
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # infinity is refused
            return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    except Exception:
        if not sparse.issparse(y) and np.asarray(y).dtype.kind not in "biufc":
            as_float_array(y, "y", "numbers")
        raise


def refuse_unreadable_targets(y):
    """Raise an error if numpy cannot read y, which holds the targets of rows."""
    if sparse.issparse(y):
        raise ValueError("y is sparse, and must be dense: pass y.toarray().")
    try:
        np.asarray(y)
    except Exception as error:  # of any package, or of lists that differ in length
        raise ValueError(
            f"y cannot be read as an array: pass labels or numbers of at most 64 bits, "
            f"one for each row ({error})."
        ) from None


def check_feature_weights(given, n_features):
    """Return the user's factors of columns, float64 (n_features,), finite and ≥ 0.

    >>> check_feature_weights([1, 0], 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: feature_weights has shape (2,); X has 3 columns: give one weight ...
    """
    weights = as_float_array(given, "feature_weights")
    if weights.shape != (n_features,):
        raise ValueError(
            f"feature_weights has shape {weights.shape}; X has {n_features} columns: "
            "give one weight for each."
        )
    if not np.all((weights >= 0) & (weights < np.inf)):
        raise ValueError(f"feature_weights must be finite numbers ≥ 0, got {given!r}.")
    return weights


def canonical_csr(X):
    """Return X; of sparse rows with unsorted or duplicate cells a canonical copy."""
    # Methods of scipy such as `abs` and `max` would sum up duplicates in place, in the
    # arrays of the user.
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def csr_arrays(indptr, indices, data):
    """Return the arrays of a CSR or CSC matrix in the one form that kernels take."""
    return (
        frozen(indptr, np.int64),
        frozen(indices, np.int64),
        frozen(data, np.float64),
    )
