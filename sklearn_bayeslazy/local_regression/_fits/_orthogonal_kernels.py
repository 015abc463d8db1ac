"""Least squares for windows whose normal equations lose digits, without a failure.

The design matrix is reduced to a triangle by Householder's reflections, one range of
rows after the other. The columns minus their means then go through a complete
orthogonal decomposition: columns are taken in order of what they add to those before
them, until nothing but rounding errors is left; of all solutions the one of least norm
is returned. There is no iteration that could fail to converge, as there is in a
singular value decomposition.

Source: G. H. Golub and C. F. Van Loan (2013), Matrix Computations, section 5.5.
"""

import math

import numpy as np

from ..._core._kernel import inlined, kernel
from ._design_kernels import write_design

# Columns that add less than this share of the largest are treated as dependent: the
# threshold of loess for singular values.
RANK_TOLERANCE = 100 * np.finfo(np.float64).eps


@kernel(only_in_kernels=True)
def _norm(x):
    """Return the length of a vector; its squares neither overflow nor underflow."""
    largest = 0.0
    for r in range(len(x)):
        largest = max(largest, abs(x[r]))
    if not 0.0 < largest < math.inf:
        return largest
    total = 0.0
    for r in range(len(x)):
        total += (x[r] / largest) ** 2
    return largest * math.sqrt(total)


@kernel(only_in_kernels=True)
def _triangularize(columns, n_rows):
    """Replace a matrix, given by columns, by the triangle of its QR decomposition."""
    # columns: (width, at least n_rows); columns[a, :n_rows] is column a.
    width = len(columns)
    reflection = np.empty(n_rows)
    for s in range(min(width, n_rows)):
        norm = _norm(columns[s, s:n_rows])
        if norm == 0.0:
            continue
        v = reflection[s:]
        for r in range(len(v)):
            v[r] = columns[s, s + r] / norm
        v[0] += 1.0 if v[0] >= 0.0 else -1.0
        factor = 1.0 / abs(v[0])  # 2 / |v|²
        for a in range(s, width):
            column = columns[a, s:n_rows]
            total = 0.0
            for r in range(len(v)):
                total += v[r] * column[r]
            total *= factor
            for r in range(len(v)):
                column[r] -= total * v[r]
        columns[s, s + 1 : n_rows] = 0.0


@kernel(only_in_kernels=True)
def triangular_form(window, query, roots, unit, degree, n_terms, ridge, design):
    """Return R of the QR decomposition of (√w t, √w y), with rows for the ridge."""
    # R is updated range by range, so that only one range of rows is held in memory.
    # Returned: columns (p + V, at least n_rows), and n_rows; columns[a, :n_rows] is
    # column a of R, and the targets are the last V.
    n_targets, p = window.Y.shape[1], n_terms
    width, first_target = p + n_targets, len(design) - n_targets
    n_kept, n_done = np.int64(0), np.int64(0)
    columns = np.zeros((width, width + design.shape[1]))
    for c in range(len(window.ranges)):
        size = write_design(window, query, roots, n_done, c, unit, degree, design)
        n_done += size
        for a in range(width):
            source = a if a < p else first_target + a - p
            for r in range(size):
                columns[a, n_kept + r] = design[source, r]
        _triangularize(columns, n_kept + size)
        n_kept = min(n_kept + size, width)
    if ridge > 0.0:
        penalized = np.zeros((width, n_kept + p))
        for a in range(width):
            for r in range(n_kept):
                penalized[a, r] = columns[a, r]
        for a in range(1, p):
            penalized[a, n_kept + a - 1] = math.sqrt(ridge)
        _triangularize(penalized, n_kept + p)
        return penalized, min(n_kept + p, width)
    return columns, n_kept


@kernel(only_in_kernels=True)
def _orthogonalize(W, others, order):
    """Orthonormalise rows of W by what they add to those before; return the rank."""
    # W: (p, n), row s is replaced by the s-th vector of an orthonormal basis; others:
    # (V, n), replaced by what remains of its rows without their projections on the
    # basis; order: (p,) out, which row of W was taken s-th. Returned: rank; triangle
    # (p, p), where triangle[s, a] is the product of the s-th vector with the a-th row
    # taken; and products (p, V), those with `others`.
    p = len(W)
    triangle, products = np.zeros((p, p)), np.zeros((p, len(others)))
    norms = np.empty(p)
    largest = 1.0
    for a in range(p):
        order[a] = a
    for s in range(min(p, W.shape[1])):
        best = s
        for a in range(s, p):
            norms[a] = _norm(W[a])
            best = a if norms[a] > norms[best] else best
        if not norms[best] > RANK_TOLERANCE * largest:
            return s, triangle, products
        largest = max(largest, norms[best])
        order[s], order[best] = order[best], order[s]
        for t in range(s):
            triangle[t, s], triangle[t, best] = triangle[t, best], triangle[t, s]
        for r in range(W.shape[1]):
            W[s, r], W[best, r] = W[best, r], W[s, r]
        for t in range(s):  # once more: rounding errors grow where little is left
            triangle[t, s] += _subtract_projection(W[s], W[t])
        triangle[s, s] = _norm(W[s])
        _divide(W[s], triangle[s, s])
        for a in range(s + 1, p):
            triangle[s, a] = _subtract_projection(W[a], W[s])
        for v in range(len(others)):
            products[s, v] = _subtract_projection(others[v], W[s])
    return min(p, W.shape[1]), triangle, products


