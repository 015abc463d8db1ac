"""MyAdaBoost: rounds by hand, beside scikit-learn's, and the rule of resets."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MEstimateNB, MyAdaBoost

PLUS = [(1, 3), (1.5, 5), (4, 8), (5, 9), (6, 8.5)]
MINUS = [(2.5, 2), (3.5, 5.5), (5.5, 4), (8, 2.5), (9, 9.5)]
PLANE = np.array(PLUS + MINUS), np.array(["+"] * 5 + ["-"] * 5)


def numbers(n_rows=300, n_classes=2, seed=0):
    """Return rows of few distinct numbers, and classes that follow two of them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, (n_rows, 5)).astype(float)
    score = X[:, 0] + 0.5 * X[:, 1] + rng.normal(scale=5, size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, cuts)


class Recorder(ClassifierMixin, BaseEstimator):
    """A stump that tells which weights it was fitted with."""

    def __init__(self, seen=None):
        self.seen = seen

    def __sklearn_clone__(self):
        return Recorder(self.seen)

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen.append(sample_weight)
        self.tree_ = DecisionTreeClassifier(max_depth=1, random_state=0)
        self.tree_.fit(X, y, sample_weight=sample_weight)
        return self

    def predict(self, X):
        return self.tree_.predict(X)


class Planted(ClassifierMixin, BaseEstimator):
    """Answers right but for three rows, and wrong everywhere in the calls named bad."""

    def __init__(self, calls=None, bad=(), random_state=None):
        self.calls, self.bad, self.random_state = calls, bad, random_state

    def __sklearn_clone__(self):
        return type(self)(self.calls, self.bad, self.random_state)

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.is_bad_ = len(self.calls) in self.bad
        first = (0, 3, 6, 1, 4, 5, 2)[len(self.calls) % 7]
        self.calls.append(sample_weight)
        self.wrong_ = np.arange(first, first + 3)
        return self

    def predict(self, X):
        row = X[:, 0].astype(int)
        wrong = np.isin(row, self.wrong_) | self.is_bad_
        return np.where(wrong, 1 - X[:, 1], X[:, 1]).astype(int)


class Sure(Planted):
    """The same without a seed, and so without chance."""

    def __init__(self, calls=None, bad=()):
        super().__init__(calls, bad)

    def __sklearn_clone__(self):
        return Sure(self.calls, self.bad)


ROWS = np.column_stack([np.arange(10), np.arange(10) % 2]).astype(float)
LABELS = ROWS[:, 1].astype(int)


# --- by hand ---------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_the_ten_point_plane(criterion):
    X, y = PLANE
    model = MyAdaBoost(n_estimators=3, criterion=criterion).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])
    np.testing.assert_allclose(
        model.estimator_weights_, [0.424, 0.650, 0.923], atol=5e-4
    )
    assert model.score(X, y) == 1
    product = np.cumprod([2 * np.sqrt(e * (1 - e)) for e in (3 / 10, 3 / 14, 3 / 22)])
    np.testing.assert_allclose(model.error_bounds_, product)


def test_the_weights_of_the_plane_after_each_round():
    """What was wrong has half of the weight, what was right the other half."""
    X, y = PLANE
    seen = []
    model = MyAdaBoost(Recorder(seen), n_estimators=3).fit(X, y)
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
    model = MyAdaBoost(n_estimators=3).fit(X, y)
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
def test_margins_by_counting_votes(n_classes):
    X, y = numbers(n_classes=n_classes)
    model = MyAdaBoost(n_estimators=8).fit(X, y)
    said = np.array([stump.predict(X) for stump in model.estimators_])
    for t, margins in enumerate(model.staged_margins(X, y), start=1):
        alpha = model.estimator_weights_[:t]
        votes = [alpha @ (said[:t] == c) for c in model.classes_]
        for i in range(0, len(y), 37):
            right = votes[y[i]][i]
            other = max(votes[c][i] for c in range(n_classes) if c != y[i])
            assert margins[i] == pytest.approx((right - other) / alpha.sum(), abs=1e-12)
    np.testing.assert_array_equal(margins, model.margins(X, y))
    # Ties aside, a margin below 0 is an error.
    clear = np.abs(margins) > 1e-12
    wrong = model.predict(X) != y
    np.testing.assert_array_equal((margins < 0)[clear], wrong[clear])


