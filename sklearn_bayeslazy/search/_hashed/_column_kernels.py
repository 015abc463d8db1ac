"""Numba kernels of hashed sparse rows: largest cells and exact distances.

A sparse matrix is a tuple of starts, columns and values, its columns ascending.
"""

import numpy as np

from ..._core._kernel import inlined, kernel
from .._inverted_index_kernels import COSINE, DOT, EUCLIDEAN, measure_sparse, square_of
from .._kd_tree import select
from .._neighbor_lists import heap_push, sort_heap

# Longer queries are measured in any case: a cell may overflow single precision.
_MAX_SQUARE = 1e60
# Rows that are compared with a bound at a time; the loop over them vectorises.
_LANES = 64
# Rounding of squared distances that are computed from products, relative to the
# squares, with queries in single precision.
_ROUNDING = 1e-6


@kernel
def keep_largest(query, n_filled, n_read, kept):
    """Write each query's largest cells until their columns hold n_read rows."""
    # query, kept: sparse matrices of m rows; the starts of kept begin with 0.
    # n_filled: (n_columns,), the number of rows of each column, 0 for columns that are
    # left out. Columns are taken by the absolute value of the cell, the largest first,
    # and the first of equal ones.
    starts, columns, values = query
    kept_starts, kept_columns, kept_values = kept
    size = 0
    for q in range(len(kept_starts) - 1):
        begin, end = starts[q], starts[q + 1]
        order = np.argsort(-np.abs(values[begin:end]), kind="mergesort")
        is_kept = np.zeros(end - begin, np.bool_)
        total = 0
        for i in order:
            n_rows = n_filled[columns[begin + i]]
            if total >= n_read:
                break
            is_kept[i] = n_rows > 0
            total += n_rows
        for i in range(end - begin):
            if is_kept[i]:
                kept_columns[size] = columns[begin + i]
                kept_values[size] = values[begin + i]
                size += 1
        kept_starts[q + 1] = size


@inlined
def _drop_farthest(near, chosen, sizes, q, capacity):
    """Keep a query's nearest rows, up to a capacity; return the farthest of them."""
    if sizes[q] > capacity:
        select(near[q], chosen[q], np.int64(0), sizes[q], capacity)
        sizes[q] = capacity
    bound = -np.inf
    for c in range(sizes[q]):
        bound = max(bound, near[q, c])
    return bound


@inlined
def _sum_postings(query, q, postings, values):
    """Write -2 times the products of a query with the rows of a tile into values."""
    starts, columns, cells = query
    posting_starts, positions, posting_values = postings
    for r in range(len(values)):
        values[r] = 0.0
    for i in range(starts[q], starts[q + 1]):
        column = columns[i]
        x = np.float32(-2.0 * cells[i])
        for j in range(posting_starts[column], posting_starts[column + 1]):
            values[np.uintp(positions[j])] += x * posting_values[j]


@inlined
def _any_below(values, squares, start, stop, kind, bound):
    """Return whether an estimated distance of some rows is below a bound."""
    count = 0
    if kind == EUCLIDEAN:
        for r in range(start, stop):
            count += values[r] + squares[r] < bound
    else:
        for r in range(start, stop):
            count += values[r] < bound
    return count > 0


@kernel
def choose_by_products(
    query,
    postings,
    base,
    squares,
    kind,
    exclude,
    alive,
    near,
    rows,
    sizes,
    bounds,
):
    """Add the rows of a tile whose products are largest to the candidates."""
    # query: the largest cells of m queries; postings: starts, positions and values of a
    # tile whose first row is base; squares: (n_tile,) float32, squared lengths of its
    # rows; alive: (n,), 0 for rows that do not count, empty if all do.
    # Updated: near, rows: (m, 2 * n_candidates), estimated distances, up to a term of
    # the query, and rows; sizes: (m,), their number; bounds: (m,). Rows are ascending:
    # a row at the bound comes after those that are kept.
    capacity, size = near.shape[1] // 2, len(squares)
    values = np.empty(size, np.float32)
    for q in range(len(sizes)):
        _sum_postings(query, q, postings, values)
        bound = bounds[q]
        for start in range(0, size, _LANES):
            stop = min(start + _LANES, size)
            if not _any_below(values, squares, start, stop, kind, bound):
                continue
            for r in range(start, stop):
                value = values[r] + squares[r] if kind == EUCLIDEAN else values[r]
                if value >= bound or base + r == exclude[q]:
                    continue
                if len(alive) > 0 and alive[base + r] == 0:
                    continue
                near[q, sizes[q]], rows[q, sizes[q]] = value, base + r
                sizes[q] += 1
                if sizes[q] == 2 * capacity:
                    bound = _drop_farthest(near, rows, sizes, q, capacity)
        bounds[q] = bound


