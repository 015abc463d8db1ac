"""The nearest rows by hash tables, with the search budget that a recall needs."""

import numpy as np

from ..._core._parallel import MIN_QUERIES_PER_TASK, map_chunks, slices_of
from .._neighbor_lists import empty_lists
from ._hash_functions import TransformerHash
from ._hash_tables import HashTable
from ._hashed_search import HashedSearch, RecallProfile

# Ratio of consecutive values of n_read that are tried.
_READ_RATIO = 1.15
# Queries whose candidates are listed together: many share a bucket, and the lists stay
# in the cache.
_QUERIES_PER_BLOCK = 4096
# Cost of reading a row, and a cell of its projection, in nanoseconds.
_COST_PER_ROW, _COST_PER_CELL = 1.0, 0.1


class BucketSearch(HashedSearch):
    """Finds neighbours among the rows of the buckets that are near a query."""

    # rows: DenseRows or SparseRows; projection: PrincipalProjection or CountSketch;
    # tables: a list of HashTable.
    # n_read: the smallest number of rows that are read in each table.

    def __init__(self, rows, projection, tables):
        self.projection = projection
        self.tables = tables
        super().__init__(rows)

    @property
    def max_read(self):
        """Return the number of rows."""
        return self.n_rows

    @property
    def is_learned(self):
        """Return whether the hash functions are transformers, fitted to other rows."""
        return isinstance(self.tables[0].hash_function, TransformerHash)

    def with_rows(self, rows):
        """Return a search of other rows by the same hash functions."""
        projected = projections, _ = self.projection.transform(rows)
        functions = [table.hash_function for table in self.tables]
        tables = [
            HashTable(f, f.codes(rows, projections), *projected) for f in functions
        ]
        return BucketSearch(rows, self.projection, tables)

    def _add_rows(self, rows):
        """Replace the tables by ones with more rows."""
        projections, residuals = self.projection.transform(rows)
        self.tables = [
            table.extended(rows, projections, residuals) for table in self.tables
        ]

    def nearest_within_budget(self, queries, weighted_k, exclude, budget):
        """Return the nearest of the rows that a budget reads and measures."""
        # Queries of one bucket are answered together: what they read is in the cache.
        projections, _ = self.projection.transform(queries, n_jobs=1)
        homes = [table.homes(queries, projections) for table in self.tables]
        order = np.argsort(homes[0], kind="stable")
        of_chosen = weighted_k.of_chosen()
        lists = empty_lists(len(order), weighted_k.width)
        for block in slices_of(range(len(order)), _QUERIES_PER_BLOCK):
            some = order[block]
            left_out = exclude[some]
            found = _union(
                [
                    table.candidates(
                        projections[some],
                        home[some],
                        left_out,
                        *budget,
                        weighted_k.alive,
                    )
                    for table, home in zip(self.tables, homes)
                ]
            )
            nearest = self.rows.measure(queries, some, *found, left_out, of_chosen)
            if len(order) == 1:
                return nearest
            lists.put(some, nearest)
        return lists

    @property
    def read_cost(self):
        """Return the cost of one more in `n_read`, in nanoseconds."""
        cost_per_row = _COST_PER_ROW + self.projection.width * _COST_PER_CELL
        return len(self.tables) * cost_per_row

    def bytes_per_query(self, k):
        """Return the memory of a query for k neighbours, in bytes."""
        n_read = self.scale_budget(self.n_read, k, self.n_rows)
        n_candidates = self.scale_budget(self.n_candidates, k, self.n_rows)
        n_buckets = max(len(table.sizes) for table in self.tables)
        read = 16 * min(n_read, n_buckets)
        return len(self.tables) * (read + 48 * n_candidates) + 16 * self.rows.mean_cells

    def recall_profile(self, queries, neighbors, exclude, n_jobs=None):
        """Return what each budget would find of the true neighbours of queries."""
        n, (m, k) = self.n_rows, neighbors.shape
        projections, _ = self.projection.transform(queries)
        ranks, n_needed = np.empty((m, k)), np.empty((m, k))

        def find(some):
            targets = projections[some], neighbors[some]
            ranks[some] = self.tables[0].ranks(*targets, exclude[some])
            needed = [table.n_read_to(queries[some], *targets) for table in self.tables]
            n_needed[some] = np.min(needed, axis=0)

        map_chunks(find, m, 2**16, n_jobs=n_jobs, min_rows=MIN_QUERIES_PER_TASK)
        steps = np.log(n / (k + 1)) / np.log(_READ_RATIO)
        levels = np.ceil((k + 1) * _READ_RATIO ** np.arange(steps)).astype(np.int64)
        levels = np.append(levels[levels < n], n)
        reached = n_needed <= levels[:, None, None]
        return RecallProfile(
            k,
            levels,
            np.where(reached, ranks, np.inf),
            self.read_cost * levels,
            len(self.tables) * self.rows.measure_cost,
        )

    def exact_search(self):
        """Return a search that finds the exact nearest rows."""
        return self.rows.exact_search(self.projection, self.tables[0])


def _union(found):
    """Return the rows that any table found for each query, and their number."""
    if len(found) == 1:
        return found[0]
    no_row = np.iinfo(np.int64).max
    rows = np.concatenate(
        [
            np.where(np.arange(rows.shape[1]) < sizes[:, None], rows, no_row)
            for rows, sizes in found
        ],
        axis=1,
    )
    rows.sort(axis=1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = no_row
    rows.sort(axis=1)
    return rows, (rows < no_row).sum(axis=1)
