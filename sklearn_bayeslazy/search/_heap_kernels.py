"""Max-heaps of the nearest rows, as numba kernels keep them.

The nearest rows of query q stand in row q of the arrays of `NeighborHeaps`. The root of
a heap is its farthest row, by (distance, row). k is a total weight: a row stays in the
heap while the rows nearer than it weigh less than k. With weights of 1 this is k rows.
"""

from typing import NamedTuple

import numpy as np

from .._core._kernel import inlined, inlined_late, kernel


class NeighborHeaps(NamedTuple):
    """Heaps of the nearest rows of m queries."""

    reduced: np.ndarray  # (m, width), reduced distances
    indices: np.ndarray  # (m, width), training rows
    counts: np.ndarray  # (m,), number of rows in each heap
    totals: np.ndarray  # (m,), total weight of the rows in each heap


@inlined
def remaining_weight(weight, row, exclude):
    """Return the weight of a row, less one copy if it is the excluded row."""
    row_weight = weight[row]
    return row_weight - min(1.0, row_weight) if row == exclude else row_weight


@inlined
def sift_down(reduced, indices, q, value, row, size):
    """Put an entry at the root of a heap of a size, and restore the heap's order."""
    c = 0
    while True:
        child = 2 * c + 1
        if child >= size:
            break
        if child + 1 < size:
            v, w = reduced[q, child], reduced[q, child + 1]
            if w > v or (w == v and indices[q, child + 1] > indices[q, child]):
                child += 1
        v, i = reduced[q, child], indices[q, child]
        if value > v or (value == v and row > i):
            break
        reduced[q, c], indices[q, c] = v, i
        c = child
    reduced[q, c], indices[q, c] = value, row


@inlined_late
def insert(
    reduced, indices, counts, totals, q, value, row, row_weight, weight, exclude, k
):
    """Insert a row into a heap, and remove the rows that are no longer needed."""
    # The arrays of the heaps come one by one: to unpack a tuple here would count
    # references for every row. row_weight: `remaining_weight` of the row, above 0.
    c = counts[q]
    full = c > 0 and totals[q] >= k  # the row is then nearer than the root
    farthest = remaining_weight(weight, indices[q, 0], exclude) if full else 0.0
    totals[q] += row_weight
    size = 0  # of the heap into which the row is sifted down, 0 if it was sifted up
    if full and totals[q] - farthest >= k:  # the row replaces the root
        totals[q] -= farthest
        size = c
    else:
        while c > 0:  # sift up
            parent = (c - 1) // 2
            v, i = reduced[q, parent], indices[q, parent]
            if v > value or (v == value and i > row):
                break
            reduced[q, c], indices[q, c] = v, i
            c = parent
        reduced[q, c], indices[q, c] = value, row
        counts[q] += 1
    while True:
        if size > 0:  # in one place: the code is copied into every search
            sift_down(reduced, indices, q, value, row, size)
        if counts[q] <= 1:
            return
        farthest = remaining_weight(weight, indices[q, 0], exclude)
        if totals[q] - farthest < k:
            return
        totals[q] -= farthest
        counts[q] -= 1
        size = counts[q]
        value, row = reduced[q, size], indices[q, size]


@inlined
def heap_push(
    reduced, indices, counts, totals, q, value, row, weight, exclude, k, worst
):
    """Insert a row if it is among the nearest; return the new worst distance."""
    # worst: the distance of the root, or infinite while the total weight is below k.
    if value > worst or (totals[q] >= k and value == worst and row > indices[q, 0]):
        return worst
    row_weight = remaining_weight(weight, row, exclude)
    if row_weight > 0.0:
        insert(
            reduced,
            indices,
            counts,
            totals,
            q,
            value,
            row,
            row_weight,
            weight,
            exclude,
            k,
        )
    return reduced[q, 0] if totals[q] >= k else np.inf


@inlined_late
def sort_heap(reduced, indices, counts, q):
    """Turn a query's heap into a list, nearest first."""
    for last in range(counts[q] - 1, 0, -1):
        value, row = reduced[q, last], indices[q, last]
        reduced[q, last], indices[q, last] = reduced[q, 0], indices[q, 0]
        sift_down(reduced, indices, q, value, row, last)


@kernel
def sort_heaps(heaps):
    """Turn heaps into lists, nearest first."""
    reduced, indices, counts, _ = heaps
    for q in range(reduced.shape[0]):
        sort_heap(reduced, indices, counts, q)
