"""Boosted trees compared with scikit-learn's trees, brute force, and refits.

Code under test: `ensemble/_stumps/_tree_kernels.py`,
`ensemble/_stumps/_tree_grower.py`, `ensemble/_stumps/_tree_learner.py`,
`ensemble/_stumps/_trees.py`.
"""

import pickle
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_bayeslazy import MyAdaBoost, MyAdaBoostRegressor
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.ensemble._held_out_rows import positions_of_rows
from sklearn_bayeslazy.ensemble._stumps import _tree_grower
from sklearn_bayeslazy.ensemble._stumps._stump import Stump
from sklearn_bayeslazy.tabular import MergedRows, number_copies, read_table
from tests.helpers.ensemble_learners import integer_table

# One tree after the constant member, as published, without limits.
ONE_TREE = MyAdaBoost(
    algorithm="gentle",
    n_estimators=2,
    learning_rate=1.0,
    min_leaf_weight=0.0,
    max_weight=None,
    n_folds=None,
)


def weights_after_the_constant(y, weight):
    """Return e^(-yF), where F is half the smoothed log odds of the second class."""
    in_favour, against = weight[y == 1].sum() + 0.5, weight[y == 0].sum() + 0.5
    score = 0.5 * np.log(in_favour / against)
    return weight * np.exp(np.where(y == 1, -score, score))


def mixed(n_rows, n_classes=2, seed=0):
    """Return a frame of numbers and strings with missing values, classes, weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, n_rows).astype(float)
    numbers[rng.random(n_rows) < 0.2] = np.nan
    words = rng.choice(["u", "v", "x", "y", "z", None], n_rows)
    table = pd.DataFrame({"n": numbers, "w": words, "m": rng.integers(0, 9, n_rows)})
    y = (numbers > 2) ^ np.isin(words, ["u", "y"]) ^ (rng.random(n_rows) < 0.2)
    weight = rng.choice([1, 1, 1, 2, 4], n_rows)  # most rows are one row
    return table, y + rng.integers(0, n_classes - 1, n_rows), weight


def noisy_table(n_rows=300, n_columns=4, seed=0):
    """Return normal columns, some cells missing, and three classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] + rng.normal(size=n_rows) > 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.parametrize("max_depth", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_equals_scikit_learns_on_distinct_values(max_depth, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(200, 3)), rng.random(200) + 0.1
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=200) > 1).astype(int)
    model = clone(ONE_TREE).set_params(max_depth=max_depth).fit(X, y, weight)
    tree = DecisionTreeRegressor(max_depth=max_depth)
    weight = weights_after_the_constant(y, weight / np.median(weight))
    tree.fit(X, 2.0 * y - 1.0, weight)
    votes = model.estimators_[1].votes(X)
    np.testing.assert_allclose(votes[:, 1], tree.predict(X), atol=1e-9)
    np.testing.assert_array_equal(votes[:, 0], -votes[:, 1])


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_depth_1_splits_as_the_stump(seed):
    """The weighted sum of squares of signs is twice the Gini impurity."""
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 9, (60, 3)).astype(float), rng.random(60) + 0.1
    y = (X[:, 0] + rng.normal(size=60) > 4).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = clone(ONE_TREE).set_params(max_depth=1).fit(X, y, weight)
    weight = weights_after_the_constant(y, weight / np.median(weight))
    stump = MyAdaBoost(max_depth=1, n_estimators=1).fit(X, y, weight).estimators_[0]
    fields = ("feature", "name", "threshold", "category", "missing_left")
    sides = Stump(*(getattr(stump, name) for name in fields), left=True, right=False)
    votes = model.estimators_[1].votes(X)[:, 1]
    assert len(np.unique(votes)) == 2
    is_left = sides.predict(X).astype(bool)
    assert is_left.any()
    assert len(np.unique(votes[is_left])) == 1


def score(sides, sign, weight):
    """Return Σ (Σ w y)² / Σ w over the sides of a split."""
    return sum((weight * sign)[side].sum() ** 2 / weight[side].sum() for side in sides)


