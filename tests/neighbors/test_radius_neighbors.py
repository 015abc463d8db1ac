"""Rows within a radius are those of scikit-learn, with one radius or one for each.

Code under test: `neighbors/_neighbor_lists.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import (
    InvertedIndexNeighbors,
    LSHNeighbors,
    ShepardKNN,
    ShepardKNNRegressor,
)

# The decimals of the rows make equal distances; these radii lie between distances.
RADII = (0.05, 0.25, 5.0)


def draw_rows(n=300):
    """Return training rows, queries and targets; many rows are equal."""
    rng = np.random.default_rng(0)
    return rng.random((n, 3)).round(1), rng.random((20, 3)).round(1), np.arange(n) % 3


def fitted(name, X, y):
    if name == "engine":
        engine = NearestNeighbors(algorithm="kd_tree")  # by differences: exact
        return ShepardKNN(5, algorithm=engine).fit(X, y)
    if name == "regressor":
        return ShepardKNNRegressor(5, metric="euclidean").fit(X, y)
    if name == "sparse":
        return ShepardKNN(5, metric="euclidean").fit(sparse.csr_array(X), y)
    if name == "inverted_index":
        return InvertedIndexNeighbors(metric="euclidean").fit(X)
    if name == "lsh":
        return LSHNeighbors(recall=1.0).fit(X)
    return ShepardKNN(5, metric="euclidean", algorithm=name).fit(X, y)


NAMES = ["brute", "kd_tree", "sparse", "regressor", "engine", "inverted_index", "lsh"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_training", [False, True])
def test_rows_are_those_of_all_distances(name, is_training):
    X, queries, y = draw_rows()
    model = fitted(name, X, y)
    given = None if is_training else queries
    asked = X if is_training else queries
    table = np.sqrt(((asked[:, None] - X) ** 2).sum(axis=-1))
    if is_training:
        np.fill_diagonal(table, np.inf)
    for radius in (*RADII, np.resize(RADII, len(asked))):
        is_near = table <= np.reshape(radius, (-1, 1))
        distances, indices = model.radius_neighbors(given, radius)
        for q, (near, found) in enumerate(zip(distances, indices)):
            assert_array_equal(np.sort(found), np.flatnonzero(is_near[q]))
            assert_allclose(near, table[q, found], atol=1e-12)
            assert np.all(np.diff(near) >= 0)
        graph = model.radius_neighbors_graph(given, radius, mode="distance")
        assert graph.shape == table.shape
        assert_array_equal(np.diff(graph.indptr), is_near.sum(axis=1))
        assert_allclose(graph.toarray()[is_near], table[is_near], atol=1e-12)
        links = model.radius_neighbors_graph(given, radius, sort_results=True)
        assert_array_equal(links.toarray(), is_near)
    alone = model.radius_neighbors(given, 0.25, return_distance=False)
    assert_array_equal(alone[3], model.radius_neighbors(given, 0.25)[1][3])


def test_rows_of_weight_zero_are_in_no_list():
    X, queries, y = draw_rows()
    weight = np.ones(len(X))
    weight[::7] = 0
    model = ShepardKNN(5, metric="euclidean").fit(X, y, weight)
    graph = model.radius_neighbors_graph(None, 0.25)
    assert graph.shape == (len(X), len(X))
    assert graph[::7].nnz == graph[:, ::7].nnz == 0 < graph.nnz
    found = np.concatenate(model.radius_neighbors(queries, 5.0)[1])
    assert_array_equal(np.unique(found), np.flatnonzero(weight))


def test_metrics_of_tables_and_products_have_radii():
    X, queries, y = draw_rows(40)
    model = ShepardKNN(5).fit(X, y)
    distances, indices = model.kneighbors(queries, 40)
    within = model.radius_neighbors(queries, distances[:, 9])
    for q in range(len(queries)):
        k = np.sum(distances[q] <= distances[q, 9])
        assert_array_equal(within[1][q], indices[q, :k])
    index = InvertedIndexNeighbors(metric="dot").fit(X)
    products = queries @ X.T
    found = index.radius_neighbors(queries, -1.0, return_distance=False)
    assert [len(one) for one in found] == (products >= 1).sum(axis=1).tolist()


@pytest.mark.parametrize("name", ["brute", "inverted_index", "lsh"])
@pytest.mark.parametrize("radius", [None, -1, np.nan, "1", [1.0, 2.0]])
def test_radii_that_are_none_are_refused(name, radius):
    X, queries, y = draw_rows(40)
    with pytest.raises(ValueError, match="radius must be a number ≥ 0"):
        fitted(name, X, y).radius_neighbors(queries, radius)


def test_one_training_row_has_no_neighbours():
    model = ShepardKNN(1, power=1, m=0).fit([[0.0]], ["a"])
    assert [len(one) for one in model.radius_neighbors(None, 5.0)[0]] == [0]
    assert model.radius_neighbors([[1.0]], 5.0, return_distance=False)[0] == [0]
