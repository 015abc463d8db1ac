"""The nearest sparse rows by their heaviest columns, whose rows are the buckets.

Planes tell little of documents: in a hundred dimensions that words span, half of all
documents lie as near as the true neighbours. A word tells more. Each column is a bucket
of the rows that fill it, and a query reads those of its largest cells.
"""

import numpy as np

from ..._arrays import csr_arrays
from ..._kernel import frozen
from ..._parallel import map_chunks
from .._search import EUCLIDEAN, InvertedIndex, add_postings
from ._column_hash_kernels import (
    keep_candidates,
    keep_heaviest,
    rank_likely,
    take_likeliest,
)
from ._hashed_search import FEW, HashedSearch, Judgement
from ._sparse_rows import ExactSparseSearch

# Levels of reading are tried in steps of this ratio, from so many entries on.
_RATIO, _LEAST = 1.5, 500
# What a cell of a dense column costs, compared with an entry.
_DENSE = 0.05
# What it takes to read an entry, and to look at a row, in nanoseconds.
_READ, _LOOK = 1.5, 0.3


class ColumnSearch(HashedSearch):
    """Finds neighbours among sparse rows that share the heaviest columns of a query.

    Columns that very many rows fill are left out, unless all is read: then the search
    is the exact one of the inverted index.

    Parameters
    ----------
    rows : SparseRows

    Attributes
    ----------
    n_read : int
        Columns are read until they hold so many entries.
    """

    def __init__(self, rows):
        self.index = InvertedIndex(rows.kind, rows.X)
        self._count()
        super().__init__(rows)

    @property
    def n_to_read(self):
        """Return how many entries there are."""
        return int(self.rows.X.nnz)

    @property
    def by_products(self):
        """Tell whether all is read: the exact search multiplies matrices."""
        return self.n_read >= self.n_to_read

    def add(self, rows):
        """Replace the index by one with more rows."""
        self.index = self.index.extended(rows.X)
        self._count()

    def _count(self):
        filled = np.bincount(self.index.rows.indices, minlength=len(self.index.slots))
        self.filled = np.where(self.index.slots < 0, filled, 0)

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return near rows of a slice of queries, leaving out own."""
        if self.by_products:
            return self.exact_search().nearest(queries, rows, weighted_k, exclude)
        return super().nearest(queries, rows, weighted_k, exclude)

    def choose(self, queries, exclude, n_read, n_candidates, *, shared=False):
        """Return the rows with the largest products, how many, and an order."""
        m = len(exclude)
        near = np.empty((m, 2 * n_candidates))
        chosen = np.empty(near.shape, dtype=np.int64)
        sizes, bounds = np.zeros(m, dtype=np.int64), np.full(m, np.inf)

        query = self._heaviest(queries, n_read)
        squares = frozen(self.index.squares, np.float32)
        base = 0
        for tile in self.index.tiles:
            take_likeliest(
                query,
                _postings(tile),
                base,
                squares[base : base + tile.n_rows],
                self.rows.kind,
                frozen(exclude, np.int64),
                shared,
                near,
                chosen,
                sizes,
                bounds,
            )
            base += tile.n_rows
        keep_candidates(near, chosen, sizes)
        return chosen, sizes, np.arange(m)

    def _heaviest(self, queries, n_read):
        """Return the cells of queries whose columns hold n_read entries, or so."""
        query = queries.triple()
        size = len(query[2])
        starts = np.zeros(len(query[0]), dtype=np.int64)
        kept = starts, np.empty(size, dtype=np.int64), np.empty(size)
        keep_heaviest(query, frozen(self.filled, np.int64), n_read, kept)
        return csr_arrays(*kept)

    def read(self, queries, rows, exclude):
        """Return all rows that share a column which a query reads, but for own.

        Returned are reduced distances, row numbers and which of both there are, of
        shape (m, width).
        """
        some = queries[rows]
        if self.by_products:
            chosen = np.tile(np.arange(self.n_rows), (len(exclude), 1))
            sizes = np.full(len(exclude), self.n_rows)
        else:
            chosen, sizes, _ = self.choose(
                some, exclude, self.n_read, self.n_rows, shared=True
            )
        there = np.arange(chosen.shape[1]) < sizes[:, None]
        there &= chosen != exclude[:, None]
        return self.rows.distances_to(some, chosen, sizes), chosen, there

    def bytes_per_query(self, k):
        """Return what a query takes for so many neighbours."""
        return 48 * self.in_proportion(self.n_candidates, k, self.n_rows)

    def bytes_to_read(self):
        """Return what a query takes that keeps all rows it reads."""
        return 96 * self.n_rows

    def judgement(self, queries, wanted, exclude, n_jobs=None):
        """Return what reading would find of the wanted neighbours of queries."""
        n, (m, k) = self.n_rows, wanted.shape
        steps = max(np.log(self.n_to_read / _LEAST) / np.log(_RATIO), 0)
        levels = np.ceil(_LEAST * _RATIO ** np.arange(steps)).astype(np.int64)
        # What reads as much as there are rows costs no less than the exact search.
        levels = levels[levels < 4 * n]
        ranks = np.empty((len(levels) + 1, m, k))
        ranks[-1] = np.arange(1, k + 1)  # the index finds them all

        def find(some):
            for level, n_read in enumerate(levels):
                ranks[level, some] = self._ranks(
                    queries[some], wanted[some], exclude[some], int(n_read)
                )

        map_chunks(find, m, 8 * self.n_rows, n_jobs=n_jobs, smallest=FEW)
        whole = np.square(self.filled.astype(np.float64)).sum() / self.n_rows
        reading = np.append(levels, whole + _DENSE * self.index.n_frequent * n)
        return Judgement(
            k,
            np.append(levels, self.n_to_read),
            ranks,
            reading * _READ + n * _LOOK,
            self.rows.measuring,
        )

    def _ranks(self, queries, wanted, exclude, n_read):
        """Return how many rows seem as near as the wanted ones."""
        estimates = np.zeros((len(exclude), self.n_rows), dtype=np.float32)
        query = self._heaviest(queries, n_read)
        none_frequent = frozen(np.full(self.filled.shape, -1), np.int64)
        base = 0
        for tile in self.index.tiles:
            products = np.zeros((len(exclude), tile.n_rows), dtype=np.float32)
            add_postings(query, 0, none_frequent, _postings(tile), products)
            estimates[:, base : base + tile.n_rows] = -2.0 * products
            base += tile.n_rows
        if self.rows.kind == EUCLIDEAN:
            estimates += self.index.squares
        ranks = np.empty(wanted.shape)
        rank_likely(
            estimates, frozen(exclude, np.int64), frozen(wanted, np.int64), ranks
        )
        return ranks

    def exact_search(self):
        """Return a search that finds the exact nearest of the rows."""
        return ExactSparseSearch(self.index)


def _postings(tile):
    return (
        frozen(tile.ends, np.int64),
        frozen(tile.places, np.int32),
        frozen(tile.weights, np.float32),
    )
