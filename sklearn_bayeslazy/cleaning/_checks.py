"""Checks of the kinds and the targets that TableCleaner is given."""

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import type_of_target

from ._kinds import KINDS


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


def check_targets(table, y):
    """Return the targets: classes, or floats; None without y."""
    if y is None:
        return None
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(table, y)
    if y.ndim > 1:
        return None
    if type_of_target(y) == "continuous":
        return y.astype(float)
    if y.dtype.kind == "f":  # classes that are whole numbers
        return y.astype(np.int64)
    return y.astype(str) if y.dtype == object else y
