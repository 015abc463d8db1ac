"""Reads columns of any container as numbers or strings, and knows what is missing.

Columns that estimators refuse, since a label or number would be lost, are read as
strings here: cells of mixed kinds, times of day, periods, and integers that float64
does not hold exactly.
"""

import sys
from collections import Counter
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from .._frames import is_frame, is_missing_cell, is_pandas
from .._labels import Labels, object_array
from .._read import read_table
from .._read_csv import as_matrix
from ._dates import is_date_marker
from ._numbers import DATES, DURATIONS, NUMBERS, STRINGS
from ._words import DASHES, MISSING_AMONG_NUMBERS, MISSING_WORDS

# Integers of sixteen digits and more are codes, and float64 does not hold them all.
MIN_CODE = 10**15


class Cells(NamedTuple):
    """One column: floats with NaN, or Labels; what it holds, and whether by its dtype.

    `holds` is "numbers", "dates" or "durations", both in days, or "strings".
    """

    cells: object
    holds: str
    is_declared: bool  # the dtype is of categories or booleans

    @property
    def n_rows(self):
        """The number of rows."""
        return len(self.cells.codes if self.holds == STRINGS else self.cells)


def read_columns(X, names):
    """Return the :class:`Cells` of each column of a frame or an array."""
    return [_read_column(X, j, name) for j, name in enumerate(names)]


def _read_column(X, j, name):
    column = X.iloc[:, [j]] if is_pandas(X) else X[:, [j]]
    dtype = next(iter(column.dtypes)) if is_frame(X) else X.dtype
    try:
        if not _has_codes(column, dtype):
            return _read_table(column, dtype, name)
    except TypeError:  # mixed kinds, times of day, periods, categories of intervals
        if any(map(_is_nested, _list(column))):
            raise
    cells = [None if is_missing_cell(cell) else cell for cell in _list(column)]
    strings = object_array([c if c is None else as_strings([c])[0] for c in cells])
    return _read_table(strings[:, np.newaxis], strings.dtype, name)


def _read_table(column, dtype, name):
    table = read_table(column, [name])
    labels = table.labels(0)
    if labels is None:
        return Cells(table.column(0), _holds(column, dtype), 0 in table.declared)
    is_declared = 0 in table.declared or str(dtype).startswith("Categorical")
    is_declared |= labels.kind not in ("str", "nothing")
    return Cells(labels, STRINGS, is_declared)


def _holds(column, dtype):
    """Return whether a column of floats holds numbers, dates or durations."""
    kind, name = getattr(dtype, "kind", ""), str(dtype).lower()
    if kind == "O" or name == "object":
        first = next((c for c in _list(column) if not is_missing_cell(c)), 0.0)
        name = type(first).__name__.lower()  # datetime64, Timestamp, timedelta
    if kind == "m" or name.startswith(("duration", "timedelta")):
        return DURATIONS
    is_date = kind == "M" or name.startswith(("date", "timestamp"))
    return DATES if is_date else NUMBERS


def _has_codes(column, dtype):
    """Return whether a column has integers, or mostly floats, that are codes."""
    kind, name = getattr(dtype, "kind", ""), str(dtype).lower()
    if name.startswith(("object", "decimal")):
        return any(
            isinstance(cell, int | np.integer | Decimal)
            and cell == cell
            and abs(cell) >= MIN_CODE
            for cell in _list(column)
        )
    if name.startswith(("int", "uint")) or kind in ("i", "u"):
        cells = column.iloc[:, 0] if is_pandas(column) else column[:, 0]
        low, high = cells.min(), cells.max()  # None or NA if all are missing
        return not is_missing_cell(low) and max(int(high), -int(low)) >= MIN_CODE
    if not (name.startswith("float") or kind == "f"):
        return False
    cells = np.asarray(column, dtype=float)
    known = cells[np.isfinite(cells)]
    are_codes = (known >= MIN_CODE) & (known < 2**63) & (known == np.floor(known))
    return len(known) > 0 and 2 * are_codes.sum() > len(known)


