"""The kernel that fits polynomials to windows: weighted least squares by Cholesky.

A polynomial is centred at the query and measured in bandwidths: its constant is the
prediction, its linear terms are the slopes. The design matrix is written for a part of
the rows at a time, one term after the other, so that sums over rows read consecutive
numbers in the L1 cache. The steps are kernels of their own, which compile faster
than one kernel that holds them all, and run as fast.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import kernel

# The design matrix of a part of the rows stays in the L1 cache if it has at most
# this many numbers; a part has at least this many rows.
_MAX_CACHED_NUMBERS, _MIN_PART_LENGTH = 3072, 64
# Smallest pivot of the normal equations with unit diagonal: below it, half of the
# digits may be lost.
MIN_PIVOT = 1e-7
# A smaller diagonal element has lost digits to underflow.
MIN_DIAGONAL = 1e-280
# Predictions beyond a bound by this share of the targets may be rounding errors.
_ROUNDING = 1e-13
# What became of a window: no row has weight, it is fitted, or it is left to LAPACK.
EMPTY, FITTED, LEFT_TO_LAPACK = range(3)


def count_terms(n_features, degree):
    """Return how many terms a polynomial of a degree (0, 1 or 2) has.

    >>> [count_terms(2, degree) for degree in (0, 1, 2)]  # 1; x, y; x², xy, y²
    [1, 3, 6]
    """
    linear = n_features if degree >= 1 else 0
    return 1 + linear + (n_features * (n_features + 1) // 2 if degree == 2 else 0)


class Workspace(NamedTuple):
    """Arrays that `fit_windows` overwrites."""

    # (p + V + 1, part length), terms and targets times the roots of weights, one term
    # after the other, and the inverse roots.
    design: np.ndarray
    gram: np.ndarray  # (p, p), normal equations without ridge; only the lower half
    moments: np.ndarray  # (p, V), right-hand sides of the normal equations
    # (p, p), Cholesky factor of D (gram + ridge) D, a matrix with unit diagonal.
    factor: np.ndarray
    scale: np.ndarray  # (p,), the diagonal of D
    # (p, V + 1), the coefficients of the polynomial that was fitted last, and those of
    # the row of the hat matrix.
    solution: np.ndarray
    bounds: np.ndarray  # (2, V), the smallest and the largest target with weight
    statistics: np.ndarray  # (2,), leverage and variance factor

    @classmethod
    def of(cls, p, n_targets):
        """Return what is written for polynomials of p terms."""
        length = max(_MAX_CACHED_NUMBERS // (p + n_targets), _MIN_PART_LENGTH)
        shapes = (
            (p + n_targets + 1, length),
            (p, p),
            (p, n_targets),
            (p, p),
            p,
            (p, n_targets + 1),
            (2, n_targets),
            2,
        )
        return cls(*map(np.empty, shapes))


@kernel(only_in_kernels=True)
def _write_listed(table, indices, center, factor, roots, out):
    """Write a column of listed rows minus a centre, times factor and roots."""
    for r in range(len(roots)):  # unsigned: needs no test for negative numbers
        out[r] = (table[np.uintp(indices[r])] - center) * (factor * roots[r])


@kernel(only_in_kernels=True)
def _write_range(table, center, factor, roots, out):
    """Write a column of consecutive rows minus a centre, times factor and roots."""
    for r in range(len(roots)):
        out[r] = (table[r] - center) * (factor * roots[r])


@kernel(only_in_kernels=True)
def _write_design(rows, query, indices, first, weights, unit, degree, design):
    """Write terms and targets of a part of a window, times the roots of its weights."""
    # query: (d,); indices: (size,), the rows if `first` is -1, else those from first
    # on; weights: (size,).
    columns, targets = rows
    d, size, p = len(columns), len(weights), len(design) - len(targets) - 1
    roots = design[0, :size]
    for r in range(size):
        roots[r] = math.sqrt(weights[r])
    for j in range(0 if degree > 0 else d, d + len(targets)):
        is_term = j < d
        column = columns[j] if is_term else targets[j - d]
        center, factor = (query[j], unit) if is_term else (0.0, 1.0)
        out = design[1 + j if is_term else p + j - d, :size]
        if first < 0:
            _write_listed(column, indices, center, factor, roots, out)
        else:
            _write_range(column[first:], center, factor, roots, out)
    t, inverse = 1 + d, design[-1]
    for r in range(size if degree == 2 else 0):
        inverse[r] = 1.0 / roots[r] if roots[r] > 0.0 else 0.0
    for j in range(d if degree == 2 else 0):
        for i in range(j, d):
            for r in range(size):
                design[t, r] = design[1 + j, r] * inverse[r] * design[1 + i, r]
            t += 1


@kernel(only_in_kernels=True)
def _add_normal_equations(design, size, gram, moments):
    """Add Σ w t tᵀ, its lower half, to gram and Σ w t yᵀ to moments."""
    p = len(gram)
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
        for b in range(n_blocked, p + moments.shape[1]):
            if b <= a or b >= p:
                total = 0.0
                for r in range(size):
                    total += design[a, r] * design[b, r]
                if b <= a:
                    gram[a, b] += total
                else:
                    moments[a, b - p] += total


@kernel(only_in_kernels=True)
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


@kernel(only_in_kernels=True)
def _substitute(L, B, scale, p, n_columns):
    """Solve D⁻¹ L Lᵀ D⁻¹ β = B in place, D being the diagonal matrix of scale."""
    for v in range(n_columns):
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


@kernel(only_in_kernels=True)
def _solve(workspace, polynomials, has_hat, predictions):
    """Solve for all polynomials; return what became of the window."""
    # The coefficients of the last polynomial are in `solution`, beside those of the row
    # of the hat matrix. A prediction with a ridge may lie beyond the targets by their
    # range; those farther out are moved, which is left to LAPACK too.
    _, degrees, terms, ridges = polynomials
    _, gram, moments, factor, scale, solution, bounds, _ = workspace
    n_targets = moments.shape[1]
    if not gram[0, 0] > 0.0:
        for c in range(len(predictions)):
            predictions[c] = np.nan
        return EMPTY
    for s in range(len(ridges)):
        p = terms[s]
        if not _factorize(gram, ridges[s], p, factor, scale):
            return LEFT_TO_LAPACK
        for a in range(len(solution)):
            for v in range(n_targets):
                solution[a, v] = moments[a, v]
            solution[a, n_targets] = 1.0 if a == 0 else 0.0
        _substitute(factor, solution, scale, p, n_targets + has_hat)
        for v in range(n_targets):
            prediction = solution[0, v]
            predictions[s * n_targets + v] = prediction
            low, high = bounds[0, v], bounds[1, v]
            margin = high - low + _ROUNDING * (abs(low) + abs(high))
            is_within = low - margin <= prediction <= high + margin
            if not is_within and ridges[s] > 0.0 and degrees[s] > 0:
                return LEFT_TO_LAPACK
    return FITTED


@kernel(only_in_kernels=True)
def _widen_bounds(targets, indices, first, weights, bounds):
    """Widen bounds to the targets of the rows with weight."""
    for v in range(len(targets)):
        low, high = bounds[0, v], bounds[1, v]
        for r in range(len(weights)):
            y = targets[v, indices[r] if first < 0 else first + r]
            low = min(low, y) if weights[r] > 0.0 else low
            high = max(high, y) if weights[r] > 0.0 else high
        bounds[0, v], bounds[1, v] = low, high


@kernel(only_in_kernels=True)
def _add_hat(
    design, solution, p, indices, first, sample_weight, exclude, statistics, hat_row
):
    """Add the hat matrix at a part of a window to leverage and variance factor."""
    # statistics: (2,); hat_row: (n,) to add the row of the hat matrix to, or (0,).
    # The last column of solution has the coefficients of the row of the hat matrix.
    last = solution.shape[1] - 1
    for r in range(len(indices)):
        hat = 0.0
        for a in range(p):
            hat += design[a, r] * solution[a, last]
        hat *= design[0, r]
        if hat != 0.0:
            row = indices[r] if first < 0 else first + r
            if len(hat_row):
                hat_row[row] += hat
            if row == exclude:
                statistics[0] += hat
            weight = sample_weight[r] if len(sample_weight) else 1.0
            statistics[1] += hat * hat / weight


@kernel(only_in_kernels=True)
def _write_coef(solution, is_fitted, unit, n_columns, coef):
    """Write the leading coefficients in units of the columns; 0 if there is no fit."""
    for a in range(len(coef)):
        factor = unit if a > 0 else 1.0
        factor *= unit if a > n_columns else 1.0
        for v in range(coef.shape[1]):
            is_set = is_fitted and a < len(solution)
            coef[a, v] = solution[a, v] * factor if is_set else 0.0


@kernel(reorder_sums=True)
def fit_windows(
    rows,
    queries,
    windows,
    weights,
    sample_weight,
    polynomials,
    workspace,
    fits,
    outcomes,
):
    """Fit polynomials to the window of each query."""
    # weights, sample_weight: of the numbers in windows, (0,) if all sample weights are
    # 1. fits.hat_rows: zeros that are added to. outcomes: (m,) out, what became of each
    # window: those that are `LEFT_TO_LAPACK` have no fit.
    columns, targets = rows
    points, exclude = queries
    starts, counts, firsts, indices, _, bandwidths_sq = windows
    degree, _, terms, ridges = polynomials
    design, gram, moments, _, _, solution, bounds, statistics = workspace
    predictions, coef, hat_statistics, hat_rows = fits
    p, n_targets = moments.shape
    part = design.shape[1]
    has_hat = len(hat_statistics) > 0 or len(hat_rows) > 0
    for q in range(len(points)):
        bandwidth = math.sqrt(bandwidths_sq[q])
        unit = 1.0 / bandwidth if 0.0 < bandwidth < math.inf else 1.0
        statistics[0] = statistics[1] = 0.0
        for v in range(n_targets):
            bounds[0, v], bounds[1, v] = math.inf, -math.inf
        for a in range(p):
            for b in range(p):
                gram[a, b] = 0.0
            for v in range(n_targets):
                moments[a, v] = 0.0
        outcome = EMPTY
        for is_second in range(1 + has_hat):  # the sums; then the row of the hat matrix
            for done in range(0, counts[q], part):
                size = min(part, counts[q] - done)
                start, first = starts[q] + done, firsts[q]
                first = first + done if first >= 0 else first
                part_indices = indices[start : start + size]
                part_weights = weights[start : start + size]
                if not is_second or counts[q] > part:
                    _write_design(
                        rows,
                        points[q],
                        part_indices,
                        first,
                        part_weights,
                        unit,
                        degree,
                        design,
                    )
                if not is_second:
                    _add_normal_equations(design, size, gram, moments)
                    if ridges[0] > 0.0 or ridges[-1] > 0.0:
                        _widen_bounds(
                            targets, part_indices, first, part_weights, bounds
                        )
                elif outcome == FITTED:
                    given = sample_weight[start : start + size]
                    _add_hat(
                        design,
                        solution,
                        terms[-1],
                        part_indices,
                        first,
                        given,
                        exclude[q],
                        statistics,
                        hat_rows[q] if len(hat_rows) else statistics[:0],
                    )
            if not is_second:
                outcome = _solve(workspace, polynomials, has_hat, predictions[q])
        outcomes[q] = outcome
        if len(hat_statistics):
            hat_statistics[q, 0], hat_statistics[q, 1] = statistics[0], statistics[1]
        _write_coef(solution, outcome == FITTED, unit, len(columns), coef[q])
