"""A small table, and parametrisations that tests of ShepardKNN share."""

import numpy as np
import pytest

from sklearn_bayeslazy.testing import answers
from tests.helpers.neighbors_by_hand import METRICS
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

every_metric = pytest.mark.parametrize("metric", METRICS)
both = pytest.mark.parametrize("estimator", [classical_knn, classical_knn_regressor])
every_k = pytest.mark.parametrize("k", [1, 4, None])


def draw_table(seed=0, n=60, d=3, n_queries=25):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(n_queries, d))
    Q[3] = X[5]
    return X, rng.integers(3, size=n), Q


def assert_close(one, other, Q, rtol=1e-12):
    np.testing.assert_allclose(
        answers(one, Q), answers(other, Q), rtol=rtol, atol=1e-12
    )
