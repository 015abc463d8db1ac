"""Checks of the user's arrays and sample weights; weighted means and deviations."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import config_context, get_config
from sklearn.utils import check_array
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from ._compat import check_sample_weight
from ._kernel import frozen


def as_numpy():
    """Return a context in which scikit-learn converts every array to NumPy's."""
    # Its option `array_api_dispatch` would keep arrays of other packages, such as
    # PyTorch, which kernels cannot read.
    return config_context(array_api_dispatch=False)


def refuse_masked_cells(values, name):
    """Raise an error if cells of a masked array are masked, which NumPy would ignore.

    >>> refuse_masked_cells(np.ma.array([1.0, 2.0], mask=[False, True]), "X")
    Traceback (most recent call last):
    ValueError: X has masked cells: pass X.filled(np.nan), or leave those rows out.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} has masked cells: pass {name}.filled(np.nan), or leave those rows "
            "out."
        )


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
    refuse_dates(y)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # infinity is refused
            return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    except Exception:
        if not sparse.issparse(y) and np.asarray(y).dtype.kind not in "biufc":
            as_float_array(y, "y", "numbers")
        raise


def refuse_dates(y):
    """Raise an error if y holds dates or durations, of which NumPy makes integers."""
    kind = getattr(getattr(y, "dtype", None), "kind", "O")
    if kind == "O":  # also categories of pandas
        kind = np.asarray(y).dtype.kind
    if kind in "mM":
        raise ValueError(
            "y must be numbers, and holds dates or durations: convert it first, for "
            "example dates by (y - y.min()) / np.timedelta64(1, 'D')."
        )


def refuse_unreadable_targets(y):
    """Raise an error if numpy cannot read y, which holds the targets of rows."""
    if sparse.issparse(y):
        raise ValueError("y is sparse, and must be dense: pass y.toarray().")
    refuse_masked_cells(y, "y")
    try:
        np.asarray(y)
    except Exception as error:  # of any package, or of lists that differ in length
        raise ValueError(
            f"y cannot be read as an array: pass labels or numbers of at most 64 bits, "
            f"one for each row ({error})."
        ) from None


def keep_labels(y):
    """Return a list of labels as an array, in which NaN is no string.

    >>> keep_labels(["a", "b"]), keep_labels(["a", float("nan")])
    (array(['a', 'b'], dtype='<U1'), array(['a', nan], dtype=object))
    """
    # Any other y is returned as it is. Numbers beside strings become strings, as in
    # scikit-learn.
    if not isinstance(y, list | tuple):
        return y
    array = np.asarray(y)
    if array.dtype.kind not in "US":
        return array
    cells = np.asarray(y, dtype=object)
    is_nan = (isinstance(cell, Real) and cell != cell for cell in cells.flat)
    return cells if any(is_nan) else array


def label_column(y):
    """Return labels, or targets of any kind, as an array (n,)."""
    y = keep_labels(y)
    # Of integers and booleans in nullable columns of pandas scikit-learn makes floats,
    # of which neighbouring ones above 2**53 are equal.
    array = np.asarray(y)
    if array.dtype.kind in "biu":
        y = array
    elif array.dtype.kind == "T":  # NumPy's StringDType, which scikit-learn cannot read
        y = array.astype(object)
    return column_or_1d(y, warn=True)


def check_any_targets(y):
    """Return labels or numbers, of one output or several, as an array without NaN."""
    refuse_unreadable_targets(y)
    y = keep_labels(y)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the check sums y up
            return check_array(y, ensure_2d=False, dtype=None, input_name="y")
    except TypeError:  # of pandas.NA
        raise ValueError("Input y contains NaN or None: drop those rows.") from None


def check_count(value, name, least=0):
    """Raise an error unless a value is an integer that is large enough.

    >>> check_count(2.5, "n_samples")
    Traceback (most recent call last):
    ValueError: n_samples must be an integer ≥ 0, got 2.5.
    """
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or value < least:
        raise ValueError(f"{name} must be an integer ≥ {least}, got {value!r}.")


def check_feature_weights(given, n_features, name="feature_weights", n_above_0=0):
    """Return the user's factors of columns, float64 (n_features,), finite and ≥ 0.

    >>> check_feature_weights([1, 0], 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: feature_weights has shape (2,); X has 3 columns: give one weight ...
    """
    # n_above_0: how many of them must be above 0: none, one or all.
    weights = as_float_array(given, name)
    if weights.shape != (n_features,):
        raise ValueError(
            f"{name} has shape {weights.shape}; X has {n_features} columns: give one "
            "weight for each."
        )
    are_finite = np.all((weights >= 0) & (weights < np.inf))
    if not are_finite or np.count_nonzero(weights) < n_above_0:
        limit = "> 0" if n_above_0 == n_features else "≥ 0"
        limit += ", one of them above 0" * (0 < n_above_0 < n_features)
        raise ValueError(f"{name} must be finite numbers {limit}, got {given!r}.")
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


# Sample weights: their check, estimators that take them, weighted moments.


# Weighted sums of squares of numbers up to 100 do not overflow, nor those of logarithms
# of counts, which are below 700.
MAX_TOTAL_WEIGHT = 1e303


def kept_rows(sample_weight, n_rows):
    """Return the rows of positive weight, and their weights."""
    # sample_weight: (n_rows,), one number or None. rows: (n_kept,), or None if every
    # row has a positive weight; weight: (n_kept,), of these rows.
    if sample_weight is None:
        return None, np.ones(n_rows)
    refuse_masked_cells(sample_weight, "sample_weight")
    one_number = isinstance(sample_weight, Real)
    sample_weight = as_float_array(sample_weight, "sample_weight")
    if one_number:  # which scikit-learn does not check
        sample_weight = np.full(n_rows, sample_weight)
    weight = check_sample_weight(
        sample_weight, np.empty(n_rows), dtype=np.float64, ensure_non_negative=True
    )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total > MAX_TOTAL_WEIGHT:
        raise ValueError(
            "The sum of sample_weight overflows float64 in sums of products: it is "
            f"above {MAX_TOTAL_WEIGHT:g}. Divide the weights."
        )
    rows = np.flatnonzero(weight)
    if not len(rows):
        raise ValueError(
            "sample_weight is zero for all rows: at least one must be above 0."
        )
    return (None, weight) if len(rows) == n_rows else (rows, weight[rows])


def take_kept(kept, n_rows, y, sample_weight):
    """Return targets and weights, given for all rows of a fit, of the rows it kept."""
    # kept: as `kept_rows` returned it; n_rows: of the fit. Targets of another number of
    # rows are returned as they are.
    if kept is None or len(y) != n_rows:
        return y, sample_weight
    if sample_weight is not None:
        sample_weight = np.asarray(sample_weight)[kept]
    return np.asarray(keep_labels(y))[kept], sample_weight


def takes_weights(estimator):
    """Return whether `sample_weight` may be passed to the fit of an estimator.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> takes_weights(LogisticRegression()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    # With metadata routing the request of the estimator decides. A Pipeline or a search
    # takes weights if an estimator inside requests them. If nothing is requested, and
    # without metadata routing, the signature of fit decides.
    if get_config()["enable_metadata_routing"]:
        routing = get_routing_for_object(estimator)
        if routing.consumes("fit", ["sample_weight"]):
            return True
        if _weight_request(routing) is not None:
            return False
    return has_fit_parameter(estimator, "sample_weight")


def _weight_request(routing):
    """Return an estimator's request for the weights of fit: True, False, an alias."""
    if isinstance(routing, MetadataRequest):
        return routing.fit.requests.get("sample_weight")
    requests = dict(routing)  # a router lists its estimators, and itself by this name
    of_self = requests.get("$self_request")
    return None if of_self is None else _weight_request(of_self.router)


def without_weight_request(estimator):
    """Return the metadata that an estimator requests, other than weights for fit."""
    # An ensemble that computes the weights of its members passes no others on.
    routing = get_routing_for_object(estimator)  # a copy
    _remove_weight_request(routing)
    return routing


def _remove_weight_request(routing):
    if not isinstance(routing, MetadataRequest):
        for _, pair in routing:
            _remove_weight_request(pair.router)
    elif routing.fit.requests.get("sample_weight") is True:
        routing.fit.add_request(param="sample_weight", alias=False)


def weight_of_row(weight):
    """Return the mean weight if it is below 1, as of shares, which count no rows; or 1.

    >>> weight_of_row(np.array([0.1, 0.3])), weight_of_row(np.array([1.0, 3.0]))
    (0.2, 1.0)
    """
    return min(float(weight.mean()), 1.0)


def at_least_rows(weight):
    """Return weights of a mean below 1 over their mean, others unchanged.

    >>> at_least_rows(np.array([0.1, 0.3])), at_least_rows(np.array([1.0, 3.0]))
    (array([0.5, 1.5]), array([1., 3.]))
    """
    # Deviations divide by their sum less 1: they must not depend on the unit of
    # weights such as shares, which count no rows.
    return weight / weight_of_row(weight)


def weighted_moments(columns, weight):
    """Return the weighted means, and the weighted sums of squares about them.

    >>> weighted_moments(np.array([1.0, 4.0]), np.array([2.0, 1.0]))  # 2·1 + 1·4
    (np.float64(2.0), np.float64(6.0))
    """
    # columns: (n,) or (n, d); weight: (n,).
    mean = weight @ columns / weight.sum()
    return mean, weight @ (columns - mean) ** 2


def divide_by_largest(columns):
    """Return columns with cells in [-1, 1], whose squares are finite, and the divisors.

    >>> divide_by_largest(np.array([[1.0, 0.0], [-4.0, 0.0]]))
    (array([[ 0.25,  0.  ],
           [-1.  ,  0.  ]]), array([4., 0.]))
    """
    # columns: (n, d); the divisors: (d,). A column of zeros is divided by 1, and its
    # divisor is given as 0.
    largest = np.abs(columns).max(axis=0)
    return columns / np.where(largest == 0, 1.0, largest), largest
