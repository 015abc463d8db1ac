"""Parts of a table that depend neither on the order of its rows nor on repetition."""

import numpy as np
from scipy import sparse

from ..tabular import read_table


def folds_of_distinct_rows(X, classes, n_folds):
    """Return pairs (train, test) of row numbers, every row in one test part.

    Rows that are equal, class included, are in the same part: a copy would give a row
    away. Different rows of a class are dealt out in an order of their cells. So the
    folds do not depend on the order of the rows, and a row of weight 2 is two rows.

    Parameters
    ----------
    X : {array-like, dataframe, sparse matrix} of shape (n_rows, n_columns)
    classes : int array of shape (n_rows,)
    n_folds : int

    Examples
    --------
    >>> X = np.array([["c"], ["a"], ["a"], ["b"]])
    >>> for train, test in folds_of_distinct_rows(X, np.zeros(4, int), 2):
    ...     print(train, test)
    [3] [0 1 2]
    [0 1 2] [3]

    Raises
    ------
    ValueError
        Where there are fewer than two different rows.
    """
    _, place = _distinct(X, classes)
    if place.max() == 0:
        raise ValueError("cv needs two different rows at least: n_samples = 1.")
    fold = place % n_folds
    parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in set(fold)]
    return sorted(parts, key=lambda part: fold[part[1][0]])


def held_out_shares(X, classes, weight, fraction):
    """Return the share of each row's mass that is held out, in [0, 1].

    Rows are laid end to end within each class, in an order of their cells and as long
    as their masses. Of each ``1 / fraction`` units one is held out, the unit being a
    row of mass 1, or of the mean mass where that is less. Nearly every row is held out
    whole or not at all; of copies, the same share as of different rows.

    Parameters
    ----------
    X : {array-like, dataframe, sparse matrix} of shape (n_rows, n_columns)
    classes : int array of shape (n_rows,)
    weight : array of shape (n_rows,)
        Masses.
    fraction : float

    Examples
    --------
    >>> X, one = np.array([[3.0], [1.0], [2.0], [0.0]]), np.ones(4)
    >>> held_out_shares(X, np.zeros(4, int), one, 0.25)  # one of four
    array([0., 1., 0., 0.])
    >>> held_out_shares(np.ones((4, 1)), np.zeros(4, int), one, 0.25)  # of each copy
    array([0.25, 0.25, 0.25, 0.25])
    """
    class_of, place = _distinct(X, classes)
    mass = np.bincount(place, weight)
    ends = np.cumsum(mass)
    starts = ends - mass
    # Each class begins at 0.
    is_first = np.append(True, class_of[1:] != class_of[:-1])
    begin = starts[is_first][np.cumsum(is_first) - 1]
    unit = min(1.0, mass.mean())
    held = _held_before((ends - begin) / unit, fraction)
    held -= _held_before((starts - begin) / unit, fraction)
    return np.clip(held * unit / mass, 0.0, 1.0)[place]


def _held_before(units, fraction):
    """Return how much of so many units is held out; units in part count in part."""
    whole = np.floor(units)
    before = np.floor(whole * fraction + 0.5)
    after = np.floor((whole + 1) * fraction + 0.5)
    return before + (units - whole) * (after - before)


def _distinct(X, classes):
    """Return the class of each different row, class by class, and each row's place."""
    keys = _row_keys(X)
    _, row = np.unique(keys, return_inverse=True)
    pairs, place = np.unique(
        np.stack([classes, row.ravel()], axis=1), axis=0, return_inverse=True
    )
    return pairs[:, 0], place.ravel()


def _row_keys(X):
    """Return a key for each row; equal rows have equal keys."""
    if sparse.issparse(X):
        X = X.tocsr().astype(np.float64)
        X.sum_duplicates()
        X.eliminate_zeros()
        places = X.indices.astype(np.int64)
        ends = zip(X.indptr, X.indptr[1:])
        keys = [(places[a:b].tobytes() + X.data[a:b].tobytes()) for a, b in ends]
        return np.array([*keys, None], dtype=object)[:-1]
    table = read_table(X)
    cells = np.empty((table.n_rows, table.n_columns))
    for j in range(table.n_columns):
        labels = table.labels(j)
        cells[:, j] = table.column(j) if labels is None else labels.codes
    cells[np.isnan(cells)] = np.nan  # one kind of NaN
    cells += 0.0  # and no -0.0
    # Bytes by weight, so that keys are sorted as numbers ≥ 0 are.
    return cells.astype(">f8").view(f"V{8 * cells.shape[1]}").ravel()
