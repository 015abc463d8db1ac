"""Codebook: sparse rows have the codes of the same dense rows."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.codebooks import UNKNOWN, book, encode, learn


def sparse_and_dense(seed, unknown=0):
    """Return a sparse table and its dense copy: zeros, a full column, large values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3 + unknown, (40, 5)) * (rng.random((40, 5)) < 0.4).astype(
        float
    )
    X[:, 1] *= 2500.5
    X[:, 3] = rng.integers(1, 4 + unknown, 40)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 4] = 0
    rows = sparse.csr_array(X)
    rows.data[rng.random(rows.nnz) < 0.1] = 0  # zeros that are stored
    return rows, rows.toarray()


@pytest.mark.parametrize("seed", range(5))
def test_sparse_rows_have_the_codes_of_the_same_dense_rows(seed):
    rows, X = sparse_and_dense(seed)
    codebook, of_dense = learn(rows), learn(X)
    for values, dense_values in zip(codebook.values, of_dense.values):
        np.testing.assert_array_equal(values, dense_values)
    rows, X = sparse_and_dense(seed + 100, unknown=2)
    expected = encode(of_dense, X)
    assert (expected == UNKNOWN).any()
    np.testing.assert_array_equal(encode(codebook, rows), expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 4], [3, 0]])
def test_stored_codes_and_the_code_of_zero_are_all_codes(seed, columns):
    rows, X = sparse_and_dense(seed)
    codebook = learn(X).part(columns)
    rows, X = sparse_and_dense(seed + 100, unknown=2)
    table = read_table(rows)
    codes = np.broadcast_to(codebook.code_zero(), (40, len(columns))).copy()
    stored = codebook.encode_stored(table)
    assert stored.dtype == np.int32
    row_of = np.repeat(np.arange(40), np.diff(table.values.indptr))
    for i, column_, code in zip(row_of, table.values.indices, stored):
        if column_ in columns:
            codes[i, columns.index(column_)] = code
        else:
            assert code == MISSING
    np.testing.assert_array_equal(codes, encode(codebook, X))


def test_cut_columns_of_sparse_rows():
    X = np.array([[0, -3.0], [5.0, 0], [0, np.nan]])
    codebook = book([-1, 1], [0], is_cut=True)
    assert codebook.code_zero().tolist() == [1, 1]
    table = read_table(sparse.csr_array(X))
    assert codebook.encode_stored(table).tolist() == [0, 2, MISSING]
    assert (
        encode(codebook, sparse.csr_array(X)).tolist() == encode(codebook, X).tolist()
    )


@pytest.mark.parametrize(
    ("known", "unknown", "shown"),
    [
        ([[0, 1], [2, 3]], [[0, 1], [5, 3]], r"5\.0 in column '0'"),
        ([[0, 1], [2, 3]], [[0, 1], [2, 0]], r"0\.0 in column '1'"),  # not stored
    ],
)
def test_an_unknown_cell_of_sparse_rows_is_refused_by_name(known, unknown, shown):
    codebook = learn(sparse.csr_array(np.array(known, float)))
    table = read_table(sparse.csr_array(np.array(unknown, float)))
    with pytest.raises(ValueError, match=f"unknown category {shown}"):
        codebook.encode_stored(table, refuse_unknown=True)
    same = read_table(sparse.csr_array(np.array(known, float)))
    stored = codebook.encode_stored(same, refuse_unknown=True)
    assert stored.tolist() == [0, 1, 1]
