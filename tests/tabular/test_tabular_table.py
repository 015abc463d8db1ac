"""Table: blocks, slices and rows of dense, mixed and sparse tables.

Code under test: `tabular/_table.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context

from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._read import read_table

SEEDS = range(5)


def dense():
    return read_table(np.arange(24.0).reshape(6, 4))


def mixed():
    return read_table(
        pd.DataFrame(
            {
                "colour": ["red", "blue", None, "red", "green", "blue"],
                "ready": [True, False, True, None, True, True],
                "amount": [0.5, np.nan, 2, 3, 4, 5],
            },
        ).astype({"colour": object, "ready": object})
    )


def stored_twice():
    """Return unsorted sparse rows with a stored zero and a cell stored twice."""
    data, indices = [5.0, 0.0, 1.0, 2.0, np.nan], [2, 0, 1, 1, 0]
    return sparse.csr_array((data, indices, [0, 2, 4, 4, 5]), shape=(4, 3))


def random_sparse(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (30, 5)) * (rng.random((30, 5)) < 0.4).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
@pytest.mark.parametrize("shape", [(1, 1), (40_000, 9), (100, 3000)])
def test_blocks_hold_every_row_once_in_order(shape, dtype, order):
    X = np.random.default_rng(0).integers(0, 100, shape).astype(dtype, order=order)
    table = read_table(X)
    rows = list(table.block_rows())
    assert [block.start for block in rows[1:]] == [block.stop for block in rows[:-1]]
    cells = [table.numbers(np.arange(shape[1]), block) for block in rows]
    np.testing.assert_array_equal(np.concatenate(cells), X)


@pytest.mark.parametrize("working_memory", [1, 1000])
def test_blocks_depend_on_the_table_alone(working_memory):
    X = np.zeros((40_000, 9), dtype=np.int16)
    expected = list(read_table(X).block_rows())
    with config_context(working_memory=working_memory):
        some = list(read_table(X).block_rows())
    assert some == expected


@pytest.mark.parametrize("columns", [[0, 1, 2], [2, 0], [1], [0, 2], [0, 2, 1, 3]])
def test_columns_come_in_the_given_order(columns):
    X = dense().values
    for table in (
        dense(),
        read_table(pd.DataFrame(X)),
        read_table(sparse.csr_array(X)),
    ):
        block = table.numbers(np.array(columns), slice(1, 4))
        np.testing.assert_array_equal(block, X[1:4, columns])
        assert block.flags.c_contiguous


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        *((np.int8, np.int64), (np.uint32, np.int64), (np.int64, np.int64)),
        *((np.uint64, np.float64), (np.float32, np.float64)),
    ],
)
def test_cells_of_integers_stay_integers(dtype, expected):
    X = np.array([[1, 2], [3, 100]], dtype=dtype)
    cells = read_table(X).cells(np.array([1, 0]), slice(0, 2))
    assert cells.dtype == expected
    assert cells.tolist() == [[2, 1], [100, 3]]


def test_large_integers_are_exact_as_cells():
    X = np.array([[2**53], [2**53 + 1]])
    cells = read_table(X).cells(np.array([0]), slice(0, 2))
    assert cells.tolist() == X.tolist()


def test_booleans_are_the_numbers_0_and_1_where_numbers_are_needed():
    numbers = mixed().column(1)
    np.testing.assert_array_equal(numbers, [1, 0, 1, np.nan, 1, 1])


def test_labels_where_numbers_are_needed_are_refused_by_column():
    with pytest.raises(TypeError, match=r"'colour' holds labels .*'blue'"):
        mixed().column(0)


def test_taken_rows_drop_the_labels_that_none_of_them_has():
    rows = np.array([1, 2, 5])
    taken = mixed().take(rows)
    assert taken.n_rows == 3
    assert taken.labels(0).categories.tolist() == ["blue"]
    assert taken.labels(0).codes.tolist() == [0, MISSING, 0]
    assert taken.labels(1).categories.tolist() == [False, True]
    np.testing.assert_array_equal(taken.column(2), [np.nan, 2, 5])


def test_a_slice_keeps_all_labels():
    part = mixed().slice_rows(slice(1, 3))
    assert part.n_rows == 2
    assert part.labels(0).categories.tolist() == ["blue", "green", "red"]
    assert part.labels(0).codes.tolist() == [0, MISSING]
    np.testing.assert_array_equal(part.column(2), [np.nan, 2])


@pytest.mark.parametrize("rows", [[True, False, False, True], [0, 3]])
@pytest.mark.parametrize("source", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_rows_are_taken_by_mask_or_index(source, rows):
    X = np.arange(8.0).reshape(4, 2)
    taken = read_table(source(X)).take(np.array(rows))
    assert (taken.n_rows, taken.n_columns) == (2, 2)
    assert taken.names == read_table(source(X)).names
    np.testing.assert_array_equal(
        taken.numbers(np.array([0, 1]), slice(0, 2)), X[[0, 3]]
    )


def test_dense_slices_are_views():
    table = dense()
    assert np.shares_memory(table.slice_rows(slice(2, 4)).values, table.values)


def test_a_cell_stored_twice_is_the_sum_and_the_callers_matrix_stays():
    X = stored_twice()
    before = (X.data.copy(), X.indices.copy(), X.indptr.copy())
    block = read_table(X).numbers(np.arange(3), slice(0, 4))
    expected = [[0, 0, 5], [0, 3, 0], [0, 0, 0], [np.nan, 0, 0]]
    np.testing.assert_array_equal(block, expected)
    for array, old in zip((X.data, X.indices, X.indptr), before):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 4], [3, 1]])
def test_stored_cells_by_column_have_their_index_in_the_rows(seed, columns):
    X = random_sparse(seed)
    table = read_table(sparse.csr_array(X))
    by_column, order = table.by_column(np.array(columns))
    np.testing.assert_array_equal(by_column.toarray(), X[:, columns])
    np.testing.assert_array_equal(table.values.data[order], by_column.data)
    columns_of_order = table.values.indices[order]
    np.testing.assert_array_equal(
        columns_of_order, np.repeat(columns, np.diff(by_column.indptr))
    )


@pytest.mark.parametrize(
    ("column", "values", "cells"),
    [
        (0, ["blue", "green", "red"], ["red", "blue", None, "red", "green", "blue"]),
        (2, [0.5, 2.0, 3.0, 4.0, 5.0], [0.5, None, 2.0, 3.0, 4.0, 5.0]),
    ],
)
def test_distinct_values_and_codes_give_the_cells(column, values, cells):
    found, codes = mixed().distinct(column)
    assert found == values
    assert [None if code == MISSING else found[code] for code in codes] == cells
