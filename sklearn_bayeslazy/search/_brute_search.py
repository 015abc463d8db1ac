"""Search that measures the distances of all rows, for metrics without a kernel."""

import numpy as np

from ._distances import OverlapDistances
from ._metrics import Metric
from ._neighbor_lists import empty_lists
from ._ties import ROWS_LISTED_FOR_TIES

# Distances that are held at a time.
_MAX_DISTANCES = 2**22


class BruteSearch:
    """Finds the nearest rows among all, by any distances."""

    n_rows_beyond = ROWS_LISTED_FOR_TIES

    def __init__(self, metric, rows, measure):
        # metric: turns reduced distances into distances.
        # rows: (n, n_columns), dense or sparse, in the same form as queries.
        # measure(queries) returns the reduced distances (m, n) of all rows.
        self.metric = metric
        self.rows = rows
        self._measure = measure

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.rows.shape[0]

    def training_queries(self):
        """Return the training rows as queries."""
        return self.rows

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less one excluded copy."""
        queries = queries[rows]
        lists = empty_lists(queries.shape[0], weighted_k.width)
        for some, reduced in self._reduced(queries):
            for q, distances in enumerate(reduced, start=some.start):
                nearest = _nearest(
                    distances, weighted_k.width, exclude[q], weighted_k.weight
                )
                lists.counts[q] = len(nearest)
                lists.indices[q, : len(nearest)] = nearest
                lists.reduced[q, : len(nearest)] = distances[nearest]
        return lists

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query (`DenseSearch`)."""
        codes, numbers = row_targets
        targets = numbers
        if len(codes):
            targets = (codes[:, None] == np.arange(numbers.shape[1])).astype(float)
        m = queries.shape[0]
        totals, sums = np.zeros(m), np.zeros((m, targets.shape[1]))
        for some, reduced in self._reduced(queries):
            tied = np.where(reduced == distances[some, None], weight, 0.0)
            excluded = np.flatnonzero(exclude[some] >= 0)
            row = exclude[some][excluded]
            tied[excluded, row] = np.maximum(tied[excluded, row] - 1, 0.0)
            totals[some], sums[some] = tied.sum(axis=1), tied @ targets
        return totals, sums

    def _reduced(self, queries):
        """Yield slices of the queries, and the reduced distances of all rows."""
        step = max(_MAX_DISTANCES // self.n_rows, 1)
        m = queries.shape[0]
        for first in range(0, m, step):
            some = slice(first, min(first + step, m))
            yield some, self._measure(queries[some])


class MixedSearch(BruteSearch):
    """Finds the nearest rows by HEOM or Gower's distance."""

    def __init__(self, rows, is_symbol, name="heom", feature_weights=None):
        # The parameters are those of `OverlapDistances`.
        metric = Metric(name, root=2.0 if name == "heom" else 1.0)
        measure = OverlapDistances(rows, is_symbol, name, feature_weights)
        super().__init__(metric, rows, measure)


def _nearest(distances, width, exclude, weight):
    """Return the nearest rows, sorted by (distance, row)."""
    # distances, weight: (n,). The excluded row is left out if it has one copy only.
    indices = np.arange(len(distances))
    if width < len(distances):
        bound = np.partition(distances, width - 1)[width - 1]
        indices = np.flatnonzero(distances <= bound)
    indices = indices[np.argsort(distances[indices], kind="stable")]
    if exclude >= 0 and weight[exclude] <= 1:
        indices = indices[indices != exclude]
    return indices[:width]
