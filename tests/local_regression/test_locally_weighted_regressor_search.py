"""Local regression: predictions depend on no search, batch, order or thread.

Code under test: `local_regression/_fits/_candidates.py`.
"""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy.local_regression._fits import _windows
from tests.helpers.local_regression_by_hand import classical, regressor, some_rows


@pytest.mark.parametrize("k", [5, 40, 0.5])
@pytest.mark.parametrize("n", [60, 700])
def test_predictions_do_not_depend_on_the_search(n, k, monkeypatch):
    X, y, _ = some_rows(n=n)
    Z = X[:50] + 0.01
    brute = regressor(n_neighbors=k, algorithm="brute").fit(X, y).predict(Z)
    tree = regressor(n_neighbors=k, algorithm="kd_tree").fit(X, y).predict(Z)
    engine = regressor(n_neighbors=k, algorithm=NearestNeighbors()).fit(X, y).predict(Z)
    np.testing.assert_allclose(tree, brute, atol=1e-12)
    np.testing.assert_allclose(engine, brute, atol=1e-12)
    monkeypatch.setattr(_windows, "_MAX_SCANNED_ROWS_PER_NEIGHBOR", 0)
    listed = regressor(n_neighbors=k, algorithm="brute").fit(X, y).predict(Z)
    np.testing.assert_allclose(listed, brute, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [0.2, 1.0, 50.0])
def test_a_tree_finds_the_rows_within_a_bandwidth(bandwidth):
    X, y, _ = some_rows(n=700)
    brute, tree = (
        regressor(n_neighbors=None, bandwidth=bandwidth, algorithm=algorithm)
        .fit(X, y)
        .predict(X)
        for algorithm in ("brute", "kd_tree")
    )
    np.testing.assert_allclose(tree, brute, atol=1e-10)


@pytest.mark.parametrize(
    "params", [{}, {"n_neighbors": 0.5}, {"bandwidth": 0.7}], ids=str
)
def test_predictions_do_not_depend_on_order_batch_or_threads(params):
    X, y, _ = some_rows(n=300)
    model = classical(**params).fit(X, y)
    expected = model.predict(X)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(model.predict(X[order]), expected[order])
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), expected)
    alone = [model.predict(X[i : i + 1])[0] for i in range(20)]
    np.testing.assert_array_equal(alone, expected[:20])


@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 0.05},
        {"n_neighbors": 0.2, "degree": 2},
        {"n_neighbors": 0.6},
        {"n_neighbors": 0.1, "bandwidth": 0.4},
        {"n_neighbors": None, "bandwidth": 0.3},
        {"n_neighbors": 0.1, "kernel": "gaussian"},
    ],
    ids=str,
)
def test_no_bit_of_a_prediction_depends_on_the_other_queries(params):
    X, y, _ = some_rows(n=3000)
    X = np.vstack([X, X[:50]])  # some rows are equally far from every query
    y = np.append(y, y[:50] + 1)
    model = classical(**params).fit(X, y)
    expected = model.predict(X)
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(model.predict(X[order]), expected[order])
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict(X), expected)
    alone = [model.predict(X[i : i + 1])[0] for i in range(0, 3000, 150)]
    np.testing.assert_array_equal(alone, expected[:3000:150])
