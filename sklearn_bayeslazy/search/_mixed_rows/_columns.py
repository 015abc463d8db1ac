"""Columns as vectors: symbols, numbers as they are, deviations, normal scores."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ..._core._arrays import at_least_rows, weight_of_row
from ...tabular import m_estimate, row_weight, weighted_unique

M_CANDIDATES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, np.inf)
# Errors that differ by less, relative to the least, are equal.
_TIE = 1e-12


@dataclass
class ValueMeans:
    """The m-estimated mean of the targets at each value of a column."""

    # A value v becomes (Σ w y + m ȳ) / (Σ w + m), summed over the training rows with v.
    # A missing cell and an unknown value become the prior ȳ. If the targets are
    # indicators of the classes, these are the m-estimates of P(c | v), and their
    # Euclidean distance is the value difference metric.
    #
    # Source: C. Stanfill and D. Waltz (1986), Toward memory-based reasoning, CACM 29;
    # B. Cestnik (1990), Estimating probabilities: a crucial task in machine learning.

    counts: np.ndarray  # (K,), Σ w
    sums: np.ndarray  # (K, n_targets), Σ w y
    prior: np.ndarray  # (n_targets,), ȳ: the weighted mean of all training targets
    m: float  # weight of the prior; infinite if the column carries no information

    @classmethod
    def fit(cls, codes, n_values, targets, weight, m):
        """Return the means of a column; m="loo" has the least leave-one-out error."""
        # m: weight of the prior, in rows where the weights are shares.
        counts, sums = _sums_by_code(codes, n_values, targets, weight)
        prior = weight @ targets / weight.sum()
        if m != "loo":
            return cls(counts, sums, prior, m * weight_of_row(weight))
        column = cls(counts, sums, prior, 1.0)
        column.m = column._best_m(codes, targets, weight)
        return column

    def transform(self, codes):
        """Return the mean of the targets at each code, of shape (n, n_targets)."""
        means = self._m_estimates(self.sums, self.counts)
        return np.vstack([means, self.prior])[np.maximum(codes, -1)]

    def left_out(self, codes, targets, weight):
        """Return the means at the training cells, each without its row."""
        # The prior stays.
        return self._m_estimates(*self._left_out_sums(codes, targets, weight))

    def cross_fitted(self, codes, targets, weight, folds):
        """Return the means at the training cells, each of the rows of other folds."""
        # folds: (n,). The prior and m stay.
        means = np.empty(targets.shape)
        for fold in np.unique(folds):
            here = folds == fold
            rest = codes[~here], len(self.counts), targets[~here], weight[~here]
            counts, sums = _sums_by_code(*rest)
            others = ValueMeans(counts, sums, self.prior, self.m)
            means[here] = others.transform(codes[here])
        return means

    def _left_out_sums(self, codes, targets, weight):
        present = (codes >= 0)[:, None]
        removed = weight[:, None]
        sums = np.where(present, self.sums[codes] - removed * targets, 0.0)
        counts = np.where(present, self.counts[codes, None] - removed, 0.0)[:, 0]
        return sums, counts

    def _m_estimates(self, sums, counts):
        """Return (sums + m ȳ) / (counts + m), ȳ where nothing is counted."""
        if np.isinf(self.m):
            return np.tile(self.prior, (len(counts), 1))
        return m_estimate(sums, counts[:, None], self.m, self.prior)

    def _best_m(self, codes, targets, weight):
        """Return the m of least squared leave-one-out error, the largest of ties."""
        # Only rows with a value count: the others have the prior for every m.
        # Candidates are numbers of rows.
        if self._tells_by_chance(codes, targets, weight):
            return np.inf
        sums, counts = self._left_out_sums(codes, targets, weight)
        candidates = [m * row_weight(weight) for m in M_CANDIDATES]
        weight = np.where(codes >= 0, weight, 0.0)
        errors = []
        for m in candidates:
            means = ValueMeans(self.counts, self.sums, self.prior, m)
            left_out = means._m_estimates(sums, counts)
            errors.append(weight @ ((targets - left_out) ** 2).sum(axis=1))
        best = np.flatnonzero(np.array(errors) <= min(errors) * (1 + _TIE))[-1]
        return candidates[best]

    def _tells_by_chance(self, codes, targets, weight):
        """Return whether the means of the values differ no more than by chance."""
        # Rows are encoded without themselves, so that values that differ by chance tell
        # rows with one value apart, by their targets. The share of the variance that is
        # between the values has the mean (K - 1) / (n - 1) over all permutations of the
        # targets; for normal targets it has a beta distribution. What is more than two
        # standard deviations above the mean is not chance.
        present = codes >= 0
        weight, targets = weight[present], targets[present]
        n_rows = weight.sum() / row_weight(weight) if len(weight) else 0.0
        n_values = np.count_nonzero(self.counts)
        if n_values < 2 or n_rows <= n_values:
            return True
        mean = weight @ targets / weight.sum()
        total = (weight @ (targets - mean) ** 2).sum()
        means = self.sums / np.where(self.counts > 0, self.counts, 1.0)[:, None]
        between = (self.counts @ (means - mean) ** 2).sum()
        by_chance = (n_values - 1) / (n_rows - 1)
        variance = 2 * by_chance * (n_rows - n_values) / (n_rows - 1) / (n_rows + 1)
        variance /= max(targets.shape[1] - 1, 1)  # that of the mean of some shares
        return between <= (by_chance + 2 * np.sqrt(variance)) * total


def _sums_by_code(codes, n_values, targets, weight):
    """Return Σ w and Σ w y of the rows of each code, by code."""
    present = codes >= 0
    codes, weight, targets = codes[present], weight[present], targets[present]
    sums = np.empty((n_values, targets.shape[1]))
    for v in range(targets.shape[1]):
        sums[:, v] = np.bincount(codes, weight * targets[:, v], n_values)
    return np.bincount(codes, weight, n_values), sums


@dataclass
class Indicators:
    """Values of a column as corners of a simplex: unequal values are at distance 1."""

    # Two values are -1/2 and 1/2. More are indicators over √2. Missing cells, unknown
    # values and those beyond the `max_values` most frequent lie at the centre, at equal
    # distances from the corners.

    corners: np.ndarray  # (K + 1, width), the point of each code, then the centre
    listed: np.ndarray  # the codes that are corners

    @classmethod
    def fit(cls, codes, n_values, weight, max_values):
        """Return the corners for values that occur, at most `max_values` of them."""
        counts = np.bincount(codes[codes >= 0], weight[codes >= 0], n_values)
        by_frequency = np.argsort(-counts, kind="stable")[:max_values]
        listed = np.sort(by_frequency[counts[by_frequency] > 0])
        corners = np.zeros((n_values + 1, 1))
        if len(listed) == 2:
            corners[listed, 0] = -0.5, 0.5
        elif len(listed) > 2:
            corners = np.full((n_values + 1, len(listed)), np.sqrt(0.5) / len(listed))
            corners[listed] = np.sqrt(0.5) * np.eye(len(listed))
        return cls(corners, listed)

    def transform(self, codes):
        """Return the point of each code, of shape (n, width)."""
        return self.corners[np.maximum(codes, -1)]


# Columns of numbers: as they are, or on one scale, by deviations or normal scores.
#
# The latter two have a standard deviation of 1/4, the scale of HVDM: two rows four
# standard deviations apart are at distance 1, as are two symbols that share no class.

NORMAL_SCORE_DEVIATION = 0.25

# Scaled numbers are cut here, so that sums of their squares do not overflow.
FARTHEST = 1e100
# Distinct values whose normal scores are kept; others are interpolated.
MAX_KNOTS = 1000
# Normal scores of smaller and larger shares are not needed: they are ±8.2.
_LEAST_SHARE = 1e-16


class GivenNumbers:
    """Numbers as they are; a missing one becomes the mean.

    >>> column = GivenNumbers(np.array([1.0, 5.0, np.nan]), np.array([1.0, 3.0, 1.0]))
    >>> column.transform(np.array([7.0, np.nan]))  # 1/4 · 1 + 3/4 · 5
    array([7., 4.])
    """

    def __init__(self, x, weight):
        # x: (n,), the training cells, NaN where missing; weight: (n,), an integer
        # equals repetition.
        present = ~np.isnan(x)
        share = weight[present] / max(weight[present].sum(), np.finfo(float).tiny)
        self.mean = share @ x[present]  # 0 if there is none

    def transform(self, x):
        """Return the cells, with the mean for missing ones."""
        return np.where(np.isnan(x), self.mean, x)


class NumbersAndMissing:
    """A column of numbers, and a second one of how far missing cells are from others.

    >>> numbers = GivenNumbers(np.array([7.0, np.nan]), np.ones(2))
    >>> NumbersAndMissing(numbers, 0.5).transform(np.array([5.0, np.nan]))
    array([[5. , 0. ],
           [7. , 0.5]])
    """

    def __init__(self, numbers, distance):
        self.numbers, self.distance = numbers, distance

    def transform(self, x):
        """Return the encoded numbers, and the distance at missing cells, (n, 2)."""
        missing = np.where(np.isnan(x), self.distance, 0.0)
        return np.column_stack([self.numbers.transform(x), missing])


def set_missing_apart(numbers, x, weight, targets):
    """Return a column of numbers with a second one if missing cells tell of targets.

    >>> x, y = np.array([1.0, 1.0, np.nan, np.nan]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> numbers = GivenNumbers(x, np.ones(4))
    >>> column = set_missing_apart(numbers, x, np.ones(4), y[:, None])
    >>> round(column.distance, 3)  # m = .3: 2.15 / 2.3 - .15 / 2.3
    0.87
    """
    # The distance is that of the m-estimated means of the targets over the missing and
    # over the present cells; leave-one-out finds whether they tell of the targets.
    # A kind of cells that one row has becomes the mean of all targets. So the distance,
    # computed from all rows, does not reveal the target of a row by itself.
    missing = np.isnan(x)
    if missing.all() or not missing.any():
        return numbers
    means = ValueMeans.fit(missing.astype(int), 2, targets, weight, "loo")
    if np.isinf(means.m):
        return numbers
    present, absent = means.transform(np.array([0, 1]))
    return NumbersAndMissing(numbers, float(np.linalg.norm(absent - present)))


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
        weight = at_least_rows(weight)
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
    >>> column.inverse(column.transform(np.array([1.0, 1.5])))
    array([1. , 1.5])
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
        self.frequent = values[weight.argmax()] if len(values) else 0.0
        if len(values) < 2:
            return
        cumulative = np.cumsum(weight / weight.sum())
        share = cumulative - weight / weight.sum() / 2
        scores = ndtri(np.clip(share, _LEAST_SHARE, 1 - _LEAST_SHARE))
        at = _knots(cumulative)
        self.knots, self.scores = values[at], scores[at]
        scores = _interpolated(values, self.knots, self.scores)
        share = weight / weight.sum()
        mean = share @ scores
        deviation = np.sqrt(share @ (scores - mean) ** 2)
        if deviation == 0:  # one value has all the weight, up to rounding
            self.knots = values[:0]
            return
        self.scores = (self.scores - mean) / (deviation / NORMAL_SCORE_DEVIATION)

    def transform(self, x):
        """Return the scores of cells; zeros if the training cells were constant."""
        if not len(self.knots):
            return np.zeros(len(x))
        return np.where(np.isnan(x), 0.0, _interpolated(x, self.knots, self.scores))

    def inverse(self, scores):
        """Return the numbers of some scores; if all are 0, the most frequent one."""
        if not len(self.knots):
            return np.full(len(scores), self.frequent)
        i, share = _positions(scores, self.scores)
        return (1 - share) * self.knots[i] + share * self.knots[i + 1]

    def slope(self, x):
        """Return the slope of the scores between half a deviation below and above."""
        # Between two numbers that are neighbours it would depend on their distance.
        half = NORMAL_SCORE_DEVIATION / 2
        scores = self.transform(x)
        low, high = self.inverse(scores - half), self.inverse(scores + half)
        rise = self.transform(high) - self.transform(low)
        with np.errstate(over="ignore"):
            return np.divide(rise, high - low, out=np.zeros(len(x)), where=high > low)


class MeanRanks:
    """The mean rank of each number among the training cells, less 1/2.

    >>> column = MeanRanks(np.array([1.0, 5.0, 5.0, 1e9]), np.ones(4))
    >>> column.transform(np.array([0.0, 1.0, 3.0, 5.0, 1e9, np.nan]))
    array([0.5 , 0.5 , 1.25, 2.  , 3.5 ,  nan])
    """

    # That is the weight of the smaller cells and half of that of equal ones. For whole
    # weights it is exact, so that equal differences of ranks are equal. Between the
    # training values it is interpolated, outside it stays constant.

    def __init__(self, x, weight):
        # x, weight: as in `Deviations`.
        self.knots, weight = weighted_unique(x, weight)
        self.ranks = np.cumsum(weight) - weight / 2

    def transform(self, x):
        """Return the ranks of cells; zeros if the training cells were constant."""
        if len(self.knots) < 2:
            return np.where(np.isnan(x), x, 0.0)
        return _interpolated(x, self.knots, self.ranks)


def _interpolated(x, knots, values):
    """Return what is piecewise linear between knots, without overflow of x."""
    i, share = _positions(x, knots)
    return values[i] + share * (values[i + 1] - values[i])


def _positions(x, knots):
    """Return the knot below each number, and its share of the way to the next one."""
    x = np.clip(x, knots[0], knots[-1])
    i = np.searchsorted(knots, x, side="right") - 1
    i = np.minimum(i, len(knots) - 2)
    unit = 0.5 if max(-knots[0], knots[-1]) > 1e300 else 1.0
    gap = knots[i + 1] * unit - knots[i] * unit
    step = x * unit - knots[i] * unit
    return i, np.divide(step, gap, out=np.zeros(len(x)), where=gap > 0)


def _knots(cumulative):
    """Return the indices of at most about `MAX_KNOTS` values, by equal weight."""
    n = len(cumulative)
    if n <= MAX_KNOTS:
        return np.arange(n)
    quantiles = np.searchsorted(cumulative, np.arange(1, MAX_KNOTS) / MAX_KNOTS)
    return np.unique(np.r_[0, np.minimum(quantiles, n - 1), n - 1])
