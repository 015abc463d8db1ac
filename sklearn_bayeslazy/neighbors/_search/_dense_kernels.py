"""Numba kernels that find the nearest rows, in blocks or in the leaves of a tree.

The nearest rows of a query stand in a heap whose root is the farthest, by (distance,
row). A query asks for a *mass* of neighbours: rows stay while those nearer than they
weigh less than that. With weights of 1 this is k rows.

Kinds of reduced distance: see the constants. A sum runs over the columns in their
order, in blocks as in the bounds of a tree's boxes. Rounding is monotone, so that a
bound never exceeds the distance of a row in the box, to the last bit.
"""

import numpy as np

from ..._kernel import inlined, kernel

SQUARED, MANHATTAN, MINKOWSKI, CHEBYSHEV, PRESENT, UNIT = range(6)
# So many queries are asked of a block while it is in the cache.
TILE = 16
# pow is not monotone to the last bit, as sums and products are; nor is `settle_unit`.
_BOUND_SLACK = 1 - 1e-12
# Rows of length one at right angles are 2 apart, give or take so much rounding.
_RIGHT_ANGLE = 1e-14


@inlined
def settle_unit(squared):
    """Return |a - b|² of rows of length one, exactly 2 where they share nothing."""
    return 2.0 if abs(squared - 2.0) < _RIGHT_ANGLE else squared


@inlined
def measure(cells, b, queries, q, kind, p, out):
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
                out[r] = settle_unit(out[r])
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
    elif kind == MINKOWSKI:  # relative to the largest: no power over- or underflows
        total = np.zeros(width)
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                t = abs(cells[b, j, r] - x)
                out[r] = t if t > out[r] else out[r]
        for j in range(d):
            x = queries[q, j]
            for r in range(width):
                if 0.0 < out[r] < np.inf:
                    total[r] += (abs(cells[b, j, r] - x) / out[r]) ** p
        for r in range(width):
            if 0.0 < out[r] < np.inf:
                out[r] *= total[r] ** (1.0 / p)
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
def _outside(lower, upper, node, queries, q, j):
    """Return how far a query lies outside a box along one column."""
    below = lower[node, j] - queries[q, j]
    above = queries[q, j] - upper[node, j]
    return max(below, above, 0.0)


@inlined
def box_distance(lower, upper, node, queries, q, kind, p):
    """Return a lower bound of the reduced distance of a query to the rows in a box."""
    total = 0.0
    largest = 0.0
    for j in range(lower.shape[1]):
        t = _outside(lower, upper, node, queries, q, j)
        largest = t if t > largest else largest
        if kind in (SQUARED, UNIT):
            total += t * t
        elif kind == MANHATTAN:
            total += t
    if kind == CHEBYSHEV or (kind == MINKOWSKI and not 0.0 < largest < np.inf):
        return largest
    if kind == MINKOWSKI:
        for j in range(lower.shape[1]):
            total += (_outside(lower, upper, node, queries, q, j) / largest) ** p
        return largest * total ** (1.0 / p) * _BOUND_SLACK
    return total * _BOUND_SLACK if kind == UNIT else total


@inlined
def mass_without(weight, row, exclude):
    """Return a row's weight, less one copy if it is the query itself."""
    mass = weight[row]
    return mass - min(1.0, mass) if row == exclude else mass


@inlined
def push(reduced, ids, counts, masses, q, value, row, mass, weight, exclude, enough):
    """Put a row among the nearest, and let those go that are no longer needed."""
    c = counts[q]
    full = c > 0 and masses[q] >= enough  # the row is then nearer than the farthest
    spared = mass_without(weight, ids[q, 0], exclude) if full else 0.0
    masses[q] += mass
    if full and masses[q] - spared >= enough:  # and takes its place
        masses[q] -= spared
        sift_down(reduced, ids, q, value, row, c)
    else:
        while c > 0:  # sift up
            parent = (c - 1) // 2
            v, i = reduced[q, parent], ids[q, parent]
            if v > value or (v == value and i > row):
                break
            reduced[q, c], ids[q, c] = v, i
            c = parent
        reduced[q, c], ids[q, c] = value, row
        counts[q] += 1
    while counts[q] > 1:
        farthest = mass_without(weight, ids[q, 0], exclude)
        if masses[q] - farthest < enough:
            break
        masses[q] -= farthest
        counts[q] -= 1
        last = counts[q]
        value, row = reduced[q, last], ids[q, last]
        sift_down(reduced, ids, q, value, row, last)


