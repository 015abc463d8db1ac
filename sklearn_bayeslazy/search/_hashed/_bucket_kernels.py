"""Numba kernels of hash tables: storage of buckets, and the buckets a query reads.

`_projection_kernels` explains the storage of a bucket.
"""

import numpy as np

from ..._core._kernel import frozen, inlined, kernel
from ._projection_kernels import LANES, estimate_next


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
def _lane_minimum(values, block):
    """Return the minimum of one block of LANES values."""
    # Four chains of minima take less time than one, in which each waits for the last.
    first = block * LANES
    a, b, c, d = values[first], values[first + 1], values[first + 2], values[first + 3]
    for i in range(first + 4, first + LANES, 4):
        a, b = min(a, values[i]), min(b, values[i + 1])
        c, d = min(c, values[i + 2]), min(d, values[i + 3])
    return min(min(a, b), min(c, d))


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


@kernel(fuse_products=True)
def choose_buckets(
    centers, residuals, sizes, projections, homes, n_read, buckets, counts
):
    """List each query's home bucket, then nearest ones, until they hold n_read rows."""
    # centers: (p * width,) float32, the means, stored as the cells of one padded
    # bucket; residuals: (width,) float32, 0, and infinite where it is padded.
    # sizes: (n_buckets,), numbers of rows; projections: (m, p); homes: (m,), the bucket
    # of each query's code, or -1.
    # Written: buckets: (m, max_buckets), bucket numbers; counts: (m,), their number, 0
    # before.
    width = len(residuals)
    n_blocks = width // LANES
    out, minima = np.empty((3, width), np.float32), np.empty(n_blocks, np.float32)
    queries = np.arange(len(counts))
    i = 0
    while i < len(queries):
        step = estimate_next(
            centers, residuals, 0, width, projections, queries, i, len(queries), out
        )
        for q in range(i, i + step):
            distances = out[q - i]
            for block in range(n_blocks):
                minima[block] = _lane_minimum(distances, block)
            total = 0
            while total < n_read and counts[q] < len(sizes):
                b = homes[q] if counts[q] == 0 else -1
                if b < 0:
                    b = _position_of_minimum(distances, minima)
                buckets[q, counts[q]] = b
                counts[q] += 1
                total += sizes[b]
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


@kernel
def list_rows(starts, order, buckets, counts, rows):
    """Write the rows of each query's buckets, one bucket after another."""
    for q in range(len(counts)):
        size = 0
        for c in range(counts[q]):
            for i in range(starts[buckets[q, c]], starts[buckets[q, c] + 1]):
                rows[q, size] = order[i]
                size += 1


def nearest_buckets(centers, sizes, projections, homes, n_read):
    """Return each query's buckets of nearest means, until they hold n_read rows."""
    # centers, sizes: as in `choose_buckets`; projections: (m, p) float32; homes: (m,).
    # Returned are buckets: (m, max_buckets), and counts: (m,), how many of them are
    # read.
    widest = int(np.searchsorted(np.cumsum(np.sort(sizes)), n_read)) + 1
    buckets = np.empty((len(projections), min(widest, len(sizes))), dtype=np.int64)
    counts = np.zeros(len(projections), dtype=np.int64)
    width = centers.size // projections.shape[1]
    residuals = np.where(np.arange(width) < len(sizes), 0.0, np.inf)
    choose_buckets(
        frozen(centers, np.float32),
        frozen(residuals, np.float32),
        frozen(sizes, np.int64),
        frozen(projections, np.float32),
        homes,
        n_read,
        buckets,
        counts,
    )
    return buckets, counts


def stored_means(means):
    """Return means as `choose_buckets` reads them: the cells of one padded bucket.

    >>> stored_means(np.array([[1.0, 2.0], [3.0, 4.0]]))[[0, 1, LANES, LANES + 1]]
    array([1., 3., 2., 4.], dtype=float32)
    """
    width = -(-len(means) // LANES) * LANES
    cells = np.zeros((means.shape[1], width), dtype=np.float32)
    cells[:, : len(means)] = means.T
    return cells.ravel()
