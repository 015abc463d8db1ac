"""Bands of the mean, the F test of nested fits, and the summary.

Code under test: `local_regression/_inference.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression import _inference

# Speeds and stopping distances of cars (M. Ezekiel, 1930), R's table `cars`.
SPEED = np.repeat(
    [4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25],
    [2, 2, 1, 1, 3, 2, 4, 4, 4, 3, 2, 3, 4, 3, 5, 1, 1, 4, 1],
)
DISTANCE = np.fromstring(
    "2 10 4 22 16 10 18 26 34 17 28 14 20 24 28 26 34 34 46 26 36 60 80 20 26 54 32 40 "
    "32 40 50 42 56 76 84 36 46 68 32 48 52 56 64 66 54 70 92 93 120 85",
    sep=" ",
)


def least_squares(degree=1, **others):
    """Return a model whose window holds all rows alike: ordinary least squares."""
    parameters = {"n_neighbors": None, "bandwidth": 1e6, "kernel": "uniform"}
    parameters |= {"scale": None, "ridge": 0.0, "statistics": "exact"} | others
    return LocallyWeightedRegressor(degree, **parameters)


def line(n=40, seed=0, slope=0.3):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    return x[:, None], 1 + slope * x + rng.normal(size=n)


def test_bands_of_a_line_are_those_of_least_squares():
    """Student's t with n - 2 degrees, times s √(1/n + (x - x̄)² / Σ (xᵢ - x̄)²)."""
    X, y = line()
    x, queries = X[:, 0], np.array([0.0, 4.0, 12.0])
    slope, intercept = np.polyfit(x, y, 1)
    residuals = y - intercept - slope * x
    s = np.sqrt(residuals @ residuals / 38)
    deviation = np.sum((x - x.mean()) ** 2)
    errors = s * np.sqrt(1 / 40 + (queries - x.mean()) ** 2 / deviation)
    half = stats.t.ppf(0.95, 38) * errors
    lower, upper = least_squares().fit(X, y).confidence_interval(queries[:, None], 0.9)
    assert_allclose(lower, intercept + slope * queries - half, rtol=1e-9)
    assert_allclose(upper, intercept + slope * queries + half, rtol=1e-9)


def test_simultaneous_bands_of_a_line_are_those_of_working_and_hotelling():
    """Over a line that is long on both sides the factor is √(2 F)."""
    X, y = line()
    queries = np.concatenate([-np.logspace(5, -2, 50), np.logspace(-2, 5, 50)])
    queries = X.mean() + queries[:, None]
    model = least_squares().fit(X, y)
    predictions, errors = model.predict(queries, return_std=True)
    for coverage in (0.5, 0.9, 0.99):
        _, upper = model.confidence_interval(queries, coverage, simultaneous=True)
        factor = (upper - predictions) / errors
        expected = np.sqrt(2 * stats.f.ppf(coverage, 2, 38))
        assert_allclose(factor, expected, rtol=0.02)


def test_simultaneous_bounds_of_one_row_are_those_of_the_row_alone():
    X, y = line()
    model = least_squares().fit(X, y)
    alone = model.confidence_interval([[3.0]], 0.8)
    assert_allclose(model.confidence_interval([[3.0]], 0.8, simultaneous=True), alone)


def test_many_rows_take_the_bound_of_sidak(monkeypatch):
    monkeypatch.setattr(_inference, "_MAX_QUERIES_TO_DRAW", 200)
    X, y = line()
    model, queries = least_squares().fit(X, y), np.linspace(0, 10, 250)[:, None]
    predictions, errors = model.predict(queries, return_std=True)
    _, upper = model.confidence_interval(queries, 0.9, simultaneous=True)
    expected = stats.t.ppf((1 + 0.9 ** (1 / 250)) / 2, 38)
    assert_allclose((upper - predictions) / errors, expected, rtol=1e-9)
    _, drawn = model.confidence_interval(queries[::2], 0.9, simultaneous=True)
    assert np.all(drawn < upper[::2])


