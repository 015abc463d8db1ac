"""Stumps compared with an exhaustive search, and histograms kept or rebuilt.

Code under test: `ensemble/_stumps/_binned_learner.py`, `ensemble/_stumps/_stump.py`,
`ensemble/_stumps/_stump_kernels.py`, `ensemble/_weak_learners.py`.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone

from sklearn_bayeslazy import MyAdaBoost
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.ensemble._reweighting import weighted_error
from sklearn_bayeslazy.ensemble._stumps import _stump_learner
from sklearn_bayeslazy.ensemble._stumps._stump import Stump
from sklearn_bayeslazy.ensemble._stumps._stump_learner import StumpLearner
from sklearn_bayeslazy.ensemble._weak_learners import TrainingRows


def mixed(n_rows, n_classes, seed):
    """Return a frame of numbers and strings with missing values, classes, weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, n_rows).astype(float)
    numbers[rng.random(n_rows) < 0.2] = np.nan
    strings = rng.choice(["x", "y", "z", None], n_rows)
    table = pd.DataFrame(
        {"n": numbers, "w": strings, "b": rng.random(n_rows) < 0.5, "m": numbers % 3}
    )
    return table, rng.integers(0, n_classes, n_rows), rng.integers(1, 5, n_rows)


def all_left_sides(table):
    """Yield which rows go to the left, for every possible split."""
    for name in table:
        column = table[name]
        if column.dtype == float:
            missing = column.isna().to_numpy()
            cuts = [*np.unique(column.dropna())[1:], np.inf]
            for cut, missing_left in product(cuts, [False, True]):
                yield np.where(missing, missing_left, column.to_numpy() < cut)
        else:
            yield column.isna().to_numpy()
            for value in column.dropna().unique():
                yield (column == value).to_numpy()


def loss(left, y, weight, criterion):
    """Return the misclassified share of the weight, or the Gini impurity of a split."""
    total = 0.0
    for side in (left, ~left):
        weights = np.bincount(y[side], weight[side], minlength=5)
        if weights.sum() and criterion == "error":
            total += weights.sum() - weights.max()
        elif weights.sum():
            total += weights.sum() - (weights**2).sum() / weights.sum()
    return total / weight.sum()


def side_of(stump, table):
    """Return which rows a stump sends to the left."""
    probe = Stump(*(getattr(stump, name) for name in FIELDS), left=True, right=False)
    return probe.predict(table).astype(bool)


FIELDS = ("feature", "name", "threshold", "category", "missing_left")


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_no_other_split_is_better(criterion, n_classes, seed):
    table, y, weight = mixed(40, n_classes, seed)
    model = MyAdaBoost(n_estimators=12, algorithm="samme", criterion=criterion)
    model.fit(table, y, weight)
    sides = [side for side in all_left_sides(table) if 0 < side.sum() < len(y)]
    log_weight = np.log(weight)
    for stump, alpha, error in zip(
        model.estimators_, model.estimator_weights_, model.estimator_errors_
    ):
        w = np.exp(log_weight - log_weight.max())
        least = min(loss(side, y, w, criterion) for side in sides)
        predicted = stump.predict(table).astype(int)
        if not stump.is_constant:
            left = side_of(stump, table)
            assert loss(left, y, w, criterion) == pytest.approx(least, abs=1e-9)
            # Each side predicts its class of largest weight.
            for side in (left, ~left):
                weights = np.bincount(y[side], w[side], minlength=n_classes)
                heaviest = weights[predicted[side][0]]
                assert heaviest == pytest.approx(weights.max(), rel=1e-9)
        assert error == pytest.approx(w[predicted != y].sum() / w.sum(), rel=1e-9)
        if criterion == "error":
            assert error == pytest.approx(least, abs=1e-9)
        log_weight += np.where(predicted != y, alpha, -alpha)


def test_missing_cells_go_to_the_better_side():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    for label, side in (("low", True), ("high", False)):
        y = ["low", "low", "high", "high", label]
        (stump,) = MyAdaBoost(max_depth=1).fit(X, y).estimators_
        assert stump.threshold == 2.5
        assert stump.missing_left is side
        assert stump.predict([[np.nan]])[0] == label
    (stump,) = MyAdaBoost(max_depth=1).fit(X, ["known"] * 4 + ["not"]).estimators_
    assert str(stump) == "known if x0 is not missing else not"


def test_missing_cells_that_fit_has_not_seen_go_to_the_heavier_side():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    (stump,) = MyAdaBoost(max_depth=1).fit(X, ["a", "a", "b", "b", "b"]).estimators_
    assert stump.predict([[np.nan]])[0] == "b"
    (stump,) = MyAdaBoost(max_depth=1).fit(X, ["a", "a", "a", "b", "b"]).estimators_
    assert stump.predict([[np.nan]])[0] == "a"


