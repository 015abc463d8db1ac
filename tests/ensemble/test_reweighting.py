"""The rounds of AdaBoost by hand, beside scikit-learn's, and ten thousand of them."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy.ensemble._reweighting import (
    error_limit,
    is_weak,
    log_error_bounds,
    reweighted,
    vote,
    weighted_error,
)

# Freund & Schapire's plane: of ten points each round is wrong at three others.
ROUNDS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def missed(places, n_rows=10):
    return np.isin(np.arange(n_rows), places)


def test_the_ten_point_plane_in_fractions():
    weight = [Fraction(1, 10)] * 10
    log_weight = np.log(np.full(10, 0.1))
    errors, votes = [], []
    for places in ROUNDS:
        error = sum(weight[place] for place in places)
        found = weighted_error(missed(places), log_weight)
        assert found == pytest.approx(float(error), rel=1e-14)
        errors.append(error)
        votes.append(vote(found))
        # what was wrong has half of the weight, what was right the other half
        weight = [
            w / (2 * error) if place in places else w / (2 * (1 - error))
            for place, w in enumerate(weight)
        ]
        log_weight = reweighted(log_weight, missed(places), votes[-1])
        np.testing.assert_allclose(
            np.exp(log_weight), [*map(float, weight)], rtol=1e-13
        )
    assert errors == [Fraction(3, 10), Fraction(3, 14), Fraction(3, 22)]
    np.testing.assert_allclose(votes, [0.424, 0.650, 0.923], atol=5e-4)
    expected = [0.5 * np.log(7 / 3), 0.5 * np.log(11 / 3), 0.5 * np.log(19 / 3)]
    np.testing.assert_allclose(votes, expected, rtol=1e-13)


def test_the_committee_of_the_plane_is_right_everywhere():
    votes = np.array([0.5 * np.log(7 / 3), 0.5 * np.log(11 / 3), 0.5 * np.log(19 / 3)])
    signs = np.array([np.where(missed(places), -1, 1) for places in ROUNDS])
    assert np.all(votes @ signs > 0)
    errors = [3 / 10, 3 / 14, 3 / 22]
    products = np.prod([2 * np.sqrt(e * (1 - e)) for e in errors])
    bound = np.exp(log_error_bounds(errors, votes))[-1]
    assert bound == pytest.approx(products, rel=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_a_learner_at_the_limit_has_no_vote(n_classes):
    limit = error_limit(n_classes)
    assert vote(limit, n_classes) == pytest.approx(0.0, abs=1e-12)
    assert vote(limit - 1e-6, n_classes) > 0 > vote(limit + 1e-6, n_classes)
    assert is_weak(limit, n_classes)
    assert not is_weak(limit - 1e-6, n_classes)
    assert error_limit(n_classes, "m1") == 0.5
    assert vote(0.5, n_classes, "m1") == 0.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounds_are_those_of_scikit_learn(n_classes):
    """Its votes are twice ours, for the same weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X.sum(axis=1) + rng.normal(size=300) > 0).astype(int)
    y += (n_classes == 3) * (X[:, 0] > 1)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=12, random_state=0
    ).fit(X, y)
    log_weight = np.full(300, -np.log(300))
    for tree, error, weight in zip(
        peer.estimators_, peer.estimator_errors_, peer.estimator_weights_
    ):
        wrong = tree.predict(X) != y
        found = weighted_error(wrong, log_weight)
        assert found == pytest.approx(error, rel=1e-9)
        assert 2 * vote(found, n_classes) == pytest.approx(weight, rel=1e-9)
        log_weight = reweighted(log_weight, wrong, vote(found, n_classes))


def test_ten_thousand_rounds_neither_vanish_nor_overflow():
    rng = np.random.default_rng(0)
    log_weight = np.full(50, -np.log(50))
    for _ in range(10_000):
        wrong = np.zeros(50, dtype=bool)
        wrong[rng.integers(10)] = True  # never the other forty
        error = weighted_error(wrong, log_weight)
        log_weight = reweighted(log_weight, wrong, vote(max(error, 1e-300)))
    assert np.isfinite(log_weight).all()
    np.testing.assert_allclose(np.exp(log_weight).sum(), 1.0)
    assert log_weight[10:].max() < -1000  # beyond the least double
