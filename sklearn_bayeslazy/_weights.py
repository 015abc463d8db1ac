"""Sample weights: which rows have one, and weighted means and deviations."""

import numpy as np

from ._compat import check_sample_weight

# Weighted sums of squares of numbers up to 10 do not overflow.
MAX_TOTAL_WEIGHT = 1e306


def kept_rows(sample_weight, n_rows):
    """Return the rows of positive weight, and their weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
    n_rows : int

    Returns
    -------
    rows : int array or None
        None if every row has a positive weight.
    weight : float array
        The weights of these rows.
    """
    if sample_weight is None:
        return None, np.ones(n_rows)
    weight = check_sample_weight(
        sample_weight, np.empty(n_rows), dtype=np.float64, ensure_non_negative=True
    )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total > MAX_TOTAL_WEIGHT:
        raise ValueError(
            "The sum of sample_weight overflows float64 in sums of products: it is "
            f"above {MAX_TOTAL_WEIGHT:g}. Divide the weights."
        )
    rows = np.flatnonzero(weight)
    if not len(rows):
        raise ValueError(
            "sample_weight is zero for all rows: at least one must be above 0."
        )
    return (None, weight) if len(rows) == n_rows else (rows, weight[rows])


def weighted_moments(columns, weight):
    """Return the weighted means, and the weighted sums of squares about them.

    Parameters
    ----------
    columns : ndarray of shape (n,) or (n, d)
    weight : ndarray of shape (n,)

    Examples
    --------
    >>> weighted_moments(np.array([1.0, 4.0]), np.array([2.0, 1.0]))  # 2·1 + 1·4
    (np.float64(2.0), np.float64(6.0))
    """
    mean = weight @ columns / weight.sum()
    return mean, weight @ (columns - mean) ** 2


def divide_by_largest(columns):
    """Return columns with cells in [-1, 1], whose squares are finite, and the divisors.

    A column of zeros is divided by 1, and its divisor is given as 0.

    Examples
    --------
    >>> divide_by_largest(np.array([[1.0, 0.0], [-4.0, 0.0]]))
    (array([[ 0.25,  0.  ],
           [-1.  ,  0.  ]]), array([4., 0.]))
    """
    largest = np.abs(columns).max(axis=0)
    return columns / np.where(largest == 0, 1.0, largest), largest
