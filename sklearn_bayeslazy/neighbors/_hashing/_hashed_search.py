"""What searches by hashing share: effort in proportion, and recall that is judged."""

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass

import numpy as np

from ..._parallel import map_chunks
from .._search import WeightedK
from ._recall import choose_effort

# Recall is judged by so many rows, fewer where there is much to multiply.
_MOST_JUDGED, _LEAST_JUDGED, _CELLS_JUDGED = 500, 128, 5e9
# So many queries are worth handing to a thread.
FEW = 32


@dataclass
class Judgement:
    """What was learnt of a sample of the rows, each asked for its neighbours.

    Attributes
    ----------
    n_neighbors : int
    levels : int array of shape (n_levels,)
        How much is read, the last time all.
    ranks, reading, measuring : arrays and float
        As `choose_effort` takes them.
    """

    n_neighbors: int
    levels: np.ndarray
    ranks: np.ndarray
    reading: np.ndarray
    measuring: float


class HashedSearch(ABC):
    """Finds neighbours among rows that a hash function brings near a query.

    Parameters
    ----------
    rows : DenseRows or SparseRows

    Attributes
    ----------
    n_neighbors, n_read, n_candidates : int
        For so many neighbours, so much is read, and so many rows are measured; for
        more in proportion, as for rows that are added. Set by `settle`.
    """

    by_products = False  # whether queries multiply matrices

    def __init__(self, rows):
        self.rows = rows
        self.settle(1, self.n_to_read, self.n_rows)

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    @property
    @abstractmethod
    def n_to_read(self):
        """Return how much there is to read."""

    @abstractmethod
    def choose(self, queries, exclude, n_read, n_candidates):
        """Return the rows to be measured for each query, how many, and an order.

        The rows are of shape (m, width), their order one in which queries that are
        near each other come together.
        """

    @abstractmethod
    def judgement(self, queries, wanted, exclude, n_jobs=None):
        """Return what reading would find of the wanted neighbours of queries."""

    def training_queries(self):
        """Return the training rows as queries."""
        return self.rows

    def settle(self, n_neighbors, n_read, n_candidates):
        """Set how much is read and measured."""
        self.n_neighbors = n_neighbors
        self.n_read, self.n_candidates = n_read, n_candidates
        self._settled = n_read, n_candidates, self.n_to_read, self.n_rows

    def extended(self, rows):
        """Return a search of these rows and others; hash functions stay.

        Effort grows with the rows, so that recall is kept, whatever the batches.
        """
        other = copy(self)
        other.rows = self.rows.joined(rows)
        other.add(rows)
        n_read, n_candidates, n_to_read, n_rows = self._settled
        other.n_read = other.n_to_read
        if n_read < n_to_read:
            grown = -(-n_read * other.n_rows // n_rows)
            other.n_read = min(grown, other.n_to_read)
        other.n_candidates = -(-n_candidates * other.n_rows // n_rows)
        return other

    @abstractmethod
    def add(self, rows):
        """Replace what finds rows by what finds others, too."""

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return near rows of a slice of queries, leaving out own."""
        k, some = int(weighted_k.k), queries[rows]
        n_read = self.in_proportion(self.n_read, k, self.n_to_read)
        n_candidates = self.in_proportion(self.n_candidates, k, self.n_rows)
        chosen, sizes, sequence = self.choose(some, exclude, n_read, n_candidates)
        return self.rows.measure(some, chosen, sizes, sequence, exclude, weighted_k)

    def in_proportion(self, effort, k, most):
        """Return the effort for k neighbours, one of which may be left out.

        For fewer than it was learnt for it stays: a row is to find itself.
        """
        k = max(k, self.n_neighbors)
        return min(max(-(-effort * k // self.n_neighbors), k + 1), most)

    def judge(self, n_neighbors, rng, n_jobs=None):
        """Return what reading would find of the exact neighbours of a sample."""
        m = _CELLS_JUDGED / (self.n_rows * self.rows.mean_cells)
        m = int(np.clip(m, _LEAST_JUDGED, _MOST_JUDGED))
        exclude = np.sort(rng.permutation(self.n_rows)[:m])
        queries = self.rows[exclude]
        exact = self.nearest_of_all(queries, n_neighbors, exclude, n_jobs)[1]
        return self.judgement(queries, exact, exclude, n_jobs)

    def nearest_of_all(self, queries, k, exclude, n_jobs=None):
        """Return reduced distances and numbers of the exact nearest rows."""
        m = queries.shape[0]
        reduced, ids = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        weighted_k = WeightedK(k, np.ones(self.n_rows))
        search = self.exact_search()

        def find(some):
            lists = search.nearest(queries, some, weighted_k, exclude[some])
            reduced[some], ids[some] = lists.reduced[:, :k], lists.indices[:, :k]

        map_chunks(find, m, 2**16, n_jobs=n_jobs, smallest=FEW, products=True)
        return reduced, ids

    @abstractmethod
    def exact_search(self):
        """Return a search that finds the exact nearest of the rows."""

    def tune(self, judgement, recall):
        """Set the cheapest effort that reaches a recall; return each query's recall."""
        level, n_candidates = choose_effort(
            judgement.ranks, judgement.reading, judgement.measuring, recall
        )
        n_read = int(judgement.levels[level])
        self.settle(judgement.n_neighbors, n_read, n_candidates)
        return (judgement.ranks[level] <= n_candidates).mean(axis=1)
