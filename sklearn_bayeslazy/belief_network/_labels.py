"""Labels of rows, some of which have none: their class is a missing value."""

import numpy as np

from ..tabular import MISSING, Labels, encode_classes, factorize


def encode_labels(y, classes=None, allows_missing=False):
    """Return the sorted classes and the code of each label, MISSING without a label.

    >>> encode_labels(np.array(["b", None, "a"], dtype=object), allows_missing=True)[1]
    array([ 1, -1,  0], dtype=int32)
    """
    # y: (n_samples,); classes: None for those in y; allows_missing: whether rows may
    # have no label, otherwise an error.
    is_missing = _find_missing(y)
    if not is_missing.any():
        return encode_classes(y, classes)
    if not allows_missing:
        raise ValueError(
            f"Input y contains NaN or None, {is_missing.sum()} rows without a label: "
            "drop those rows, or set missing='expected' to learn from them too."
        )
    if is_missing.all():
        raise ValueError(
            "Input y contains NaN or None only: at least one row needs a label."
        )
    labels = y[~is_missing]
    if labels.dtype == object:  # numbers beside None
        natural = np.array(labels.tolist())
        labels = natural if natural.dtype.kind in "biuf" else labels
    codes = np.full(len(y), MISSING, dtype=np.int32)
    classes, codes[~is_missing] = encode_classes(labels, classes)
    return classes, codes


def _find_missing(y):
    """Return whether each label is NaN, None or pandas.NA."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    found = factorize(y.tolist(), "y")
    return found.codes == MISSING if isinstance(found, Labels) else np.isnan(found)
