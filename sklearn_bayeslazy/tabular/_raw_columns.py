"""Recognises columns of a raw table that predict nothing as they are: ids, free text.

A column of strings is free text if its cells look like sentences: most of them are
distinct, or most distinct ones occur once, they have several words, and not all have
the same number of words. Names
("Smith, John"), identifiers, codes, paths and dates have few words with letters. A
category has few distinct values, however long they are. A date that is spelled out has
many words, but the same number in every cell. A language without spaces between words
is not recognised.
"""

import re
from collections import Counter

import numpy as np

from .._core._warnings import warn_caller
from ._frames import is_frame, take_rows

# A column with fewer known cells than this is too small to decide.
MIN_TEXTS = 10
# Standard answers may repeat in a text column. If more cells than this are repeats,
# most of at least `MIN_TEXTS` distinct texts occur once, or there are very many.
MIN_DISTINCT_SHARE = 0.5
MANY_TEXTS = 100
# The mean over the distinct cells. A person's full name with titles has about four
# words, a question eight.
MIN_MEAN_WORDS = 5
# A word has two letters side by side: initials, numbers and signs do not count.
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
# Fewer rows are too few to distinguish an id from a column that happens to be distinct.
MIN_ROWS_OF_AN_ID = 20
# Names and codes repeat now and then.
MIN_DISTINCT_SHARE_OF_AN_ID = 0.9
# Numbers that count the rows stay below this multiple of the number of rows, also in a
# random part of the table.
MAX_COUNTER_RANGE = 3
NAME_OF_AN_ID = re.compile(r"(?:^|[_\W])(?i:id|uuid|guid|key|index|no|nr)$|[a-z]I[dD]$")
# A batch, or a sample for a trial, has too few rows for a warning.
MIN_ROWS_FOR_A_WARNING = 100
MAX_TEXTS_READ = 2000
# Most columns repeat values within these rows; only the others are read as a whole.
MAX_ROWS_CHECKED_FIRST = 1000
MAX_NAMED_COLUMNS = 5
# Ensembles and cross-validation fit many estimators to the same columns.
_warned = set()
START_OF_A_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d")


