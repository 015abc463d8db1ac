"""The nearest rows by hash tables, reading as many rows as the recall wanted takes."""

import numpy as np

from ..._parallel import map_chunks
from ._hashed_search import FEW, HashedSearch, Judgement

# Levels of reading are tried in steps of this ratio.
_RATIO = 1.15
# What a cell of a sketch costs, in nanoseconds.
_READ = 0.1


class BucketSearch(HashedSearch):
    """Finds neighbours among rows that share buckets with a query, or nearly.

    Parameters
    ----------
    rows : DenseRows or SparseRows
    sketcher : object that draws their sketches
    tables : list of HashTable

    Attributes
    ----------
    n_read : int
        So many rows are read in each table, at least.
    """

    def __init__(self, rows, sketcher, tables):
        self.sketcher = sketcher
        self.tables = tables
        super().__init__(rows)

    @property
    def n_to_read(self):
        """Return how many rows there are."""
        return self.n_rows

    def add(self, rows):
        """Replace the tables by others with more rows."""
        sketches, rest = self.sketcher.draw(rows)
        self.tables = [table.extended(rows, sketches, rest) for table in self.tables]

    def choose(self, queries, exclude, n_read, n_candidates):
        """Return the rows whose sketches are nearest, how many, and an order."""
        sketches, _ = self.sketcher.draw(queries, n_jobs=1)
        found = [
            table.choose(queries, sketches, exclude, n_read, n_candidates)
            for table in self.tables
        ]
        return *_together([some[:2] for some in found]), found[0][2]

    def read(self, queries, rows, exclude):
        """Return all rows that a slice of queries reads, but for own.

        Returned are reduced distances, row numbers and which of both there are, of
        shape (m, width).
        """
        some = queries[rows]
        sketches, _ = self.sketcher.draw(some, n_jobs=1)
        found = [table.read(some, sketches, self.n_read) for table in self.tables]
        chosen, sizes = _together(found)
        there = np.arange(chosen.shape[1]) < sizes[:, None]
        there &= chosen != exclude[:, None]
        return self.rows.distances_to(some, chosen, sizes), chosen, there

    def bytes_per_query(self, k):
        """Return what a query takes for so many neighbours."""
        n_read = self.in_proportion(self.n_read, k, self.n_rows)
        n_candidates = self.in_proportion(self.n_candidates, k, self.n_rows)
        n_buckets = max(len(table.sizes) for table in self.tables)
        read = 16 * min(n_read, n_buckets)
        return len(self.tables) * (read + 48 * n_candidates) + 16 * self.rows.mean_cells

    def bytes_to_read(self):
        """Return what a query takes that keeps all rows it reads."""
        largest = max(int(table.sizes.max()) for table in self.tables)
        return 64 * len(self.tables) * min(self.n_read + largest, self.n_rows)

    def judgement(self, queries, wanted, exclude, n_jobs=None):
        """Return what reading would find of the wanted neighbours of queries."""
        n, (m, k) = self.n_rows, wanted.shape
        sketches, _ = self.sketcher.draw(queries)
        ranks, needed = np.empty((m, k)), np.empty((m, k))

        def find(some):
            wants = sketches[some], wanted[some]
            ranks[some] = self.tables[0].ranks(*wants, exclude[some])
            before = [t.rows_before(queries[some], *wants) for t in self.tables]
            needed[some] = np.min(before, axis=0)

        map_chunks(find, m, 2**16, n_jobs=n_jobs, smallest=FEW)
        steps = np.log(n / (k + 1)) / np.log(_RATIO)
        levels = np.ceil((k + 1) * _RATIO ** np.arange(steps)).astype(np.int64)
        levels = np.append(levels[levels < n], n)
        reached = needed <= levels[:, None, None]
        cost = len(self.tables) * (1 + self.sketcher.width * _READ)
        return Judgement(
            k,
            levels,
            np.where(reached, ranks, np.inf),
            cost * levels,
            len(self.tables) * self.rows.measuring,
        )

    def exact_search(self):
        """Return a search that finds the exact nearest of the rows."""
        return self.rows.exact_search(self.sketcher, self.tables[0])


def _together(found):
    """Return the rows that tables found for each query, once each, and how many."""
    if len(found) == 1:
        return found[0]
    no_exclusions = np.iinfo(np.int64).max
    rows = np.concatenate(
        [
            np.where(np.arange(rows.shape[1]) < sizes[:, None], rows, no_exclusions)
            for rows, sizes in found
        ],
        axis=1,
    )
    rows.sort(axis=1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = no_exclusions
    rows.sort(axis=1)
    return rows, (rows < no_exclusions).sum(axis=1)