@pytest.mark.parametrize("seed", range(6))
def test_no_subset_of_categories_and_no_side_of_missing_cells_is_better(
    seed, monkeypatch
):
    monkeypatch.setattr(_tree_grower, "_SMOOTHING", 0.0)
    table, y, weight = mixed(60, seed=seed)
    for name in table:
        column, missing = table[name], table[name].isna().to_numpy()
        values = sorted(column.dropna().unique())
        subsets = chain(*(combinations(values, k) for k in range(len(values) + 1)))
        if name != "w":
            subsets = [values[:k] for k in range(len(values) + 1)]
        lefts = [column.isin(subset).to_numpy() for subset in subsets]
        lefts += [left | missing for left in lefts]
        w = weights_after_the_constant(y, weight)
        best = max(
            score((left, ~left), 2 * y - 1, w)
            for left in lefts
            if 0 < left.sum() < len(left)
        )
        one = table[[name]]
        model = clone(ONE_TREE).set_params(max_depth=1).fit(one, y, weight)
        votes = model.estimators_[1].votes(one)[:, 1]
        sides = [votes == value for value in np.unique(votes)]
        assert len(sides) == 2
        assert score(sides, 2 * y - 1, w) == pytest.approx(best, rel=1e-9)


def test_leaves_vote_means_or_half_log_odds():
    """Three of four rows on the left are b, and none of four on the right."""
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), list("abbbaaaa")
    gentle = clone(ONE_TREE).set_params(max_depth=1).fit(X, y)
    # b and a have the smoothed odds 3.5 : 5.5, and the weights √(5.5 / 3.5) and 1 / √.
    up, down = np.sqrt(5.5 / 3.5), np.sqrt(3.5 / 5.5)
    mean = (3 * up - down) / (3 * up + down)
    np.testing.assert_allclose(
        gentle.estimators_[1].votes([[0], [1]])[:, 1], [mean, -1]
    )
    real = clone(gentle).set_params(algorithm="real").fit(X, y)
    unit = 8 / (3 * up + 5 * down)
    odds = [(3 * up * unit + 0.5) / (down * unit + 0.5), 0.5 / (4 * down * unit + 0.5)]
    votes = real.estimators_[1].votes([[0.0], [1.0]])[:, 1]
    np.testing.assert_allclose(votes, 0.5 * np.log(odds))
    constant = real.estimators_[0].votes([[0.0]])
    np.testing.assert_allclose(constant[0, 1], 0.5 * np.log(3.5 / 5.5))


def test_rows_gain_no_weight_beyond_the_limit():
    """With the limit 1 the rows of the rarer class weigh as before the first tree."""
    X, y = np.repeat([[0.0], [1.0]], 4, axis=0), list("abbbaaaa")
    model = clone(ONE_TREE).set_params(max_depth=1, max_weight=1.0).fit(X, y)
    down = np.sqrt(3.5 / 5.5)
    mean = (3 - down) / (3 + down)
    np.testing.assert_allclose(model.estimators_[1].votes([[0.0]])[0, 1], mean)


def test_unseen_categories_go_where_missing_cells_go():
    table, y, weight = mixed(300)
    model = MyAdaBoost(n_estimators=20).fit(table, y, weight)
    new = pd.DataFrame({"n": [1.0, 1.0], "w": ["never", None], "m": [3, 3]})
    first, second = model.decision_function(new)
    assert first == second
    assert first != model.decision_function(new.assign(w="u"))[0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter(n_classes):
    table, y, weight = mixed(150, n_classes)
    table["m"] += np.random.default_rng(1).random(150)  # no copies are by chance
    weighted = MyAdaBoost(n_estimators=30).fit(table, y, weight)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(150), weight))
    repeated = MyAdaBoost(n_estimators=30).fit(table.iloc[rows], y[rows])
    np.testing.assert_allclose(
        weighted.validation_errors_, repeated.validation_errors_, rtol=1e-9
    )
    np.testing.assert_allclose(
        weighted.predict_proba(table), repeated.predict_proba(table), atol=1e-9
    )
    scaled = MyAdaBoost(n_estimators=30).fit(table, y, weight * 1e300)
    assert np.isfinite(scaled.predict_proba(table)).all()


