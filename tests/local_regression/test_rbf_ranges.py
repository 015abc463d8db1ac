"""Tests of the ranges in which radial basis functions are trusted."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bayeslazy import RBFNetworkClassifier, RBFNetworkRegressor
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.local_regression._rbf_ranges import Ranges
from tests.helpers.mixed_tables import mixed_frame


def some_points(n, n_columns=3, seed=0):
    """Return points of which some cells of a column are equal."""
    return np.random.default_rng(seed).normal(size=(n, n_columns)).round(1)


@pytest.mark.parametrize("n_rows", [2, 3, 40])
def test_ranges_without_a_row_are_those_of_the_other_rows(n_rows, monkeypatch):
    monkeypatch.setattr(_parallel, "_CELLS_IN_CACHE", 21)  # seven rows
    rows, queries = some_points(n_rows), 2 * some_points(15, seed=1)
    ranges = Ranges.of(rows)
    assert_array_equal(
        ranges.clip(queries), np.clip(queries, rows.min(axis=0), rows.max(axis=0))
    )
    moved = []
    for i in range(n_rows):
        others = np.delete(rows, i, axis=0)
        low, high = others.min(axis=0), others.max(axis=0)
        assert_array_equal(ranges.clip(queries, i), np.clip(queries, low, high))
        if np.any((rows[i] < low) | (rows[i] > high)):
            moved.append(i)
    assert ranges.extreme_rows().tolist() == moved
    some = np.arange(n_rows)[::-1]
    positions, points = ranges.outside_of_others(rows, some)
    assert some[positions].tolist() == moved[::-1]
    for i, point in zip(some[positions], points):
        others = np.delete(rows, i, axis=0)
        expected = np.clip(rows[i], others.min(axis=0), others.max(axis=0))
        assert_array_equal(point, expected)


def test_columns_that_are_not_bounded_stay_as_they_are():
    rows, queries = some_points(9), 5 * some_points(9, seed=1)
    ranges = Ranges.of(rows, np.array([True, False, True])).times(np.array([1, 2, 3]))
    held = ranges.clip(queries)
    assert_array_equal(held[:, 1], queries[:, 1])
    assert_array_equal(
        held[:, 2], np.clip(queries[:, 2], *3 * np.sort(rows[:, 2])[[0, -1]])
    )
    assert not np.isin(ranges.extreme_rows(), rows[:, 1].argsort()[[0, -1]]).all()


def one_line(n=30):
    x = np.random.default_rng(0).uniform(0, 1, n)
    return x[:, None], np.sin(9 * x)


@pytest.mark.parametrize("factor", [1, 30, 1e200])
def test_beyond_the_training_rows_the_nearest_point_of_their_range_answers(factor):
    X, y = one_line()
    model = RBFNetworkRegressor().fit(X, y)
    low, high = model.predict([[X.min()], [X.max()]])
    assert_array_equal(model.predict([[-factor], [1 + factor]]), [low, high])
    classifier = RBFNetworkClassifier().fit(X, y > 0)
    assert_array_equal(
        classifier.predict_proba([[-factor], [1 + factor]]),
        classifier.predict_proba([[X.min()], [X.max()]]),
    )


def test_symbols_are_not_held():
    frame = mixed_frame(60)
    y = np.arange(60.0) % 7
    model = RBFNetworkRegressor().fit(frame, y)
    unknown = frame.iloc[:5].copy()
    number = frame.select_dtypes("number").columns[0]
    unknown[number] = 1e6
    highest = unknown.assign(**{number: frame[number].max()})
    assert_array_equal(model.predict(unknown), model.predict(highest))


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_predictions_stay_in_the_range_of_the_targets(n_outputs):
    # Few rows with noise: the sum of the functions leaves the range of the targets.
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(20, 2))
    targets = np.sign(X[:, :n_outputs]) + rng.normal(size=(20, n_outputs)) / 9
    model = RBFNetworkRegressor(
        centers=X, width=2.0, ridge=1e-9, scale="std", feature_weights=None
    ).fit(X, targets)
    queries = rng.uniform(-1, 1, size=(400, 2))
    found = model.predict(queries).reshape(400, n_outputs)
    low, high = targets.min(axis=0), targets.max(axis=0)
    assert np.all((found >= low) & (found <= high))
    assert np.any(found == low)
    assert np.any(found == high)
    gamma = 0.5 / (2 * model.scale_) ** 2
    distances = ((queries[:, None] - X) ** 2 * gamma).sum(axis=2)
    free = np.exp(-distances) @ np.atleast_2d(model.center_coef_).T + model.intercept_
    is_inside = np.all((queries >= X.min(axis=0)) & (queries <= X.max(axis=0)), axis=1)
    assert_allclose(found[is_inside], np.clip(free, low, high)[is_inside], atol=1e-6)
    assert_allclose(model.explain(queries).scores(), found, atol=1e-6)
    left_out = model.predict(None).reshape(20, n_outputs)
    for i in range(20):
        others = np.delete(targets, i, axis=0)
        assert np.all(left_out[i] >= others.min(axis=0))
        assert np.all(left_out[i] <= others.max(axis=0))
