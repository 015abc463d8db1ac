"""MyAdaBoost: weak rounds, resets, and members without a training error."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.ensemble_learners import (
    LABELS,
    ROWS,
    DeterministicErrors,
    PlannedErrors,
    integer_table,
)


def test_a_weak_round_resets_the_weights_and_is_repeated():
    calls = []
    model = MyAdaBoost(PlannedErrors(calls, bad=(2,)), n_estimators=4)
    model.fit(ROWS, LABELS)
    # Rounds 1 and 2, a weak round, round 3 from equal weights, round 4.
    assert len(calls) == 5
    assert model.n_resets_ == 1
    assert len(model.estimators_) == 4
    np.testing.assert_allclose(calls[0], 1.0)
    expected = np.full(10, 10 / 14)
    expected[:3] = 10 / 6  # misclassified in the first round: half of the weight
    np.testing.assert_allclose(calls[1], expected)
    assert not np.allclose(calls[2], calls[1])
    np.testing.assert_allclose(calls[3], 1.0)  # reset
    np.testing.assert_allclose(model.estimator_errors_[2], 0.3)


def test_resets_keep_the_sample_weights():
    calls, weight = [], np.arange(1.0, 11.0)
    MyAdaBoost(PlannedErrors(calls, bad=(1,)), n_estimators=2).fit(ROWS, LABELS, weight)
    np.testing.assert_allclose(calls[0], weight)
    np.testing.assert_allclose(calls[2], weight)


def test_a_learner_that_is_always_weak_ends_after_max_resets():
    calls = []
    model = MyAdaBoost(PlannedErrors(calls, bad=range(99)), max_resets=4)
    with pytest.warns(ConvergenceWarning) as seen:
        model.fit(ROWS, np.where(ROWS[:, 0] < 7, LABELS, 0))
    assert "and 4 resets in a row did not help" in str(seen[0].message)
    assert "most frequent class, 0" in str(seen[1].message)
    assert len(calls) == 5
    assert model.n_resets_ == 4
    assert set(model.predict(ROWS)) == {0}
    share = np.mean(np.where(ROWS[:, 0] < 7, LABELS, 0) == 0)
    np.testing.assert_allclose(model.predict_proba(ROWS)[:, 0], share)


def test_weak_rounds_that_are_not_in_a_row_do_not_end_boosting():
    calls = []
    model = MyAdaBoost(
        PlannedErrors(calls, bad=(1, 3, 5)), n_estimators=4, max_resets=1
    )
    model.fit(ROWS, LABELS)
    assert model.n_resets_ == 3
    assert len(model.estimators_) == 4


def test_a_deterministic_learner_ends_at_the_first_weak_round():
    calls = []
    model = MyAdaBoost(DeterministicErrors(calls, bad=(2,)))
    with pytest.warns(ConvergenceWarning, match="is deterministic and would repeat"):
        model.fit(ROWS, LABELS)
    assert len(calls) == 3
    assert len(model.estimators_) == 2
    assert model.n_resets_ == 0


def test_a_learner_whose_seed_changes_nothing_does_not_repeat_its_rounds():
    X, y = integer_table(120, 3)
    model = MyAdaBoost(LogisticRegression(), n_estimators=40, max_resets=3)
    with pytest.warns(
        ConvergenceWarning, match="the same rows as the first member, and 3"
    ):
        model.fit(X, y)
    predicted = np.array([member.predict(X) for member in model.estimators_])
    assert len(np.unique(predicted, axis=0)) == len(predicted) < 40
    assert model.n_resets_ == 3
    assert np.isfinite(model.error_bounds_).all()  # no member came after a reset


def test_on_weak_round_stop_and_raise():
    model = MyAdaBoost(PlannedErrors([], bad=(2,)), on_weak_round="stop").fit(
        ROWS, LABELS
    )
    assert len(model.estimators_) == 2
    strict = MyAdaBoost(PlannedErrors([], bad=(2,)), on_weak_round="raise")
    with pytest.raises(
        ValueError, match=r"Round 3 has weighted error 1, .* not below 0\.5"
    ):
        strict.fit(ROWS, LABELS)


def test_m1_requires_an_error_below_one_half():
    X, y = integer_table(300, 4)
    samme = MyAdaBoost(algorithm="samme").fit(X, y)
    assert 0.5 < samme.estimator_errors_[0] < 0.75
    with pytest.raises(ValueError, match=r"not below 0\.5"):
        MyAdaBoost(algorithm="m1", on_weak_round="raise").fit(X, y)
    deep = DecisionTreeClassifier(max_depth=6, random_state=0)
    model = MyAdaBoost(deep, algorithm="m1", n_estimators=5).fit(X, y)
    error = model.estimator_errors_
    np.testing.assert_allclose(
        model.estimator_weights_, 0.5 * np.log((1 - error) / error)
    )


def test_a_member_without_error_outvotes_all_others():
    class LateBloomer(PlannedErrors):
        def predict(self, X):
            if len(self.calls) > 2 and np.array_equal(self.wrong_, [6, 7, 8]):
                return X[:, 1].astype(int)
            return super().predict(X)

    model = MyAdaBoost(LateBloomer([]), n_estimators=9).fit(ROWS, LABELS)
    np.testing.assert_array_equal(model.estimator_errors_[2:], [0.0])
    votes = model.estimator_weights_
    # No error in ten rows: the odds of Laplace's rule are 11 to 1.
    assert votes[2] - votes[:2].sum() == pytest.approx(0.5 * np.log(11))
    assert votes[2] > votes[:2].sum()
    assert model.score(ROWS, LABELS) == 1


def test_the_probability_of_a_member_without_error_grows_with_the_rows():
    model = MyAdaBoost(max_depth=1).fit([[0.0], [0.0], [1.0]], ["a", "a", "b"])
    assert len(model.estimators_) == 1
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[4 / 5, 1 / 5]])


def test_a_total_weight_below_one_counts_as_one():
    for weight in (1e-20, 1e-5, 0.5):
        model = MyAdaBoost(max_depth=1).fit(
            [[0.0], [1.0]], [0, 1], sample_weight=[weight, weight]
        )
        np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])
        np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])


def test_the_most_frequent_class_may_have_nearly_all_the_weight():
    model = MyAdaBoost(PlannedErrors([], bad=range(9)), max_resets=0)
    weight = np.where(LABELS == 1, 1.0, 1e-20)
    with pytest.warns(ConvergenceWarning):
        model.fit(ROWS, LABELS, weight)
    np.testing.assert_allclose(model.predict_proba(ROWS)[:, 1], 1.0)


def test_weights_of_any_scale_give_the_same_members():
    X, y = integer_table()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    usual = MyAdaBoost(tree, n_estimators=5, random_state=0).fit(X, y)
    for scale in (1e-300, 1e300):
        odd = MyAdaBoost(tree, n_estimators=5, random_state=0)
        odd.fit(X, y, np.full(len(y), scale))
        np.testing.assert_allclose(odd.estimator_errors_, usual.estimator_errors_)


def noisy_table(n_classes=2):
    """Return few noisy columns: boosting by resampling soon stalls."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 3)).astype(float)
    score = X[:, 0] + rng.normal(scale=2, size=200)
    return X, np.digitize(score, [1, 3][: n_classes - 1])