@inlined
def offer(reduced, ids, counts, masses, q, value, row, weight, exclude, enough, worst):
    """Put a row among the nearest if it is one of them; return the new worst of them.

    worst is infinite for as long as more rows are wanted.
    """
    if value > worst or (masses[q] >= enough and value == worst and row > ids[q, 0]):
        return worst
    mass = mass_without(weight, row, exclude)
    if mass > 0.0:
        push(reduced, ids, counts, masses, q, value, row, mass, weight, exclude, enough)
    return reduced[q, 0] if masses[q] >= enough else np.inf


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
def smallest(out):
    """Return the least of a block, by lanes so that the loop vectorises."""
    lanes = np.full(8, np.inf)
    for r in range(0, out.shape[0], 8):
        for lane in range(8):
            v = out[r + lane]
            lanes[lane] = v if v < lanes[lane] else lanes[lane]
    least = lanes[0]
    for lane in range(1, 8):
        least = min(least, lanes[lane])
    return least


@inlined
def take_block(
    out, block_ids, b, reduced, ids, counts, masses, q, weight, exclude, enough
):
    """Put the rows of a block that are near enough among the nearest.

    What `offer` does, written out: in this loop the call costs a twentieth.
    """
    worst = reduced[q, 0] if masses[q] >= enough else np.inf
    if worst < np.inf and smallest(out) > worst:
        return
    for r in range(out.shape[0]):
        value = out[r]
        if value > worst:
            continue
        row = block_ids[b, r]
        if row < 0:
            continue
        if masses[q] >= enough and value == worst and row > ids[q, 0]:
            continue
        mass = mass_without(weight, row, exclude)
        if mass > 0.0:
            push(
                reduced,
                ids,
                counts,
                masses,
                q,
                value,
                row,
                mass,
                weight,
                exclude,
                enough,
            )
            worst = reduced[q, 0] if masses[q] >= enough else np.inf


@kernel
def nearest_in_blocks(
    cells, block_ids, queries, exclude, weight, enough, kind, p, reduced, ids, counts
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
                    exclude[q],
                    enough,
                )
        for q in range(first, stop):
            sort_heap(reduced, ids, counts, q)


@kernel
def take_products(
    products,
    slack,
    cells,
    block_ids,
    b,
    row_squares,
    queries,
    query_squares,
    exclude,
    weight,
    enough,
    unit,
    reduced,
    ids,
    counts,
    masses,
):
    """Put the rows of block b among the nearest, by way of their dot products.

    |q - x|² = |q|² + |x|² - 2 q·x is wrong by slack (|q|² + |x|²) at most. Whoever may
    be near enough is measured again, term by term, so that neither the batch nor the
    threads of the product have a say.
    """
    d = cells.shape[1]
    for q in range(queries.shape[0]):
        worst = reduced[q, 0] if masses[q] >= enough else np.inf
        for r in range(products.shape[1]):
            row = block_ids[b, r]
            if row < 0:
                continue
            size = query_squares[q] + row_squares[b, r]
            if size - 2 * products[q, r] - slack * size > worst:
                continue
            value = 0.0
            for j in range(d):
                t = cells[b, j, r] - queries[q, j]
                value += t * t
            if unit:
                value = settle_unit(value)
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
                enough,
                worst,
            )


@kernel
def sort_heaps(reduced, ids, counts):
    """Turn heaps into lists, nearest first."""
    for q in range(reduced.shape[0]):
        sort_heap(reduced, ids, counts, q)


@kernel
def nearest_in_tree(
    cells,
    block_ids,
    lower,
    upper,
    queries,
    exclude,
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
                    exclude[q],
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
