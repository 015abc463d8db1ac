"""Prediction intervals of a local regression have their nominal coverage.

Coverage is averaged over tables and new rows. The coverage for one table deviates
because its residual scale is estimated: by about .4 points with 400 rows. The mean of
10 tables deviates by .13 points for this reason, and by .23 points because of the
sample of 10 000 new rows. The tolerance of 1.5 points is five standard errors.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor

TABLES, ROWS, NEW_ROWS = 10, 400, 1000


def make(rng, n, noise):
    X = rng.uniform(size=(n, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    return X, y + rng.normal(scale=noise, size=n)


@pytest.mark.parametrize("noise", [0.1, 0.5, 2.0])
def test_prediction_intervals_have_their_nominal_coverage(noise):
    rng = np.random.default_rng(0)
    covered = {0.8: [], 0.95: []}
    for _ in range(TABLES):
        model = LocallyWeightedRegressor(2, n_neighbors=0.5, scale=None, ridge=0.0)
        model.fit(*make(rng, ROWS, noise))
        Z, new = make(rng, NEW_ROWS, noise)
        for coverage, shares in covered.items():
            lower, upper = model.prediction_interval(Z, coverage, "normal")
            shares.append(np.mean((lower <= new) & (new <= upper)))
    for coverage, shares in covered.items():
        assert np.mean(shares) == pytest.approx(coverage, abs=0.015)
