"""Columns of labels: strings, categories and booleans as sorted codes."""

import datetime
import numbers
from dataclasses import dataclass

import numpy as np

MISSING = -1


@dataclass
class Labels:
    """A column of labels: the sorted distinct labels, and the place of each cell's."""

    categories: np.ndarray
    codes: np.ndarray  # int32, MISSING where there is no label

    @property
    def kind(self):
        """What the labels are; see :func:`kind_of`."""
        return kind_of(self.categories)


def kind_of(categories):
    """Return what labels are, for messages: "str", "bool", "number" or "nothing"."""
    if not len(categories):
        return "nothing"
    name = type(categories[0]).__name__
    return name if name in ("str", "bytes", "bool") else "number"


def factorize(cells, name="y"):
    """Read a one-dimensional sequence of Python objects into Labels or numbers.

    Each distinct object is looked at once, so a million strings cost a million
    dictionary look-ups and no sort.
    """
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:
        nested = next(cell for cell in cells if not _is_hashable(cell))
        raise unreadable(name, nested) from None
    kinds = {key: _kind(key, name) for key in distinct}
    present = set(kinds.values()) - {"missing"}
    if present <= {"number"} or (present == {"number", "bool"}):
        if not present:
            # No cell tells what the column would hold; any label may come later.
            return Labels(np.empty(0, object), np.full(len(cells), MISSING, np.int32))
        value = {k: np.nan if kinds[k] == "missing" else float(k) for k in distinct}
        return np.fromiter(map(value.__getitem__, cells), np.float64, len(cells))
    if len(present) > 1:
        raise TypeError(
            f"Column {name!r} mixes cells of the kinds {sorted(present)}: convert it "
            "to one kind, for instance to strings."
        )
    categories = sorted(key for key in distinct if kinds[key] != "missing")
    if present == {"bool"}:
        categories = [bool(key) for key in categories]
    code = dict.fromkeys(distinct, MISSING)
    code.update(zip(categories, range(len(categories))))
    codes = np.fromiter(map(code.__getitem__, cells), np.int32, len(cells))
    return Labels(object_array(categories), codes)


def _kind(cell, name):
    """Return "missing", "number", "bool", "str" or "bytes"; refuse anything else."""
    if cell is None or type(cell).__name__ == "NAType":
        return "missing"
    if isinstance(cell, bool | np.bool_):
        return "bool"
    if isinstance(cell, str):
        return "str"
    if isinstance(cell, bytes):
        return "bytes"
    if isinstance(cell, numbers.Real) or type(cell).__name__ == "Decimal":
        return "missing" if cell != cell else "number"
    if isinstance(cell, numbers.Complex):
        raise ValueError(f"Complex data not supported: column {name!r} holds {cell!r}.")
    raise unreadable(name, cell)


def unreadable(name, cell):
    """Return the error of a cell that is neither a label nor a number."""
    if isinstance(cell, datetime.date | datetime.timedelta | datetime.time) or (
        type(cell).__name__ in ("datetime64", "timedelta64", "NaTType", "Period")
    ):
        mend = "dates and durations must be converted to numbers or strings first"
    else:
        mend = "nested objects must be unpacked into columns first"
    return TypeError(
        f"Column {name!r} holds a {type(cell).__name__} ({cell!r}): each cell of it "
        f"as an argument must be a string or a number; {mend}."
    )


def _is_hashable(cell):
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def object_array(values):
    """Return a one-dimensional array of the objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def recode(categories, codes):
    """Turn codes into distinct values, in any order, into sorted Labels.

    `categories` is what :func:`factorize` made of the distinct values: its codes say
    where each stands among the sorted.
    """
    if not isinstance(categories, Labels):  # distinct numbers: categories of numbers
        distinct, place = np.unique(categories, return_inverse=True)
        whole = [int(x) if x.is_integer() else x for x in distinct.tolist()]
        categories = Labels(object_array(whole), place.astype(np.int32))
    table = np.append(categories.codes, MISSING).astype(np.int32)
    return drop_unused(Labels(categories.categories, table[codes]))


def drop_unused(labels):
    """Return the same column with only the categories that occur in it."""
    used = np.zeros(len(labels.categories) + 1, dtype=bool)
    used[labels.codes] = True
    used = used[:-1]  # the last place was MISSING's
    if used.all():
        return labels
    new_code = np.append(np.cumsum(used) - 1, MISSING).astype(np.int32)
    return Labels(labels.categories[used], new_code[labels.codes])