@kernel
def halve_candidates(near, rows, sizes):
    """Cut each query's candidates to half of the width, the number that is wanted."""
    for q in range(len(sizes)):
        _drop_farthest(near, rows, sizes, q, near.shape[1] // 2)


@inlined
def _product_and_square(dense, rows, row):
    """Return a row's product with a query stored densely, and its squared length."""
    starts, columns, cells = rows
    product, square = 0.0, 0.0
    for i in range(starts[row], starts[row + 1]):
        product += cells[i] * dense[columns[i]]
        square += cells[i] * cells[i]
    return product, square


@inlined
def _estimate_rows(query, q, rows, some, kind, dense, estimates):
    """Estimate distances of rows; return the squared length of the query."""
    # dense: (n_columns,), zeros before and after; estimates: written.
    starts, columns, cells = query
    square = 0.0
    for i in range(starts[q], starts[q + 1]):
        dense[columns[i]] = cells[i]
        square += cells[i] * cells[i]
    for c in range(len(some)):
        product, row_square = _product_and_square(dense, rows, some[c])
        estimates[c] = square + row_square - 2.0 * product
        if kind == COSINE and (square == 0.0 or row_square == 0.0):
            estimates[c] = 2.0  # as it is measured
    for i in range(starts[q], starts[q + 1]):
        dense[columns[i]] = 0.0
    return square


@inlined
def _bound_of_nearest(estimates, k, square, kind):
    """Return a bound that the estimates of the k nearest rows do not exceed."""
    bound, size = np.inf, len(estimates)
    # One row may be the excluded one. For products there is no such bound of rounding.
    if kind != DOT and size > k + 1 and square < _MAX_SQUARE:
        ordered = estimates.copy()
        select(ordered, np.zeros(size, np.int64), np.int64(0), size, k)
        farthest = ordered[k]
        bound = farthest + _ROUNDING * (square + abs(farthest))
    return bound


@kernel
def measure_sparse_candidates(
    chosen, sizes, query, rows, kind, n_columns, exclude, weight, k, heaps
):
    """Fill heaps with the nearest of the rows chosen for each query, sorted."""
    # chosen: (m, width), distinct rows, sorted in place; sizes, exclude: (m,); query,
    # rows: sparse matrices; heaps: the arrays of `NeighborHeaps`.
    # Distances are estimated from products first. Rows that may be among the nearest,
    # within rounding, are measured term by term.
    reduced, indices, counts, totals = heaps
    dense = np.zeros(n_columns, np.float32)
    for q in range(len(sizes)):
        some = chosen[q, : sizes[q]]
        some.sort()
        estimates = np.empty(len(some))
        square = _estimate_rows(query, q, rows, some, kind, dense, estimates)
        bound = _bound_of_nearest(estimates, k, square, kind)
        worst = np.inf
        for c in range(len(some)):
            row = some[c]
            if row != exclude[q] and not estimates[c] > bound:
                row_square = square_of(rows, row)
                value = measure_sparse(query, q, rows, row, kind, square, row_square)
                worst = heap_push(
                    reduced, indices, counts, totals, q, value, row, weight, k, worst
                )
        sort_heap(reduced, indices, counts, q)


@inlined
def _rank_of(row, estimates, exclude):
    """Return how many rows are at most as far as a row, by (estimate, row)."""
    count, bound = 0, estimates[row]
    for r in range(len(estimates)):
        is_near = estimates[r] < bound or (estimates[r] == bound and r <= row)
        count += is_near and r != exclude
    return count


@kernel
def rank_by_estimates(estimates, exclude, neighbors, ranks):
    """Write the ranks of each query's neighbours among the rows not excluded."""
    for q in range(len(neighbors)):
        for c in range(neighbors.shape[1]):
            ranks[q, c] = _rank_of(neighbors[q, c], estimates[q], exclude[q])
