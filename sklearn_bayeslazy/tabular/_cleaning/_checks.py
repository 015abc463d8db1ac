"""Checks of the kinds and the targets that TableCleaner is given."""

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import type_of_target

from .._classes import encode_classes
from .._labels import Labels
from ._cells import parse_dates, parse_numbers
from ._columns import days_of, distinct_strings
from ._kinds import KINDS, NUMBER

# More distinct whole numbers are counts or amounts, not classes.
MAX_NUMERIC_CLASSES = 100
# Strings that are parsed at a time, until one of them can be.
_N_PARSED = 1000


def check_kinds(kinds, labels):
    """Return the given kinds; each column and kind must exist."""
    given = kinds or {}
    for column, kind in given.items():
        if column not in labels:
            raise ValueError(
                f"kinds names the column {column!r}, which X does not have. Its "
                f"columns are {', '.join(map(repr, labels[:8]))}"
                + (", ..." if len(labels) > 8 else ".")
            )
        if kind not in KINDS:
            raise ValueError(
                f"kinds[{column!r}] is {kind!r}; it must be one of "
                f"{', '.join(map(repr, KINDS))}."
            )
    return given


def check_readable(cells, kind, name):
    """Raise an error if cells of a column are known, but none is of its given kind."""
    # cells: Labels, or floats (n_rows,); kind: "number", "date" or "datetime".
    if isinstance(cells, Labels):
        if kind == NUMBER and cells.kind == "bool":
            return
        known = distinct_strings(cells)[0]
        parse = parse_numbers if kind == NUMBER else parse_dates
    else:
        known = cells[~np.isnan(cells)]
        parse = np.asarray if kind == NUMBER else days_of
    starts = range(0, len(known), _N_PARSED)
    some = (parse(known[start : start + _N_PARSED]) for start in starts)
    if len(known) == 0 or any(np.isfinite(one).any() for one in some):
        return
    advice = "" if kind == NUMBER else " Write dates as YYYY-MM-DD."
    raise ValueError(
        f"Column {name!r} is given as {kind!r}, but none of its cells can be read as "
        f"one, for example {str(known[0])!r:.40}.{advice}"
    )


def check_targets(table, y, target_type):
    """Return the targets: classes, or floats; None without y or for several outputs."""
    # y: (n_rows,), (n_rows, n_outputs) or None; target_type: "auto", "classes" or
    # "continuous".
    if y is None:
        return None
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(table, y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim > 1:
        return None
    if target_type == "continuous" or (target_type == "auto" and _is_continuous(y)):
        try:
            return y.astype(float)
        except ValueError as error:
            raise ValueError(
                f'target_type="continuous" needs numbers in y ({error}); for labels '
                'give target_type="classes".'
            ) from None
    if y.dtype.kind == "O":
        classes, codes = encode_classes(y)  # an error if a label is missing
        return classes.astype(str)[codes]
    if y.dtype.kind == "f":
        return y.astype(np.int64 if (y == np.floor(y)).all() else str)
    return y


def _is_continuous(y):
    with np.errstate(invalid="ignore"):  # of numbers that no integer can hold
        kind = type_of_target(y)
    if kind == "continuous":
        return True
    return y.dtype.kind in "iuf" and len(np.unique(y)) > MAX_NUMERIC_CLASSES