# --- beside scikit-learn ---------------------------------------------------------


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_are_those_of_scikit_learn(n_classes, learning_rate):
    """All splits are there to choose from, where a column has few distinct values."""
    X, y = numbers(500, n_classes)
    X_new, _ = numbers(200, n_classes, seed=1)
    ours = MyAdaBoost(criterion="gini", n_estimators=40, learning_rate=learning_rate)
    ours.fit(X, y)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1),
        n_estimators=40,
        learning_rate=learning_rate,
        random_state=0,
    ).fit(X, y)
    np.testing.assert_allclose(2 * ours.estimator_weights_, peer.estimator_weights_)
    np.testing.assert_allclose(ours.estimator_errors_, peer.estimator_errors_)
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_)
    half = 0.5 if n_classes == 2 else 1.0
    stages = zip(
        ours.staged_decision_function(X_new), peer.staged_decision_function(X_new)
    )
    for mine, theirs in stages:
        np.testing.assert_allclose(mine, half * theirs, atol=1e-10)
    np.testing.assert_array_equal(
        list(ours.staged_predict(X_new)), list(peer.staged_predict(X_new))
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_small_table_of_many_values_is_split_as_by_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(5000, 4)).astype(np.float32).astype(float)
    score = np.abs(X[:, 0]) + 0.5 * X[:, 1] + rng.normal(scale=0.3, size=5000)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    ours = MyAdaBoost(criterion="gini", n_estimators=20).fit(X, y)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=20, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, peer.estimator_errors_)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    binned = MyAdaBoost(criterion="gini", n_estimators=20, max_bins=255).fit(X, y)
    assert not np.array_equal(binned.estimator_errors_, ours.estimator_errors_)


def test_a_tied_split_is_as_pure_as_that_of_a_tree():
    """Columns in copies tie in each round: the tree draws one, ours is the first."""
    X, y = numbers(200, 3)
    X = np.column_stack([X, X, X % 7, X % 7])
    model = MyAdaBoost(criterion="gini", n_estimators=15).fit(X, y)
    log_weight = np.zeros(len(y))
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        weight = np.exp(log_weight) / np.exp(log_weight).sum()
        left = X[:, stump.feature] < stump.threshold
        mine = gini(weight, y, left)
        tree = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight)
        assert mine == pytest.approx(gini(weight, y, tree.apply(X) == 1), rel=1e-9)
        log_weight += np.where(stump.predict(X) != y, alpha, -alpha)


def gini(weight, y, left):
    """Return the mass of each side times its impurity, summed."""
    loss = 0.0
    for side in (left, ~left):
        masses = np.bincount(y[side], weight[side])
        loss += masses.sum() - (masses**2).sum() / masses.sum()
    return loss


