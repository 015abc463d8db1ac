"""Search that measures the distances of all rows, for metrics without a kernel."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

from .._core._arrays import as_float_array
from .._core._kernel import frozen, kernel
from ._metrics import Metric
from ._neighbor_lists import empty_lists
from ._ties import ROWS_LISTED_FOR_TIES

# The metrics of `MixedSearch`.
OVERLAP_METRICS = ("heom", "gower")
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


# Distances from queries to all training rows, for metrics without a search kernel.
#
# HEOM, the heterogeneous Euclidean-overlap metric, is the root of a sum over the
# columns: ((a - b) / range)² for numbers, 0 for equal symbols, 1 for different symbols,
# and 1 if a value is missing. Gower's distance is the mean of |a - b| / range and of
# the same 0 and 1, over the columns that are present in both rows.
#
# Sources: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
# functions, JAIR 6; J. C. Gower (1971), A general coefficient of similarity and some of
# its properties, Biometrics 27.


class OverlapDistances:
    """The squared HEOM distances, or Gower's distances, from rows of a `MixedCells`."""

    def __init__(self, rows, is_symbol, name="heom", feature_weights=None):
        # name: one of `OVERLAP_METRICS`.
        # rows: (n, n_features); is_symbol: (n_features,).
        # feature_weights: (n_features,), factors of the differences; for Gower's
        # distance the weights of the mean.
        if name not in OVERLAP_METRICS:
            raise ValueError(f"name must be one of {OVERLAP_METRICS}, got {name!r}.")
        self._columns = frozen(rows.T, np.float64)
        self._is_symbol = frozen(is_symbol, np.bool_)
        weights = feature_weights
        if weights is None:
            weights = np.ones(len(is_symbol))
        self._is_gower = name == "gower"
        self._weights = frozen(weights if self._is_gower else weights**2, np.float64)

    def __call__(self, queries):
        """Return the reduced distances (m, n) of all rows from each query."""
        reduced = np.empty((len(queries), self._columns.shape[1]))
        measure = measure_gower if self._is_gower else measure_heom
        queries = frozen(queries, np.float64)
        measure(self._columns, self._is_symbol, self._weights, queries, reduced)
        return reduced


class CallableDistances:
    """The distances ``metric(query, row, **params)``, called once for each pair."""

    def __init__(self, metric, params, rows):
        # params: dict or None; rows: (n, n_features).
        self._metric, self._params, self._rows = metric, params or {}, rows

    def __call__(self, queries):
        """Return the distances (m, n) of all rows from each query."""
        found = [
            self._metric(query, row, **self._params)
            for query in queries
            for row in self._rows
        ]
        distances = as_float_array(found, "What metric returns", "one real number")
        if distances.ndim != 1 or not np.all(distances >= 0):
            raise ValueError(
                "metric returned an array, NaN or a negative number: return one "
                "distance ≥ 0 for two rows."
            )
        return distances.reshape(len(queries), len(self._rows))


class PairwiseDistances:
    """The distances that scipy measures between two rows of numbers."""

    def __init__(self, name, params, rows):
        # name: one of `PAIRWISE_METRICS`; params: {"w": weights of the columns}, or {};
        # rows: (n, n_features).
        self._name, self._params, self._rows = name, params, rows

    def __call__(self, queries):
        """Return the distances (m, n) of all rows from each query."""
        with np.errstate(invalid="ignore"):
            distances = cdist(queries, self._rows, self._name, **self._params)
        # 0 / 0, where no column of weight above 0 is filled in either row.
        distances[np.isnan(distances)] = 0.0
        return distances


class SparseManhattanDistances:
    """The sums of absolute differences from sparse rows."""

    def __init__(self, rows):
        # rows: csr_array (n, n_columns) with sorted columns and no duplicates.
        self._rows = _with_short_indices(rows)

    def __call__(self, queries):
        """Return the distances (m, n) of all rows from each query."""
        return manhattan_distances(_with_short_indices(queries), self._rows)


def _with_short_indices(rows):
    """Return sparse rows with indices of 32 bits, which scikit-learn reads."""
    parts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sparse.csr_matrix((rows.data, *parts), shape=rows.shape)


def given_distances(queries):
    """Return distances as they are given, one row for each query."""
    return queries


def check_distances(X, square=False):
    """Raise an error for a matrix that does not hold distances."""
    # square: whether X is the matrix of the training rows, which must be square.
    if square and X.shape[0] != X.shape[1]:
        raise ValueError(
            "metric='precomputed' needs the square matrix of the distances between the "
            f"training rows, got the shape {X.shape}."
        )
    if np.any(X < 0):
        raise ValueError(
            "Negative values in data: metric='precomputed' needs distances ≥ 0, got "
            f"{X.min()}."
        )


# Numba kernels of distances between rows of numbers, codes and missing values.
#
# The rows are stored column by column: numbers, or codes of symbols; NaN where a value
# is missing. Missing values differ from every code and from each other. -1 is the code
# of symbols that no training row has.


@kernel
def measure_heom(columns, is_symbol, weights, queries, squared):
    """Write the squared HEOM distances of all rows from each query."""
    # columns: (d, n), the rows; is_symbol: (d,), whether a column holds codes.
    # weights: (d,), factors of the squared differences.
    # queries: (m, d); squared: (m, n), output.
    d, n = columns.shape
    for q in range(len(queries)):
        for r in range(n):
            squared[q, r] = 0.0
        for j in range(d):
            x, w = queries[q, j], weights[j]
            if is_symbol[j]:
                for r in range(n):
                    squared[q, r] += 0.0 if columns[j, r] == x else w
            else:
                for r in range(n):
                    t = columns[j, r] - x
                    squared[q, r] += w * (t * t) if t == t else w


@kernel
def measure_gower(columns, is_symbol, weights, queries, distances):
    """Write Gower's distances of all rows from each query."""
    # They are weighted means over the columns that are present in both; infinite if
    # there is none. distances: (m, n), output; the others as in `measure_heom`.
    d, n = columns.shape
    total = np.empty(n)
    for q in range(len(queries)):
        for r in range(n):
            distances[q, r] = 0.0
            total[r] = 0.0
        for j in range(d):
            x, w = queries[q, j], weights[j]
            if x != x:
                continue
            for r in range(n):
                t = columns[j, r]
                if t == t:
                    total[r] += w
                    if is_symbol[j]:
                        distances[q, r] += 0.0 if t == x else w
                    else:
                        distances[q, r] += w * abs(t - x)
        for r in range(n):
            distances[q, r] = distances[q, r] / total[r] if total[r] > 0.0 else np.inf
