"""Search that measures the distances of all rows, for metrics without a kernel."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

from .._core._arrays import as_float_array
from .._core._parallel import slices_of
from ._metrics import longest_row
from ._neighbor_lists import RowsSearch, empty_lists, nearest_of_all
from ._ties import ROWS_LISTED_FOR_TIES, merge_ties

# Distances that are held at a time.
_MAX_DISTANCES = 2**22


class BruteSearch(RowsSearch):
    """Finds the nearest rows among all, by any distances."""

    n_rows_beyond = ROWS_LISTED_FOR_TIES

    def __init__(self, metric, rows, measure):
        # metric: turns reduced distances into distances.
        # measure(queries) returns the reduced distances (m, n) of all rows.
        self.metric = metric
        self.rows = rows
        self._measure = measure
        self._longest = longest_row(rows)

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded row."""
        queries = queries[rows]
        lists = empty_lists(queries.shape[0], weighted_k.width)
        for some, reduced in self._reduced(queries):
            lists.put(some, nearest_of_all(reduced, weighted_k, exclude[some]))
        return merge_ties(lists, self.metric.rounding(queries, self._longest))

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query (`DenseSearch`)."""
        codes, numbers = row_targets
        targets = numbers
        if len(codes):
            targets = (codes[:, None] == np.arange(numbers.shape[1])).astype(float)
        m = queries.shape[0]
        totals, sums = np.zeros(m), np.zeros((m, targets.shape[1]))
        farthest = self.metric.rounding(queries, self._longest).farthest(distances)
        for some, reduced in self._reduced(queries):
            is_tied = reduced >= distances[some, None]
            is_tied &= reduced <= farthest[some, None]
            tied = np.where(is_tied, weight, 0.0)
            excluded = np.flatnonzero(exclude[some] >= 0)
            row = exclude[some][excluded]
            tied[excluded, row] = 0.0
            totals[some], sums[some] = tied.sum(axis=1), tied @ targets
        return totals, sums

    def _reduced(self, queries):
        """Yield slices of the queries, and the reduced distances of all rows."""
        step = max(_MAX_DISTANCES // self.n_rows, 1)
        for some in slices_of(range(queries.shape[0]), step):
            yield some, self._measure(queries[some])


# Distances (m, n) of all training rows from m queries, for metrics without a kernel.


def callable_distances(metric, params, rows, queries):
    """Return ``metric(query, row, **params)``, called once for each pair."""
    # params: dict or None; rows: (n, n_features).
    params = params or {}
    found = [metric(query, row, **params) for query in queries for row in rows]
    distances = as_float_array(found, "What metric returns", "one real number")
    if distances.ndim != 1 or not np.all(distances >= 0):
        raise ValueError(
            "metric returned an array, NaN or a negative number: return one "
            "distance ≥ 0 for two rows."
        )
    return distances.reshape(len(queries), len(rows))


def pairwise_distances(name, params, rows, queries):
    """Return the distances that scipy measures between two rows of numbers."""
    # name: one of `PAIRWISE_METRICS`; params: {"w": weights of the columns}, or {};
    # rows: (n, n_features).
    with np.errstate(invalid="ignore"):
        distances = cdist(queries, rows, name, **params)
    # 0 / 0, where no column of weight above 0 is filled in either row.
    distances[np.isnan(distances)] = 0.0
    return distances


def sparse_manhattan_distances(rows, queries):
    """Return the sums of absolute differences from sparse rows."""
    # rows: csr_array (n, n_columns) with sorted columns and no duplicates.
    return manhattan_distances(_with_short_indices(queries), _with_short_indices(rows))


def _with_short_indices(rows):
    """Return sparse rows with indices of 32 bits, which scikit-learn reads."""
    parts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sparse.csr_matrix((rows.data, *parts), shape=rows.shape)
