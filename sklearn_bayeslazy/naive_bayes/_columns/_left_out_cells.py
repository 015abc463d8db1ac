"""Cells of a column of codes whose rows are left out one by one, each kind once.

Rows of one code, class and weight have the same leave-one-out score. So a
column is scored on its distinct combinations, which are few.
"""

from dataclasses import dataclass

import numpy as np

_MAX_COUNTS_PER_ROW = 4


@dataclass
class DistinctCells:
    """The distinct combinations of code, class and weight in a column."""

    code: np.ndarray  # int, (n_distinct,)
    classes: np.ndarray  # int, (n_distinct,)
    removed: np.ndarray  # (n_distinct,), the weight of a row
    log_prior: np.ndarray  # (n_distinct, n_classes), log P(class) without a row
    weight: np.ndarray  # (n_distinct,), the total weight of the rows
    index: np.ndarray  # int, (n,), the combination of each left-out row


class LeftOutCells:
    """The classes and weights of rows that are left out one by one."""

    # classes (int), weight: (n,); log_prior: (n, n_classes), log P(class) without the
    # row.

    def __init__(self, classes, weight, log_prior):
        self.classes = classes
        self.weight = weight
        self.log_prior = log_prior
        self._distinct_weight, index = np.unique(weight, return_inverse=True)
        # Each row's class and weight as one number.
        self._n_classes = log_prior.shape[1]
        self._key = index * self._n_classes + classes
        self._n_keys = len(self._distinct_weight) * self._n_classes
        self._log_prior_of_key = np.zeros((self._n_keys, self._n_classes))
        self._log_prior_of_key[self._key] = log_prior

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
        removed, classes = np.divmod(key, self._n_classes)
        return DistinctCells(
            code,
            classes,
            self._distinct_weight[removed],
            self._log_prior_of_key[key],
            np.bincount(index, self.weight),
            index,
        )
