"""Encodes class labels, with scikit-learn's checks of y."""

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ._labels import MISSING, Labels, factorize

# Integer labels within a smaller range are looked up in a table instead of sorted.
_MAX_LOOKUP_RANGE = 2**16


def encode_classes(y, classes=None, advice="Pass all classes on the first call."):
    """Return the sorted classes and the int32 code of each label.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    classes : array-like of shape (n_classes,), default=None
        The classes, if they are known already; any other label is an error.
    advice : str
        The last sentence of that error.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    codes : int32 array of shape (n_samples,)

    Examples
    --------
    >>> encode_classes(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    y = column_or_1d(y, warn=True)
    found, codes = _distinct(y)
    if classes is None:
        return found, codes
    known, _ = _distinct(column_or_1d(classes))
    if not len(known):
        raise ValueError("classes is empty: pass all classes of all batches.")
    try:
        position = np.searchsorted(known, found)
    except TypeError:
        raise ValueError(
            f"y holds labels of another kind, such as {found[0]!r}, than the classes "
            f"{known.tolist()}: convert them to one kind."
        ) from None
    position[position == len(known)] = 0
    if np.any(is_unknown := known[position] != found):
        raise ValueError(
            f"y holds labels that are not in the classes {known.tolist()}: "
            f"{found[is_unknown].tolist()}. {advice}"
        )
    return known, position.astype(np.int32)[codes]


def kind_of_classes(classes):
    """Return the kind of the classes: "strings", "booleans" or "numbers"."""
    kind = classes.dtype.kind
    return "numbers" if kind in "iuf" else ("booleans" if kind == "b" else "strings")


def _distinct(y):
    if y.dtype.kind in "iu":
        return _distinct_integers(y)
    if y.dtype.kind in "OUST":
        labels = factorize(y.tolist(), "y")
        is_labels = isinstance(labels, Labels)
        if (MISSING in labels.codes) if is_labels else np.isnan(labels).any():
            raise ValueError("Input y contains NaN or None: drop those rows.")
        if is_labels and labels.kind in ("str", "bytes"):
            return labels.categories.astype(y.dtype), labels.codes
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    found, codes = np.unique(y, return_inverse=True)
    return found, codes.astype(np.int32)


def _distinct_integers(y):
    low, high = (int(y.min()), int(y.max())) if len(y) else (0, 0)
    if high - low >= _MAX_LOOKUP_RANGE:
        found, codes = np.unique(y, return_inverse=True)
        return found, codes.astype(np.int32)
    if y.dtype == np.uint64:  # the largest values do not fit int64
        shifted = (y - np.uint64(low)).astype(np.int64)
    else:
        shifted = y if low == 0 else np.subtract(y, low, dtype=np.int64)
    present = np.bincount(shifted, minlength=1) > 0
    found = [
        low + k for k in np.flatnonzero(present).tolist()
    ]  # exact in any integer type
    found = np.array(found, dtype=y.dtype)
    if present.all():
        return found, shifted.astype(np.int32)
    code = (np.cumsum(present) - 1).astype(np.int32)
    return found, code[shifted]
