"""The base of searches by hashing: a search budget that is tuned to a recall."""

import math
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass

import numpy as np

from ..._core._parallel import (
    MIN_QUERIES_PER_TASK,
    cache_sized_slices,
    map_chunks,
    slices_of,
)
from .._neighbor_lists import WeightedK, count_alive, empty_lists

# Size of the sample of rows that recall is profiled on: smaller if there are more
# products to compute.
_MAX_SAMPLE, _MIN_SAMPLE, _MAX_PRODUCTS = 500, 128, 5e9
# Memory of an exact search for each query, and for each row and query: it may list a
# quarter of the rows, as 8-byte numbers.
_BYTES_PER_QUERY, _BYTES_PER_ROW = 2**16, 2
# Up to this number of rows, all are read and measured: hashing would save nothing.
MAX_EXHAUSTIVE_ROWS = 256
# If a share of the rows may be found, what a query reads, of these rows, is multiplied
# by the share to this power. Indexes of fewer rows read less, by powers of .1 to .5; a
# filter may pass rows that lie together, far from a query.
_READ_EXPONENT, _MIN_READ = 0.2, 256
# How many times as long it takes to read rows that no cache holds.
_COST_OF_MISSES = 6


@dataclass
class RecallProfile:
    """What each search budget finds of the neighbours of a sample of the rows."""

    n_neighbors: int
    levels: np.ndarray  # (n_levels,), values of `n_read`; the last reads everything
    # As `choose_budget` takes them: (n_levels, m, k), (n_levels,) and one number.
    ranks: np.ndarray
    read_costs: np.ndarray
    measure_cost: float


