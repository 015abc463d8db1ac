"""What stands for missing cells: likeliest values, and expected numbers."""

import numpy as np


def bin_means(table, codes, weight, is_cut, sizes):
    """Return the mean number in each bin of each column, None for columns of values.

    Parameters
    ----------
    table : Table
    codes : int array of shape (n_rows, n_columns)
        Below 0 where a cell is missing.
    weight : ndarray of shape (n_rows,)
    is_cut : sequence of bool
        Which columns hold numbers.
    sizes : sequence of int
        How many bins each has.

    Returns
    -------
    list of (ndarray of shape (n_bins,) or None)
        NaN where a bin has no number.
    """
    means = []
    for column, (cut, size) in enumerate(zip(is_cut, sizes)):
        if not cut:
            means.append(None)
            continue
        seen = codes[:, column] >= 0
        own, mass = codes[seen, column], weight[seen]
        total = np.bincount(own, mass, minlength=size)
        # Shares before sums: numbers near the largest float have no sum.
        mean = np.bincount(own, table.column(column)[seen] * (mass / total[own]), size)
        means.append(np.where(total > 0, mean, np.nan))
    return means


def joined_means(first, first_mass, second, second_mass):
    """Return the means of two tables together, from theirs and their masses.

    >>> one = [np.array([1.0, np.nan])], [np.array([3.0, 0.0])]
    >>> two = [np.array([5.0, 7.0])], [np.array([1.0, 2.0])]
    >>> joined_means(*one, *two)
    [array([2., 7.])]
    """
    joined = []
    for a, n_a, b, n_b in zip(first, first_mass, second, second_mass):
        if a is None:
            joined.append(None)
            continue
        total = np.maximum(n_a + n_b, np.finfo(np.float64).tiny)
        parts = np.where(n_a > 0, a, 0.0) * (n_a / total)
        parts = parts + np.where(n_b > 0, b, 0.0) * (n_b / total)
        joined.append(np.where(n_a + n_b > 0, parts, np.nan))
    return joined


def fill(shares, values, mean):
    """Return what missing cells of a column most likely are, or are to be expected.

    Parameters
    ----------
    shares : ndarray of shape (n_cells, K)
        In proportion to the probabilities of the column's values; all of them 0 where
        the row is impossible, which stays missing.
    values : array of shape (K,)
    mean : ndarray of shape (K,) or None
        The mean number of each bin, in a column of numbers. Bins without any do not
        count.

    Returns
    -------
    ndarray of shape (n_cells,)

    >>> fill(np.array([[0.2, 0.6, 0.2]]), ["a", "b", "c"], None)
    array(['b'], dtype=object)
    >>> fill(np.array([[0.25, 0.75, 0.5]]), [], np.array([1.0, 5.0, np.nan]))
    array([4.])
    """
    if mean is None:
        found = np.asarray(values, dtype=object)[shares.argmax(axis=1)]
        return np.where(shares.any(axis=1), found, None)
    known = np.isfinite(mean)
    shares = shares[:, known]
    with np.errstate(invalid="ignore"):
        return ((shares / shares.sum(axis=1, keepdims=True)) * mean[known]).sum(axis=1)
