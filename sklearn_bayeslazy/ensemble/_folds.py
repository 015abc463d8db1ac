"""Folds for cross-validation that keep equal rows together."""

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
    keys = _row_keys(X)
    _, row = np.unique(keys, return_inverse=True)
    _, place = np.unique(
        np.stack([classes, row.ravel()], axis=1), axis=0, return_inverse=True
    )
    place = place.ravel()
    if place.max() == 0:
        raise ValueError("cv needs two different rows at least: n_samples = 1.")
    fold = place % n_folds
    parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in set(fold)]
    return sorted(parts, key=lambda part: fold[part[1][0]])


def _row_keys(X):
    """Return a key for each row; equal rows have equal keys."""
    if sparse.issparse(X):
        X = X.tocsr().copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        ends = zip(X.indptr, X.indptr[1:])
        keys = [(X.indices[a:b].tobytes() + X.data[a:b].tobytes()) for a, b in ends]
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
