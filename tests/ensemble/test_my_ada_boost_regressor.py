"""Trees boosted by squares compared with scikit-learn's trees, refits and brute force.

Code under test: `ensemble/_my_ada_boost_regressor.py`,
`ensemble/_stumps/_squares_learner.py`, `ensemble/_stumps/_tree_grower.py`.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

from sklearn_bayeslazy import BayesianStackingRegressor, MyAdaBoostRegressor
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.ensemble._stumps import _tree_grower
from sklearn_bayeslazy.ensemble._stumps._squares_learner import SquaresLearner

ONE_TREE = MyAdaBoostRegressor(1, learning_rate=1, min_leaf_weight=1, n_folds=None)


def numbers(n=120, seed=0, n_columns=3):
    """Return rows of distinct whole numbers, and normal targets."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.permutation(n) for _ in range(n_columns)], axis=1).astype(float)
    return X, np.sin(X[:, 0] / 9) + X[:, 1] / 99 + rng.normal(size=n) / 3


@pytest.mark.parametrize("max_depth", [1, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_equals_scikit_learns_on_distinct_values(max_depth, seed):
    X, y = numbers(seed=seed)
    ours = clone(ONE_TREE).set_params(max_depth=max_depth, min_leaf_weight=4).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=max_depth, min_samples_leaf=4).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    importances = theirs.feature_importances_
    np.testing.assert_allclose(ours.feature_importances_, importances, rtol=1e-9)


def test_rounds_equal_a_loop_over_scikit_learns_trees():
    X, y = numbers()
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = MyAdaBoostRegressor(7, learning_rate=0.3, max_depth=3, n_folds=None)
    model.set_params(min_leaf_weight=0).fit(X, y, weight)
    fitted = np.full(len(y), np.average(y, weights=weight))
    staged = model.staged_predict(X)
    np.testing.assert_allclose(next(staged), fitted)
    for found in staged:
        tree = DecisionTreeRegressor(max_depth=3).fit(X, y - fitted, weight)
        fitted += 0.3 * tree.predict(X)
        np.testing.assert_allclose(found, fitted, rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), fitted, rtol=1e-9)


def mixed(n=300, seed=0):
    """Return a frame of numbers, categories and missing cells, and targets."""
    rng = np.random.default_rng(seed)
    a, color = rng.normal(size=n), rng.integers(0, 6, n)
    y = 2 * a + np.array([3.0, 0, 0, -2, 5, 1])[color] + rng.normal(size=n) / 2
    a[rng.random(n) < 0.1] = np.nan
    color = pd.Series(list("abcdef"))[color].mask(rng.random(n) < 0.1)
    return pd.DataFrame({"a": a, "color": color.to_numpy(), "b": rng.normal(size=n)}), y


@pytest.mark.parametrize("n_folds", [None, 4])
def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter(n_folds):
    X, y = mixed()
    rng = np.random.default_rng(0)
    times = rng.integers(0, 3, len(y))
    model = MyAdaBoostRegressor(30, n_folds=n_folds)
    weighted = clone(model).fit(X, y, times).predict(X)
    rows = rng.permutation(np.repeat(np.arange(len(y)), times))
    repeated = clone(model).fit(X.iloc[rows], y[rows]).predict(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)
    equal = clone(model).fit(X, y, np.full(len(y), 0.1)).predict(X)
    np.testing.assert_allclose(equal, clone(model).fit(X, y).predict(X), rtol=1e-9)


def test_left_out_predictions_equal_refits():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (200, 3)).astype(float)  # the bins of all rows are its own
    y = X[:, 0] * X[:, 1] + rng.normal(size=200)
    model = MyAdaBoostRegressor(40, max_depth=3).fit(X, y)
    left_out = model.predict(None)
    n_rounds = len(model.estimators_) - 1
    learner = SquaresLearner(X, y, np.ones(200), model)
    folds = learner._grower.held_out
    assert len(folds) == 5
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(200))
    for fold in folds:
        rest = np.setdiff1d(np.arange(200), fold)
        refit = clone(model).set_params(n_estimators=n_rounds, n_folds=None)
        refit.fit(X[rest], y[rest])
        np.testing.assert_allclose(left_out[fold], refit.predict(X[fold]), rtol=1e-9)
    error = np.mean((left_out - y) ** 2)
    np.testing.assert_allclose(model.validation_errors_[n_rounds], error)
    assert np.argmin(model.validation_errors_) == n_rounds
    np.testing.assert_allclose(model.score(None, y), 1 - error / np.var(y))


def test_the_left_out_score_is_that_of_rows_with_a_weight():
    X = np.random.default_rng(0).normal(size=(80, 2))
    y, weight = X[:, 0] + X[:, 1] ** 2, np.arange(80) % 4
    model = MyAdaBoostRegressor(20).fit(X, y, sample_weight=weight)
    kept = weight > 0
    errors = weight[kept] @ (model.predict(None) - y[kept]) ** 2
    variance = weight @ (y - weight @ y / weight.sum()) ** 2
    found = model.score(None, y, sample_weight=weight)
    np.testing.assert_allclose(found, 1 - errors / variance)


def test_rows_of_folds_that_are_not_left_out_have_no_prediction(monkeypatch):
    monkeypatch.setattr(_tree_grower, "_MIN_HELD_OUT", 100)
    X, y = mixed()
    model = MyAdaBoostRegressor(10).fit(X, y)
    is_known = ~np.isnan(model.predict(None))
    assert 100 <= is_known.sum() < 180
    lower, upper = model.prediction_interval(X)
    assert np.all(lower < upper)
    pool = BayesianStackingRegressor([("trees", MyAdaBoostRegressor(10))]).fit(X, y)
    np.testing.assert_allclose(pool.predict(X), model.predict(X))


