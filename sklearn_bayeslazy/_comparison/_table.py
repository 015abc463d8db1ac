"""Turns a file into a table to learn from: columns, target, task."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..datasets._read_csv import as_matrix, read_csv
from ._documents import count_words, is_missing, join_documents, reads_as_text

CLASSIFICATION, REGRESSION = "classification", "regression"
TASKS = (CLASSIFICATION, REGRESSION)
CATEGORICAL, NUMERIC, TEXT = "categorical", "numeric", "text"
# What a learner reads of a table: the columns that are no text, the text, or all.
COLUMNS, DOCUMENTS, WHOLE = "columns", "documents", "whole"

# Whole numbers are taken for class labels up to this many distinct values, with this
# many rows for each on average: grades and flags, but not counts or years.
MAX_INTEGER_CLASSES = 20
ROWS_PER_INTEGER_CLASS = 5
# Fewer rows leave too little on either side of the cut to compare anything.
MIN_ROWS = 10
SHOWN_NAMES = 8


class TableError(ValueError):
    """The table cannot be learnt from as asked; the message is one line."""


@dataclass(frozen=True)
class Column:
    """What one column holds; `n_words` is the mean of a cell, where it is text."""

    name: str
    kind: str
    missing: float
    n_distinct: int
    n_words: float | None = None


@dataclass(frozen=True)
class Table:
    """A table with its target split off; `X` is float or object, missing is NaN."""

    source: str
    X: np.ndarray
    y: np.ndarray
    columns: tuple[Column, ...]
    target: str
    task: str
    # Whether the task was told from numbers, which could have been meant otherwise.
    task_guessed: bool
    n_dropped: int

    @property
    def name(self):
        """The file's name without its endings."""
        return Path(self.source).name.removesuffix(".gz").rsplit(".", 1)[0]

    def indices(self, kind):
        """Return the positions of the columns of a kind."""
        return [j for j, column in enumerate(self.columns) if column.kind == kind]

    def holds(self, reads):
        """Tell whether there is any of what a learner reads."""
        n_texts = len(self.indices(TEXT))
        n_others = len(self.columns) - n_texts
        return {COLUMNS: n_others > 0, DOCUMENTS: n_texts > 0, WHOLE: True}[reads]

    def part(self, reads):
        """Return the table as a learner sees it.

        Parameters
        ----------
        reads : {"columns", "documents", "whole"}
            "columns": without the text. "documents": the text alone; `X` is one
            document a row, its text columns joined by line ends.

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
        return replace(self, X=X, columns=tuple(self.columns[j] for j in kept))


def read_table(path, target=None, task=None):
    """Read the table at `path` and split off its target.

    Parameters
    ----------
    path : str or path-like
    target : str, default=None
        Name of the column to learn; None takes the column "target", else the last.
    task : {"classification", "regression"}, default=None
        None tells it from the target's values.

    Returns
    -------
    table : Table
        Without the rows whose target is missing.

    Raises
    ------
    OSError, ValueError
        See :func:`~sklearn_bayeslazy.datasets._read_csv.read_csv`.
    TableError
        If the target is unknown or cannot be learnt.
    """
    names, columns = read_csv(path)
    position = _find_target(names, target, path)
    target = names.pop(position)
    y = columns.pop(position)
    if not columns:
        raise TableError(f"{path}: no column is left beside the target {target!r}")
    known = ~is_missing(y)
    y, columns = y[known], [column[known] for column in columns]
    _check_target(y, target, path)
    chosen = task or guess_task(y)
    return Table(
        source=str(path),
        X=as_matrix(columns),
        y=_convert_target(y, chosen, target, path),
        columns=tuple(map(_describe, names, columns)),
        target=target,
        task=chosen,
        task_guessed=task is None and y.dtype != object,
        n_dropped=int((~known).sum()),
    )


def guess_task(y):
    """Tell the task from the values: strings or a few whole numbers are classes."""
    if y.dtype == object:
        return CLASSIFICATION
    n_distinct = len(np.unique(y))
    allowed = min(MAX_INTEGER_CLASSES, max(2, len(y) // ROWS_PER_INTEGER_CLASS))
    whole = (y == np.floor(y)).all()
    return CLASSIFICATION if whole and n_distinct <= allowed else REGRESSION


def _describe(name, column):
    missing = is_missing(column)
    cells = column[~missing].tolist()
    is_text = reads_as_text(column)
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
        hint = "columns: " + ", ".join(map(repr, names[:SHOWN_NAMES]))
        hint += ", ..." if len(names) > SHOWN_NAMES else ""
    raise TableError(f"{path}: no column {target!r} for --target; {hint}")


def _check_target(y, target, path):
    if len(y) < MIN_ROWS:
        raise TableError(
            f"{path}: {len(y)} rows with a known target {target!r}; at least "
            f"{MIN_ROWS} are needed"
        )
    if len(set(y.tolist())) == 1:
        raise TableError(
            f"{path}: the target {target!r} is {y[0]!s} in every row, so there is "
            f"nothing to learn; name another column with --target"
        )


def _convert_target(y, task, target, path):
    if task == REGRESSION:
        if y.dtype == object:
            raise TableError(
                f"{path}: --task regression needs numbers, and the target {target!r} "
                f"holds strings"
            )
        return y
    n_classes = len(set(y.tolist()))
    if 2 * n_classes > len(y):
        raise TableError(
            f"{path}: the target {target!r} has {n_classes} classes in {len(y)} rows, "
            f"as a name or free text has; name another column with --target"
            + ("" if y.dtype == object else ", or use --task regression")
        )
    if y.dtype == object:
        return y.astype(str)
    # Labels, not amounts: scikit-learn takes no floats for classes.
    whole = (y == np.floor(y)).all() and np.abs(y).max() < 2**53
    return y.astype(np.int64) if whole else np.array([f"{value:.15g}" for value in y])
