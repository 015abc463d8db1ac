"""Local fits in batches by NumPy and LAPACK: small tables, ill-conditioned windows.

The fits are those of `solve_windows`, for all queries together. Each query has the same
result, to the last bit, whatever the others are: windows of a similar number of rows
are computed together, and each matrix is multiplied and solved by itself. Small tables
come here so that a first call compiles no loops; windows whose normal equations lose
digits, since only here they are solved without these.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from ..._core._parallel import one_blas_thread
from .._smoothing_kernels import weigh_rows
from ._least_squares_kernels import MAX_ERRORS, MIN_DIAGONAL, MIN_PIVOT

# Tables of more rows are left to compiled loops. In smaller ones the loops save less
# time in a fit than their compilation takes.
MAX_ROWS = 512
# Numbers in the design matrices that are held at a time: they stay in the cache.
_MAX_CELLS = 2**18
# Distances that are held at a time.
_MAX_DISTANCES = 2**21
# Columns that add less than this share of the largest are treated as dependent: the
# threshold of loess for singular values.
RANK_TOLERANCE = 100 * np.finfo(np.float64).eps


class _FoundWindows(NamedTuple):
    """The windows of m queries among the rows listed for each."""

    indices: np.ndarray  # (m, w); entries of sample weight 0 mean nothing
    distances_sq: np.ndarray  # (m, w); infinite for rows outside of the window
    sample_weight: np.ndarray  # (m, w)
    bandwidths_sq: np.ndarray  # (m,)


class _WeightedWindows(NamedTuple):
    """b windows of w rows each, for one polynomial of p terms."""

    design: np.ndarray  # (b, p, w), terms times the roots of the weights
    roots: np.ndarray  # (b, w)
    targets: np.ndarray  # (b, w, V)
    weights: np.ndarray  # (b, w)
    sample_weight: np.ndarray  # (b, w)


def solve_in_batches(rows, queries, rule, windows, settings, fits):
    """Fit polynomials to the window of each query, as `solve_windows` does."""
    # rows: LocalRows; rule: that of windows that are not listed; windows:
    # ListedWindows, or no windows; fits: LocalFits, out.
    _, polynomials = settings.kernel_arguments(rows.X.shape[1])
    m, is_listed = len(queries.points), len(windows.counts) > 0
    width = windows.counts.max() if is_listed else len(rows.Y)
    step = max(_MAX_DISTANCES // max(int(width), 1), 1)
    with one_blas_thread(), np.errstate(all="ignore"):
        for first in range(0, m, step):
            few = np.arange(first, min(first + step, m))
            if is_listed:
                found = _padded_lists(windows.subset(few))
            else:
                found = _find_windows(rows, queries.subset(few), rule)
            _solve_found(found, few, rows, queries, polynomials, settings.kernel, fits)


def _solve_found(found, numbers, rows, queries, polynomials, kernel, fits):
    """Fit polynomials to the windows found for the queries of some numbers."""
    weights = weigh_rows(*found[1:], kernel)
    if len(rows.robustness_weights):
        weights *= rows.robustness_weights[found.indices]
    for some, positions in _similar_sizes(weights, polynomials.n_terms):
        here = numbers[some]
        members, sample_weight, weights_here = (
            np.take_along_axis(a[some], positions, axis=1)
            for a in (found.indices, found.sample_weight, weights)
        )
        part = _solve_block(
            rows,
            queries.points[here],
            queries.exclude[here],
            members,
            weights_here,
            sample_weight,
            np.sqrt(found.bandwidths_sq[some]),
            polynomials,
            fits.subset(here),
        )
        fits.put(here, part)


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
        sample_weight[here] = 0.0
    else:
        distances_sq[here] = np.inf
    distances_sq[distances_sq > radii_sq[:, None]] = np.inf
    indices = np.broadcast_to(np.arange(n), (m, n))
    return _FoundWindows(indices, distances_sq, sample_weight, bandwidths_sq)


def _padded_lists(windows):
    """Return `ListedWindows`, each padded to the longest."""
    m, width = len(windows.counts), max(windows.counts.max(), 1)
    is_listed = np.arange(width) < windows.counts[:, None]
    listed = windows.positions()
    indices = np.zeros((m, width), dtype=np.int64)
    distances_sq, sample_weight = np.full((m, width), np.inf), np.zeros((m, width))
    indices[is_listed] = windows.indices[listed]
    distances_sq[is_listed] = windows.distances_sq[listed]
    sample_weight[is_listed] = windows.sample_weight[listed]
    return _FoundWindows(indices, distances_sq, sample_weight, windows.bandwidths_sq)


def _similar_sizes(weights, n_terms):
    """Yield queries whose windows have a similar size, and the rows of each window."""
    # weights: (m, n). Yielded: queries (b,), and positions (b, w) of rows, those with
    # weight first.
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
        np.add.at(fits.hat_rows, (np.arange(len(hat))[:, None], members), hat)
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


# Least squares for ill-conditioned windows, by LAPACK.
#
# The design matrix is reduced to a triangle. The columns minus their means, over their
# length, then go through a singular value decomposition; of all solutions the one of
# least norm is returned. The constant counts for nothing in the norm.
#
# Source: G. H. Golub and C. F. Van Loan (2013), Matrix Computations, section 5.5.


def solve_ill_conditioned(design, targets, ridge):
    """Return coefficients, and those of the row of the hat matrix, of each window."""
    # design: (b, p, w), terms times the roots of the weights, the constant first;
    # targets: (b, w, V), times the roots of the weights. Returned: (b, p, V + 1), those
    # of the row of the hat matrix last; the local mean if numbers overflow.
    n_windows, p, width = design.shape
    solution = _local_means(design, targets)
    if p == 1:
        return solution
    n_penalties = p if ridge > 0 else 0
    table = np.zeros((n_windows, width + n_penalties, p + targets.shape[2]))
    table[:, :width, :p] = design.transpose(0, 2, 1)
    table[:, :width, p:] = targets
    for a in range(1, n_penalties):
        table[:, width + a, a] = np.sqrt(ridge)
    finite = np.flatnonzero(np.isfinite(table).all(axis=(1, 2)))
    found = _solve_triangles(np.linalg.qr(table[finite], mode="r"), p)
    is_found = np.isfinite(found).all(axis=(1, 2))
    solution[finite[is_found]] = found[is_found]
    return solution


def _local_means(design, targets):
    """Return the solutions whose slopes are 0."""
    roots = design[:, 0, :, None]
    total = np.sum(roots**2, axis=1)
    solution = np.zeros((*design.shape[:2], targets.shape[2] + 1))
    solution[:, 0, :-1] = np.sum(roots * targets, axis=1) / total
    solution[:, 0, -1] = 1 / total[:, 0]
    return solution


def _solve_triangles(R, p):
    """Return the solutions (b, p, V + 1) from the triangles of (√w t, √w y)."""
    root = R[:, :1, :1]
    means = R[:, :1, 1:] / root
    largest = np.abs(R[:, :, 1:p]).max(axis=1, keepdims=True)
    shares = R[:, :, 1:p] / np.where(largest > 0, largest, 1)
    scale = largest * np.sqrt(np.sum(shares**2, axis=1, keepdims=True))
    factor = 1 / np.where(scale > 0, scale, np.inf)
    left, sizes, right = _singular_values(R[:, 1:, 1:p] * factor)
    is_kept = sizes > RANK_TOLERANCE * np.maximum(sizes[:, :1], 1.0)
    inverse = np.where(is_kept, 1 / sizes, 0.0)[:, :, None]
    moments = (-means[:, :, : p - 1] * factor).transpose(0, 2, 1)
    slopes = right.transpose(0, 2, 1) @ np.dstack(
        [
            inverse * (left.transpose(0, 2, 1) @ R[:, 1:, p:]),
            inverse**2 * (right @ moments),
        ]
    )
    slopes *= factor.transpose(0, 2, 1)
    constants = np.dstack([means[:, :, p - 1 :], 1 / root**2])
    return np.hstack([constants - means[:, :, : p - 1] @ slopes, slopes])


def _singular_values(matrices):
    """Return singular value decompositions, NaN where one does not converge."""
    try:
        return np.linalg.svd(matrices, full_matrices=False)
    except np.linalg.LinAlgError:
        if len(matrices) > 1:
            parts = [
                _singular_values(matrices[i : i + 1]) for i in range(len(matrices))
            ]
            return tuple(map(np.concatenate, zip(*parts)))
        b, _, q = matrices.shape
        unknown = np.full((b, q), np.nan)
        return np.full(matrices.shape, np.nan), unknown, np.full((b, q, q), np.nan)
