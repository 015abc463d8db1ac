"""Selects the columns of a cleaned table by kind, for a ColumnTransformer."""

import numpy as np

from .._read import read_table


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
