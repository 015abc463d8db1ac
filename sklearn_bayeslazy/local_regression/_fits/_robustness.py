"""Robustness weights of loess, and the targets by which its residual scale is computed.

Sources: W. S. Cleveland (1979), Robust locally weighted regression and smoothing
scatterplots, JASA 74; W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local
regression models, ch. 8 of Statistical Models in S.
"""

import numpy as np


def weighted_median(values, sample_weight):
    """Return the median of values, each repeated as often as its weight.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    1.5
    """
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    half = cumulative[-1] / 2
    positions = [np.searchsorted(cumulative, half, side) for side in ("left", "right")]
    low, high = values[order[np.minimum(positions, len(values) - 1)]]
    return float((low + high) / 2)


def bisquare_weights(residuals, sample_weight, rounding=0.0):
    """Return Cleveland's robustness weights: (1 - (r / 6 median|r|)²)²."""
    # As in loess, residuals within a thousandth of the bound 6 median|r| have weight 1,
    # and those beyond .999 of it have weight 0. All have weight 1 if the median is not
    # above `rounding`, the size of residuals that are only rounding errors.
    size = np.abs(residuals)
    bound = 6 * weighted_median(size, sample_weight)
    if bound <= 6 * rounding:
        return np.ones(len(size))
    with np.errstate(over="ignore"):
        weights = (1 - (size / bound) ** 2) ** 2
    weights[size <= 0.001 * bound] = 1.0
    weights[size > 0.999 * bound] = 0.0
    return weights


def pseudovalues(y, fitted, robustness_weights, sample_weight):
    """Return targets that replace y to estimate the residual scale of a robust fit."""
    # The scale is that of a fit to them without robustness weights.
    residuals = y - fitted
    scale = (6 * weighted_median(np.abs(residuals), sample_weight)) ** 2 / 5
    if scale == 0:
        return y
    slope = sample_weight @ ((1 - residuals**2 / scale) * np.sqrt(robustness_weights))
    return fitted + sample_weight.sum() / slope * robustness_weights * residuals
