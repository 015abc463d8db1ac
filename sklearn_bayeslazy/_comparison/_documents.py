"""Tells free text from names, codes and dates, and joins it into documents.

A column of strings reads as text where its cells are sentences rather than labels: most
of them distinct, several words long, and not all of one length. Names ("Smith, John"),
ids, codes, paths and dates have few words with letters; a category has few distinct
values, however long; a date spelt out has many words, but as many in every cell. A
language that puts no blanks between its words is not recognised.
"""

import re

import numpy as np

# Of the cells that are known, at least so many; fewer show nothing.
MIN_TEXTS = 10
# Canned answers repeat in texts too, but not in most cells.
MIN_DISTINCT_SHARE = 0.5
# On average. A person's name with titles and all forenames has four, a question eight.
MIN_WORDS = 5
# Initials, numbers and signs are no words.
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")


def is_missing(column):
    """Return where a column is missing."""
    # Only NaN differs from itself, in float and in object columns alike.
    return column != column


def reads_as_text(column):
    """Tell whether a column is free text.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        Numbers, or strings in an object array, where a missing cell is NaN.
    """
    if column.dtype != object:
        return False
    cells = column[~is_missing(column)].tolist()
    if len(cells) < MIN_TEXTS or len(set(cells)) < MIN_DISTINCT_SHARE * len(cells):
        return False
    words = [count_words(cell) for cell in cells]
    return len(set(words)) > 1 and sum(words) >= MIN_WORDS * len(words)


def count_words(cell):
    """Return how many pieces between blanks hold two letters side by side."""
    return sum(TWO_LETTERS.search(piece) is not None for piece in cell.split())


def join_documents(cells):
    """Return one document a row.

    Parameters
    ----------
    cells : object array of shape (n_rows, n_columns)
        Strings; a missing cell is NaN.

    Returns
    -------
    documents : object array of shape (n_rows,)
        The known cells of each row, a line each: a row without any is empty.
    """
    documents = np.empty(len(cells), dtype=object)
    documents[:] = [
        "\n".join(cell for cell in row if cell == cell) for row in cells.tolist()
    ]
    return documents
