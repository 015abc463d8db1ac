"""Huge, tiny and nearly constant numbers and weights: finite answers, no warning."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from sklearn_bayeslazy import (
    LocallyWeightedEstimator,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    ShepardKNNRegressor,
)
from sklearn_bayeslazy._core._compat import Interval
from sklearn_bayeslazy.local_regression._fits._candidates import default_bandwidths
from sklearn_bayeslazy.search._dense_search import DenseSearch
from sklearn_bayeslazy.search._metrics import learn_metric
from sklearn_bayeslazy.search._neighbor_lists import WeightedK, no_exclusions
from sklearn_bayeslazy.search._ties import lists_with_ties
from sklearn_bayeslazy.testing import assert_on_simplex


def some_rows(n=40):
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, X[:, 0] + X[:, 1]


def small_network(n_centers=8):
    return RBFNetworkRegressor(n_centers, overlap=2.0, ridge=0.01, feature_weights=None)


@pytest.mark.parametrize("size", [1e20, 1e100, 1e154, 1e200, 1e308])
@pytest.mark.parametrize("rounding", [0.0, 1e-15])
def test_a_network_learns_as_without_a_column_of_nearly_equal_numbers(size, rounding):
    X, y = some_rows()
    expected = small_network().fit(X, y).predict(X)
    noise = rounding * np.random.default_rng(1).integers(0, 3, len(X))
    wide = np.column_stack([X, size * (1 - noise)])
    found = small_network().fit(wide, y).predict(wide)
    if rounding:
        assert np.mean((found - y) ** 2) < 0.5 * y.var()
    else:
        np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("size", [1e200, 1.7e308])
def test_a_network_learns_from_cells_at_both_ends_of_float64(size):
    X, y = some_rows()
    X[:, 2] = np.nan
    X[:2, 2] = size, -size
    assert np.isfinite(small_network().fit(X, y).predict(X)).all()
    classifier = RBFNetworkClassifier(8, overlap=2.0, ridge=0.01)
    classifier.fit(X, y > 0)
    assert_on_simplex(classifier.predict_proba(X))


def test_equal_rows_teach_a_network_only_the_mean():
    y = np.arange(40.0) * 1e300
    model = RBFNetworkRegressor(1, overlap=1.0, ridge=0.0).fit(np.ones((40, 2)), y)
    far_away = model.predict([[1e100, 1.0]])
    np.testing.assert_allclose(far_away, 19.5e300)


@pytest.mark.parametrize("sign", [-1, 1])
def test_predictions_beyond_float64_are_its_largest_number(sign):
    X = np.arange(20.0)[:, None]
    model = LocallyWeightedRegressor(1, n_neighbors=10, ridge=0.0, scale=None)
    model.fit(X, sign * X[:, 0] * 1e306)
    largest = sign * np.finfo(np.float64).max
    np.testing.assert_array_equal(model.predict([[1e10]]), largest)
    np.testing.assert_allclose(model.predict([[30.0]]), sign * 30e306)


@pytest.mark.parametrize("size", [1e279, 1e299])
@pytest.mark.parametrize(
    "model",
    [
        ShepardKNNRegressor(None, power=2, metric="euclidean"),
        RBFNetworkRegressor(
            8, overlap=2.0, ridge=0.0, feature_weights=None, scale=None
        ),
        LocallyWeightedRegressor(1, n_neighbors=1.0, ridge=0.0, scale=None),
        LocallyWeightedEstimator(DummyRegressor(), n_neighbors=None),
    ],
    ids=lambda model: type(model).__name__,
)
def test_huge_weights_are_only_proportions(model, size):
    X, y = some_rows()
    y = np.column_stack([y, y * 1e30]) if "Dummy" not in str(model) else y
    expected = model.fit(X, y, sample_weight=np.full(40, 2.0)).predict(X)
    found = model.fit(X, y, sample_weight=np.full(40, size)).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_local_probabilities_are_finite_under_huge_weights():
    X, y = some_rows()
    weight = np.random.default_rng(1).choice([1e-300, 1.0, 1e279], len(X))
    model = LocallyWeightedEstimator().fit(X, y > 0, sample_weight=weight)
    assert_on_simplex(model.predict_proba(X[:5]))


@pytest.mark.parametrize("cls", [LocallyWeightedRegressor, LocallyWeightedEstimator])
def test_whole_numbers_are_counts_and_floats_are_shares(cls):
    intervals = [
        constraint
        for constraint in cls._parameter_constraints["n_neighbors"]
        if isinstance(constraint, Interval)
    ]
    assert [interval.is_satisfied_by(1) for interval in intervals] == [True, False]
    assert [interval.is_satisfied_by(1.0) for interval in intervals] == [False, True]


@pytest.mark.parametrize("power", [-300, 0, 300])
def test_the_largest_default_bandwidth_is_the_diagonal_of_the_table(power):
    rows = np.array([[0.0, 4.0], [3.0, 0.0], [1.0, 1.0]]) * 2.0**power
    assert default_bandwidths(rows, 1.0)[-1] == pytest.approx(5 * 2.0**power, abs=0)


def test_default_bandwidths_are_finite_if_the_diagonal_overflows():
    rows = np.array([[-1.7e308, 1.7e308], [1.7e308, -1.7e308]])
    assert np.isfinite(default_bandwidths(rows, 1.0)).all()


def test_huge_beside_tiny_weights_have_finite_degrees_of_freedom():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(12, 1)), rng.normal(size=12)
    weight = np.where(np.arange(12) % 2, 1e300, 1e-307)
    with np.errstate(all="raise", under="ignore"):
        model = LocallyWeightedRegressor().fit(X, y, weight)
    assert np.isfinite(model.equivalent_parameters_)


@pytest.mark.parametrize("scale", ["loo", "std", "trimmed", "range"])
def test_a_column_of_numbers_whose_inverses_overflow_is_constant(scale):
    X, y = some_rows()
    model = LocallyWeightedRegressor(1, n_neighbors=20, ridge=0.1, scale=scale)
    expected = model.fit(X * [1, 1, 0], y).predict(X * [1, 1, 0])
    tiny = X * [1, 1, 1e-309]
    np.testing.assert_allclose(model.fit(tiny, y).predict(tiny), expected)
    with pytest.raises(ValueError, match="overflow once divided by scale"):
        model.set_params(scale=[1, 1, 1e-309]).fit(X, y)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of LinearRegression
def test_a_local_fit_that_overflows_is_named():
    X, y = some_rows()
    model = LocallyWeightedEstimator(LinearRegression(), scale="std").fit(X, y)
    X[7] = 1.7e308, 1.7e308, 0
    with pytest.raises(ValueError, match=r"LinearRegression\(\) .* finite for row 7"):
        model.predict(X)


@pytest.mark.parametrize("ridge", [0.0, 0.01])
def test_a_bandwidth_whose_square_overflows_is_very_large(ridge):
    X, y = some_rows()
    model = LocallyWeightedRegressor(ridge=ridge, bandwidth=1e100, n_neighbors=None)
    expected = model.fit(X, y).predict(X)
    for n_neighbors in (None, 5):
        model.set_params(bandwidth=1e200, n_neighbors=n_neighbors)
        np.testing.assert_allclose(model.fit(X, y).predict(X), expected, atol=1e-12)


def test_ties_are_listed_in_few_searches_beside_huge_weights():
    class CountingSearch:
        n_calls = 0

        def nearest(self, queries, rows, weighted_k, exclude):
            self.n_calls += 1
            return search.nearest(queries, rows, weighted_k, exclude)

    rows, weight = np.zeros((64, 1)), np.where(np.arange(64) % 2, 1e300, 1e-300)
    search = DenseSearch(
        learn_metric("euclidean", None, None, rows, weight),
        rows,
        [np.arange(64)],
        False,
    )
    counting, exclude = CountingSearch(), no_exclusions(1)
    lists = lists_with_ties(counting, rows[:1], WeightedK(1.0, weight), exclude, weight)
    assert sorted(lists.indices[0, : lists.counts[0]]) == list(range(64))
    assert counting.n_calls <= 8


@pytest.mark.filterwarnings("error")
def test_statistics_of_a_sample_that_weighs_nothing_are_unknown():
    X, y = some_rows(5)
    weight = np.full(5, 1e-300)
    model = LocallyWeightedRegressor(0, ridge=0.0, n_neighbors=None, bandwidth=1.0)
    model.set_params(loo_max_samples=2, random_state=0).fit(X, y, weight)
    assert np.isfinite(model.residual_scale_)
    weight[np.setdiff1d(np.arange(5), model._rows_to_leave_out())] = 1e300
    model.fit(X, y, weight)
    assert np.isnan(model.residual_scale_)
    assert np.isfinite(model.predict(X)).all()
