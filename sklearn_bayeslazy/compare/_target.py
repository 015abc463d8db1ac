"""The target: its task, and its conversion to labels or numbers."""

import numpy as np

from ..tabular._cleaning import parse_numbers
from ._table import CLASSIFICATION, REGRESSION, TableError

# Whole numbers are class labels if they have few distinct values, with several rows for
# each on average: grades and flags do, counts and years do not.
MAX_INTEGER_CLASSES = 20
MIN_ROWS_PER_INTEGER_CLASS = 5
# Both parts of the split need a few rows.
MIN_ROWS = 10


def infer_task(y):
    """Infer the task: strings and few distinct whole numbers are class labels."""
    if y.dtype == object:
        return CLASSIFICATION
    n_distinct = len(np.unique(y))
    max_classes = max(2, len(y) // MIN_ROWS_PER_INTEGER_CLASS)
    max_classes = min(MAX_INTEGER_CLASSES, max_classes)
    whole = (y == np.floor(y)).all()
    return CLASSIFICATION if whole and n_distinct <= max_classes else REGRESSION


def numbers_in_strings(y, task):
    """Return a target of strings such as "1,5 %" as numbers, if all of them are."""
    if y.dtype != object or task == CLASSIFICATION:
        return y
    values, codes = np.unique(y.astype(str), return_inverse=True)
    numbers = parse_numbers(values)
    return numbers[codes] if np.isfinite(numbers).all() else y


def check_target(y, target, path):
    if len(y) < MIN_ROWS:
        raise TableError(
            f"{path}: the target {target!r} is known in {len(y)} rows; at least "
            f"{MIN_ROWS} are needed"
        )
    if len(set(y.tolist())) == 1:
        raise TableError(
            f"{path}: the target {target!r} is {y[0]!s} in every row; name another "
            f"column with --target"
        )


def convert_target(y, task, target, path):
    if task == REGRESSION:
        if y.dtype == object:
            raise TableError(
                f"{path}: --task regression needs a numeric target, but {target!r} "
                f"holds strings"
            )
        return y, "float"
    n_classes = len(set(y.tolist()))
    if 2 * n_classes > len(y):
        raise TableError(
            f"{path}: the target {target!r} has {n_classes} classes in {len(y)} rows, "
            f"too many for classification; name another column with --target"
            + ("" if y.dtype == object else ", or use --task regression")
        )
    if y.dtype == object:
        return y.astype(str), "text"
    # scikit-learn refuses fractions as class labels.
    whole = (y == np.floor(y)).all() and np.abs(y).max() < 2**53
    if whole:
        return y.astype(np.int64), "integer"
    return np.array([f"{value:.15g}" for value in y]), "fraction"
