"""Cells of a column of codes whose rows are left out one by one, each kind once.

Rows of one code, class and weight have the same leave-one-out score. So a column is
scored on its distinct combinations, which are few. Without its row, a combination
changes the joint probability of one class, its own. Those of the other classes are
computed once for each code and weight, and summed from both ends of the classes: so the
time grows with the number of classes, and not with its square.
"""

from dataclasses import dataclass

import numpy as np

from ...leave_one_out import MAX_LOG_LOSS
from ...tabular import log_m_estimate

_MAX_COUNTS_PER_ROW = 4


@dataclass
class DistinctCells:
    """The distinct combinations of code, class and weight in a column."""

    code: np.ndarray  # int, (n_distinct,)
    classes: np.ndarray  # int, (n_distinct,)
    removed: np.ndarray  # (n_distinct,), the weight of a row
    weight: np.ndarray  # (n_distinct,), the total weight of the rows
    index: np.ndarray  # int, (n,), the combination of each left-out row
    log_prior: np.ndarray  # (n_distinct,), log P(class of the row) without the row
    # The group of each combination: its code and weight, whatever the class.
    group: np.ndarray  # int, (n_distinct,)
    group_code: np.ndarray  # int, (n_groups,)
    group_removed: np.ndarray  # (n_groups,)
    # (n_groups, n_classes), log P(class) without a row of another class.
    group_log_prior: np.ndarray

    def terms(self, counts, total, ms, prior):
        """Return log P(code | class) without each row, of other classes and its own."""
        # counts: (K, n_classes), of all rows; total: (n_classes,), their sums. A code
        # of K is a missing cell, whose terms are 0. ms: (n_m,), virtual examples;
        # prior(code, removed): their distribution and its sum, (n, 1 or n_classes).
        # Returns (n_m, n_groups, n_classes) and (n_m, n_distinct).
        of_others = np.zeros((len(ms), *self.group_log_prior.shape))
        known = self.group_code < len(counts)
        code, removed = self.group_code[known], self.group_removed[known]
        p, p_sum = prior(code, removed[:, None])
        m = np.array(ms)[:, None, None]
        of_others[:, known] = log_m_estimate(counts[code], total, m, p, p_sum)
        of_own = np.zeros((len(ms), len(self.code)))
        known = self.code < len(counts)
        code, own, removed = (x[known] for x in (self.code, self.classes, self.removed))
        p, p_sum = (
            np.broadcast_to(x, (len(code), counts.shape[1]))[np.arange(len(code)), own]
            for x in prior(code, removed[:, None])
        )
        # A sum of weights may be rounded to less than one of them.
        count, left = (
            np.maximum(x - removed, 0.0) for x in (counts[code, own], total[own])
        )
        of_own[:, known] = log_m_estimate(count, left, m[..., 0], p, p_sum)
        return of_others, of_own

    def losses(self, of_others, of_own):
        """Return the log loss and the correctness (n_m, n_distinct) by such terms."""
        # As `classification_losses` of log prior + terms. The first candidate is the
        # prior alone, which predicts rows that every class excludes.
        prior = self.group_log_prior[None]
        others = np.concatenate([prior, prior + of_others]).transpose(2, 0, 1).copy()
        own = np.concatenate([self.log_prior[None], self.log_prior + of_own])
        total_before, total_after = self._around_own_class(others, np.logaddexp)
        total = np.logaddexp(np.logaddexp(total_before, own), total_after)
        with np.errstate(invalid="ignore"):
            losses = np.minimum(total - own, MAX_LOG_LOSS)
        before, after = self._around_own_class(others, np.maximum)
        correct = (own > before) & (own >= after)  # the first of the largest
        impossible = np.isneginf(total[1:])
        return tuple(
            np.where(impossible, score[0], score[1:])
            for score in (losses, correct.astype(np.float64))
        )

    def _around_own_class(self, others, add):
        """Return the sums over the classes before and after each combination's own."""
        # others: (n_classes, n_m, n_groups); results: (n_m, n_distinct).
        n_classes = len(others)
        sums = np.full((n_classes + 1, *others.shape[1:]), -np.inf)
        # Not `accumulate`, which goes from class to class for one candidate at a time.
        for c in range(n_classes):
            add(sums[c], others[c], out=sums[c + 1])
        before = sums[self.classes, :, self.group].T
        for c in range(n_classes):
            add(sums[c], others[n_classes - 1 - c], out=sums[c + 1])
        return before, sums[n_classes - 1 - self.classes, :, self.group].T


class LeftOutCells:
    """The classes and weights of rows that are left out one by one."""

    # classes (int), weight: (n,); log_prior: (n, n_classes), log P(class) without the
    # row.

    def __init__(self, classes, weight, log_prior):
        self.classes = classes
        self.weight = weight
        self.log_prior = log_prior
        self._distinct_weight, first, index = np.unique(
            weight, return_index=True, return_inverse=True
        )
        # Each row's class and weight as one number.
        self._n_classes = log_prior.shape[1]
        self._key = index * self._n_classes + classes
        self._n_keys = len(self._distinct_weight) * self._n_classes
        self._own_log_prior = np.zeros(self._n_keys)
        self._own_log_prior[self._key] = log_prior[np.arange(len(classes)), classes]
        # Rows of one weight have the same prior of the classes that are not their own.
        self._log_prior = log_prior[first]
        own = classes[first]
        of_weight, other = np.unique(index[classes != own[index]], return_index=True)
        other = np.flatnonzero(classes != own[index])[other]
        own = own[of_weight]
        self._log_prior[of_weight, own] = log_prior[other, own]

    def distinct(self, codes):
        """Return the :class:`DistinctCells` of a column of codes (n,)."""
        cells = codes.astype(np.int64) * self._n_keys + self._key
        size = int(cells.max()) + 1
        if size <= _MAX_COUNTS_PER_ROW * len(cells):  # counting is faster than sorting
            distinct = np.flatnonzero(np.bincount(cells, minlength=size))
            rank = np.zeros(size, dtype=np.int64)
            rank[distinct] = np.arange(len(distinct))
            index = rank[cells]
        else:
            distinct, index = np.unique(cells, return_inverse=True)
        code, key = np.divmod(distinct, self._n_keys)
        of_weight, classes = np.divmod(key, self._n_classes)
        groups, group = np.unique(distinct // self._n_classes, return_inverse=True)
        group_code, group_weight = np.divmod(groups, len(self._distinct_weight))
        return DistinctCells(
            code,
            classes,
            self._distinct_weight[of_weight],
            np.bincount(index, self.weight),
            index,
            self._own_log_prior[key],
            group,
            group_code,
            self._distinct_weight[group_weight],
            self._log_prior[group_weight],
        )
