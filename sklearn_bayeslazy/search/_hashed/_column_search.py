"""Nearly the nearest sparse rows, by their largest cells: `LSHNeighbors`.

Each column is a bucket of the rows in which it is not 0. Random hyperplanes separate
sparse rows poorly. In a projection of documents to a hundred dimensions, half of all
documents are as near as the true neighbours. Single words separate them better: a query
reads the columns of its largest cells.
"""

import numpy as np

from ..._core._arrays import csr_arrays
from ..._core._kernel import frozen
from ..._core._parallel import MIN_QUERIES_PER_TASK, map_chunks
from .._inverted_index import InvertedIndex
from .._inverted_index_kernels import EUCLIDEAN, add_postings
from .._neighbor_lists import count_alive
from ._bucket_kernels import ALL
from ._column_kernels import (
    choose_by_products,
    halve_candidates,
    keep_largest,
    rank_by_estimates,
)
from ._hashed_search import HashedSearch, RecallProfile

# Smallest value of n_read that is tried, and the ratio of consecutive values.
_MIN_READ, _READ_RATIO = 500, 1.5
# Cost of a cell of a dense column, relative to the cost of an entry.
_DENSE_CELL_COST = 0.05
# Cost of reading an entry, and of scanning the sum of a row, in nanoseconds.
_COST_PER_ENTRY, _COST_PER_SUM = 1.5, 0.3


class ColumnSearch(HashedSearch):
    """Finds neighbours among the rows that fill columns of a query's largest cells."""

    # rows: SparseRows. n_read: columns are read until they hold this number of entries.
    # n_filled: (n_columns,), the number of rows of each column, 0 for columns that are
    # left out because very many rows fill them.
    # If everything is to be read, the search is the exact one of the inverted index.

    # The nearest of fewer rows share words of smaller weights: to find them costs as
    # much as the exact search.
    exact_below = 0.75

    def __init__(self, rows):
        self.index = InvertedIndex(rows)
        self._count_rows()
        super().__init__(rows)

    @property
    def max_read(self):
        """Return the number of entries."""
        return int(self.rows.X.nnz)

    @property
    def by_products(self):
        """Return whether everything is read, by matrix products."""
        return self.n_read >= self.max_read

    def _add_rows(self, rows):
        """Replace the index by one with more rows."""
        self.index = self.index.extended(rows)
        self._count_rows()

    def _count_rows(self):
        filled = np.bincount(self.index.rows.X.indices, minlength=len(self.index.slots))
        self.n_filled = np.where(self.index.slots < 0, filled, 0)

    @property
    def read_cost(self):
        """Return the cost of one more in `n_read`, in nanoseconds."""
        return _COST_PER_ENTRY

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return near rows of a slice of queries, less the excluded rows."""
        search = self.index if self.by_products else super()
        return search.nearest(queries, rows, weighted_k, exclude)

    def nearest_within_budget(self, queries, weighted_k, exclude, budget):
        """Return the nearest of the rows that a budget reads and measures."""
        found = self._candidates(queries, exclude, *budget, weighted_k.alive)
        numbers, of_chosen = np.arange(len(exclude)), weighted_k.of_chosen()
        return self.rows.measure(queries, numbers, *found, exclude, of_chosen)

    def _candidates(self, queries, exclude, n_read, n_candidates, alive):
        """Return the rows of largest products, and their number."""
        m = len(exclude)
        if alive is not None:  # of the entries that are read, this share counts
            share = max(count_alive(alive), 1) / self.n_rows
            n_read = min(int(np.ceil(n_read / share)), self.max_read)
        near = np.empty((m, 2 * n_candidates))
        chosen = np.empty(near.shape, dtype=np.int64)
        sizes, bounds = np.zeros(m, dtype=np.int64), np.full(m, np.inf)

        query = self._largest_cells(queries, n_read)
        squares = frozen(self.index.squares, np.float32)
        base = 0
        for tile in self.index.tiles:
            choose_by_products(
                query,
                tile.postings(),
                base,
                squares[base : base + len(tile.dense)],
                self.rows.kind,
                frozen(exclude, np.int64),
                ALL if alive is None else frozen(alive, np.uint8),
                near,
                chosen,
                sizes,
                bounds,
            )
            base += len(tile.dense)
        halve_candidates(near, chosen, sizes)
        return chosen, sizes

    def _largest_cells(self, queries, n_read):
        """Return the largest cells of queries, until columns hold n_read entries."""
        query = queries.arrays()
        size = len(query[2])
        starts = np.zeros(len(query[0]), dtype=np.int64)
        kept = starts, np.empty(size, dtype=np.int64), np.empty(size)
        keep_largest(query, frozen(self.n_filled, np.int64), n_read, kept)
        return csr_arrays(*kept)

    def bytes_per_query(self, k):
        """Return the memory of a query for k neighbours, in bytes."""
        return 48 * self.scale_budget(self.n_candidates, k, self.n_rows)

    def recall_profile(self, queries, neighbors, exclude, n_jobs=None):
        """Return what each budget would find of the true neighbours of queries."""
        n, (m, k) = self.n_rows, neighbors.shape
        steps = max(np.log(self.max_read / _MIN_READ) / np.log(_READ_RATIO), 0)
        levels = np.ceil(_MIN_READ * _READ_RATIO ** np.arange(steps)).astype(np.int64)
        # To read this many entries costs no less than the exact search.
        levels = levels[levels < 4 * n]
        ranks = np.empty((len(levels) + 1, m, k))
        ranks[-1] = np.arange(1, k + 1)  # the index finds them all

        def find(some):
            for level, n_read in enumerate(levels):
                ranks[level, some] = self._ranks(
                    queries[some], neighbors[some], exclude[some], int(n_read)
                )

        map_chunks(
            find, m, 8 * self.n_rows, n_jobs=n_jobs, min_rows=MIN_QUERIES_PER_TASK
        )
        all_entries = np.square(self.n_filled.astype(np.float64)).sum() / self.n_rows
        all_cells = _DENSE_CELL_COST * self.index.n_frequent * n
        n_entries = np.append(levels, all_entries + all_cells)
        return RecallProfile(
            k,
            np.append(levels, self.max_read),
            ranks,
            n_entries * _COST_PER_ENTRY + n * _COST_PER_SUM,
            self.rows.measure_cost,
        )

    def _ranks(self, queries, neighbors, exclude, n_read):
        """Return the rank of each neighbour by the products that n_read allows."""
        estimates = np.zeros((len(exclude), self.n_rows), dtype=np.float32)
        query = self._largest_cells(queries, n_read)
        none_frequent = frozen(np.full(self.n_filled.shape, -1), np.int64)
        base = 0
        for tile in self.index.tiles:
            products = np.zeros((len(exclude), len(tile.dense)), dtype=np.float32)
            add_postings(query, 0, none_frequent, tile.postings(), products)
            estimates[:, base : base + len(tile.dense)] = -2.0 * products
            base += len(tile.dense)
        if self.rows.kind == EUCLIDEAN:
            estimates += self.index.squares
        ranks = np.empty(neighbors.shape)
        rank_by_estimates(
            estimates, frozen(exclude, np.int64), frozen(neighbors, np.int64), ranks
        )
        return ranks

    def exact_search(self):
        """Return a search that finds the exact nearest rows."""
        return self.index
