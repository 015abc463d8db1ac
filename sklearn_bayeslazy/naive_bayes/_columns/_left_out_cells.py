"""Cells of columns of codes whose rows are left out one by one, each kind once.

Rows of one code, class and weight have the same leave-one-out score. So each column is
scored on its distinct combinations, which are few. Without its row, a combination
changes the joint probability of one class, its own. Those of the other classes are
computed once for each code and weight, and summed from both ends of the classes: so the
time grows with the number of classes, and not with its square.
"""

from dataclasses import dataclass

import numpy as np

from ...leave_one_out import MAX_LOG_LOSS
from ...tabular import log_m_estimate

# Counting takes less time than sorting with at most this many counts for each cell.
_MAX_COUNTS_PER_CELL = 16


@dataclass
class DistinctCells:
    """The distinct combinations of code, class and weight in some columns."""

    # Those of the first column come first. The position of a code is its index among
    # the codes of all columns; that of a missing cell is the number of them.
    position: np.ndarray  # int, (n_distinct,)
    classes: np.ndarray  # int, (n_distinct,)
    removed: np.ndarray  # (n_distinct,), the weight of a row
    weight: np.ndarray  # (n_distinct,), the total weight of the rows
    index: np.ndarray  # int, (n_columns, n), the combination of each left-out row
    log_prior: np.ndarray  # (n_distinct,), log P(class of the row) without the row
    column: np.ndarray  # int, (n_distinct,)
    # The group of each combination: its code and weight, whatever the class.
    group: np.ndarray  # int, (n_distinct,)
    group_position: np.ndarray  # int, (n_groups,)
    group_removed: np.ndarray  # (n_groups,)
    # (n_groups, n_classes), log P(class) without a row of another class.
    group_log_prior: np.ndarray
    group_column: np.ndarray  # int, (n_groups,)

    def of_column(self, j):
        """Return the slice of the combinations of one column."""
        return slice(*np.searchsorted(self.column, [j, j + 1]))

    def terms(self, counts, totals, ms, prior):
        """Return log P(code | class) without each row, of other classes and its own."""
        # counts: (n_positions, n_classes), of all rows; totals: (n_columns, n_classes),
        # their sums by column. The terms of missing cells are 0. ms: (n_m, n_columns),
        # virtual examples; prior(position, removed): their distribution and its sum,
        # (n, 1 or n_classes).
        # Returns (n_m, n_groups, n_classes) and (n_m, n_distinct).
        of_others = np.zeros((len(ms), *self.group_log_prior.shape))
        known = self.group_position < len(counts)
        position, column = self.group_position[known], self.group_column[known]
        p, p_sum = prior(position, self.group_removed[known, None])
        of_others[:, known] = log_m_estimate(
            counts[position], totals[column], ms[:, column, None], p, p_sum
        )
        of_own = np.zeros((len(ms), len(self.position)))
        known = self.position < len(counts)
        position, column, own, removed = (
            x[known] for x in (self.position, self.column, self.classes, self.removed)
        )
        p, p_sum = (
            np.broadcast_to(x, (len(own), counts.shape[1]))[np.arange(len(own)), own]
            for x in prior(position, removed[:, None])
        )
        # A sum of weights may be rounded to less than one of them.
        count, left = (
            np.maximum(x - removed, 0.0)
            for x in (counts[position, own], totals[column, own])
        )
        of_own[:, known] = log_m_estimate(count, left, ms[:, column], p, p_sum)
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

    def most_groups(self, n_codes):
        """Return how many codes and weights differ at most in a column."""
        return min((n_codes + 1) * len(self._distinct_weight), len(self.weight))

    def distinct(self, codes, sizes):
        """Return the :class:`DistinctCells` of columns of codes (n_columns, n)."""
        # sizes: (n_columns,), how many codes there are; this is the code of a missing
        # cell.
        first = np.cumsum([0, *sizes]) + np.arange(len(sizes) + 1)
        cells = (codes + first[:-1, None]) * self._n_keys + self._key
        distinct, index = distinct_numbers(cells, int(first[-1]) * self._n_keys)
        key = distinct % self._n_keys
        of_weight, classes = np.divmod(key, self._n_classes)
        groups, group = np.unique(distinct // self._n_classes, return_inverse=True)
        slots, group_weight = np.divmod(groups, len(self._distinct_weight))
        column = np.searchsorted(first, slots, side="right") - 1
        is_missing = slots + 1 == first[column + 1]
        position = np.where(is_missing, np.sum(sizes), slots - column)
        weight = np.broadcast_to(self.weight, index.shape)
        return DistinctCells(
            position[group],
            classes,
            self._distinct_weight[of_weight],
            np.bincount(index.ravel(), weight.ravel()),
            index,
            self._own_log_prior[key],
            column[group],
            group,
            position,
            self._distinct_weight[group_weight],
            self._log_prior[group_weight],
            column,
        )


def distinct_numbers(cells, n_possible):
    """Return the distinct integers among cells, sorted, and the index of each cell's.

    >>> distinct_numbers(np.array([[5, 2], [5, 0]]), 7)
    (array([0, 2, 5]), array([[2, 1],
           [2, 0]]))
    """
    # cells: integers from 0 to n_possible - 1, of any shape, which the indices have.
    if n_possible > _MAX_COUNTS_PER_CELL * cells.size:
        distinct, index = np.unique(cells, return_inverse=True)
        return distinct, index.reshape(cells.shape)
    distinct = np.flatnonzero(np.bincount(cells.ravel(), minlength=n_possible))
    rank = np.zeros(n_possible, dtype=np.int64)
    rank[distinct] = np.arange(len(distinct))
    return distinct, rank[cells]
