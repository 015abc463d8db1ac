"""Checks of the kinds and the targets that TableCleaner is given."""

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import type_of_target

from ._kinds import KINDS

# More distinct whole numbers are counts or amounts, not classes.
MAX_NUMERIC_CLASSES = 100


def check_kinds(kinds, labels):
    """Return the given kinds; each column and kind must exist."""
    given = kinds or {}
    for column, kind in given.items():
        if column not in labels:
            raise ValueError(
                f"kinds names the column {column!r}, which X does not have. Its "
                f"columns are {', '.join(map(repr, labels[:8]))}"
                + (", ..." if len(labels) > 8 else ".")
            )
        if kind not in KINDS:
            raise ValueError(
                f"kinds[{column!r}] is {kind!r}; it must be one of "
                f"{', '.join(map(repr, KINDS))}."
            )
    return given


def check_targets(table, y, target_type):
    """Return the targets: classes, or floats; None without y.

    Parameters
    ----------
    table : Table
    y : array-like of shape (n_rows,) or None
    target_type : {"auto", "classes", "continuous"}
    """
    if y is None:
        return None
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(table, y)
    if y.ndim > 1:
        return None
    if target_type == "continuous" or (target_type == "auto" and _is_continuous(y)):
        return y.astype(float)
    if y.dtype.kind == "f" and (y == np.floor(y)).all():
        return y.astype(np.int64)
    return y.astype(str) if y.dtype.kind in "fO" else y


def _is_continuous(y):
    if type_of_target(y) == "continuous":
        return True
    return y.dtype.kind in "iuf" and len(np.unique(y)) > MAX_NUMERIC_CLASSES
