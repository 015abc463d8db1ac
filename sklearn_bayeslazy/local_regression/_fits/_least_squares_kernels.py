"""Loops that fit polynomials to the rows of a window by weighted least squares.

Normal equations with unit diagonal are solved by Cholesky's method. A window with a
pivot so small that digits would be lost is not fitted: `solve_in_batches` does that.
Several polynomials share the sums over rows.

A prediction with a ridge is bounded: see `_bound_predictions`.
"""

import math

import numpy as np

from ..._core._kernel import inlined, kernel
from ._design_kernels import write_design
from ._kernel_arguments import Workspace

# The design matrix of a range of rows stays in the first cache if it has at most this
# many numbers; a range has at least this many rows.
_MAX_CACHED_NUMBERS, _MIN_RANGE_LENGTH = 3072, 64
# Smallest pivot of the normal equations with unit diagonal: below it, half of the
# digits may be lost.
MIN_PIVOT = 1e-7
# A smaller diagonal element has lost digits to underflow.
MIN_DIAGONAL = 1e-280
# A prediction too far beyond the targets of its window is moved back by at most this
# many of its standard errors.
MAX_ERRORS = 3.0
# What became of a window: no row has weight, it is fitted, it is left to LAPACK; or
# rows inside and outside of it are equally far, so that it is no range.
EMPTY, FITTED, ILL_CONDITIONED, TIED = range(4)


