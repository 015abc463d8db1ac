"""Counts, look-ups and m-estimates against loops over cells, and by pencil.

Code under test: `tabular/_counts.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bayeslazy._core._kernel import frozen
from sklearn_bayeslazy.tabular import (
    CellRows,
    add_counts,
    add_table_rows,
    log_m_estimate,
    m_estimate,
    sum_by_column,
)


def ragged_rows(seed, n_rows, n_positions, dtype):
    """Return rows of 0 to 5 cells; with a dtype, also values of the cells."""
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(rng.integers(6, size=n_rows)))
    positions = rng.integers(n_positions, size=starts[-1])
    values = None if dtype is None else rng.integers(1, 4, len(positions)).astype(dtype)
    return CellRows(frozen(starts, np.int64), frozen(positions, np.int32), values)


def cells_of(cells):
    """Yield (row, position, value) of each cell."""
    for i, (first, last) in enumerate(zip(cells.starts, cells.starts[1:])):
        for k in range(first, last):
            yield i, cells.positions[k], 1 if cells.values is None else cells.values[k]


@pytest.mark.parametrize("dtype", [None, np.int64, np.float64])
@pytest.mark.parametrize("seed", range(5))
def test_counts_are_sums_over_cells_in_the_order_of_rows(seed, dtype):
    rng = np.random.default_rng(seed)
    cells = ragged_rows(seed, 40, 7, dtype)
    classes, weight = rng.integers(3, size=40), rng.uniform(0.2, 3, size=40)
    by_class, by_position = np.zeros((7, 3)), np.zeros((3, 7))
    add_counts(cells, classes, weight, 3, by_class)
    add_counts(cells, 7 * classes, weight, 1, by_position)
    expected = np.zeros((7, 3))
    for i, position, value in cells_of(cells):
        expected[position, classes[i]] += weight[i] * value
    assert_array_equal(by_class, expected)
    assert_array_equal(by_position, expected.T)


def test_counts_of_two_parts_add_up_and_a_row_can_be_subtracted():
    cells = CellRows.of(np.array([[0, 2], [1, 3], [0, 3]]))
    classes, weight = np.array([0, 1, 1]), np.array([1.0, 2.0, 4.0])
    counts, parts, without = np.zeros((3, 4, 2))
    add_counts(cells, classes, weight, 2, counts)
    for rows in (slice(0, 1), slice(1, 3)):
        part = CellRows.of(np.array([[0, 2], [1, 3], [0, 3]])[rows])
        add_counts(part, classes[rows], weight[rows], 2, parts)
    assert_array_equal(parts, counts)
    add_counts(cells, classes, np.array([1.0, 0.0, 4.0]), 2, without)
    add_counts(CellRows.of(np.array([[1, 3]])), [1], [-2.0], 2, counts)
    assert_array_equal(counts, without)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 6, 7, 8, 20])
@pytest.mark.parametrize("dtype", [None, np.int64, np.float64])
def test_rows_of_a_table_are_added_for_any_number_of_classes(n_classes, dtype):
    cells = ragged_rows(n_classes, 30, 9, dtype)
    table = np.random.default_rng(n_classes).normal(size=(9, n_classes))
    out, expected = np.ones((2, 30, n_classes))
    add_table_rows(cells, table, out)
    for i, position, value in cells_of(cells):
        expected[i] += value * table[position]
    assert_allclose(out, expected, rtol=1e-13, atol=1e-13)


def test_a_row_of_a_table_that_is_impossible_stays_impossible():
    out = np.zeros((1, 2))
    add_table_rows(CellRows.of(np.array([[0, 1]])), [[-np.inf, 0], [1, 2]], out)
    assert_array_equal(out, [[-np.inf, 2]])


def test_the_rows_of_a_dense_table_have_its_cells():
    cells = CellRows.of(np.array([[3, 1], [0, 2]]), np.array([[0.5, 2], [1, 4]]))
    assert cells.starts.tolist() == [0, 2, 4]
    assert cells.positions.tolist() == [3, 1, 0, 2]
    assert cells.values.tolist() == [0.5, 2, 1, 4]
    assert CellRows.of(np.empty((3, 0))).starts.tolist() == [0, 0, 0, 0]


def test_rows_of_one_cell_need_no_starts():
    counts = np.zeros((3, 2))
    cells = CellRows(None, frozen([2, 0, 2], np.int32))
    add_counts(cells, np.array([0, 1, 0]), np.array([1.0, 2.0, 4.0]), 2, counts)
    assert counts.tolist() == [[0, 2], [0, 0], [5, 0]]


def test_a_column_without_values_sums_to_0():
    sums = sum_by_column(np.array([[1.0], [2.0], [4.0]]), np.array([0, 0, 2, 2, 3]))
    assert sums.ravel().tolist() == [0, 3, 0, 4]


def test_m_estimates_by_pencil():
    # Two of nine days are sunny; three virtual days by the priors 1/3 and 1/2.
    assert m_estimate(2, 9, 3, 1 / 3) == 3 / 12
    assert m_estimate(2, 9, 3, 1 / 2) == 3.5 / 12
    # Pseudo-counts whose sum is 2: six virtual days.
    assert m_estimate(2, 9, 3, 2 / 3, 2.0) == 4 / 15
    # Nothing seen and no virtual example: the limit for m to 0, the prior over its sum.
    assert m_estimate(0, 0, 0, 2 / 3, 2.0) == 1 / 3
    # An array of m and of priors by class.
    estimates = m_estimate(np.array([2.0, 0.0]), 9.0, np.array([1.0, 0.0]), [0.5, 0.2])
    assert estimates.tolist() == [2.5 / 10, 0]


def test_logarithms_of_m_estimates_of_0_and_1():
    assert log_m_estimate(3.0, 3.0, 0.0, 0.5) == 0
    assert log_m_estimate(0.0, 3.0, 0.0, 0.5) == -np.inf
