r"""The weights of pooled predictors, by their predictions of rows they have not seen.

The weights w are ≥ 0 and sum to 1. The best ones for few rows are often far from those
for the next ones, so they are drawn to equal weights: they minimise

.. math:: \text{loss}(w) + \lambda \sum_k (w_k - 1/K)^2,

the loss being that of all rows in nats. Equal predictors then have equal weights, and
useless ones 0. Source: Yao, Vehtari, Simpson & Gelman (2018), Using stacking to average
Bayesian predictive distributions, Bayesian Analysis 13, here with the penalty.
"""

from functools import cache

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import brentq, nnls

from ._projected_newton import minimize

# λ. Of 0, 2, 5, 10, 20, 50 and 100 it had the best R² over 12 tables of numbers and
# within .0003 of the best log loss over 26 of classes, fitted to halves of 1000 rows.
PENALTY = 20.0
# That of the exponents of a geometric mean: of 5 and 20 the better one on these tables.
GEOMETRIC_PENALTY = 5.0
# A member may exclude a class, but one in a million times it is wrong: the log loss
# hardly differs from 1e-4 to 1e-9.
_MIN_PROBABILITY = 1e-6
# The search ends when the squared gradient is this share of the loss.
_TOLERANCE = 1e-20


def log_score_weights(densities, weight, penalty=PENALTY):
    """Return the weights by the logarithm of the pooled density, (K,).

    Of two coins with P(head) = .9 and .3, half of the throws being heads, the pool with
    P(head) = .5 is the best, .9 · 1/3 + .3 · 2/3:

    >>> of_throws = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> log_score_weights(of_throws, np.ones(2), penalty=1e-9).round(6)
    array([0.333333, 0.666667])
    """
    # densities: (n, K), of what was observed in each row, by each predictor; weight:
    # (n,). Rows that no predictor holds possible tell nothing.
    possible = densities.max(axis=1, initial=0.0) > 0
    densities, weight = densities[possible], weight[possible]
    n_predictors = densities.shape[1]
    equal = np.full(n_predictors, 1.0 / n_predictors)
    if n_predictors == 1 or not len(weight):
        return equal
    # A factor of all densities of a row does not change the choice.
    densities = densities / densities.max(axis=1, keepdims=True)
    ridge = penalty / weight.sum()
    score = _LogScore(densities, weight / weight.sum(), ridge)

    @cache  # at the ends the search must find the signs that were found before
    def best_at(multiplier):
        score.multiplier = multiplier
        return minimize(score, equal, _TOLERANCE)

    def excess(multiplier):
        return best_at(multiplier).sum() - 1.0

    # By the multiplier of Σ w = 1: at the best weights it is 1 - 2 λ Σ w².
    low, high = 1.0 - 2.0 * ridge, 1.0 - 2.0 * ridge / n_predictors
    multiplier = high
    if excess(low) > 0 > excess(high):
        multiplier = brentq(excess, low, high, xtol=1e-15)
    found = best_at(multiplier)
    return found / found.sum()


class _LogScore:
    """The loss, penalty and multiplier of weights, as `minimize` asks for them."""

    # densities: (n, K); weight: (n,), of sum 1; ridge: λ for the mean over rows.

    def __init__(self, densities, weight, ridge):
        self.n_terms = densities.shape[1]
        self._densities, self._weight, self._ridge = densities, weight, ridge
        self.multiplier = 1.0

    def gradient(self, vector):
        """Return the value and the gradient."""
        pooled = self._densities @ vector
        if not np.all(pooled > 0):
            return np.inf, np.zeros(self.n_terms)
        value = self.multiplier * vector.sum() + self._ridge * vector @ vector
        value -= self._weight @ np.log(pooled)
        gradient = self.multiplier + 2.0 * self._ridge * vector
        gradient -= self._densities.T @ (self._weight / pooled)
        self._scaled = self._densities * (np.sqrt(self._weight) / pooled)[:, None]
        return value, gradient

    def hessian_product(self, direction):
        """Return the Hessian times a direction."""
        product = self._scaled.T @ (self._scaled @ direction)
        return product + 2.0 * self._ridge * direction

    def curvature(self):
        """Return the diagonal of the Hessian."""
        return np.square(self._scaled).sum(axis=0) + 2.0 * self._ridge