class HashedSearch(ABC):
    """Finds neighbours among the rows that a hash function puts near a query."""

    # rows: DenseRows or SparseRows. n_neighbors, n_read, n_candidates: the search
    # budget for n_neighbors: how much is read, and how many rows are measured. For more
    # neighbours, or more rows, it grows in proportion. found: the recall of each row of
    # the sample that it was tuned on.

    by_products = False  # whether queries are answered by matrix products
    is_learned = False  # whether hash functions were fitted, and stay
    # The share of rows that may be found below which all are searched exactly.
    exact_below = 0.0

    def __init__(self, rows):
        self.rows = rows
        self.set_budget(1, self.max_read, self.n_rows)

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.rows.shape[0]

    @property
    @abstractmethod
    def max_read(self):
        """Return the largest possible `n_read`."""

    @abstractmethod
    def nearest_within_budget(self, queries, weighted_k, exclude, budget):
        """Return the nearest of the rows that a budget reads and measures."""
        # queries: m rows; weighted_k: WeightedK; exclude: (m,), -1 = none;
        # budget: (n_read, n_candidates). Returns NeighborLists.

    @abstractmethod
    def recall_profile(self, queries, neighbors, exclude, n_jobs=None):
        """Return what each budget would find of the true neighbours of queries."""
        # neighbors: (m, k), row numbers; exclude: (m,), -1 = none. Returns a
        # RecallProfile.

    def set_budget(self, n_neighbors, n_read, n_candidates):
        """Set the search budget for n_neighbors."""
        self.n_neighbors = n_neighbors
        self.n_read, self.n_candidates = n_read, n_candidates
        self._budget = n_read, n_candidates, self.max_read, self.n_rows

    def extended(self, rows):
        """Return a search of these rows and others, with the same hash functions."""
        # The budget grows with the number of rows: this keeps the recall.
        other = copy(self)
        other.rows = self.rows.joined(rows)
        other._add_rows(rows)
        n_read, n_candidates, max_read, n_rows = self._budget
        other.n_read = other.max_read
        if n_read < max_read:
            grown = -(-n_read * other.n_rows // n_rows)
            other.n_read = min(grown, other.max_read)
        other.n_candidates = -(-n_candidates * other.n_rows // n_rows)
        return other

    @abstractmethod
    def _add_rows(self, rows):
        """Replace tables or index by ones that hold more rows."""

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return near rows of a slice of queries, less the excluded rows."""
        some, k = queries[rows], int(weighted_k.k)
        n_read = self.scale_budget(self.n_read, k, self.max_read)
        n_candidates = self.scale_budget(self.n_candidates, k, self.n_rows)
        everything = n_read == self.max_read and n_candidates == self.n_rows
        if everything and self.n_rows <= MAX_EXHAUSTIVE_ROWS:
            return measure_all(self.rows, some, weighted_k, exclude)
        if weighted_k.alive is not None:
            n_alive = count_alive(weighted_k.alive)
            share = n_alive / self.n_rows
            reduced = math.ceil(n_read * share**_READ_EXPONENT)
            n_read = max(reduced, min(n_read, _MIN_READ), k + 1)
            # A query reads until it finds n_read rows that are alive.
            cost_to_read = _COST_OF_MISSES * self.read_cost * n_read
            if n_alive * share * self.rows.measure_cost <= cost_to_read:
                return measure_all(self.rows, some, weighted_k, exclude)
            if share < self.exact_below:
                exact = self.exact_search()
                return exact.nearest(queries, rows, weighted_k, exclude)
        budget = n_read, n_candidates
        return self.nearest_within_budget(some, weighted_k, exclude, budget)

    @property
    @abstractmethod
    def read_cost(self):
        """Return the cost of one more in `n_read`, in nanoseconds."""

    def scale_budget(self, budget, k, maximum):
        """Return a part of the budget for k neighbours, one of them maybe excluded."""
        # It is not reduced for fewer neighbours than it was tuned for.
        k = max(k, self.n_neighbors)
        return min(max(-(-budget * k // self.n_neighbors), k + 1), maximum)

    def profile_recall(self, n_neighbors, rng, n_jobs=None):
        """Return what each budget would find of the neighbours of a sample of rows."""
        m = _MAX_PRODUCTS / (self.n_rows * self.rows.mean_cells)
        m = int(np.clip(m, _MIN_SAMPLE, _MAX_SAMPLE))
        exclude = np.sort(rng.permutation(self.n_rows)[:m])
        queries = self.rows[exclude].as_queries()
        exact = self.exact_neighbors(queries, n_neighbors, exclude, n_jobs)[1]
        return self.recall_profile(queries, exact, exclude, n_jobs)

    def exact_neighbors(self, queries, k, exclude, n_jobs=None, alive=None):
        """Return reduced distances and indices of the exact nearest rows."""
        m = queries.shape[0]
        reduced, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        weighted_k = WeightedK.of_rows(k, self.n_rows, alive)
        search = self.exact_search()

        def find(rows):
            # Few queries at a time: their lists of near rows are long.
            for some in slices_of(rows, MIN_QUERIES_PER_TASK):
                lists = search.nearest(queries, some, weighted_k, exclude[some])
                reduced[some] = lists.reduced[:, :k]
                indices[some] = lists.indices[:, :k]

        map_chunks(
            find,
            m,
            _BYTES_PER_QUERY + _BYTES_PER_ROW * self.n_rows,
            n_jobs=n_jobs,
            min_rows=MIN_QUERIES_PER_TASK,
            uses_blas=True,
        )
        return reduced, indices

    @abstractmethod
    def exact_search(self):
        """Return a search that finds the exact nearest rows."""

    def tune_on_sample(self, n_neighbors, recall, rng, n_jobs=None):
        """Tune to a recall on a sample of the rows."""
        # If everything has to be read, one recall of 1 is noted, without a sample.
        k = min(n_neighbors, self.n_rows - 1)
        if recall == 1 or self.n_rows <= MAX_EXHAUSTIVE_ROWS:
            self.set_budget(max(k, 1), self.max_read, self.n_rows)
            self.found = np.ones(1)
        else:
            self.tune(self.profile_recall(k, rng, n_jobs), recall)

    def tune(self, profile, recall):
        """Set the cheapest budget that reaches a recall."""
        # A search measures at least this number of rows: see `scale_budget`.
        ranks = np.maximum(profile.ranks, profile.n_neighbors + 1)
        level, n_candidates = choose_budget(
            ranks, profile.read_costs, profile.measure_cost, recall
        )
        n_read = int(profile.levels[level])
        self.set_budget(profile.n_neighbors, n_read, n_candidates)
        self.found = (ranks[level] <= n_candidates).mean(axis=1)


def measure_all(rows, queries, weighted_k, exclude):
    """Return the lists of queries among few rows, of which all are measured."""
    n, m = rows.shape[0], len(exclude)
    alive = weighted_k.alive
    some = np.arange(n) if alive is None else np.flatnonzero(alive.view(np.bool_))
    lists, of_chosen = empty_lists(m, weighted_k.width), weighted_k.of_chosen()
    for block in cache_sized_slices(range(m), len(some)):
        numbers = np.arange(block.start, block.stop)
        size = len(numbers)
        chosen, sizes = np.tile(some, (size, 1)), np.full(size, len(some))
        found = rows.measure(
            queries, numbers, chosen, sizes, exclude[numbers], of_chosen
        )
        if size == m:
            return found
        lists.put(numbers, found)
    return lists


# Recall: its measurement, and the cheapest search budget that reaches it.


# Quantile of the normal distribution for 95 % intervals.
_Z_95 = 1.96
# Ratio of consecutive numbers of candidates that are tried.
_CANDIDATE_RATIO = 1.1


@dataclass
class RecallReport:
    """The share of the true neighbours that was found.

    Attributes
    ----------
    recall : float
        Share of the neighbours found that are as near as the true ones.
    interval : tuple of float
        95 % confidence interval for rows like these.
    n_neighbors, n_queries : int
    """

    recall: float
    interval: tuple
    n_neighbors: int
    n_queries: int


@dataclass
class RecallCurve:
    """Recall and time of queries, for several search budgets.

    Attributes
    ----------
    recall : ndarray of shape (n_budgets,)
        Share of the true neighbours found.
    seconds : ndarray of shape (n_budgets,)
        Time per query.
    n_read, n_candidates : int arrays of shape (n_budgets,)
        How much a query reads, and how many rows it measures.
    """

    recall: np.ndarray
    seconds: np.ndarray
    n_read: np.ndarray
    n_candidates: np.ndarray  # how many rows it measures


def choose_budget(ranks, read_costs, measure_cost, recall):
    """Return the (level, n_candidates) of least cost that reaches a recall.

    >>> ranks = np.array([[[1, np.inf], [np.inf, 1]], [[1, 2], [3, 2]]])
    >>> choose_budget(ranks, np.array([1.0, 10.0]), 1.0, 0.5)
    (0, 1)
    >>> choose_budget(ranks, np.array([1.0, 10.0]), 1.0, 1.0)
    (1, 3)
    """
    # ranks: (n_levels, m, k), at each level the rank of the j-th true neighbour of
    # query i by estimated distance; infinite if the level does not read this neighbour.
    # read_costs: (n_levels,), of which the last level reads everything; measure_cost:
    # the cost of measuring one row. n_candidates rows are measured.
    # The lower end of the 95 % interval of the recall must reach it. In the doctest
    # there are two queries with two neighbours each: the first level reads one
    # neighbour of each query, at rank 1; the second level reads all.
    largest = int(ranks[np.isfinite(ranks)].max())
    n_steps = np.log(largest) / np.log(_CANDIDATE_RATIO)
    sizes = np.unique(np.ceil(_CANDIDATE_RATIO ** np.arange(n_steps + 1)))
    sizes = np.append(sizes[sizes < largest], largest)
    best, lowest = None, np.inf
    for level, (rank, cost) in enumerate(zip(ranks, read_costs)):
        if cost >= lowest:
            continue
        found = (rank[:, :, None] <= sizes).mean(axis=1)
        margin = _Z_95 * _standard_error(found)
        reached = np.flatnonzero(found.mean(axis=0) - margin >= recall)
        if len(reached) and cost + measure_cost * sizes[reached[0]] < lowest:
            n_candidates = int(sizes[reached[0]])
            lowest = cost + measure_cost * n_candidates
            best = level, n_candidates
    return best


def interval(found):
    """Return the 95 % confidence interval of a mean."""
    error, mean = _Z_95 * _standard_error(found), found.mean()
    return float(max(mean - error, 0.0)), float(min(mean + error, 1.0))


def _standard_error(found):
    """Return the standard error of the mean over the first axis."""
    return found.std(axis=0, ddof=min(1, len(found) - 1)) / np.sqrt(len(found))
