"""Log-likelihood terms of single columns of codes, each row left out in turn."""

from dataclasses import dataclass

import numpy as np

from ...leave_one_out import classification_losses
from .._columns import log_m_estimate


@dataclass
class LeftOutColumn:
    """A column of left-out rows at its best m."""

    m: float  # the number of virtual examples, or "laplace"
    loss: float  # the mean leave-one-out log loss of the column with the class prior
    # (n_distinct, n_classes), log P(value | class) without the row, for each distinct
    # combination of value, class and removed weight; 0 where the cell is missing.
    distinct: np.ndarray
    index: np.ndarray  # int, (n,), the combination of each left-out row

    def terms(self, rows):
        """Return the terms (n_rows, n_classes) of some left-out rows."""
        return self.distinct[self.index[rows]]


def tune_column(codes, counts, rows, m_candidates):
    """Return the :class:`LeftOutColumn` of a column of codes."""
    # codes: (n,), of the left-out rows, K where the cell is missing; counts:
    # (K, n_classes), of all rows, the left-out ones included. rows: LeftOutCells.
    n_values, n_classes = counts.shape
    cells = rows.distinct(codes)
    count = np.append(counts, np.zeros((1, n_classes)), axis=0)[cells.code]
    observed = np.repeat(counts.sum(axis=0)[None], len(count), axis=0)
    true_class = np.arange(len(count)), cells.classes
    count[true_class] = np.maximum(count[true_class] - cells.removed, 0.0)
    observed[true_class] = np.maximum(observed[true_class] - cells.removed, 0.0)
    best = None
    for m in m_candidates:
        terms = log_estimate(count, observed, m, n_values)
        terms[cells.code == n_values] = 0.0
        losses, _ = classification_losses(
            cells.log_prior + terms, cells.classes, cells.log_prior
        )
        loss = np.sum(losses * cells.weight) / cells.weight.sum()
        if best is None or loss < best.loss:
            best = LeftOutColumn(m, loss, terms, cells.index.astype(np.int32))
    return best


def log_estimate(count, observed, m, n_values):
    """Return log (count + m / K) / (observed + m), log 1/K where both sums are 0.

    >>> float(np.exp(log_estimate(np.array(2.0), np.array(9.0), 0.0, 3))).__round__(4)
    0.2222
    """
    n_values = max(n_values, 1)  # a column of missing cells
    m = float(n_values) if isinstance(m, str) else m
    return log_m_estimate(count, observed, m, 1 / n_values)
