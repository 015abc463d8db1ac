"""LocallyWeightedRegressor on raw tables: symbols, dates and missing cells."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, rankdata
from sklearn.model_selection import cross_val_score

from sklearn_bayeslazy import (
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)

CLASSICAL = {"degree": 1, "n_neighbors": 20, "scale": "std", "ridge": 0.01}


def cars(n=150, seed=0):
    """Return a frame of used cars, and their prices."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "maker": rng.choice(["ada", "bay", "cox"], n).astype(object),
            "age": rng.uniform(0, 12, n),
            "diesel": rng.random(n) < 0.4,
            "town": [f"town {i}" for i in rng.integers(0, 40, n)],
        }
    )
    price = 20 * np.exp(-frame["age"] / 5) + 5 * (frame["maker"] == "cox")
    price += frame["diesel"] + 0.3 * rng.normal(size=n)
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "maker"] = None
    return frame, price.to_numpy()


def test_a_frame_of_numbers_is_its_array():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    of_array = LocallyWeightedRegressor().fit(X, y)
    of_frame = LocallyWeightedRegressor().fit(pd.DataFrame(X), y)
    assert_array_equal(of_frame.predict(pd.DataFrame(X)), of_array.predict(X))


def test_a_frame_an_array_of_objects_and_threads_have_the_same_answers():
    frame, y = cars()
    expected = LocallyWeightedRegressor().fit(frame, y).predict(frame)
    cells = frame.to_numpy(object)
    again = LocallyWeightedRegressor(n_jobs=2).fit(cells, y)
    assert_array_equal(again.predict(cells), expected)
    assert_allclose(again.predict(cells[3:5]), expected[3:5], rtol=1e-12)


def test_missing_numbers_are_means_and_few_symbols_indicators():
    frame, y = cars()
    frame = frame.drop(columns="town")
    numbers = np.zeros((len(frame), 5))
    maker = frame["maker"].to_numpy()
    # Indicators over √2; a missing symbol lies in the middle of the three.
    for j, name in enumerate(["ada", "bay", "cox"]):
        numbers[:, j] = np.where(pd.isna(maker), 1 / 3, maker == name) / 2**0.5
    numbers[:, 3] = frame["age"].fillna(frame["age"].mean())
    numbers[:, 4] = np.where(frame["diesel"], 0.5, -0.5)
    expected = LocallyWeightedRegressor(**CLASSICAL).fit(numbers, y)
    model = LocallyWeightedRegressor(**CLASSICAL).fit(frame, y)
    assert_allclose(model.scale_, expected.scale_)
    assert_allclose(model.predict(frame), expected.predict(numbers), rtol=1e-9)
    slopes = model.gradient(frame)
    assert_allclose(slopes[:, 1], expected.gradient(numbers)[:, 3], rtol=1e-9)
    assert np.isnan(slopes[:, [0, 2]]).all()


