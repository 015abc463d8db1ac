"""Reads a file into a table: columns and their kinds, target and task."""

import difflib
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..cleaning import (
    TableCleaner,
    count_words,
    decide_columns,
    is_missing,
    join_documents,
    parse_numbers,
)
from ..datasets._read_csv import as_matrix
from ._files import CsvFormat, read_file

CLASSIFICATION, REGRESSION = "classification", "regression"
TEXT, DROP = "text", "drop"
# The part of a table that a learner reads: all cleaned columns, only the text, or all
# raw columns.
COLUMNS, DOCUMENTS, WHOLE = "columns", "documents", "whole"

# Whole numbers are class labels if they have few distinct values, with several rows for
# each on average: grades and flags do, counts and years do not.
MAX_INTEGER_CLASSES = 20
MIN_ROWS_PER_INTEGER_CLASS = 5
# Both parts of the split need a few rows.
MIN_ROWS = 10
# Some learners count pairs of columns.
MAX_COLUMNS = 2000
MAX_SHOWN_NAMES = 8


class TableError(ValueError):
    """No learner can be fitted to the table; the message is one line."""


@dataclass(frozen=True)
class Column:
    """Facts about one column.

    Attributes
    ----------
    name : str
    kind : {"category", "number", "date", "datetime", "text", "drop"}
    missing : float
        Share of missing cells.
    n_distinct : int
    n_words : float or None
        Mean number of words of a cell, for text.
    reason : str
        Why it has this kind, if that needs an explanation.
    overruled_by : str or None
        The kind that would overrule it.
    """

    name: str
    kind: str
    missing: float
    n_distinct: int
    n_words: float | None = None
    reason: str = ""
    overruled_by: str | None = None


@dataclass(frozen=True)
class Table:
    """A table and its target; `X` is a float or object array, a missing cell is NaN.

    `conversion` tells how the cells of the target became `y`: "text", "integer",
    "float", "fraction" (class labels that are no whole numbers), or "written" (numbers
    in strings such as "1,5 %").
    """

    source: str
    X: np.ndarray
    y: np.ndarray
    columns: tuple[Column, ...]
    target: str
    task: str
    # Whether the task was inferred from a numeric target, which may be wrong.
    task_inferred: bool
    n_dropped: int
    conversion: str = "text"
    notes: tuple[str, ...] = ()
    file_format: object = field(default_factory=CsvFormat)

    @property
    def name(self):
        """The file's name without its suffixes."""
        return Path(self.source).name.removesuffix(".gz").rsplit(".", 1)[0]

    def indices(self, kind):
        """Return the indices of the columns of a kind."""
        return [j for j, column in enumerate(self.columns) if column.kind == kind]

    def has_any(self, reads):
        """Return whether the table has a column of the part that a learner reads."""
        n_texts = len(self.indices(TEXT))
        n_others = len(self.columns) - n_texts - len(self.indices(DROP))
        return {COLUMNS: n_others > 0, DOCUMENTS: n_texts > 0, WHOLE: True}[reads]

    def cleaner(self, seed):
        """Return an unfitted cleaner with the decided kinds, for the array `X`."""
        kinds = {j: column.kind for j, column in enumerate(self.columns)}
        return TableCleaner(kinds, random_state=seed)

    def fit_and_score_parts(self, reads, fit_rows, score_rows, seed):
        """Return what a learner reads of the rows to fit to, and of those to score.

        Parameters
        ----------
        reads : {"columns", "documents", "whole"}
            "columns": the cleaned columns. "documents": one document a row, its text
            cells joined by line ends. "whole": the raw columns.
        fit_rows, score_rows : ndarray of int
        seed : int

        Returns
        -------
        fit_part, score_part : ndarray
        """
        if reads == COLUMNS:
            cleaner = self.cleaner(seed)
            fit_part = cleaner.fit_transform(self.X[fit_rows], self.y[fit_rows])
            return fit_part, cleaner.transform(self.X[score_rows])
        if reads == DOCUMENTS:
            texts = self.indices(TEXT)
            return (
                join_documents(self.X[fit_rows], texts),
                join_documents(self.X[score_rows], texts),
            )
        return self.X[fit_rows], self.X[score_rows]


def read_table(path, target=None, task=None, kinds=None, keep=()):
    """Read the table at `path` and separate its target from the other columns.

    Parameters
    ----------
    path : str or path-like
    target : str, default=None
        Name of the target column. None means the column "target" if there is one,
        else the last column.
    task : {"classification", "regression"}, default=None
        None infers it from the values of the target.
    kinds : dict of {str: str}, default=None
        The kinds of some columns, see :class:`TableCleaner`.
    keep : sequence of str, default=()
        Names of columns that must not be dropped.

    Returns
    -------
    table : Table
        Rows with a missing target are dropped.

    Raises
    ------
    OSError, ValueError
        See :func:`~._files.read_file`.
    TableError
        If there is no such column, or if the target does not fit the task.
    """
    file = read_file(path)
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
    _check_target(y, target, path)
    strings, y = y, _numbers_in_strings(y, task)
    table_task = task or infer_task(y)
    converted, conversion = _convert_target(y, table_task, target, path)
    if strings.dtype == object and y.dtype != object:
        if table_task == CLASSIFICATION:
            converted, conversion = strings.astype(str), "text"
        else:
            conversion = "written"
    X = as_matrix(columns)
    return Table(
        source=str(path),
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


def _numbers_in_strings(y, task):
    """Return a target of strings such as "1,5 %" as numbers, if all of them are."""
    if y.dtype != object or task == CLASSIFICATION:
        return y
    values, codes = np.unique(y.astype(str), return_inverse=True)
    numbers = parse_numbers(values)
    return numbers[codes] if np.isfinite(numbers).all() else y


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


def infer_task(y):
    """Infer the task: strings and few distinct whole numbers are class labels."""
    if y.dtype == object:
        return CLASSIFICATION
    n_distinct = len(np.unique(y))
    max_classes = max(2, len(y) // MIN_ROWS_PER_INTEGER_CLASS)
    max_classes = min(MAX_INTEGER_CLASSES, max_classes)
    whole = (y == np.floor(y)).all()
    return CLASSIFICATION if whole and n_distinct <= max_classes else REGRESSION


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


def _check_target(y, target, path):
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


def _convert_target(y, task, target, path):
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
