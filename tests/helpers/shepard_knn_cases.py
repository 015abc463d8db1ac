"""Tables, weightings and assertions that tests of ShepardKNN share."""

import numpy as np
import pytest

from sklearn_bayeslazy import ShepardKNN
from tests.helpers.neighbors_by_hand import (
    METRICS,
    means,
    probabilities,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

N_ROWS = 24
SPARSE_METRICS = ("euclidean", "seuclidean", "cosine")
every_metric = pytest.mark.parametrize("metric", METRICS)


def bell(distances):
    """Weigh by a bell: a callable as users write it."""
    return np.exp(-(distances**2))


WEIGHTINGS = {
    "inverse": {"weights": "inverse", "power": 2.0},
    "inverse, power 3.5": {"weights": "inverse", "power": 3.5},
    "power 0": {"weights": "inverse", "power": 0},
    "uniform": {"weights": "uniform"},
    "cosine": {"weights": "cosine"},
    "callable": {"weights": bell},
    "callable with infinities": {"weights": np.reciprocal},
}


def draw_table(seed, metric="euclidean", n_rows=N_ROWS, d=3):
    """Draw rows, two of them equal, and queries, two of them exact hits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, d)) * [1.0, 5.0, 0.3]
    X[11] = X[2]
    Q = np.vstack([rng.normal(size=(5, d)) * [1.0, 5.0, 0.3], X[2], X[5]])
    if metric == "cosine":
        X[7], Q[0] = 0, 0
    if metric == "nan_euclidean":
        X[rng.random(X.shape) < 0.2] = np.nan
        Q[rng.random(Q.shape) < 0.2] = np.nan
        X[11] = X[2] = Q[5] = rng.normal(size=d)
        X[7] = np.nan
        X[8], Q[1] = [1.5, np.nan, np.nan], [np.nan, 0.5, 0.2]
    labels = rng.choice(["a", "b", "c"], size=n_rows)
    numbers = rng.normal(size=(n_rows, 2))
    return X, labels, numbers, Q


def sample_weights(kind, n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None
    if kind == "integers":
        weight = rng.integers(0, 4, size=n_rows).astype(float)
        weight[[2, 5, 9]] = [0, 2, 3]  # of two equal rows one is gone
        return weight
    weight = rng.uniform(0.05, 2.5, size=n_rows)
    weight[3] = 0
    return weight


def assert_equal_by_hand(model, D, y, Q, weight, rule, class_weight=None):
    if isinstance(model, ShepardKNN):
        expected = probabilities(D, y, weight, class_weight, **rule)
        np.testing.assert_allclose(model.predict_proba(Q), expected, atol=1e-12, rtol=0)
        np.testing.assert_array_equal(
            model.predict(Q), model.classes_[np.argmax(model.predict_proba(Q), axis=1)]
        )
    else:
        expected = means(D, y, weight, **rule)
        np.testing.assert_allclose(model.predict(Q), expected, atol=1e-12, rtol=1e-12)


def targets_of(labels, numbers, k=5):
    """Return estimators with their targets; a single target at one k is enough."""
    cases = [(classical_knn, labels), (classical_knn_regressor, numbers)]
    return cases + [(classical_knn_regressor, numbers[:, 0])] * (k == 5)
