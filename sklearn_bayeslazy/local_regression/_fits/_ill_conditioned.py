"""Fits of windows that the kernel leaves to LAPACK, in batches.

The normal equations of these windows lose digits, or their predictions lie far beyond
the targets. Each query has the same result, to the last bit, whatever the others are:
windows of a similar number of rows are computed together, and each matrix is multiplied
and solved by itself.
"""

from typing import NamedTuple

import numpy as np

from ..._core._parallel import cache_sized_slices, one_blas_thread

# A prediction too far beyond the targets of its window is moved back by at most this
# many of its standard errors.
MAX_ERRORS = 3.0
# Columns that add less than this share of the largest are treated as dependent: the
# threshold of loess for singular values.
RANK_TOLERANCE = 100 * np.finfo(np.float64).eps


class WindowRows(NamedTuple):
    """The rows of b windows, w each."""

    targets: np.ndarray  # (b, w, V)
    weights: np.ndarray  # (b, w)
    sample_weight: np.ndarray  # (b, w)


def fit_by_lapack(rows, queries, windows, weights, sample_weight, polynomials, fits):
    """Fit polynomials to the window of each query, as `fit_windows` does."""
    windows, weights, sample_weight = rows_with_weight(windows, weights, sample_weight)
    widths = 2 ** np.ceil(np.log2(np.maximum(windows.counts, 1))).astype(int)
    n_terms = polynomials.terms.max()
    with one_blas_thread(), np.errstate(all="ignore"):
        for width in np.unique(widths):
            similar = np.flatnonzero(widths == width)
            for some in cache_sized_slices(range(len(similar)), width * n_terms):
                here = similar[some]
                # A window of 5 to 8 rows is computed as one of 8: some have no weight.
                offsets = np.arange(width)
                is_row = offsets < windows.counts[here, None]
                positions = np.where(is_row, windows.starts[here, None] + offsets, 0)
                part = _solve_block(
                    rows,
                    queries[0][here],
                    queries[1][here],
                    windows.indices[positions],
                    np.where(is_row, weights[positions], 0.0),
                    np.where(is_row, sample_weight[positions], 0.0),
                    np.sqrt(windows.bandwidths_sq[here]),
                    polynomials,
                    fits.subset(here),
                )
                fits.put(here, part)


def rows_with_weight(windows, weights, sample_weight):
    """Return windows as lists of rows with weight, and the weights of these rows."""
    positions = windows.positions()
    is_used = weights[positions] > 0
    used = positions[is_used]
    query = np.repeat(np.arange(len(windows.counts)), windows.counts)[is_used]
    counts = np.bincount(query, minlength=len(windows.counts))
    lists = windows.with_rows()
    lists = lists._replace(
        starts=np.cumsum(counts) - counts,
        counts=counts,
        indices=lists.indices[used],
        distances_sq=lists.distances_sq[used],
    )
    given = sample_weight[used] if len(sample_weight) else np.ones(len(used))
    return lists, weights[used], given


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
    columns, all_targets = rows
    d, n_targets = len(columns), len(all_targets)
    is_unit = (bandwidths > 0) & (bandwidths < np.inf)
    unit = np.where(is_unit, 1.0 / bandwidths, 1.0)[:, None, None]
    roots = np.sqrt(weights)
    targets = all_targets[:, members].transpose(1, 2, 0)
    window = WindowRows(targets, weights, sample_weight)
    design = np.empty((len(points), polynomials.terms.max(), members.shape[1]))
    _write_design(columns, points, members, unit, roots, polynomials.degree, design)
    for s, (degree, p, ridge) in enumerate(zip(*polynomials[1:])):
        solution = solve_ill_conditioned(
            design[:, :p], roots[:, :, None] * targets, ridge
        )
        hat = (solution[:, None, :, -1] @ design[:, :p])[:, 0] * roots
        predictions = solution[:, 0, :-1]
        if ridge > 0 and degree > 0:
            fitted = solution[:, :, :-1].transpose(0, 2, 1) @ design[:, :p]
            residuals = targets.transpose(0, 2, 1) * roots[:, None] - fitted
            squares = np.square(residuals).sum(axis=2)
            predictions = bounded(predictions, squares, hat, p, window)
        here = slice(s * n_targets, (s + 1) * n_targets)
        fits.predictions[:, here] = predictions
    if n_coef := fits.coef.shape[1]:
        powers = np.minimum(np.arange(p), 1) + (np.arange(p) > d)
        coef = solution[:, :, :-1] * unit ** powers[:, None]
        fits.coef[:] = 0.0
        fits.coef[:, :p] = coef[:, :n_coef]
    if len(fits.hat_statistics):
        is_query = members == exclude[:, None]
        fits.hat_statistics[:, 0] = np.where(is_query, hat, 0.0).sum(axis=1)
        fits.hat_statistics[:, 1] = _variance_factors(hat, sample_weight)
    if len(fits.hat_rows):
        np.add.at(fits.hat_rows, (np.arange(len(hat))[:, None], members), hat)
    return fits


def _write_design(columns, points, members, unit, roots, degree, design):
    """Write 1, the steps from the query and their products, times the roots."""
    d = len(columns)
    design[:, 0] = roots
    if degree >= 1:
        steps = columns[:, members].transpose(1, 0, 2) - points[:, :, None]
        steps *= unit
        np.multiply(steps, roots[:, None], out=design[:, 1 : 1 + d])
    n_done = 1 + d
    for j in range(d if degree == 2 else 0):
        here = design[:, n_done : n_done + d - j]
        np.multiply(design[:, 1 + j : 2 + j], steps[:, j:], out=here)
        n_done += d - j


def _variance_factors(hat, sample_weight):
    """Return Σ l² / sample weight over the rows of the hat matrix."""
    return np.where(hat != 0, hat**2 / sample_weight, 0.0).sum(axis=1)


def bounded(predictions, squares, hat, n_terms, window):
    """Move predictions that lie too far beyond the targets of their window."""
    # predictions: (b, V); squares: (b, V), the sums of the weighted squared residuals;
    # hat: (b, w), the rows of the hat matrix; n_terms: of the polynomial.
    is_member = (window.weights > 0)[:, :, None]
    low = np.where(is_member, window.targets, np.inf).min(axis=1)
    high = np.where(is_member, window.targets, -np.inf).max(axis=1)
    margin = high - low
    nearest = np.clip(predictions, low - margin, high + margin)
    gap = nearest - predictions
    if not gap.any():
        return predictions
    step = MAX_ERRORS * _standard_errors(squares, hat, n_terms, window)
    return np.where(np.abs(gap) > step, predictions + np.sign(gap) * step, nearest)


def _standard_errors(squares, hat, n_terms, window):
    """Return standard errors by the residuals of the windows."""
    # √(Σ w r² / Σ w) √(n / (n - p)) is the residual scale, n being the sample weight of
    # the rows with weight and p the number of terms. It is multiplied by the root of
    # the variance factor Σ l² / sample weight. Infinite if n is not above p.
    weights = window.weights
    n_rows = np.where(weights > 0, window.sample_weight, 0.0).sum(axis=1)
    factor = _variance_factors(hat, window.sample_weight)
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
        b, m, q = matrices.shape
        k = min(m, q)
        shapes = (b, m, k), (b, k), (b, k, q)
        return tuple(np.full(shape, np.nan) for shape in shapes)
