"""Numba kernels of the inverted index: sums over postings, and exact lists.

Dot products are estimated in single precision, with a bound on the error of each. A row
is dropped only if it is certainly farther than others that weigh k. The rest are
measured term by term. So lists are exact, and do not depend on the other queries of a
block.
"""

import math
from typing import NamedTuple

import numpy as np

from .._core._kernel import inlined, kernel
from ._dense_kernels import snap_right_angle
from ._kd_tree import select
from ._neighbor_lists import heap_push, sort_heap
from ._sparse_kernels import exact_distance

EUCLIDEAN, COSINE, DOT = range(3)
# Rows that are compared with a bound at a time; the loop over them vectorises.
_LANES = 64
# Error of an estimate where numbers are too small for single precision.
_MIN_ERROR = 1e-36


class SparseSearchArrays(NamedTuple):
    """Sparse queries and rows, with the kind of their reduced distance."""

    query: tuple  # CSR arrays; the queries are its rows from `first` on
    first: int
    rows: tuple  # CSR arrays of the training rows
    squares: np.ndarray  # (n,), float32: squared lengths of the training rows
    # EUCLIDEAN, COSINE or DOT: the reduced distance is |a - b|² (for COSINE twice the
    # cosine distance) or -a·b.
    kind: int


class CandidateRows(NamedTuple):
    """Rows that may be among the nearest of m queries, and are not measured yet."""

    bounds: np.ndarray  # (m,), upper bound of the distance where the weights reach k
    low: np.ndarray  # (m, capacity), lower bound of each candidate's reduced distance
    high: np.ndarray  # (m, capacity), upper bound of the same
    indices: np.ndarray  # (m, capacity), training rows
    sizes: np.ndarray  # (m,), number of candidates

    @classmethod
    def empty(cls, m, capacity):
        """Return no candidates, with room for some."""
        return cls(
            np.full(m, np.inf),
            np.empty((m, capacity)),
            np.empty((m, capacity)),
            np.empty((m, capacity), dtype=np.int64),
            np.zeros(m, dtype=np.int64),
        )


@kernel
def fill_frequent(query, first, slots, dense):
    """Write the cells of frequent columns, of queries from first on, into dense."""
    starts, columns, values = query
    for q in range(len(dense)):
        for i in range(starts[first + q], starts[first + q + 1]):
            slot = slots[columns[i]]
            if slot >= 0:
                dense[q, slot] = values[i]


@kernel
def add_postings(query, first, slots, postings, products):
    """Add the products over the other columns to those over the frequent columns."""
    starts, columns, values = query
    posting_starts, positions, cells = postings
    for q in range(len(products)):
        out = products[q]
        for i in range(starts[first + q], starts[first + q + 1]):
            c = columns[i]
            if slots[c] >= 0:
                continue
            x = np.float32(values[i])
            for j in range(posting_starts[c], posting_starts[c + 1]):
                out[np.uintp(positions[j])] += x * cells[j]


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
    return snap_right_angle(distance) if kind == COSINE else distance


@inlined
def _any_within(products, squares, square, kind, error, bound):
    """Return whether any row may be within a bound, in single precision."""
    # products, squares: (n_rows,); error: in units of |a|² + |b|². A NaN, from an
    # overflow of single precision, counts as within the bound.
    factor = np.float32(1.0 if kind == DOT else 2.0)
    share, least = np.float32(error), np.float32(_MIN_ERROR)
    limit = np.float32(bound)
    n_within = 0
    for r in range(len(products)):
        lengths = np.float32(square) + squares[r]
        middle = np.float32(0.0) if kind == DOT else lengths
        low = middle - factor * products[r] - share * lengths - least
        n_within += not low > limit
    return n_within > 0


