"""The largest inner products, as nearest rows of one length.

Code under test: `ProductRows` in `search/_hashed/_dense_rows.py`,
and the metric "inner_product" of `LSHNeighbors`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors
from sklearn_bayeslazy.search import Metric, ProductRows


def table(n, d=8, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.lognormal(sigma=0.7, size=(n, 1))
    return X.astype(dtype)


def nearest(queries, X, k):
    products = queries.astype(np.float64) @ X.astype(np.float64).T
    order = np.argsort(-products, axis=1, kind="stable")[:, :k]
    return -np.take_along_axis(products, order, axis=1), order


def test_distances_are_products_by_hand():
    """2·1 + 1·2 = 4, 2·0 + 1·3 = 3, 2·(-1) + 1·0 = -2."""
    X = np.array([[1.0, 2.0], [0.0, 3.0], [-1.0, 0.0]])
    engine = LSHNeighbors(3, metric="inner_product").fit(X)
    distances, found = engine.kneighbors([[2.0, 1.0]])
    assert_array_equal(found, [[0, 1, 2]])
    assert_array_equal(distances, [[-4.0, -3.0, 2.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e15])
@pytest.mark.parametrize("n", [100, 3000])
def test_all_rows_read_is_exact_search(n, scale, dtype):
    X, queries = table(n, dtype=dtype) * dtype(scale), table(40, seed=1, dtype=dtype)
    queries[3] = 0.0
    engine = LSHNeighbors(5, metric="inner_product", recall=1.0).fit(X)
    distances, found = engine.kneighbors(queries)
    expected, order = nearest(queries, X, 5)
    largest = np.abs(X).max() * np.abs(queries).max()
    assert_allclose(distances, expected, rtol=1e-9, atol=1e-12 * largest)
    assert_array_equal(np.delete(found, 3, axis=0), np.delete(order, 3, axis=0))


@pytest.mark.parametrize("longest", [1.0, 1e6, 1e10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [50, 3000])
def test_equal_products_are_in_the_order_of_rows(n, dtype, longest):
    """Products of small integers are exact, so most are equal to others."""
    rng = np.random.default_rng(1)
    X, queries = (rng.integers(-2, 3, (m, 3)).astype(dtype) for m in (n, 20))
    X[7] *= longest
    engine = LSHNeighbors(5, metric="inner_product", recall=1.0).fit(X)
    distances, found = engine.kneighbors(queries)
    expected, order = nearest(queries, X, 5)
    assert_array_equal(distances, expected)
    assert_array_equal(found, order)
    _, within = engine.radius_neighbors(queries, -1.0)
    for q, product in enumerate(queries @ X.T):
        assert_array_equal(np.sort(within[q]), np.flatnonzero(product >= 1.0))
    added = LSHNeighbors(5, metric="inner_product", recall=1.0).fit(X[:40])
    assert_array_equal(added.partial_fit(X[40:]).kneighbors(queries)[1], order)


@pytest.mark.parametrize("family", ["balanced", "random_projection", "super_bit"])
@pytest.mark.parametrize("d", [8, 100])
def test_recall_is_reached(family, d):
    X = table(5000, d, dtype=np.float32)
    engine = LSHNeighbors(
        10, metric="inner_product", hash_family=family, recall=0.9, random_state=0
    ).fit(X[:4500])
    expected, _ = nearest(X[4500:], X[:4500], 10)
    distances, _ = engine.kneighbors(X[4500:])
    recall = np.mean(distances <= expected[:, -1:] + 1e-4 * np.abs(expected[:, -1:]))
    assert recall > 0.88
    assert abs(engine.recall_report(X[4500:]).recall - recall) < 0.01
    alone = engine.kneighbors(return_distance=False)
    assert not np.any(alone == np.arange(4500)[:, None])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_that_are_longer_than_all_before_can_be_added(kind):
    def stored(X):
        return csr_array(X * (np.abs(X) > 0.3)) if kind == "sparse" else X

    X, queries = table(900), stored(table(30, seed=1))
    engine = LSHNeighbors(5, metric="inner_product", recall=1.0).fit(stored(X[:500]))
    X[700] *= 50.0
    for start in range(500, 900, 50):
        engine.partial_fit(stored(X[start : start + 50]))
        once = LSHNeighbors(5, metric="inner_product", recall=1.0)
        expected = once.fit(stored(X[: start + 50])).kneighbors(queries)
        distances, found = engine.kneighbors(queries)
        assert_array_equal(found, expected[1])
        assert_allclose(distances, expected[0], rtol=1e-9, atol=1e-9)
    engine.remove(700)
    assert 700 not in engine.kneighbors(queries)[1]


def test_sparse_rows_find_what_the_inverted_index_finds():
    X = csr_array(table(3000, 30) * (np.random.default_rng(2).random((3000, 30)) < 0.2))
    exact = InvertedIndexNeighbors(5, metric="dot").fit(X[:2800])
    engine = LSHNeighbors(5, metric="inner_product", recall=0.9, random_state=0)
    expected = exact.kneighbors(X[2800:])[0]
    distances = engine.fit(X[:2800]).kneighbors(X[2800:])[0]
    assert np.mean(distances <= expected[:, -1:] + 1e-9) > 0.88
    with pytest.raises(ValueError, match="needs hash_family='balanced'"):
        engine.set_params(hash_family="super_bit").fit(X)


def test_rows_within_a_radius_are_those_of_larger_products():
    X, queries = table(600), table(20, seed=1)
    engine = LSHNeighbors(metric="inner_product", recall=1.0, radius=-3.0).fit(X)
    distances, found = engine.radius_neighbors(queries)
    for q, product in enumerate(queries @ X.T):
        assert_array_equal(np.sort(found[q]), np.flatnonzero(product >= 3.0))
        assert_allclose(distances[q], -np.sort(product[product >= 3.0])[::-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_columns_bring_rows_to_one_length_to_double_precision(dtype):
    rows = ProductRows.transformed(table(500, 20, dtype=dtype), Metric("inner_product"))
    squares = np.einsum("ij,ij->i", rows.X, rows.X, dtype=np.float64)
    assert_allclose(squares, rows.bound**2, rtol=1e-13)


def test_names_of_other_packages_are_explained():
    with pytest.raises(ValueError, match="metric='inner_product'"):
        LSHNeighbors(metric="ip").fit(table(10))
