"""Numba kernels of dense rows: sketches, exact distances, the nearest by products.

No sum depends on what is computed beside it.
"""

import numpy as np

from ..._kernel import inlined, kernel
from .._search import offer, settle_unit, sort_heap

# Cells of sketches end here, so that squares stay within single precision.
_LARGEST = 1e15
# Rows that are too far away show it in some blocks of so many columns.
_BLOCK = 128


@inlined
def _center(row, scales, i, center, unit, out):
    """Write (row scale - center) unit into out; return its square."""
    scale = scales[i] if len(scales) else 1.0
    square = 0.0
    for j in range(len(center)):
        t = (row[j] * scale - center[j]) * unit
        t = min(max(t, -_LARGEST), _LARGEST)
        out[j] = t
        square += t * t
    return square


@kernel(reorder_sums=True, fuse_products=True)
def sketch_rows(X, scales, center, unit, matrix, sketches, rest):
    """Write (x scale - center) unit @ matrix into sketches, what it loses into rest.

    scales has the length 0 where all are 1, matrix where sketches are the centered
    rows themselves.
    """
    n, d = X.shape
    p = sketches.shape[1]
    x = np.empty(d, np.float32)
    fours = d - d % 4 if len(matrix) else 0
    for i in range(n):
        square = _center(X[i], scales, i, center, unit, x)
        out = sketches[i]
        for r in range(p):
            out[r] = 0.0 if len(matrix) else x[r]
        for j in range(0, fours, 4):  # out is read and written once for four columns
            x0, x1, x2, x3 = x[j], x[j + 1], x[j + 2], x[j + 3]
            a, b, c, e = matrix[j], matrix[j + 1], matrix[j + 2], matrix[j + 3]
            for r in range(p):
                out[r] = (((out[r] + x0 * a[r]) + x1 * b[r]) + x2 * c[r]) + x3 * e[r]
        for j in range(fours, d if len(matrix) else 0):
            a = matrix[j]
            for r in range(p):
                out[r] += x[j] * a[r]
        kept = 0.0
        for r in range(p):
            kept += np.float64(out[r]) * np.float64(out[r])
        rest[i] = max(square - kept, 0.0) if len(matrix) else 0.0


@kernel(reorder_sums=True)
def center_rows(X, scales, center, unit, centered, squares):
    """Write (x scale - center) unit in single precision, and its square."""
    for i in range(len(X)):
        squares[i] = _center(X[i], scales, i, center, unit, centered[i])


@inlined
def measure_row(query, empty, X, row, scales, worst):
    """Return the squared distance of a query to a row, 2 if one has no direction.

    Where it is certain to be above the worst that is of use, it is infinite.
    """
    x = X[row]
    scale = scales[row] if len(scales) else 1.0
    if len(scales) and (empty or scale == 0.0):
        return 2.0
    total = 0.0
    for begin in range(0, len(query), _BLOCK):
        some, others = query[begin : begin + _BLOCK], x[begin : begin + _BLOCK]
        part = 0.0
        for j in range(len(some)):
            t = some[j] - others[j] * scale
            part += t * t
        total += part
        if total > worst:
            return np.inf
    return settle_unit(total) if len(scales) else total


@kernel(reorder_sums=True)
def measure_candidates(
    chosen,
    sizes,
    sequence,
    queries,
    empty,
    exclude,
    X,
    scales,
    weight,
    k,
    reduced,
    ids,
    counts,
):
    """Fill reduced, ids and counts with the nearest of the rows chosen for each query.

    sequence is an order of the queries that keeps rows in the cache.
    """
    masses = np.zeros(len(counts))
    for q in sequence:
        worst = np.inf
        for row in chosen[q, : sizes[q]]:
            value = measure_row(queries[q], empty[q], X, row, scales, worst)
            worst = offer(
                reduced,
                ids,
                counts,
                masses,
                q,
                value,
                row,
                weight,
                exclude[q],
                k,
                worst,
            )
        sort_heap(reduced, ids, counts, q)


@kernel(reorder_sums=True)
def squared_distances(chosen, sizes, queries, empty, X, scales, reduced):
    """Write the squared distances of each query to the rows chosen for it."""
    for q in range(len(sizes)):
        for c in range(sizes[q]):
            row = chosen[q, c]
            value = measure_row(queries[q], empty[q], X, row, scales, np.inf)
            reduced[q, c] = value


@kernel(reorder_sums=True)
def take_by_products(
    products,
    base,
    squares,
    query_squares,
    slack,
    unit,
    queries,
    empty,
    exclude,
    X,
    scales,
    weight,
    k,
    reduced,
    ids,
    counts,
    masses,
):
    """Put the rows of a tile that may be among the nearest there, measured exactly.

    Parameters
    ----------
    products : float32 array of shape (m, n_tile)
        Of queries and the rows from base on, centered and times unit; each is off by
        slack times both lengths at most.
    squares, query_squares : arrays of shapes (n_tile,) and (m,)
        Of the same.
    """
    size = products.shape[1]
    least = np.empty(size)
    lengths = np.sqrt(squares)
    for q in range(len(products)):
        worst = reduced[q, 0] if masses[q] >= k else np.inf
        bound = worst * unit * unit
        square = (1.0 - 2.0 * slack) * query_squares[q]
        twice = 4.0 * slack * np.sqrt(query_squares[q])
        product = products[q]
        near = 0
        for r in range(size):
            t = (1.0 - 2.0 * slack) * squares[r] + square
            least[r] = t - 2.0 * product[r] - twice * lengths[r]
            near += least[r] <= bound
        for r in range(size if near else 0):
            if least[r] > bound:
                continue
            row = base + r
            value = measure_row(queries[q], empty[q], X, row, scales, worst)
            worst = offer(
                reduced,
                ids,
                counts,
                masses,
                q,
                value,
                row,
                weight,
                exclude[q],
                k,
                worst,
            )
            bound = worst * unit * unit