def test_stumps_are_what_trees_of_depth_one_are():
    X, y = numbers(400, 3)
    own = MyAdaBoost(criterion="gini").fit(X, y)
    tree = DecisionTreeClassifier(max_depth=1)
    general = MyAdaBoost(tree, random_state=0).fit(X, y)
    np.testing.assert_allclose(own.estimator_weights_, general.estimator_weights_)
    np.testing.assert_allclose(
        own.decision_function(X), general.decision_function(X), atol=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_training_error_stays_below_its_bound(n_classes):
    X, y = numbers(400, n_classes)
    weight = np.random.default_rng(0).random(400)
    model = MyAdaBoost(learning_rate=0.7).fit(X, y, weight)
    errors = [1 - score for score in model.staged_score(X, y, sample_weight=weight)]
    assert np.all(errors <= model.error_bounds_ + 1e-12)
    if n_classes == 2:
        assert model.error_bounds_[-1] < 0.9


# --- resets ----------------------------------------------------------------------


def test_a_weak_round_sets_the_weights_back_and_is_repeated():
    calls = []
    model = MyAdaBoost(Planted(calls, bad=(2,)), n_estimators=4)
    model.fit(ROWS, LABELS)
    # Rounds 1 and 2, a failure, round 3 from equal weights, round 4.
    assert len(calls) == 5
    assert model.n_resets_ == 1
    assert len(model.estimators_) == 4
    np.testing.assert_allclose(calls[0], 1.0)
    expected = np.full(10, 10 / 14)
    expected[:3] = 10 / 6  # wrong in the first round: half of the weight
    np.testing.assert_allclose(calls[1], expected)
    assert not np.allclose(calls[2], calls[1])
    np.testing.assert_allclose(calls[3], 1.0)  # set back
    np.testing.assert_allclose(model.estimator_errors_[2], 0.3)
    assert np.isfinite(model.error_bounds_[:2]).all()
    assert np.isnan(model.error_bounds_[2:]).all()  # no product bounds it any more


def test_resets_keep_the_sample_weights():
    calls, weight = [], np.arange(1.0, 11.0)
    MyAdaBoost(Planted(calls, bad=(1,)), n_estimators=2).fit(ROWS, LABELS, weight)
    np.testing.assert_allclose(calls[0], weight)
    np.testing.assert_allclose(calls[2], weight)


def test_a_learner_that_is_always_bad_ends_by_max_resets():
    calls = []
    model = MyAdaBoost(Planted(calls, bad=range(99)), max_resets=4)
    with pytest.warns(ConvergenceWarning) as seen:
        model.fit(ROWS, np.where(ROWS[:, 0] < 7, LABELS, 0))
    assert "and 4 resets in a row were of no help" in str(seen[0].message)
    assert "most frequent class, 0" in str(seen[1].message)
    assert len(calls) == 5
    assert model.n_resets_ == 4
    assert set(model.predict(ROWS)) == {0}
    share = np.mean(np.where(ROWS[:, 0] < 7, LABELS, 0) == 0)
    np.testing.assert_allclose(model.predict_proba(ROWS)[:, 0], share)


def test_bad_rounds_that_are_not_in_a_row_do_not_end_it():
    calls = []
    model = MyAdaBoost(Planted(calls, bad=(1, 3, 5)), n_estimators=4, max_resets=1)
    model.fit(ROWS, LABELS)
    assert model.n_resets_ == 3
    assert len(model.estimators_) == 4


def test_a_learner_without_chance_ends_at_the_first_weak_round():
    calls = []
    model = MyAdaBoost(Sure(calls, bad=(2,)))
    with pytest.warns(ConvergenceWarning, match="would only repeat its rounds"):
        model.fit(ROWS, LABELS)
    assert len(calls) == 3
    assert len(model.estimators_) == 2
    assert model.n_resets_ == 0


def test_a_learner_whose_seed_changes_nothing_does_not_replay_its_rounds():
    X, y = numbers(120, 3)
    model = MyAdaBoost(LogisticRegression(), n_estimators=40, max_resets=3)
    with pytest.warns(ConvergenceWarning, match="was the first round again, and 3"):
        model.fit(X, y)
    said = np.array([member.predict(X) for member in model.estimators_])
    assert len(np.unique(said, axis=0)) == len(said) < 40
    assert model.n_resets_ == 3
    assert np.isfinite(model.error_bounds_).all()  # no member came after a reset


def test_other_ways_to_meet_a_weak_round():
    model = MyAdaBoost(Planted([], bad=(2,)), on_weak_round="stop").fit(ROWS, LABELS)
    assert len(model.estimators_) == 2
    strict = MyAdaBoost(Planted([], bad=(2,)), on_weak_round="raise")
    with pytest.raises(ValueError, match=r"Round 3 errs on 1 .* not below 0\.5"):
        strict.fit(ROWS, LABELS)


def test_m1_asks_for_better_than_one_half():
    X, y = numbers(300, 4)
    samme = MyAdaBoost().fit(X, y)
    assert 0.5 < samme.estimator_errors_[0] < 0.75
    with pytest.raises(ValueError, match=r"not below 0\.5"):
        MyAdaBoost(algorithm="m1", on_weak_round="raise").fit(X, y)
    deep = DecisionTreeClassifier(max_depth=6, random_state=0)
    model = MyAdaBoost(deep, algorithm="m1", n_estimators=5).fit(X, y)
    error = model.estimator_errors_
    np.testing.assert_allclose(
        model.estimator_weights_, 0.5 * np.log((1 - error) / error)
    )


def test_a_learner_without_error_decides_alone():
    class LateBloomer(Planted):
        def predict(self, X):
            if len(self.calls) > 2 and np.array_equal(self.wrong_, [6, 7, 8]):
                return X[:, 1].astype(int)
            return super().predict(X)

    model = MyAdaBoost(LateBloomer([]), n_estimators=9).fit(ROWS, LABELS)
    np.testing.assert_array_equal(model.estimator_errors_[2:], [0.0])
    votes = model.estimator_weights_
    # Of ten rows none failed: Laplace's rule says 11 to 1.
    assert votes[2] - votes[:2].sum() == pytest.approx(0.5 * np.log(11))
    assert votes[2] > votes[:2].sum()
    assert model.score(ROWS, LABELS) == 1


def test_one_learner_without_error_is_as_sure_as_its_rows_are_many():
    model = MyAdaBoost().fit([[0.0], [0.0], [1.0]], ["a", "a", "b"])
    assert len(model.estimators_) == 1
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[4 / 5, 1 / 5]])


