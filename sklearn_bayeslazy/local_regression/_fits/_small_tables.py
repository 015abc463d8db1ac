"""Local fits of small tables by NumPy, so that a first call compiles no loops.

The fits are those of `solve_windows`, for all queries together. Each query has the same
result, to the last bit, whatever the others are: windows of a similar number of rows
are computed together, and each matrix is multiplied and solved by itself.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeqp3, dormqr, dposv, dtrtrs

from ..._core._parallel import one_blas_thread
from .._smoothing_kernels import weigh_rows
from ._least_squares_kernels import MAX_ERRORS, MIN_DIAGONAL, MIN_PIVOT
from ._orthogonal_kernels import RANK_TOLERANCE

# Tables of more rows are left to compiled loops. In smaller ones the loops save less
# time in a fit than their compilation takes.
MAX_ROWS = 512
# Numbers in the design matrices that are held at a time: they stay in the cache.
_MAX_CELLS = 2**18


class _FoundWindows(NamedTuple):
    """The windows of m queries among n rows."""

    distances_sq: np.ndarray  # (m, n); infinite for rows outside of the window
    sample_weight: np.ndarray  # (m, n)
    bandwidths_sq: np.ndarray  # (m,)


class _WeightedWindows(NamedTuple):
    """b windows of w rows each, for one polynomial of p terms."""

    design: np.ndarray  # (b, p, w), terms times the roots of the weights
    roots: np.ndarray  # (b, w)
    targets: np.ndarray  # (b, w, V)
    weights: np.ndarray  # (b, w)
    sample_weight: np.ndarray  # (b, w)


def solve_small_table(rows, queries, rule, windows, settings, fits):
    """Fit polynomials to the window of each query, as `solve_windows` does."""
    # rows: LocalRows in the original order; rule: that of windows that are not
    # listed; windows: ListedWindows, or no windows; fits: LocalFits, out.
    _, polynomials = settings.kernel_arguments(rows.X.shape[1])
    with one_blas_thread(), np.errstate(all="ignore"):
        if len(windows.counts):
            found = _spread_lists(windows, len(rows.Y))
        else:
            found = _find_windows(rows, queries, rule)
        weights = weigh_rows(*found, settings.kernel)
        if len(rows.robustness_weights):
            weights *= rows.robustness_weights
        for some, members in _similar_sizes(weights, polynomials.n_terms):
            part = _solve_block(
                rows,
                queries.points[some],
                queries.exclude[some],
                members,
                np.take_along_axis(weights[some], members, axis=1),
                np.take_along_axis(found.sample_weight[some], members, axis=1),
                np.sqrt(found.bandwidths_sq[some]),
                polynomials,
                fits.subset(some),
            )
            fits.put(some, part)


def _find_windows(rows, queries, rule):
    """Return the windows of a rule, by measuring all distances."""
    n, m = len(rows.X), len(queries.points)
    distances_sq = np.zeros((m, n))
    for column, x in zip(rows.X.T, queries.points.T):
        distances_sq += (column - x[:, None]) ** 2
    left_out = queries.left_out
    here = np.flatnonzero(left_out >= 0), left_out[left_out >= 0]
    radii_sq = np.full(m, np.inf if rule.infinite_support else rule.min_bandwidth_sq)
    bandwidths_sq = np.full(m, rule.min_bandwidth_sq)
    if rule.k:
        last = np.minimum(rule.k + (left_out >= 0), n) - 1
        ordered = np.partition(distances_sq, np.unique(last), axis=1)
        kth_sq = ordered[np.arange(m), last]
        is_wide = ~(kth_sq * rule.bandwidth_sq_factor < rule.min_bandwidth_sq)
        radii_sq[is_wide] = kth_sq[is_wide]
        bandwidths_sq[is_wide] = kth_sq[is_wide] * rule.bandwidth_sq_factor
    elif np.isinf(rule.min_bandwidth_sq):
        finite = np.where(np.isfinite(distances_sq), distances_sq, 0.0)
        bandwidths_sq = finite.max(axis=1)
    sample_weight = np.ones((m, n))
    if len(rows.sample_weight):
        sample_weight *= rows.sample_weight
        sample_weight[here] -= np.minimum(sample_weight[here], 1.0)
    else:
        distances_sq[here] = np.inf
    distances_sq[distances_sq > radii_sq[:, None]] = np.inf
    return _FoundWindows(distances_sq, sample_weight, bandwidths_sq)


def _spread_lists(windows, n):
    """Return `ListedWindows` as windows among n rows."""
    m, listed = len(windows.counts), windows.positions()
    cells = np.repeat(np.arange(m), windows.counts), windows.indices[listed]
    distances_sq, sample_weight = np.full((m, n), np.inf), np.zeros((m, n))
    distances_sq[cells] = windows.distances_sq[listed]
    sample_weight[cells] = windows.sample_weight[listed]
    return _FoundWindows(distances_sq, sample_weight, windows.bandwidths_sq)


def _similar_sizes(weights, n_terms):
    """Yield queries whose windows have a similar size, and the rows of each window."""
    # weights: (m, n). Yielded: queries (b,), and rows (b, w), those with weight first.
    # w is a power of 2, or n: a window of 5 to 8 rows is computed as one of 8, and rows
    # without weight fill it.
    n = weights.shape[1]
    counts = np.maximum(np.count_nonzero(weights, axis=1), 1)
    widths = np.minimum(2 ** np.ceil(np.log2(counts)).astype(int), n)
    members = np.argsort(weights == 0, axis=1, kind="stable")
    for width in np.unique(widths):
        queries = np.flatnonzero(widths == width)
        size = max(_MAX_CELLS // (width * n_terms), 1)
        for first in range(0, len(queries), size):
            some = queries[first : first + size]
            yield some, members[some, :width]


def _solve_block(
    rows,
    points,
    exclude,
    members,
    weights,
    sample_weight,
    bandwidths,
    polynomials,
    fits,
):
    """Return the fits of b windows of w rows each."""
    # members, weights, sample_weight: (b, w); points: (b, d); exclude, bandwidths: (b,)
    d, n_targets = rows.X.shape[1], rows.Y.shape[1]
    is_unit = (bandwidths > 0) & (bandwidths < np.inf)
    unit = np.where(is_unit, 1.0 / bandwidths, 1.0)[:, None, None]
    roots = np.sqrt(weights)
    targets = rows.Y[members]
    design = np.empty((len(points), polynomials.n_terms, members.shape[1]))
    _write_design(rows.X, points, members, unit, roots, polynomials.degree, design)
    gram = design @ design.transpose(0, 2, 1)
    moments = np.zeros((*gram.shape[:2], n_targets + 1))
    moments[:, :, :-1] = design @ (roots[:, :, None] * targets)
    moments[:, 0, -1] = 1.0  # to solve for the row of the hat matrix
    is_empty = ~(gram[:, 0, 0] > 0)
    for s, (degree, p, ridge) in enumerate(zip(*polynomials[2:])):
        solution, is_solved = _solve(gram[:, :p, :p], moments[:, :p], ridge)
        if (is_open := ~is_solved & ~is_empty).any():
            solution[is_open] = solve_ill_conditioned(
                design[is_open, :p], roots[is_open, :, None] * targets[is_open], ridge
            )
        window = _WeightedWindows(design[:, :p], roots, targets, weights, sample_weight)
        predictions = solution[:, 0, :-1]
        if ridge > 0 and degree > 0:
            predictions = _bounded(predictions, solution, window)
        here = slice(s * n_targets, (s + 1) * n_targets)
        fits.predictions[:, here] = np.where(is_empty[:, None], np.nan, predictions)
    if n_coef := fits.coef.shape[1]:
        powers = np.minimum(np.arange(p), 1) + (np.arange(p) > d)
        coef = solution[:, :, :-1] * unit ** powers[:, None]
        fits.coef[:] = 0.0
        fits.coef[:, :p] = np.where(is_empty[:, None, None], 0.0, coef)[:, :n_coef]
    if len(fits.hat_statistics) or len(fits.hat_rows):
        hat = np.where(is_empty[:, None], 0.0, _hat_rows(solution, window))
    if len(fits.hat_statistics):
        is_query = members == exclude[:, None]
        fits.hat_statistics[:, 0] = np.where(is_query, hat, 0.0).sum(axis=1)
        fits.hat_statistics[:, 1] = _variance_factors(hat, sample_weight)
    if len(fits.hat_rows):
        np.put_along_axis(fits.hat_rows, members, hat, axis=1)
    return fits


def _write_design(X, points, members, unit, roots, degree, design):
    """Write 1, the steps from the query and their products, times the roots."""
    d = X.shape[1]
    design[:, 0] = roots
    if degree >= 1:
        steps = ((X[members] - points[:, None]) * unit).transpose(0, 2, 1)
        np.multiply(steps, roots[:, None], out=design[:, 1 : 1 + d])
    n_done = 1 + d
    for j in range(d if degree == 2 else 0):
        here = design[:, n_done : n_done + d - j]
        np.multiply(design[:, 1 + j : 2 + j], steps[:, j:], out=here)
        n_done += d - j


def _solve(gram, moments, ridge):
    """Return solutions of normal equations, and which of them keep their digits."""
    # gram: (b, p, p); moments: (b, p, V + 1). The matrices are scaled to unit diagonal.
    # SciPy's function for one matrix is called for each: it factorizes and solves at
    # once, and a matrix that is not positive definite does not stop the others.
    p = gram.shape[1]
    diagonal = gram.diagonal(axis1=1, axis2=2) + ridge * (np.arange(p) > 0)
    scale = np.where(diagonal > MIN_DIAGONAL, 1.0 / np.sqrt(diagonal), 0.0)[:, :, None]
    factors = gram * scale
    factors *= scale.transpose(0, 2, 1)
    factors[:, range(p), range(p)] = diagonal * scale[:, :, 0] ** 2
    solutions = np.ascontiguousarray((moments * scale).transpose(0, 2, 1))
    info = [
        dposv(factor.T, solution.T, overwrite_a=True, overwrite_b=True)[2]
        for factor, solution in zip(factors, solutions)
    ]
    is_large = np.all(factors.diagonal(axis1=1, axis2=2) ** 2 > MIN_PIVOT, axis=1)
    return solutions.transpose(0, 2, 1) * scale, is_large & (np.array(info) == 0)


def _hat_rows(solution, window):
    """Return the rows of the hat matrix at the rows of the windows."""
    return (solution[:, None, :, -1] @ window.design)[:, 0] * window.roots


def _variance_factors(hat, sample_weight):
    """Return Σ l² / sample weight over the rows of the hat matrix."""
    return np.where(hat != 0, hat**2 / sample_weight, 0.0).sum(axis=1)


def _bounded(predictions, solution, window):
    """Move predictions that lie too far beyond their targets, as the loops do."""
    is_member = (window.weights > 0)[:, :, None]
    low = np.where(is_member, window.targets, np.inf).min(axis=1)
    high = np.where(is_member, window.targets, -np.inf).max(axis=1)
    margin = high - low
    nearest = np.clip(predictions, low - margin, high + margin)
    gap = nearest - predictions
    if not gap.any():
        return predictions
    step = MAX_ERRORS * _standard_errors(solution, window)
    return np.where(np.abs(gap) > step, predictions + np.sign(gap) * step, nearest)


def _standard_errors(solution, window):
    """Return standard errors by the residuals of the windows, as the loops do."""
    weights, n_terms = window.weights, solution.shape[1]
    coef = solution[:, :, :-1].transpose(0, 2, 1)
    targets = window.targets.transpose(0, 2, 1) * window.roots[:, None]
    squares = np.square(targets - coef @ window.design).sum(axis=2)
    n_rows = np.where(weights > 0, window.sample_weight, 0.0).sum(axis=1)
    factor = _variance_factors(_hat_rows(solution, window), window.sample_weight)
    factor *= n_rows / (n_rows - n_terms) / weights.sum(axis=1)
    errors = np.sqrt(squares * factor[:, None])
    return np.where((n_rows > n_terms)[:, None], errors, np.inf)


# Least squares for ill-conditioned windows of small tables, by LAPACK.
#
# The solutions are those of the compiled loops in ``_orthogonal_kernels.py``: columns
# minus their means are taken in order of what they add to those before them, until
# nothing but rounding errors is left; of all solutions the one of least norm is
# returned.


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
