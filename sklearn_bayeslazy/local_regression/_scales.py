"""Scales: numbers by which columns are divided before distances are computed."""

import numpy as np

from .._core._arrays import (
    as_float_array,
    at_least_rows,
    divide_by_largest,
    weighted_moments,
)

# The names of scales of columns of numbers. "normal_scores" replaces the numbers, the
# others are divisors.
SCALES = ("std", "trimmed", "range", "normal_scores")
# Fraction of the rows at either end that "trimmed" leaves out, as loess does.
TRIMMED_FRACTION = 0.1
# The inverse of a smaller number may overflow.
_LEAST = 1e-307


def column_scales(scale, X, sample_weight):
    """Return a divisor above 0 for each column.

    >>> X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    >>> column_scales("std", X, np.ones(3))  # √((4 + 0 + 4) / 2); constant: 1
    array([2., 1.])
    """
    # scale: "std", "trimmed", "range", an array (d,) or None; X: (n, d), NaN where a
    # cell is missing; sample_weight: (n,), an integer weight is equivalent to
    # repetition.
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
    trim = TRIMMED_FRACTION if scale == "trimmed" else 0.0
    return np.array([_trimmed_deviation(column, sample_weight, trim) for column in X.T])


def _trimmed_deviation(column, sample_weight, trim):
    """Return the standard deviation without the outer rows; 1 if it is about 0."""
    present = ~np.isnan(column)
    column, sample_weight = column[present], sample_weight[present]
    if not len(column):
        return 1.0
    order = np.argsort(column, kind="stable")
    weight = at_least_rows(sample_weight)[order]
    total = weight.sum()
    if trim:  # a whole number of rows is cut, the same at either end
        cut = np.ceil(trim * total * (1 - 1e-9))  # of shares the sum is rounded
        cumulative = np.cumsum(weight)
        above_low = np.clip(cumulative - cut, 0.0, weight)
        below_high = total - cut - (cumulative - weight)
        weight = np.clip(np.minimum(above_low, below_high), 0.0, weight)
        total = weight.sum()
    values, size = divide_by_largest(column[order])
    if total <= 1 or size == 0:
        return 1.0
    variance = weighted_moments(values, weight)[1] / (total - 1)
    with np.errstate(over="ignore"):
        deviation = np.sqrt(variance) * size
    if variance < 1e-26:  # of rounding errors
        kept = column[order[weight > 0]]
        return max(1.0, float(kept[-1] - kept[0]))
    if deviation <= _LEAST:
        return 1.0
    return float(min(deviation, np.finfo(np.float64).max))


def _range(column):
    """Return the largest minus the smallest value, without NaN; 1 if equal."""
    column = column[~np.isnan(column)]
    if not len(column):
        return 1.0
    half = column.max() / 2 - column.min() / 2  # does not overflow
    return 2 * float(min(half, np.finfo(np.float64).max / 2)) if half > _LEAST else 1.0


def some_column_has_three_numbers(table):
    """Return whether some column of numbers has three values or more.

    >>> from sklearn_bayeslazy.tabular import read_table
    >>> some_column_has_three_numbers(read_table([[0, 5], [1, 5], [1, np.nan]]))
    False
    """
    # Others are alike whether they are divided or replaced by normal scores.
    for j in np.flatnonzero(~table.are_categorical()):
        cells = table.numbers([j], slice(0, table.n_rows))
        cells = cells[~np.isnan(cells)]
        if len(cells) and np.any((cells > cells.min()) & (cells < cells.max())):
            return True
    return False
