"""Metrics of rows of numbers are those of scipy, whichever way rows are searched."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor

WEIGHTS = [0.0, 1.0, 2.0, 0.5]
BOOLEAN = ("dice", "jaccard", "rogerstanimoto")
WEIGHTED = ("braycurtis", "canberra", "hamming", *BOOLEAN)
CASES = [
    ("chebyshev", {}),
    ("correlation", {}),
    ("cityblock", {}),
    ("minkowski", {"p": 3, "w": WEIGHTS}),
    ("minkowski", {"p": np.inf, "w": WEIGHTS}),
    *[(name, params) for name in WEIGHTED for params in ({}, {"w": WEIGHTS})],
]


def draw_rows(n=40, seed=0):
    """Return rows of few values with ties, zeros and one constant row."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 4)) * rng.choice([0.3, 1.0], (n, 4))
    X[0], X[1] = 0.0, 0.1
    return X, rng.integers(0, 3, n)


def distances_by_scipy(name, params, queries, rows):
    if name in BOOLEAN:
        queries, rows = queries != 0, rows != 0
    with np.errstate(invalid="ignore"):
        distances = cdist(queries, rows, name, **params)
    if name == "correlation":  # a constant row is at distance 1 from all, by rule
        is_constant = [np.ptp(a, axis=1) == 0 for a in (queries, rows)]
        distances[np.logical_or.outer(*is_constant)] = 1.0
    return np.nan_to_num(distances)


@pytest.mark.parametrize(("name", "params"), CASES)
def test_distances_are_those_of_scipy(name, params):
    X, y = draw_rows()
    queries = draw_rows(9, seed=1)[0]
    model = ShepardKNN(5, power=1, m=0, metric=name, metric_params=params).fit(X, y)
    distances, indices = model.kneighbors(queries, len(X))
    expected = distances_by_scipy(name, params, queries, X)
    found = np.take_along_axis(expected, indices, axis=1)
    assert_allclose(distances, found, atol=1e-12)
    assert_allclose(distances, np.sort(expected, axis=1), atol=1e-12)


@pytest.mark.parametrize("name", ["correlation", "canberra", "jaccard"])
def test_answers_do_not_depend_on_batch_or_threads(name):
    X, y = draw_rows()
    queries = draw_rows(70, seed=1)[0]
    model = ShepardKNN(5, metric=name).fit(X, y)
    whole = model.predict_proba(queries)
    alone = [model.predict_proba(queries[[i]])[0] for i in range(len(queries))]
    assert_array_equal(whole, alone)
    threaded = ShepardKNN(5, metric=name, n_jobs=2).fit(X, y)
    assert_array_equal(threaded.predict_proba(queries), whole)
    given = {"power": 2, "m": 1.0, "metric": name}
    twice = ShepardKNN(5, **given).fit(X, y, np.full(len(X), 2))
    repeated = ShepardKNN(5, **given).fit(np.tile(X, (2, 1)), np.tile(y, 2))
    assert_allclose(twice.predict_proba(queries), repeated.predict_proba(queries))


def test_a_row_is_its_own_exact_hit_by_correlation():
    X = draw_rows()[0]
    X = X[np.ptp(X, axis=1) > 0] * 1e150
    target = np.arange(len(X))
    model = ShepardKNNRegressor(3, power=1, metric="correlation").fit(X, target)
    distances = model.kneighbors(3.0 * X, 1)[0]
    assert distances.max() < 1e-15


@pytest.mark.parametrize("weights", ["inverse", "uniform"])
@pytest.mark.parametrize("n_neighbors", [4, None])
def test_sparse_rows_have_the_manhattan_distances_of_dense_ones(weights, n_neighbors):
    X, y = draw_rows()
    queries = draw_rows(20, seed=1)[0]
    w = np.arange(len(X)) % 3 + 1.0
    model = ShepardKNN(n_neighbors, power=1, m=1, weights=weights, metric="manhattan")
    dense = model.fit(X, y, w).predict_proba(queries), model.predict_proba(None)
    model.fit(sparse.csr_array(X), y, w)
    for given in (sparse.csr_matrix(queries), queries):
        assert_allclose(model.predict_proba(given), dense[0], atol=1e-12)
    assert_allclose(model.predict_proba(None), dense[1], atol=1e-12)
    weighted = ShepardKNN(4, power=1, metric="manhattan", feature_weights=WEIGHTS)
    lists = weighted.fit(sparse.csr_array(X), y).kneighbors(sparse.csr_array(queries))
    expected = np.sort(cdist(queries * WEIGHTS, X * WEIGHTS, "cityblock"), axis=1)
    assert_allclose(lists[0], expected[:, :4], atol=1e-12)


@pytest.mark.parametrize("name", ["minkowski", "hamming"])
@pytest.mark.parametrize("w", [[1.0], [-1.0, 1, 1, 1], [0.0] * 4, [np.nan, 1, 1, 1]])
def test_weights_that_are_none_are_refused(name, w):
    X, y = draw_rows()
    model = ShepardKNN(5, metric=name, metric_params={"w": w})
    with pytest.raises(ValueError, match=r"metric_params\['w'\] (must be|has shape)"):
        model.fit(X, y)


def test_parameters_without_a_meaning_are_refused():
    X, y = draw_rows()
    cases = {
        "metric_params={'w': ...} weights columns": {"feature_weights": np.ones(4)},
        "needs coordinates": {"algorithm": "kd_tree"},
        "has the key 'p'": {"metric_params": {"p": 3}},
    }
    for message, params in cases.items():
        with pytest.raises(ValueError, match=message):
            ShepardKNN(5, metric="canberra", **params).fit(X, y)
    with pytest.raises(ValueError, match="Sums of a row overflow in metric='canberra'"):
        ShepardKNN(5, metric="canberra").fit(np.full_like(X, 1e308), y)
