"""What columns are divided by before distances are measured."""

import numpy as np

from .._arrays import as_float_array

# The part of the rows at either end that "trimmed" leaves out, as loess does.
TRIMMED = 0.1


def column_scales(scale, X, weight):
    """Return a divisor above 0 for each column.

    Parameters
    ----------
    scale : {"std", "trimmed", "range"}, array-like of shape (n_features,) or None
    X : ndarray of shape (n, n_features)
    weight : ndarray of shape (n,)
        Masses; integers count as repetition.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    >>> column_scales("std", X, np.ones(3))  # √((4 + 0 + 4) / 2); constant: 1
    array([2., 1.])
    """
    d = X.shape[1]
    if scale is None:
        return np.ones(d)
    if not isinstance(scale, str):
        scale = as_float_array(scale, "scale")
        if scale.shape != (d,) or not np.all((scale > 0) & (scale < np.inf)):
            raise ValueError(
                f"scale must hold {d} finite numbers above 0, one for each column."
            )
        return scale
    if scale == "range":
        return np.array([_range(column) for column in X.T])
    trim = TRIMMED if scale == "trimmed" else 0.0
    return np.array([_spread(column, weight, trim) for column in X.T])


def _spread(column, weight, trim):
    """Return the standard deviation without the outer rows; 1 where there is none."""
    order = np.argsort(column, kind="stable")
    mass = weight[order]
    total = mass.sum()
    if trim:  # whole rows go, as many at either end
        cut = np.ceil(trim * total)
        reached = np.cumsum(mass)
        low = np.clip(reached - cut, 0.0, mass)
        mass = np.clip(np.minimum(low, total - cut - (reached - mass)), 0.0, mass)
        total = mass.sum()
    size = np.abs(column).max()
    if total <= 1 or size == 0:
        return 1.0
    values = column[order] / size
    mean = mass @ values / total
    variance = mass @ (values - mean) ** 2 / (total - 1)
    spread = np.sqrt(variance) * size
    constant = variance < 1e-26  # rounding of the mean
    return 1.0 if constant or not 0 < spread < np.inf else float(spread)


def _range(column):
    """Return the largest cell less the smallest; 1 if alike, NaN being left out."""
    column = column[~np.isnan(column)]
    if not len(column):
        return 1.0
    half = column.max() / 2 - column.min() / 2  # which does not overflow
    return float(min(2 * half, np.finfo(np.float64).max)) if half > 0 else 1.0