@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_bands_cover_a_smooth_mean(coverage, monkeypatch):
    """The mean is a parabola, which a local parabola fits without bias."""
    # 2000 draws change the coverage of 300 bands by less than the chance of these.
    monkeypatch.setattr(_inference, "_N_DRAWS", 2000)
    queries = np.linspace(0, 10, 25)[:, None]
    mean, single, together = 2 + 0.3 * (queries[:, 0] - 4) ** 2, [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.uniform(0, 10, (60, 1))
        y = 2 + 0.3 * (X[:, 0] - 4) ** 2 + rng.normal(size=60)
        model = LocallyWeightedRegressor(2, n_neighbors=0.6, scale=None, ridge=0.0)
        model.fit(X, y)
        for simultaneous, shares in ((False, single), (True, together)):
            lower, upper = model.confidence_interval(
                queries, coverage, simultaneous=simultaneous
            )
            shares.append((lower <= mean) & (mean <= upper))
    assert abs(np.mean(single) - coverage) < 0.03
    assert abs(np.all(together, axis=1).mean() - coverage) < 0.06


def test_weights_count_as_repetition():
    X, y = line(20)
    weight = np.random.default_rng(1).integers(1, 4, 20)
    once = LocallyWeightedRegressor(1, n_neighbors=30, scale=None, ridge=0.0)
    weighted = once.fit(X, y, sample_weight=weight)
    repeated = LocallyWeightedRegressor(1, n_neighbors=30, scale=None, ridge=0.0)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    queries = np.linspace(0, 10, 7)[:, None]
    for simultaneous in (False, True):
        bounds = [
            model.confidence_interval(queries, simultaneous=simultaneous)
            for model in (weighted, repeated)
        ]
        assert_allclose(bounds[0], bounds[1], rtol=1e-6)
    assert_allclose(weighted.summary().r2, repeated.summary().r2)


def test_the_order_of_queries_does_not_move_simultaneous_bounds():
    X, y = line()
    model = LocallyWeightedRegressor(1, n_neighbors=15, ridge=0).fit(X, y)
    queries = np.random.default_rng(0).uniform(0, 10, (9, 1))
    bounds = model.confidence_interval(queries, simultaneous=True)
    reversed_ = model.confidence_interval(queries[::-1], simultaneous=True)
    assert_allclose(bounds, [bound[::-1] for bound in reversed_], rtol=1e-9)


@pytest.mark.parametrize("constant", [0.0, 1.0, 3.3])
def test_constant_targets_have_no_shares_of_variance(constant):
    X, y = line()
    Y = np.column_stack([y, np.full(len(y), constant)])
    model = least_squares().fit(X, Y)
    assert_array_equal(np.isnan(model.summary().r2), [False, True])
    found = model.anova(least_squares(0).fit(X, Y))
    assert_array_equal(np.isnan(found.statistic), [False, True])
    assert_array_equal(np.isnan(found.pvalue), [False, True])
    alone = least_squares().fit(X, Y[:, 1])
    assert np.isnan(alone.summary().r2)


def test_several_outputs_have_bounds_each():
    X, y = line()
    Y = np.column_stack([y, 100 * y[::-1]])
    model, queries = least_squares().fit(X, Y), [[1.0], [2.0]]
    lower, upper = model.confidence_interval(queries, simultaneous=True)
    assert lower.shape == upper.shape == (2, 2)
    one = least_squares().fit(X, Y[:, 1])
    assert_allclose(upper[:, 1], one.confidence_interval(queries, simultaneous=True)[1])
    assert model.summary().r2.shape == (2,)
    assert model.anova(least_squares(0).fit(X, Y)).pvalue.shape == (2,)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_the_test_of_a_slope_is_that_of_least_squares(slope):
    """F is the square of Student's t of the slope."""
    X, y = line(slope=slope)
    expected = stats.linregress(X[:, 0], y)
    constant, linear = least_squares(0).fit(X, y), least_squares(1).fit(X, y)
    for found in (constant.anova(linear), linear.anova(constant)):
        assert_allclose(found.statistic, (expected.slope / expected.stderr) ** 2)
        assert_allclose(found.pvalue, expected.pvalue, rtol=1e-6)
        assert_allclose([found.numerator_dof, found.denominator_dof], [1, 38])
        assert_allclose(found.equivalent_parameters, [1, 2])
        total = np.sum((y - y.mean()) ** 2)
        sums = [total, (1 - expected.rvalue**2) * total]
        assert_allclose(found.residual_sum_of_squares, sums)
    assert "p = " in str(found)
    assert_allclose(linear.summary().r2, expected.rvalue**2)


def test_p_values_of_nested_spans_are_uniform_where_the_smaller_model_holds():
    pvalues = []
    for seed in range(400):
        X, y = line(50, seed)
        smooth, rough = (
            LocallyWeightedRegressor(1, n_neighbors=n, scale=None, ridge=0.0).fit(X, y)
            for n in (1.0, 0.4)
        )
        pvalues.append(smooth.anova(rough).pvalue)
    assert stats.kstest(pvalues, "uniform").pvalue > 0.001


def test_summary_of_cars_is_nearly_that_of_r():
    """R's ``loess(dist ~ speed, cars)``: 4.78 parameters, residual error 15.29.

    R interpolates between fits at a few speeds (fitted directly: 4.83, 15.31), and has
    all of several rows at the edge of a window, which share what is left of it here.
    """
    model = LocallyWeightedRegressor(2, n_neighbors=0.75, scale=None, ridge=0.0)
    found = model.fit(SPEED[:, None], DISTANCE).summary()
    assert found.n_rows == 50
    assert_allclose(found.equivalent_parameters, 4.83, rtol=0.02)
    assert_allclose(found.residual_scale, 15.31, rtol=0.002)
    text = str(found)
    assert "Equivalent number of parameters: 4.9" in text
    assert repr(found) == text


def test_models_that_cannot_be_compared_say_why():
    X, y = line()
    model = least_squares().fit(X, y)
    with pytest.raises(ValueError, match="other rows, targets or sample weights"):
        model.anova(least_squares(0).fit(X, y + 1))
    with pytest.raises(ValueError, match="as many degrees of freedom"):
        model.anova(least_squares(1).fit(X, y))
    with pytest.raises(ValueError, match="same rows, in the same order"):
        model.anova(least_squares(2).fit(np.roll(X, len(X) // 2, axis=0), y))
    with pytest.raises(TypeError, match="other must be"):
        model.anova("loess")
    unknown = least_squares(statistics=None).fit(X, y)
    for call in (
        lambda: model.anova(unknown),
        unknown.summary,
        lambda: unknown.confidence_interval(X),
    ):
        with pytest.raises(ValueError, match="statistics='auto'"):
            call()
    with pytest.raises(ValueError, match="No degrees of freedom"):
        least_squares().fit(X[:2], y[:2]).summary()
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
        model.confidence_interval(X, 95)