@inlined
def _divide(x, divisor):
    """Divide a vector in place."""
    for r in range(len(x)):
        x[r] /= divisor


@kernel(only_in_kernels=True)
def _subtract_projection(x, unit_vector):
    """Subtract from x its projection on a unit vector; return the product of both."""
    total = 0.0
    for r in range(len(x)):
        total += x[r] * unit_vector[r]
    for r in range(len(x)):
        x[r] -= total * unit_vector[r]
    return total


@kernel(only_in_kernels=True)
def _least_norm(triangle, rank, products, moments):
    """Return β and g of least norm: T β = products, (TᵀT) g = moments."""
    # T: (rank, p), the first rows of triangle (p, p), which is overwritten; products:
    # (p, V), of which the first rank rows count; moments: (p, 1). β: (p, V); g: (p, 1).
    p, n_targets = products.shape
    solutions, inverse = np.zeros((p, n_targets)), np.zeros((p, 1))
    basis, L = triangle[:rank], np.zeros((rank, rank))  # T = L basis, in its place
    for s in range(rank - 1, -1, -1):
        for _ in range(2):
            for t in range(s + 1, rank):
                L[s, t] += _subtract_projection(basis[s], basis[t])
        L[s, s] = _norm(basis[s])
        _divide(basis[s], L[s, s])
    x = np.zeros(rank)
    for v in range(n_targets):
        for s in range(rank - 1, -1, -1):
            total = products[s, v]
            for t in range(s + 1, rank):
                total -= L[s, t] * x[t]
            x[s] = total / L[s, s]
            for a in range(p):
                solutions[a, v] += x[s] * basis[s, a]
    for s in range(rank):  # TᵀT g = basisᵀ Lᵀ L basis g
        total = 0.0
        for a in range(p):
            total += basis[s, a] * moments[a, 0]
        for t in range(s):
            total -= L[t, s] * x[t]
        x[s] = total / L[s, s]
    for s in range(rank - 1, -1, -1):
        total = x[s]
        for t in range(s + 1, rank):
            total -= L[s, t] * x[t]
        x[s] = total / L[s, s]
        for a in range(p):
            inverse[a, 0] += x[s] * basis[s, a]
    return solutions, inverse


@kernel(only_in_kernels=True)
def solve_orthogonally(columns, n_rows, n_terms, coef, hat_coef):
    """Write the coefficients β, and g of the row of the hat matrix."""
    # The slopes have least norm along columns of unit length; the constant counts for
    # nothing in the norm. columns, n_rows: from `triangular_form`. Row 0 holds the
    # products with the constant; the rows below belong to the columns minus their
    # means. coef: (at least p, V) out; hat_coef: (at least p, 1) out; p = n_terms.
    p, n_targets = n_terms, coef.shape[1]
    root = columns[0, 0]
    W, scale = np.zeros((p - 1, max(n_rows - 1, 1))), np.zeros(p - 1)
    moments = np.zeros((p - 1, 1))
    for a in range(p - 1):
        scale[a] = _norm(columns[a + 1, :n_rows])
        if scale[a] > 0.0:
            for r in range(1, n_rows):
                W[a, r - 1] = columns[a + 1, r] / scale[a]
            moments[a, 0] = -columns[a + 1, 0] / scale[a] / root
    others = np.zeros((n_targets, W.shape[1]))
    for v in range(n_targets):
        for r in range(1, n_rows):
            others[v, r - 1] = columns[p + v, r]
    order = np.zeros(p - 1, np.int64)
    rank, triangle, products = _orthogonalize(W, others, order)
    ordered = np.empty((p - 1, 1))
    for s in range(p - 1):
        ordered[s, 0] = moments[order[s], 0]
    solutions, inverse = _least_norm(triangle, rank, products, ordered)
    for v in range(n_targets):
        coef[0, v] = columns[p + v, 0] / root
    hat_coef[0, 0] = 1.0 / (root * root)
    for s in range(p - 1):
        a = order[s] + 1
        factor = 1.0 / scale[a - 1] if scale[a - 1] > 0.0 else 0.0
        for v in range(n_targets):
            coef[a, v] = solutions[s, v] * factor
            coef[0, v] -= columns[a, 0] / root * coef[a, v]
        hat_coef[a, 0] = inverse[s, 0] * factor
        hat_coef[0, 0] -= columns[a, 0] / root * hat_coef[a, 0]
