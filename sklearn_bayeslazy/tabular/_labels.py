"""Columns of labels: strings, categories and booleans as sorted codes.

Columns of dates and durations become numbers of days.
"""

import datetime
import numbers
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MISSING = -1
# float64 represents every integer below this one exactly.
EXACT_INTEGER_LIMIT = 2.0**53
# Converts a label of each kind from a subclass to the plain type.
_TO_PLAIN_TYPE = {
    "str": str.__str__,
    "bytes": bytes,
    "bool": bool,
    "number": lambda x: x,
}


@dataclass
class Labels:
    """A column of labels: the sorted distinct labels, and the index of each cell's."""

    categories: np.ndarray
    codes: np.ndarray  # int32, MISSING where there is no label

    @property
    def kind(self):
        """The kind of the labels; see :func:`kind_of`."""
        return kind_of(self.categories)


def kind_of(categories):
    """Return the kind of labels: "str", "bytes", "bool", "number" or "nothing"."""
    if not len(categories):
        return "nothing"
    for kind in (str, bytes, bool):
        if isinstance(categories[0], kind):
            return kind.__name__
    return "number"


def factorize(cells, name="y"):
    """Read a one-dimensional sequence of Python objects into Labels or numbers."""
    # Dates and durations become numbers of days. Each distinct object is inspected
    # once, so a million strings cost a million dictionary look-ups and no sort of all
    # cells.
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:
        nested = next(cell for cell in cells if not _is_hashable(cell))
        raise unreadable(name, nested) from None
    kinds = {key: _kind(key, name) for key in distinct}
    present = set(kinds.values()) - {"missing"}
    if present <= {"bool", "number"} and len(present) == 1 and _has_both(cells):
        present = {"number"}
    if not present:
        # All cells are missing: the kind is unknown, and any label may come later.
        return Labels(np.empty(0, object), np.full(len(cells), MISSING, np.int32))
    are_times = present in ({"date"}, {"duration"})
    if are_times or (present <= {"number", "bool"} and "number" in present):
        read = _days if are_times else _float
        value = {
            key: np.nan if kinds[key] == "missing" else read(key, name)
            for key in distinct
        }
        return np.fromiter(map(value.__getitem__, cells), np.float64, len(cells))
    categories, code_of = _sorted_labels(distinct, kinds, name)
    codes = np.fromiter(map(code_of.__getitem__, cells), np.int32, len(cells))
    return Labels(categories, codes)


def missing_cells(cells):
    """Return whether each cell is missing, of what `factorize` has returned.

    >>> missing_cells(factorize(["a", None])), missing_cells(factorize([1.0, np.nan]))
    (array([False,  True]), array([False,  True]))
    """
    return cells.codes == MISSING if isinstance(cells, Labels) else np.isnan(cells)


def recode(values, codes, name):
    """Turn codes into distinct values, in any order, into sorted Labels."""
    # codes: (n,), indices of `values`, -1 for missing. Values without a code are
    # dropped. Numbers are labels here too.
    shifted = np.add(codes, 1, dtype=np.int64)  # -1 becomes 0
    used = np.flatnonzero(np.bincount(shifted, minlength=1)[1:])
    values = [values[k] for k in used]
    kinds = {value: _kind(value, name) for value in values}
    categories, code_of = _sorted_labels(values, kinds, name)
    new_code = np.full(used[-1] + 2 if len(used) else 1, MISSING, dtype=np.int32)
    new_code[used] = [code_of[value] for value in values]
    return Labels(categories, new_code[codes])  # code -1 indexes MISSING at the end


def _sorted_labels(values, kinds, name):
    """Return the sorted labels among distinct values, and the code of each value."""
    present = set(kinds.values()) - {"missing"}
    if len(present) > 1:
        raise TypeError(
            f"Column {name!r} mixes cells of the kinds {sorted(present)}: convert it "
            "to one kind, for instance to strings."
        )
    known = sorted(value for value in values if kinds[value] != "missing")
    if present & {"date", "duration"}:
        raise unreadable(name, known[0])
    code_of = dict.fromkeys(values, MISSING)
    code_of.update(zip(known, range(len(known))))
    return _plain(known, present, name), code_of


def sorted_values(values, name):
    """Return the declared values of a column sorted; refuse what cannot be a label.

    >>> sorted_values(["s", "r", "fog"], "weather")
    array(['fog', 'r', 's'], dtype=object)
    """
    kinds = {_kind(value, name) for value in values}
    if "missing" in kinds:
        raise ValueError(
            f"The declared categories of column {name!r} include a missing value: drop "
            "it, because a missing cell has no category."
        )
    if len(kinds) > 1:
        raise TypeError(
            f"The declared categories of column {name!r} are of the kinds "
            f"{sorted(kinds)}: convert them to one kind, or drop those that no cell "
            "holds."
        )
    values = sorted(values)
    if kinds & {"date", "duration"}:
        raise unreadable(name, values[0])
    if repeated := [a for a, b in pairwise(values) if a == b]:
        raise ValueError(
            f"The declared categories of column {name!r} list {repeated[0]!r} twice: "
            "list each value once."
        )
    return _plain(values, kinds, name)


def _plain(values, kinds, name):
    """Return sorted labels of at most one kind as objects of the plain type."""
    if kinds == {"number"} and max(-values[0], values[-1]) >= EXACT_INTEGER_LIMIT:
        raise huge_numbers(name)
    convert = [_TO_PLAIN_TYPE[kind] for kind in kinds] or [None]
    return object_array([convert[0](value) for value in values])


