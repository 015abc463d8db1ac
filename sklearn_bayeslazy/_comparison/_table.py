"""Reads a file into a table: columns, target and task."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..datasets._read_csv import as_matrix, read_csv
from ._documents import count_words, is_free_text, is_missing, join_documents

CLASSIFICATION, REGRESSION = "classification", "regression"
CATEGORICAL, NUMERIC, TEXT = "categorical", "numeric", "text"
# The part of a table that a learner reads: all but the text columns, only the text
# columns, or all columns.
COLUMNS, DOCUMENTS, WHOLE = "columns", "documents", "whole"

# Whole numbers are class labels if they have few distinct values, with several rows for
# each on average: grades and flags do, counts and years do not.
MAX_INTEGER_CLASSES = 20
MIN_ROWS_PER_INTEGER_CLASS = 5
# Both parts of the split need a few rows.
MIN_ROWS = 10
MAX_SHOWN_NAMES = 8


class TableError(ValueError):
    """No learner can be fitted to the table; the message is one line."""


@dataclass(frozen=True)
class Column:
    """Facts about one column.

    Attributes
    ----------
    name : str
    kind : {"categorical", "numeric", "text"}
    missing : float
        Share of missing cells.
    n_distinct : int
    n_words : float or None
        Mean number of words of a cell, for text.
    """

    name: str
    kind: str
    missing: float
    n_distinct: int
    n_words: float | None = None


@dataclass(frozen=True)
class Table:
    """A table and its target; `X` is a float or object array, a missing cell is NaN."""

    source: str
    X: np.ndarray
    y: np.ndarray
    columns: tuple[Column, ...]
    target: str
    task: str
    # Whether the task was inferred from a numeric target, which may be wrong.
    task_inferred: bool
    n_dropped: int

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
        n_others = len(self.columns) - n_texts
        return {COLUMNS: n_others > 0, DOCUMENTS: n_texts > 0, WHOLE: True}[reads]

    def part(self, reads):
        """Return the part of the table that a learner reads.

        Parameters
        ----------
        reads : {"columns", "documents", "whole"}
            "columns": all but the text columns. "documents": only the text columns;
            `X` is one document a row, its text cells joined by line ends. "whole":
            all columns.

        Returns
        -------
        table : Table
        """
        texts = self.indices(TEXT)
        if reads == WHOLE or (reads == COLUMNS and not texts):
            return self
        if reads == DOCUMENTS:
            kept, X = texts, join_documents(self.X[:, texts])
        else:
            kept = [j for j in range(len(self.columns)) if j not in texts]
            X = self.X[:, kept]
            if len(self.indices(NUMERIC)) == len(kept):
                X = X.astype(float)
        return replace(
            self,
            X=X,
            columns=tuple(self.columns[j] for j in kept),
        )


def read_table(path, target=None, task=None):
    """Read the table at `path` and separate its target from the other columns.

    Parameters
    ----------
    path : str or path-like
    target : str, default=None
        Name of the target column. None means the column "target" if there is one,
        else the last column.
    task : {"classification", "regression"}, default=None
        None infers it from the values of the target.

    Returns
    -------
    table : Table
        Rows with a missing target are dropped.

    Raises
    ------
    OSError, ValueError
        See :func:`~sklearn_bayeslazy.datasets._read_csv.read_csv`.
    TableError
        If there is no such target column, or if the target does not fit the task.
    """
    names, columns = read_csv(path)
    index = _find_target(names, target, path)
    target = names.pop(index)
    y = columns.pop(index)
    if not columns:
        raise TableError(f"{path}: the target {target!r} is the only column")
    known = ~is_missing(y)
    y, columns = y[known], [column[known] for column in columns]
    _check_target(y, target, path)
    table_task = task or infer_task(y)
    return Table(
        source=str(path),
        X=as_matrix(columns),
        y=_convert_target(y, table_task, target, path),
        columns=tuple(map(_describe, names, columns)),
        target=target,
        task=table_task,
        task_inferred=task is None and y.dtype != object,
        n_dropped=int((~known).sum()),
    )


def infer_task(y):
    """Infer the task: strings and few distinct whole numbers are class labels."""
    if y.dtype == object:
        return CLASSIFICATION
    n_distinct = len(np.unique(y))
    max_classes = max(2, len(y) // MIN_ROWS_PER_INTEGER_CLASS)
    max_classes = min(MAX_INTEGER_CLASSES, max_classes)
    whole = (y == np.floor(y)).all()
    return CLASSIFICATION if whole and n_distinct <= max_classes else REGRESSION


def _describe(name, column):
    missing = is_missing(column)
    cells = column[~missing].tolist()
    is_text = is_free_text(column)
    other = CATEGORICAL if column.dtype == object else NUMERIC
    return Column(
        name=name,
        kind=TEXT if is_text else other,
        missing=float(missing.mean()),
        n_distinct=len(set(cells)),
        n_words=float(np.mean([count_words(c) for c in cells])) if is_text else None,
    )


def _find_target(names, target, path):
    if target is None:
        return names.index("target") if "target" in names else len(names) - 1
    if target in names:
        return names.index(target)
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(target.casefold(), folded, n=3, cutoff=0.5)
    if close:
        hint = "close matches: " + ", ".join(repr(folded[name]) for name in close)
    else:
        hint = "columns: " + ", ".join(map(repr, names[:MAX_SHOWN_NAMES]))
        hint += ", ..." if len(names) > MAX_SHOWN_NAMES else ""
    raise TableError(f"{path}: there is no column {target!r} for --target; {hint}")


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
        return y
    n_classes = len(set(y.tolist()))
    if 2 * n_classes > len(y):
        raise TableError(
            f"{path}: the target {target!r} has {n_classes} classes in {len(y)} rows, "
            f"too many for classification; name another column with --target"
            + ("" if y.dtype == object else ", or use --task regression")
        )
    if y.dtype == object:
        return y.astype(str)
    # scikit-learn refuses fractions as class labels.
    whole = (y == np.floor(y)).all() and np.abs(y).max() < 2**53
    return y.astype(np.int64) if whole else np.array([f"{value:.15g}" for value in y])