@pytest.mark.parametrize("n_categories", [20, 200])
def test_categories_that_tell_nothing_are_not_split(n_categories):
    rng = np.random.default_rng(0)
    names = np.array([f"c{k}" for k in range(n_categories)], dtype=object)
    X = pd.DataFrame({"id": rng.permutation(np.tile(names, 400 // n_categories))})
    X["x"] = rng.normal(size=400)
    y = X["x"].to_numpy() + rng.normal(size=400) / 2
    model = MyAdaBoostRegressor().fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.7
    assert model.feature_importances_[1] > 0.9


def test_ordered_categories_of_noise_have_the_score_that_is_taken_from_them():
    # The best cut of the ordered means of K normal categories has Σ W z² ≈ 2 K / π.
    rng = np.random.default_rng(0)
    means = np.sort(rng.normal(size=(2000, 60)), axis=1)
    left = np.cumsum(means, axis=1)[:, :-1]
    n_left = np.arange(1, 60)
    right = means.sum(axis=1, keepdims=True) - left
    score = (left**2 / n_left + right**2 / (60 - n_left)).max(axis=1)
    score -= means.sum(axis=1) ** 2 / 60
    assert abs(score.mean() / 58 / _tree_grower._CATEGORY_SCORE - 1) < 0.1


def test_contributions_of_columns_sum_to_the_prediction():
    X, y = mixed()
    model = MyAdaBoostRegressor(20).fit(X, y)
    why = model.explain(X[:30])
    np.testing.assert_allclose(why.scores()[:, 0], model.predict(X[:30]))
    np.testing.assert_allclose(why.base[:, 0], y.mean())


@pytest.mark.parametrize("factor", [1e-300, 1e150, 1e300])
def test_the_unit_of_the_targets_does_not_matter(factor):
    X, y = mixed()
    plain = MyAdaBoostRegressor(20).fit(X, y)
    scaled = MyAdaBoostRegressor(20).fit(X, y * factor)
    found, expected = scaled.predict(X) / factor, plain.predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_targets_that_trees_cannot_improve():
    X, y = mixed()
    constant = MyAdaBoostRegressor().fit(X, np.full(len(y), 3.0))
    assert len(constant.estimators_) == 1
    np.testing.assert_array_equal(constant.predict(X), 3.0)
    assert not constant.feature_importances_.any()
    exact = MyAdaBoostRegressor(learning_rate=1, min_leaf_weight=1)
    exact = exact.fit(X[["color"]].fillna("a"), (X["color"] == "c").to_numpy())
    np.testing.assert_allclose(
        exact.predict(X[["color"]]), X["color"] == "c", atol=1e-9
    )
    noise = np.random.default_rng(1).normal(size=len(y))
    assert MyAdaBoostRegressor().fit(X[:150], noise[:150]).score(
        X[150:], noise[150:]
    ) == pytest.approx(0, abs=0.05)


def test_trees_find_an_interaction():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1500, 4))
    y = np.sign(X[:, 0] * X[:, 1]) + rng.normal(size=1500) / 4
    model = MyAdaBoostRegressor().fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.85
    lower, upper = model.prediction_interval(X[1000:])
    assert 0.86 < np.mean((lower <= y[1000:]) & (y[1000:] <= upper)) < 0.94


def test_threads_batches_and_copies_do_not_matter(monkeypatch):
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    X, y = mixed()
    one = MyAdaBoostRegressor(15, max_features=0.5, random_state=3).fit(X, y)
    two = clone(one).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    by_row = np.concatenate([two.predict(X.iloc[[i]]) for i in range(20)])
    np.testing.assert_array_equal(by_row, one.predict(X)[:20])
    loaded = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(loaded.predict(X), one.predict(X))
    np.testing.assert_array_equal(loaded.predict(None), one.predict(None))
    other = clone(one).set_params(random_state=4).fit(X, y)
    assert np.any(other.predict(X) != one.predict(X))


def test_members_predict_and_print():
    X, y = mixed()
    model = MyAdaBoostRegressor(2, max_depth=1, n_folds=None).fit(X, y)
    parts = [member.predict(X) for member in model.estimators_]
    total = parts[0] + 0.1 * (parts[1] + parts[2])
    np.testing.assert_allclose(model.predict(X), total)
    assert str(model.estimators_[1]) == "trees with 2 leaves"


def test_errors_name_the_mend():
    X, y = mixed()
    model = MyAdaBoostRegressor(3, n_folds=None).fit(X, y)
    for call in (lambda: model.predict(None), lambda: model.prediction_interval(X)):
        with pytest.raises(ValueError, match="n_folds=None does not have"):
            call()
    with pytest.raises(ValueError, match="learning_rate"):
        MyAdaBoostRegressor(learning_rate=2).fit(X, y)
    with pytest.raises(ValueError, match="y must be numbers"):
        MyAdaBoostRegressor().fit(X, ["low"] * len(y))


def test_more_folds_than_rows_leave_out_each_row():
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    model = MyAdaBoostRegressor(3, n_folds=12).fit(X, y)
    many = MyAdaBoostRegressor(3, n_folds=10**19).fit(X, y)
    np.testing.assert_array_equal(many.predict(None), model.predict(None))
