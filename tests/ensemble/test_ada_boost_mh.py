"""AdaBoost.MH compared with an exhaustive search in NumPy, and with numbers by hand.

Code under test: `ensemble/_stumps/_mh_stumps.py`.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.ensemble_learners import integer_table

TOLERANCE = 1e-10  # splits whose Z differ by less are equal


def mixed(n_rows, n_classes, seed):
    """Return a frame of numbers and strings with missing values, classes, weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, n_rows).astype(float)
    numbers[rng.random(n_rows) < 0.2] = np.nan
    words = rng.choice(["x", "y", "z", None], n_rows)
    table = pd.DataFrame({"n": numbers, "w": words, "m": rng.integers(0, 9, n_rows)})
    return table, rng.integers(0, n_classes, n_rows), rng.integers(1, 5, n_rows)


def all_sides(table):
    """Yield the side of each row, for every possible split: 0, 1, or 2 if missing."""
    for name in table:
        column = table[name]
        missing = column.isna().to_numpy()
        if column.dtype.kind in "if":
            cuts = np.unique(column.dropna())[1:]
            lefts = [(column < cut).to_numpy() for cut in cuts]
        else:
            values = sorted(set(column.dropna()))
            lefts = [(column == value).to_numpy() for value in values]
        if missing.any():
            lefts.append(~missing)
        for left in lefts:
            side = np.where(missing, 2, np.where(left, 0, 1))
            if len(np.unique(side)) > 1:
                yield side


def sums_of_pairs(side, weight, sign):
    """Return W- and W+ of each side and class, of shape (2, 3, n_classes)."""
    return np.array(
        [
            [(weight * (sign == s))[side == b].sum(axis=0) for b in range(3)]
            for s in (-1, 1)
        ]
    )


def boost_by_hand(table, y, row_weight, n_rounds, learning_rate):
    """Yield the sides of the split, the votes, Z and the error of each round."""
    n, sign = row_weight.sum(), np.where(y[:, None] == np.unique(y), 1, -1)
    weight = np.repeat(row_weight[:, None], sign.shape[1], axis=1).astype(float)
    sides = list(all_sides(table))
    for _ in range(n_rounds):
        weight /= weight.sum()
        best, least = None, np.inf
        for side in sides:
            against, in_favour = sums_of_pairs(side, weight, sign)
            z = 2 * np.sqrt(against * in_favour).sum()
            if z < least - TOLERANCE:
                best, least = side, z
        against, in_favour = sums_of_pairs(best, weight, sign)
        votes = 0.5 * np.log((in_favour + 1 / n) / (against + 1 / n))
        error = np.minimum(against, in_favour).sum()
        weight *= np.exp(-learning_rate * sign * votes[best])
        yield best, votes, weight.sum(), error


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_rounds_equal_an_exhaustive_search(n_classes, seed, learning_rate):
    table, y, weight = mixed(40, n_classes, seed)
    model = MyAdaBoost(algorithm="mh", n_estimators=15, learning_rate=learning_rate)
    model.fit(table, y, weight)
    rounds = boost_by_hand(table, y, weight, 15, learning_rate)
    scores, bound = np.zeros((40, n_classes)), n_classes / 2
    staged = list(model.staged_decision_function(table))
    assert len(staged) == len(model.estimators_) == 15
    for t, (side, votes, z, error) in enumerate(rounds):
        stump = model.estimators_[t]
        np.testing.assert_allclose(stump.votes(table), votes[side], atol=1e-9)
        scores += learning_rate * votes[side]
        expected = scores[:, 1] if n_classes == 2 else scores
        np.testing.assert_allclose(staged[t], expected, atol=1e-9)
        assert model.estimator_errors_[t] == pytest.approx(error, abs=1e-9)
        bound *= z
        assert model.error_bounds_[t] == pytest.approx(min(bound, 1.0), rel=1e-9)
    np.testing.assert_array_equal(model.predict(table), scores.argmax(axis=1))
    odds = np.exp(scores)
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(table), probabilities, rtol=1e-9)
    np.testing.assert_allclose(
        model.predict_log_proba(table), np.log(probabilities), atol=1e-9
    )


