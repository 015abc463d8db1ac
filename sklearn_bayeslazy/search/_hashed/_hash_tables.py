"""Hash tables: rows in buckets, and the buckets that are near a query.

A hash function gives each row a code; rows with the same code share a bucket. The
bucket of a query's code is its *home*. A query reads its home, if there is one. It then
reads the other buckets, the nearest first, until the buckets hold the number of rows to
be read. A bucket is near if the mean of its rows' projections is near the projection of
the query. This is the same for all hash functions, and works for buckets of any size
(multi-probe LSH).

`_bucket_kernels` explains projections, residuals and the storage of a bucket.
"""

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import MIN_QUERIES_PER_TASK, map_chunks
from ._bucket_kernels import (
    ALL,
    LANES,
    BucketMeans,
    group_queries,
    store_buckets,
)
from ._candidate_kernels import choose_candidates, list_within, rank_by_projections

# Twice the rounding of a number in single precision.
_ROUNDING = 2.0**-23


class HashTable:
    """Rows in the buckets of a hash function."""

    # Arguments, of which hash_function and shift are also attributes:
    # hash_function: object with `codes(rows, projections)`; codes: (n,), those of the
    # rows; projections: (n, p), residuals: (n,), float32; shift: the number of last
    # bits of a code that are dropped, by default such that buckets are not mostly
    # padding.
    #
    # Other attributes:
    # values: (n_buckets,), the codes in use, ascending, without their dropped bits.
    # starts: (n_buckets + 1,), order: (n,); bucket b holds the rows
    # order[starts[b] : starts[b + 1]].
    # blocks: (n_buckets + 1,), cells, residuals: the projections and the residuals of
    # the rows, bucket by bucket and padded, as kernels read them. widest: the largest
    # padded size of a bucket.
    # means: BucketMeans, those of the projections of each bucket, and its size.

    def __init__(
        self, hash_function, codes, projections, residuals, *, shift=None, n_jobs=None
    ):
        self.hash_function = hash_function
        self.order = frozen(np.argsort(codes, kind="stable"), np.int64)
        self.shift = _n_dropped_bits(codes[self.order]) if shift is None else shift
        self.values, sizes = np.unique(codes >> self.shift, return_counts=True)
        self.starts = frozen(np.append(0, np.cumsum(sizes)), np.int64)
        widths = -(-sizes // LANES) * LANES
        self.blocks = frozen(np.append(0, np.cumsum(widths)), np.int64)
        self.widest = int(widths.max(initial=0))
        p = projections.shape[1]
        cells = np.zeros(self.blocks[-1] * p, dtype=np.float32)
        padded_residuals = np.empty(self.blocks[-1], dtype=np.float32)
        means = np.zeros((len(sizes), p))
        arrays = frozen(projections, np.float32), frozen(residuals, np.float32)
        layout = self.order, self.starts, self.blocks

        def store_some(buckets):
            some = buckets.start, buckets.stop
            store_buckets(*arrays, *layout, *some, cells, padded_residuals, means)

        map_chunks(
            store_some, len(sizes), 1, n_jobs=n_jobs, min_rows=MIN_QUERIES_PER_TASK
        )
        self.cells = frozen(cells, np.float32)
        self.residuals = frozen(padded_residuals, np.float32)
        self.means = BucketMeans(means, sizes)

    @property
    def sizes(self):
        """Return the number of rows of each bucket."""
        return self.means.sizes

    def extended(self, rows, projections, residuals):
        """Return a table with more rows, whose projections are given."""
        codes = self.hash_function.codes(rows, projections)
        projections_before, residuals_before = self.projections()
        return HashTable(
            self.hash_function,
            np.append(self.values[self.bucket_of_rows()] << self.shift, codes),
            np.concatenate([projections_before, projections]),
            np.append(residuals_before, residuals),
            shift=self.shift,
        )

    def projections(self):
        """Return the projections of the rows, and their residuals."""
        n, p = len(self.order), self.cells.size // self.residuals.size
        projections = np.empty((n, p), dtype=np.float32)
        residuals = np.empty(n, dtype=np.float32)
        for b, size in enumerate(self.sizes):
            rows = self.order[self.starts[b] : self.starts[b + 1]]
            first, last = self.blocks[b : b + 2]
            cells = self.cells[first * p : last * p].reshape(p, -1)
            projections[rows] = cells[:, :size].T
            residuals[rows] = self.residuals[first : first + size]
        return projections, residuals

    def bucket_of_rows(self):
        """Return the bucket of each row."""
        buckets = np.empty(len(self.order), dtype=np.int64)
        buckets[self.order] = np.repeat(np.arange(len(self.values)), self.sizes)
        return buckets

    def homes(self, queries, projections):
        """Return the bucket of each query's code, or -1 if no row has this code."""
        # projections: (m, p), of the m queries; result: (m,).
        codes = self.hash_function.codes(queries, projections) >> self.shift
        positions = np.minimum(
            np.searchsorted(self.values, codes), len(self.values) - 1
        )
        return np.where(self.values[positions] == codes, positions, -1)

    def candidates(self, projections, homes, exclude, n_read, n_candidates, alive=None):
        """Return the rows of the nearest buckets whose projections are nearest."""
        # projections: (m, p), homes: (m,), of the queries; exclude: (m,), -1 = none;
        # alive: (n,) uint8, the rows that count, None for all.
        # Buckets are read until they hold n_read rows that count. Returned are the
        # rows, (m, width), the nearer half first where rows were dropped, and their
        # number, (m,).
        m, n_buckets = len(projections), len(self.values)
        counted = ALL if alive is None else frozen(alive, np.uint8)
        members = *self.arrays()[:2], counted
        buckets, counts = self.means.nearest(projections, homes, n_read, members)
        starts = np.zeros(2 * n_buckets + 1, dtype=np.int64)
        queries = np.empty(counts.sum(), dtype=np.int64)
        group_queries(buckets, counts, n_buckets, starts, queries)
        # A full list is cut to about n_candidates rows. It has room for more than twice
        # as many, a multiple of LANES, so that loops over it vectorise.
        width = (2 * n_candidates // LANES + 1) * LANES
        near = np.full((m, width), np.inf, dtype=np.float32)
        chosen = np.empty(near.shape, dtype=np.int64)
        sizes = np.zeros(m, dtype=np.int64)
        choose_candidates(
            self.arrays(),
            starts,
            queries,
            frozen(projections, np.float32),
            frozen(exclude, np.int64),
            counted,
            n_candidates,
            near,
            chosen,
            sizes,
            np.empty((3, self.widest), dtype=np.float32),
            np.full(m, np.inf, dtype=np.float32),
            np.empty(self.widest, dtype=np.int64),
            np.empty(width),
        )
        return chosen, sizes

    def within(self, projections, exclude, limits, width):
        """Return all rows whose projections are within limits of those of queries."""
        # projections: (m, p); limits: (m,), squared distances. Returned are row
        # numbers, (m, width), and how many rows are within, (m,), which may exceed the
        # width.
        chosen = np.empty((len(projections), width), dtype=np.int64)
        sizes = np.zeros(len(projections), dtype=np.int64)
        rounded = limits * (1 + (projections.shape[1] + 16) * _ROUNDING)
        with np.errstate(over="ignore"):
            rounded = frozen(rounded, np.float32)
        starts, order, blocks, cells, residuals = self.arrays()
        padding = np.where(residuals == np.inf, np.inf, 0.0)
        list_within(
            (starts, order, blocks, cells, frozen(padding, np.float32)),
            frozen(projections, np.float32),
            frozen(exclude, np.int64),
            rounded,
            chosen,
            sizes,
            np.empty(self.widest, dtype=np.float32),
        )
        return chosen, sizes

    def n_read_to(self, queries, projections, neighbors):
        """Return the smallest n_read at which each of the neighbours is read."""
        # projections: (m, p); neighbors, and the result: (m, k). A bucket is read whole
        # if the buckets before it hold fewer than n_read rows.
        homes = self.homes(queries, projections)
        buckets, _ = self.means.nearest(projections, homes, len(self.order))
        sizes = self.sizes[buckets]
        before = np.cumsum(sizes, axis=1) - sizes + 1
        read = np.empty_like(before)
        np.put_along_axis(read, buckets, before, axis=1)
        return np.take_along_axis(read, self.bucket_of_rows()[neighbors], axis=1)

    def ranks(self, projections, neighbors, exclude):
        """Return the rank of each neighbour by the distance of projections."""
        ranks = np.zeros(neighbors.shape, dtype=np.int64)
        buckets, n = self.bucket_of_rows(), len(self.order)
        positions = np.empty(n, dtype=np.int64)
        positions[self.order] = np.arange(n) - self.starts[buckets[self.order]]
        rank_by_projections(
            self.arrays(),
            frozen(buckets, np.int64),
            frozen(positions, np.int64),
            frozen(projections, np.float32),
            frozen(exclude, np.int64),
            frozen(neighbors, np.int64),
            ranks,
            np.empty(ranks.shape, dtype=np.float32),
            np.zeros(len(ranks), dtype=np.float32),
            np.empty(self.widest, dtype=np.float32),
        )
        return ranks

    def arrays(self):
        """Return starts, order, blocks, cells and residuals as kernels read them."""
        return (
            frozen(self.starts, np.int64),
            frozen(self.order, np.int64),
            frozen(self.blocks, np.int64),
            frozen(self.cells, np.float32),
            frozen(self.residuals, np.float32),
        )


def _n_dropped_bits(codes):
    """Return how many last bits to drop, so that buckets are not mostly padding."""
    # codes: (n,), ascending.
    shift = 0
    while np.count_nonzero(np.diff(codes >> shift)) >= max(len(codes) // LANES, 1):
        shift += 1
    return shift
