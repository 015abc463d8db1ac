"""Numba kernels that find the nearest dense rows, in blocks or in a kd-tree's leaves.

The constants name the kinds of reduced distance. Every sum runs over the columns in
their order, both in distances and in the bounds of a tree's boxes. Rounding is
monotone. So a bound never exceeds the distance of a row in the box, to the last bit.
"""

import numpy as np

from .._core._kernel import inlined, inlined_late, kernel
from ._neighbor_lists import insert, sort_heap

SQUARED, MANHATTAN, MINKOWSKI, CHEBYSHEV, PRESENT, UNIT = range(6)
# Queries that are compared with a block while the block is in the cache.
TILE = 16
# Sums and products are monotone to the last bit; pow and `snap_right_angle` are not.
_BOUND_SLACK = 1 - 1e-12
# Rows of length one at right angles have the squared distance 2, up to this rounding.
RIGHT_ANGLE = 1e-14


@inlined
def snap_right_angle(squared):
    """Return |a - b|² of rows of length one, exactly 2 if they are at right angles."""
    return 2.0 if abs(squared - 2.0) < RIGHT_ANGLE else squared


@kernel(reorder_sums=False, only_in_kernels=True)
def block_distances(cells, b, queries, q, kind, p, out):
    """Write the reduced distances of a query to the rows of block b into out."""
    d, width = cells.shape[1], cells.shape[2]
    for r in range(width):
        out[r] = 0.0
    if kind in (SQUARED, UNIT):
        fours = d - d % 4
        for j in range(0, fours, 4):  # out is read and written once for four columns
            x0, x1 = queries[q, j], queries[q, j + 1]
            x2, x3 = queries[q, j + 2], queries[q, j + 3]
            for r in range(width):
                t0 = cells[b, j, r] - x0
                t1 = cells[b, j + 1, r] - x1
                t2 = cells[b, j + 2, r] - x2
                t3 = cells[b, j + 3, r] - x3
                out[r] = (((out[r] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
        for j in range(fours, d):
            x = queries[q, j]
            for r in range(width):
                t = cells[b, j, r] - x
                out[r] += t * t
        if kind == UNIT:
            for r in range(width):
                out[r] = snap_right_angle(out[r])
    elif kind == MANHATTAN:
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                out[r] += abs(cells[b, j, r] - x)
    elif kind in (CHEBYSHEV, MINKOWSKI):
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                t = abs(cells[b, j, r] - x)
                out[r] = t if t > out[r] else out[r]
        if kind == MINKOWSKI:  # relative to the largest: no power over- or underflows
            total = np.empty(width)  # np.zeros takes longer to compile
            for r in range(width):
                total[r] = 0.0
            for j in range(d):
                x = queries[q, j]
                for r in range(width):
                    if 0.0 < out[r] < np.inf:
                        total[r] += (abs(cells[b, j, r] - x) / out[r]) ** p
            for r in range(width):
                if 0.0 < out[r] < np.inf:
                    out[r] *= total[r] ** (1.0 / p)
    else:  # PRESENT: sums over common columns, scaled up for missing cells
        n_common = np.empty(width)
        for r in range(width):
            n_common[r] = 0.0
        for j in range(d):
            x = queries[q, j]
            if x == x:
                for r in range(width):
                    t = cells[b, j, r] - x
                    present = t == t
                    out[r] += t * t if present else 0.0
                    n_common[r] += 1.0 if present else 0.0
        for r in range(width):
            out[r] = out[r] * (d / n_common[r]) if n_common[r] > 0 else np.inf


@inlined
def _distance_outside(lower, upper, node, queries, q, j):
    """Return how far a query lies outside a box along one column."""
    below = lower[node, j] - queries[q, j]
    above = queries[q, j] - upper[node, j]
    outside = below if below > above else above
    return outside if outside > 0.0 else 0.0


@inlined_late
def box_distance(lower, upper, node, queries, q, kind, p):
    """Return a lower bound of the reduced distance of a query to the rows in a box."""
    total = 0.0
    if kind in (SQUARED, UNIT):
        for j in range(lower.shape[1]):
            t = _distance_outside(lower, upper, node, queries, q, j)
            total += t * t
        return total * _BOUND_SLACK if kind == UNIT else total
    largest = 0.0
    for j in range(lower.shape[1]):
        t = _distance_outside(lower, upper, node, queries, q, j)
        largest = t if t > largest else largest
        if kind == MANHATTAN:
            total += t
    if kind == CHEBYSHEV or (kind == MINKOWSKI and not 0.0 < largest < np.inf):
        return largest
    if kind == MINKOWSKI:
        for j in range(lower.shape[1]):
            total += (
                _distance_outside(lower, upper, node, queries, q, j) / largest
            ) ** p
        return largest * total ** (1.0 / p) * _BOUND_SLACK
    return total


@inlined
def least_of_block(out, lanes):
    """Return the minimum of a block, by lanes so that the loop vectorises."""
    # out: (width,), width a multiple of 8. lanes: working memory, of which the first
    # eight entries are overwritten.
    for lane in range(8):
        lanes[lane] = out[lane]
    for r in range(8, out.shape[0], 8):
        for lane in range(8):
            v = out[r + lane]
            lanes[lane] = v if v < lanes[lane] else lanes[lane]
    least = lanes[0]
    for lane in range(1, 8):
        least = min(least, lanes[lane])
    return least


@inlined
def push_block(
    out, block_indices, b, reduced, indices, counts, totals, q, weight, exclude, k
):
    """Insert the rows of a block that are among the nearest into a query's heap."""
    # out: (width,), the distances of block b; exclude: the query's excluded row, or -1.
    # This is `heap_push` in a loop, written out: calling it here takes 5 % longer.
    worst = reduced[q, 0] if totals[q] >= k else np.inf
    if worst < np.inf and least_of_block(out, np.empty(8)) > worst:
        return
    for r in range(out.shape[0]):
        value = out[r]
        if value > worst:
            continue
        row = block_indices[b, r]
        if row < 0 or row == exclude:
            continue
        if totals[q] >= k and value == worst and row > indices[q, 0]:
            continue
        if weight[row] > 0.0:
            insert(reduced, indices, counts, totals, q, value, row, weight, k)
            worst = reduced[q, 0] if totals[q] >= k else np.inf


@kernel
def nearest_in_blocks(blocks, queries, exclude, weight, k, kind, p, heaps):
    """Fill heaps with each query's nearest rows, sorted; all rows are read."""
    # blocks: cells (n_blocks, d, width) and indices (n_blocks, width) of `Blocks`.
    # queries: (m, d); exclude: (m,), the row that is left out, or -1;
    # weight: (n,); heaps: empty `NeighborHeaps`.
    cells, block_indices = blocks
    reduced, indices, counts, totals = heaps
    m = queries.shape[0]
    out = np.empty(cells.shape[2])
    for first in range(0, m, TILE):
        stop = min(first + TILE, m)
        for b in range(cells.shape[0]):
            for q in range(first, stop):
                block_distances(cells, b, queries, q, kind, p, out)
                push_block(
                    out,
                    block_indices,
                    b,
                    reduced,
                    indices,
                    counts,
                    totals,
                    q,
                    weight,
                    exclude[q],
                    k,
                )
        for q in range(first, stop):
            sort_heap(reduced, indices, counts, q)


@kernel
def nearest_in_tree(blocks, lower, upper, queries, exclude, weight, k, kind, p, heaps):
    """Fill heaps with each query's nearest rows, sorted, by a kd-tree."""
    # lower, upper: (n_nodes, d), the boxes; the rest as in `nearest_in_blocks`.
    # Leaf b of the tree is block b; the children of node i are 2 i + 1 and 2 i + 2. The
    # child nearer to the query is visited first. A box farther than the nearest rows
    # found so far is skipped.
    cells, block_indices = blocks
    reduced, indices, counts, totals = heaps
    first_leaf = cells.shape[0] - 1
    out = np.empty(cells.shape[2])
    nodes = np.empty(128, dtype=np.int64)  # a stack, with the bounds of its boxes
    bounds = np.empty(128)
    both = np.empty(2)  # bounds of two children
    for q in range(queries.shape[0]):
        nodes[0] = 0
        bounds[0] = 0.0
        n_stacked = 1
        while n_stacked > 0:
            n_stacked -= 1
            node = nodes[n_stacked]
            if totals[q] >= k and bounds[n_stacked] > reduced[q, 0]:
                continue
            if node >= first_leaf:
                b = node - first_leaf
                block_distances(cells, b, queries, q, kind, p, out)
                push_block(
                    out,
                    block_indices,
                    b,
                    reduced,
                    indices,
                    counts,
                    totals,
                    q,
                    weight,
                    exclude[q],
                    k,
                )
                continue
            for c in range(2):  # a loop: the code is inlined, and compiled, once
                child = 2 * node + 1 + c
                both[c] = box_distance(lower, upper, child, queries, q, kind, p)
            near, far = 2 * node + 1, 2 * node + 2
            near_bound, far_bound = both[0], both[1]
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            nodes[n_stacked], bounds[n_stacked] = far, far_bound
            nodes[n_stacked + 1], bounds[n_stacked + 1] = near, near_bound
            n_stacked += 2
        sort_heap(reduced, indices, counts, q)