def real_ada_boost(table, sign, weight, n_rounds):
    """Yield the score of each row after each round, for labels -1 and +1."""
    smoothing, w, score = 2 / weight.sum(), weight / weight.sum(), np.zeros(len(sign))
    for _ in range(n_rounds):
        least = np.inf
        for side in all_sides(table):
            against, in_favour = (
                np.bincount(side[sign == s], w[sign == s], 3) for s in (-1, 1)
            )
            z = 2 * np.sqrt(against * in_favour).sum()
            if z < least - TOLERANCE:
                odds = (in_favour + smoothing) / (against + smoothing)
                least, votes = z, (0.5 * np.log(odds))[side]
        score = score + votes
        w = w * np.exp(-sign * votes)
        w /= w.sum()
        yield score


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_equal_real_ada_boost(seed):
    table, y, weight = mixed(50, 2, seed)
    model = MyAdaBoost(algorithm="mh", n_estimators=12).fit(table, y, weight)
    expected = list(real_ada_boost(table, 2 * y - 1, weight, 12))
    staged = list(model.staged_decision_function(table))
    np.testing.assert_allclose(staged, expected, atol=1e-9)
    odds = np.exp(2 * expected[-1])
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], odds / (1 + odds))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_product_of_z_bounds_the_hamming_loss(n_classes):
    X, y = integer_table(300, n_classes)
    weight = np.random.default_rng(0).integers(1, 4, 300)
    model = MyAdaBoost(algorithm="mh").fit(X, y, weight)
    is_class = y[:, None] == np.arange(n_classes)
    for scores, bound in zip(model.staged_decision_function(X), model.error_bounds_):
        if n_classes == 2:
            scores = np.column_stack([-scores, scores])
        wrong = (scores > 0) != is_class
        hamming = np.average(wrong.mean(axis=1), weights=weight)
        if bound < 1.0:
            assert hamming <= bound * 2 / n_classes
    assert bound < 0.9


def test_one_round_by_hand():
    """All pairs have the weight 1/12, and 1/4 is added to every sum."""
    model = MyAdaBoost(max_depth=1, n_estimators=1).fit(
        [[0], [0], [1], [1]], ["a", "a", "b", "c"]
    )
    (stump,) = model.estimators_
    up = 0.5 * np.log((2 / 12 + 1 / 4) / (0 + 1 / 4))  # ½ ln 5/3
    np.testing.assert_allclose(stump.left, [up, -up, -up])
    np.testing.assert_allclose(stump.right, [-up, 0, 0], atol=1e-15)
    assert stump.missing == (0.0, 0.0, 0.0)
    # b and c: a pair of 1/12 each way on the right.
    assert model.estimator_errors_[0] == pytest.approx(2 / 12)
    # Eight pairs shrink by √(3/5), and four keep their weights. Two pairs of three.
    z = 8 / 12 * np.sqrt(3 / 5) + 4 / 12
    np.testing.assert_allclose(model.error_bounds_, min(1.5 * z, 1.0))
    np.testing.assert_allclose(model.predict_proba([[0]])[0], [5 / 11, 3 / 11, 3 / 11])
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], [1 / 3] * 3)
    np.testing.assert_allclose(model.margins([[0]], ["a"]), [1.0])
    assert str(stump) == (
        "(a 0.2554, b -0.2554, c -0.2554) if x0 < 0.5 else (a -0.2554, b 0, c 0)"
    )


