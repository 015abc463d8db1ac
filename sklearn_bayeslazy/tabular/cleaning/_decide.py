"""Decides what each column of a table is, checks what is given, selects columns."""

import numpy as np
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import type_of_target

from .._labelled_rows import encode_classes
from .._labels import Labels, object_array
from .._read import read_table
from ._cells import MISSING_WORDS, date_columns, parse_dates, parse_numbers
from ._columns import days_of, distinct_strings
from ._kinds import (
    CATEGORY,
    DATE,
    DATETIME,
    DROP,
    KINDS,
    NUMBER,
    Decision,
    date_decision,
    decide_number,
    decide_strings,
)


def decide_columns(X, names, given):
    """Return the :class:`Decision` on each column, without an error if all are dropped.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    names : list of str
        Names of the columns, which may mark an id.
    given : dict of {int: str}
        The kinds of some columns, by index.

    Returns
    -------
    decisions : list of Decision
    """
    return decide_all(X, read_table(X, names), given)


def decide_all(X, table, given):
    are_dates = date_columns(X)
    return [
        _as_given(table, j, given[label])
        if label in given
        else _decide(table, j, are_dates[j])
        for j, label in enumerate(table.labels_of_columns)
    ]


def _as_given(table, j, kind):
    if kind in (NUMBER, DATE, DATETIME):
        check_readable(cells_of(table, j), kind, table.names[j])
    return Decision(kind, "as given")


def cells_of(table, j):
    labels = table.labels(j)
    return table.column(j) if labels is None else labels


def _decide(table, j, is_date):
    cells = cells_of(table, j)
    if is_date:
        return date_decision(cells, "")
    if not isinstance(cells, Labels):
        return decide_number(cells, table.names[j])
    decision = decide_strings(*distinct_strings(cells), table.n_rows, table.names[j])
    is_declared = cells.kind not in ("str", "nothing") or j in table.declared
    if is_declared and decision.kind != DROP:
        return Decision(CATEGORY)
    return decision


# Joins the text of a row into one document.


def is_missing(column):
    """Return a mask of the missing cells of a column."""
    # Only NaN differs from itself, in float and in object columns alike.
    return column != column


def join_documents(X, columns):
    r"""Join the strings of some columns into one document a row.

    With :class:`sklearn.preprocessing.FunctionTransformer` it is the first step of a
    pipeline that reads only free text.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
    columns : list of str or int
        Names, or indices where X has no names.

    Returns
    -------
    documents : object ndarray of shape (n_samples,)
        The known cells of each row, one a line; "" for a row without known cells.

    Examples
    --------
    >>> join_documents(np.array([["hi", 1, "you"], [None, 2, "me"]], object), [0, 2])
    array(['hi\nyou', 'me'], dtype=object)
    """
    table = read_table(X)
    texts = []
    for column in columns:
        cells = table.labels(table.labels_of_columns.index(column))
        values = [] if cells is None else [str(value) for value in cells.categories]
        known = ["" if text.strip() in MISSING_WORDS else text for text in values]
        codes = np.full(table.n_rows, -1) if cells is None else cells.codes
        texts.append(object_array([*known, ""])[codes])
    return object_array(["\n".join(filter(None, row)) for row in zip(*texts)])


# Selects the columns of a cleaned table by kind, for a ColumnTransformer.


def number_columns(X):
    """Return the indices of the columns of numbers.

    For :class:`sklearn.compose.ColumnTransformer`, which calls it at `fit`.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        What :class:`TableCleaner` returns.

    Returns
    -------
    indices : list of int
    """
    return np.flatnonzero(~_are_labels(X)).tolist()


def category_columns(X):
    """Return the indices of the columns that are not numbers, see `number_columns`.

    A column of objects without a known cell is among them: the rows to predict may
    have any value there, and encoders of categories accept all.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)

    Returns
    -------
    indices : list of int
    """
    return np.flatnonzero(_are_labels(X)).tolist()


def _are_labels(X):
    if isinstance(X, np.ndarray) and X.dtype.kind in "iuf":
        return np.zeros(X.shape[1], dtype=bool)
    table = read_table(X)
    labels = [table.labels(j) for j in range(table.n_columns)]
    return np.array([one is not None for one in labels], dtype=bool)


# Checks of the kinds and the targets that TableCleaner is given.


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
