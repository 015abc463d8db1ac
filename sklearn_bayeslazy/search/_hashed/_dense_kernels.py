"""Numba kernels of dense rows: projections and exact distances.

The sums of a row do not depend on the rows or queries beside it.
"""

import numpy as np

from ..._core._kernel import copy_numbers, inlined, kernel
from .._dense_kernels import snap_right_angle
from .._neighbor_lists import heap_push, sort_heap

# Centered cells are clipped here, so that squares stay within single precision.
_MAX_CELL = 1e15
# The smallest number above 0 in single precision: squares are rounded to multiples.
_SMALLEST_FLOAT32 = 2.0**-149
# After each block of columns, a row is dropped if it is already too far away.
_COLUMNS_PER_BLOCK = 128


@inlined
def _center(row, scales, i, center, unit, out):
    """Write (row scale - center) unit into out; return its squared length."""
    scale = scales[i] if len(scales) else 1.0
    square = 0.0
    for j in range(len(center)):
        t = (row[j] * scale - center[j]) * unit
        t = t if t > -_MAX_CELL else -_MAX_CELL  # `max` and `min` compile functions
        t = t if t < _MAX_CELL else _MAX_CELL
        out[j] = t
        square += t * t
    return square


@kernel(fuse_products=True, only_in_kernels=True)
def _multiply_four(rows, matrix, out):
    """Write rows @ matrix into out, for four rows, in the order of the columns."""
    # rows: (4, d); matrix: (d, p); out: (4, p). The matrix is read once for all four,
    # and outputs once for four columns.
    d, p = matrix.shape
    x, y, z, w = rows[0], rows[1], rows[2], rows[3]
    x_out, y_out, z_out, w_out = out[0], out[1], out[2], out[3]
    for r in range(p):
        x_out[r] = y_out[r] = z_out[r] = w_out[r] = 0.0
    fours = d - d % 4
    for j in range(0, fours, 4):
        x0, x1, x2, x3 = x[j], x[j + 1], x[j + 2], x[j + 3]
        y0, y1, y2, y3 = y[j], y[j + 1], y[j + 2], y[j + 3]
        z0, z1, z2, z3 = z[j], z[j + 1], z[j + 2], z[j + 3]
        w0, w1, w2, w3 = w[j], w[j + 1], w[j + 2], w[j + 3]
        a, b, c, e = matrix[j], matrix[j + 1], matrix[j + 2], matrix[j + 3]
        for r in range(p):
            s, t, u, v = a[r], b[r], c[r], e[r]
            x_out[r] = (((x_out[r] + x0 * s) + x1 * t) + x2 * u) + x3 * v
            y_out[r] = (((y_out[r] + y0 * s) + y1 * t) + y2 * u) + y3 * v
            z_out[r] = (((z_out[r] + z0 * s) + z1 * t) + z2 * u) + z3 * v
            w_out[r] = (((w_out[r] + w0 * s) + w1 * t) + w2 * u) + w3 * v
    for j in range(fours, d):
        a = matrix[j]
        for r in range(p):
            x_out[r] += x[j] * a[r]
            y_out[r] += y[j] * a[r]
            z_out[r] += z[j] * a[r]
            w_out[r] += w[j] * a[r]


@kernel(reorder_sums=True)
def project_rows(X, scales, center, unit, matrix, projections, residuals):
    """Write (x scale - center) unit @ matrix, and the squared length that it loses."""
    # X: (n, d); scales: (n,), or (0,) if all are 1; matrix: (d, p). Written:
    # projections: (n, p), residuals: (n,).
    (n, d), p = X.shape, matrix.shape[1]
    centered, four = np.zeros((4, d), np.float32), np.empty((4, p), np.float32)
    squares = np.empty(4)
    for first in range(0, n, 4):
        size = min(n - first, 4)
        for i in range(size):
            squares[i] = _center(
                X[first + i], scales, first + i, center, unit, centered[i]
            )
        _multiply_four(centered, matrix, four)
        for i in range(size):
            copy_numbers(four[i], projections[first + i])
            kept = 0.0
            for r in range(p):
                kept += np.float64(four[i, r]) * np.float64(four[i, r])
            residuals[first + i] = max(squares[i] - kept, 0.0)


