"""Numba kernels of hash tables: storage of buckets, and the buckets a query reads.

A *projection* is a short float32 image of a row, in which distances are nearly kept.
A *residual* is the part of the row's squared length that the projection loses. The
projections of a bucket are stored column after column and padded to whole vectors, so
that loops over its rows vectorise: with ``first, last = blocks[b : b + 2]`` row r of
bucket b has its column j at ``cells[first * p + j * (last - first) + r]``.
"""

import numpy as np

from ..._core._kernel import frozen, inlined, inlined_late, kernel

# Buckets are padded to multiples of this, which is a multiple of every vector register.
LANES = 32
# Marks that all rows count, and a table without rows.
ALL = frozen(np.empty(0, dtype=np.uint8), np.uint8)
NO_ROWS = frozen(np.empty(0, dtype=np.int64), np.int64)


@kernel
def store_buckets(
    projections,
    residuals,
    order,
    starts,
    blocks,
    begin,
    end,
    cells,
    padded_residuals,
    centers,
):
    """Write projections of some buckets into cells, and their means into centers."""
    # projections: (n, p); residuals: (n,); the buckets are those from begin to end - 1.
    # Written: cells and padded_residuals, bucket by bucket; centers: (n_buckets, p).
    # Padding gets an infinite residual; cells hold zeros before.
    p = projections.shape[1]
    for b in range(begin, end):
        first, size = blocks[b], starts[b + 1] - starts[b]
        width = blocks[b + 1] - first
        center = centers[b]
        for j in range(p):
            center[j] = 0.0
        for r in range(size):
            row = order[starts[b] + r]
            projection = projections[row]
            padded_residuals[first + r] = residuals[row]
            for j in range(p):
                center[j] += projection[j]
            start = first * p + r
            for j in range(p):
                cells[start + j * width] = projection[j]
        for r in range(size, width):
            padded_residuals[first + r] = np.inf
        for j in range(p):
            center[j] /= size


@inlined
def _smaller(x, y):
    return x if x < y else y  # `min` would be compiled for each type of number


@inlined_late
def _lane_minimum(values, block):
    """Return the minimum of one block of LANES values."""
    least = values[block * LANES]
    for i in range(block * LANES + 1, (block + 1) * LANES):
        least = _smaller(least, values[i])
    return least


@inlined
def _position_of_minimum(values, minima):
    """Return the first position of the minimum, given the minima of the blocks."""
    nearest = 0
    for block in range(1, len(minima)):
        if minima[block] < minima[nearest]:
            nearest = block
    position = nearest * LANES
    while values[position] != minima[nearest]:
        position += 1
    return position