def geometric_weights(probabilities, codes, weight, penalty=GEOMETRIC_PENALTY):
    """Return the weights and the temperature of a geometric mean, (K,) and a number.

    The pool is P(c) ∝ Π_k P_k(c)^(w_k / T). Here it has P(head) : P(tail) =
    9^(w_1 / T) = 3, as often as there are heads, so that 1 / T is a half:

    >>> of_throws = np.array([[[0.9, 0.1]] * 4])
    >>> weights, T = geometric_weights(of_throws, [0, 0, 0, 1], np.ones(4), 1e-9)
    >>> weights, round(T, 6)
    (array([1.]), 2.0)
    """
    # probabilities: (K, n, C); codes: (n,), the true classes; weight: (n,). The
    # exponents w_k / T are drawn to 1/K.
    start = np.full(len(probabilities), 1.0 / len(probabilities))
    score = _GeometricScore(
        geometric_terms(probabilities),
        np.asarray(codes),
        weight / weight.sum(),
        start,
        penalty / weight.sum(),
    )
    exponents = minimize(score, start, _TOLERANCE)
    total = float(exponents.sum())
    if total == 0:  # all classes have equal probabilities
        return start, np.inf
    return exponents / total, 1.0 / total


def geometric_terms(probabilities):
    """Return the logarithms of probabilities, none below that of one in a million."""
    return np.log(np.maximum(probabilities, _MIN_PROBABILITY))


class _GeometricScore:
    """The loss and the penalty of exponents, as `minimize` asks for them."""

    # logs: (K, n, C); codes: (n,); weight: (n,), of sum 1; center: (K,), what the
    # exponents are drawn to; ridge: λ for the mean over rows.

    def __init__(self, logs, codes, weight, center, ridge):
        self.n_terms = len(logs)
        self._logs, self._weight, self._ridge = logs, weight, ridge
        self._true = np.arange(len(codes)), codes
        self._center = center

    def gradient(self, vector):
        """Return the value and the gradient."""
        score = np.tensordot(vector, self._logs, axes=1)
        score -= score.max(axis=1, keepdims=True)
        self._proba = np.exp(score)
        total = self._proba.sum(axis=1, keepdims=True)
        self._proba /= total
        losses = np.log(total[:, 0]) - score[self._true]
        away = vector - self._center
        value = self._weight @ losses + self._ridge * (away @ away)
        errors = self._proba * self._weight[:, None]
        errors[self._true] -= self._weight
        return value, self._sums(errors) + 2.0 * self._ridge * away

    def hessian_product(self, direction):
        """Return the Hessian times a direction."""
        change = np.tensordot(direction, self._logs, axes=1)
        change -= np.sum(self._proba * change, axis=1, keepdims=True)
        change *= self._proba * self._weight[:, None]
        return self._sums(change) + 2.0 * self._ridge * direction

    def curvature(self):
        """Return the diagonal of the Hessian."""
        means = [np.sum(self._proba * logs, axis=1) for logs in self._logs]
        squares = [
            self._weight @ np.sum(self._proba * (logs - mean[:, None]) ** 2, axis=1)
            for logs, mean in zip(self._logs, means)
        ]
        return np.array(squares) + 2.0 * self._ridge

    def _sums(self, factors):
        """Return Σ factor · logarithm over rows and classes, (K,)."""
        return np.array([np.sum(factors * logs) for logs in self._logs])


def squared_error_weights(predictions, targets, weight, penalty=PENALTY):
    """Return the weights by the squared error of the pooled predictions, (K,).

    Of the predictions 0 and 4 of the number 1, three quarters of the first and one of
    the second are right:

    >>> found = squared_error_weights(
    ...     np.array([[0.0, 4.0]]), np.ones(1), np.ones(1), penalty=1e-9
    ... )
    >>> found.round(6)
    array([0.75, 0.25])
    """
    # predictions: (n, K); targets, weight: (n,). The loss is that of normal errors with
    # the variance that the best weights leave. As the weights sum to 1, the error of
    # the pool is the pool of the errors, and the penalty that of Σ w².
    errors = predictions / 2 - targets[:, None] / 2  # differences may overflow
    largest = np.abs(errors).max(initial=0.0)
    n_predictors = errors.shape[1]
    if largest == 0:
        return np.full(n_predictors, 1.0 / n_predictors)
    errors = errors / largest * np.sqrt(weight / weight.sum())[:, None]
    squares = errors.T @ errors
    smallest = 1e-12 * squares.diagonal().max() * np.eye(n_predictors)
    best = _best_of_quadratic(squares + smallest)
    variance = best @ squares @ best
    ridge = 2.0 * penalty * variance / weight.sum() * np.eye(n_predictors)
    return _best_of_quadratic(squares + smallest + ridge)


def _best_of_quadratic(matrix):
    """Return the w ≥ 0 of sum 1 with the least w' A w."""
    # A multiple of the u ≥ 0 with the least u' A u / 2 - Σ u, which are least squares
    # of a triangular matrix.
    factor = cholesky(matrix)
    found, _ = nnls(factor, solve_triangular(factor, np.ones(len(matrix)), trans="T"))
    return found / found.sum()