@kernel(only_in_kernels=True)
def _drop_far(candidates, q, weight, k, size, bound, scratch):
    """Drop candidates that are certainly too far; return the new bound and size."""
    low, high = candidates.low[q], candidates.high[q]
    indices = candidates.indices[q]
    positions, total, n_near = np.arange(size), 0.0, 0
    for c in range(size):
        scratch[c] = high[c]
    while total < k and n_near < size:  # until those of least upper bounds weigh k
        n_near = np.int64(min(max(np.ceil(k), 2.0 * n_near), size))
        select(scratch, positions, np.int64(0), size, n_near - 1)
        total = 0.0
        for c in range(n_near):
            total += weight[indices[positions[c]]]
    if total >= k:
        bound = min(bound, scratch[n_near - 1])
    count = 0
    for c in range(size):
        low[count], high[count], indices[count] = low[c], high[c], indices[c]
        count += low[c] <= bound
    return bound, count


@kernel(only_in_kernels=True)
def _measure_candidates(table, candidates, heaps, q, square, weight, k, size, bound):
    """Measure the candidates of a query; return a bound on the k-th distance."""
    query, first, rows, squares, kind = table
    reduced, indices, counts, totals = heaps
    candidate_rows = candidates.indices[q]
    worst = reduced[q, 0] if totals[q] >= k else math.inf
    for c in range(size):
        row = candidate_rows[c]
        value = measure_sparse(query, first + q, rows, row, kind, square, squares[row])
        worst = heap_push(
            reduced, indices, counts, totals, q, value, row, weight, k, worst
        )
    return min(bound, worst)


@inlined
def square_of(query, q):
    """Return the squared length of a sparse row."""
    starts, _, values = query
    square = 0.0
    for i in range(starts[q], starts[q + 1]):
        square += values[i] * values[i]
    return square


@kernel
def collect_nearest(
    products, base, table, exclude, weight, k, is_last, error, candidates, heaps
):
    """Collect the rows of a tile that may be among the nearest of each query."""
    # products: (m, width), float32: estimated dot products with the rows from base on.
    # exclude: (m,), the row that a query must not find, or -1; weight: (n,), 0 for rows
    # that no query finds.
    # is_last: whether this is the last tile: all candidates are then measured.
    # error: (m,), the error of an estimate, at most, in units of |a|² + |b|².
    # heaps: `NeighborHeaps` of the rows that have been measured.
    width, capacity = products.shape[1], candidates.low.shape[1]
    query, first, _, squares, kind = table
    factor = np.float32(1.0 if kind == DOT else 2.0)
    scratch = np.empty(capacity)
    for q in range(len(products)):
        square = square_of(query, first + q)
        bound, size = candidates.bounds[q], candidates.sizes[q]
        low, high = candidates.low[q], candidates.high[q]
        indices = candidates.indices[q]
        for start in range(0, width, _LANES):
            stop = min(start + _LANES, width)
            some = products[q, start:stop]
            some_squares = squares[base + start : base + stop]
            if not _any_within(some, some_squares, square, kind, error[q], bound):
                continue
            for r in range(stop - start):
                row = base + start + r
                lengths = square + some_squares[r]
                middle = 0.0 if kind == DOT else lengths
                estimate = middle - factor * some[r]
                off = error[q] * lengths + _MIN_ERROR
                if estimate - off > bound or row == exclude[q] or weight[row] <= 0.0:
                    continue
                is_sure = math.isfinite(estimate) and math.isfinite(off)
                if kind == COSINE and (square == 0.0 or some_squares[r] == 0.0):
                    is_sure = False  # rows of zeros are farther than estimated
                low[size] = estimate - off if is_sure else -math.inf
                high[size] = estimate + off if is_sure else math.inf
                indices[size] = row
                size += 1
                if size < capacity:
                    continue
                bound, size = _drop_far(candidates, q, weight, k, size, bound, scratch)
                if 2 * size > capacity:
                    bound = _measure_candidates(
                        table, candidates, heaps, q, square, weight, k, size, bound
                    )
                    size = 0
        if is_last:
            bound, size = _drop_far(candidates, q, weight, k, size, bound, scratch)
            bound = _measure_candidates(
                table, candidates, heaps, q, square, weight, k, size, bound
            )
            sort_heap(heaps.reduced, heaps.indices, heaps.counts, q)
        candidates.bounds[q], candidates.sizes[q] = bound, size