def test_rows_of_hardly_any_mass_count_as_one():
    for mass in (1e-20, 1e-5, 0.5):
        model = MyAdaBoost().fit([[0.0], [1.0]], [0, 1], sample_weight=[mass, mass])
        np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])
        np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])


def test_the_most_frequent_class_may_have_nearly_all_the_mass():
    model = MyAdaBoost(Planted([], bad=range(9)), max_resets=0)
    weight = np.where(LABELS == 1, 1.0, 1e-20)
    with pytest.warns(ConvergenceWarning):
        model.fit(ROWS, LABELS, weight)
    np.testing.assert_allclose(model.predict_proba(ROWS)[:, 1], 1.0)


def test_weights_of_any_size_reach_learners_as_rows():
    X, y = numbers()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    usual = MyAdaBoost(tree, n_estimators=5, random_state=0).fit(X, y)
    for scale in (1e-300, 1e305):
        odd = MyAdaBoost(tree, n_estimators=5, random_state=0)
        odd.fit(X, y, np.full(len(y), scale))
        np.testing.assert_allclose(odd.estimator_errors_, usual.estimator_errors_)


# --- resampling ------------------------------------------------------------------


def test_a_learner_without_weights_is_resampled_with_a_warning():
    X, y = load_iris(return_X_y=True)
    model = MyAdaBoost(KNeighborsClassifier(15), n_estimators=3, random_state=0)
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        model.fit(X, y)
    asked = MyAdaBoost(weighting="resample", **non_default(model)).fit(X, y)
    np.testing.assert_array_equal(
        asked.decision_function(X), model.decision_function(X)
    )


def non_default(model):
    names = ("estimator", "n_estimators", "random_state")
    return {name: getattr(model, name) for name in names}


