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

from ..._kernel import inlined, kernel

# So many terms and targets of a piece of rows stay in the first cache; a piece has so
# many rows at least.
_CACHED, _LEAST_PIECE = 3072, 64
# Of the equilibrated normal equations: below it, half of the digits may be lost.
_LEAST_PIVOT = 1e-7
# Singular values below this share of the largest count as none, as in loess.
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
def _fill_listed(X, Y, ids, query, roots, unit, linear, rows, v0):
    """Write linear terms and targets of listed rows, times the roots of weights."""
    size, d = len(ids), X.shape[1] if linear else 0
    for j in range(0, d - d % 4, 4):  # four columns of a row lie side by side
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        for r in range(size):
            row, factor = np.uintp(ids[r]), unit * roots[r]
            rows[1 + j, r] = (X[row, j] - x0) * factor
            rows[2 + j, r] = (X[row, j + 1] - x1) * factor
            rows[3 + j, r] = (X[row, j + 2] - x2) * factor
            rows[4 + j, r] = (X[row, j + 3] - x3) * factor
    for j in range(d - d % 4, d):
        x0 = query[j]
        for r in range(size):
            rows[1 + j, r] = (X[np.uintp(ids[r]), j] - x0) * (unit * roots[r])
    for v in range(Y.shape[1]):
        for r in range(size):
            rows[v0 + v, r] = Y[np.uintp(ids[r]), v] * roots[r]


@inlined
def _fill_run(columns, targets, piece, query, roots, unit, linear, rows, v0):
    """Write linear terms and targets of a run of rows, times the roots of weights."""
    first, last = piece
    for j in range(len(columns) if linear else 0):
        x0, column = query[j], columns[j, first:last]
        for r in range(len(roots)):
            rows[1 + j, r] = (column[r] - x0) * (unit * roots[r])
    for v in range(len(targets)):
        column = targets[v, first:last]
        for r in range(len(roots)):
            rows[v0 + v, r] = column[r] * roots[r]


@inlined
def _fill(window, query, roots, done, c, unit, degree, rows):
    """Write terms and targets of piece c of rows, times the roots of their weights.

    done is how many rows come before it; how many it has is returned. window is (X, Y,
    ids, columns, targets, pieces), see `fit_window`. Each term is a row of `rows`, of
    shape (p + V, at least the length of the piece).
    """
    X, Y, ids, columns, targets, pieces = window
    first, last = piece = pieces[c]
    roots = roots[done : done + last - first]
    d, v0, size, linear = len(query), len(rows) - Y.shape[1], last - first, degree > 0
    for r in range(size):
        rows[0, r] = roots[r]
    if len(ids):
        _fill_listed(X, Y, ids[first:last], query, roots, unit, linear, rows, v0)
    else:
        _fill_run(columns, targets, piece, query, roots, unit, linear, rows, v0)
    if degree == 2:
        inverse = np.empty(size)
        for r in range(size):
            inverse[r] = 1.0 / roots[r] if roots[r] > 0.0 else 0.0
        t = 1 + d
        for j in range(d):
            for i in range(j, d):
                for r in range(size):
                    rows[t, r] = rows[1 + j, r] * inverse[r] * rows[1 + i, r]
                t += 1
    return size


@inlined
def _normal_equations(window, query, roots, unit, degree, rows, S, B):
    """Write Σ w t tᵀ, its lower half, into S and Σ w t yᵀ into B."""
    p, n_targets = B.shape
    S[:] = 0.0
    B[:] = 0.0
    done = 0
    for c in range(len(window[5])):
        size = _fill(window, query, roots, done, c, unit, degree, rows)
        done += size
        for a in range(p):
            for b in range(a + 1):
                total = 0.0
                for r in range(size):
                    total += rows[a, r] * rows[b, r]
                S[a, b] += total
            for v in range(n_targets):
                total = 0.0
                for r in range(size):
                    total += rows[a, r] * rows[p + v, r]
                B[a, v] += total