@kernel(reorder_sums=True)
def center_rows(X, scales, center, unit, centered):
    """Write (x scale - center) unit in single precision."""
    for i in range(len(X)):
        _center(X[i], scales, i, center, unit, centered[i])


@inlined
def _load_query(queries, q, query):
    """Write a scaled query in double precision; return whether it has no direction."""
    X, scales = queries
    row, scale = X[q], scales[q] if len(scales) else 1.0
    for j in range(len(query)):
        query[j] = row[j] * scale
    return scale == 0.0


@inlined
def _squared_distance(x, y, scale, worst):
    """Return the squared distance of x to y times scale, infinite if above worst."""
    total = 0.0
    for begin in range(0, len(x), _COLUMNS_PER_BLOCK):
        some = x[begin : begin + _COLUMNS_PER_BLOCK]
        others = y[begin : begin + _COLUMNS_PER_BLOCK]
        part = 0.0
        for j in range(len(some)):
            t = some[j] - others[j] * scale
            part += t * t
        total += part
        if total > worst:
            return np.inf
    return total


@inlined
def _measure_row(query, empty, X, row, scales, is_product, worst):
    """Return the squared distance of a query to a row, 2 if one has no direction."""
    # query: (d,), scaled; empty: whether it has no direction. The distance is infinite
    # if it is certainly above worst. is_product: whether it is -q·x instead.
    if is_product:
        product = 0.0
        for j in range(len(query)):
            product += query[j] * X[row, j]
        return 0.0 - product  # not -0.0
    scale = scales[row] if len(scales) else 1.0
    if empty or scale == 0.0:
        return 2.0
    square = _squared_distance(query, X[row], scale, worst)
    return snap_right_angle(square) if len(scales) else square


@inlined
def _is_farther(x, y, bound):
    """Return whether a squared distance in single precision is above a bound."""
    # False if the sum overflows.
    total = np.float32(0.0)
    for j in range(len(x)):
        t = x[j] - np.float32(y[j])
        total += t * t
    return bound < total < np.inf


# Over twelve arguments: scratch and the way of measuring come from outside.
@kernel(reorder_sums=True)
def measure_candidates(
    chosen,
    sizes,
    queries,
    numbers,
    exclude,
    rows,
    is_product,
    slack,
    weight,
    k,
    heaps,
    query,
    single,
):
    """Fill heaps with the nearest of the rows chosen for some queries, sorted."""
    # chosen: (m, width), rows; sizes: (m,), how many; queries, rows: X and scales of
    # `DenseRows`; numbers: (m,), those of the queries; exclude: (m,), -1 = none.
    # is_product: whether rows are measured by -q·x.
    # slack: the relative error of sums in single precision, which then show for most
    # rows that they are too far; 0 if cells or scales need double precision.
    # Scratch: query, single: (d,), a query in double and in single precision.
    X, scales = rows
    reduced, indices, counts, totals = heaps
    underflow = X.shape[1] * _SMALLEST_FLOAT32
    for q in range(len(sizes)):
        worst = np.inf
        empty = _load_query(queries, numbers[q], query)
        copy_numbers(query, single)
        for c in range(sizes[q]):
            row = chosen[q, c]
            if row == exclude[q]:
                continue
            bound = worst * (1.0 + slack) + underflow
            if slack > 0.0 and _is_farther(single, X[row], bound):
                continue
            value = _measure_row(query, empty, X, row, scales, is_product, worst)
            worst = heap_push(
                reduced, indices, counts, totals, q, value, row, weight, k, worst
            )
        sort_heap(reduced, indices, counts, q)