def test_rows_are_drawn_by_their_weights():
    """The first round draws by sample weight: a share of 2/3, within 6 sigma."""

    class Counter(Recorder):
        def fit(self, X, y, sample_weight=None):
            self.seen.append(X[:, 0])
            self.classes_ = np.unique(y)
            return self

        def __sklearn_clone__(self):
            return Counter(self.seen)

        def predict(self, X):
            return np.where(X[:, 0] < 3, X[:, 1], 1 - X[:, 1]).astype(int)

    n = 3000
    X = np.column_stack([np.arange(n) % 5, np.arange(n) % 2]).astype(float)
    weight = np.where(X[:, 0] < 3, 4.0, 3.0)
    seen = []
    model = MyAdaBoost(
        Counter(seen), n_estimators=2, weighting="resample", random_state=0
    ).fit(X, X[:, 1].astype(int), weight)
    share = 12 / 18
    assert len(seen[0]) == n
    assert abs(np.mean(seen[0] < 3) - share) < 6 * np.sqrt(share * (1 - share) / n)
    np.testing.assert_allclose(model.estimator_errors_[0], 1 - share)
    # Right and wrong then weigh the same, and the learner is no better than guessing.
    assert abs(np.mean(seen[1] < 3) - 0.5) < 6 * np.sqrt(0.25 / n)


def test_resampled_stumps_learn_from_what_was_drawn():
    X, y = load_breast_cancer(return_X_y=True)
    models = [
        MyAdaBoost(weighting="resample", random_state=seed, n_estimators=20).fit(X, y)
        for seed in (0, 0, 1)
    ]
    votes = [model.estimator_weights_ for model in models]
    np.testing.assert_array_equal(votes[0], votes[1])
    assert not np.array_equal(votes[0], votes[2])
    assert models[0].score(X, y) > 0.95


def test_a_sample_of_one_class_is_no_failure():
    """A classifier that refuses one class would end many a late round."""
    X = np.r_[np.zeros(40), 1.0][:, None] + np.random.default_rng(0).normal(
        size=(41, 1)
    )
    y = np.r_[np.zeros(40), 1.0]
    model = MyAdaBoost(
        LogisticRegression(), weighting="resample", random_state=3, n_estimators=10
    ).fit(X, y)
    assert model.predict(X).shape == (41,)
    tree = DecisionTreeClassifier(max_depth=1)
    trees = MyAdaBoost(tree, weighting="resample", random_state=0, n_estimators=2)
    trees.fit(np.arange(12.0)[:, None], [1] + [0] * 11)
    assert any(type(one) is DummyClassifier for one in trees.estimators_)
    assert trees.feature_importances_[0] < 1  # such a learner has none


# --- growing, stopping, routing --------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        MyAdaBoost(),
        MyAdaBoost(weighting="resample", random_state=0),
        MyAdaBoost(DecisionTreeClassifier(max_depth=2), random_state=0),
        MyAdaBoost(MEstimateNB(), learning_rate=0.1),
    ],
    ids=str,
)
def test_a_warm_start_is_one_long_fit(model):
    X, y = numbers(200, 3)
    long = sklearn.clone(model).set_params(n_estimators=12).fit(X, y)
    warm = sklearn.clone(model).set_params(n_estimators=5, warm_start=True).fit(X, y)
    first = list(warm.estimator_weights_)
    warm.set_params(n_estimators=12).fit(X, y)
    assert list(warm.estimator_weights_[:5]) == first
    np.testing.assert_allclose(warm.estimator_weights_, long.estimator_weights_)
    np.testing.assert_allclose(
        warm.decision_function(X), long.decision_function(X), atol=1e-10
    )


def test_a_warm_start_goes_on_after_a_reset():
    long = MyAdaBoost(Planted([], bad=(2,)), n_estimators=5).fit(ROWS, LABELS)
    warm = MyAdaBoost(Planted([], bad=(2,)), n_estimators=3, warm_start=True)
    warm.fit(ROWS, LABELS).set_params(n_estimators=5).fit(ROWS, LABELS)
    np.testing.assert_allclose(warm.estimator_errors_, long.estimator_errors_)
    assert warm.n_resets_ == 1
    np.testing.assert_array_equal(
        np.isnan(warm.error_bounds_), np.isnan(long.error_bounds_)
    )