def exponential_losses(model, X, y):
    """Return the mean of exp(-margin) after each round, from the members' labels."""
    sign, score, losses = np.where(y == 1, 1, -1), np.zeros(len(y)), []
    for member, alpha in zip(model.estimators_, model.estimator_weights_):
        score += alpha * np.where(member.predict(X) == 1, 1, -1)
        losses.append(np.exp(-sign * score).mean())
    return np.array(losses)


@pytest.mark.parametrize("seed", range(5))
def test_after_a_reset_each_vote_reduces_the_loss_of_all_members(seed):
    X, y = noisy_table()
    model = MyAdaBoost(weighting="resample", n_estimators=200, random_state=seed)
    model.fit(X, y)
    losses = exponential_losses(model, X, y)
    assert model.n_resets_ >= 1
    assert len(losses) < 60
    np.testing.assert_allclose(model.error_bounds_, np.minimum(losses, 1.0))
    assert len(losses) > 1
    assert np.all(np.diff(losses) < 0)


def test_the_bound_holds_after_a_reset():
    """The former members count, too: the bound is the loss of all members together."""
    model = MyAdaBoost(PlannedErrors([], bad=(2,)), n_estimators=5).fit(ROWS, LABELS)
    assert model.n_resets_ == 1
    losses = exponential_losses(model, ROWS, LABELS)
    np.testing.assert_allclose(model.error_bounds_, losses)
    assert len(losses) > 1
    assert np.all(np.diff(losses) < 0)
    errors = [1 - score for score in model.staged_score(ROWS, LABELS)]
    assert np.all(errors <= model.error_bounds_)


def test_a_reset_that_cannot_help_adds_no_vote():
    """The same three rows are misclassified again, and already have half the weight."""

    class SameErrors(PlannedErrors):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)
            self.wrong_ = np.arange(3)
            return self

    model = MyAdaBoost(
        SameErrors([]), weighting="resample", n_estimators=9, random_state=0
    )
    model.fit(ROWS, LABELS)
    assert model.n_resets_ == 1
    # Under the weights after round 1 the error is 1/2: (√(3/7) + √(7/3)) / 2 > 1.
    np.testing.assert_allclose(model.estimator_weights_, [0.5 * np.log(7 / 3)])


@pytest.mark.parametrize("algorithm", ["samme", "m1"])
def test_more_classes_than_two_after_a_reset(algorithm):
    """The loss that SAMME reduces has votes of K / (K - 1) to -K / (K - 1)²."""
    X, y = noisy_table(3)
    model = MyAdaBoost(
        DecisionTreeClassifier(max_depth=4),
        algorithm=algorithm,
        weighting="resample",
        n_estimators=300,
        random_state=1,
    )
    model.fit(X, y)
    n_classes = 3 if algorithm == "samme" else 2
    log_loss, losses = np.zeros(len(y)), []
    for member, alpha in zip(model.estimators_, model.estimator_weights_):
        wrong = member.predict(X) != y
        log_loss += 2 * alpha * (wrong - (1 - 1 / n_classes))
        losses.append(np.exp(log_loss).mean())
    assert len(losses) > 1
    assert np.all(np.diff(losses) < 0)
