"""Spaces whose search measures the distances of all rows, for lack of a kernel."""

import numpy as np

from ..tabular import check_table, read_table
from ._brute_search import BruteSearch, MixedSearch
from ._distances import (
    CallableDistances,
    PairwiseDistances,
    check_distances,
    given_distances,
)
from ._metrics import PAIRWISE_METRICS, Metric, check_metric_params, column_weights
from ._mixed_rows import MixedSpace
from ._row_spaces import RowSpace


class OverlapSpace(RowSpace):
    """Rows of tables under HEOM or Gower's distance."""

    # name: "heom" or "gower".

    accepts_nan = True

    def __init__(self, name):
        self._name = name

    def check(self, estimator, X, *, reset):
        """Return X as a `Table`."""
        return read_table(check_table(estimator, X, reset=reset))

    def take(self, X, rows):
        """Return some rows of a table."""
        return X.take(rows)

    def fit(self, X, targets, weight):
        """Learn the ranges and values of the columns; return the `TrainingPoints`."""
        self._cells = MixedSpace(X)
        return super().fit(self._cells.transform(X), targets, weight)

    def search(self, training, feature_weights):
        """Return a search among the points, and the rows as its queries."""
        points, is_symbol = training.points, self._cells.is_symbol
        self._weights = 1.0 if feature_weights is None else feature_weights
        search = MixedSearch(points, is_symbol, self._name, feature_weights)
        return search, training.left_out

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return self._cells.transform(X)

    def column_distances(self, queries, rows, search):
        """Return the difference along each column: for HEOM times its weight."""
        # (m, width, n_features); NaN for a column that Gower's distance leaves out,
        # because a cell is missing.
        a, b = search.training_queries()[rows], queries[:, None]
        distances = np.where(self._cells.is_symbol, a != b, np.abs(a - b))
        is_missing = np.isnan(a) | np.isnan(b)
        if self._name == "gower":
            return np.where(is_missing, np.nan, distances)
        return np.where(is_missing, 1.0, distances) * self._weights


class CallableSpace(RowSpace):
    """Rows of numbers under a callable metric."""

    # params: keyword arguments of the metric, or None.

    def __init__(self, metric, params):
        self._metric, self._params = metric, params

    def search(self, training, feature_weights):
        """Return a search among the rows, and the rows as its queries."""
        measure = CallableDistances(self._metric, self._params, training.points)
        metric = Metric("callable", root=1.0)
        return BruteSearch(metric, training.points, measure), training.left_out

    def queries(self, X, search):
        """Return the rows."""
        return X


# They compare cells that are 0 with cells that are not.
_BOOLEAN_METRICS = ("dice", "jaccard", "rogerstanimoto")


class PairwiseSpace(RowSpace):
    """Rows of numbers under a metric that scipy measures."""

    # name: one of `PAIRWISE_METRICS`; params: {"w": weights of the columns}, or {}.

    def __init__(self, name, params):
        self._name, self._params = name, params

    def check(self, estimator, X, *, reset):
        """Return X, checked, as truth values if the metric reads only these."""
        X = super().check(estimator, X, reset=reset)
        if self._name in _BOOLEAN_METRICS:
            return X != 0
        with np.errstate(over="ignore"):
            if not np.isfinite(2 * np.abs(X).sum(axis=1)).all():
                raise ValueError(
                    f"Sums of a row overflow in metric={self._name!r}: bring X to a "
                    "smaller scale."
                )
        return X

    def search(self, training, feature_weights):
        """Return a search among the rows, and the rows as its queries."""
        rows, params = training.points, self._params
        if "w" in params:
            params = {"w": column_weights(params["w"], rows.shape[1])}
        measure = PairwiseDistances(self._name, params, rows)
        metric = Metric(self._name, root=1.0)
        return BruteSearch(metric, rows, measure), training.left_out

    def queries(self, X, search):
        """Return the rows."""
        return X


class GivenDistances(RowSpace):
    """Distances to the training rows, of which some may have no weight."""

    def __init__(self):
        self._kept = None

    def check(self, estimator, X, *, reset):
        """Return distances, checked."""
        X = super().check(estimator, X, reset=reset)
        check_distances(X, square=reset)
        return X

    def take(self, X, rows):
        """Return the distances between some of the training rows."""
        self._kept = rows
        return np.ascontiguousarray(X[rows][:, rows])

    def search(self, training, feature_weights):
        """Return a search by the distances, and the distances as its queries."""
        metric = Metric("precomputed", root=1.0)
        return BruteSearch(metric, training.points, given_distances), training.left_out

    def queries(self, X, search):
        """Return the distances to the rows that `fit` kept."""
        return X if self._kept is None else X[:, self._kept]


def brute_space(metric, params):
    """Return the space of a metric without a kernel, or of given distances."""
    if callable(metric):
        return CallableSpace(metric, params)
    params = check_metric_params(metric, params)
    if metric in PAIRWISE_METRICS:
        return PairwiseSpace(metric, params)
    return GivenDistances() if metric == "precomputed" else OverlapSpace(metric)
