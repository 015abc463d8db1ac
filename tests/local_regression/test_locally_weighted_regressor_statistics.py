"""Local regression: statistics equal those of the hat matrix; sample weights.

Code under test: `local_regression/_fits/_local_regression.py`.
"""

import numpy as np
import pytest

from tests.helpers.local_regression_by_hand import (
    classical,
    hat_by_columns,
    regressor,
    some_rows,
)


@pytest.mark.parametrize("size", [(12, None), (None, 0.8), (None, 0.05)], ids=str)
@pytest.mark.parametrize("degree", [0, 1])
def test_statistics_are_those_of_the_hat_matrix(degree, size):
    X, y, _ = some_rows(n=50)
    k, bandwidth = size  # with bandwidth .05 windows are empty
    params = {"n_neighbors": k, "bandwidth": bandwidth}
    model = classical(degree, **params).fit(X, y)
    L = hat_by_columns(regressor(degree, **params), X)
    n, R = len(X), np.eye(50) - L
    delta1, delta2 = np.trace(R @ R.T), np.sum((R @ R.T) ** 2)
    r = R @ y
    assert model.effective_dof_ == pytest.approx(np.trace(L), rel=1e-9)
    assert model.equivalent_parameters_ == pytest.approx(np.sum(L**2), rel=1e-9)
    if bandwidth == 0.05:
        return  # nearly interpolates: residuals are rounding errors
    assert model.residual_dof_ == pytest.approx(delta1**2 / delta2, rel=1e-7)
    assert model.residual_scale_ == pytest.approx(np.sqrt(r @ r / delta1), rel=1e-8)
    trace = np.trace(L)
    assert model.gcv_ == pytest.approx(n * (r @ r) / (n - trace) ** 2, rel=1e-8)
    aicc = np.log(r @ r / n) + 1 + 2 * (trace + 1) / (n - trace - 2)
    assert model.aicc_ == pytest.approx(aicc, rel=1e-8)
    std = model.predict(X, return_std=True)[1]
    expected = model.residual_scale_ * np.sqrt(np.sum(L**2, axis=1))
    np.testing.assert_allclose(std, expected, rtol=1e-8)
    approximate = classical(degree, statistics="approximate", **params)
    assert approximate.fit(X, y).residual_dof_ == pytest.approx(delta1, rel=1e-8)


@pytest.mark.parametrize("weight", [None, 3.0])
@pytest.mark.parametrize("kernel", ["gaussian", "uniform", "tricube"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_the_noise_of_rows_at_the_end_of_a_window_is_averaged(degree, kernel, weight):
    # Rows at the last distance share what is left of k, and a heavy row has a part of
    # its weight in the window. Windows of equal rows are empty with kernel="tricube".
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 2)).astype(float), rng.normal(size=40)
    weight = None if weight is None else rng.choice([1.0, weight], 40)
    params = {"n_neighbors": 7, "kernel": kernel, "ridge": 0.1}
    L = hat_by_columns(regressor(degree, **params), X, weight)
    shares = np.ones(40) if weight is None else weight
    noise = np.sum(L**2 / shares, axis=1)
    model = classical(degree, **params).fit(X, y, weight)
    assert model.equivalent_parameters_ == pytest.approx(shares @ noise, rel=1e-9)
    std = model.predict(X, return_std=True)[1]
    np.testing.assert_allclose(std, model.residual_scale_ * np.sqrt(noise), rtol=1e-8)


def test_statistics_are_computed_from_a_sample_of_many_rows():
    X, y, _ = some_rows(n=600)
    whole = classical().fit(X, y)
    part = classical(loo_max_samples=300, random_state=0).fit(X, y)
    assert part.effective_dof_ != whole.effective_dof_
    assert part.effective_dof_ == pytest.approx(whole.effective_dof_, rel=0.1)
    assert part.residual_scale_ == pytest.approx(whole.residual_scale_, rel=0.2)


@pytest.mark.parametrize("robust", [0, 2])
@pytest.mark.parametrize("params", [{"n_neighbors": 11}, {"n_neighbors": 0.3}], ids=str)
def test_integer_weights_equal_repetition(params, robust):
    X, y, weight = some_rows(weight="integers")
    params = {**params, "robust_iterations": robust, "scale": "trimmed"}
    weighted = classical(**params).fit(X, y, weight)
    rows = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = classical(**params).fit(X[rows], y[rows])
    for found, expected in zip(
        weighted.predict(X, return_std=True), repeated.predict(X, return_std=True)
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-12)
    for name in ("effective_dof_", "residual_scale_", "residual_dof_", "gcv_", "aicc_"):
        assert getattr(weighted, name) == pytest.approx(
            getattr(repeated, name), rel=1e-8
        )


def test_a_fit_without_statistics_removes_those_of_an_earlier_fit():
    X, y, _ = some_rows()
    model = classical(n_neighbors="loo").fit(X, y)
    model.set_params(statistics=None, n_neighbors=9).fit(X, y)
    for name in ("residual_scale_", "gcv_", "loo_results_"):
        assert not hasattr(model, name)
