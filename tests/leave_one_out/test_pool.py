"""Weights of pooled predictors: brute force over the simplex, copies, extremes.

Code under test: `leave_one_out/_pool.py`.
"""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from sklearn_bayeslazy.leave_one_out import (
    geometric_weights,
    log_score_weights,
    squared_error_weights,
)
from sklearn_bayeslazy.leave_one_out._pool import GEOMETRIC_PENALTY, PENALTY


def best_on_simplex(loss, n_weights):
    """Return the weights of the least loss, by a general solver."""
    found = minimize(
        loss,
        np.full(n_weights, 1 / n_weights),
        method="SLSQP",
        bounds=[(0, 1)] * n_weights,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return found.x


def penalty_of(weights):
    return PENALTY * np.sum((weights - 1 / len(weights)) ** 2)


@pytest.mark.parametrize("seed", range(5))
def test_log_score_weights_equal_those_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    densities, weight = rng.random((80, 4)) ** 2, rng.integers(1, 4, 80).astype(float)
    found = log_score_weights(densities, weight)
    wanted = best_on_simplex(
        lambda w: -weight @ np.log(densities @ w) / 80 + penalty_of(w) / 80, 4
    )
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert found.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_squared_error_weights_equal_those_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    targets, weight = rng.normal(size=60), rng.integers(1, 4, 60).astype(float)
    predictions = targets[:, None] * rng.random(4) + rng.normal(size=(60, 4))
    found = squared_error_weights(predictions, targets, weight)

    def loss(w):
        return weight @ (predictions @ w - targets) ** 2 / 2

    variance = 2 * loss(best_on_simplex(loss, 4)) / weight.sum()
    wanted = best_on_simplex(lambda w: loss(w) / variance + penalty_of(w), 4)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_geometric_weights_equal_those_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    proba, codes = rng.dirichlet(np.ones(3), (4, 90)), rng.integers(0, 3, 90)
    proba[0, np.arange(90), codes] += 0.5  # the first one knows something
    proba /= proba.sum(axis=2, keepdims=True)
    weight = rng.integers(1, 4, 90).astype(float)

    def loss(exponents):
        scores = np.tensordot(exponents, np.log(proba), axes=1)
        losses = logsumexp(scores, axis=1) - scores[np.arange(90), codes]
        return weight @ losses + GEOMETRIC_PENALTY * np.sum((exponents - 0.25) ** 2)

    wanted = minimize(loss, np.ones(4), bounds=[(0, None)] * 4, options={"ftol": 1e-15})
    found, temperature = geometric_weights(proba, codes, weight)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(found / temperature, wanted.x, atol=1e-4)


def test_members_that_are_always_wrong_have_no_part_in_a_geometric_mean():
    proba = np.full((2, 500, 2), [0.1, 0.9])
    weights, temperature = geometric_weights(proba, np.zeros(500, int), np.ones(500))
    assert temperature == np.inf
    np.testing.assert_array_equal(weights, [0.5, 0.5])


def test_copies_have_equal_weights():
    """The penalty has one solution, which swapping the copies does not change."""
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 50))
    predictors = np.stack([one, other, one], axis=1)
    found = log_score_weights(predictors, np.ones(50))
    assert found[0] == pytest.approx(found[2], abs=1e-12)
    found = squared_error_weights(predictors - 0.5, np.zeros(50), np.ones(50))
    assert found[0] == pytest.approx(found[2], abs=1e-12)
    proba = np.stack([predictors.T, 1 - predictors.T], axis=2)
    found, _ = geometric_weights(proba, np.zeros(50, int), np.ones(50))
    assert found[0] == pytest.approx(found[2], abs=1e-12)


def test_useless_predictors_get_no_weight_and_perfect_ones_all():
    """One that is worse in each of 500 rows has weight exactly 0."""
    good = np.full(500, 0.8)
    found = log_score_weights(np.stack([good, good / 2], axis=1), np.ones(500))
    np.testing.assert_array_equal(found, [1, 0])
    targets = np.arange(500.0)
    predictions = np.stack([targets + 1, targets], axis=1)
    found = squared_error_weights(predictions, targets, np.ones(500))
    np.testing.assert_allclose(found, [1e-9, 1], atol=1e-6)


def test_impossible_rows_and_huge_numbers():
    """A row that nobody holds possible changes nothing; scales do not matter."""
    densities = np.array([[0.9, 0.3], [0.1, 0.7]])
    one_third = [1 / 3, 2 / 3]
    for rows in (
        np.vstack([densities, [0, 0]]),
        densities * [[1e-300], [1e300]],
    ):
        found = log_score_weights(rows, np.ones(len(rows)), penalty=1e-9)
        np.testing.assert_allclose(found, one_third, atol=1e-7)
    found = squared_error_weights(
        np.array([[0.0, 4e300]]), np.array([1e300]), np.ones(1), penalty=1e-9
    )
    np.testing.assert_allclose(found, [0.75, 0.25], atol=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_a_predictor_that_is_far_better_has_nearly_all_weight(seed):
    # The search for the multiplier ends at an end of its interval, or beside it.
    rng = np.random.default_rng(seed)
    n_others = rng.integers(1, 6)
    good = 1 - 0.3 * rng.random(1000) ** 3
    others = 1 - 0.9 * rng.random((1000, n_others))
    found = log_score_weights(np.column_stack([good, others]), np.ones(1000))
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found[0] > 0.9