# Over twelve arguments: scratch comes as plain arrays, quicker to pass than a tuple.
@kernel(fuse_products=True)
def choose_buckets(
    centers,
    residuals,
    sizes,
    members,
    projections,
    homes,
    n_read,
    buckets,
    counts,
    queries,
    n_alive,
    out,
    minima,
):
    """List each query's home bucket, then nearest ones, until they hold n_read rows."""
    # centers: (p * width,) float32, the means; residuals: (width,) float32, 0, and
    # infinite where it is padded, as `BucketMeans` stores them.
    # sizes: (n_buckets,), numbers of rows; members: starts and order as `HashTable` has
    # them, and alive: (n,), 0 for rows that do not count, empty if all do;
    # projections: (m, p); homes: (m,), the bucket of each query's code (its home), or
    # -1.
    # Written: buckets: (m, max_buckets), bucket numbers; counts: (m,), their number, 0
    # before.
    # queries: the numbers 0 ... m - 1. Scratch: n_alive: (n_buckets,), -1 before, empty
    # if all rows count; float32: out: (3, width); minima: (width // LANES,).
    starts, order, alive = members
    width, i = np.int64(len(residuals)), np.int64(0)
    first, m = np.int64(0), np.int64(len(counts))
    while i < m:
        step = estimate_next(
            centers, residuals, first, width, projections, queries, i, m, out
        )
        for q in range(i, i + step):
            distances = out[q - i]
            for block in range(len(minima)):
                minima[block] = _lane_minimum(distances, block)
            total = 0
            while total < n_read and counts[q] < len(sizes):
                b = homes[q] if counts[q] == 0 else -1
                if b < 0:
                    b = _position_of_minimum(distances, minima)
                buckets[q, counts[q]] = b
                counts[q] += 1
                size = sizes[b]
                if len(alive) > 0:
                    if n_alive[b] < 0:  # counted when a query first reads the bucket
                        n_alive[b] = 0
                        for r in range(starts[b], starts[b + 1]):
                            n_alive[b] += alive[order[r]]
                    size = n_alive[b]
                total += size
                distances[b] = np.inf
                minima[b // LANES] = _lane_minimum(distances, b // LANES)
        i += step


@kernel
def group_queries(buckets, counts, n_buckets, starts, queries):
    """List the queries that read each bucket as their first one, or as a later one."""
    # buckets: (m, max_buckets); counts: (m,). Written: starts: (2 * n_buckets + 1,),
    # zeros before; queries: (counts.sum(),).
    # Group g, the queries queries[starts[g] : starts[g + 1]], reads bucket
    # g % n_buckets: as the first bucket if g < n_buckets.
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


class BucketMeans:
    """The mean projections of buckets, and how many rows each bucket holds."""

    # means: (n_buckets, p); sizes: (n_buckets,). They are stored as the cells of one
    # padded bucket.

    def __init__(self, means, sizes):
        width = -(-len(means) // LANES) * LANES
        cells = np.zeros((means.shape[1], width), dtype=np.float32)
        cells[:, : len(means)] = means.T
        is_padding = np.arange(width) >= len(means)
        self.cells = frozen(cells.ravel(), np.float32)
        self.residuals = frozen(np.where(is_padding, np.inf, 0.0), np.float32)
        self.sizes = frozen(sizes, np.int64)
        # Of the smallest buckets: they bound how many a query reads.
        self.total_sizes = np.cumsum(np.sort(sizes))

    def nearest(self, projections, homes, n_read, members=(NO_ROWS, NO_ROWS, ALL)):
        """Return each query's buckets of nearest means, until they hold n_read rows."""
        # projections: (m, p) float32; homes: (m,), the bucket of each query's code, or
        # -1; members: as in `choose_buckets`. Returned are buckets: (m, max_buckets),
        # and counts: (m,), how many of them are read.
        m, n_buckets = len(projections), len(self.sizes)
        widest = min(int(np.searchsorted(self.total_sizes, n_read)) + 1, n_buckets)
        n_alive = np.empty(0, dtype=np.int64)
        if len(members[2]):  # any number of buckets may hold no row that counts
            widest, n_alive = n_buckets, np.full(n_buckets, -1)
        buckets = np.empty((m, widest), dtype=np.int64)
        counts = np.zeros(m, dtype=np.int64)
        width = len(self.residuals)
        choose_buckets(  # a pickle forgets that arrays are read-only
            frozen(self.cells, np.float32),
            frozen(self.residuals, np.float32),
            frozen(self.sizes, np.int64),
            members,
            frozen(projections, np.float32),
            homes,
            n_read,
            buckets,
            counts,
            np.arange(m),
            n_alive,
            np.empty((3, width), dtype=np.float32),
            np.empty(width // LANES, dtype=np.float32),
        )
        return buckets, counts


# Parts of numba kernels that compare projections of queries with those of a bucket.
#
# The sums of a row do not depend on the rows or queries beside it.


# The first columns, of largest variance, show for most buckets that they are too far.
_N_LEADING_COLUMNS = 16


@inlined
def four_columns(cells, start, size):
    """Return four columns of a bucket, from a position on."""
    return (
        cells[start : start + size],
        cells[start + size : start + 2 * size],
        cells[start + 2 * size : start + 3 * size],
        cells[start + 3 * size : start + 4 * size],
    )


@inlined
def _add_columns(cells, start, size, projection, begin, end, out):
    """Add squared differences in some columns of a bucket to out, in order."""
    fours = end - (end - begin) % 4
    for j in range(begin, fours, 4):  # out is read and written once for four columns
        w, x, y, z = four_columns(cells, start + j * size, size)
        a, b, c, e = (
            projection[j],
            projection[j + 1],
            projection[j + 2],
            projection[j + 3],
        )
        for r in range(size):
            s, t, u, v = w[r] - a, x[r] - b, y[r] - c, z[r] - e
            out[r] = (((out[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, end):
        w = cells[start + j * size : start + (j + 1) * size]
        for r in range(size):
            s = w[r] - projection[j]
            out[r] += s * s


@kernel(fuse_products=True, only_in_kernels=True)
def estimate_within(cells, residuals, first, last, projection, limit, out):
    """Write estimated distances if any row is within a limit; return whether."""
    # Written: out: (last - first,), to the same bits as by `estimate_next`, but only
    # the sums of the leading columns if no row is within the limit.
    size, p = last - first, len(projection)
    for r in range(size):
        out[r] = residuals[first + r]
    begin, end = 0, p if p < _N_LEADING_COLUMNS else _N_LEADING_COLUMNS
    while True:
        _add_columns(cells, first * p, size, projection, begin, end, out)
        n_within = 0
        for r in range(size):
            n_within += out[r] <= limit
        if n_within == 0:
            return False
        if end == p:
            return True
        begin, end = end, p


@inlined
def _estimate_three(cells, residuals, first, last, projections, three, out):
    """Do what `estimate_within` does for three queries, to the same bits."""
    # three: the numbers of three queries; out: (3, width). Each cell is read once for
    # all three: with four, registers do not hold all cells.
    p, size = projections.shape[1], last - first
    a, b, c = projections[three[0]], projections[three[1]], projections[three[2]]
    out0, out1, out2 = out[0], out[1], out[2]
    for r in range(size):
        out0[r] = out1[r] = out2[r] = residuals[first + r]
    fours = p - p % 4
    for j in range(0, fours, 4):
        w, x, y, z = four_columns(cells, first * p + j * size, size)
        a0, a1, a2, a3 = a[j], a[j + 1], a[j + 2], a[j + 3]
        b0, b1, b2, b3 = b[j], b[j + 1], b[j + 2], b[j + 3]
        c0, c1, c2, c3 = c[j], c[j + 1], c[j + 2], c[j + 3]
        for r in range(size):
            w0, x0, y0, z0 = w[r], x[r], y[r], z[r]
            s, t, u, v = w0 - a0, x0 - a1, y0 - a2, z0 - a3
            out0[r] = (((out0[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - b0, x0 - b1, y0 - b2, z0 - b3
            out1[r] = (((out1[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - c0, x0 - c1, y0 - c2, z0 - c3
            out2[r] = (((out2[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, p):
        w = cells[first * p + j * size : first * p + (j + 1) * size]
        for r in range(size):
            s, t, u = w[r] - a[j], w[r] - b[j], w[r] - c[j]
            out0[r] += s * s
            out1[r] += t * t
            out2[r] += u * u


@kernel(fuse_products=True, only_in_kernels=True)
def estimate_next(cells, residuals, first, last, projections, queries, i, end, out):
    """Estimate distances of the next three queries, or of one; return how many."""
    # Written: out: (3, width), the estimated squared distances of the queries
    # queries[i], queries[i + 1], ... to the rows of a bucket.
    if i + 3 <= end:
        three = queries[i], queries[i + 1], queries[i + 2]
        _estimate_three(cells, residuals, first, last, projections, three, out)
        return 3
    projection, no_limit = projections[queries[i]], np.float32(np.inf)
    estimate_within(cells, residuals, first, last, projection, no_limit, out[0])
    return 1