def _list(column):
    if is_pandas(column):
        return column.iloc[:, 0].tolist()
    return column[:, 0].to_list() if is_frame(column) else column[:, 0].tolist()


def _is_nested(cell):
    return isinstance(cell, list | tuple | dict | set | np.ndarray | complex)


def as_strings(values):
    """Return cells as strings; whole numbers without a decimal point."""
    return [value if isinstance(value, str) else _string(value) for value in values]


def _string(value):
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | np.number
    ):
        return str(value)
    is_whole = isinstance(value, int | np.integer) or value == value // 1
    return str(int(value)) if is_whole else f"{value:.15g}"


def is_bool(cells):
    """Return whether a column holds booleans by its type."""
    return cells.holds == STRINGS and cells.cells.kind == "bool"


def labels_of(cells):
    """Return Cells as Labels, numbers too."""
    if cells.holds == STRINGS:
        return cells.cells
    values, codes = np.unique(cells.cells, return_inverse=True)
    codes = np.where(np.isnan(cells.cells), -1, codes).astype(np.int32)
    return Labels(object_array(values[~np.isnan(values)].tolist()), codes)


def distinct_strings(cells):
    """Return the distinct strings of the known cells, stripped, and their counts."""
    labels = labels_of(cells)
    n_cells = np.bincount(labels.codes + 1, minlength=len(labels.categories) + 1)[1:]
    counts = Counter()
    for string, n in zip(as_strings(labels.categories), n_cells.tolist()):
        if n:
            counts[string.strip()] += n
    for word in missing_words(counts) & counts.keys():
        del counts[word]
    return list(counts), np.array(list(counts.values()), dtype=float)


def missing_words(strings):
    """Return the words that stand for missing cells in a column of strings."""
    return MISSING_WORDS if "+" in strings else MISSING_WORDS | DASHES


def read_cells(cells, learned):
    """Return the cells as floats by a format, and {string: count} of unread cells."""
    if cells.holds != STRINGS:
        numbers = learned.convert(cells.cells, cells.holds)
        odd = np.flatnonzero(np.isnan(numbers) & ~np.isnan(cells.cells))
        if len(odd) == 0:
            return numbers, {}
        return numbers, {f"{cells.holds}: {cells.cells[odd[0]]:.15g}": len(odd)}
    labels = cells.cells
    if is_bool(cells):
        return _decode(labels.categories.astype(float), labels), {}
    strings = as_strings(labels.categories)
    values = learned.parse(strings)
    n_cells = np.bincount(labels.codes + 1, minlength=len(strings) + 1)[1:]
    odd = np.flatnonzero(np.isnan(values) & (n_cells > 0)).tolist()
    unread = {strings[k]: int(n_cells[k]) for k in odd if not is_marker(strings[k])}
    return _decode(values, labels), unread


def _decode(values, labels):
    return np.append(values, np.nan)[labels.codes]


def is_marker(string):
    """Return whether a string stands for a missing number or date."""
    word = string.strip()
    return (
        word in MISSING_WORDS
        or word in DASHES
        or word.lower() in MISSING_AMONG_NUMBERS
        or is_date_marker(word)
    )


def is_missing(column):
    """Return a mask of the missing cells of a column."""
    # Only NaN differs from itself, in float and in object columns alike.
    return column != column


def make_frame(like, columns, names):
    """Return columns as a frame of the package of `like`, or as an array."""
    # like: what the columns were computed from; columns: floats or objects, (n_rows,).
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(like, pandas.DataFrame):
        return pandas.DataFrame(dict(zip(names, columns)), index=like.index)
    if polars is not None and isinstance(like, polars.DataFrame):
        known = [_none_for_nan(c) if c.dtype == object else c for c in columns]
        return polars.DataFrame(dict(zip(names, known)))
    return as_matrix(columns)


def _none_for_nan(column):
    return [cell if cell == cell else None for cell in column]