def test_what_auto_stands_for():
    X, y = integer_table(60, 3)
    tree = DecisionTreeClassifier(max_depth=1)
    for model, labels, expected in (
        (MyAdaBoost(max_depth=1), y, "mh"),
        (MyAdaBoost(max_depth=1), y > 0, "samme"),
        (MyAdaBoost(tree), y, "samme"),
        (MyAdaBoost(weighting="resample"), y, "samme"),
        (MyAdaBoost(algorithm="mh"), y > 0, "mh"),
        (MyAdaBoost(algorithm="m1", estimator=tree, n_estimators=1), y > 0, "m1"),
    ):
        assert model.set_params(n_estimators=3).fit(X, labels).algorithm_ == expected
    with pytest.raises(ValueError, match="boosts its own trees, which vote for and"):
        MyAdaBoost(tree, algorithm="mh").fit(X, y)
    with pytest.raises(ValueError, match="cannot draw rows by their weights"):
        MyAdaBoost(algorithm="mh", weighting="resample").fit(X, y)
    model = MyAdaBoost(max_depth=1, n_estimators=3, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="the former fit, which used 'mh'"):
        model.set_params(algorithm="samme", n_estimators=5).fit(X, y)


def test_more_classes_than_a_tree_of_one_split_has_sides():
    """SAMME's stumps predict two classes each; these vote on all ten."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 1500)
    X = np.column_stack([y % 5, y // 2, y]) + 0.3 * rng.normal(size=(1500, 3))
    mh, samme = (
        MyAdaBoost(algorithm=name).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
        for name in ("mh", "samme")
    )
    assert mh > 0.9 > 0.8 > samme


def test_importances_are_shares_in_the_decrease_of_the_bound():
    X, y = integer_table(200, 3)
    model = MyAdaBoost(max_depth=1, n_estimators=9).fit(X, y)
    long = MyAdaBoost(max_depth=1, n_estimators=1).fit(X, y)
    assert long.feature_importances_[long.estimators_[0].feature] == 1.0
    rounds = boost_by_hand(pd.DataFrame(X), y, np.ones(200), 9, 1.0)
    expected = np.zeros(5)
    for stump, (_, _, z, _) in zip(model.estimators_, rounds):
        expected[stump.feature] -= np.log(z)
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_margins(n_classes):
    X, y = integer_table(n_classes=n_classes)
    model = MyAdaBoost(algorithm="mh", n_estimators=7, learning_rate=0.5).fit(X, y)
    scores, largest = np.zeros((len(y), n_classes)), 0.0
    for stump, margins in zip(model.estimators_, model.staged_margins(X, y)):
        scores += 0.5 * stump.votes(X)
        largest += 0.5 * np.abs([stump.left, stump.right, stump.missing]).max()
        others = np.where(np.arange(n_classes) == y[:, None], -np.inf, scores)
        expected = (scores[np.arange(len(y)), y] - others.max(axis=1)) / (2 * largest)
        np.testing.assert_allclose(margins, expected, atol=1e-12)
    assert np.abs(margins).max() <= 1.0
    np.testing.assert_allclose(model.margins(X, y), margins, atol=1e-12)


def test_cells_that_no_training_row_has():
    table = pd.DataFrame({"w": ["x", "y", "z"] * 5, "n": [1.0, 2.0, 4.0] * 5})
    y = np.array(["a", "b", "c"] * 5)
    model = MyAdaBoost(max_depth=1, n_estimators=4).fit(table, y)
    new = pd.DataFrame({"w": ["new", None], "n": [np.nan, np.nan]})
    votes = np.zeros((2, 3))
    for stump in model.estimators_:
        assert stump.missing == (0.0, 0.0, 0.0)
        if stump.name == "w":  # an unknown category is one of the others
            votes[0] += stump.right
    np.testing.assert_allclose(model.decision_function(new), votes, atol=1e-12)


def test_rows_that_are_missing_are_split_off():
    words = np.array(["x", None] * 6, dtype=object)[:, None]
    model = MyAdaBoost(algorithm="mh").fit(words, [0, 1] * 6)
    (stump,) = model.estimators_  # without error
    assert model.score(words, [0, 1] * 6) == 1
    assert stump.predict(words).tolist() == [0, 1] * 6
    numbers = np.array([1.0, np.nan] * 6)[:, None]
    (stump,) = MyAdaBoost(algorithm="mh").fit(numbers, [0, 1] * 6).estimators_
    assert "x0 is not missing" in str(stump)
    # The words may go to either side of the same split.
    two = np.array(["x", "y", None] * 6, dtype=object)[:, None]
    (stump,) = MyAdaBoost(algorithm="mh").fit(two, [0, 0, 1] * 6).estimators_
    np.testing.assert_array_equal(stump.predict(two), [0, 0, 1] * 6)


def test_columns_without_a_split():
    with pytest.warns(ConvergenceWarning) as seen:
        model = MyAdaBoost(max_depth=1).fit(np.ones((6, 2)), [0, 1, 1, 2, 2, 2])
    assert "boosting ends with 0 rounds" in str(seen[0].message)
    assert "predicts the most frequent class, 2" in str(seen[1].message)
    assert model.predict([[1.0, np.nan]]) == [2]
    np.testing.assert_allclose(model.predict_proba([[1, 1]])[0], [1 / 6, 2 / 6, 3 / 6])
    np.testing.assert_array_equal(model.feature_importances_, [0.0, 0.0])
    model = MyAdaBoost(algorithm="mh").fit([[1.0], [2.0]], ["a", "a"])
    np.testing.assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])
    with pytest.warns(ConvergenceWarning):
        model = MyAdaBoost(algorithm="mh").fit(np.full((3, 1), np.nan), [0, 1, 1])
    assert model.predict(np.array([["word"]], dtype=object)) == [1]


def test_a_column_of_thousands_of_categories():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 3000)
    names = np.where(y == 0, "often", np.arange(3000).astype(str)).astype(object)
    model = MyAdaBoost(max_depth=1, n_estimators=3).fit(names[:, None], y)
    assert "x0 = often" in str(model.estimators_[0])
    assert model.score(names[:, None], y == 0) < 1
    np.testing.assert_array_equal(model.predict(names[:, None]) == 0, y == 0)


def test_thousands_of_rounds_stay_finite():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    model = MyAdaBoost(max_depth=1, n_estimators=3000).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.all(model.estimator_errors_ > 0)
    assert model.score(X, y) == 1
    assert np.isfinite(
        MyAdaBoost(max_depth=1, learning_rate=100).fit(X, y).predict_proba(X)
    ).all()


def test_early_stopping_keeps_the_rounds_up_to_the_least_error():
    X, y = integer_table(600, 4)
    model = MyAdaBoost(
        max_depth=1, n_estimators=300, n_iter_no_change=8, validation_fraction=0.3
    )
    model.fit(X, y)
    best = int(np.argmin(model.validation_errors_)) + 1
    assert model.algorithm_ == "mh"
    assert len(model.estimators_) == best < 300
    assert len(model.validation_errors_) == best + 8


def test_boosting_ends_when_no_split_reduces_the_bound():
    """One column of two values: the votes converge to the odds of both sides."""
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.r_[np.repeat([0, 1, 2], [20, 10, 10]), np.repeat([0, 1, 2], [5, 30, 5])]
    model = MyAdaBoost(max_depth=1, n_estimators=500).fit(X, y)
    assert len(model.estimators_) < 60
    f = np.array(
        [np.log([20 / 20, 10 / 30, 10 / 30]), np.log([5 / 35, 30 / 10, 5 / 35])]
    )
    np.testing.assert_allclose(model.decision_function([[0], [1]]), f / 2, atol=1e-4)
    strict = MyAdaBoost(max_depth=1, n_estimators=500, on_weak_round="raise")
    with pytest.raises(ValueError, match=r"weighted error 0\.5, .* not below 0\.5"):
        strict.fit(X, y)


def test_a_warm_start_without_members_and_without_one_of_the_classes():
    model = MyAdaBoost(max_depth=1, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        model.fit(np.ones((3, 1)), [0, 1, 2])
    with pytest.warns(ConvergenceWarning):
        model.fit(np.ones((3, 1)), [0, 1, 1])
    np.testing.assert_allclose(
        model.predict_proba([[1.0]])[0], [1 / 3, 2 / 3, 0.0], atol=1e-300
    )
