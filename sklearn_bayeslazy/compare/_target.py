"""Reads the target: labels or numbers, without the rows in which it is not known."""

import numpy as np
import pandas as pd

from ..tabular.cleaning import (
    NUMBER,
    TableCleaner,
    decide_target,
    is_bound,
    read_columns,
)
from ._dataset import CLASSIFICATION, REGRESSION, TableError, known_strings
from ._formatting import listed, with_count

# Whole numbers are class labels if they have few distinct values, with several rows for
# each on average: grades and flags do, counts and years do not.
MAX_INTEGER_CLASSES = 20
MIN_ROWS_PER_INTEGER_CLASS = 5
# Both parts of the split need a few rows.
MIN_ROWS = 10


def read_target(cells, name, task, path, decimal=""):
    """Return the known targets of a column of a file, and the facts about them."""
    # The facts: a mask of the rows in which it is known, the task, whether that is
    # inferred from numbers, which may be wrong, and notes. name, path: for errors.
    # decimal: the sign in the other columns, "" for none.
    (column,) = read_columns(cells.to_frame(name), [name])
    decision, read = decide_target(column._replace(decimal=decimal), name)
    is_number = decision.kind == NUMBER
    if task == REGRESSION and not is_number:
        is_number, read = True, _forced_numbers(cells, name, decision.reason, path)
    read, notes = _left_out(cells, read, is_number)
    if decision.reason:
        kind = "numbers" if is_number else "labels"
        notes.insert(0, f"the target is read as {kind}: {decision.reason}")
    known = ~pd.isna(read)
    y, chosen = read[known], task or CLASSIFICATION
    if is_number:
        chosen = task or infer_task(y)
    if is_number and chosen == CLASSIFICATION:
        y = _as_classes(cells[known], y, name)
    elif not is_number:
        y = y.astype(str)
    _check(y, name, chosen, is_number, decision.reason, path)
    return y, known, chosen, is_number and task is None, notes


def _forced_numbers(cells, name, reason, path):
    """Return a target that is not recognised as numbers as such, if all cells are."""
    try:
        numbers = TableCleaner({name: "number"}).fit_transform(cells.to_frame(name))
    except ValueError:
        numbers = None
    if numbers is None or numbers[name].count() < len(known_strings(cells)):
        raise TableError(
            f"{path}: --task regression needs a numeric target, but {name!r} holds "
            f"strings{f': {reason}' if reason else ''}"
        )
    return numbers[name].to_numpy()


def infer_task(y):
    """Infer the task of numbers: few distinct whole ones are class labels."""
    max_classes = max(2, len(y) // MIN_ROWS_PER_INTEGER_CLASS)
    max_classes = min(MAX_INTEGER_CLASSES, max_classes)
    whole = (y == np.floor(y)).all()
    few = len(np.unique(y)) <= max_classes
    return CLASSIFICATION if whole and few else REGRESSION


def _left_out(cells, read, is_number):
    """Return the target without bounds such as "<0.5", and notes on cells left out."""
    # A cleaner reads a bound as a number, which is right for a column to predict from.
    strings, read = cells.dropna().astype(str).str.strip(), pd.Series(read, cells.index)
    strings = strings[strings != ""]
    are_bounds = np.array([is_number and is_bound(s) for s in strings], dtype=bool)
    bounds = strings[are_bounds]
    lost = strings[~are_bounds & read[strings.index].isna()]
    read[bounds.index] = np.nan
    why = "no numbers" if is_number else "words for a missing one"
    return read.to_numpy(), [
        f"{with_count(len(some), 'cell')} of the target left out: {what} "
        f"({listed(some.unique().tolist(), 3)})"
        for what, some in (("only bounds", bounds), (why, lost))
        if len(some)
    ]


def _as_classes(cells, y, name):
    """Return numbers as labels of classes."""
    is_plain = pd.to_numeric(cells, errors="coerce").notna().all()
    if not is_plain:  # "5 kg"
        labels = TableCleaner({name: "category"}).fit_transform(cells.to_frame(name))
        # One label a number: "~3" is "3".
        usual = labels[name].groupby(y).transform(lambda same: same.mode()[0])
        return usual.to_numpy(dtype=str)
    # scikit-learn refuses fractions as class labels.
    if (y == np.floor(y)).all() and np.abs(y).max(initial=0) < 2**53:
        return y.astype(np.int64)
    return np.array([f"{value:.15g}" for value in y])


def _check(y, name, task, is_number, reason, path):
    if len(y) < MIN_ROWS:
        raise TableError(
            f"{path}: the target {name!r} is known in {len(y)} rows; at least "
            f"{MIN_ROWS} are needed"
        )
    if (y == y[0]).all():
        raise TableError(
            f"{path}: the target {name!r} is {y[0]!s} in every row in which it is "
            "known; name another column with --target"
        )
    n_classes = len(np.unique(y))
    if task == CLASSIFICATION and 2 * n_classes > len(y):
        raise TableError(
            f"{path}: the target {name!r} has {n_classes} classes in {len(y)} rows, "
            f"too many for classification; name another column with --target"
            + (", or use --task regression" if is_number else "")
            + (f" ({reason})" if reason else "")
        )