def test_what_a_warm_start_cannot_do():
    X, y = numbers()
    model = MyAdaBoost(n_estimators=5, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=3 must be at least 5"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.warns(UserWarning, match="raise it to add some"):
        model.set_params(n_estimators=5).fit(X, y)
    with pytest.raises(ValueError, match="of another kind"):
        model.set_params(n_estimators=6, estimator=GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.set_params(estimator=None).fit(X[:, :2], y)
    assert len(model.estimators_) == 5
    assert model.predict(X).shape == y.shape
    with pytest.raises(ValueError, match="With warm_start classes stay"):
        model.fit(X, y + 1)
    sure = MyAdaBoost(warm_start=True).fit([[0.0], [1.0]], [0, 1])
    with pytest.warns(UserWarning, match="decides alone, so none is added"):
        sure.set_params(n_estimators=60).fit([[0.0], [1.0]], [0, 1])


def test_early_stopping_keeps_the_round_that_errs_least():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = MyAdaBoost(
        n_estimators=500, n_iter_no_change=10, validation_fraction=0.25
    ).fit(X, y)
    errors = model.validation_errors_
    best = int(np.argmin(errors)) + 1
    assert len(errors) == best + 10
    assert len(model.estimators_) == best < 500
    shuffled = rng.permutation(400)
    again = sklearn.clone(model).fit(X[shuffled], y[shuffled])
    np.testing.assert_allclose(again.validation_errors_, errors)
    plain = MyAdaBoost(n_estimators=3).fit(X, y)
    assert not hasattr(plain, "validation_errors_")
    model.set_params(n_iter_no_change=None).fit(X, y)
    assert not hasattr(model, "validation_errors_")  # of the former fit


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_class_of_one_row_is_learnt_and_not_held_out(estimator):
    X = np.arange(30.0)[:, None]
    y = np.array(["a"] + ["b"] * 29)
    model = MyAdaBoost(estimator, n_iter_no_change=3).fit(X, y)
    assert set(model.classes_) == {"a", "b"}
    if estimator is None:
        assert model.predict(X[:2]).tolist() == ["a", "b"]


def test_a_column_of_one_value_where_a_class_is_held_out_whole():
    """The most frequent class is told though the last one has no row to learn from."""
    X, y = np.ones((9, 1)), np.array(["a"] * 8 + ["b"])
    model = MyAdaBoost(n_iter_no_change=1, validation_fraction=0.5).fit(X, y)
    assert model.predict(X[:1]) == ["a"]
    assert model.classes_.tolist() == ["a", "b"]


def test_copies_are_held_out_as_other_rows_are():
    X = np.r_[np.zeros(990), np.ones(10)][:, None]
    model = MyAdaBoost(n_iter_no_change=5).fit(X, X[:, 0].astype(int))
    assert model.score(X, X[:, 0].astype(int)) == 1
    words = np.where(X == 0, "often", "seldom").astype(object)
    model = MyAdaBoost(n_iter_no_change=5).fit(words, X[:, 0].astype(int))
    assert model.score(words, X[:, 0].astype(int)) == 1


def test_a_fraction_that_holds_out_no_row():
    X, y = numbers(20)
    model = MyAdaBoost(n_iter_no_change=5, validation_fraction=5e-324)
    with pytest.raises(ValueError, match="validation_fraction=5e-324 of 20 rows"):
        model.fit(X, y)


def test_a_warm_start_after_rounds_were_forgotten():
    """The round that is kept is all that a longer fit begins with."""
    X, y = numbers(200, seed=2)
    settings = {"n_iter_no_change": 4, "random_state": 0, "warm_start": True}
    tree = DecisionTreeClassifier(max_depth=2)
    model = MyAdaBoost(tree, n_estimators=200, **settings).fit(X, y)
    kept = len(model.estimators_)
    assert kept < 200
    before = model.validation_errors_[:kept]
    model.set_params(n_estimators=kept + 1).fit(X, y)
    np.testing.assert_allclose(model.validation_errors_[:kept], before)


def test_metadata_are_routed_to_the_estimator():
    class Wants(ClassifierMixin, BaseEstimator):
        def fit(self, X, y, sample_weight=None, tone=None):
            self.classes_, self.tone_ = np.unique(y), tone
            return self

        def predict(self, X):
            return np.where(X[:, 0] < 7, X[:, 1], 1 - X[:, 1]).astype(int)

    tone = np.arange(10)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        MyAdaBoost(Wants(), n_estimators=1).fit(ROWS, LABELS, tone=tone)
    with sklearn.config_context(enable_metadata_routing=True):
        base = Wants().set_fit_request(tone=True, sample_weight=False)
        model = MyAdaBoost(base, n_estimators=1)
        model.fit(ROWS, LABELS, np.r_[np.zeros(2), np.ones(8)], tone=tone)
        np.testing.assert_array_equal(model.estimators_[0].tone_, tone[2:])
        with pytest.raises(TypeError, match="Stumps take no"):
            MyAdaBoost().fit(ROWS, LABELS, tone=tone)


def test_the_grid_search_of_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), MyAdaBoost())
    grid = {"myadaboost__n_estimators": [1, 10], "myadaboost__max_bins": [4, 255]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["myadaboost__n_estimators"] == 10
    deep = {"estimator__max_depth": [1, 3]}
    trees = MyAdaBoost(DecisionTreeClassifier(random_state=0), n_estimators=5)
    assert GridSearchCV(trees, deep, cv=3).fit(X, y).best_score_ > 0.9


# --- attributes, labels, hostile input -------------------------------------------


def test_importances_are_the_shares_of_votes():
    X, y = numbers()
    model = MyAdaBoost(n_estimators=9).fit(X, y)
    expected = np.zeros(5)
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        expected[stump.feature] += alpha / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.feature_importances_, expected)
    bayes = MyAdaBoost(GaussianNB(), n_estimators=2).fit(X, y)
    assert not hasattr(bayes, "feature_importances_")


