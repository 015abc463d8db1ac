"""Loops of the inverted index: postings are added up, and what may be near is measured.

Estimates are in single precision, and each is given with a bound on its error. A row
is left alone only if it is farther than k others for certain; the rest are measured
term by term, so that lists are exact and do not depend on what is asked beside them.
"""

import math

import numpy as np

from ..._kernel import inlined, kernel
from ._dense_kernels import offer, settle_unit, sort_heap
from ._kd_tree_kernels import select
from ._sparse_kernels import exact_distance

EUCLIDEAN, COSINE, DOT = range(3)
# So many rows are asked at a time whether any of them may be near.
_LANES = 64
# What estimates may be off by where numbers are too small for single precision.
_LEAST = 1e-36


@kernel
def spread_frequent(query, first, slots, dense):
    """Write the cells of frequent columns of queries from first on into rows."""
    starts, columns, values = query
    for q in range(len(dense)):
        for i in range(starts[first + q], starts[first + q + 1]):
            slot = slots[columns[i]]
            if slot >= 0:
                dense[q, slot] = values[i]


@kernel
def add_postings(query, first, slots, postings, products):
    """Add the products over all other columns to those of the frequent ones."""
    starts, columns, values = query
    ends, places, weights = postings
    for q in range(len(products)):
        out = products[q]
        for i in range(starts[first + q], starts[first + q + 1]):
            c = columns[i]
            if slots[c] >= 0:
                continue
            x = np.float32(values[i])
            for j in range(ends[c], ends[c + 1]):
                out[np.uintp(places[j])] += x * weights[j]


@inlined
def _exact_product(query, q, rows, row):
    """Return the dot product of two sparse rows, in the order of the columns."""
    starts, columns, values = query
    row_starts, row_columns, row_values = rows
    i, stop_i = starts[q], starts[q + 1]
    j, stop_j = row_starts[row], row_starts[row + 1]
    total = 0.0
    while i < stop_i and j < stop_j:
        if columns[i] < row_columns[j]:
            i += 1
        elif row_columns[j] < columns[i]:
            j += 1
        else:
            total += values[i] * row_values[j]
            i += 1
            j += 1
    return total


@inlined
def measure_sparse(query, q, rows, row, kind, square, row_square):
    """Return the reduced distance of two sparse rows."""
    if kind == DOT:
        return -_exact_product(query, q, rows, row)
    if kind == COSINE and (square == 0.0 or row_square == 0.0):
        return 2.0
    distance = exact_distance(query, q, rows, row)
    return settle_unit(distance) if kind == COSINE else distance


@inlined
def _tighten(k, low, high, row, size, bound, spare):
    """Drop what is too far for certain; return the new bound, and how many are left."""
    if size >= k:
        spare[:size] = high[:size]
        select(spare, np.zeros(size, np.int64), 0, size, k - 1)
        bound = min(bound, spare[k - 1])
    count = 0
    for c in range(size):
        low[count], high[count], row[count] = low[c], high[c], row[c]
        count += low[c] <= bound
    return bound, count


@inlined
def _settle(table, weight, k, q, square, exclude, row, size, bound, heap):
    """Measure what may be near; return a bound on the k-th distance."""
    query, first, rows, squares, kind = table
    reduced, ids, counts, masses = heap
    worst = reduced[q, 0] if masses[q] >= k else math.inf
    for c in range(size):
        value = measure_sparse(
            query, first + q, rows, row[c], kind, square, squares[row[c]]
        )
        worst = offer(
            reduced, ids, counts, masses, q, value, row[c], weight, exclude, k, worst
        )
    return min(bound, worst)


@kernel
def take_near(
    products,
    base,
    query,
    first,
    rows,
    squares,
    kind,
    exclude,
    weight,
    k,
    last,
    error,
    bounds,
    low,
    high,
    row,
    sizes,
    reduced,
    ids,
    counts,
    masses,
):
    """Keep the rows of a tile that may be among the k nearest of each query.

    Parameters
    ----------
    products : (m, width) float32; estimated dot products with rows from base on.
    query, first : CSR triple, int; the queries from first on.
    rows : CSR triple of all rows.
    squares : (n,) float32; their squared lengths.
    kind : EUCLIDEAN, COSINE or DOT; reduced distances are |a - b|² (twice the cosine's)
        or -a·b.
    own : (m,) ints; the row that a query is, and which it does not find, or -1.
    weight : (n,) ones.
    last : bool, whether there is no other tile: what is left is measured.
    error : (m,) what an estimate may be off by, in units of |a|² + |b|².
    bounds : (m,) in and out; the k-th distance is no larger.
    low, high, row, sizes : (m, room) and (m,) in and out; what may be near.
    reduced, ids, counts, masses : heaps of what has been measured.
    """
    m, width = products.shape
    starts, _, values = query
    spare = np.empty(low.shape[1])
    table, heap = (query, first, rows, squares, kind), (reduced, ids, counts, masses)
    for q in range(m):
        square = 0.0
        for i in range(starts[first + q], starts[first + q + 1]):
            square += values[i] * values[i]
        factor = np.float32(1.0 if kind == DOT else 2.0)
        share, least = np.float32(error[q]), np.float32(_LEAST)
        bound, size = bounds[q], sizes[q]
        for a in range(0, width, _LANES):
            z = min(a + _LANES, width)
            some, lengths = products[q, a:z], squares[base + a : base + z]
            cut = np.float32(bound)
            hits = 0
            for r in range(z - a):
                lengths_r = np.float32(square) + lengths[r]
                middle = np.float32(0.0) if kind == DOT else lengths_r
                low_r = middle - factor * some[r] - share * lengths_r - least
                hits += not low_r > cut  # NaN, where a float32 has overflown, may be
            if hits == 0:
                continue
            for r in range(z - a):
                lengths_r = square + lengths[r]
                middle = 0.0 if kind == DOT else lengths_r
                estimate = middle - factor * some[r]
                off = error[q] * lengths_r + _LEAST
                if estimate - off > bound or base + a + r == exclude[q]:
                    continue
                sure = math.isfinite(estimate) and math.isfinite(off)
                low[q, size] = estimate - off if sure else -math.inf
                high[q, size] = estimate + off if sure else math.inf
                row[q, size] = base + a + r
                size += 1
                if size == low.shape[1]:
                    bound, size = _tighten(
                        k, low[q], high[q], row[q], size, bound, spare
                    )
                    if 2 * size > low.shape[1]:
                        bound = _settle(
                            table,
                            weight,
                            k,
                            q,
                            square,
                            exclude[q],
                            row[q],
                            size,
                            bound,
                            heap,
                        )
                        size = 0
        if last:
            bound, size = _tighten(k, low[q], high[q], row[q], size, bound, spare)
            bound = _settle(
                table, weight, k, q, square, exclude[q], row[q], size, bound, heap
            )
            sort_heap(reduced, ids, counts, q)
        bounds[q], sizes[q] = bound, size