def table(n_rows=500, n_columns=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0] * X[:, 1]) + X[:, 2] ** 2 > 0.5).astype(int)
    return X, y + (np.nan_to_num(X[:, 3]) > 1)


def assert_same_ensemble(a, b, X):
    np.testing.assert_allclose(a.estimator_errors_, b.estimator_errors_, rtol=1e-9)
    assert [*map(str, a.estimators_)] == [*map(str, b.estimators_)]
    np.testing.assert_allclose(
        a.decision_function(X), b.decision_function(X), atol=1e-12
    )


@pytest.mark.parametrize("algorithm", ["samme", "mh"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_find_the_same_stumps(n_jobs, algorithm, monkeypatch):
    X, y = table()
    settings = {"n_estimators": 30, "algorithm": algorithm}
    alone = MyAdaBoost(max_depth=1, **settings).fit(X, y)
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    together = MyAdaBoost(max_depth=1, n_jobs=n_jobs, **settings).fit(X, y)
    np.testing.assert_array_equal(alone.estimator_errors_, together.estimator_errors_)
    assert_same_ensemble(alone, together, X)


@pytest.mark.parametrize("algorithm", ["samme", "mh"])
def test_histograms_that_are_not_kept_find_the_same_stumps(algorithm, monkeypatch):
    X, y = table()
    settings = {"n_estimators": 30, "algorithm": algorithm}
    kept = MyAdaBoost(max_depth=1, **settings).fit(X, y)
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    for n_jobs in (1, 2):
        with sklearn.config_context(working_memory=0.03):
            small = MyAdaBoost(max_depth=1, n_jobs=n_jobs, **settings).fit(X, y)
        assert_same_ensemble(kept, small, X)


def test_rescaling_the_weights_often_finds_the_same_stumps(monkeypatch):
    X, y = table()
    usual = MyAdaBoost(n_estimators=30, algorithm="samme").fit(X, y)
    monkeypatch.setattr(_stump_learner, "_MAX_LOG_WEIGHT", 0.5)
    often = MyAdaBoost(n_estimators=30, algorithm="samme").fit(X, y)
    assert_same_ensemble(usual, often, X)


@pytest.mark.parametrize("algorithm", ["samme", "mh"])
def test_order_and_repetition_of_rows_do_not_matter(algorithm):
    X, y = table()
    model = MyAdaBoost(n_estimators=30, max_bins=20, algorithm=algorithm)
    rng = np.random.default_rng(1)
    weight = rng.integers(0, 4, len(y))
    weighted = clone(model).fit(X, y, weight)
    rows = rng.permutation(np.repeat(np.arange(len(y)), weight))
    repeated = clone(model).fit(X[rows], y[rows])
    assert_same_ensemble(weighted, repeated, X)


@pytest.mark.parametrize("algorithm", ["samme", "mh"])
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_weights_of_any_scale(scale, algorithm):
    X, y = table()
    model = MyAdaBoost(n_estimators=10, max_bins=20, algorithm=algorithm)
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    usual = clone(model).fit(X, y, weight)
    scaled = clone(model).fit(X, y, weight * scale)
    assert_same_ensemble(usual, scaled, X)


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_weights_that_differ_by_hundreds_of_powers_of_ten_stay_finite(criterion):
    X, y = table(60, 4)
    rows = TrainingRows(X, y, y, np.ones(60), {})
    model = MyAdaBoost(max_depth=1, criterion=criterion, max_bins=255).fit(X, y)
    learner, fresh = StumpLearner(rows, model), StumpLearner(rows, model)
    for _ in range(20):
        fresh.restart(learner._log_weight)  # the same weights, the largest 1
        stump, error = learner.fit_member(0)
        assert str(stump) == str(fresh.fit_member(0)[0])
        assert 0 < error < 1
        wrong = stump.predict(X).astype(int) != y
        assert error == pytest.approx(weighted_error(wrong, learner._log_weight))
        learner.reweight(95.0)  # multiplies misclassified rows' weights by e^190


def test_stumps_print_their_rule():

    assert str(Stump(0, "n", None, None, False, 1, 2)) == "1 if n is missing else 2"
    assert str(Stump(0, "n", None, "$x$", False, 1, 2)) == "1 if n = $x$ else 2"
    assert (
        str(Stump(0, "n", 1e9, None, True, 1, 2)) == "1 if n < 1e+09 or missing else 2"
    )
    assert str(Stump.constant("n", "a")) == "always a"
    rows = pd.DataFrame({"n": ["x", None, "y"]})

    def predict(category):
        return Stump(0, "n", None, category, False, 1, 2).predict(rows).tolist()

    assert predict("x") == [1, 2, 2]
    assert predict(None) == [2, 1, 2]
