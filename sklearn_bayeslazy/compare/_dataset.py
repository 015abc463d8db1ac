"""A table: its columns, its target, and the parts of it that learners read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import FunctionTransformer

from ..tabular.cleaning import DROP, MISSING_WORDS, TEXT, TableCleaner, join_documents

CLASSIFICATION, REGRESSION = "classification", "regression"
NUMBER = "number"
# The part of a table that a learner reads: all cleaned columns, only the text, or all
# raw columns.
COLUMNS, DOCUMENTS, WHOLE = "columns", "documents", "whole"
# Suffixes of files that hold one other file, with a suffix of its own.
_OF_ARCHIVES = (".gz", ".bz2", ".xz", ".zip")


class TableError(ValueError):
    """No learner can be fitted to the table; the message is one line."""


@dataclass(frozen=True)
class Column:
    """Facts about one column."""

    name: str
    kind: str  # "category", "number", "date", "datetime", "text" or "drop"
    missing: float  # share of missing cells
    n_distinct: int
    reason: str = ""  # why it has this kind, if that needs an explanation
    overruled_by: str | None = None  # the kind that would overrule it


@dataclass(frozen=True)
class Dataset:
    """A table as it was read, without the rows whose target is not known."""

    source: str
    X: pd.DataFrame
    y: np.ndarray
    columns: tuple[Column, ...]
    target: str
    task: str
    # Whether the task was inferred from a numeric target, which may be wrong.
    task_inferred: bool
    n_dropped: int
    n_rows_in_file: int
    notes: tuple[str, ...] = ()
    # What the file was read with, so that it can be read again.
    sheet: str | None = None
    sample: int | None = None
    seed: int = 0

    @property
    def name(self):
        """The file's name without its suffixes."""
        path = Path(self.source)
        return Path(path.stem).stem if path.suffix in _OF_ARCHIVES else path.stem

    @property
    def is_sample(self):
        """Whether the rows are a random part of those in the file."""
        return len(self.y) + self.n_dropped < self.n_rows_in_file

    def names(self, kind):
        """Return the names of the columns of a kind."""
        return [column.name for column in self.columns if column.kind == kind]

    def has_any(self, reads):
        """Return whether the table has a column of the part that a learner reads."""
        n_texts = len(self.names(TEXT))
        n_others = len(self.columns) - n_texts - len(self.names(DROP))
        return {COLUMNS: n_others > 0, DOCUMENTS: n_texts > 0, WHOLE: True}[reads]

    def cleaner(self, seed):
        """Return an unfitted cleaner with the decided kinds."""
        kinds = {column.name: column.kind for column in self.columns}
        target_type = "classes" if self.task == CLASSIFICATION else "continuous"
        return TableCleaner(kinds, target_type=target_type, random_state=seed)

    def first_step(self, reads, seed):
        """Return the unfitted transformer from raw columns to what a learner reads."""
        # reads: COLUMNS for the cleaned columns; DOCUMENTS for one document a row, its
        # text cells joined by line ends; WHOLE for the raw columns.
        if reads == COLUMNS:
            return self.cleaner(seed)
        if reads == DOCUMENTS:
            names = {"columns": self.names(TEXT)}
            return FunctionTransformer(join_documents, kw_args=names)
        return FunctionTransformer()


def known_strings(cells):
    """Return the cells as strings without blanks around them, missing ones left out."""
    strings = cells.dropna().astype(str).str.strip()
    return strings[~strings.isin(MISSING_WORDS)]