@pytest.mark.parametrize("n_values", [3, 30])
def test_trees_of_many_equal_rows_are_near_the_true_probabilities(n_values):
    """Of 3 · 3 cells, and of equal codes in one column of numbers, none is left out."""
    rng = np.random.default_rng(n_values)
    X = pd.DataFrame(rng.integers(0, n_values, (4000, 2)), columns=["a", "b"])
    logit = rng.normal(size=n_values)[X["a"]] + rng.normal(size=n_values)[X["b"]]
    p = 1 / (1 + np.exp(-logit))
    y = (rng.random(4000) < p).astype(int)
    for table in (X, X.astype(str), X.assign(b=X["b"].astype(str))):
        model = MyAdaBoost().fit(table, y)
        entropy = -np.mean(p * np.log(p) + (1 - p) * np.log(1 - p))
        found = model.predict_proba(table)[:, 1]
        loss = -np.mean(p * np.log(found) + (1 - p) * np.log(1 - found))
        assert loss < entropy + 0.03  # by chance: 60 parameters / (2 · 4000 rows)
        left_out = model.predict_proba(None)
        known = ~np.isnan(left_out[:, 0])
        left_out = log_loss(y[known], left_out[known])
        assert abs(left_out - log_loss(y[known], p[known])) < 0.05
        order = rng.permutation(4000)
        other = clone(model).fit(table.iloc[order], y[order])
        np.testing.assert_allclose(other.predict_proba(table)[:, 1], found, atol=1e-9)
        squares = MyAdaBoostRegressor().fit(table, logit + rng.normal(size=4000))
        assert np.mean((squares.predict(table) - logit) ** 2) < 0.1


@pytest.mark.parametrize("n_values", [2, 3, 5, None])
def test_of_equally_good_splits_none_is_chosen_by_its_column(n_values):
    """Few numbers, and few rows, have many splits that are equally good."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        shape, order = (60, 6), rng.permutation(6)
        X = rng.integers(0, n_values, shape) if n_values else rng.normal(size=shape)
        y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.8, 60)
        for model, target, answer in (
            (MyAdaBoost(), y > np.median(y), "predict_proba"),
            (MyAdaBoostRegressor(), y, "predict"),
        ):
            one = getattr(clone(model).fit(X[:40], target[:40]), answer)(X)
            other = clone(model).fit(X[:40, order], target[:40])
            other = getattr(other, answer)(X[:, order])
            np.testing.assert_allclose(other, one, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_names_of_classes_choose_no_cut_of_categories(n_classes):
    """Where the classes weigh the same, many cuts are equally good."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 4, (42, 5))
        y = codes[:, 0] + codes[:, 1] * codes[:, 2] + rng.normal(0, 0.8, 42)
        y = np.argsort(np.argsort(y)) // (42 // n_classes)
        X = np.array(list("pqrs"), object)[codes]
        one = MyAdaBoost().fit(X, y).predict_proba(X)
        other = MyAdaBoost().fit(X, n_classes - 1 - y).predict_proba(X)
        np.testing.assert_allclose(other[:, ::-1], one, atol=1e-9)


def test_threads_and_batches_do_not_matter(monkeypatch):
    X, y = noisy_table()
    alone = MyAdaBoost(n_estimators=30).fit(X, y)
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    together = MyAdaBoost(n_estimators=30, n_jobs=3).fit(X, y)
    expected = alone.predict_proba(X)
    np.testing.assert_array_equal(together.predict_proba(X), expected)
    one_by_one = np.concatenate([alone.predict_proba(row[None]) for row in X])
    np.testing.assert_array_equal(one_by_one, expected)


