"""Loops that fit a polynomial to the rows of a window by weighted least squares.

The polynomial is centred at the query and measured in bandwidths: its constant is the
prediction, its linear terms are the slopes. The design matrix is written for one range
of rows at a time, one term after the other, so that sums over rows read consecutive
numbers.

Normal equations with unit diagonal are solved by Cholesky's method. If a pivot is so
small that digits would be lost, `_solve_by_svd` takes over: QR of the design matrix,
singular values of R, and, if the solution is not unique, slopes of least norm; the
constant is not penalised.
"""

import math

import numpy as np

from ..._kernel import inlined, kernel
from ._kernel_arguments import Workspace

# The design matrix of a range of rows stays in the first cache if it has at most this
# many numbers; a range has at least this many rows.
_MAX_CACHED_NUMBERS, _MIN_RANGE_LENGTH = 3072, 64
# Smallest pivot of the normal equations with unit diagonal: below it, half of the
# digits may be lost.
_MIN_PIVOT = 1e-7
# Singular values below this share of the largest are treated as 0, as in loess.
_RANK_TOLERANCE = 100 * np.finfo(np.float64).eps


def count_terms(n_features, degree):
    """Return how many terms a polynomial of a degree (0, 1 or 2) has.

    Examples
    --------
    >>> [count_terms(2, degree) for degree in (0, 1, 2)]  # 1; x, y; x², xy, y²
    [1, 3, 6]
    """
    linear = n_features if degree >= 1 else 0
    return 1 + linear + (n_features * (n_features + 1) // 2 if degree == 2 else 0)


@inlined
def make_workspace(n_terms, n_targets, wants_hat_row):
    """Return what `fit_window` writes on."""
    height = n_terms + n_targets
    return Workspace(
        np.empty((height, max(_MAX_CACHED_NUMBERS // height, _MIN_RANGE_LENGTH))),
        np.empty((n_terms, n_terms)),
        np.empty((n_terms, n_targets)),
        np.empty((n_terms, 1 if wants_hat_row else 0)),
    )


@inlined
def _write_listed(X, Y, indices, query, roots, unit, is_linear, design, n_terms):
    """Write linear terms and targets of listed rows, times the roots of weights."""
    size, d = len(indices), X.shape[1] if is_linear else 0
    for j in range(0, d - d % 4, 4):  # four columns of a row are adjacent in memory
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        for r in range(size):
            row, factor = np.uintp(indices[r]), unit * roots[r]
            design[1 + j, r] = (X[row, j] - x0) * factor
            design[2 + j, r] = (X[row, j + 1] - x1) * factor
            design[3 + j, r] = (X[row, j + 2] - x2) * factor
            design[4 + j, r] = (X[row, j + 3] - x3) * factor
    for j in range(d - d % 4, d):
        x0 = query[j]
        for r in range(size):
            design[1 + j, r] = (X[np.uintp(indices[r]), j] - x0) * (unit * roots[r])
    for v in range(Y.shape[1]):
        for r in range(size):
            design[n_terms + v, r] = Y[np.uintp(indices[r]), v] * roots[r]


@inlined
def _write_range(columns, targets, bounds, query, roots, unit, is_linear, design, p):
    """Write linear terms and targets of a range of rows, times the roots of weights."""
    first, last = bounds
    for j in range(len(columns) if is_linear else 0):
        x0, column = query[j], columns[j, first:last]
        for r in range(len(roots)):
            design[1 + j, r] = (column[r] - x0) * (unit * roots[r])
    for v in range(len(targets)):
        column = targets[v, first:last]
        for r in range(len(roots)):
            design[p + v, r] = column[r] * roots[r]


@inlined
def _write_design(window, query, all_roots, n_done, c, unit, degree, design):
    """Write terms and targets of range c, times the roots of weights; return its size.

    n_done is the number of rows in the ranges before it. Each term is a row of
    `design`, which has p + V rows and at least as many columns as the range has rows.
    """
    X, Y, indices, columns, target_columns, ranges, _ = window
    first, last = bounds = ranges[c]
    roots = all_roots[n_done : n_done + last - first]
    d, p, size, linear = len(query), len(design) - Y.shape[1], last - first, degree > 0
    for r in range(size):
        design[0, r] = roots[r]
    if len(indices):
        listed = indices[first:last]
        _write_listed(X, Y, listed, query, roots, unit, linear, design, p)
    else:
        _write_range(
            columns, target_columns, bounds, query, roots, unit, linear, design, p
        )
    if degree == 2:
        inverse = np.empty(size)
        for r in range(size):
            inverse[r] = 1.0 / roots[r] if roots[r] > 0.0 else 0.0
        t = 1 + d
        for j in range(d):
            for i in range(j, d):
                for r in range(size):
                    design[t, r] = design[1 + j, r] * inverse[r] * design[1 + i, r]
                t += 1
    return size


@inlined
def _normal_equations(window, query, roots, unit, degree, design, gram, moments):
    """Write Σ w t tᵀ, its lower half, into gram and Σ w t yᵀ into moments."""
    p, n_targets = moments.shape
    gram[:] = 0.0
    moments[:] = 0.0
    n_done = 0
    for c in range(len(window.ranges)):
        size = _write_design(window, query, roots, n_done, c, unit, degree, design)
        n_done += size
        for a in range(p):
            for b in range(a + 1):
                total = 0.0
                for r in range(size):
                    total += design[a, r] * design[b, r]
                gram[a, b] += total
            for v in range(n_targets):
                total = 0.0
                for r in range(size):
                    total += design[a, r] * design[p + v, r]
                moments[a, v] += total


@inlined
def _solve(gram, coef, hat_coef, ridge):
    """Solve gram β = coef in place, and gram g = e_0 if hat_coef has a column.

    gram becomes the Cholesky factor of the matrix scaled to unit diagonal. Return
    whether no digits were lost.
    """
    p = gram.shape[0]
    for a in range(1, p):
        gram[a, a] += ridge
    scale = np.empty(p)
    for a in range(p):
        scale[a] = 1.0 / math.sqrt(gram[a, a]) if gram[a, a] > 0.0 else 0.0
    for a in range(p):
        for b in range(a + 1):
            gram[a, b] *= scale[a] * scale[b]
    for a in range(p):
        for b in range(a + 1):
            s = gram[a, b]
            for c in range(b):
                s -= gram[a, c] * gram[b, c]
            if b < a:
                gram[a, b] = s / gram[b, b]
            elif s > _MIN_PIVOT:
                gram[a, a] = math.sqrt(s)
            else:
                return False
    _substitute(gram, coef, scale)
    if hat_coef.shape[1]:
        hat_coef[:] = 0.0
        hat_coef[0, 0] = 1.0
        _substitute(gram, hat_coef, scale)
    return True


@inlined
def _substitute(L, B, scale):
    """Solve D⁻¹ L Lᵀ D⁻¹ β = B in place, D being the diagonal matrix of scale."""
    p = L.shape[0]
    for v in range(B.shape[1]):
        for a in range(p):
            s = B[a, v] * scale[a]
            for c in range(a):
                s -= L[a, c] * B[c, v]
            B[a, v] = s / L[a, a]
        for a in range(p - 1, -1, -1):
            s = B[a, v]
            for c in range(a + 1, p):
                s -= L[c, a] * B[c, v]
            B[a, v] = s / L[a, a]
        for a in range(p):
            B[a, v] *= scale[a]


@kernel
def _triangular_form(window, query, roots, unit, degree, ridge, workspace):
    """Return R of the QR decomposition of (√w t, √w y), with rows for the ridge.

    R is updated range by range, so that only one range of rows is held in memory.
    """
    design, p = workspace.design, len(workspace.coef)
    width = len(design)
    R = np.zeros((0, width))
    n_done = 0
    for c in range(len(window.ranges)):
        size = _write_design(window, query, roots, n_done, c, unit, degree, design)
        n_done += size
        R = np.linalg.qr(np.vstack((R, design[:, :size].T)))[1]
    if ridge > 0.0:
        penalty = np.zeros((p - 1, width))
        for a in range(1, p):
            penalty[a - 1, a] = math.sqrt(ridge)
        R = np.linalg.qr(np.vstack((R, penalty)))[1]
    return R


@kernel
def _solve_by_svd(R, coef, hat_coef):
    """Solve for β and g as `_solve` does, by the singular values of the design matrix.

    Row 0 of R holds the products with the constant; the rows below belong to the
    columns minus their means.
    """
    p, n_targets = coef.shape
    count = R[0, 0] * R[0, 0]
    A = np.zeros((max(R.shape[0] - 1, 1), p - 1))
    scale = np.zeros(p - 1)
    for a in range(p - 1):
        norm = math.sqrt(np.sum(R[:, a + 1] ** 2))
        if norm > 0.0:
            scale[a] = 1.0 / norm
            A[: R.shape[0] - 1, a] = R[1:, a + 1] / norm
    coef[:] = 0.0
    if hat_coef.shape[1]:
        hat_coef[:] = 0.0
    if p > 1:
        U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
        for s in range(len(sigma)):
            if sigma[s] <= _RANK_TOLERANCE * max(sigma[0], 1.0):
                break
            for v in range(n_targets):
                c = np.sum(U[: R.shape[0] - 1, s] * R[1:, p + v]) / sigma[s]
                for a in range(p - 1):
                    coef[a + 1, v] += scale[a] * Vt[s, a] * c
            if hat_coef.shape[1]:
                c = 0.0
                for a in range(p - 1):
                    c -= Vt[s, a] * scale[a] * R[0, a + 1] / R[0, 0]
                c /= sigma[s] * sigma[s]
                for a in range(p - 1):
                    hat_coef[a + 1, 0] += scale[a] * Vt[s, a] * c
    for v in range(n_targets):
        coef[0, v] = R[0, p + v] / R[0, 0]
        for a in range(1, p):
            coef[0, v] -= R[0, a] / R[0, 0] * coef[a, v]
    if hat_coef.shape[1]:
        hat_coef[0, 0] = 1.0 / count
        for a in range(1, p):
            hat_coef[0, 0] -= R[0, a] / R[0, 0] * hat_coef[a, 0]


@inlined
def _hat_statistics(window, query, roots, unit, degree, exclude, workspace, hat_row):
    """Return leverage and variance factor; add the row of the hat matrix to hat_row."""
    design, hat_coef = workspace.design, workspace.hat_coef
    indices, ranges, sample_weight = window.indices, window.ranges, window.sample_weight
    leverage, variance_factor = 0.0, 0.0
    n_done = 0
    for c in range(len(ranges) if hat_coef.shape[1] else 0):
        first = ranges[c, 0]
        size = _write_design(window, query, roots, n_done, c, unit, degree, design)
        for r in range(size):
            hat = 0.0
            for a in range(len(hat_coef)):
                hat += design[a, r] * hat_coef[a, 0]
            hat *= roots[n_done + r]
            if hat != 0.0:
                row = indices[first + r] if len(indices) else first + r
                if len(hat_row):
                    hat_row[row] += hat
                if row == exclude:
                    leverage += hat
                weight = sample_weight[n_done + r] if len(sample_weight) else 1.0
                variance_factor += hat * hat / weight
        n_done += size
    return leverage, variance_factor


@kernel(reorder_sums=True)
def fit_window(
    window, query, weights, bandwidth, polynomial, exclude, workspace, hat_row
):
    """Fit a polynomial to a window; `workspace.coef` holds its coefficients.

    Parameters
    ----------
    window : Window
    query : (d,)
    weights : (k,) of the rows, range after range; overwritten by their roots.
    bandwidth : float, the unit of length of the polynomial.
    polynomial : Polynomial
    exclude : int, the training row that the query is, or -1.
    workspace : Workspace
    hat_row : (n,) to add the row of the hat matrix to, or of length 0.

    Returns
    -------
    has_weight, leverage, variance_factor : bool, float, float
        Whether any row has weight; see `LocalFits`.
    """
    degree, _, ridge = polynomial
    design, gram, coef, hat_coef = workspace
    unit = 1.0 / bandwidth if 0.0 < bandwidth < math.inf else 1.0
    roots = weights
    for c in range(len(weights)):
        roots[c] = math.sqrt(weights[c])
    _normal_equations(window, query, roots, unit, degree, design, gram, coef)
    if not gram[0, 0] > 0.0:
        return False, 0.0, 0.0
    if not _solve(gram, coef, hat_coef, ridge):
        R = _triangular_form(window, query, roots, unit, degree, ridge, workspace)
        _solve_by_svd(R, coef, hat_coef)
    for a in range(1, min(len(query) + 1, len(coef))):
        for v in range(coef.shape[1]):
            coef[a, v] *= unit
    leverage, variance_factor = _hat_statistics(
        window, query, roots, unit, degree, exclude, workspace, hat_row
    )
    return True, leverage, variance_factor