def test_labels_of_any_kind():
    X, y = numbers(100)
    for labels in (["no", "yes"], [False, True], [-1, 5], [2.0, 3.0]):
        classes = np.array(labels)
        model = MyAdaBoost(n_estimators=5).fit(X, classes[y])
        assert model.predict(X).dtype == classes.dtype
        np.testing.assert_array_equal(model.classes_, classes)
        gini = MyAdaBoost(n_estimators=5, criterion="gini").fit(X, classes[y])
        trees = MyAdaBoost(DecisionTreeClassifier(max_depth=1), n_estimators=5)
        said = trees.fit(X, classes[y]).predict(X)
        np.testing.assert_array_equal(said, gini.predict(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_words_and_holes(frame):
    # Missing colours are b; of the others, red is a and the rest c.
    colours = ["red", None, "blue", "red", "grey", None] * 10
    table = frame({"colour": colours, "size": [1.0, 2.0, None, 4.0, 5.0, 6.0] * 10})
    y = np.array(["a", "b", "c", "a", "c", "b"] * 10)
    model = MyAdaBoost().fit(table, y)
    assert model.score(table, y) == 1
    said = [str(stump) for stump in model.estimators_]
    assert any("colour is missing" in text for text in said)
    assert any("colour = red" in text for text in said)
    new = frame({"colour": ["green", "red"], "size": [None, 1.0]})
    assert model.predict(new).shape == (2,)
    sized = MyAdaBoost(n_estimators=2).fit(table[["size"]], y)
    with pytest.raises(TypeError, match="'size' held numbers at fit"):
        sized.predict(frame({"size": ["small", "large"]}))


def test_a_column_of_very_many_categories():
    rng = np.random.default_rng(0)
    common = rng.integers(0, 3, 3000)
    names = np.where(common == 0, "often", np.arange(3000).astype(str)).astype(object)
    y = (common == 0).astype(int)
    model = MyAdaBoost(n_estimators=3).fit(names[:, None], y)
    assert str(model.estimators_[0]) == "1 if x0 = often else 0"
    assert model.score(names[:, None], y) == 1


@pytest.mark.parametrize("estimator", [None, MEstimateNB()])
def test_one_class_is_always_the_answer(estimator):
    model = MyAdaBoost(estimator).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]) == ["a"]
    np.testing.assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])


