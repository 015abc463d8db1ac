"""Local regression equals loess, KernelReg, lowess, and the least-squares formula.

Code under test: `local_regression/_fits/_fit_kernels.py`,
`local_regression/_fits/_local_fits.py`,
`local_regression/_locally_weighted_regressor.py`, `local_regression/_scales.py`,
`local_regression/_smoothing_kernels.py`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import local_regression_peers as peers
from tests.helpers.local_regression_by_hand import (
    SMOOTHERS,
    by_formula,
    classical,
    every_weight,
    regressor,
    some_rows,
)

STORED = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", STORED["loess"])
def test_predictions_and_statistics_equal_those_of_loess(name):
    d, degree, family, span = name.split()
    X, y, Z = peers.table(int(d))
    model = classical(
        int(degree),
        n_neighbors=float(span),
        scale="trimmed" if d != "1" else None,  # loess does not scale a single column
        robust_iterations=peers.FAMILIES[family],
    ).fit(X, y)
    predictions, std = model.predict(Z, return_std=True)
    loess = STORED["loess"][name]
    np.testing.assert_allclose(predictions, loess["predictions"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(std, loess["std"], rtol=1e-9)
    for statistic, key in [
        (model.equivalent_parameters_, "equivalent_parameters"),
        (model.residual_scale_, "residual_scale"),
        (model.residual_dof_, "residual_dof"),
    ]:
        assert statistic == pytest.approx(loess[key], rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_predictions_and_slopes_equal_those_of_kernel_regression(d):
    X, y, Z = peers.table(d)
    stored = STORED["kernel_regression"][str(d)]
    model = regressor(
        n_neighbors=None,
        bandwidth=1.0,
        kernel="gaussian",
        scale=peers.BANDWIDTHS[:d],
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(Z), stored["predictions"], rtol=1e-9)
    np.testing.assert_allclose(model.gradient(Z), stored["slopes"], rtol=1e-8)


@pytest.mark.parametrize("fraction", peers.FRACTIONS)
def test_predictions_equal_those_of_lowess(fraction):
    X, y, _ = peers.table(1)
    ours = regressor(n_neighbors=fraction).fit(X, y).predict(X)
    np.testing.assert_allclose(ours, STORED["lowess"][str(fraction)], rtol=1e-9)


@every_weight
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize(
    "size", [(9, None), (40, None), (1000, None), (None, 1.1), (9, 1.1)], ids=str
)
def test_predictions_follow_the_formula(size, smoother, degree, weight):
    X, y, weight = some_rows(weight=weight)
    k, bandwidth = size
    model = regressor(degree, n_neighbors=k, bandwidth=bandwidth, kernel=smoother)
    model.fit(X, y, weight)
    queries = X[:12] * 0.9 + 0.02
    expected = [
        by_formula(X, y, weight, q, degree, smoother, k, bandwidth) for q in queries
    ]
    np.testing.assert_allclose(model.predict(queries), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
def test_ridge_follows_the_formula(degree):
    X, y, _ = some_rows()
    model = regressor(degree, n_neighbors=20, ridge=0.3).fit(X, y)
    expected = [
        by_formula(X, y, None, q, degree, "tricube", 20, ridge=0.3) for q in X + 0.01
    ]
    np.testing.assert_allclose(model.predict(X + 0.01), expected, rtol=1e-10)
    flat = regressor(degree, n_neighbors=20, ridge=1e12).fit(X, y)
    mean = regressor(0, n_neighbors=20).fit(X, y)
    np.testing.assert_allclose(flat.predict(X), mean.predict(X), rtol=1e-6)


def test_degree_0_with_inverse_squares_is_shepards_method():
    from sklearn_bayeslazy import ShepardKNNRegressor

    X, y, _ = some_rows()
    X[3] = X[4]  # two rows at distance 0 from a query
    queries = np.vstack([X[:6], X[:6] + 0.01])
    for k in (None, 9):
        local = regressor(0, n_neighbors=k, kernel="inverse_square").fit(X, y)
        shepard = ShepardKNNRegressor(k, power=2, metric="euclidean").fit(X, y)
        np.testing.assert_allclose(local.predict(queries), shepard.predict(queries))


def test_a_row_at_distance_0_of_infinite_weight_keeps_its_slope():
    X = np.array([[0.0], [1.0], [2.0]])
    model = regressor(n_neighbors=None, kernel="inverse_square").fit(X, [1.0, 3.0, 5.0])
    assert model.predict([[0.0]])[0] == pytest.approx(1, rel=1e-12)
    assert model.gradient([[0.0]])[0, 0] == pytest.approx(2, rel=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("d", [1, 3])
def test_polynomials_are_reproduced_with_their_gradients(d, degree):
    rng = np.random.default_rng(0)
    X, A, b = rng.normal(size=(90, d)), rng.normal(size=(d, d)), rng.normal(size=d)
    A = (A + A.T) * (degree == 2)
    y = 1 + X @ b + np.einsum("ij,jk,ik->i", X, A, X) / 2
    units = 10.0 ** np.arange(d)
    model = regressor(degree, n_neighbors=40, scale="std").fit(X * units, y)
    Z = rng.normal(size=(20, d)) / 2
    expected = 1 + Z @ b + np.einsum("ij,jk,ik->i", Z, A, Z) / 2
    np.testing.assert_allclose(model.predict(Z * units), expected, atol=1e-9)
    np.testing.assert_allclose(model.gradient(Z * units) * units, b + Z @ A, atol=1e-8)


def test_several_targets_are_fitted_independently():
    X, y, _ = some_rows()
    Y = np.column_stack([y, 3 - y**2])
    for robust in (0, 2):
        model = classical(robust_iterations=robust).fit(X, Y)
        predictions, std = model.predict(X, return_std=True)
        lower, _ = model.prediction_interval(X, method="normal")
        slopes = model.gradient(X)
        for v in range(2):
            one = classical(robust_iterations=robust).fit(X, Y[:, v])
            single, single_std = one.predict(X, return_std=True)
            np.testing.assert_allclose(predictions[:, v], single, atol=1e-12)
            np.testing.assert_allclose(std[:, v], single_std, rtol=1e-10)
            np.testing.assert_allclose(slopes[..., v], one.gradient(X), atol=1e-10)
            np.testing.assert_allclose(
                lower[:, v], one.prediction_interval(X, method="normal")[0]
            )
            assert model.residual_scale_[v] == pytest.approx(one.residual_scale_)
            assert model.gcv_[v] == pytest.approx(one.gcv_)
            assert model.aicc_[v] == pytest.approx(one.aicc_)
