"""Reads the target: labels or numbers, without the rows in which it is not known."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype, is_timedelta64_dtype

from ..tabular.cleaning import TableCleaner
from ._dataset import CLASSIFICATION, REGRESSION, TableError, known_strings
from ._formatting import with_count

# Whole numbers are class labels if they have few distinct values, with several rows for
# each on average: grades and flags do, counts and years do not.
MAX_INTEGER_CLASSES = 20
MIN_ROWS_PER_INTEGER_CLASS = 5
# Both parts of the split need a few rows.
MIN_ROWS = 10
# Cells that stand for a missing number. Among labels they are labels, as + and - are.
_WORDS = "#N/A #NA <NA> N.A. n.a. n/d n.d. nd ND #VALUE! #DIV/0! #REF! . .. - -- *"
MARKERS = {*_WORDS.split(), "missing", "unknown", "\N{EN DASH}", "\N{EM DASH}"}
CENSORED = re.compile(r"[<>≤≥]\s*=?\s*[-+]?[\d.,]+.*")
ZERO_PADDED = re.compile(r"0\d+(\.\d*)?")
# A numeric target may hold some words, whose rows are left out.
MIN_SHARE_OF_NUMBERS, MIN_DISTINCT_NUMBERS = 0.95, 10


@dataclass(frozen=True)
class Target:
    """The target in the rows in which it is known."""

    y: np.ndarray
    known: np.ndarray  # a mask of all rows
    task: str
    is_inferred: bool  # the task, from numbers, which may be wrong
    notes: tuple


def read_target(cells, name, task, path):
    """Return the target of a column of a file; its name and path are for errors."""
    numbers, notes = _as_numbers(cells, name)
    if numbers is None:
        strings = known_strings(cells)
        known = cells.index.isin(strings.index)
        y, chosen, is_inferred = strings.to_numpy(dtype=str), CLASSIFICATION, False
        if task == REGRESSION:
            raise TableError(
                f"{path}: --task regression needs a numeric target, but {name!r} holds "
                "strings" + "".join(f"; {note}" for note in notes)
            )
    else:
        known = np.isfinite(numbers)
        y, is_inferred = numbers[known], task is None
        chosen = task or infer_task(y)
        if chosen == CLASSIFICATION:
            y = _as_classes(cells[known], y)
    _check(y, name, chosen, numbers is not None, path)
    return Target(y, known, chosen, is_inferred, tuple(notes))


def infer_task(y):
    """Infer the task of numbers: few distinct whole ones are class labels."""
    max_classes = max(2, len(y) // MIN_ROWS_PER_INTEGER_CLASS)
    max_classes = min(MAX_INTEGER_CLASSES, max_classes)
    whole = (y == np.floor(y)).all()
    few = len(np.unique(y)) <= max_classes
    return CLASSIFICATION if whole and few else REGRESSION


def _as_numbers(cells, name):
    """Return the cells as floats, NaN where they are none, and notes; or None."""
    dtype = cells.dtype
    if isinstance(dtype, pd.CategoricalDtype) or getattr(dtype, "kind", "") in "bM":
        return None, []
    strings = known_strings(cells)
    if strings.empty:
        return None, []
    is_typed = is_numeric_dtype(dtype) or is_timedelta64_dtype(dtype)
    if not is_typed and strings.str.fullmatch(ZERO_PADDED.pattern).any():
        example = strings[strings.str.fullmatch(ZERO_PADDED.pattern)].iloc[0]
        return None, [f"the target is read as labels, since {example!r} begins with 0"]
    try:
        cleaner = TableCleaner({name: "number"})
        numbers = cleaner.fit_transform(cells.to_frame(name)).iloc[:, 0]
    except ValueError:  # none is a number
        return None, []
    # A cleaner reads a bound as a number, which is right for a column to predict from.
    bounds = strings.index[strings.str.fullmatch(CENSORED.pattern)]
    numbers = numbers.mask(numbers.index.isin(bounds))
    unread = strings[numbers[strings.index].isna()]
    numbers = numbers.to_numpy(dtype=float)
    if unread.empty:
        return numbers, []
    is_marker = unread.isin(MARKERS)
    is_censored = unread.str.fullmatch(CENSORED.pattern)
    words = unread[~is_marker & ~is_censored]
    n_numbers = np.isfinite(numbers).sum()
    if len(words) and (
        n_numbers < MIN_SHARE_OF_NUMBERS * len(strings)
        or len(np.unique(numbers[np.isfinite(numbers)])) < MIN_DISTINCT_NUMBERS
    ):
        share = f"{len(words)} of {len(strings)} cells"
        note = f"the target is read as labels: {share} are no numbers, for example "
        is_odd = 2 * n_numbers > len(strings)
        return None, [note + repr(words.iloc[0])] * bool(is_odd)
    kinds = {
        "that stand for a missing number": unread[is_marker],
        "that are only bounds": unread[is_censored],
        "that are no numbers": words,
    }
    return numbers, [
        f"{with_count(len(some), 'cell')} of the target {what} ({_examples(some)}): "
        "left out"
        for what, some in kinds.items()
        if len(some)
    ]


def _examples(strings):
    values = [repr(value) for value in strings.unique()]
    return ", ".join(values[:3]) + (", ..." if len(values) > 3 else "")


def _as_classes(cells, y):
    """Return numbers as labels of classes."""
    is_plain = pd.to_numeric(cells, errors="coerce").notna().all()
    if not is_plain:  # "5 kg"
        return cells.astype(str).str.strip().to_numpy(dtype=str)
    # scikit-learn refuses fractions as class labels.
    if (y == np.floor(y)).all() and np.abs(y).max() < 2**53:
        return y.astype(np.int64)
    return np.array([f"{value:.15g}" for value in y])


def _check(y, name, task, is_number, path):
    if len(y) < MIN_ROWS:
        raise TableError(
            f"{path}: the target {name!r} is known in {len(y)} rows; at least "
            f"{MIN_ROWS} are needed"
        )
    if (y == y[0]).all():
        raise TableError(
            f"{path}: the target {name!r} is {y[0]!s} in every row; name another "
            f"column with --target"
        )
    n_classes = len(np.unique(y))
    if task == CLASSIFICATION and 2 * n_classes > len(y):
        raise TableError(
            f"{path}: the target {name!r} has {n_classes} classes in {len(y)} rows, "
            f"too many for classification; name another column with --target"
            + (", or use --task regression" if is_number else "")
        )
