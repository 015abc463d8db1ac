"""Numba kernels that find the nearest rows, in blocks or in the leaves of a tree.

The nearest rows of a query stand in a heap whose root is the farthest, by (distance,
row). A query asks for a *mass* of neighbours: rows stay while those nearer than they
weigh less than that. With weights of 1 this is k rows.

Kinds of reduced distance: see the constants. A sum runs over the columns in their
order, in blocks as in the bounds of a tree's boxes. Rounding is monotone, so that a
bound never exceeds the distance of a row in the box, to the last bit.
"""

import numpy as np

from .._kernel import inlined, kernel

SQUARED, MANHATTAN, MINKOWSKI, CHEBYSHEV, PRESENT = range(5)
# So many queries are asked of a block while it is in the cache.
TILE = 16
# pow is not monotone to the last bit, as sums and products are.
_POW_SLACK = 1 - 1e-12


@inlined
def measure(cells, b, queries, q, kind, p, out):
    """Write the reduced distances of a query to the rows of block b into out."""
    d, width = cells.shape[1], cells.shape[2]
    for r in range(width):
        out[r] = 0.0
    if kind == SQUARED:
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                t = cells[b, j, r] - x
                out[r] += t * t
    elif kind == MANHATTAN:
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                out[r] += abs(cells[b, j, r] - x)
    elif kind == CHEBYSHEV:
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                t = abs(cells[b, j, r] - x)
                out[r] = t if t > out[r] else out[r]
    elif kind == MINKOWSKI:
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                out[r] += abs(cells[b, j, r] - x) ** p
    else:  # PRESENT: cells missing on either side are made up for by the others
        seen = np.zeros(width)
        for j in range(d):
            x = queries[q, j]
            if x == x:
                for r in range(width):
                    t = cells[b, j, r] - x
                    there = t == t
                    out[r] += t * t if there else 0.0
                    seen[r] += 1.0 if there else 0.0
        for r in range(width):
            out[r] = out[r] * (d / seen[r]) if seen[r] > 0 else np.inf


@inlined
def box_distance(lower, upper, node, queries, q, kind, p):
    """Return a lower bound of the reduced distance of a query to the rows in a box."""
    total = 0.0
    for j in range(lower.shape[1]):
        x = queries[q, j]
        t = lower[node, j] - x
        s = x - upper[node, j]
        t = t if t > s else s
        if t > 0.0:
            if kind == SQUARED:
                total += t * t
            elif kind == MANHATTAN:
                total += t
            elif kind == CHEBYSHEV:
                total = t if t > total else total
            else:
                total += t**p
    return total * _POW_SLACK if kind == MINKOWSKI else total


@inlined
def mass_without(weight, row, own):
    """Return a row's weight, less one copy if it is the query itself."""
    mass = weight[row]
    return mass - min(1.0, mass) if row == own else mass


@inlined
def push(reduced, ids, counts, masses, q, value, row, mass, weight, own, enough):
    """Put a row among the nearest, and let those go that are no longer needed."""
    c = counts[q]
    while c > 0:  # sift up
        parent = (c - 1) // 2
        v, i = reduced[q, parent], ids[q, parent]
        if v > value or (v == value and i > row):
            break
        reduced[q, c], ids[q, c] = v, i
        c = parent
    reduced[q, c], ids[q, c] = value, row
    counts[q] += 1
    masses[q] += mass
    while counts[q] > 1:
        farthest = mass_without(weight, ids[q, 0], own)
        if masses[q] - farthest < enough:
            break
        masses[q] -= farthest
        counts[q] -= 1
        last = counts[q]
        value, row = reduced[q, last], ids[q, last]
        sift_down(reduced, ids, q, value, row, last)