@pytest.mark.parametrize(
    "learner", [LocallyWeightedRegressor, RBFNetworkRegressor, RBFNetworkClassifier]
)
def test_numbers_whose_absence_tells_of_the_target(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    X[rng.random(600) < 0.5, 4] = np.nan
    absent = np.isnan(X[:, 4])
    y = X[:, 0] + X[:, 1] * X[:, 2] / 2 + 3 * absent + 0.4 * rng.normal(size=600)
    if learner is RBFNetworkClassifier:
        y = y > 1.5
    # The variances are 1, 1/4, 9/4 and .16: without the third R² is below .4.
    assert learner().fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.9


def test_raw_tables_are_predicted_well():
    frame, y = cars(400)
    scores = cross_val_score(LocallyWeightedRegressor(), frame, y, cv=3)
    linear = LocallyWeightedRegressor(1, n_neighbors=None, bandwidth=1e6, ridge=1e-9)
    # A tenth of the ages, which tell most, are missing.
    assert scores.mean() > 0.85
    assert scores.mean() > cross_val_score(linear, frame, y, cv=3).mean() + 0.03


@pytest.mark.parametrize("seed", range(3))
def test_names_of_rows_do_not_flatter_leave_one_out(seed):
    rng = np.random.default_rng(seed)
    n = 150
    frame = pd.DataFrame(
        {
            "name": [f"row {i}" for i in range(n)],
            "pair": [f"pair {i // 2}" for i in rng.permutation(n)],
            "x": rng.normal(size=n),
        }
    )
    y = rng.normal(size=n)
    model = LocallyWeightedRegressor().fit(frame, y)
    error = np.min(model.loo_results_["mean_squared_error"])
    assert error > 0.75 * np.var(y)
    assert cross_val_score(LocallyWeightedRegressor(), frame, y, cv=3).mean() > -0.2


def test_the_order_of_the_rows_does_not_matter():
    frame, y = cars()
    expected = LocallyWeightedRegressor().fit(frame, y).predict(frame)
    order = np.random.default_rng(1).permutation(len(y))
    again = LocallyWeightedRegressor().fit(frame.iloc[order], y[order])
    assert_allclose(again.predict(frame), expected, rtol=1e-6, atol=1e-8)


def test_integer_weights_equal_repetition():
    """Where all rows have numbers: copies of rows of symbols are other observations."""
    frame, y = cars()
    frame["age"] = np.random.default_rng(3).uniform(0, 12, len(y))
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = LocallyWeightedRegressor(**CLASSICAL).fit(frame.iloc[rows], y[rows])
    weighted = LocallyWeightedRegressor(**CLASSICAL).fit(frame, y, weight)
    assert_allclose(weighted.predict(frame), repeated.predict(frame), rtol=1e-6)


def test_new_symbols_are_answered_and_changed_kinds_are_an_error():
    frame, y = cars()
    model = LocallyWeightedRegressor().fit(frame, np.column_stack([y, -y]))
    new = frame.assign(maker="new", town="new")
    predictions, std = model.predict(new, return_std=True)
    assert np.isfinite(predictions).all()
    assert np.isfinite(std).all()
    assert_allclose(predictions[:, 0], -predictions[:, 1], atol=1e-8)
    with pytest.raises(TypeError, match="'age' held numbers at fit and now holds"):
        model.predict(frame.assign(age="old"))
    with pytest.raises(ValueError, match="infinity in column 'age'"):
        model.fit(frame.assign(age=np.inf), y)
    assert_array_equal(model.predict(new), predictions)


def long_tailed(n_rows=400, seed=0):
    """Return the logs of numbers over many magnitudes, and what depends on them."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(n_rows, 2))
    y = np.sin(2 * logs[:, 0]) + logs[:, 1] + 0.05 * rng.normal(size=n_rows)
    return logs, y


def test_normal_scores_are_those_of_rows_encoded_before():
    # Of n distinct numbers the i-th smallest becomes the normal quantile of
    # (i - 1/2) / n.
    logs, y = long_tailed()
    scores = norm.ppf((rankdata(logs, axis=0) - 0.5) / len(y))
    expected = LocallyWeightedRegressor(scale="std").fit(scores, y)
    model = LocallyWeightedRegressor(scale="normal_scores").fit(np.exp(9 * logs), y)
    assert model.numbers_ == "normal_scores"
    assert expected.numbers_ == "given"
    assert_allclose(model.predict(None), expected.predict(None), atol=1e-9)
    assert_allclose(
        model.loo_results_["mean_squared_error"],
        expected.loo_results_["mean_squared_error"],
        rtol=1e-8,
    )


def test_normal_scores_are_chosen_where_tails_are_long():
    logs, y = long_tailed(1000)
    X = np.exp(3 * logs)
    fit, new = slice(300), slice(300, None)
    model = LocallyWeightedRegressor().fit(X[fit], y[fit])
    assert model.numbers_ == "normal_scores"
    error = np.mean((model.predict(X[new]) - y[new]) ** 2)
    assert error < 0.05 * np.var(y[new])
    divided = LocallyWeightedRegressor(scale="std").fit(X[fit], y[fit])
    assert np.mean((divided.predict(X[new]) - y[new]) ** 2) > 3 * error
    plain = LocallyWeightedRegressor().fit(logs[fit], y[fit])
    assert plain.numbers_ == "given"


def test_numbers_stay_as_they_are_where_both_encodings_fit_exactly():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = LocallyWeightedRegressor().fit(X, np.full(60, 3.0))
    assert model.numbers_ == "given"


def test_gradients_along_normal_scores_are_in_units_of_the_columns():
    # f = log x has the slope 1/x. Half a deviation of x up and down changes log x by
    # 1/2, over which the mean slope is (1/2 + 1/2) / (x e^(1/2) - x e^(-1/2)).
    logs = norm.ppf((np.arange(500)[:, None] + 0.5) / 500)
    X = np.exp(logs)
    model = LocallyWeightedRegressor(
        1, n_neighbors=0.2, scale="normal_scores", ridge=0.0
    )
    model.fit(X, logs[:, 0])
    queries = np.array([[0.5], [1.0], [2.0]])
    expected = 1 / (2 * np.sinh(0.5) * queries)
    assert_allclose(model.gradient(queries), expected, rtol=0.01)
