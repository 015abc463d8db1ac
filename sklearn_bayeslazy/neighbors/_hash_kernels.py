"""Numba kernels of hashing: sketches, balanced trees, and the rows near in buckets.

A *sketch* is a short float32 image of a row, which keeps distances nearly; `rest` is
what it loses of the row's square. Sketches of a bucket lie column after column, padded
to whole vectors, so that loops over its rows vectorise: with ``first, last =
blocks[b : b + 2]`` row r of bucket b has its column j at
``cells[first * p + j * (last - first) + r]``.

No sum depends on what is computed beside it.
"""

import numpy as np

from .._kernel import inlined, kernel
from ._kd_tree_kernels import select
from ._neighbor_kernels import offer, settle_unit, sort_heap

# A direction is learnt of so many rows of a node, in so many steps.
_NODE_SAMPLE, _NODE_STEPS = 200, 4
# Buckets are padded to so many rows, which vectors of any machine divide.
LANES = 32
# Cells of sketches end here, so that squares stay within single precision.
LARGEST = 1e15


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
        scale = scales[i] if len(scales) else 1.0
        square = 0.0
        for j in range(d):
            t = (X[i, j] * scale - center[j]) * unit
            t = min(max(t, -LARGEST), LARGEST)
            square += t * t
            x[j] = t
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


