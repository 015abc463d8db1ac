"""Distances from queries to all training rows, for metrics without a search kernel.

HEOM, the heterogeneous Euclidean-overlap metric, is the root of a sum over the columns:
((a - b) / range)² for numbers, 0 for equal symbols, 1 for different symbols, and 1 if a
value is missing. Gower's distance is the mean of |a - b| / range and of the same 0 and
1, over the columns that are present in both rows.

Sources: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
functions, JAIR 6; J. C. Gower (1971), A general coefficient of similarity and some of
its properties, Biometrics 27.
"""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

from .._core._arrays import as_float_array
from .._core._kernel import frozen
from ._overlap_kernels import measure_gower, measure_heom


class OverlapDistances:
    """The squared HEOM distances, or Gower's distances, from rows of a `MixedSpace`."""

    def __init__(self, rows, is_symbol, name="heom", feature_weights=None):
        # name: "heom" or "gower"; rows: (n, n_features); is_symbol: (n_features,).
        # feature_weights: (n_features,), factors of the differences; for Gower's
        # distance the weights of the mean.
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
