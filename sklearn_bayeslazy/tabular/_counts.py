"""Counts of codes, m-estimates of probabilities from them, sums of their logarithms.

The codes of all columns are numbered one after the other; the number of a code is its
*position* (see `Codebook`). A row of a table is the list of its cells' positions. Here
are two columns of two values each, and three rows of the classes 0, 0 and 1:

>>> import numpy as np
>>> from sklearn_bayeslazy.tabular import (
...     CellRows,
...     add_counts,
...     add_table_rows,
...     m_estimate,
...     sum_by_column,
... )
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

from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, kernel


class CellRows(NamedTuple):
    """Rows of cells, as a CSR matrix stores them."""

    # int64, (n_rows + 1,): where the cells of each row begin. `add_counts` also takes
    # None, where each row has one cell: it then needs half the time.
    starts: np.ndarray | None
    positions: np.ndarray  # int32, (n_cells,): the position of each cell's code
    values: np.ndarray | None = None  # int64 or float64, (n_cells,); None for ones

    @classmethod
    def of(cls, positions, values=None):
        """Return the rows of a dense table of positions (n_rows, n_columns)."""
        n_rows, n_columns = positions.shape
        starts = np.arange(n_rows + 1) * n_columns
        if values is not None:
            values = frozen(values, np.float64).reshape(-1)
        return cls(
            frozen(starts, np.int64), frozen(positions, np.int32).reshape(-1), values
        )


def add_counts(cells, offset, weight, stride, counts):
    """Add the weight of each row to the counts of its cells, in the order of rows."""
    # A cell adds weight · value to ``counts.flat[offset + stride · position]``.
    # offset, weight: (n_rows,). With the class of each row as the offset and the number
    # of classes as the stride, `counts` are of shape (n_positions, n_classes).
    _add_counts(
        *cells,
        frozen(offset, np.int64),
        frozen(weight, np.float64),
        int(stride),
        counts.reshape(-1),
    )


def add_table_rows(cells, table, out):
    """Add the rows of a table that the cells of each row name, times their values."""
    # table: (n_positions, n_classes); out: (n_rows, n_classes). The sum over a row does
    # not depend on other rows.
    _add_table_rows(*cells, frozen(table, np.float64), out)


def sum_by_column(counts, start):
    """Return the sums of rows start[j] … start[j + 1] - 1, 0 where there are none."""
    sums = np.zeros((len(start) - 1, *counts.shape[1:]))
    nonempty = np.flatnonzero(np.diff(start))
    if len(nonempty):
        sums[nonempty] = np.add.reduceat(counts, start[nonempty], axis=0)
    return sums


def without_each_row(counts, classes, removed):
    """Return counts by (row, class), that of each row's class without the row.

    >>> without_each_row(np.array([[3.0, 5.0], [3.0, 5.0]]), [0, 1], [1.0, 2.0])
    array([[2., 5.],
           [3., 3.]])
    """
    # counts: (n_rows, n_classes), or those of all rows; classes, removed: (n_rows,).
    # A sum of weights may be rounded to less than one of them.
    left = np.array(np.broadcast_to(counts, (len(classes), np.shape(counts)[-1])))
    of_row = np.arange(len(left)), classes
    left[of_row] = np.maximum(left[of_row] - removed, 0.0)
    return left


def m_estimate(count, total, m, prior, prior_sum=1.0):
    """Return (n_v + m p_v) / (n + m q), the prior where that is 0 / 0; all broadcast.

    >>> float(m_estimate(2.0, 9.0, 0.0, 1 / 3))  # P(sunny | yes), m = 0
    0.2222222222222222
    >>> float(m_estimate(0.0, 0.0, 0.0, 1 / 3))  # nothing seen: the prior
    0.3333333333333333
    """
    # m virtual examples are drawn from a prior: pseudo-counts p_v for each virtual
    # example, whose sum q need not be 1. Where nothing is seen and m = 0, the estimate
    # is its limit for m → 0. Source: T. Mitchell (1997), Machine Learning, section
    # 6.9.1.1.
    with np.errstate(all="ignore"):  # the caller refuses what overflows
        denominator = total + m * prior_sum
        quotient = np.divide(count + m * prior, denominator)
        return np.where(denominator > 0, quotient, np.divide(prior, prior_sum))


def log_m_estimate(count, total, m, prior, prior_sum=1.0):
    """Return the logarithm of `m_estimate`, exactly 0 for a probability of 1."""
    with np.errstate(divide="ignore"):
        return np.log(m_estimate(count, total, m, prior, prior_sum))


@kernel
def _add_counts(starts, positions, values, offset, weight, stride, counts):
    step = np.uint64(stride)  # for unsigned indices numba omits the test for < 0
    for i in range(offset.shape[0]):
        first = np.uint64(offset[i])
        w = weight[i]
        start = i if starts is None else starts[i]
        end = i + 1 if starts is None else starts[i + 1]
        for k in range(start, end):
            at = first + np.uint64(positions[np.uint64(k)]) * step
            counts[at] += w if values is None else w * float(values[np.uint64(k)])


@kernel
def _add_table_rows(starts, positions, values, table, out):
    # Classes are added up four, two and one at a time, so that their sums stay in
    # registers.
    n_classes = out.shape[1]
    n_in_fours = n_classes - n_classes % 4
    for i in range(out.shape[0]):
        first, last = starts[i], starts[i + 1]
        for c in range(0, n_in_fours, 4):
            c0 = np.uint64(c)
            c1, c2, c3 = np.uint64(c + 1), np.uint64(c + 2), np.uint64(c + 3)
            s0 = s1 = s2 = s3 = 0.0
            for k in range(first, last):
                position = np.uint64(positions[np.uint64(k)])
                x = 1.0 if values is None else float(values[np.uint64(k)])
                s0 += x * table[position, c0]
                s1 += x * table[position, c1]
                s2 += x * table[position, c2]
                s3 += x * table[position, c3]
            out[i, c] += s0
            out[i, c + 1] += s1
            out[i, c + 2] += s2
            out[i, c + 3] += s3
        for c in range(n_in_fours, n_classes - 1, 2):
            c0, c1 = np.uint64(c), np.uint64(c + 1)
            s0 = s1 = 0.0
            for k in range(first, last):
                position = np.uint64(positions[np.uint64(k)])
                x = 1.0 if values is None else float(values[np.uint64(k)])
                s0 += x * table[position, c0]
                s1 += x * table[position, c1]
            out[i, c] += s0
            out[i, c + 1] += s1
        if n_classes % 2 == 1:
            c0 = np.uint64(n_classes - 1)
            s0 = 0.0
            for k in range(first, last):
                position = np.uint64(positions[np.uint64(k)])
                x = 1.0 if values is None else float(values[np.uint64(k)])
                s0 += x * table[position, c0]
            out[i, n_classes - 1] += s0
