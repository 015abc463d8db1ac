"""Local regression on degenerate designs: finite, bounded, no worse than the mean."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict

from sklearn_bayeslazy import LocallyWeightedRegressor
from tests.helpers.local_regression_by_hand import classical, some_rows

N_DESIGNS = 150


def _column(rng, n):
    """Return a column of a random kind."""
    kind = rng.integers(7)
    if kind == 0:
        return np.full(n, rng.normal())
    if kind == 1:
        return rng.integers(0, 2, n).astype(float)
    if kind == 2:
        return rng.integers(0, 4, n).astype(float)
    if kind == 3:
        return np.where(rng.uniform(size=n) < 0.1, 1e6, 0.0) * rng.normal(size=n)
    return rng.normal(size=n)


def _design(rng):
    """Return rows with equal, constant, huge and tiny columns and repeated rows."""
    n, d = int(rng.choice([1, 2, 3, 5, 9, 20, 40])), int(rng.integers(1, 9))
    X = np.column_stack([_column(rng, n) for _ in range(d)])
    if rng.uniform() < 0.3:
        X = np.column_stack([X, X[:, 0], X[:, 0] - 2 * X[:, -1]])
    if rng.uniform() < 0.3:
        X = np.column_stack([X, np.eye(4)[rng.integers(0, 4, n)]])
    if rng.uniform() < 0.3:
        X *= 10.0 ** rng.choice([-150, -100, 0, 100, 150], size=X.shape[1])
    if rng.uniform() < 0.3:
        X = X[rng.integers(0, n, n)]
    y = rng.normal(size=n) * 10.0 ** rng.choice([-150, 0, 0, 0, 150])
    if rng.uniform() < 0.3:
        y = np.sign(y)
    return X, y


def _parameters(rng):
    """Return parameters: the defaults, or classical ones with or without a ridge."""
    if rng.uniform() < 0.1:  # the defaults, which cost the most
        return {}
    k = rng.choice([2, 5, 12, 30])
    return {
        "degree": int(rng.integers(0, 3)),
        "n_neighbors": int(k) if k < 30 else float(rng.uniform(0.2, 2)),
        "kernel": str(rng.choice(["tricube", "uniform", "inverse_square"])),
        "scale": [None, "std", "range"][rng.integers(3)],
        "ridge": float(rng.choice([0.0, 1e-300, 1e-6, 0.1, 1e6])),
    }


@pytest.mark.parametrize("seed", [0, 1])
def test_degenerate_designs_are_answered_by_finite_numbers(seed):
    rng = np.random.default_rng(seed)
    for _ in range(N_DESIGNS):
        X, y = _design(rng)
        model = LocallyWeightedRegressor(**_parameters(rng), algorithm="brute")
        Z = np.vstack([X, X[:3] * 1.5, X[:3] + np.ptp(X, axis=0)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if len(X) == 1 and "loo" in model.get_params().values():
                with pytest.raises(ValueError, match="needs two rows of weight"):
                    model.fit(X, y)
                continue
            predictions = model.fit(X, y).predict(Z)
        assert np.isfinite(predictions).all()


@pytest.mark.parametrize("degree", [1, 2])
def test_a_window_of_equal_rows_predicts_their_mean(degree):
    X, y = np.repeat(np.eye(3), 40, axis=0), np.arange(120.0)
    model = classical(degree, n_neighbors=20, ridge=0.1).fit(X, y)
    # The 40 rows of a kind are at distance 0, and share the weight of 20.
    expected = [np.arange(a, a + 40).mean() for a in (0, 40, 80)]
    np.testing.assert_allclose(model.predict(np.eye(3)), expected, rtol=1e-12)


def _bounds(y, k):
    """Return the bounds of predictions from the first k targets."""
    low, high = y[:k].min(), y[:k].max()
    return 2 * low - high, 2 * high - low


@pytest.mark.parametrize("degree", [1, 2])
def test_a_prediction_that_its_window_does_not_determine_is_bounded(degree):
    rng = np.random.default_rng(0)
    d, k = 6, 8  # fewer rows than terms for degree 2; two more than slopes for degree 1
    wild = 0
    for _ in range(50):
        X, y = rng.normal(size=(k, d)), rng.normal(size=k)
        Z = 100 * rng.normal(size=(5, d))
        given = {"n_neighbors": k, "kernel": "uniform"}
        free = classical(degree, **given).fit(X, y).predict(Z)
        bounded = classical(degree, ridge=1e-9, **given).fit(X, y)
        predictions = bounded.predict(Z)
        low, high = _bounds(y, k)
        wild += np.sum((free < low) | (free > high))
        if degree == 2:  # no degrees of freedom are left for a standard error
            slack = 1e-9 * (high - low)
            assert np.all(predictions >= low - slack)
            assert np.all(predictions <= high + slack)
        else:  # never farther out than the polynomial itself
            outside = np.maximum(low - predictions, predictions - high)
            polynomial = np.maximum(low - free, free - high)
            assert np.all(outside <= np.maximum(polynomial, 0) + 1e-6)
    assert wild > 50


def test_a_prediction_is_moved_by_three_of_its_standard_errors():
    X, rng = np.arange(20.0)[:, None], np.random.default_rng(0)
    y = X[:, 0] + rng.normal(scale=0.5, size=20)
    query, ridge = np.array([[80.0]]), 1e-9
    model = classical(1, n_neighbors=20, kernel="uniform", ridge=ridge).fit(X, y)
    # Textbook: the standard error of a straight line at x, with n - 2 degrees of
    # freedom, is s √(1/n + (x - mean)² / Σ(x_i - mean)²).
    slope, intercept = np.polyfit(X[:, 0], y, 1)
    residuals = y - intercept - slope * X[:, 0]
    s = np.sqrt(residuals @ residuals / 18)
    centred = X[:, 0] - X[:, 0].mean()
    gap = query[0, 0] - X[:, 0].mean()
    error = s * np.sqrt(1 / 20 + gap**2 / (centred @ centred))
    line = intercept + slope * query[0, 0]
    bound = _bounds(y, 20)[1]
    assert line - 3 * error > bound  # it stays outside
    assert model.predict(query)[0] == pytest.approx(line - 3 * error, rel=1e-6)
    near = np.array([[30.0]])
    assert model.predict(near)[0] == pytest.approx(intercept + slope * 30, rel=1e-6)


def test_an_exact_line_is_extrapolated_with_a_small_ridge():
    X = np.arange(20.0)[:, None]
    model = classical(1, n_neighbors=20, kernel="uniform", ridge=1e-9)
    model.fit(X, 2 * X[:, 0] + 1)
    assert model.predict([[200.0]])[0] == pytest.approx(401, rel=1e-6)


def test_classical_predictions_have_no_bounds():
    X, y, _ = some_rows()
    far = np.array([[50.0, -50.0]])
    prediction = classical(1, n_neighbors=2.0, kernel="uniform").fit(X, y).predict(far)
    A = np.column_stack([np.ones(len(X)), X])
    expected = np.append(1, far) @ np.linalg.lstsq(A, y, rcond=None)[0]
    assert prediction[0] == pytest.approx(expected, rel=1e-9)
    assert not y.min() - np.ptp(y) < expected < y.max() + np.ptp(y)


def _used_cars(rng, n):
    """Return a table as `pandas.get_dummies` makes it, and prices.

    Make, model (nested in make), fuel, gear and colour are 0/1 columns: many are 0 in
    all but a few rows, and each group sums to 1.
    """
    make = rng.integers(0, 8, n)
    model = make * 4 + np.minimum(rng.geometric(0.5, n) - 1, 3)
    groups = [(make, 8), (model, 32), (rng.integers(0, 3, n), 3)]
    groups += [(rng.integers(0, 2, n), 2), (rng.integers(0, 7, n), 7)]
    dummies = np.hstack([np.eye(size)[codes] for codes, size in groups])
    year, km = rng.integers(1998, 2021, n), np.round(rng.gamma(2, 40_000, n), -3)
    log_price = 9 + rng.normal(size=32)[model] / 2 + (year - 2010) / 8 - km / 2e5
    X = np.column_stack([year, km, dummies])
    return X, np.exp(log_price + rng.normal(scale=0.2, size=n))


@pytest.mark.parametrize(("n", "least"), [(60, 0.2), (250, 0.5)])
@pytest.mark.parametrize("is_noise", [False, True])
def test_one_hot_tables_are_never_worse_than_the_mean(n, least, is_noise):
    """On noise the mean is the best: a little of the variance is lost by choosing."""
    rng = np.random.default_rng(n)
    X, y = _used_cars(rng, n)
    assert 40 <= X.shape[1] <= 60
    if is_noise:
        y = rng.permutation(y)
    model = LocallyWeightedRegressor(statistics=None)
    folds = KFold(5, shuffle=True, random_state=0)
    score = r2_score(y, cross_val_predict(model, X, y, cv=folds))
    assert score > (-0.1 if is_noise else least)