@inlined
def sift_down(reduced, ids, q, value, row, size):
    """Fill the root of a heap of a size with an entry, and restore its order."""
    c = 0
    while True:
        child = 2 * c + 1
        if child >= size:
            break
        if child + 1 < size:
            v, w = reduced[q, child], reduced[q, child + 1]
            if w > v or (w == v and ids[q, child + 1] > ids[q, child]):
                child += 1
        v, i = reduced[q, child], ids[q, child]
        if value > v or (value == v and row > i):
            break
        reduced[q, c], ids[q, c] = v, i
        c = child
    reduced[q, c], ids[q, c] = value, row


@inlined
def sort_heap(reduced, ids, counts, q):
    """Turn a query's heap into a list, nearest first."""
    for last in range(counts[q] - 1, 0, -1):
        value, row = reduced[q, last], ids[q, last]
        reduced[q, last], ids[q, last] = reduced[q, 0], ids[q, 0]
        sift_down(reduced, ids, q, value, row, last)


@inlined
def take_block(out, block_ids, b, reduced, ids, counts, masses, q, weight, own, enough):
    """Put the rows of a block that are near enough among the nearest."""
    worst = reduced[q, 0] if masses[q] >= enough else np.inf
    for r in range(out.shape[0]):
        value = out[r]
        if value > worst:
            continue
        row = block_ids[b, r]
        if row < 0:
            continue
        if masses[q] >= enough and value == worst and row > ids[q, 0]:
            continue
        mass = mass_without(weight, row, own)
        if mass > 0.0:
            push(reduced, ids, counts, masses, q, value, row, mass, weight, own, enough)
            worst = reduced[q, 0] if masses[q] >= enough else np.inf


@kernel
def nearest_in_blocks(
    cells, block_ids, queries, own, weight, enough, kind, p, reduced, ids, counts
):
    """Fill reduced, ids and counts with each query's nearest rows, all rows read."""
    m = queries.shape[0]
    out = np.empty(cells.shape[2])
    masses = np.zeros(m)
    for first in range(0, m, TILE):
        stop = min(first + TILE, m)
        for b in range(cells.shape[0]):
            for q in range(first, stop):
                measure(cells, b, queries, q, kind, p, out)
                take_block(
                    out,
                    block_ids,
                    b,
                    reduced,
                    ids,
                    counts,
                    masses,
                    q,
                    weight,
                    own[q],
                    enough,
                )
        for q in range(first, stop):
            sort_heap(reduced, ids, counts, q)


@kernel
def nearest_in_tree(
    cells,
    block_ids,
    lower,
    upper,
    queries,
    own,
    weight,
    enough,
    kind,
    p,
    reduced,
    ids,
    counts,
):
    """Fill reduced, ids and counts with each query's nearest rows, by a kd-tree.

    Leaf number b of the tree is block b; the children of node i are 2i+1 and 2i+2. The
    child nearer to the query is looked at first, a box farther than the nearest rows
    found so far not at all.
    """
    m = queries.shape[0]
    first_leaf = cells.shape[0] - 1
    out = np.empty(cells.shape[2])
    masses = np.zeros(m)
    nodes = np.empty(128, dtype=np.int64)
    bounds = np.empty(128)
    for q in range(m):
        nodes[0] = 0
        bounds[0] = 0.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = nodes[waiting]
            if masses[q] >= enough and bounds[waiting] > reduced[q, 0]:
                continue
            if node >= first_leaf:
                b = node - first_leaf
                measure(cells, b, queries, q, kind, p, out)
                take_block(
                    out,
                    block_ids,
                    b,
                    reduced,
                    ids,
                    counts,
                    masses,
                    q,
                    weight,
                    own[q],
                    enough,
                )
                continue
            near, far = 2 * node + 1, 2 * node + 2
            near_bound = box_distance(lower, upper, near, queries, q, kind, p)
            far_bound = box_distance(lower, upper, far, queries, q, kind, p)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            nodes[waiting], bounds[waiting] = far, far_bound
            nodes[waiting + 1], bounds[waiting + 1] = near, near_bound
            waiting += 2
        sort_heap(reduced, ids, counts, q)
