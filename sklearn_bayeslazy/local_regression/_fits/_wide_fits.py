"""Fits of lines in many columns, one window after the other, by BLAS and LAPACK.

Ridge regression of fewer rows than columns has as many unknowns as rows in its dual
form, however many the columns are.

Source: C. Saunders, A. Gammerman and V. Vovk (1998), Ridge regression learning
algorithm in dual variables, ICML.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..._core._parallel import one_blas_thread
from ._fit_kernels import EMPTY, FITTED, LEFT_TO_LAPACK, count_terms
from ._ill_conditioned import WindowRows, bounded, rows_with_weight

# Of fewer terms the compiled kernel takes no longer.
MIN_TERMS = 121
# The solution loses digits if the ridge is a smaller share of the squares of the terms.
_MIN_RIDGE_SHARE = 1e-9


def are_wide(polynomials, n_features):
    """Return whether polynomials are lines in many columns with a ridge, or means."""
    # polynomials: (degree, ridge) of each.
    ridges = [ridge for degree, ridge in polynomials if degree]
    is_line = max(degree for degree, _ in polynomials) == 1
    return is_line and count_terms(n_features, 1) >= MIN_TERMS and min(ridges) > 0


class _Fit(NamedTuple):
    """A polynomial at the query of a window of w rows."""

    constant: np.ndarray  # (V,)
    slopes: np.ndarray  # (d, V)
    hat: np.ndarray  # (w,), the row of the hat matrix
    squares: np.ndarray  # (V,), the sum of the weighted squared residuals


class _CentredWindow:
    """Terms and targets of a window minus their means, times the roots of weights."""

    # steps: (d, w), the columns minus those of the query, in bandwidths; targets:
    # (w, V); weights: (w,).

    def __init__(self, steps, targets, weights):
        self._roots, self._shares = np.sqrt(weights), weights / weights.sum()
        self._step_means = steps @ self._shares
        self._target_means = self._shares @ targets
        self._terms = (steps - self._step_means[:, None]) * self._roots
        self._targets = (targets - self._target_means) * self._roots[:, None]
        # Products of rows if these are fewer, otherwise the normal equations.
        self._is_dual = steps.shape[1] <= steps.shape[0]
        factor = self._terms.T if self._is_dual else self._terms
        self._products = factor @ factor.T
        self._sum_of_squares = self._products.trace()

    def mean(self):
        """Return the polynomial of degree 0."""
        slopes = np.zeros((len(self._terms), self._targets.shape[1]))
        squares = np.square(self._targets).sum(axis=0)
        return _Fit(self._target_means, slopes, self._shares, squares)

    def line(self, ridge):
        """Return the polynomial of degree 1; raise LinAlgError if digits are lost."""
        if not ridge >= _MIN_RIDGE_SHARE * self._sum_of_squares:
            raise LinAlgError
        terms, means = self._terms, self._step_means[:, None]
        matrix = self._products.copy()
        matrix[np.diag_indices_from(matrix)] += ridge
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        if self._is_dual:
            right = np.hstack([self._targets, terms.T @ means])
            solution = cho_solve(factor, right, check_finite=False)
            slopes, residuals = terms @ solution[:, :-1], ridge * solution[:, :-1]
            hat = solution[:, -1]
        else:
            right = np.hstack([terms @ self._targets, means])
            solution = cho_solve(factor, right, check_finite=False)
            slopes, hat = solution[:, :-1], terms.T @ solution[:, -1]
            residuals = self._targets - terms.T @ slopes
        constant = self._target_means - self._step_means @ slopes
        hat = self._shares - self._roots * hat
        return _Fit(constant, slopes, hat, np.square(residuals).sum(axis=0))


def fit_wide_windows(
    rows, queries, windows, weights, sample_weight, polynomials, fits, outcomes
):
    """Fit polynomials to the window of each query, as `fit_windows` does."""
    windows, weights, sample_weight = rows_with_weight(windows, weights, sample_weight)
    points, exclude = queries
    with one_blas_thread(), np.errstate(all="ignore"):
        for q, (start, count) in enumerate(zip(windows.starts, windows.counts)):
            here, used = slice(q, q + 1), slice(start, start + count)
            if count == 0:
                fits.predictions[here] = np.nan
                outcomes[q] = EMPTY
                continue
            outcomes[q] = _fit_window(
                rows,
                points[q],
                exclude[q],
                np.sqrt(windows.bandwidths_sq[q]),
                windows.indices[used],
                weights[used],
                sample_weight[used],
                polynomials,
                fits.subset(here),
            )


def _fit_window(
    rows, point, exclude, bandwidth, members, weights, sample_weight, polynomials, fits
):
    """Write the fits of one query; return what became of its window."""
    # members, weights, sample_weight: (w,).
    unit = 1.0 / bandwidth if 0.0 < bandwidth < np.inf else 1.0
    steps = (rows.columns[:, members] - point[:, None]) * unit
    targets = rows.targets[:, members].T
    centred = _CentredWindow(steps, targets, weights)
    window = WindowRows(targets[None], weights[None], sample_weight[None])
    n_targets = targets.shape[1]
    for s, (degree, n_terms, ridge) in enumerate(zip(*polynomials[1:])):
        try:
            fit = centred.line(ridge) if degree else centred.mean()
        except LinAlgError:
            return LEFT_TO_LAPACK
        predictions = fit.constant[None]
        if degree:
            predictions = bounded(
                predictions, fit.squares[None], fit.hat[None], n_terms, window
            )
        fits.predictions[:, s * n_targets : (s + 1) * n_targets] = predictions
    if n_coef := fits.coef.shape[1]:
        fits.coef[0] = np.vstack([fit.constant, fit.slopes * unit])[:n_coef]
    if len(fits.hat_statistics):
        leverage = fit.hat[members == exclude].sum()
        fits.hat_statistics[0] = leverage, np.sum(fit.hat**2 / sample_weight)
    if len(fits.hat_rows):
        fits.hat_rows[0, members] = fit.hat
    return FITTED
