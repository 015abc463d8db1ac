"""Sample weights as every fit takes them: checked, and without the rows of weight 0."""

import numpy as np

from ._compat import check_sample_weight


def kept_rows(sample_weight, n_rows):
    """Return the rows that count, and their weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
    n_rows : int

    Returns
    -------
    rows : int array or None
        None if every row counts.
    weight : float array
        Of the rows that count.
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
