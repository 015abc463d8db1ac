"""ShepardKNN with tol: answers of all rows within the error that was allowed."""

import numpy as np
import pytest
import sklearn

from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

TOL = 0.02


def draw_table(seed, columns):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3000, columns))
    return rng, X, rng.integers(3, size=3000), rng.standard_normal((400, columns))


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "mahalanobis"])
@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("class_weight", [None, {0: 5.0, 2: 0.1}, "balanced"])
def test_probabilities_are_within_tol(metric, columns, class_weight):
    rng, X, y, Q = draw_table(0, columns)
    weight = rng.integers(0, 4, size=len(y)) + 0.5
    params = {"n_neighbors": None, "metric": metric, "class_weight": class_weight}
    exact = classical_knn(**params).fit(X, y, weight).predict_proba(Q)
    near = classical_knn(**params, tol=TOL).fit(X, y, weight).predict_proba(Q)
    gap = np.abs(near - exact).max()
    assert 0 < gap <= TOL


@pytest.mark.parametrize("power", [0.5, 2, 3, 8])
def test_numbers_are_within_tol_of_the_range_of_each_output(power):
    rng, X, _, Q = draw_table(1, 2)
    y = np.c_[1e6 + np.sin(3 * X[:, 0]), 100 * rng.random(len(X))]
    params = {"n_neighbors": None, "power": power}
    exact = classical_knn_regressor(**params).fit(X, y).predict(Q)
    near = classical_knn_regressor(**params, tol=TOL).fit(X, y).predict(Q)
    gap = np.abs(near - exact).max(axis=0) / np.ptp(y, axis=0)
    assert np.all((gap > 0) & (gap <= TOL))


def test_exact_hits_are_exact():
    _, X, y, _ = draw_table(2, 2)
    model = classical_knn(n_neighbors=None, tol=TOL).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    with sklearn.config_context(working_memory=1):
        model.set_params(n_jobs=2)
        np.testing.assert_array_equal(model.predict(X), y)


def test_leave_one_out_is_exact_and_explanations_too():
    _, X, y, Q = draw_table(3, 2)
    candidates = {"n_neighbors": [3, None], "power": [3, 4]}
    params = {"power": "loo", "loo_candidates": candidates, "loo_max_samples": 100}
    exact = classical_knn(**params, random_state=0).fit(X, y)
    near = classical_knn(**params, random_state=0, tol=TOL).fit(X, y)
    assert exact.loo_results_["mean_log_loss"].tolist() == (
        near.loo_results_["mean_log_loss"].tolist()
    )
    one = classical_knn(n_neighbors=None, tol=TOL).fit(X, y).explain(Q[:3], None)
    np.testing.assert_allclose(one.shares.sum(axis=1), 1, rtol=1e-12)


def test_power_0_needs_no_treecode():
    _, X, y, Q = draw_table(4, 2)
    model = classical_knn_regressor(n_neighbors=None, power=0, tol=TOL).fit(X, y)
    np.testing.assert_allclose(model.predict(Q), y.mean(), rtol=1e-12)


@pytest.mark.parametrize(
    ("params", "columns", "message"),
    [
        ({"n_neighbors": None}, 4, "X has 4: drop tol"),
        ({"n_neighbors": 3}, 2, "n_neighbors=3: drop tol"),
        ({"n_neighbors": None, "metric": "manhattan"}, 2, "metric='manhattan'"),
        ({"n_neighbors": None, "weights": "uniform"}, 2, "weights='uniform'"),
    ],
    ids=str,
)
def test_tol_is_refused_where_it_cannot_be_used(params, columns, message):
    _, X, y, _ = draw_table(5, columns)
    with pytest.raises(ValueError, match=message):
        classical_knn(**params, tol=TOL).fit(X, y)


@pytest.mark.parametrize("tol", [0, 1.0, -0.1, "a"])
def test_tol_is_a_share(tol):
    _, X, y, _ = draw_table(6, 1)
    with pytest.raises(ValueError, match="'tol' parameter"):
        classical_knn(n_neighbors=None, tol=tol).fit(X, y)
