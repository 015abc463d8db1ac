"""Columns of symbols as vectors: m-estimated means of the targets, or indicators.

Codes are 0 … K-1; negative ones are missing cells and symbols unknown at fit.
"""

from dataclasses import dataclass

import numpy as np

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
        counts, sums = _sums_by_code(codes, n_values, targets, weight)
        prior = weight @ targets / weight.sum()
        column = cls(counts, sums, prior, 1.0 if m == "loo" else m)
        if m == "loo":
            column.m = column._best_m(codes, targets, weight)
        return column

    def transform(self, codes):
        """Return the mean of the targets at each code, of shape (n, n_targets)."""
        means = self._m_estimates(self.sums, self.counts)
        return np.vstack([means, self.prior])[np.maximum(codes, -1)]

    def left_out(self, codes, targets, weight):
        """Return the means at the training cells, each without one copy of its row."""
        # For a row of weight w one copy has the weight min(1, w). The prior stays.
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
        copy = np.minimum(weight, 1.0)[:, None]
        sums = np.where(present, self.sums[codes] - copy * targets, 0.0)
        counts = np.where(present, self.counts[codes, None] - copy, 0.0)[:, 0]
        return sums, counts

    def _m_estimates(self, sums, counts):
        """Return (sums + m ȳ) / (counts + m), ȳ where nothing is counted."""
        if np.isinf(self.m):
            return np.tile(self.prior, (len(counts), 1))
        total = counts[:, None] + self.m
        priors = np.tile(self.prior, (len(counts), 1))
        return np.divide(sums + self.m * self.prior, total, out=priors, where=total > 0)

    def _best_m(self, codes, targets, weight):
        """Return the m of least squared leave-one-out error, the largest of ties."""
        # Only rows with a value count: the others have the prior for every m.
        sums, counts = self._left_out_sums(codes, targets, weight)
        weight = np.where(codes >= 0, weight, 0.0)
        errors = []
        for m in M_CANDIDATES:
            means = ValueMeans(self.counts, self.sums, self.prior, m)
            left_out = means._m_estimates(sums, counts)
            errors.append(weight @ ((targets - left_out) ** 2).sum(axis=1))
        best = np.flatnonzero(np.array(errors) <= min(errors) * (1 + _TIE))[-1]
        return M_CANDIDATES[best]


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
        if len(listed) < 2:
            return cls(np.zeros((n_values + 1, 1)), listed)
        if len(listed) == 2:
            corners = np.zeros((n_values + 1, 1))
            corners[listed, 0] = -0.5, 0.5
            return cls(corners, listed)
        corners = np.full((n_values + 1, len(listed)), np.sqrt(0.5) / len(listed))
        corners[listed] = np.sqrt(0.5) * np.eye(len(listed))
        return cls(corners, listed)

    def transform(self, codes):
        """Return the point of each code, of shape (n, width)."""
        return self.corners[np.maximum(codes, -1)]
