"""Prediction intervals of a local regression hold as many new rows as they promise.

Coverage is averaged over tables and new rows. That of one table is off by the error of
its residual scale, about .4 points with 400 rows; the mean of 30 by less than .1, and
by chance in 30 000 new rows by .13. The gate of 1.5 points is nine standard errors off.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor

TABLES, ROWS, NEW_ROWS = 30, 400, 1000


def make(rng, n, noise):
    X = rng.uniform(size=(n, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    return X, y + rng.normal(scale=noise, size=n)


@pytest.mark.parametrize("coverage", [0.8, 0.95])
@pytest.mark.parametrize("noise", [0.1, 0.5, 2.0])
def test_intervals_hold_what_they_promise(noise, coverage):
    rng = np.random.default_rng(0)
    held = []
    for _ in range(TABLES):
        model = LocallyWeightedRegressor(2, n_neighbors=0.5)
        model.fit(*make(rng, ROWS, noise))
        Z, new = make(rng, NEW_ROWS, noise)
        lower, upper = model.prediction_interval(Z, coverage)
        held.append(np.mean((lower <= new) & (new <= upper)))
    assert np.mean(held) == pytest.approx(coverage, abs=0.015)
