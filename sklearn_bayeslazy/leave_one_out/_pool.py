"""The weights of pooled predictors, by their predictions of rows they have not seen.

The weights are ≥ 0 and sum to 1. Source: Yao, Vehtari, Simpson & Gelman (2018), Using
stacking to average Bayesian predictive distributions, Bayesian Analysis 13.

Both problems are solved for u ≥ 0 without the sum: at the best multiple of u the
objective is a function of u / Σu alone, the one that is wanted.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from ._projected_newton import minimize

# The search ends when the squared gradient is this share of the loss.
_TOLERANCE = 1e-20
# The penalty of squared weights, by which equal predictors share their weight.
_RIDGE = 1e-8


def log_score_weights(densities, weight):
    """Return the weights that maximise the mean logarithm of the pooled density.

    Of two coins with P(head) = .9 and .3, half of the throws being heads, the pool with
    P(head) = .5 is the best, .9 · 1/3 + .3 · 2/3:

    >>> log_score_weights(np.array([[0.9, 0.3], [0.1, 0.7]]), np.ones(2)).round(6)
    array([0.333333, 0.666667])
    """
    # densities: (n, K), of what was observed in each row, by each predictor; weight:
    # (n,). Rows that no predictor holds possible tell nothing.
    possible = densities.max(axis=1, initial=0.0) > 0
    densities, weight = densities[possible], weight[possible]
    n_predictors = densities.shape[1]
    start = np.full(n_predictors, 1.0 / n_predictors)
    if n_predictors == 1 or not len(weight):
        return start
    # A factor of all densities of a row does not change the choice.
    densities = densities / densities.max(axis=1, keepdims=True)
    found = minimize(_LogScore(densities, weight / weight.sum()), start, _TOLERANCE)
    return found / found.sum()


class _LogScore:
    """Σ u - Σ w log Σ_k u_k p_k and the penalty, as `minimize` asks."""

    # densities: (n, K); weight: (n,), of sum 1.

    def __init__(self, densities, weight):
        self.n_terms = densities.shape[1]
        self._densities, self._weight = densities, weight

    def gradient(self, vector):
        """Return the value and the gradient."""
        pooled = self._densities @ vector
        if not np.all(pooled > 0):
            return np.inf, np.zeros(self.n_terms)
        value = vector.sum() - self._weight @ np.log(pooled)
        value += 0.5 * _RIDGE * vector @ vector
        gradient = 1.0 - self._densities.T @ (self._weight / pooled)
        self._scaled = self._densities * (np.sqrt(self._weight) / pooled)[:, None]
        return value, gradient + _RIDGE * vector

    def hessian_product(self, direction):
        """Return the Hessian times a direction."""
        return self._scaled.T @ (self._scaled @ direction) + _RIDGE * direction

    def curvature(self):
        """Return the diagonal of the Hessian."""
        return np.square(self._scaled).sum(axis=0) + _RIDGE


def squared_error_weights(predictions, targets, weight):
    """Return the weights of the least mean squared error of the pooled predictions.

    Of the predictions 0 and 4 of the number 1, three quarters of the first and one of
    the second are right:

    >>> found = squared_error_weights(np.array([[0.0, 4.0]]), np.ones(1), np.ones(1))
    >>> found.round(6)
    array([0.75, 0.25])
    """
    # predictions: (n, K); targets, weight: (n,). As the weights sum to 1, the error of
    # the pool is the pool of the errors.
    errors = predictions - targets[:, None]
    largest = np.abs(errors).max(initial=0.0)
    n_predictors = errors.shape[1]
    if largest == 0:
        return np.full(n_predictors, 1.0 / n_predictors)
    errors = errors / largest * np.sqrt(weight / weight.sum())[:, None]
    squares = errors.T @ errors
    squares += _RIDGE * squares.diagonal().max() * np.eye(n_predictors)
    # u' S u / 2 - Σ u, as the least squares of a triangular matrix.
    factor = cholesky(squares)
    found, _ = nnls(factor, solve_triangular(factor, np.ones(n_predictors), trans="T"))
    return found / found.sum()
