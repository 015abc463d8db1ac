"""The formulas of AdaBoost by hand, compared with scikit-learn, and in many rounds.

Code under test: `ensemble/_reweighting.py`.
"""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy.ensemble._reweighting import (
    error_limit,
    is_weak,
    log_loss_factor,
    reweighted,
    vote_weight,
    weighted_error,
)

# Freund & Schapire's ten points in the plane: each round misclassifies three others.
ROUNDS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def misclassified(indices, n_rows=10):
    return np.isin(np.arange(n_rows), indices)


def test_the_ten_point_plane_in_fractions():
    weight = [Fraction(1, 10)] * 10
    log_weight = np.log(np.full(10, 0.1))
    errors, alphas = [], []
    for indices in ROUNDS:
        error = sum(weight[i] for i in indices)
        found = weighted_error(misclassified(indices), log_weight)
        assert found == pytest.approx(float(error), rel=1e-14)
        errors.append(error)
        alphas.append(vote_weight(found))
        # misclassified rows have half of the weight, the others the other half
        weight = [
            w / (2 * error) if i in indices else w / (2 * (1 - error))
            for i, w in enumerate(weight)
        ]
        log_weight = reweighted(log_weight, misclassified(indices), alphas[-1])
        np.testing.assert_allclose(
            np.exp(log_weight), [*map(float, weight)], rtol=1e-13
        )
    assert errors == [Fraction(3, 10), Fraction(3, 14), Fraction(3, 22)]
    np.testing.assert_allclose(alphas, [0.424, 0.650, 0.923], atol=5e-4)
    expected = [0.5 * np.log(7 / 3), 0.5 * np.log(11 / 3), 0.5 * np.log(19 / 3)]
    np.testing.assert_allclose(alphas, expected, rtol=1e-13)


def test_the_ensemble_of_the_plane_classifies_all_points_correctly():
    alphas = np.array([0.5 * np.log(7 / 3), 0.5 * np.log(11 / 3), 0.5 * np.log(19 / 3)])
    signs = np.array([np.where(misclassified(indices), -1, 1) for indices in ROUNDS])
    assert np.all(alphas @ signs > 0)
    errors = [3 / 10, 3 / 14, 3 / 22]
    products = np.prod([2 * np.sqrt(e * (1 - e)) for e in errors])
    bound = np.exp(log_loss_factor(np.array(errors), alphas).sum())
    assert bound == pytest.approx(products, rel=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_vote_weight_at_the_error_limit_is_zero(n_classes):
    limit = error_limit(n_classes)
    assert vote_weight(limit, n_classes) == pytest.approx(0.0, abs=1e-12)
    assert (
        vote_weight(limit - 1e-6, n_classes) > 0 > vote_weight(limit + 1e-6, n_classes)
    )
    assert is_weak(limit, n_classes)
    assert not is_weak(limit - 1e-6, n_classes)
    assert error_limit(n_classes, "m1") == 0.5
    assert vote_weight(0.5, n_classes, "m1") == 0.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounds_equal_those_of_scikit_learn(n_classes):
    """Its vote weights are twice ours, for the same row weights."""
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
        assert 2 * vote_weight(found, n_classes) == pytest.approx(weight, rel=1e-9)
        log_weight = reweighted(log_weight, wrong, vote_weight(found, n_classes))


def test_ten_thousand_rounds_do_not_underflow_or_overflow():
    rng = np.random.default_rng(0)
    log_weight = np.full(50, -np.log(50))
    for _ in range(10_000):
        wrong = np.zeros(50, dtype=bool)
        wrong[rng.integers(10)] = True  # never one of the other forty
        error = weighted_error(wrong, log_weight)
        log_weight = reweighted(log_weight, wrong, vote_weight(max(error, 1e-300)))
    assert np.isfinite(log_weight).all()
    np.testing.assert_allclose(np.exp(log_weight).sum(), 1.0)
    assert log_weight[10:].max() < -1000  # far below the smallest float64
