"""MyAdaBoost.staged_weights: the weights of the training rows in each round.

Code under test: `ensemble/_boosted_members.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.ensemble_learners import (
    LABELS,
    ROWS,
    PlannedErrors,
    WeightRecorder,
    integer_table,
)

X, Y = integer_table(200, 3)
WEIGHT = np.random.default_rng(0).integers(0, 4, 200).astype(float)


@pytest.mark.parametrize("settings", [{}, {"learning_rate": 0.3}])
def test_members_were_fitted_with_these_weights(settings):
    seen = []
    model = MyAdaBoost(WeightRecorder(seen), n_estimators=6, **settings)
    model.fit(X, Y, WEIGHT)
    staged = list(model.staged_weights(X, Y, WEIGHT))
    assert len(staged) == len(model.estimators_) == 6
    for weights, given in zip(staged, seen):
        assert not weights[WEIGHT == 0].any()
        np.testing.assert_allclose(weights[WEIGHT > 0], given / given.sum())


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_each_error_is_the_weight_of_the_misclassified_rows(weighting):
    model = MyAdaBoost(
        algorithm="samme", weighting=weighting, n_estimators=8, random_state=0
    ).fit(X, Y, WEIGHT)
    single = MyAdaBoost(algorithm="samme", n_estimators=1).fit(X, Y)
    for weights, error, stump in zip(
        model.staged_weights(X, Y, WEIGHT), model.estimator_errors_, model.estimators_
    ):
        votes = single._members.votes_of(
            stump, single._members.read(X), single.classes_, None
        )
        wrong = votes.argmax(axis=1) != Y
        np.testing.assert_allclose(weights[wrong].sum(), error, rtol=1e-9)


def test_weights_of_classes_are_part_of_them():
    seen = []
    model = MyAdaBoost(WeightRecorder(seen), n_estimators=3, class_weight="balanced")
    model.fit(X, Y, WEIGHT)
    staged = list(model.staged_weights(X, Y, WEIGHT))
    for weights, given in zip(staged, seen, strict=True):
        np.testing.assert_allclose(weights[WEIGHT > 0], given / given.sum())


def test_weights_after_a_reset_are_the_first_ones():
    calls = []
    weight = np.linspace(1, 1.1, 10)
    model = MyAdaBoost(PlannedErrors(calls, bad=(2,)), n_estimators=4)
    model.fit(ROWS, LABELS, weight)
    assert model.n_resets_ == 1
    staged = list(model.staged_weights(ROWS, LABELS, weight))
    np.testing.assert_allclose(staged[2], weight / weight.sum())
    kept = [given for i, given in enumerate(calls) if i != 2]  # without the weak round
    for weights, given in zip(staged, kept, strict=True):
        np.testing.assert_allclose(weights, given / given.sum())


def test_mh_has_a_weight_for_each_row_and_class():
    """W(i, c) ∝ exp(-y_ic f(i, c)), and Z is the factor of their sum."""
    model = MyAdaBoost(algorithm="mh", n_estimators=5).fit(X, Y)
    sign = np.where(Y[:, None] == np.arange(3), 1.0, -1.0)
    scores = [
        np.zeros((200, 3)),
        *(f.copy() for f in model.staged_decision_function(X)),
    ]
    staged = list(model.staged_weights(X, Y))
    assert len(staged) == 5
    for weights, f in zip(staged, scores):
        by_hand = np.exp(-sign * f)
        np.testing.assert_allclose(weights, by_hand / by_hand.sum())
    factors = [
        (weights * np.exp(-sign * (after - f))).sum()
        for weights, f, after in zip(staged, scores, scores[1:])
    ]
    np.testing.assert_allclose(
        np.minimum(1.5 * np.cumprod(factors), 1), model.error_bounds_
    )


def test_held_out_rows_have_no_weight():
    model = MyAdaBoost(
        max_depth=1, n_estimators=30, n_iter_no_change=3, validation_fraction=0.25
    )
    staged = list(model.fit(X, Y).staged_weights(X, Y))
    assert len(staged) == len(model.estimators_)
    kept = staged[0].sum(axis=1) > 0
    assert abs(kept.mean() - 0.75) < 0.02
    alone = MyAdaBoost(max_depth=1, n_estimators=len(staged)).fit(X[kept], Y[kept])
    for weights, expected in zip(staged, alone.staged_weights(X[kept], Y[kept])):
        np.testing.assert_allclose(weights[kept], expected, rtol=1e-10)


def test_weights_of_other_rows_are_refused():
    model = MyAdaBoost(max_depth=1, n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        next(model.staged_weights(X, Y[:5]))
    with pytest.raises(ValueError, match="not in the classes"):
        next(model.staged_weights(X, Y + 1))
    one_class = MyAdaBoost(max_depth=1).fit(X[:4], [0, 0, 0, 0])
    assert [w.tolist() for w in one_class.staged_weights(X[:4], [0] * 4)] == [
        [0.25] * 4
    ]
