"""Least squares for ill-conditioned windows of small tables, by LAPACK.

The solutions are those of the compiled loops in ``_orthogonal_kernels.py``: columns
minus their means are taken in order of what they add to those before them, until
nothing but rounding errors is left; of all solutions the one of least norm is returned.
"""

import numpy as np
from scipy.linalg.lapack import dgeqp3, dormqr, dtrtrs

from ._orthogonal_kernels import RANK_TOLERANCE


def solve_ill_conditioned(design, targets, ridge):
    """Return coefficients, and those of the row of the hat matrix, of each window."""
    # design: (b, p, w), terms times the roots of the weights, the constant first;
    # targets: (b, w, V), times the roots of the weights. Returned: (b, p, V + 1), those
    # of the row of the hat matrix last; the local mean if numbers overflow.
    n_windows, p, width = design.shape
    if p == 1:
        return _local_means(design, targets)
    n_targets = targets.shape[2]
    penalty = np.sqrt(ridge) * np.eye(p)
    penalty[0, 0] = 0.0
    # Rows of zeros follow, so that the triangle has as many rows as columns.
    table = np.zeros((n_windows, width + p + n_targets, p + n_targets))
    table[:, :width, :p] = design.transpose(0, 2, 1)
    table[:, :width, p:] = targets
    table[:, width : width + p, :p] = penalty
    solution = np.full((n_windows, p, n_targets + 1), np.nan)
    finite = np.flatnonzero(np.isfinite(table).all(axis=(1, 2)))
    for i, R in zip(finite, np.linalg.qr(table[finite], mode="r")):
        solution[i] = _solve_triangle(R, p)
    overflows = ~np.isfinite(solution).all(axis=(1, 2))
    solution[overflows] = _local_means(design[overflows], targets[overflows])
    return solution


def _local_means(design, targets):
    """Return the solution whose slopes are 0."""
    roots = design[:, 0, :, None]
    total = np.sum(roots**2, axis=1)
    solution = np.zeros((*design.shape[:2], targets.shape[2] + 1))
    solution[:, 0, :-1] = np.sum(roots * targets, axis=1) / total
    solution[:, 0, -1] = 1 / total[:, 0]
    return solution


def _solve_triangle(R, p):
    """Return the solution (p, V + 1) from the triangle of (√w t, √w y)."""
    means = R[0, 1:] / R[0, 0]
    largest = np.abs(R[:, 1:p]).max(axis=0)
    norms = np.sqrt(
        np.sum((R[:, 1:p] / np.where(largest > 0, largest, 1)) ** 2, axis=0)
    )
    scale = largest * norms
    factor = 1 / np.where(scale > 0, scale, np.inf)
    slopes = _least_norm(R[1:, 1:p] * factor, R[1:, p:], -means[: p - 1] * factor)
    slopes *= factor[:, None]
    constants = np.append(means[p - 1 :], 1 / R[0, 0] ** 2) - means[: p - 1] @ slopes
    return np.vstack([constants, slopes])


def _least_norm(W, others, moments):
    """Return β, g of least norm: W β = others by least squares, WᵀW g = moments."""
    # W: (n, q), n ≥ q, columns of length 1 or less; others: (n, V); moments: (q,).
    # Returned: (q, V + 1), the columns of β and then g.
    result = np.zeros((W.shape[1], others.shape[1] + 1))
    factored, order, tau = dgeqp3(W)[:3]
    diagonal = np.abs(factored.diagonal())
    rank = np.count_nonzero(diagonal > RANK_TOLERANCE)
    if rank:
        order = order - 1
        rotated = dormqr("L", "T", factored, tau, others, 64 * others.shape[1])[0]
        # W = Q T in that order of its columns, and T = Lᵀ basisᵀ.
        basis, L = np.linalg.qr(np.triu(factored[:rank]).T)
        inverse = dtrtrs(L, basis.T @ moments[order])[0]
        right = np.column_stack([rotated[:rank], inverse])
        result[order] = basis @ dtrtrs(L, right, trans=1)[0]
    return result
