"""Loops that fit a polynomial around each query by weighted least squares.

The polynomial is centred at the query and measured in bandwidths: its constant is the
answer, its linear terms the slope. Rows are taken in pieces whose terms lie column by
column, so that sums over rows run along neighbouring cells.

Normal equations with unit diagonal are solved by Cholesky's method. Where a pivot says
that digits would be lost, `_solve_by_svd` takes over: QR of the rows, singular values
of R, and where there is a choice slopes of least norm, the constant being free.
"""

import math

import numpy as np

from .._kernel import inlined, kernel
from ._smoothing_kernels import weigh

_PIECE = 64
# Of the equilibrated normal equations: below it, half of the digits may be lost.
_LEAST_PIVOT = 1e-7
# Singular values below this share of the largest count as none, as in loess.
_RANK_TOLERANCE = 100 * np.finfo(np.float64).eps
SOLVED, ILL_CONDITIONED, EMPTY = range(3)


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
def _fill_terms(X, query, ids, first, size, unit, degree, terms):
    """Write the terms of a piece of rows, a term a row of `terms`."""
    d = X.shape[1]
    for r in range(size):
        terms[0, r] = 1.0
    if degree >= 1:
        for r in range(size):
            row = ids[first + r]
            for j in range(d):
                terms[1 + j, r] = (X[row, j] - query[j]) * unit
    if degree == 2:
        t = 1 + d
        for j in range(d):
            for i in range(j, d):
                for r in range(size):
                    terms[t, r] = terms[1 + j, r] * terms[1 + i, r]
                t += 1


@inlined
def _dot(a, i, b, j, size):
    """Return the sum over a piece of a[i] * b[j]."""
    total = 0.0
    for r in range(size):
        total += a[i, r] * b[j, r]
    return total


@kernel(reorder_sums=True)
def _normal_equations(X, Y, query, ids, weights, unit, degree, terms, work, S, B):
    """Write Σ w t tᵀ, its lower half, into S and Σ w t yᵀ into B."""
    n_terms, n_targets = B.shape
    S[:] = 0.0
    B[:] = 0.0
    for first in range(0, len(ids), _PIECE):
        size = min(_PIECE, len(ids) - first)
        _fill_terms(X, query, ids, first, size, unit, degree, terms)
        for v in range(n_targets):
            for r in range(size):
                work[n_terms + v, r] = Y[ids[first + r], v]
        for a in range(n_terms):
            for r in range(size):
                work[a, r] = weights[first + r] * terms[a, r]
            for b in range(a + 1):
                S[a, b] += _dot(work, a, terms, b, size)
            for v in range(n_targets):
                B[a, v] += _dot(work, a, work, n_terms + v, size)


@kernel
def _solve(S, B, G, ridge):
    """Solve S β = B, and S g = e_0 if G has columns, in place; tell whether it is safe.

    S becomes the Cholesky factor of the equilibrated matrix.
    """
    p = S.shape[0]
    for a in range(1, p):
        S[a, a] += ridge
    scale = np.empty(p)
    for a in range(p):
        scale[a] = 1.0 / math.sqrt(S[a, a]) if S[a, a] > 0.0 else 0.0
    for a in range(p):
        for b in range(a + 1):
            S[a, b] *= scale[a] * scale[b]
    for a in range(p):
        for b in range(a + 1):
            s = S[a, b]
            for c in range(b):
                s -= S[a, c] * S[b, c]
            if b < a:
                S[a, b] = s / S[b, b]
            elif s > _LEAST_PIVOT:
                S[a, a] = math.sqrt(s)
            else:
                return False
    _substitute(S, B, scale)
    if G.shape[1]:
        G[:] = 0.0
        G[0, 0] = 1.0
        _substitute(S, G, scale)
    return True


