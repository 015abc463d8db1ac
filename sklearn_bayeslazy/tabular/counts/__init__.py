"""Counts of codes, m-estimates of probabilities from them, sums of their logarithms.

The codes of all columns are numbered one after the other; the number of a code is its
*position* (see `Codebook`). A row of a table is the list of its cells' positions. Here
are two columns of two values each, and three rows of the classes 0, 0 and 1:

>>> import numpy as np
>>> from sklearn_bayeslazy.tabular.counts import *
>>> cells = CellRows.of(np.array([[0, 2], [1, 2], [1, 3]]))
>>> counts = np.zeros((4, 2))
>>> add_counts(cells, np.array([0, 0, 1]), np.ones(3), 2, counts)
>>> counts.T  # by class: the counts of the first column's values, then the second's
array([[1., 1., 2., 0.],
       [0., 1., 0., 1.]])
>>> observed = sum_by_column(counts, np.array([0, 2, 4]))
>>> probability = m_estimate(counts, observed.repeat(2, axis=0), 2.0, 1 / 2)
>>> probability[1]  # (1 + 2 · 1/2) / (2 + 2) and (1 + 2 · 1/2) / (1 + 2)
array([0.5       , 0.66666667])
>>> log_likelihood = np.zeros((3, 2))
>>> add_table_rows(cells, np.log(probability), log_likelihood)
>>> bool(np.isclose(np.exp(log_likelihood[0, 0]), 2 / 4 * 3 / 4))
True

Counts are sums over rows. So those of two tables add up, and those without a row are
differences.
"""

from ._counts import (
    CellRows,
    add_counts,
    add_table_rows,
    log_m_estimate,
    m_estimate,
    sum_by_column,
    without_each_row,
)

__all__ = [
    "CellRows",
    "add_counts",
    "add_table_rows",
    "log_m_estimate",
    "m_estimate",
    "sum_by_column",
    "without_each_row",
]