@inlined
def _principal_direction(sketches, rows, draw, direction):
    """Write the direction in which some of the rows vary most, or nearly.

    A random difference of two rows, made to turn there by steps of the power method.
    """
    p, size = len(direction), len(rows)
    n_some = min(size, _NODE_SAMPLE)
    some = np.empty((n_some, p))
    mean = np.zeros(p)
    for i in range(n_some):
        row = rows[i * size // n_some]
        for r in range(p):
            some[i, r] = sketches[row, r]
            mean[r] += some[i, r] / n_some
    for i in range(n_some):
        for r in range(p):
            some[i, r] -= mean[r]
    a = np.int64(draw[0] * n_some)
    b = (a + 1 + np.int64(draw[1] * (n_some - 1))) % n_some
    for r in range(p):
        direction[r] = some[a, r] - some[b, r]
    for _ in range(_NODE_STEPS):
        turned = np.zeros(p)
        for i in range(n_some):
            t = 0.0
            for r in range(p):
                t += some[i, r] * direction[r]
            for r in range(p):
                turned[r] += t * some[i, r]
        largest = 0.0
        for r in range(p):
            largest = max(largest, abs(turned[r]))
        if not 0.0 < largest < np.inf:  # rows equal, or at right angles to it
            return
        for r in range(p):
            direction[r] = turned[r] / largest


@inlined
def _along(direction, sketch):
    total = 0.0
    for r in range(len(direction)):
        total += direction[r] * sketch[r]
    return total


@kernel(reorder_sums=True)
def grow_tree(sketches, draws, order, directions, thresholds, root, root_level, depth):
    """Halve the rows of a node, then its halves, and so on to a depth.

    Node i has the children 2 i + 1 and 2 i + 2; node b of a level holds the rows
    ``order[n b / 2^level : n (b + 1) / 2^level]``. It is cut at the median along its
    direction; equal rows are cut by their numbers, so that leaves stay equal. draws, of
    shape (n_nodes, 2), are uniform numbers.
    """
    n = len(order)
    root_b = root + 1 - (1 << root_level)
    start, stop = (n * root_b) >> root_level, (n * (root_b + 1)) >> root_level
    keys = np.empty(stop - start)
    for level in range(root_level, root_level + depth):
        n_nodes = 1 << (level - root_level)
        for b in range(root_b * n_nodes, (root_b + 1) * n_nodes):
            node = (1 << level) - 1 + b
            first, last = (n * b) >> level, (n * (b + 1)) >> level
            size = ((n * (2 * b + 1)) >> (level + 1)) - first
            rows, direction = order[first:last], directions[node]
            _principal_direction(sketches, rows, draws[node], direction)
            for i in range(len(rows)):
                keys[i] = _along(direction, sketches[rows[i]])
            select(keys, rows, 0, len(rows), size)
            low, high = -np.inf, np.inf
            for i in range(size):
                low = max(low, keys[i])
            for i in range(size, len(rows)):
                high = min(high, keys[i])
            thresholds[node] = low + (high - low) / 2


@kernel(reorder_sums=True)
def descend_tree(sketches, directions, thresholds, leaves):
    """Write the leaf to which each sketch belongs."""
    for i in range(len(sketches)):
        node = 0
        while node < len(thresholds):
            right = _along(directions[node], sketches[i]) >= thresholds[node]
            node = 2 * node + (2 if right else 1)
        leaves[i] = node - len(thresholds)


@kernel
def lay_out(
    sketches, rest, order, starts, blocks, begin, end, cells, padded_rest, centers
):
    """Write sketches of some buckets into cells, and their means into centers.

    What is padded is infinitely far; cells hold zeros before.
    """
    p = sketches.shape[1]
    for b in range(begin, end):
        first, size = blocks[b], starts[b + 1] - starts[b]
        width = blocks[b + 1] - first
        center = centers[b]
        for j in range(p):
            center[j] = 0.0
        for r in range(size):
            row = order[starts[b] + r]
            sketch = sketches[row]
            padded_rest[first + r] = rest[row]
            for j in range(p):
                center[j] += sketch[j]
            start = first * p + r
            for j in range(p):
                cells[start + j * width] = sketch[j]
        for r in range(size, width):
            padded_rest[first + r] = np.inf
        for j in range(p):
            center[j] /= size


@inlined
def _widest(blocks):
    widest = 0
    for b in range(len(blocks) - 1):
        widest = max(widest, blocks[b + 1] - blocks[b])
    return widest


@inlined
def _estimate(cells, rest, first, last, sketch, out):
    """Write the squared distances of a sketch to those of a bucket into out."""
    p, size = len(sketch), last - first
    for r in range(size):
        out[r] = rest[first + r]
    fours = p - p % 4
    for j in range(0, fours, 4):  # out is read and written once for four columns
        w, x, y, z = _four_columns(cells, first * p + j * size, size)
        a, b, c, e = sketch[j], sketch[j + 1], sketch[j + 2], sketch[j + 3]
        for r in range(size):
            s, t, u, v = w[r] - a, x[r] - b, y[r] - c, z[r] - e
            out[r] = (((out[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, p):
        w = cells[first * p + j * size : first * p + (j + 1) * size]
        for r in range(size):
            s = w[r] - sketch[j]
            out[r] += s * s


@inlined
def _four_columns(cells, start, size):
    return (
        cells[start : start + size],
        cells[start + size : start + 2 * size],
        cells[start + 2 * size : start + 3 * size],
        cells[start + 3 * size : start + 4 * size],
    )


@inlined
def measure_row(query, empty, X, row, scales):
    """Return the squared distance of a query to a row, 2 if one has no direction."""
    x = X[row]
    total = 0.0
    if len(scales) == 0:
        for j in range(len(query)):
            t = query[j] - x[j]
            total += t * t
        return total
    scale = scales[row]
    for j in range(len(query)):
        t = query[j] - x[j] * scale
        total += t * t
    return 2.0 if empty or scale == 0.0 else settle_unit(total)


@inlined
def _least_of(values, block):
    least = values[block * LANES]
    for i in range(block * LANES + 1, (block + 1) * LANES):
        least = min(least, values[i])
    return least


@kernel(fuse_products=True)
def choose_buckets(centers, rest, sizes, sketches, homes, n_read, buckets, counts):
    """List a query's own bucket and those whose means are nearest, up to n_read rows.

    Parameters
    ----------
    centers, rest : float32 arrays of shapes (p * width,), (width,)
        The means, as the cells of one padded bucket; rest is infinite where it is
        padded.
    sizes : int array of shape (n_buckets,)
        How many rows each bucket holds.
    homes : int array of shape (m,)
        The bucket of each query's own code, or -1; it comes first.
    buckets : int array of shape (m, width)
        Numbers of buckets; counts says how many.
    """
    width = len(rest)
    n_blocks = width // LANES
    out, least = np.empty(width, np.float32), np.empty(n_blocks, np.float32)
    for q in range(len(counts)):
        _estimate(centers, rest, 0, width, sketches[q], out)
        for block in range(n_blocks):
            least[block] = _least_of(out, block)
        total = 0
        while total < n_read and counts[q] < len(sizes):
            b = homes[q] if counts[q] == 0 else -1
            nearest = b // LANES
            if b < 0:
                nearest = 0
                for block in range(1, n_blocks):
                    if least[block] < least[nearest]:
                        nearest = block
                b = nearest * LANES
                while out[b] != least[nearest]:
                    b += 1
            buckets[q, counts[q]] = b
            counts[q] += 1
            total += sizes[b]
            out[b] = np.inf
            least[nearest] = _least_of(out, nearest)


@kernel
def sort_pairs(buckets, counts, n_buckets, starts, queries):
    """List the queries of each bucket: first of those nearest to it, then the others.

    Group g, the queries ``queries[starts[g] : starts[g + 1]]``, is asked of bucket
    ``g % n_buckets``.
    """
    for q in range(len(counts)):
        for c in range(counts[q]):
            starts[1 + buckets[q, c] + (n_buckets if c else 0)] += 1
    for g in range(2 * n_buckets):
        starts[g + 1] += starts[g]
    ends = starts.copy()
    for q in range(len(counts)):
        for c in range(counts[q]):
            g = buckets[q, c] + (n_buckets if c else 0)
            queries[ends[g]] = q
            ends[g] += 1


@inlined
def _estimate_four(cells, rest, first, last, sketches, four, out):
    """Do what `_estimate` does for four queries, to the same bits.

    Each cell is read once for all.
    """
    p, size = sketches.shape[1], last - first
    a, b, c, e = (
        sketches[four[0]],
        sketches[four[1]],
        sketches[four[2]],
        sketches[four[3]],
    )
    out0, out1, out2, out3 = out[0], out[1], out[2], out[3]
    for r in range(size):
        out0[r] = out1[r] = out2[r] = out3[r] = rest[first + r]
    fours = p - p % 4
    for j in range(0, fours, 4):
        w, x, y, z = _four_columns(cells, first * p + j * size, size)
        a0, a1, a2, a3 = a[j], a[j + 1], a[j + 2], a[j + 3]
        b0, b1, b2, b3 = b[j], b[j + 1], b[j + 2], b[j + 3]
        c0, c1, c2, c3 = c[j], c[j + 1], c[j + 2], c[j + 3]
        e0, e1, e2, e3 = e[j], e[j + 1], e[j + 2], e[j + 3]
        for r in range(size):
            w0, x0, y0, z0 = w[r], x[r], y[r], z[r]
            s, t, u, v = w0 - a0, x0 - a1, y0 - a2, z0 - a3
            out0[r] = (((out0[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - b0, x0 - b1, y0 - b2, z0 - b3
            out1[r] = (((out1[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - c0, x0 - c1, y0 - c2, z0 - c3
            out2[r] = (((out2[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - e0, x0 - e1, y0 - e2, z0 - e3
            out3[r] = (((out3[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, p):
        w = cells[first * p + j * size : first * p + (j + 1) * size]
        for r in range(size):
            s, t, u, v = w[r] - a[j], w[r] - b[j], w[r] - c[j], w[r] - e[j]
            out0[r] += s * s
            out1[r] += t * t
            out2[r] += u * u
            out3[r] += v * v


@inlined
def cut_farthest(near, chosen, sizes, q, most):
    """Keep the nearest of a query's rows, at most so many; return the farthest."""
    if sizes[q] > most:
        select(near[q], chosen[q], 0, sizes[q], most)
        sizes[q] = most
    bound = -np.inf
    for c in range(sizes[q]):
        bound = max(bound, near[q, c])
    return bound


@kernel(fuse_products=True)
def choose_candidates(
    table, pair_starts, pair_queries, sketches, own, near, chosen, sizes
):
    """List the rows of each query's buckets whose sketches are nearest to its own.

    Parameters
    ----------
    table : tuple
        starts, order, blocks, cells and rest.
    pair_starts, pair_queries : int arrays
        As `sort_pairs` makes them.
    near, chosen : arrays of shape (m, 2 * n_candidates)
        Squared distances and numbers of the rows, in no order; sizes says how many.
    """
    starts, order, blocks, cells, rest = table
    n_buckets = len(starts) - 1
    out = np.empty((4, _widest(blocks)), np.float32)
    most = near.shape[1] // 2
    bounds = np.full(len(sizes), np.inf)
    for g in range(2 * n_buckets):
        b = g % n_buckets
        first, last = blocks[b], blocks[b + 1]
        size = starts[b + 1] - starts[b]
        i = pair_starts[g]
        while i < pair_starts[g + 1]:
            step = 4 if i + 4 <= pair_starts[g + 1] else 1
            if step == 4:
                four = (
                    pair_queries[i],
                    pair_queries[i + 1],
                    pair_queries[i + 2],
                    pair_queries[i + 3],
                )
                _estimate_four(cells, rest, first, last, sketches, four, out)
            else:
                _estimate(cells, rest, first, last, sketches[pair_queries[i]], out[0])
            for c in range(step):
                q = pair_queries[i + c]
                estimates = out[c]
                bound = bounds[q]
                for r in range(size):
                    if estimates[r] <= bound and order[starts[b] + r] != own[q]:
                        near[q, sizes[q]] = estimates[r]
                        chosen[q, sizes[q]] = order[starts[b] + r]
                        sizes[q] += 1
                        if sizes[q] == 2 * most:
                            bound = cut_farthest(near, chosen, sizes, q, most)
                bounds[q] = bound
            i += step
    for q in range(len(sizes)):
        cut_farthest(near, chosen, sizes, q, most)


@kernel
def list_rows(starts, order, probes, n_probes, rows):
    """Write the rows in each query's buckets, one bucket after another."""
    for q in range(len(n_probes)):
        size = 0
        for c in range(n_probes[q]):
            for i in range(starts[probes[q, c]], starts[probes[q, c] + 1]):
                rows[q, size] = order[i]
                size += 1


@kernel(reorder_sums=True)
def measure_candidates(
    chosen,
    sizes,
    sequence,
    queries,
    empty,
    own,
    X,
    scales,
    weight,
    k,
    reduced,
    ids,
    counts,
):
    """Fill reduced, ids and counts with the nearest of the rows chosen for each query.

    A row may have been chosen more than once. sequence is as in `choose_candidates`.
    """
    masses = np.zeros(len(counts))
    for q in sequence:
        some = chosen[q, : sizes[q]]
        some.sort()
        worst, before = np.inf, -1
        for row in some:
            if row != before:
                value = measure_row(queries[q], empty[q], X, row, scales)
                worst = offer(
                    reduced,
                    ids,
                    counts,
                    masses,
                    q,
                    value,
                    row,
                    weight,
                    own[q],
                    k,
                    worst,
                )
            before = row
        sort_heap(reduced, ids, counts, q)


@kernel(reorder_sums=True)
def squared_distances(chosen, sizes, queries, empty, X, scales, reduced):
    """Write the squared distances of each query to the rows chosen for it."""
    for q in range(len(sizes)):
        for c in range(sizes[q]):
            reduced[q, c] = measure_row(queries[q], empty[q], X, chosen[q, c], scales)


@kernel(reorder_sums=True, fuse_products=True)
def rank_in_sketches(table, sketches, own, wanted, ranks):
    """Write how many rows have sketches at most as far as each of the wanted rows.

    wanted, of shape (m, k), holds row numbers; own, the query itself, does not count.
    """
    starts, order, blocks, cells, rest = table
    m, k = wanted.shape
    n_buckets = len(starts) - 1
    place, bucket = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    for b in range(n_buckets):
        for i in range(starts[b], starts[b + 1]):
            place[order[i]], bucket[order[i]] = i - starts[b], b
    out = np.empty(_widest(blocks), np.float32)
    bounds = np.empty((m, k), np.float32)
    farthest = np.full(m, -np.inf, np.float32)
    for q in range(m):
        for c in range(k):
            row = wanted[q, c]
            first, last = blocks[bucket[row]], blocks[bucket[row] + 1]
            _estimate(cells, rest, first, last, sketches[q], out)
            bounds[q, c] = out[place[row]]
            farthest[q] = max(farthest[q], bounds[q, c])
            ranks[q, c] = 0
    for b in range(n_buckets):  # a bucket stays in the cache for all queries
        first, last = blocks[b], blocks[b + 1]
        for q in range(m):
            _estimate(cells, rest, first, last, sketches[q], out)
            if own[q] >= 0 and bucket[own[q]] == b:
                out[place[own[q]]] = np.inf
            near = 0
            for r in range(last - first):
                near += out[r] <= farthest[q]
            for c in range(k if near else 0):
                for r in range(last - first):
                    ranks[q, c] += out[r] <= bounds[q, c]


@kernel(reorder_sums=True)
def center_rows(X, scales, center, unit, centered, squares):
    """Write (x scale - center) unit in single precision, and its square."""
    for i in range(len(X)):
        scale = scales[i] if len(scales) else 1.0
        x, out = X[i], centered[i]
        square = 0.0
        for j in range(len(center)):
            t = (x[j] * scale - center[j]) * unit
            t = min(max(t, -LARGEST), LARGEST)
            out[j] = t
            square += t * t
        squares[i] = square


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
    own,
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
            value = measure_row(queries[q], empty[q], X, row, scales)
            worst = offer(
                reduced, ids, counts, masses, q, value, row, weight, own[q], k, worst
            )
            bound = worst * unit * unit