@inlined
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
def _solve_by_svd(window, query, roots, unit, degree, ridge, rows, B, G):
    """Solve for β and g as `_solve` does, by the singular values of the rows.

    R of the rows (√w t, √w y) is brought up to date piece by piece, so that no more
    than a piece of rows is ever held.
    """
    p, n_targets = B.shape
    width = len(rows)
    R = np.zeros((0, width))
    done = 0
    for c in range(len(window[5])):
        size = _fill(window, query, roots, done, c, unit, degree, rows)
        done += size
        R = np.linalg.qr(np.vstack((R, rows[:, :size].T)))[1]
    if ridge > 0.0:
        pull = np.zeros((p - 1, width))
        for a in range(1, p):
            pull[a - 1, a] = math.sqrt(ridge)
        R = np.linalg.qr(np.vstack((R, pull)))[1]
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


@inlined
def scratch(n_terms, n_targets, wants_hats):
    """Return what `fit_window` writes on: rows, S, B and G."""
    height = n_terms + n_targets
    return (
        np.empty((height, max(_CACHED // height, _LEAST_PIECE))),
        np.empty((n_terms, n_terms)),
        np.empty((n_terms, n_targets)),
        np.empty((n_terms, 1 if wants_hats else 0)),
    )


@kernel(reorder_sums=True)
def fit_window(
    X,
    Y,
    ids,
    columns,
    targets,
    pieces,
    query,
    masses,
    weights,
    bandwidth,
    degree,
    ridge,
    exclude,
    rows,
    S,
    B,
    G,
    hats,
):
    """Fit a polynomial to a window; return (whether it is not empty, hat, hat square).

    Parameters
    ----------
    X, Y : (n, d) and (n, V) training rows, where distances are measured.
    ids : (k,) rows of the window; of length 0 where it is made of runs of rows.
    columns, targets : (d, n) and (V, n) training rows, of which there are runs.
    pieces : (n_pieces, 2) ints; the window is ids[first:last] of each piece, or
        columns[:, first:last].
    query : (d,)
    masses : (k,) what rows count, or of length 0 where that is 1.
    weights : (k,) what rows weigh, piece after piece; their roots are written over.
    bandwidth : float, the unit of the polynomial.
    degree, ridge : int, float
    own : int; the training row that the query is, or -1.
    rows : (p + V, at least the length of a piece) to write on.
    S : (p, p) to write on.
    B : (p, V) out; the coefficients.
    G : (p, 1) to write on where hats are wanted, else (p, 0).
    hats : (n,) to add the hats of rows to, of which the answer is Σ hats * y; or (0,).

    Returns
    -------
    filled, own_hat, hat_square : bool, float, float
        The hat of own, and Σ hat² / mass.
    """
    unit = 1.0 / bandwidth if 0.0 < bandwidth < math.inf else 1.0
    roots = weights
    for c in range(len(weights)):
        roots[c] = math.sqrt(weights[c])
    window = X, Y, ids, columns, targets, pieces
    _normal_equations(window, query, roots, unit, degree, rows, S, B)
    if not S[0, 0] > 0.0:
        return False, 0.0, 0.0
    if not _solve(S, B, G, ridge):
        _solve_by_svd(window, query, roots, unit, degree, ridge, rows, B, G)
    for a in range(1, min(len(query) + 1, len(B))):
        for v in range(B.shape[1]):
            B[a, v] *= unit
    own_hat, hat_square = 0.0, 0.0
    done = 0
    for c in range(len(pieces) if G.shape[1] else 0):
        first = pieces[c, 0]
        size = _fill(window, query, roots, done, c, unit, degree, rows)
        for r in range(size):
            hat = 0.0
            for a in range(len(G)):
                hat += rows[a, r] * G[a, 0]
            hat *= roots[done + r]
            if hat != 0.0:
                row = ids[first + r] if len(ids) else first + r
                if len(hats):
                    hats[row] += hat
                if row == exclude:
                    own_hat += hat
                hat_square += hat * hat / (masses[done + r] if len(masses) else 1.0)
        done += size
    return True, own_hat, hat_square
