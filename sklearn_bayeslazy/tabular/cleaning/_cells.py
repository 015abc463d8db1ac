"""Reads columns of any container as numbers or strings, and knows what is missing.

Columns that estimators refuse, since a label or number would be lost, are read as
strings here: cells of mixed kinds, times of day, periods, and integers that float64
does not hold exactly.
"""

import re
import sys
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from .._frames import (
    as_matrix,
    is_frame,
    is_missing_cell,
    is_pandas,
    take_columns,
)
from .._labels import Labels, object_array
from .._read import read_table
from ._dates import is_date_marker
from ._numbers import DATES, DURATIONS, NUMBERS, STRINGS
from ._words import DASHES, MISSING_AMONG_NUMBERS, MISSING_WORDS

# Integers of sixteen digits and more are codes, and float64 does not hold them all.
MIN_CODE = 10**15
# Kinds of labels that the type of a column does not declare.
_UNDECLARED = ("str", "bytes", "nothing")
_NUMBER_OF_MIXED = re.compile(r"-?\d+\.\d+e0")
# Of Stata, Eurostat and others: ".a", ": z", "[x]".
_SIGNS_AND_LETTER = re.compile(r"[^\w\s+] ?[A-Za-z][^\w\s]?")
_N_TRIED = 200  # strings of a column
# No dates, such as 31.12.23.
_HAS_DECIMALS = re.compile(r"\D{0,4}(?:\d{1,3}(?:[.,' ]\d{3})*|\d+)([.,])\d\d?\D{0,12}")
_INTEGERS = int | np.integer | Decimal


class Cells(NamedTuple):
    """One column: floats with NaN, or Labels; what it holds, and whether by its dtype.

    `holds` is "numbers", "dates" or "durations", both in days, or "strings".
    """

    cells: object
    holds: str
    is_declared: bool = False  # the dtype is of categories or booleans
    decimal: str = ""  # the sign of decimals in the columns beside it, if they show one

    @property
    def is_bool(self):
        """Whether the dtype is of booleans."""
        return self.holds == STRINGS and self.cells.kind == "bool"

    def as_labels(self):
        """Return the cells as Labels, numbers and dates too."""
        if self.holds == STRINGS:
            return self.cells
        values, codes = np.unique(self.cells, return_inverse=True)
        codes = np.where(np.isnan(self.cells), -1, codes).astype(np.int32)
        values = values[~np.isnan(values)].tolist()
        if self.holds == DATES:
            values = iso_dates(np.array(values, dtype=float))
        elif self.holds == DURATIONS:
            values = [str(timedelta(days=value)) for value in values]
        return Labels(object_array(values), codes)

    def distinct_strings(self):
        """Return the distinct strings of known cells, stripped, and their counts."""
        labels, counts = self.as_labels(), Counter()
        strings = as_strings(labels.categories)
        for string, n in zip(strings, _n_cells(labels).tolist()):
            if n:
                counts[string.strip()] += n
        for word in missing_words(counts) & counts.keys():
            del counts[word]
        return list(counts), np.array(list(counts.values()), dtype=float)

    def read(self, learned):
        """Return the cells as floats by a format, and {string: count} of unread."""
        if self.holds != STRINGS:
            numbers = learned.convert(self.cells, self.holds)
            return numbers, unread_numbers(self.cells, numbers, self.holds)
        labels = self.cells
        strings = as_strings(labels.categories)
        values = labels.categories if self.is_bool else learned.parse(strings)
        numbers, n_cells = values.astype(float), _n_cells(labels)
        odd = np.flatnonzero(np.isnan(numbers) & (n_cells > 0)).tolist()
        unread = {strings[k].strip(): int(n_cells[k]) for k in odd}
        for word in (MISSING_WORDS | DASHES) & unread.keys():
            del unread[word]
        return np.append(numbers, np.nan)[labels.codes], unread


def _n_cells(labels):
    """Return the number of cells of each category."""
    return np.bincount(labels.codes + 1, minlength=len(labels.categories) + 1)[1:]


def read_columns(X, names):
    """Return the :class:`Cells` of each column of a frame or an array."""
    columns = _read_columns(X, names)
    decimal = usual_decimal(columns)
    return [cells._replace(decimal=decimal) for cells in columns]