@kernel(only_in_kernels=True)
def make_workspace(n_terms, n_targets):
    """Return what `solve_window` writes on."""
    height = n_terms + n_targets
    return Workspace(
        np.empty((height, max(_MAX_CACHED_NUMBERS // height, _MIN_RANGE_LENGTH))),
        np.empty((n_terms, n_terms)),
        np.empty((n_terms, n_targets)),
        np.empty((n_terms, n_terms)),
        np.empty(n_terms),
        np.empty((n_terms, n_targets)),
        np.empty((n_terms, 1)),
    )


@inlined
def _normal_equations(window, query, roots, unit, degree, workspace):
    """Write Σ w t tᵀ, its lower half, into gram and Σ w t yᵀ into moments."""
    design, gram, moments = workspace.design, workspace.gram, workspace.moments
    p, n_targets = moments.shape
    gram[:] = 0.0
    moments[:] = 0.0
    n_done = np.int64(0)
    for c in range(len(window.ranges)):
        size = write_design(window, query, roots, n_done, c, unit, degree, design)
        n_done += size
        for a in range(p):
            n_blocked = (a + 1) - (a + 1) % 4
            for b in range(0, n_blocked, 4):  # each number of term a is read once
                total0 = total1 = total2 = total3 = 0.0
                for r in range(size):
                    x = design[a, r]
                    total0 += x * design[b, r]
                    total1 += x * design[b + 1, r]
                    total2 += x * design[b + 2, r]
                    total3 += x * design[b + 3, r]
                gram[a, b] += total0
                gram[a, b + 1] += total1
                gram[a, b + 2] += total2
                gram[a, b + 3] += total3
            for b in range(n_blocked, a + 1):
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
def _factorize(gram, ridge, p, factor, scale):
    """Write the Cholesky factor of scaled gram; return whether no digits were lost."""
    # Only the leading p terms of gram are read. scale: the factors that give gram plus
    # ridge its unit diagonal.
    for a in range(p):
        diagonal = gram[a, a] + (ridge if a > 0 else 0.0)
        scale[a] = 1.0 / math.sqrt(diagonal) if diagonal > MIN_DIAGONAL else 0.0
        for b in range(a):
            factor[a, b] = gram[a, b] * (scale[a] * scale[b])
        factor[a, a] = diagonal * (scale[a] * scale[a])
    for a in range(p):
        for b in range(a + 1):
            s = 0.0
            for c in range(b):
                s += factor[a, c] * factor[b, c]
            s = factor[a, b] - s
            if b < a:
                factor[a, b] = s / factor[b, b]
            elif s > MIN_PIVOT:
                factor[a, a] = math.sqrt(s)
            else:
                return False
    return True


@kernel(reorder_sums=True, only_in_kernels=True)
def _substitute(L, B, scale, p):
    """Solve D⁻¹ L Lᵀ D⁻¹ β = B in place, D being the diagonal matrix of scale."""
    for v in range(B.shape[1]):
        for a in range(p):
            s = 0.0
            for c in range(a):
                s += L[a, c] * B[c, v]
            B[a, v] = (B[a, v] * scale[a] - s) / L[a, a]
        for a in range(p - 1, -1, -1):
            B[a, v] /= L[a, a]
            for c in range(a):  # reads row a of L, not column a
                B[c, v] -= L[a, c] * B[a, v]
        for a in range(p):
            B[a, v] *= scale[a]


@inlined
def _hat_coefficients(workspace, p):
    """Solve for the coefficients of a row of the hat matrix by the Cholesky factor."""
    hat_coef = workspace.hat_coef
    hat_coef[:] = 0.0
    hat_coef[0, 0] = 1.0
    _substitute(workspace.factor, hat_coef, workspace.scale, p)


@kernel(reorder_sums=True, only_in_kernels=True)
def _hat_statistics(window, query, roots, unit, degree, p, exclude, workspace, hat_row):
    """Return leverage and variance factor; add the row of the hat matrix to hat_row."""
    design, hat_coef = workspace.design, workspace.hat_coef
    indices, ranges, sample_weight = window.indices, window.ranges, window.sample_weight
    leverage, variance_factor = 0.0, 0.0
    n_done = np.int64(0)
    for c in range(len(ranges)):
        first = ranges[c, 0]
        size = write_design(window, query, roots, n_done, c, unit, degree, design)
        for r in range(size):
            hat = 0.0
            for a in range(p):
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


@inlined
def _target_range(window, roots, v):
    """Return the smallest and the largest target of the rows with weight."""
    Y, indices, ranges = window.Y, window.indices, window.ranges
    low, high = math.inf, -math.inf
    n_done = 0
    for c in range(len(ranges)):
        for r in range(ranges[c, 0], ranges[c, 1]):
            if roots[n_done] > 0.0:
                y = Y[indices[r] if len(indices) else r, v]
                low, high = min(low, y), max(high, y)
            n_done += 1
    return low, high


@kernel
def _standard_error(window, query, roots, unit, degree, p, workspace, v):
    """Return the standard error of a prediction, by the residuals of its window."""
    # √(Σ w r² / Σ w) √(n / (n - p)) is the residual scale, n being the sample weight of
    # the rows with weight and p the number of terms. It is multiplied by the root of
    # the variance factor Σ l² / sample weight. Infinite if n is not above p.
    design, coef = workspace.design, workspace.coef
    first_target, sample_weight = len(workspace.moments), window.sample_weight
    squares, total, n_rows, n_done = 0.0, 0.0, 0.0, np.int64(0)
    for c in range(len(window.ranges)):
        size = write_design(window, query, roots, n_done, c, unit, degree, design)
        for r in range(size):
            residual = design[first_target + v, r]
            for a in range(p):
                residual -= design[a, r] * coef[a, v]
            squares += residual * residual
            total += roots[n_done + r] ** 2
            if roots[n_done + r] > 0.0:
                n_rows += sample_weight[n_done + r] if len(sample_weight) else 1.0
        n_done += size
    if not n_rows > p:
        return math.inf
    variance_factor = _hat_statistics(
        window, query, roots, unit, degree, p, np.int64(-1), workspace, roots[:0]
    )[1]
    return math.sqrt(squares / total * n_rows / (n_rows - p) * variance_factor)


@inlined
def _bound_predictions(window, query, roots, unit, degree, p, workspace, predictions):
    """Move predictions back that lie too far beyond the targets of their window."""
    # A prediction within [min - range, max + range] of the targets stays. Another one
    # is moved towards these bounds by `MAX_ERRORS` of its standard errors, but not
    # beyond.
    coef = workspace.coef
    for v in range(coef.shape[1]):
        low, high = _target_range(window, roots, v)
        margin = high - low
        nearest = min(max(predictions[v], low - margin), high + margin)
        if predictions[v] != nearest:
            _hat_coefficients(workspace, p)
            error = _standard_error(window, query, roots, unit, degree, p, workspace, v)
            gap, step = nearest - predictions[v], MAX_ERRORS * error
            if abs(gap) > step:
                predictions[v] += step if gap > 0.0 else -step
            else:
                predictions[v] = nearest


@kernel(reorder_sums=True, only_in_kernels=True)
def solve_window(
    window,
    query,
    weights,
    bandwidth,
    polynomials,
    exclude,
    workspace,
    wants_hat,
    hat_row,
    predictions,
):
    """Fit polynomials to a window; `workspace.coef` is written by the last of them."""
    # query: (d,); weights: (k,) of the rows, range after range, overwritten by their
    # roots; bandwidth: the unit of length of the polynomial; exclude: the training row
    # that the query is, or -1; hat_row: (n,) to add the row of the hat matrix to, or
    # (0,); predictions: (S * V,) out, NaN if no row has weight. Returned: `EMPTY` then,
    # `ILL_CONDITIONED` if the window is not fitted, else `FITTED`; leverage and
    # variance factor as in `LocalFits`, 0 without wants_hat.
    degree, _, degrees, terms, ridges = polynomials
    _, gram, moments, factor, scale, coef, _ = workspace
    n_targets = coef.shape[1]
    unit = 1.0 / bandwidth if 0.0 < bandwidth < math.inf else 1.0
    roots = weights
    for c in range(len(weights)):
        roots[c] = math.sqrt(weights[c])
    _normal_equations(window, query, roots, unit, degree, workspace)
    if not gram[0, 0] > 0.0:
        predictions[:] = np.nan
        return EMPTY, 0.0, 0.0
    leverage, variance_factor = 0.0, 0.0
    for s in range(len(ridges)):
        degree, p, ridge = degrees[s], terms[s], ridges[s]
        if not _factorize(gram, ridge, p, factor, scale):
            return ILL_CONDITIONED, 0.0, 0.0
        for a in range(p):
            for v in range(n_targets):
                coef[a, v] = moments[a, v]
        _substitute(factor, coef, scale, p)
        if wants_hat:
            _hat_coefficients(workspace, p)
            leverage, variance_factor = _hat_statistics(
                window, query, roots, unit, degree, p, exclude, workspace, hat_row
            )
        bounded = predictions[s * n_targets : (s + 1) * n_targets]
        for v in range(n_targets):
            bounded[v] = coef[0, v]
        if ridge > 0.0 and degree > 0:
            _bound_predictions(
                window, query, roots, unit, degree, p, workspace, bounded
            )
    for a in range(1, len(coef)):
        for v in range(n_targets):
            coef[a, v] *= unit if a <= len(query) else unit * unit
    return FITTED, leverage, variance_factor
