"""LocallyWeightedRegressor predicts its training rows as refits without each do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_bayeslazy import LocallyWeightedRegressor
from tests.helpers.copies_by_hand import weights_without

N = 50
WINDOWS = [
    {"n_neighbors": 12},
    {"n_neighbors": 0.5},
    {"n_neighbors": None, "bandwidth": 1.5, "kernel": "gaussian"},
    {"n_neighbors": 8, "bandwidth": 0.8, "kernel": "epanechnikov"},
]


def draw(n_outputs=1):
    """Return rows, of which the last six repeat others, targets and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    y = np.sin(X @ [[1.0, 0.3], [0.5, -2.0]])[:, :n_outputs]
    y += 0.1 * rng.normal(size=y.shape)
    X[-6:], y[-6:] = X[:6], y[:6]
    return X, y if n_outputs > 1 else y[:, 0], rng.uniform(0.5, 2.5, N)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_predictions_are_those_of_refits(window, degree, weighted):
    X, y, weight = draw()
    weight = weight if weighted else np.ones(N)
    params = {"degree": degree, "scale": None, "ridge": 0.01, "statistics": None}
    model = LocallyWeightedRegressor(**params, **window).fit(X, y, weight)
    left_out = model.predict(None)
    assert model.score(None, y) < model.score(X, y)
    for i in range(N):
        other = LocallyWeightedRegressor(**params, **window)
        other.fit(X, y, weights_without(X, y, weight, i))
        assert_allclose(left_out[i], other.predict(X[[i]])[0], rtol=1e-7)


def test_the_score_of_the_choice_is_that_of_the_left_out_predictions():
    X, y, weight = draw(2)
    weight[3] = 0
    model = LocallyWeightedRegressor(scale="std", ridge=0.0, degree=1).fit(X, y, weight)
    left_out = model.predict(None)
    assert left_out.shape == (N - 1, 2)
    kept = weight > 0
    errors = np.mean((left_out - y[kept]) ** 2, axis=1)
    best = np.argmin(model.loo_results_["rank"])
    found = np.average(errors, weights=weight[kept])
    assert_allclose(found, model.loo_results_["mean_squared_error"][best], rtol=1e-9)
    assert model.score(None, y, weight) > 0


def test_what_has_no_left_out_answer_is_refused():
    X, y, _ = draw()
    model = LocallyWeightedRegressor(1, n_neighbors=9, scale=None, ridge=0.0)
    with pytest.raises(ValueError, match="standard errors"):
        model.fit(X, y).predict(None, return_std=True)
    with pytest.raises(ValueError, match="two rows of weight above 0"):
        model.fit(X[:1], y[:1]).predict(None)
    model.set_params(robust_iterations=1).fit(X, y)
    with pytest.raises(ValueError, match="robust_iterations"):
        model.predict(None)