def _has_both(cells):
    """Return whether there are both booleans and numbers."""
    # A dictionary does not distinguish them, because True == 1.
    types = set(map(type, cells))
    booleans = {kind for kind in types if issubclass(kind, bool | np.bool_)}
    numeric = {kind for kind in types if issubclass(kind, numbers.Real)} - booleans
    if not booleans or not numeric:
        return False
    return any(type(cell) in numeric and cell == cell for cell in cells)  # no NaN


def _float(cell, name):
    try:
        return float(cell)
    except OverflowError:
        raise ValueError(
            f"Column {name!r} holds an integer too large for float64: {str(cell)[:20]}"
            "... Rescale the column, or convert it to strings."
        ) from None


def read_days(cells, name):
    """Return an array of dates or durations as numbers of days."""
    try:
        return days_of_array(cells)
    except TypeError:  # months and years differ in length
        raise unreadable(name, cells[0]) from None


def _days(cell, name):
    try:
        return days_of_object(cell)
    except TypeError:
        raise unreadable(name, cell) from None


def huge_numbers(name):
    """Return the error of categories that float64 cannot represent exactly."""
    return ValueError(
        f"Column {name!r} is categorical and holds numbers of {EXACT_INTEGER_LIMIT:g} "
        "and more, which float64 cannot represent exactly: convert it to strings."
    )


def _kind(cell, name):
    """Return the kind of a cell, or refuse it."""
    # Kinds: "missing", "number", "bool", "str", "bytes", "date" and "duration".
    if isinstance(cell, str):  # the most frequent
        return "str"
    if cell is None or type(cell).__name__ == "NAType":
        return "missing"
    if isinstance(cell, bool | np.bool_):
        return "bool"
    if isinstance(cell, bytes):
        return "bytes"
    if kind := kind_of_date(cell):  # first, because a timedelta64 is an Integral too
        return kind
    if isinstance(cell, numbers.Real) or type(cell).__name__ == "Decimal":
        return "missing" if cell != cell else "number"
    if isinstance(cell, numbers.Complex):
        raise complex_data(name)
    raise unreadable(name, cell)


def unreadable(name, cell):
    """Return the error of a cell that is neither a label nor a number."""
    if isinstance(cell, datetime.time) or type(cell).__name__ == "Period":
        advice = "times of day and periods must be converted to dates or numbers first"
    elif kind_of_date(cell):
        advice = (
            "dates as categories, and durations of months or years, must be converted "
            "to dates, numbers or strings first"
        )
    else:
        advice = "nested objects must be unpacked into columns first"
    return TypeError(
        f"Column {name!r} holds a {type(cell).__name__} ({cell!r}): each cell of it "
        f"as an argument must be a string, a number or a date; {advice}."
    )


def complex_data(name):
    """Return the error of complex numbers, worded as scikit-learn checks it."""
    return ValueError(f"Complex data not supported: column {name!r} holds it.")


def _is_hashable(cell):
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def object_array(values):
    """Return a one-dimensional object array, also of sequences or arrays."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def drop_unused(labels):
    """Return the same column with only the categories that occur in it."""
    used = np.zeros(len(labels.categories) + 1, dtype=bool)
    used[labels.codes] = True
    used = used[:-1]  # the last entry was MISSING's
    if used.all():
        return labels
    new_code = np.append(np.cumsum(used) - 1, MISSING).astype(np.int32)
    return Labels(labels.categories[used], new_code[labels.codes])


# Dates, date-times and durations as numbers of days.
#
# A date-time is the number of days since 1970-01-01 00:00 UTC, with fractions. One
# without a time zone counts as UTC. The whole days and the fraction are added last, so
# that all sources give the same floats.


_DAY = datetime.timedelta(days=1)
_EPOCH = datetime.datetime(1970, 1, 1)


def days_of_array(cells):
    """Return datetime64 or timedelta64 cells as float64 days, NaN for NaT.

    >>> days_of_array(np.array(["1970-01-02T12", "NaT"], "M8[s]"))
    array([1.5, nan])
    >>> days_of_array(np.array([36], "m8[h]"))
    array([1.5])
    """
    # A TypeError for durations in months and years, which differ in length.
    if cells.dtype.kind == "M":
        cells = cells - np.datetime64("1970-01-01", "D")
    one_day = np.timedelta64(1, "D")
    with np.errstate(invalid="ignore"):
        whole, rest = np.divmod(cells, one_day)
    return whole + rest / one_day


def days_of_object(cell):
    """Return a date, date-time or duration as a number of days.

    >>> days_of_object(datetime.date(1970, 1, 11))
    10.0
    >>> days_of_object(datetime.timedelta(hours=6))
    0.25
    """
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return float(days_of_array(np.array([cell]))[0])
    if isinstance(cell, datetime.datetime):
        if cell.tzinfo is not None:
            cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
        cell = cell - _EPOCH
    elif isinstance(cell, datetime.date):
        return float(cell.toordinal() - _EPOCH.toordinal())
    whole, rest = divmod(cell, _DAY)
    return whole + rest / _DAY


def kind_of_date(cell):
    """Return "date", "duration" or "missing" for a cell of time, None for others."""
    if type(cell).__name__ == "NaTType":
        return "missing"
    if isinstance(cell, datetime.date | np.datetime64):
        return "missing" if cell != cell else "date"
    if isinstance(cell, datetime.timedelta | np.timedelta64):
        return "missing" if cell != cell else "duration"
    return None
