"""Recognises columns of free text, and joins the text of a row into one document.

A column of strings is free text if its cells look like sentences: most of them are
distinct, they have several words, and not all have the same number of words. Names
("Smith, John"), identifiers, codes, paths and dates have few words with letters. A
category has few distinct values, however long they are. A date that is spelled out has
many words, but the same number in every cell. A language without spaces between words
is not recognised.
"""

import re

import numpy as np

from ..tabular import object_array, read_table
from ._cells import MISSING_WORDS

# A column with fewer known cells than this is too small to tell.
MIN_TEXTS = 10
# Standard answers may repeat in a text column, but not in most cells.
MIN_DISTINCT_SHARE = 0.5
# The mean over the cells. A person's full name with titles has about four words, a
# question eight.
MIN_MEAN_WORDS = 5
# A word has two letters side by side: initials, numbers and signs do not count.
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")


def is_missing(column):
    """Return a mask of the missing cells of a column."""
    # Only NaN differs from itself, in float and in object columns alike.
    return column != column


def is_free_text(column):
    """Return whether a column is free text.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        Numbers, or strings in an object array; a missing cell is NaN.
    """
    if column.dtype != object:
        return False
    cells = column[~is_missing(column)].tolist()
    if len(cells) < MIN_TEXTS or len(set(cells)) < MIN_DISTINCT_SHARE * len(cells):
        return False
    n_words = [count_words(cell) for cell in cells]
    return len(set(n_words)) > 1 and sum(n_words) >= MIN_MEAN_WORDS * len(n_words)


def count_words(cell):
    """Return the number of words: pieces between spaces that hold `TWO_LETTERS`."""
    return sum(TWO_LETTERS.search(piece) is not None for piece in cell.split())


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
