"""Log-likelihood terms of single columns of codes, each row left out in turn.

Rows of one code, class and removed weight have the same term. So a column is scored on
its distinct combinations, which are few, for many m at once.
"""

from dataclasses import dataclass

import numpy as np

from ..._leave_one_out import MAX_LOG_LOSS, classification_losses


@dataclass
class LeftOutColumn:
    """A column at its best m.

    Attributes
    ----------
    m : float
        The number of virtual examples.
    loss : float
        The mean leave-one-out log loss of the column with the class prior.
    distinct : ndarray of shape (n_distinct, n_classes)
        log P(value | class) without the row, for each distinct combination of value,
        class and removed weight; 0 where the cell is missing.
    index : int array of shape (n,)
        The combination of each left-out row.
    """

    m: float
    loss: float
    distinct: np.ndarray
    index: np.ndarray

    def terms(self, rows):
        """Return the terms (n_rows, n_classes) of some left-out rows."""
        return self.distinct[self.index[rows]]


def tune_column(codes, counts, rows, log_prior, m_candidates):
    """Return the :class:`LeftOutColumn` of a column of codes.

    Parameters
    ----------
    codes : int array of shape (n,)
        The codes of the left-out rows; K where the cell is missing.
    counts : ndarray of shape (K, n_classes)
        The counts of all rows, the left-out ones included.
    rows : LeftOutCells
    log_prior : ndarray of shape (n, n_classes)
        log P(class) without the row.
    m_candidates : list of float or "laplace"
    """
    n_values, n_classes = counts.shape
    first, inverse, weight = rows.distinct(codes)
    code, classes, removed = codes[first], rows.classes[first], rows.removed[first]
    prior = log_prior[first]
    count = np.append(counts, np.zeros((1, n_classes)), axis=0)[code]
    observed = np.repeat(counts.sum(axis=0)[None], len(code), axis=0)
    true_class = np.arange(len(code)), classes
    count[true_class] = np.maximum(count[true_class] - removed, 0.0)
    observed[true_class] = np.maximum(observed[true_class] - removed, 0.0)
    best = None
    for m in m_candidates:
        terms = log_estimate(count, observed, m, n_values)
        terms[code == n_values] = 0.0
        losses, _ = classification_losses(prior + terms, classes, prior)
        loss = np.sum(np.minimum(losses, MAX_LOG_LOSS) * weight) / weight.sum()
        if best is None or loss < best.loss:
            best = LeftOutColumn(m, loss, terms, inverse.astype(np.int32))
    return best


def log_estimate(count, observed, m, n_values):
    """Return log (count + m / K) / (observed + m), log 1/K where both sums are 0.

    >>> float(np.exp(log_estimate(np.array(2.0), np.array(9.0), 0.0, 3))).__round__(4)
    0.2222
    """
    n_values = max(n_values, 1)  # a column of missing cells
    m = float(n_values) if isinstance(m, str) else m
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = (count + m / n_values) / (observed + m)
        return np.log(np.where(observed + m > 0, estimate, 1 / n_values))


class LeftOutCells:
    """The classes, weights and removed weights of rows left out one by one.

    Parameters
    ----------
    classes : int array of shape (n,)
    weight : ndarray of shape (n,)
        Leaving out a row removes one copy of it, min(1, weight).
    n_classes : int
    """

    def __init__(self, classes, weight, n_classes):
        self.classes = classes
        self.weight = weight
        self.removed = np.minimum(1.0, weight)
        distinct, index = np.unique(self.removed, return_inverse=True)
        self._key = index * n_classes + classes
        self._n_keys = len(distinct) * n_classes

    def distinct(self, codes):
        """Return the distinct combinations of code, class and removed weight.

        Returns
        -------
        first : int array
            A row of each combination.
        inverse : int array of shape (n,)
            The combination of each row.
        weight : ndarray
            The total weight of each combination.
        """
        _, first, inverse = np.unique(
            codes.astype(np.int64) * self._n_keys + self._key,
            return_index=True,
            return_inverse=True,
        )
        return first, inverse, np.bincount(inverse, self.weight)