def test_columns_that_say_nothing():
    with pytest.warns(ConvergenceWarning) as seen:
        model = MyAdaBoost().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert "not below 0.5" in str(seen[0].message)
    assert "most frequent class" in str(seen[1].message)
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[0.5, 0.5]])
    with pytest.warns(ConvergenceWarning, match="not below"):
        model = MyAdaBoost().fit(np.ones((4, 2)), [0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[0.25, 0.75]])
    assert str(model.estimators_[0]) == "always 1"
    np.testing.assert_array_equal(model.feature_importances_, [0.0, 0.0])


def test_a_constant_stump_reads_no_column():
    """Words may come at prediction where a column was empty before."""
    with pytest.warns(ConvergenceWarning):
        model = MyAdaBoost().fit(np.full((3, 1), None), [0, 1, 1])
    assert model.predict(np.array([["word"]], dtype=object)) == [1]
    with pytest.warns(ConvergenceWarning):
        model = MyAdaBoost().fit(np.ones((3, 1)), [0, 1, 1])
    assert model.predict([["word"]]) == [1]


def test_hostile_input():
    X, y = numbers(50)
    broken = X.copy()
    broken[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity in column '2'"):
        MyAdaBoost().fit(broken, y)
    model = MyAdaBoost(n_estimators=3).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(broken, y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="max_bins"):
        MyAdaBoost(max_bins=1).fit(X, y)
    with pytest.raises(ValueError, match="not in the classes"):
        model.margins(X, np.full(50, 7))

    class Odd(Recorder):
        def predict(self, X):
            return np.full(len(X), "other")

        def __sklearn_clone__(self):
            return Odd(self.seen)

    with pytest.raises(ValueError, match="Odd answers 'other', which is none of"):
        MyAdaBoost(Odd([])).fit(X, y)

    class Short(Odd):
        def predict(self, X):
            return np.zeros(3)

        def __sklearn_clone__(self):
            return Short(self.seen)

    with pytest.raises(ValueError, match=r"Short answers in shape \(3,\) of 50 rows"):
        MyAdaBoost(Short([])).fit(X, y)
    for rate in (0, 1e308):
        with pytest.raises(ValueError, match="learning_rate"):
            MyAdaBoost(learning_rate=rate).fit(X, y)
    wild = MyAdaBoost(learning_rate=100).fit(X, y)
    assert np.isfinite(wild.predict_proba(X)).all()
    with pytest.raises(ValueError, match="Is a name misspelt"):
        MyAdaBoost().fit(X, y, sample_wieght=y)


def test_ten_thousand_rounds():
    """Labels at random: weights part by many powers of ten, and stay numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, 2, 60)
    model = MyAdaBoost(n_estimators=10_000).fit(X, y)
    assert len(model.estimators_) == 10_000
    assert np.isfinite(model.estimator_weights_).all()
    assert np.all(model.estimator_errors_ < 0.5)
    assert model.score(X, y) == 1
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    general = MyAdaBoost(tree, n_estimators=300, random_state=0).fit(X, y)
    gini = MyAdaBoost(criterion="gini", n_estimators=300).fit(X, y)
    np.testing.assert_allclose(gini.estimator_errors_, general.estimator_errors_)
