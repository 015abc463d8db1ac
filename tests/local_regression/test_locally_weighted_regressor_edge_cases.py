"""Local regression in edge cases: empty windows, degenerate tables, errors."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from tests.helpers.local_regression_by_hand import (
    classical,
    polynomial,
    regressor,
    some_rows,
)


def test_weights_that_are_all_0_are_replaced_by_the_nearest_rows():
    X = [[-1.0], [1.0], [-1.0], [1.0]]
    model = regressor(n_neighbors=4).fit(X, [0.0, 1.0, 2.0, 3.0])  # all weights are 0
    # All rows are equally far: the line is that through the means (-1, 1) and (1, 2).
    assert model.predict([[0.0]])[0] == pytest.approx(1.5)


def test_an_empty_window_takes_as_many_rows_as_there_are_terms():
    X, y, _ = some_rows()
    far = np.array([[30.0, 40.0]])
    nearest = np.argsort(((X - far) ** 2).sum(axis=1))[:3]
    plane = np.linalg.solve(polynomial(X[nearest] - far, 1), y[nearest])[0]
    model = regressor(n_neighbors=None, bandwidth=0.5).fit(X, y)
    assert model.predict(far)[0] == pytest.approx(plane, rel=1e-6)


def test_weights_that_underflow_raise_an_error_with_the_distance():
    X, y, _ = some_rows()
    model = regressor(n_neighbors=None, bandwidth=1e-3, kernel="gaussian").fit(X, y)
    with pytest.raises(
        ValueError, match=r"nearest row is 11\.7 away.*bandwidth=0\.001"
    ):
        model.predict([[10.0, 10.0]])


def test_rows_that_span_no_plane_get_the_slopes_of_least_norm():
    X, y, _ = some_rows()
    X[:, 1] = 2 * X[:, 0]
    X = np.column_stack([X, np.full(len(X), 7.0)])
    along = regressor(n_neighbors=20).fit(X[:, :1] * np.sqrt(5), y)
    model = regressor(n_neighbors=20).fit(X, y)
    np.testing.assert_allclose(
        model.predict(X), along.predict(X[:, :1] * np.sqrt(5)), rtol=1e-7
    )
    slopes = model.gradient(X)
    expected = along.gradient(X[:, :1] * np.sqrt(5))[:, 0]
    np.testing.assert_allclose(slopes @ [1, 2, 0] / np.sqrt(5), expected, rtol=1e-6)
    np.testing.assert_allclose(slopes[:, 2], 0, atol=1e-9)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_few_rows_and_equal_rows_give_finite_predictions(degree):
    model = classical(degree)
    assert model.fit([[1.0]], [3.0]).predict([[5.0]])[0] == pytest.approx(3)
    assert np.isnan(model.residual_scale_)
    assert model.gcv_ == model.aicc_ == np.inf
    same = model.fit(np.ones((6, 2)), np.arange(6.0))
    assert same.predict([[1.0, 1.0]])[0] == pytest.approx(2.5)
    two = model.fit([[0.0], [1.0]], [0.0, 1.0])
    assert np.isfinite(two.predict([[0.0], [0.5], [1.0], [9.0]])).all()


@pytest.mark.parametrize("exponent", [-900, -300, 300, 1000])
def test_predictions_scale_with_very_large_and_small_targets(exponent):
    X, y, _ = some_rows()
    plain = classical(n_neighbors="loo").fit(X, y)
    sized = classical(n_neighbors="loo").fit(X, np.ldexp(y, exponent))
    for found, expected in zip(
        sized.predict(X, return_std=True), plain.predict(X, return_std=True)
    ):
        np.testing.assert_allclose(np.ldexp(found, -exponent), expected, rtol=1e-9)
    assert sized.n_neighbors_ == plain.n_neighbors_
    assert sized.aicc_ == pytest.approx(plain.aicc_ + 2 * exponent * np.log(2))


@pytest.mark.parametrize("factor", [1e-200, 1e-100, 1e100, 1e200])
@pytest.mark.parametrize("size", [(20, None), (None, 1.0)], ids=str)
def test_predictions_do_not_depend_on_the_size_of_the_rows(size, factor):
    X, y, _ = some_rows()
    k, h = size
    expected = regressor(n_neighbors=k, bandwidth=h).fit(X, y).predict(X)
    h = None if h is None else h * factor
    sized = regressor(n_neighbors=k, bandwidth=h).fit(X * factor, y)
    np.testing.assert_allclose(sized.predict(X * factor), expected, rtol=1e-7)
    assert np.isfinite(sized.gradient(X * factor)).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"degree": 3}, "degree"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": -0.5}, "n_neighbors"),
        ({"n_neighbors": None}, "n_neighbors=None and bandwidth=None define no window"),
        ({"bandwidth": 0}, "bandwidth"),
        ({"kernel": "box"}, "kernel"),
        ({"scale": [1.0]}, "scale must hold 2"),
        ({"scale": [1.0, -1.0]}, "scale must hold 2"),
        ({"scale": ["a", 1.0]}, "scale must be an array"),
        ({"ridge": -1}, "ridge"),
        ({"robust_iterations": 1, "degree": "loo"}, "no exact leave-one-out"),
        ({"statistics": "some"}, "statistics"),
        ({"degree": "loo", "loo_candidates": {"degree": [3]}}, "give 0, 1 or 2"),
        ({"degree": "loo", "loo_candidates": {"ridge": [3]}}, "names 'ridge'"),
        ({"n_neighbors": "loo", "loo_candidates": {"n_neighbors": [0]}}, "holds 0"),
        (
            {"algorithm": NearestNeighbors(), "bandwidth": 1.0},
            "NearestNeighbors.* and no bandwidth",
        ),
    ],
    ids=str,
)
def test_errors_name_invalid_parameters(params, message):
    X, y, _ = some_rows()
    with pytest.raises(ValueError, match=message):
        classical(**params).fit(X, y)


def test_errors_name_what_a_fitted_model_cannot_do():
    X, y, weight = some_rows(weight="fractions")
    model = regressor().fit(X, y)
    with pytest.raises(ValueError, match="statistics=None"):
        model.predict(X, return_std=True)
    with pytest.raises(ValueError, match="coverage"):
        classical().fit(X, y).prediction_interval(X, 95)
    with pytest.raises(ValueError, match="sample_weight cannot be used with an engine"):
        regressor(algorithm=NearestNeighbors()).fit(X, y, weight)
    with pytest.raises(ValueError, match="n_samples = 1"):
        regressor("loo").fit([[1.0]], [1.0])
    with pytest.raises(ValueError, match="Queries overflow"):
        regressor(scale=[1e-9, 1]).fit(X, y).predict(X * 1e305)


@pytest.mark.parametrize("scale", ["std", "trimmed"])
def test_scales_are_standard_deviations(scale):
    X, y, _ = some_rows(n=57)
    ordered = np.sort(X, axis=0)
    kept = ordered[6:-6] if scale == "trimmed" else ordered
    model = regressor(scale=scale).fit(X, y)
    np.testing.assert_allclose(model.scale_, kept.std(axis=0, ddof=1), rtol=1e-12)
