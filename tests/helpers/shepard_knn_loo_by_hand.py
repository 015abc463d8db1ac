"""Leave-one-out curves of ShepardKNN by plain loops, and small tables for them."""

from itertools import product

import numpy as np
import pytest

from tests.helpers.neighbors_by_hand import (
    METRICS,
    average,
    classification_loo,
    regression_loo,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

N_ROWS = 20
KS = [1, 2, 5, 11, N_ROWS - 1, N_ROWS, N_ROWS + 30, None]
POWERS = [0.25, 0.5, 1.0, 2.0, 7.0]
# What is tuned: the candidates, and the parameters that are given.
TUNED = {
    "n_neighbors": ({"n_neighbors": KS}, {"power": 1.5}),
    "power": ({"power": POWERS}, {"n_neighbors": 4}),
    "power of all rows": ({"power": POWERS}, {"n_neighbors": None}),
    "both": ({"n_neighbors": [1, 3, 6, None], "power": [1.0, 3.0]}, {}),
}
every_tuning = pytest.mark.parametrize("tuned", TUNED)
every_metric = pytest.mark.parametrize("metric", METRICS)
SCORES = {
    classical_knn: ["accuracy", "log_loss"],
    classical_knn_regressor: ["squared_error"],
}


def draw_table(seed, metric="euclidean", duplicates=True):
    """Draw few rows, some of them equal, with overlapping classes and two targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 3)) * [1.0, 4.0, 0.5]
    labels = np.array(["a", "b", "c"])[(X[:, 0] + rng.normal(size=N_ROWS) > 0) * 1]
    labels[17] = "c"  # the only one: without it the class has no row
    if duplicates:
        X[9] = X[4]
        X[13] = X[14] = X[2]
    if metric == "cosine":
        X[5] = 0
    if metric == "nan_euclidean":
        X[rng.random(X.shape) < 0.2] = np.nan
        X[8] = np.nan
    return X, labels, rng.normal(size=(N_ROWS, 2))


def sample_weights(kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None
    if kind == "integers":
        weight = rng.integers(0, 4, size=N_ROWS).astype(float)
        weight[[4, 6, 2]] = [2, 0, 3]
        return weight
    if kind == "small":
        return rng.uniform(0.1, 0.9, size=N_ROWS)
    return rng.uniform(0.05, 2.5, size=N_ROWS)


def tuning_params(tuned):
    """Return the parameters of the estimator, and the candidates as dicts."""
    lists, given = TUNED[tuned]
    params = {**dict.fromkeys(lists, "loo"), **given, "loo_candidates": lists}
    candidates = [dict(zip(lists, values)) for values in product(*lists.values())]
    return params, candidates


def scores_by_hand(estimator, D, y, weight, candidates, given, **rule):
    """Return mean and standard error of each score of each candidate."""
    class_weight = rule.pop("class_weight", None)
    averages = {}
    for position, candidate in enumerate(candidates):
        one = {**given, **candidate}
        one = {"k": one["n_neighbors"], "power": one["power"], **rule}
        if estimator is classical_knn:
            scores, score_weight = classification_loo(D, y, weight, class_weight, **one)
        else:
            scores, score_weight = regression_loo(D, y, weight, **one)
        for name, values in scores.items():
            averages.setdefault(f"mean_{name}", np.empty(len(candidates)))
            averages.setdefault(f"standard_error_{name}", np.empty(len(candidates)))
            mean, error = average(values, score_weight)
            averages[f"mean_{name}"][position] = mean
            averages[f"standard_error_{name}"][position] = error
    return averages


def assert_loo_is_by_hand(estimator, X, D, y, weight, tuned, fitted_to=None, **params):
    """Fit an estimator that tunes, and compare the curve and the choice with loops."""
    settings, candidates = tuning_params(tuned)
    given = TUNED[tuned][1]
    model = estimator(**settings, **params)
    model.fit(X if fitted_to is None else fitted_to, y, sample_weight=weight)
    rule = {name: value for name, value in params.items() if name in _RULE and value}
    expected = scores_by_hand(estimator, D, y, weight, candidates, given, **rule)
    results = model.loo_results_
    assert results["params"] == candidates
    for name, values in expected.items():
        np.testing.assert_allclose(
            results[name], values, rtol=1e-12, atol=1e-12, err_msg=name
        )
    assert_best_is_chosen(model, estimator, expected)
    return model


_RULE = ("weights", "class_weight")


def assert_best_is_chosen(model, estimator, expected):
    """Assert that the choice is best by hand; equal scores may differ by a rounding."""
    results = model.loo_results_
    best = int(np.argmin(results["rank"]))
    assert results["rank"][best] == 1
    assert sorted(results["rank"]) == list(range(1, len(results["rank"]) + 1))
    chosen = results["params"][best]
    for name, value in chosen.items():
        assert getattr(model, f"{name}_") == value
    if estimator is classical_knn and model.loo_scoring != "log_loss":
        accuracy = expected["mean_accuracy"]
        assert accuracy[best] >= accuracy.max() - 1e-12
        tied = accuracy >= accuracy.max() - 1e-12
        losses = expected["mean_log_loss"][tied]
        assert expected["mean_log_loss"][best] <= losses.min() + 1e-12
    else:
        name = "log_loss" if estimator is classical_knn else "squared_error"
        errors = expected[f"mean_{name}"]
        assert errors[best] <= errors.min() + 1e-12


def cases(labels, numbers):
    return [
        (classical_knn, labels),
        (classical_knn_regressor, numbers[:, 0]),
        (classical_knn_regressor, numbers),
    ]


def bell(distances):
    return np.exp(-(distances**2) / 8)
