"""Shepard's method with a matrix of distances, and with the user's metric.

Code under test: `search/_metrics.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor


def some_rows(n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def manhattan(a, b, factor=1.0):
    return factor * np.abs(a - b).sum()


@parametrize_with_checks([ShepardKNN(5, metric="precomputed")])
def test_it_passes_the_common_checks_with_given_distances(estimator, check):
    if check.func.__name__ == "check_decision_proba_consistency":
        pytest.skip("this check of scikit-learn passes rows where it needs distances")
    check(estimator)


@pytest.mark.parametrize("n_neighbors", ["loo", None, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_given_distances_give_the_answers_of_their_metric(n_neighbors, weighted):
    X, y = some_rows()
    Q = some_rows(20, seed=1)[0]
    weight = np.random.default_rng(2).integers(0, 3, 50) if weighted else None
    by_name = ShepardKNN(n_neighbors, metric="manhattan").fit(X, y, weight)
    expected = by_name.predict_proba(Q)
    D, new = cdist(X, X, "cityblock"), cdist(Q, X, "cityblock")
    given = ShepardKNN(n_neighbors, metric="precomputed").fit(D, y, weight)
    called = ShepardKNN(n_neighbors, metric=manhattan).fit(X, y, weight)
    for model, queries in ((given, new), (called, Q)):
        assert model.n_neighbors_ == by_name.n_neighbors_
        assert_allclose(model.predict_proba(queries), expected, rtol=1e-9, atol=1e-12)
        for found, wanted in zip(
            model.kneighbors(queries, 5), by_name.kneighbors(Q, 5)
        ):
            assert_allclose(found, wanted, rtol=1e-9)
        assert_allclose(
            model.kneighbors(n_neighbors=3)[1][0], by_name.kneighbors(None, 3)[1][0]
        )


def test_given_distances_are_the_same_in_scikit_learn():
    X, y = some_rows()
    D = cdist(X, X)
    ours = ShepardKNN(5, power=1, m=0, metric="precomputed").fit(D, y)
    peer = KNeighborsClassifier(5, weights="distance", metric="precomputed").fit(D, y)
    new = cdist(some_rows(20, seed=1)[0], X)
    assert_allclose(ours.predict_proba(new), peer.predict_proba(new), rtol=1e-9)


def test_cross_validation_splits_rows_and_columns_of_distances():
    X, y = some_rows()
    of_matrix = cross_val_score(ShepardKNN(3, metric="precomputed"), cdist(X, X), y)
    of_rows = cross_val_score(ShepardKNN(3, metric="euclidean"), X, y)
    assert_allclose(of_matrix, of_rows)


def test_metric_params_are_passed_to_a_callable():
    X, y = some_rows()
    model = ShepardKNN(3, metric=manhattan, metric_params={"factor": 10.0}).fit(X, y)
    distances, _ = model.kneighbors(X, 2)
    expected = np.sort(10 * cdist(X, X, "cityblock"), axis=1)[:, :2]
    assert_allclose(distances, expected, rtol=1e-12)


def test_regression_by_given_distances():
    X, _ = some_rows()
    y = X[:, :2] ** 2
    by_name = ShepardKNNRegressor(5, metric="euclidean").fit(X, y)
    given = ShepardKNNRegressor(5, metric="precomputed").fit(cdist(X, X), y)
    assert_allclose(given.predict(cdist(X[:9] + 1, X)), by_name.predict(X[:9] + 1))


def test_matrices_that_hold_no_distances_are_refused():
    X, y = some_rows()
    D = cdist(X, X)
    model = ShepardKNN(3, metric="precomputed").fit(D, y)
    with pytest.raises(ValueError, match=r"needs the square matrix .* \(50, 49\)"):
        model.fit(D[:, 1:], y)
    with pytest.raises(ValueError, match="needs distances ≥ 0, got -1"):
        model.fit(D - 1, y)
    with pytest.raises(ValueError, match=r"needs distances ≥ 0, got -0\.5"):
        model.predict(np.full((2, 50), -0.5))
    with pytest.raises(ValueError, match=r"49 features.* 50 features"):
        model.predict(D[:, 1:])
    assert model.predict(D).shape == (50,)


@pytest.mark.parametrize("answer", [-1.0, np.nan, "far", None, [1.0]])
def test_metrics_that_return_no_distance_are_refused(answer):
    X, y = some_rows()
    with pytest.raises(ValueError, match=r"metric returned|What metric returns"):
        ShepardKNN(3, metric=lambda a, b: answer).fit(X, y).predict(X)


@pytest.mark.parametrize("metric", ["precomputed", manhattan])
def test_parameters_without_a_meaning_are_refused(metric):
    X, y = some_rows()
    D = cdist(X, X)
    cases = {
        "feature_weights multiply the diff": {"feature_weights": np.ones(50)},
        "algorithm='kd_tree' needs coordinates": {"algorithm": "kd_tree"},
        "tol=0.1 needs weights": {"tol": 0.1, "n_neighbors": None},
    }
    if metric == "precomputed":
        cases["power='auto' is the number of columns"] = {"power": "auto"}
        cases["metric_params has the key 'p'"] = {"metric_params": {"p": 3}}
    for message, params in cases.items():
        with pytest.raises(ValueError, match=message):
            ShepardKNN(**{"n_neighbors": 3, "metric": metric, **params}).fit(D, y)