def test_new_rows_have_the_codes_of_training_rows():
    table, y, _ = mixed(200)
    many = table.assign(many=np.arange(200).astype(str), few=1.0)
    model = MyAdaBoost(n_estimators=2, n_folds=None).fit(many, y)
    bins = model.estimators_[0].bins
    coded = _tree_grower.code_table(read_table(many), 255)
    np.testing.assert_array_equal(
        bins.reader(read_table(many))(slice(0, 200)), bins.codes_of(coded)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_losses_equal_refits(n_classes, monkeypatch):
    """Each loss is that of refits without each fold, by the best temperature."""

    # Fewer rows may put the columns in another order.
    def keep_order(grower, *_):
        grower._column_order, grower._is_reversed = np.arange(X.shape[1]), False

    monkeypatch.setattr(_tree_grower.TreeGrower, "order_columns", keep_order)
    X, y = integer_table(120, n_classes)
    X //= 8
    settings = {"n_estimators": 6, "min_leaf_weight": 3.0}
    model = MyAdaBoost(n_folds=3, **settings).fit(X, y)
    bins, table = model.estimators_[0].bins, read_table(X)
    codes = bins.reader(table)(slice(0, 120))
    one = np.ones(120)
    rows = MergedRows.of(number_copies(table, y, one), one), X, y
    folds = positions_of_rows(codes, np.zeros(X.shape[1], bool), y, *rows) % 3
    staged = np.zeros((6, 120, n_classes))
    for k in range(3):
        refit = MyAdaBoost(n_folds=None, **settings).fit(X[folds != k], y[folds != k])
        for scores, found in zip(
            staged, refit.staged_decision_function(X[folds == k]), strict=True
        ):
            found = np.stack([-found, found], 1) if n_classes == 2 else found
            scores[folds == k] = found
    for scores, error in zip(staged, model.validation_errors_, strict=True):

        def loss(v, n_virtual=0, scores=scores):
            of_class = scores[np.arange(120), y]
            of_class = of_class + n_virtual / 121 * (scores.mean(axis=1) - of_class)
            return np.mean(logsumexp(v * scores, axis=1) - v * of_class)

        # One row in all counts as of any class.
        found = minimize_scalar(
            lambda v: 120 * loss(v, n_virtual=1) + (v - 1) ** 2 / 2,
            bounds=(0.01, 20),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert error == pytest.approx(loss(found.x), rel=1e-6)
    best = staged[np.argmin(model.validation_errors_)] / model.temperature_
    np.testing.assert_allclose(
        model.predict_proba(None), softmax(best, axis=1), rtol=1e-9
    )


def test_left_out_classes_are_those_of_left_out_probabilities():
    X, y = noisy_table()
    weight = np.ones(len(y))
    weight[::7] = 0
    model = MyAdaBoost(n_estimators=20).fit(X, y, sample_weight=weight)
    proba, kept = model.predict_proba(None), weight > 0
    found = model.predict(None)
    np.testing.assert_array_equal(found, model.classes_[proba.argmax(axis=1)])
    np.testing.assert_allclose(model.predict_log_proba(None), np.log(proba))
    assert model.score(None, y) == np.mean(found == np.asarray(y)[kept])
    with pytest.raises(ValueError, match="X is None: pass rows"):
        model.decision_function(None)


def test_rows_of_folds_that_are_not_left_out_have_no_prediction():
    X, y = integer_table(8000, 2)
    model = MyAdaBoost(n_estimators=2).fit(X, y)
    is_known = ~np.isnan(model.predict_proba(None)).any(axis=1)
    assert 3000 <= is_known.sum() < 8000
    found = model.classes_[model.predict_proba(None)[is_known].argmax(axis=1)]
    assert model.score(None, y) == np.mean(found == y[is_known])
    with pytest.raises(ValueError, match="of 8000 rows were not left out"):
        model.predict(None)
    with pytest.raises(ValueError, match="X=None"):
        pickle.loads(pickle.dumps(model)).predict_proba(None)
    with pytest.raises(ValueError, match="X=None"):
        MyAdaBoost(max_depth=1).fit(X, y).predict_proba(None)


@pytest.mark.parametrize("model", [MyAdaBoost(), MyAdaBoostRegressor()], ids=str)
def test_a_saved_model_holds_its_trees_once(model):
    X, y = noisy_table()
    model = clone(model).set_params(n_estimators=30).fit(X, y)
    members = model.estimators_
    trees = chain.from_iterable(member.trees for member in members)
    n_bytes = sum(array.nbytes for tree in trees for array in tree)
    assert n_bytes > 50_000
    saved = pickle.dumps(model)
    assert len(saved) < 1.7 * n_bytes
    for one, other in zip(members, pickle.loads(saved).estimators_, strict=True):
        np.testing.assert_array_equal(one.votes(X), other.votes(X))


def test_probabilities_on_noise_stay_near_the_prior():
    rng = np.random.default_rng(0)
    for n_rows, n_columns in ((200, 500), (60, 5)):
        X, y = rng.normal(size=(2 * n_rows, n_columns)), np.arange(2 * n_rows) % 2
        model = MyAdaBoost().fit(X[:n_rows], y[:n_rows])
        assert log_loss(y[n_rows:], model.predict_proba(X[n_rows:])) < 0.75


def test_trees_find_an_interaction_that_stumps_do_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    y = X[:, 0] * X[:, 1] > 0
    trees, stumps = MyAdaBoost(), MyAdaBoost(max_depth=1)
    assert trees.fit(X[:500], y[:500]).score(X[500:], y[500:]) > 0.9
    assert stumps.fit(X[:500], y[:500]).score(X[500:], y[500:]) < 0.7
    assert trees.feature_importances_[2] < 0.1
    assert "leaves" in str(trees.estimators_[1])


@pytest.mark.parametrize("trim", [0.1, 0.5])
def test_trimming_the_tail_of_the_weights_changes_little(trim):
    X, y = noisy_table(1000)
    whole = MyAdaBoost(n_estimators=40, n_folds=None).fit(X, y > 0)
    trimmed = clone(whole).set_params(weight_trimming=trim).fit(X, y > 0)
    assert not np.array_equal(whole.predict_proba(X), trimmed.predict_proba(X))
    agree = whole.predict(X) == trimmed.predict(X)
    assert agree.mean() > 0.9


def test_columns_are_drawn_by_the_seed():
    X, y = noisy_table(n_columns=10)
    model = MyAdaBoost(n_estimators=10, n_folds=None, max_features=0.2, random_state=0)
    first = model.fit(X, y)
    again = clone(model).fit(X, y)
    other = clone(model).set_params(random_state=1).fit(X, y)
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
    assert not np.array_equal(first.predict_proba(X), other.predict_proba(X))
    for member in first.estimators_[1:]:
        for tree in member.trees:
            assert len(np.unique(tree.column[tree.child > 0])) <= 2


def test_margins_bounds_and_stages():
    X, y = noisy_table()
    model = MyAdaBoost(n_estimators=25).fit(X, y)
    (*_, last) = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), atol=1e-12)
    (*_, last) = model.staged_margins(X, y)
    np.testing.assert_allclose(last, model.margins(X, y), atol=1e-12)
    assert np.abs(last).max() <= 1
    np.testing.assert_array_equal(last > 0, model.predict(X) == y)
    wrong = [np.mean(labels != y) for labels in model.staged_predict(X)]
    assert np.all(wrong <= model.error_bounds_ + 1e-12)
    first, *_ = model.staged_weights(X, y)
    np.testing.assert_allclose(first, 1 / (3 * len(y)))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_parameters_that_exclude_one_another():
    X, y = integer_table()
    tree = DecisionTreeClassifier()
    for model, message in (
        (MyAdaBoost(tree, algorithm="real"), "boosts its own trees"),
        (MyAdaBoost(algorithm="gentle", weighting="resample"), "cannot draw rows"),
        (MyAdaBoost(algorithm="samme", max_depth=3), "max_depth=3 is for"),
        (MyAdaBoost(tree, max_depth=2), "max_depth=2 is for"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)
    model = MyAdaBoost(n_estimators=3, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="set n_folds=None"):
        model.set_params(n_estimators=5).fit(X, y)


def test_tables_without_a_split():
    model = MyAdaBoost().fit(np.ones((6, 2)), [0, 1, 1, 2, 2, 2])
    assert model.predict([[1.0, np.nan]]) == [2]
    assert len(model.estimators_) == 1
    one_class = MyAdaBoost().fit([[1.0], [2.0]], ["a", "a"])
    np.testing.assert_array_equal(one_class.predict_proba([[5.0]]), [[1.0]])


def test_chance_gives_categories_more_where_boosting_weights_differ(monkeypatch):
    # The best cut of the ordered means of K categories of noise has about 2 K / π times
    # the ratio of the sums of squares of the weights and of the weights.
    rng = np.random.default_rng(0)
    scores, ratios = [], []
    for _ in range(300):
        weight = np.exp(rng.normal(size=(60, 100)))
        signed = (weight * rng.choice([-1.0, 1.0], size=(60, 100))).sum(axis=1)
        total = weight.sum(axis=1)
        order = np.argsort(signed / total)
        left, w_left = np.cumsum(signed[order])[:-1], np.cumsum(total[order])[:-1]
        right, w_right = signed.sum() - left, total.sum() - w_left
        score = (left**2 / w_left + right**2 / w_right).max()
        scores.append(score - signed.sum() ** 2 / total.sum())
        ratios.append((weight**2).sum() / weight.sum())
    expected = _tree_grower._CATEGORY_SCORE * np.mean(ratios)
    assert abs(np.mean(scores) / 58 / expected - 1) < 0.1
    # So that ratio is given to the trees, for weights that repetition would give, too.
    given, grow = [], _tree_grower.TreeGrower.grow

    def remember(self, rows, is_class, weight, used, mean_factor):
        given.append((rows, weight.copy(), mean_factor))
        return grow(self, rows, is_class, weight, used, mean_factor)

    monkeypatch.setattr(_tree_grower.TreeGrower, "grow", remember)
    X, y = rng.integers(0, 3, (80, 3)).astype(str), rng.integers(0, 2, 80)
    repetitions = rng.integers(1, 4, 80)
    model = MyAdaBoost(n_estimators=4, n_folds=None, weight_trimming=0.0)
    model.fit(X, y, repetitions)
    assert given[-1][2] > given[0][2] > 1
    for rows, weight, mean_factor in given:
        factor = np.repeat(weight / repetitions[rows], repetitions[rows])
        assert mean_factor == pytest.approx(np.mean(factor**2) / np.mean(factor) ** 2)
