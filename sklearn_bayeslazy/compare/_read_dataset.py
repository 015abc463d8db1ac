"""Reads a file into a table: columns and their kinds, target and task."""

import difflib
from dataclasses import replace

import numpy as np

from ..tabular import as_matrix, count_words
from ..tabular.cleaning import DROP, TEXT, decide_columns, is_missing, parse_numbers
from ._dataset import CLASSIFICATION, REGRESSION, Column, Dataset, TableError
from ._read_file import read_file

# Some learners count pairs of columns.
MAX_COLUMNS = 2000
MAX_SHOWN_NAMES = 8


def read_dataset(path, target=None, task=None, kinds=None, keep=(), sheet=None):
    """Read the table at `path` and separate its target from the other columns."""
    # target: None means the column "target" if there is one, else the last column.
    # task: None infers it from the values of the target. kinds: {name: kind} of some
    # columns, see `TableCleaner`. keep: names of columns that must not be dropped.
    # sheet: None means the first. Rows with a missing target are dropped.
    # OSError, ValueError: see `read_file`. TableError: there is no such column, or the
    # target does not fit the task.
    file = read_file(path, sheet)
    source = str(path)
    if file.sheet_note:  # for errors: the target may be on another sheet
        path = f"{path} ({file.sheet_note})"
    names, columns = list(file.names), list(file.columns)
    if target is None:
        index = names.index("target") if "target" in names else len(names) - 1
    else:
        index = find_column(names, target, path, "--target")
    target = names.pop(index)
    y = columns.pop(index)
    if not columns:
        raise TableError(f"{path}: the target {target!r} is the only column")
    known = ~is_missing(y)
    y, columns = y[known], [column[known] for column in columns]
    check_target(y, target, path)
    strings, y = y, numbers_in_strings(y, task)
    table_task = task or infer_task(y)
    converted, conversion = convert_target(y, table_task, target, path)
    if strings.dtype == object and y.dtype != object:
        if table_task == CLASSIFICATION:
            converted, conversion = strings.astype(str), "text"
        else:
            conversion = "written"
    X = as_matrix(columns)
    return Dataset(
        source=source,
        X=X,
        y=converted,
        columns=_describe_columns(X, names, path, kinds or {}, keep),
        target=target,
        task=table_task,
        task_inferred=task is None and y.dtype != object,
        n_dropped=int((~known).sum()),
        conversion=conversion,
        notes=file.notes,
        file_format=file.format,
    )


def _describe_columns(X, names, path, kinds, keep):
    """Return the facts about each column; decide what it is."""
    given = {
        find_column(names, name, path, f"--{kind}"): kind
        for name, kind in kinds.items()
    }
    kept = [find_column(names, name, path, "--keep") for name in keep]
    decisions = decide_columns(X, names, given)
    columns = []
    for j, name in enumerate(names):
        decision = decisions[j]
        kind, reason = decision.kind, decision.reason
        if j in kept and kind == DROP:
            kind, reason = decision.overruled_by, f"kept ({reason})"
        columns.append(_describe(name, X[:, j], kind, reason, decision.overruled_by))
    if all(column.kind == DROP for column in columns):
        # A counter of rows may be the time.
        columns = [
            replace(column, kind=column.overruled_by, reason="an id, but all there is")
            if column.reason.startswith("an id: whole") and j not in given
            else column
            for j, column in enumerate(columns)
        ]
    used = [column for column in columns if column.kind != DROP]
    if not used:
        reasons = "; ".join(f"{c.name}: {c.reason}" for c in columns[:3])
        raise TableError(
            f"{path}: no column is left to predict from ({reasons}); name those to use "
            f"with --keep"
        )
    if len(used) > MAX_COLUMNS:
        raise TableError(
            f"{path}: {len(used)} columns; at most {MAX_COLUMNS} can be compared: name "
            f"some with --drop"
        )
    return tuple(columns)


def _describe(name, column, kind, reason, overruled_by):
    missing = is_missing(column)
    cells = column[~missing].tolist()
    is_text = kind == TEXT
    n_words = np.mean([count_words(str(c)) for c in cells]) if is_text else None
    return Column(
        name=name,
        kind=kind,
        missing=float(missing.mean()),
        n_distinct=len(set(cells)),
        n_words=n_words if n_words is None else float(n_words),
        reason=reason,
        overruled_by=overruled_by,
    )


def find_column(names, name, path, option):
    """Return the index of a column; the error suggests close matches."""
    if name in names:
        return names.index(name)
    folded = {one.casefold(): one for one in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)
    if close:
        hint = "close matches: " + ", ".join(repr(folded[one]) for one in close)
    else:
        hint = "columns: " + ", ".join(map(repr, names[:MAX_SHOWN_NAMES]))
        hint += ", ..." if len(names) > MAX_SHOWN_NAMES else ""
    raise TableError(f"{path}: there is no column {name!r} for {option}; {hint}")


# The target: its task, and its conversion to labels or numbers.


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
