"""Cells of a column of codes whose rows are left out one by one, each kind once.

Rows of one code, class and removed weight have the same leave-one-out score. So a
column is scored on its distinct combinations, which are few.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class DistinctCells:
    """The distinct combinations of code, class and removed weight in a column.

    Attributes
    ----------
    code, classes : int arrays of shape (n_distinct,)
    removed : ndarray of shape (n_distinct,)
        The weight that leaving out a row removes.
    log_prior : ndarray of shape (n_distinct, n_classes)
        log P(class) without a row.
    weight : ndarray of shape (n_distinct,)
        The total weight of the rows.
    index : int array of shape (n,)
        The combination of each left-out row.
    """

    code: np.ndarray
    classes: np.ndarray
    removed: np.ndarray
    log_prior: np.ndarray
    weight: np.ndarray
    index: np.ndarray


class LeftOutCells:
    """The classes and weights of rows that are left out one by one.

    Parameters
    ----------
    classes : int array of shape (n,)
    weight : ndarray of shape (n,)
        Leaving out a row removes one copy of it, min(1, weight).
    log_prior : ndarray of shape (n, n_classes)
        log P(class) without the row.

    Attributes
    ----------
    removed : ndarray of shape (n,)
    """

    def __init__(self, classes, weight, log_prior):
        self.classes = classes
        self.weight = weight
        self.log_prior = log_prior
        self.removed = np.minimum(1.0, weight)
        distinct, index = np.unique(self.removed, return_inverse=True)
        n_classes = log_prior.shape[1]
        self._key = index * n_classes + classes
        self._n_keys = len(distinct) * n_classes

    def distinct(self, codes):
        """Return the :class:`DistinctCells` of a column of codes (n,)."""
        _, first, index = np.unique(
            codes.astype(np.int64) * self._n_keys + self._key,
            return_index=True,
            return_inverse=True,
        )
        return DistinctCells(
            codes[first],
            self.classes[first],
            self.removed[first],
            self.log_prior[first],
            np.bincount(index, self.weight),
            index,
        )
