"""Checks sample weights and finds the rows of positive weight."""

import numpy as np

from ._compat import check_sample_weight


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
    if not np.isfinite(total):
        raise ValueError(
            "The sum of sample_weight overflows float64: divide the weights."
        )
    rows = np.flatnonzero(weight)
    if not len(rows):
        raise ValueError(
            "sample_weight is zero for all rows: at least one must be above 0."
        )
    return (None, weight) if len(rows) == n_rows else (rows, weight[rows])
