"""Joins the text of a row into one document."""

import numpy as np

from .._labels import object_array
from .._read import read_table
from ._cells import MISSING_WORDS


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