def is_free_text(column):
    """Return whether a column is free text."""
    # column: (n_rows,), numbers, or strings in an object array; NaN for missing.
    if column.dtype != object:
        return False
    cells = column[column == column].tolist()  # only NaN differs from itself
    counts = Counter(cells)
    if len(counts) < min(MIN_DISTINCT_SHARE * len(cells), MANY_TEXTS):
        n_once = sum(n == 1 for n in counts.values())
        if n_once < max(MIN_TEXTS, MIN_DISTINCT_SHARE * len(counts)):
            return False
    some = list(counts)[:: len(counts) // MAX_TEXTS_READ + 1]
    n_words = [count_words(cell) for cell in some]
    is_varied = len(set(n_words)) > 1
    return len(cells) >= MIN_TEXTS and is_varied and np.mean(n_words) >= MIN_MEAN_WORDS


def count_words(cell):
    """Return the number of words: pieces between spaces that hold `TWO_LETTERS`."""
    return sum(TWO_LETTERS.search(piece) is not None for piece in cell.split())


def are_ids(n_distinct, n_known):
    """Return whether strings are an id: nearly all of at least 20 are distinct."""
    enough = n_known >= MIN_ROWS_OF_AN_ID
    return bool(enough and n_distinct >= MIN_DISTINCT_SHARE_OF_AN_ID * n_known)


def is_id(known, n_rows, name):
    """Return whether a column of numbers is an id.

    >>> is_id(np.arange(1.0, 31), 30, "age"), is_id(np.arange(30) * 1e5, 30, "user_id")
    (True, True)
    """
    # known: floats (n_known,), the cells that are not missing. Ids are distinct whole
    # numbers in all rows, which lie densely above 0, or whose name is that of an id.
    if len(known) < max(n_rows, MIN_ROWS_OF_AN_ID) or (known != np.floor(known)).any():
        return False
    if len(np.unique(known)) < len(known):
        return False
    low, high = known.min(), known.max()
    is_counter = 0 <= low <= n_rows and high - low < MAX_COUNTER_RANGE * n_rows
    is_counter &= low < 100 and high >= n_rows - 1
    return bool(is_counter or NAME_OF_AN_ID.search(name))


def warn_of_raw_columns(X):
    """Warn once in a session, naming columns, if some look like ids or free text."""
    # X: array, sparse matrix or frame. Numbers are checked in frames only: those of an
    # array have been prepared.
    if X.shape[0] < MIN_ROWS_FOR_A_WARNING:
        return
    found = {"an id": [], "a date": [], "free text": []}
    step = X.shape[0] // MAX_ROWS_CHECKED_FIRST + 1
    some = take_rows(X, slice(None, None, step))
    suspects = [j for j, cells in _columns_to_check(some) if _is_mostly_distinct(cells)]
    for j, cells in _columns_to_check(X, suspects):
        name = str(X.columns[j]) if is_frame(X) else str(j)
        if what := _what_it_is(name, cells):
            found[what].append(name)
    parts = [
        f"{_listed(names)} looks like {what}" for what, names in found.items() if names
    ]
    if not parts:
        return
    message = (
        f"{', and '.join(parts)}. Put TableCleaner before the estimator in a pipeline: "
        "it drops ids, and turns dates and free text into numbers."
    )
    if message not in _warned:
        _warned.add(message)
        warn_caller(message)


def _is_mostly_distinct(cells):
    """Return whether some cells of a column may be those of an id or of a text."""
    if cells.dtype != object:
        return len(np.unique(cells)) == len(cells)
    known = [cell for cell in cells.tolist() if isinstance(cell, str)]
    return len(set(known)) >= MIN_DISTINCT_SHARE * len(known)


def _what_it_is(name, cells):
    if cells.dtype != object:
        return "an id" if is_id(cells, len(cells), name) else None
    known = [cell for cell in cells.tolist() if isinstance(cell, str)]
    n_distinct = len(set(known))
    if n_distinct < MIN_DISTINCT_SHARE * len(known):
        return None
    some = known[:: len(known) // MAX_TEXTS_READ + 1]
    if is_free_text(np.array(some, dtype=object)):
        return "free text"
    if are_ids(n_distinct, len(known)):
        return "a date" if START_OF_A_DATE.match(known[0]) else "an id"
    return None


def _columns_to_check(X, columns=None):
    """Yield index and cells of columns of strings, and of a frame's integer columns."""
    # columns: the indices of those to be read, by default all.
    columns = range(X.shape[1]) if columns is None else columns
    if is_frame(X):
        names, dtypes = list(X.columns), list(X.dtypes)
        for j in columns:
            kind = _kind_of_dtype(dtypes[j])
            if kind:
                cells = X[names[j]].to_numpy()
                if not (kind == "number" and cells.dtype.kind not in "iu"):
                    yield j, cells.astype(float if kind == "number" else object)
    elif getattr(X.dtype, "kind", "") in "OU" and isinstance(X, np.ndarray):
        for j in columns:
            yield j, X[:, j].astype(object)


def _kind_of_dtype(dtype):
    """Return "number" for integers without missing cells, "string", or ""."""
    name = str(dtype)
    if name == "object" or name.lower().startswith(("str", "large_string")):
        return "string"
    is_integer = name.lower().startswith(("int", "uint"))
    # pandas writes its integers with missing cells in upper case, polars all integers.
    is_plain = name.islower() or not hasattr(dtype, "kind")
    return "number" if is_integer and is_plain else ""


def _listed(names):
    shown = ", ".join(map(repr, names[:MAX_NAMED_COLUMNS]))
    more = ", ..." if len(names) > MAX_NAMED_COLUMNS else ""
    return f"{'column' if len(names) == 1 else 'each of the columns'} {shown}{more}"
