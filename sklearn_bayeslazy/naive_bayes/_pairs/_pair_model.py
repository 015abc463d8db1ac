r"""The averaged one-dependence estimator, from counts of pairs.

.. math::
    P(c, x) = \sum_{i:\, n(x_i) \ge n_{min}} \hat P(c, x_i) \prod_{j \ne i}
    \hat P(x_j \mid c, x_i)

with the m-estimates, K_j values in column j and C classes,

.. math::
    \hat P(c, x_i) = \frac{N(c, x_i) + m / (C K_i)}{N_i + m}, \qquad
    \hat P(x_j \mid c, x_i) = \frac{N(c, x_i, x_j) + m / K_j}{N_j(c, x_i) + m}.

N_i is the total weight of the rows in which column i is observed, and N_j(c, x_i) that
of the rows of class c with the value x_i in which column j is observed. Source: Webb,
Boughton & Wang (2005), Not so naive Bayes, Machine Learning 58.
"""

from functools import cached_property

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import cache_sized_slices
from ...tabular import log_m_estimate
from ._pair_kernels import add_one_dependence, leave_rows_out


class PairModel:
    """Probabilities estimated from :class:`PairCounts`, with m virtual examples."""

    # predicted: bool, (d,), the columns j; the others are left out of the product.
    # m: a number or "laplace", the number of values of a column, and n_classes times
    # that for P(c, x_i), which adds one to each count. min_count: n_min, the least
    # total weight of a super-parent's value.

    def __init__(self, counts, predicted, m, min_count):
        self.counts = counts
        self._predicted = predicted
        self.min_count = float(min_count)
        parent_sizes = counts.sizes[counts.parents]
        if isinstance(m, str):
            self.m = counts.sizes.astype(np.float64)
            self.m_parent = parent_sizes * float(counts.n_classes)
        else:
            self.m = np.full(len(counts.sizes), float(m))
            self.m_parent = np.full(len(parent_sizes), float(m))
        # A column without values has no cells to estimate.
        self._n_values = np.maximum(counts.sizes, 1)
        self._log_parent = self._estimate_parents()

    @cached_property
    def _log_prob(self):
        """Return log P(value | class, super-parent's value), as kernels take it."""
        counts = self.counts
        n_classes = counts.n_classes
        log_prob = np.zeros((*counts.pairs.shape[:2], n_classes + -n_classes % 4))
        column = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
        virtual = _as_one_example(self.m, self._n_values)
        one_example = [part[column, None] for part in virtual]
        observed = counts.pairs_observed()
        for rows in cache_sized_slices(
            range(len(log_prob) - 1), n_classes * len(column)
        ):
            log_prob[rows, :-1, :n_classes] = log_m_estimate(
                counts.pairs[rows, :-1], observed[rows][:, column], *one_example
            )
        for k, j in enumerate(counts.parents):
            codes_of_parent = slice(counts.parent_start[k], counts.parent_start[k + 1])
            log_prob[codes_of_parent, counts.start[j] : counts.start[j + 1]] = 0.0
        return log_prob

    def _estimate_parents(self):
        """Return log P(class, super-parent's value), NaN for rare values."""
        counts = self.counts
        column = np.repeat(np.arange(len(counts.parents)), np.diff(counts.parent_start))
        values = counts.values[counts.parent_values]
        n_cells = self._n_values[counts.parents] * counts.n_classes
        parts = self.parent_totals(), *_as_one_example(self.m_parent, n_cells)
        log_parent = log_m_estimate(values, *(part[column, None] for part in parts))
        log_parent[values.sum(axis=1) < self.min_count] = np.nan
        return np.append(log_parent, np.full((1, counts.n_classes), np.nan), axis=0)

    def parent_totals(self):
        """Return the weight in which each super-parent is observed, (p,)."""
        return self.counts.observed().sum(axis=1)[self.counts.parents]

    def _predicted_positions(self, positions):
        """Return positions (n, d), in which other columns than these are missing."""
        if not self._predicted.all():
            missing = positions.dtype.type(self.counts.start[-1])
            positions = np.where(self._predicted, positions, missing)
        return frozen(positions, np.int32)

    def joint(self, positions, naive):
        """Return the joint log likelihoods (n, n_classes) of rows."""
        # positions: (n, d); naive: (n, n_classes), those of naive Bayes, for rows none
        # of whose values is frequent enough for a super-parent.
        out = np.empty(naive.shape)
        add_one_dependence(
            self._predicted_positions(positions),
            self.counts.parent_positions(positions),
            frozen(self._log_prob, np.float64),
            frozen(self._log_parent, np.float64),
            frozen(naive, np.float64),
            out,
        )
        return out

    def leave_out(self, n_rows):
        """Return ``joint(positions, classes, removed, naive)`` for `n_rows` rows."""
        # It returns the joint log likelihoods (n, p, n_classes) with the first 1 … p
        # super-parents, each row under the counts less the weight `removed` (n,) of the
        # row. `naive` (n, n_classes) are those of naive Bayes without the row.
        counts = self.counts
        # The table of all probabilities takes longer than those of few rows.
        n_read = n_rows * len(counts.parents) * len(counts.sizes)
        n_stored = counts.pairs.shape[0] * counts.pairs.shape[1]
        log_prob = self._log_prob if n_read > n_stored else np.zeros((0, 0, 4))
        model = (
            frozen(counts.pairs, np.float64),
            frozen(counts.pairs_observed(), np.float64),
            frozen(
                np.append(
                    counts.values[counts.parent_values],
                    np.zeros((1, counts.n_classes)),
                    axis=0,
                ),
                np.float64,
            ),
            frozen(self.parent_totals(), np.float64),
            frozen(counts.sizes, np.int64),
            frozen(counts.parents, np.int64),
        )
        estimate = (
            frozen(log_prob, np.float64),
            frozen(self.m, np.float64),
            frozen(self.m / self._n_values, np.float64),
            frozen(self.m_parent, np.float64),
            self.min_count,
        )

        def joint(positions, classes, removed, naive):
            rows = (
                self._predicted_positions(positions),
                counts.parent_positions(positions),
                frozen(classes, np.int32),
                frozen(removed, np.float64),
            )
            out = np.empty((len(positions), len(counts.parents), counts.n_classes))
            leave_rows_out(rows, model, estimate, frozen(naive, np.float64), out)
            return out

        return joint

    def terms(self, positions):
        """Return the terms of the columns, and which rows have a super-parent."""
        # positions: (n, d); terms: (n, d, n_classes); the second result: (n,) bool.
        # With the share q_i of super-parent i in the sum, log Σ_i e^{s_i} equals
        # Σ_i q_i s_i plus the entropy of q. The former is split by column: the terms
        # are Σ_i q_i log P(x_j | c, x_i), plus q_j log P(c, x_j) where j is a
        # super-parent. They are 0 in rows without a super-parent.
        counts = self.counts
        parents = self.counts.parent_positions(positions)
        n_classes = counts.n_classes
        log_parent = self._log_parent[parents]
        values = self._predicted_positions(positions)
        log_prob = self._log_prob[parents[:, :, None], values[:, None, :]]
        log_prob = log_prob[..., :n_classes].copy()
        usable = ~np.isnan(log_parent[..., :1])
        log_parent = np.where(usable, log_parent, -np.inf)
        score = log_parent + log_prob.sum(axis=2)
        largest = np.max(score, axis=1, keepdims=True, initial=-np.inf)
        share = np.exp(score - np.where(np.isfinite(largest), largest, 0.0))
        total = share.sum(axis=1, keepdims=True)
        share /= np.where(total > 0, total, 1.0)
        each = np.arange(len(counts.parents))
        log_prob[:, each, counts.parents] = log_parent
        with np.errstate(invalid="ignore"):
            terms = np.where(share[:, :, None] > 0, share[:, :, None] * log_prob, 0.0)
        return terms.sum(axis=1), usable.any(axis=(1, 2))


def _as_one_example(m, n_values):
    """Return m, prior and its sum with all virtual examples as one: 1, m / K and m."""
    # The count m / K of a value is then exactly 1 with "laplace".
    is_any = m > 0
    return is_any * 1.0, np.where(is_any, m, 1.0) / n_values, np.where(is_any, m, 1.0)


def least_weight(min_count, row_weight):
    """Return the least total weight of `min_count` rows."""
    # Sums of equal weights may be rounded to less than the number of rows.
    return min_count * row_weight * (1 - 1e-9)