@inlined
def _substitute(L, B, scale):
    """Solve D⁻¹ L Lᵀ D⁻¹ β = B in place, D being the diagonal of scale."""
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
def _solve_by_svd(X, Y, query, ids, weights, unit, degree, ridge, terms, B, G):
    """Solve for β and g as `_solve` does, by the singular values of the rows.

    R of the rows (√w t, √w y) is brought up to date piece by piece, so that no more
    than a piece of rows is ever held.
    """
    p, n_targets = B.shape
    width = p + n_targets
    R = np.zeros((0, width))
    for first in range(0, len(ids), _PIECE):
        size = min(_PIECE, len(ids) - first)
        _fill_terms(X, query, ids, first, size, unit, degree, terms)
        rows = np.zeros((R.shape[0] + size, width))
        rows[: R.shape[0]] = R
        for r in range(size):
            root = math.sqrt(weights[first + r])
            for a in range(p):
                rows[R.shape[0] + r, a] = root * terms[a, r]
            for v in range(n_targets):
                rows[R.shape[0] + r, p + v] = root * Y[ids[first + r], v]
        R = np.linalg.qr(rows)[1]
    if ridge > 0.0:
        rows = np.zeros((R.shape[0] + p - 1, width))
        rows[: R.shape[0]] = R
        for a in range(1, p):
            rows[R.shape[0] + a - 1, a] = math.sqrt(ridge)
        R = np.linalg.qr(rows)[1]
    # Row 0 of R holds the sums with the constant, the rows below what is left of the
    # columns once their means are gone.
    count = R[0, 0] * R[0, 0]
    A = np.zeros((max(R.shape[0] - 1, 1), p - 1))
    scale = np.zeros(p - 1)
    for a in range(p - 1):
        norm = math.sqrt(np.sum(R[:, a + 1] ** 2))
        if norm > 0.0:
            scale[a] = 1.0 / norm
            A[: R.shape[0] - 1, a] = R[1:, a + 1] / norm
    B[:] = 0.0
    if G.shape[1]:
        G[:] = 0.0
    if p > 1:
        U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
        for s in range(len(sigma)):
            if sigma[s] <= _RANK_TOLERANCE * max(sigma[0], 1.0):
                break
            for v in range(n_targets):
                c = np.sum(U[: R.shape[0] - 1, s] * R[1:, p + v]) / sigma[s]
                for a in range(p - 1):
                    B[a + 1, v] += scale[a] * Vt[s, a] * c
            if G.shape[1]:
                c = 0.0
                for a in range(p - 1):
                    c -= Vt[s, a] * scale[a] * R[0, a + 1] / R[0, 0]
                c /= sigma[s] * sigma[s]
                for a in range(p - 1):
                    G[a + 1, 0] += scale[a] * Vt[s, a] * c
    for v in range(n_targets):
        B[0, v] = R[0, p + v] / R[0, 0]
        for a in range(1, p):
            B[0, v] -= R[0, a] / R[0, 0] * B[a, v]
    if G.shape[1]:
        G[0, 0] = 1.0 / count
        for a in range(1, p):
            G[0, 0] -= R[0, a] / R[0, 0] * G[a, 0]


@kernel
def fit_windows(
    X,
    Y,
    queries,
    starts,
    counts,
    ids,
    squared,
    masses,
    care,
    bandwidths,
    kind,
    degree,
    ridge,
    own,
    answers,
    slopes,
    hats,
    own_hat,
    hat_square,
):
    """Fit a polynomial to the window of each query; return how many are empty.

    Parameters
    ----------
    X, Y : (n, d) and (n, V) training rows, where distances are measured.
    queries : (m, d)
    starts, counts : (m,) ints; the window of q is ids[starts[q]:][:counts[q]].
    ids, squared, masses : (size,) rows, squared distances, what each counts; masses of
        length 0 are all 1.
    care : (n,) factors of the weights, for robust fits.
    bandwidths : (m,)
    kind, degree, ridge : int, int, float
    own : (m,) ints; the training row that a query is, or -1.
    answers : (m, V) out; NaN where no row has any weight.
    slopes : (m, d, V) out, or of length 0.
    hats : (size,) out, or of length 0; the answer is Σ hats * y.
    own_hat, hat_square : (m,) out, or of length 0; Σ of the hat of own, Σ hat²/mass.
    """
    d, n_targets = X.shape[1], Y.shape[1]
    p = 1
    if degree >= 1:
        p += d
    if degree == 2:
        p += d * (d + 1) // 2
    terms = np.empty((p, _PIECE))
    work = np.empty((p + n_targets, _PIECE))
    S = np.empty((p, p))
    B = np.empty((p, n_targets))
    wants_hat = len(own_hat) > 0 or len(hats) > 0
    G = np.empty((p, 1 if wants_hat else 0))
    longest = 0
    for q in range(len(counts)):
        longest = max(longest, counts[q])
    all_weights = np.empty(longest)
    empty = 0
    for q in range(len(counts)):
        here = slice(starts[q], starts[q] + counts[q])
        rows = ids[here]
        weights = all_weights[: counts[q]]
        mine = masses[here] if len(masses) else masses
        total = weigh(squared[here], mine, bandwidths[q], kind, weights)
        if len(care):
            total = 0.0
            for c in range(len(rows)):
                weights[c] *= care[rows[c]]
                total += weights[c]
        if not total > 0.0:
            answers[q] = np.nan
            empty += 1
            continue
        width = bandwidths[q]
        unit = 1.0 / width if 0.0 < width < math.inf else 1.0
        query = queries[q]
        _normal_equations(X, Y, query, rows, weights, unit, degree, terms, work, S, B)
        if not _solve(S, B, G, ridge):
            _solve_by_svd(X, Y, query, rows, weights, unit, degree, ridge, terms, B, G)
        answers[q] = B[0]
        if len(slopes):
            slopes[q] = 0.0
            if degree >= 1:
                for j in range(d):
                    for v in range(n_targets):
                        slopes[q, j, v] = B[1 + j, v] * unit
        if wants_hat:
            at_own, square = 0.0, 0.0
            for first in range(0, len(rows), _PIECE):
                size = min(_PIECE, len(rows) - first)
                _fill_terms(X, query, rows, first, size, unit, degree, terms)
                for r in range(size):
                    c = first + r
                    hat = 0.0
                    for a in range(p):
                        hat += terms[a, r] * G[a, 0]
                    hat *= weights[c]
                    if len(hats):
                        hats[starts[q] + c] = hat
                    if rows[c] == own[q]:
                        at_own += hat
                    if hat != 0.0:
                        square += hat * hat / (mine[c] if len(mine) else 1.0)
            if len(own_hat):
                own_hat[q], hat_square[q] = at_own, square
    return empty
