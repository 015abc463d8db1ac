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


def join_documents(cells):
    """Join the strings of each row into one document.

    Parameters
    ----------
    cells : object array of shape (n_rows, n_columns)
        Strings; a missing cell is NaN.

    Returns
    -------
    documents : object array of shape (n_rows,)
        The known cells of each row, one a line; "" for a row without known cells.
    """
    documents = np.empty(len(cells), dtype=object)
    documents[:] = [
        "\n".join(cell for cell in row if cell == cell) for row in cells.tolist()
    ]
    return documents
