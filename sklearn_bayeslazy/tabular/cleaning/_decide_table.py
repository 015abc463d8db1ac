"""Decides on the columns of a whole table and on its target; checks what is given."""

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

from ..._core._arrays import check_any_targets
from .._labelled_rows import encode_classes
from .._labels import object_array
from .._read import read_table
from ._cells import read_columns
from ._decide_column import KINDS, decide, decide_target
from ._words import MISSING_WORDS


def read_target(frame, name):
    """Return the :class:`Decision` on the column to predict, and its cells as read."""
    # Floats if it is of numbers, strings if of labels; NaN where it is not known.
    (cells,) = read_columns(frame, [name])
    return decide_target(cells, name)


def decide_columns(X, names, given):
    """Return the :class:`Decision` on each column, without an error if all are dropped.

    Parameters
    ----------
    X : ndarray or frame of shape (n_samples, n_features)
    names : list of str
        Names of the columns, which may mark an id.
    given : dict of {int: str}
        The kinds of some columns, by index.

    Returns
    -------
    decisions : list of Decision
    """
    columns = zip(read_columns(X, names), names)
    return [
        decide(cells, name, given.get(j))[0] for j, (cells, name) in enumerate(columns)
    ]


# Joins the text of a row into one document.


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


# Checks of the kinds and the targets that TableCleaner is given.


# More distinct whole numbers are counts or amounts, not classes.
MAX_NUMERIC_CLASSES = 100


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


def check_targets(X, y, target_type):
    """Return the targets: classes, or floats; None without y or for several outputs."""
    # y: (n_rows,), (n_rows, n_outputs) or None; target_type: "auto", "classes" or
    # "continuous".
    if y is None:
        return None
    y = check_any_targets(y)
    check_consistent_length(X, y)
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
