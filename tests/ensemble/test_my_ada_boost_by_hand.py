"""MyAdaBoost: votes, weights and margins by hand, and compared with scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.ensemble_learners import WeightRecorder, integer_table

PLUS = [(1, 3), (1.5, 5), (4, 8), (5, 9), (6, 8.5)]
MINUS = [(2.5, 2), (3.5, 5.5), (5.5, 4), (8, 2.5), (9, 9.5)]
PLANE = np.array(PLUS + MINUS), np.array(["+"] * 5 + ["-"] * 5)


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_the_ten_point_plane(criterion):
    X, y = PLANE
    model = MyAdaBoost(max_depth=1, n_estimators=3, criterion=criterion).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])
    np.testing.assert_allclose(
        model.estimator_weights_, [0.424, 0.650, 0.923], atol=5e-4
    )
    assert model.score(X, y) == 1
    product = np.cumprod([2 * np.sqrt(e * (1 - e)) for e in (3 / 10, 3 / 14, 3 / 22)])
    np.testing.assert_allclose(model.error_bounds_, product)


def test_the_weights_of_the_ten_point_plane_after_each_round():
    """Misclassified rows then have half of the weight, all others the other half."""
    X, y = PLANE
    seen = []
    model = MyAdaBoost(WeightRecorder(seen), n_estimators=3).fit(X, y)
    weight = [Fraction(1, 10)] * 10
    for found, member in zip(seen, model.estimators_):
        np.testing.assert_allclose(found, [10 * float(w) for w in weight], rtol=1e-12)
        wrong = member.predict(X) != y
        error = sum(w for w, bad in zip(weight, wrong) if bad)
        weight = [
            w / (2 * error) if bad else w / (2 * (1 - error))
            for w, bad in zip(weight, wrong)
        ]
    assert [w.denominator for w in weight[:2]] != [10, 10]


def test_probabilities_are_the_votes_of_additive_logistic_regression():
    X, y = PLANE
    model = MyAdaBoost(max_depth=1, n_estimators=3).fit(X, y)
    sums = np.zeros((10, 2))
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        sums += alpha * (stump.predict(X)[:, None] == model.classes_)
    odds = np.exp(2 * (sums[:, 1] - sums[:, 0]))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], odds / (1 + odds))
    np.testing.assert_allclose(
        model.predict_log_proba(X), np.log(model.predict_proba(X)), atol=1e-12
    )
    share = (sums[:, 1] - sums[:, 0]) / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.decision_function(X), share, atol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_margins_equal_those_from_counted_votes(n_classes):
    X, y = integer_table(n_classes=n_classes)
    model = MyAdaBoost(n_estimators=8, algorithm="samme").fit(X, y)
    predicted = np.array([stump.predict(X) for stump in model.estimators_])
    for t, margins in enumerate(model.staged_margins(X, y), start=1):
        alpha = model.estimator_weights_[:t]
        votes = [alpha @ (predicted[:t] == c) for c in model.classes_]
        for i in range(0, len(y), 37):
            right = votes[y[i]][i]
            other = max(votes[c][i] for c in range(n_classes) if c != y[i])
            assert margins[i] == pytest.approx((right - other) / alpha.sum(), abs=1e-12)
    np.testing.assert_array_equal(margins, model.margins(X, y))
    # Except for ties, a margin below 0 is an error.
    clear = np.abs(margins) > 1e-12
    wrong = model.predict(X) != y
    np.testing.assert_array_equal((margins < 0)[clear], wrong[clear])


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_equal_those_of_scikit_learn(n_classes, learning_rate):
    """With few distinct values in a column, both choose from the same splits."""
    X, y = integer_table(500, n_classes)
    X_new, _ = integer_table(200, n_classes, seed=1)
    settings = {"n_estimators": 40, "learning_rate": learning_rate}
    ours = MyAdaBoost(algorithm="samme", **settings).fit(X, y)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), random_state=0, **settings
    ).fit(X, y)
    np.testing.assert_allclose(2 * ours.estimator_weights_, peer.estimator_weights_)
    np.testing.assert_allclose(ours.estimator_errors_, peer.estimator_errors_)
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_)
    half = 0.5 if n_classes == 2 else 1.0
    stages = zip(
        ours.staged_decision_function(X_new), peer.staged_decision_function(X_new)
    )
    for found, expected in stages:
        np.testing.assert_allclose(found, half * expected, atol=1e-10)
    np.testing.assert_array_equal(
        list(ours.staged_predict(X_new)), list(peer.staged_predict(X_new))
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_small_table_of_many_values_is_split_as_in_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(5000, 4)).astype(np.float32).astype(float)
    score = np.abs(X[:, 0]) + 0.5 * X[:, 1] + rng.normal(scale=0.3, size=5000)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    settings = {"n_estimators": 20, "algorithm": "samme"}
    ours = MyAdaBoost(max_depth=1, **settings).fit(X, y)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=20, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, peer.estimator_errors_)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    binned = MyAdaBoost(max_depth=1, max_bins=255, **settings).fit(X, y)
    assert not np.array_equal(binned.estimator_errors_, ours.estimator_errors_)


def test_a_tied_split_is_as_pure_as_that_of_a_tree():
    """Copies of columns tie in each round: the tree draws one, ours is the first."""
    X, y = integer_table(200, 3)
    X = np.column_stack([X, X, X % 7, X % 7])
    model = MyAdaBoost(algorithm="samme", n_estimators=15).fit(X, y)
    log_weight = np.zeros(len(y))
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        weight = np.exp(log_weight) / np.exp(log_weight).sum()
        left = X[:, stump.feature] < stump.threshold
        impurity = gini(weight, y, left)
        tree = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight)
        assert impurity == pytest.approx(gini(weight, y, tree.apply(X) == 1), rel=1e-9)
        log_weight += np.where(stump.predict(X) != y, alpha, -alpha)


def gini(weight, y, left):
    """Return the sum over both sides of the weight times the Gini impurity."""
    loss = 0.0
    for side in (left, ~left):
        weights = np.bincount(y[side], weight[side])
        loss += weights.sum() - (weights**2).sum() / weights.sum()
    return loss


def test_stumps_equal_trees_of_depth_one():
    X, y = integer_table(400, 3)
    stumps = MyAdaBoost(algorithm="samme").fit(X, y)
    tree = DecisionTreeClassifier(max_depth=1)
    general = MyAdaBoost(tree, random_state=0).fit(X, y)
    np.testing.assert_allclose(stumps.estimator_weights_, general.estimator_weights_)
    np.testing.assert_allclose(
        stumps.decision_function(X), general.decision_function(X), atol=1e-12
    )


@pytest.mark.parametrize("algorithm", ["samme", "mh"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_training_error_stays_below_its_bound(n_classes, algorithm):
    X, y = integer_table(400, n_classes)
    weight = np.random.default_rng(0).random(400)
    model = MyAdaBoost(learning_rate=0.7, algorithm=algorithm).fit(X, y, weight)
    errors = [1 - score for score in model.staged_score(X, y, sample_weight=weight)]
    assert np.all(errors <= model.error_bounds_ + 1e-12)
    if n_classes == 2:
        assert model.error_bounds_[-1] < 0.9
