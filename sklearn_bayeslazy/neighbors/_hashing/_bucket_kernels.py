"""Numba kernels of hash tables: the rows in near buckets whose sketches are near.

A *sketch* is a short float32 image of a row, which keeps distances nearly; `rest` is
what it loses of the row's square. Sketches of a bucket lie column after column, padded
to whole vectors, so that loops over its rows vectorise: with ``first, last =
blocks[b : b + 2]`` row r of bucket b has its column j at
``cells[first * p + j * (last - first) + r]``.

No sum depends on what is computed beside it.
"""

import numpy as np

from ..._kernel import inlined, kernel
from .._search import select

# Buckets are padded to so many rows, which vectors of any machine divide.
LANES = 32
# So many columns, those of largest variance, show that most buckets are too far away.
_HEAD = 16


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
def widest_of(blocks):
    widest = 0
    for b in range(len(blocks) - 1):
        widest = max(widest, blocks[b + 1] - blocks[b])
    return widest


@inlined
def _add_columns(cells, start, size, sketch, begin, end, out):
    """Add squared differences of a sketch to some columns of a bucket, in order."""
    fours = end - (end - begin) % 4
    for j in range(begin, fours, 4):  # out is read and written once for four columns
        w, x, y, z = _four_columns(cells, start + j * size, size)
        a, b, c, e = sketch[j], sketch[j + 1], sketch[j + 2], sketch[j + 3]
        for r in range(size):
            s, t, u, v = w[r] - a, x[r] - b, y[r] - c, z[r] - e
            out[r] = (((out[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, end):
        w = cells[start + j * size : start + (j + 1) * size]
        for r in range(size):
            s = w[r] - sketch[j]
            out[r] += s * s


@inlined
def estimate(cells, rest, first, last, sketch, out):
    """Write the squared distances of a sketch to those of a bucket into out."""
    size = last - first
    for r in range(size):
        out[r] = rest[first + r]
    _add_columns(cells, first * len(sketch), size, sketch, 0, len(sketch), out)


@inlined
def estimate_within(cells, rest, first, last, sketch, limit, out):
    """Do what `estimate` does if a row may be within a limit; tell whether it may."""
    size, p = last - first, len(sketch)
    head = min(p, _HEAD)
    for r in range(size):
        out[r] = rest[first + r]
    _add_columns(cells, first * p, size, sketch, 0, head, out)
    if not _any_within(out, size, limit):
        return False
    _add_columns(cells, first * p, size, sketch, head, p, out)
    return _any_within(out, size, limit)


@inlined
def _any_within(values, size, limit):
    near = 0
    for r in range(size):
        near += values[r] <= limit
    return near > 0


@inlined
def _four_columns(cells, start, size):
    return (
        cells[start : start + size],
        cells[start + size : start + 2 * size],
        cells[start + 2 * size : start + 3 * size],
        cells[start + 3 * size : start + 4 * size],
    )


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
        estimate(centers, rest, 0, width, sketches[q], out)
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
def estimate_four(cells, rest, first, last, sketches, four, out):
    """Do what `estimate` does for four queries, to the same bits.

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
def _bound_of(values, least, most, bound):
    """Return a bound within which least of the values lie, or most at the most.

    They all lie above 0, and least of them within the bound given. It is halved rather
    than values sorted, for a vector counts faster than a branch compares.
    """
    low, high = np.float32(0.0), bound
    while True:
        middle = low + (high - low) * np.float32(0.5)
        if not low < middle < high:  # what is left is equal
            return high
        count = 0
        for r in range(len(values)):
            count += values[r] <= middle
        if count < least:
            low = middle
        elif count > most:
            high = middle
        else:
            return middle


@inlined
def _keep_nearest(near, chosen, sizes, q, least, most):
    """Keep the rows of a query that are within a lower bound, and return it.

    It holds least of them, or with equal distances the first least rows.
    """
    farthest = np.float32(0.0)
    for c in range(sizes[q]):
        farthest = max(farthest, near[q, c])
    bound = _bound_of(near[q], least, most, farthest)
    size = 0
    for c in range(sizes[q]):
        value, row = near[q, c], chosen[q, c]
        near[q, size], chosen[q, size] = value, row
        size += value <= bound
    if size > most:
        select(near[q], chosen[q], 0, size, least)
        size = least
    for c in range(size, sizes[q]):
        near[q, c] = np.inf
    sizes[q] = size
    return bound


@kernel(fuse_products=True)
def choose_candidates(
    table,
    pair_starts,
    pair_queries,
    sketches,
    exclude,
    n_candidates,
    near,
    chosen,
    sizes,
):
    """List the rows of each query's buckets whose sketches are nearest to its own.

    Parameters
    ----------
    table : tuple
        starts, order, blocks, cells and rest.
    pair_starts, pair_queries : int arrays
        As `sort_pairs` makes them.
    n_candidates : int
    near, chosen : float32 and int arrays of shape (m, width)
        Squared distances, infinite before, and numbers of the rows, the nearer half
        first; sizes says how many. Twice n_candidates fit into the width, which is
        whole vectors.
    """
    starts, order, blocks, cells, rest = table
    n_buckets, width = len(starts) - 1, near.shape[1]
    enough = n_candidates + n_candidates // 4
    out = np.empty((4, widest_of(blocks)), np.float32)
    bounds = np.full(len(sizes), np.inf, np.float32)
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
                estimate_four(cells, rest, first, last, sketches, four, out)
            else:
                estimate(cells, rest, first, last, sketches[pair_queries[i]], out[0])
            for c in range(step):
                q = pair_queries[i + c]
                estimates = out[c]
                bound = bounds[q]
                if sizes[q] == 0 and size > width:  # one more: it may be the query
                    high = np.float32(0.0)
                    for r in range(size):
                        high = max(high, estimates[r])
                    if high < np.inf:
                        least, most = n_candidates + 1, enough + 1
                        bound = _bound_of(estimates[: last - first], least, most, high)
                for begin in range(0, size, LANES):
                    close = 0
                    for r in range(begin, begin + LANES):
                        close += estimates[r] <= bound
                    if close == 0:
                        continue
                    for r in range(begin, min(begin + LANES, size)):
                        if estimates[r] <= bound and order[starts[b] + r] != exclude[q]:
                            near[q, sizes[q]] = estimates[r]
                            chosen[q, sizes[q]] = order[starts[b] + r]
                            sizes[q] += 1
                            if sizes[q] == width:
                                bound = _keep_nearest(
                                    near, chosen, sizes, q, n_candidates, enough
                                )
                bounds[q] = bound
            i += step
    for q in range(len(sizes)):
        if sizes[q] > n_candidates:
            bound = _keep_nearest(near, chosen, sizes, q, n_candidates, n_candidates)
            half = max(n_candidates // 2, 1)
            bound = _bound_of(near[q], half, half + half // 4, bound)
            place = 0
            for c in range(n_candidates):
                row = chosen[q, c]
                if near[q, c] <= bound:
                    chosen[q, c], chosen[q, place] = chosen[q, place], row
                    near[q, c] = near[q, place]
                    place += 1


@kernel(reorder_sums=True, fuse_products=True)
def list_within(table, sketches, exclude, limits, chosen, sizes):
    """List all rows whose sketches are within a limit of each query's.

    Parameters
    ----------
    table : tuple
        starts, order, blocks, cells and rest.
    limits : float32 array of shape (m,)
        Squared distances of sketches; what sketches lose does not count.
    chosen : int array of shape (m, width)
        Numbers of the rows; sizes says how many there are, more than width perhaps.
    """
    starts, order, blocks, cells, rest = table
    m, width = chosen.shape
    out, padding = np.empty(widest_of(blocks), np.float32), np.empty_like(rest)
    for r in range(len(rest)):
        padding[r] = np.inf if rest[r] == np.inf else 0.0
    for b in range(len(starts) - 1):  # a bucket stays in the cache for all queries
        first, last = blocks[b], blocks[b + 1]
        for q in range(m):
            limit, sketch = limits[q], sketches[q]
            if not estimate_within(cells, padding, first, last, sketch, limit, out):
                continue
            for r in range(starts[b + 1] - starts[b]):
                if out[r] <= limit and order[starts[b] + r] != exclude[q]:
                    if sizes[q] < width:
                        chosen[q, sizes[q]] = order[starts[b] + r]
                    sizes[q] += 1


@kernel
def list_rows(starts, order, probes, n_probes, rows):
    """Write the rows in each query's buckets, one bucket after another."""
    for q in range(len(n_probes)):
        size = 0
        for c in range(n_probes[q]):
            for i in range(starts[probes[q, c]], starts[probes[q, c] + 1]):
                rows[q, size] = order[i]
                size += 1


@kernel(reorder_sums=True, fuse_products=True)
def rank_in_sketches(table, sketches, exclude, wanted, ranks):
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
    out = np.empty(widest_of(blocks), np.float32)
    bounds = np.empty((m, k), np.float32)
    farthest = np.full(m, -np.inf, np.float32)
    for q in range(m):
        for c in range(k):
            row = wanted[q, c]
            first, last = blocks[bucket[row]], blocks[bucket[row] + 1]
            estimate(cells, rest, first, last, sketches[q], out)
            bounds[q, c] = out[place[row]]
            farthest[q] = max(farthest[q], bounds[q, c])
            ranks[q, c] = 0
    for b in range(n_buckets):  # a bucket stays in the cache for all queries
        first, last = blocks[b], blocks[b + 1]
        for q in range(m):
            sketch, far = sketches[q], farthest[q]
            if not estimate_within(cells, rest, first, last, sketch, far, out):
                continue
            if exclude[q] >= 0 and bucket[exclude[q]] == b:
                out[place[exclude[q]]] = np.inf
            for c in range(k):
                for r in range(last - first):
                    ranks[q, c] += out[r] <= bounds[q, c]
