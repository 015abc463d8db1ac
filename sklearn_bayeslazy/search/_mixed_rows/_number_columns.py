"""Columns of numbers brought to one scale: deviations from the mean, normal scores.

Both have a standard deviation of 1/4, the scale of HVDM: two rows four standard
deviations apart are at distance 1, as are two symbols that share no class.
"""

import numpy as np
from scipy.special import ndtri

from ...tabular import weighted_unique

# Scaled numbers are cut here, so that sums of their squares do not overflow.
FARTHEST = 1e100
# Distinct values whose normal scores are kept; others are interpolated.
MAX_KNOTS = 1000
# Normal scores of smaller and larger shares are not needed: they are ±8.2.
_LEAST_SHARE = 1e-16


class Deviations:
    """(x - mean) / 4σ, with the sample standard deviation; 0 for a missing cell.

    >>> column = Deviations(np.array([1.0, 3.0, 5.0, np.nan]), np.ones(4))
    >>> column.transform(np.array([1.0, 11.0, np.nan]))  # σ = 2: -2/8, 8/8
    array([-0.25,  1.  ,  0.  ])
    """

    def __init__(self, x, weight):
        # x: (n,), the training cells, NaN where missing; weight: (n,), an integer
        # equals repetition.
        present = ~np.isnan(x)
        x, weight = x[present], weight[present]
        self.scale = 0.0
        if not len(x) or x.min() == x.max():
            return
        # The cells are first brought to [0, 1]: neither squares nor differences of
        # large numbers overflow, and small differences of large numbers are exact.
        with np.errstate(over="ignore"):
            self.unit = 0.5 if np.isinf(x.max() - x.min()) else 1.0
        self.low = x.min() * self.unit
        self.range = x.max() * self.unit - self.low
        total = weight.sum()
        share, x = weight / total, (x * self.unit - self.low) / self.range
        self.mean = share @ x
        variance = share @ (x - self.mean) ** 2 * (total / max(total - 1, 1.0))
        self.scale = 4 * np.sqrt(variance)

    def transform(self, x):
        """Return the scaled cells; zeros if the training cells were constant."""
        if self.scale == 0:
            return np.zeros(len(x))
        with np.errstate(over="ignore"):
            x = (x * self.unit - self.low) / self.range
            x = np.clip((x - self.mean) / self.scale, -FARTHEST, FARTHEST)
        return np.where(np.isnan(x), 0.0, x)


class NormalScores:
    """Φ⁻¹ of the share of smaller cells, scaled to a standard deviation of 1/4.

    >>> column = NormalScores(np.array([1.0, 2.0, 1e9]), np.ones(3))
    >>> (column.transform(np.array([0.0, 1.0, 2.0, 1e10])) * 4).round(4) + 0.0
    array([-1.2247, -1.2247,  0.    ,  1.2247])
    """

    # Half of the weight of equal cells counts as smaller. Between the training values
    # the scores are interpolated, outside they stay constant. A missing cell has the
    # mean score, 0.
    # In the doctest the shares are 1/6, 3/6 and 5/6, and Φ⁻¹(5/6) = .967 = -Φ⁻¹(1/6)
    # has the standard deviation .967 √(2/3).

    def __init__(self, x, weight):
        # x, weight: as in `Deviations`.
        values, weight = weighted_unique(x, weight)
        self.knots = values[:0]
        if len(values) < 2:
            return
        cumulative = np.cumsum(weight / weight.sum())
        share = cumulative - weight / weight.sum() / 2
        scores = ndtri(np.clip(share, _LEAST_SHARE, 1 - _LEAST_SHARE))
        at = _knots(cumulative)
        self.knots, self.scores = values[at], scores[at]
        scores, share = self._interpolate(values), weight / weight.sum()
        mean = share @ scores
        deviation = np.sqrt(share @ (scores - mean) ** 2)
        if deviation == 0:  # one value has all the weight, up to rounding
            self.knots = values[:0]
            return
        self.scores = (self.scores - mean) / (4 * deviation)

    def transform(self, x):
        """Return the scores of cells; zeros if the training cells were constant."""
        if not len(self.knots):
            return np.zeros(len(x))
        return np.where(np.isnan(x), 0.0, self._interpolate(x))

    def _interpolate(self, x):
        """Return piecewise linear scores; like numpy.interp, but without overflow."""
        knots, scores = self.knots, self.scores
        x = np.clip(x, knots[0], knots[-1])
        i = np.searchsorted(knots, x, side="right") - 1
        i = np.minimum(i, len(knots) - 2)
        unit = 0.5 if max(-knots[0], knots[-1]) > 1e300 else 1.0
        gap = knots[i + 1] * unit - knots[i] * unit
        step = x * unit - knots[i] * unit
        share = np.divide(step, gap, out=np.zeros(len(x)), where=gap > 0)
        return scores[i] + share * (scores[i + 1] - scores[i])


def _knots(cumulative):
    """Return the indices of at most about `MAX_KNOTS` values, by equal weight."""
    n = len(cumulative)
    if n <= MAX_KNOTS:
        return np.arange(n)
    quantiles = np.searchsorted(cumulative, np.arange(1, MAX_KNOTS) / MAX_KNOTS)
    return np.unique(np.r_[0, np.minimum(quantiles, n - 1), n - 1])