def usual_decimal(columns):
    """Return the sign before one or two decimals in strings, "" if there is not one."""
    signs = set()
    for cells in columns:
        if cells.holds == STRINGS and cells.cells.kind == "str":
            strings = cells.cells.categories
            some = strings[:: len(strings) // _N_TRIED + 1]
            found = Counter(m[1] for m in map(_HAS_DECIMALS.fullmatch, some) if m)
            signs |= {sign for sign, n in found.items() if 5 * n > len(some)}
    return signs.pop() if len(signs) == 1 else ""


def _read_columns(X, names):
    """Return the :class:`Cells` of each column by itself."""
    try:
        table = read_table(X, names)
    except TypeError:  # mixed kinds, times of day, periods
        if len(names) == 1:
            return [_read_strings(X, 0, names[0])]
        columns = [take_columns(X, [j]) for j in range(len(names))]
        return [_read_columns(one, [name])[0] for one, name in zip(columns, names)]
    dtypes = list(X.dtypes) if is_frame(X) else [X.dtype] * len(names)
    return [_read_column(table, X, j, str(dtype)) for j, dtype in enumerate(dtypes)]


def _read_column(table, X, j, dtype):
    labels = table.labels(j)
    if labels is not None:
        is_declared = j in table.declared or dtype.startswith("Categorical")
        return Cells(labels, STRINGS, is_declared or labels.kind not in _UNDECLARED)
    cells = Cells(table.column(j), _holds(X, j, dtype.lower()))
    if cells.holds == NUMBERS and _are_codes(cells.cells, X, j):
        return _read_strings(X, j, table.names[j])
    return cells


def _read_strings(X, j, name):
    """Return a column with all cells as strings; an error for nested cells."""
    known = [None if is_missing_cell(cell) else cell for cell in _list(X, j)]
    if not any(map(_is_nested, known)):
        known = [cell if cell is None else string_of_mixed(cell) for cell in known]
    table = read_table(object_array(known)[:, np.newaxis], [name])
    return Cells(table.labels(0), STRINGS)


def _holds(X, j, dtype):
    """Return whether a column of floats holds numbers, dates or durations."""
    if dtype == "object" or dtype.startswith("object("):
        first = next((c for c in _list(X, j) if not is_missing_cell(c)), None)
        dtype = type(first).__name__.lower()
    if dtype.startswith(("duration", "timedelta")):
        return DURATIONS
    return DATES if dtype.startswith(("date", "timestamp")) else NUMBERS


def _are_codes(numbers, X, j):
    """Return whether a column has integers, or mostly floats, that are codes."""
    sizes = np.abs(numbers)
    if not (sizes >= MIN_CODE).any():
        return False
    if all(is_missing_cell(c) or isinstance(c, _INTEGERS) for c in _list(X, j)):
        return True
    known = sizes[~np.isnan(sizes)]
    are_codes = (known >= MIN_CODE) & (known < 2**63) & (known == np.floor(known))
    return 2 * are_codes.sum() > len(known)


def _list(X, j):
    if is_pandas(X):
        return X.iloc[:, j].tolist()
    return X[:, j].to_list() if is_frame(X) else X[:, j].tolist()


def _is_nested(cell):
    return isinstance(cell, list | tuple | dict | set | np.ndarray | complex)


def as_strings(values):
    """Return cells as strings; whole numbers without a decimal point."""
    return [value if isinstance(value, str) else _string(value) for value in values]


def string_of_mixed(cell):
    """Return a cell of a column of several types as a string."""
    if isinstance(cell, float | np.floating | Decimal) and cell % 1:
        # 1.234 beside "1,5" is no thousand: an exponent has no separators before it.
        string = repr(float(cell))
        return string + "e0" if string[-1].isdecimal() and "e" not in string else string
    if isinstance(cell, np.datetime64 | np.timedelta64):
        cell = cell.astype(f"{cell.dtype.kind}8[us]").item()
    if isinstance(cell, timedelta):  # pandas writes its own otherwise
        return str(timedelta(seconds=cell.total_seconds()))
    if isinstance(cell, datetime):  # as in a column of dates
        cell = cell.astimezone(UTC).replace(tzinfo=None) if cell.tzinfo else cell
        cell = cell.date() if cell.time() == time() else cell
    return cell.isoformat() if hasattr(cell, "isoformat") else as_strings([cell])[0]


def label_of(string):
    """Return a string as a label: that of a number among strings as of the number."""
    return f"{float(string):.15g}" if _NUMBER_OF_MIXED.fullmatch(string) else string


def _string(value):
    if isinstance(value, bytes):  # strings of Hive and Impala in parquet
        return value.decode(errors="replace")
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | np.number
    ):
        return str(value)
    is_whole = isinstance(value, int | np.integer) or value == value // 1
    return str(int(value)) if is_whole else f"{value:.15g}"


def iso_dates(days):
    """Return days since 1970 as strings, without a time where it is midnight."""
    moments = np.round(days * 86_400e6).astype("datetime64[us]")
    strings = moments.astype(str)
    for unit in "sD":
        whole = moments.astype(f"datetime64[{unit}]")
        strings = np.where(whole == moments, whole.astype(str), strings)
    return strings.tolist()


def missing_words(strings):
    """Return the words that stand for missing cells in a column of strings."""
    return MISSING_WORDS if "+" in strings else MISSING_WORDS | DASHES


def unread_numbers(cells, numbers, holds):
    """Return {string: count} of typed cells that are not known when converted."""
    is_odd = np.isnan(numbers) & ~np.isnan(cells)
    odd, n_cells = np.unique(cells[is_odd], return_counts=True)
    days = odd.astype("datetime64[D]") if holds == DATES else []
    strings = list(map(str, days)) or [f"{number:.15g}" for number in odd]
    return dict(zip(strings, n_cells.tolist()))


def is_sign(word):
    """Return whether a word is of signs alone, such as "..", but not "+"."""
    return "+" not in word and not any(map(str.isalnum, word))


def is_marker(word):
    """Return whether a word stands for a missing cell in a column of numbers."""
    words = {word.lower(), word.lower().strip("()[]<> ")}
    known = words & MISSING_AMONG_NUMBERS
    is_known = bool(known or _SIGNS_AND_LETTER.fullmatch(word))
    return is_sign(word) or is_known or is_date_marker(word)


def make_frame(like, columns, names):
    """Return columns as a frame of the package of `like`, or as an array."""
    # like: what the columns were computed from; columns: floats or objects, (n_rows,).
    if is_pandas(like):
        frame = sys.modules["pandas"].DataFrame
        return frame(dict(zip(names, columns)), index=like.index)
    if is_frame(like):
        known = [_none_for_nan(c) if c.dtype == object else c for c in columns]
        return sys.modules["polars"].DataFrame(dict(zip(names, known)))
    return as_matrix(columns)


def _none_for_nan(column):
    return [cell if cell == cell else None for cell in column]
