"""Hash tables: rows in buckets, and the buckets whose rows are near a query.

A family gives each row a code; rows of one code share a bucket. Which buckets a query
reads is the same for all families: its own, then those whose mean sketch is nearest,
until they hold as many rows as are to be read, so that no bucket is too small to
answer.
"""

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_chunks
from ._bucket_kernels import (
    LANES,
    choose_buckets,
    choose_candidates,
    lay_out,
    list_rows,
    list_within,
    rank_in_sketches,
    sort_pairs,
)

# Twice the rounding of a number in single precision.
_ROUNDING = 2.0**-23
# So many buckets are worth handing to a thread.
_FEW = 32


class HashTable:
    """Rows in the buckets of a hash function.

    Parameters
    ----------
    hash_function : object with ``codes(rows, sketches)``
    codes : int array of shape (n,)
        Those of the rows.
    sketches, rest : float32 arrays of shapes (n, p), (n,)
    shift : int, default=None
        How many last bits of a code do not matter; by default as many as would leave
        too few rows for a bucket.

    Attributes
    ----------
    values : int array of shape (n_buckets,)
        The codes in use, ascending, without their last bits.
    starts, order : int arrays
        Bucket b holds the rows ``order[starts[b] : starts[b + 1]]``.
    blocks, cells, rest : int array and float32 arrays
        The sketches of the buckets, and what they lose, as kernels read them.
    centers : float32 array of shape (p * width,)
        The mean sketches of the buckets, as the cells of one bucket.
    """

    def __init__(
        self, hash_function, codes, sketches, rest, *, shift=None, n_jobs=None
    ):
        self.hash_function = hash_function
        self.order = np.argsort(codes, kind="stable")
        self.shift = _spare_bits(codes[self.order]) if shift is None else shift
        self.values, sizes = np.unique(codes >> self.shift, return_counts=True)
        self.starts = np.append(0, np.cumsum(sizes))
        widths = -(-sizes // LANES) * LANES
        self.blocks = np.append(0, np.cumsum(widths))
        p = sketches.shape[1]
        self.cells = np.zeros(self.blocks[-1] * p, dtype=np.float32)
        self.rest = np.empty(self.blocks[-1], dtype=np.float32)
        width = -(-len(sizes) // LANES) * LANES
        centers = np.zeros((width, p))
        arrays = frozen(sketches, np.float32), frozen(rest, np.float32)
        places = self.order, self.starts, self.blocks

        def lay_out_some(buckets):
            some = buckets.start, buckets.stop
            lay_out(*arrays, *places, *some, self.cells, self.rest, centers)

        map_chunks(lay_out_some, len(sizes), 1, n_jobs=n_jobs, smallest=_FEW)
        self.centers = centers.T.astype(np.float32).ravel()

    @property
    def sizes(self):
        """Return how many rows each bucket holds."""
        return np.diff(self.starts)

    def extended(self, rows, sketches, rest):
        """Return a table with more rows, whose sketches are given."""
        codes = self.hash_function.codes(rows, sketches)
        before, rest_before = self.sketches()
        return HashTable(
            self.hash_function,
            np.append(self.row_codes() << self.shift, codes),
            np.concatenate([before, sketches]),
            np.append(rest_before, rest),
            shift=self.shift,
        )

    def sketches(self):
        """Return the sketches of the rows, and what they lose."""
        n, p = len(self.order), self.cells.size // self.rest.size
        sketches = np.empty((n, p), dtype=np.float32)
        rest = np.empty(n, dtype=np.float32)
        for b, size in enumerate(self.sizes):
            rows = self.order[self.starts[b] : self.starts[b + 1]]
            first, last = self.blocks[b : b + 2]
            cells = self.cells[first * p : last * p].reshape(p, -1)
            sketches[rows] = cells[:, :size].T
            rest[rows] = self.rest[first : first + size]
        return sketches, rest

    def row_codes(self):
        """Return the code of each row, without its last bits."""
        codes = np.empty(len(self.order), dtype=np.int64)
        codes[self.order] = np.repeat(self.values, self.sizes)
        return codes

    def choose(self, rows, sketches, exclude, n_read, n_candidates):
        """Return the rows in the nearest buckets whose sketches are nearest.

        rows are the queries, of which sketches were drawn. Buckets are read until they
        hold n_read rows. Returned are the rows, of shape (m, width), the nearer half
        first, how many there are, and in which order queries read near buckets one
        after another.
        """
        m, n_buckets = len(sketches), len(self.values)
        buckets, counts = self._nearest_buckets(rows, sketches, n_read)
        starts = np.zeros(2 * n_buckets + 1, dtype=np.int64)
        queries = np.empty(counts.sum(), dtype=np.int64)
        sort_pairs(buckets, counts, n_buckets, starts, queries)
        width = -(-2 * n_candidates // LANES) * LANES
        near = np.full((m, width), np.inf, dtype=np.float32)
        chosen = np.empty(near.shape, dtype=np.int64)
        sizes = np.zeros(m, dtype=np.int64)
        choose_candidates(
            self.arrays(),
            starts,
            queries,
            frozen(sketches, np.float32),
            frozen(exclude, np.int64),
            n_candidates,
            near,
            chosen,
            sizes,
        )
        return chosen, sizes, queries[:m]

    def within(self, sketches, exclude, limits, width):
        """Return all rows whose sketches are within squared distances of queries'.

        Returned are their numbers, of shape (m, width), and how many there are, even
        where they are more.
        """
        chosen = np.empty((len(sketches), width), dtype=np.int64)
        sizes = np.zeros(len(sketches), dtype=np.int64)
        rounded = limits * (1 + (sketches.shape[1] + 16) * _ROUNDING)
        with np.errstate(over="ignore"):
            rounded = frozen(rounded, np.float32)
        list_within(
            self.arrays(),
            frozen(sketches, np.float32),
            frozen(exclude, np.int64),
            rounded,
            chosen,
            sizes,
        )
        return chosen, sizes

    def read(self, rows, sketches, n_read):
        """Return the rows in the nearest buckets, until they are n_read.

        Returned are their numbers, of shape (m, width), and how many there are.
        """
        buckets, counts = self._nearest_buckets(rows, sketches, n_read)
        there = np.arange(buckets.shape[1]) < counts[:, None]
        sizes = np.where(there, self.sizes[np.where(there, buckets, 0)], 0)
        sizes = sizes.sum(axis=1)
        rows = np.empty((len(sketches), sizes.max(initial=0)), dtype=np.int64)
        starts, order = self.arrays()[:2]
        list_rows(starts, order, buckets, counts, rows)
        return rows, sizes

    def _nearest_buckets(self, rows, sketches, n_read):
        """Return the buckets of queries and the nearest others, up to n_read rows.

        Returned are their numbers, of shape (m, width), and how many there are.
        """
        codes = self.hash_function.codes(rows, sketches) >> self.shift
        places = np.minimum(np.searchsorted(self.values, codes), len(self.values) - 1)
        widest = int(np.searchsorted(np.cumsum(np.sort(self.sizes)), n_read)) + 1
        widest = min(widest, len(self.sizes))
        buckets = np.empty((len(sketches), widest), dtype=np.int64)
        counts = np.zeros(len(sketches), dtype=np.int64)
        width = self.centers.size // sketches.shape[1]
        rest = np.where(np.arange(width) < len(self.sizes), 0.0, np.inf)
        choose_buckets(
            frozen(self.centers, np.float32),
            frozen(rest, np.float32),
            frozen(self.sizes, np.int64),
            frozen(sketches, np.float32),
            np.where(self.values[places] == codes, places, -1),
            n_read,
            buckets,
            counts,
        )
        return buckets, counts

    def rows_before(self, rows, sketches, wanted):
        """Return how many rows must be asked for until each wanted row is read.

        A bucket is read whole if those before it hold fewer rows than are asked for.
        """
        buckets, _ = self._nearest_buckets(rows, sketches, len(self.order))
        sizes = self.sizes[buckets]
        before = np.cumsum(sizes, axis=1) - sizes + 1
        read = np.empty_like(before)
        np.put_along_axis(read, buckets, before, axis=1)
        bucket_of = np.searchsorted(self.values, self.row_codes())
        return np.take_along_axis(read, bucket_of[wanted], axis=1)

    def ranks(self, sketches, wanted, exclude):
        """Return how many rows have sketches as near as the wanted ones."""
        ranks = np.empty(wanted.shape, dtype=np.int64)
        rank_in_sketches(
            self.arrays(),
            frozen(sketches, np.float32),
            frozen(exclude, np.int64),
            frozen(wanted, np.int64),
            ranks,
        )
        return ranks

    def arrays(self):
        """Return what kernels read."""
        return (
            frozen(self.starts, np.int64),
            frozen(self.order, np.int64),
            frozen(self.blocks, np.int64),
            frozen(self.cells, np.float32),
            frozen(self.rest, np.float32),
        )


def _spare_bits(codes):
    """Return how many last bits to drop, so that buckets are not mostly padding.

    codes are ascending.
    """
    shift = 0
    while np.count_nonzero(np.diff(codes >> shift)) >= max(len(codes) // LANES, 1):
        shift += 1
    return shift
