"""Spaces of rows: how a metric reads rows, and the search for the nearest ones."""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .._core._arrays import check_feature_weights
from ..tabular import check_rows, check_table, read_table
from ._brute_search import (
    BruteSearch,
    callable_distances,
    pairwise_distances,
    sparse_manhattan_distances,
)
from ._dense_kernels import MANHATTAN, PRESENT, UNIT
from ._dense_search import DenseSearch, wants_tree
from ._engine_search import EngineSearch
from ._lookup_search import OVERLAP_METRICS, OverlapRows
from ._metrics import (
    PAIRWISE_METRICS,
    SPARSE_METRICS,
    Metric,
    check_metric_params,
    learn_metric,
    refuse_overflow,
)
from ._mixed_rows import (
    TableEmbedding,
    TransformedRows,
    column_relevance,
    relevance_weights,
)
from ._sparse_search import SparseSearch


class TrainingPoints(NamedTuple):
    """The training rows as a space reads them."""

    # (n, n_coordinates) each: an ndarray, a sparse array, TransformedRows.
    points: object  # among which neighbours are searched
    left_out: object  # the same rows as queries, when each is left out
    column_of: np.ndarray  # (n_coordinates,), the column of X that each comes from
    weight: np.ndarray  # (n,)


class RowSpace(ABC):
    """Rows of an estimator's X as points, and searches among them."""

    accepts_sparse = False
    accepts_nan = False
    # (n_features,): how much each column tells about the targets; None if not measured.
    relevance = None
    n_jobs = None  # number of threads that copy the rows when a search is built

    def check(self, estimator, X, *, reset):
        """Return X, checked; `reset` means that the estimator is being fitted."""
        return check_rows(
            estimator,
            X,
            accept_sparse="csr" if self.accepts_sparse else False,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if self.accepts_nan else True,
            reset=reset,
        )

    def take(self, X, rows):
        """Return some rows of checked training rows."""
        return X[rows]

    def fit(self, X, targets, weight):
        """Learn what turns rows into points, and return the `TrainingPoints`."""
        # X: checked training rows; weight: (n,). targets() returns the columns,
        # (n, n_targets), by which symbols are compared.
        return TrainingPoints(X, X, np.arange(X.shape[1]), weight)

    @abstractmethod
    def search(self, training, feature_weights):
        """Return a search among the points, and the left-out rows as its queries."""
        # training: TrainingPoints; feature_weights: (n_features,), factors of the
        # columns of X, or None.

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return X

    def column_distances(self, queries, rows, search):
        """Return how far rows are from queries along each column of X."""
        # queries: (m, n_coordinates), as `queries` returns them; rows: (m, width),
        # indices of training points. Returns (m, width, n_features), or None if the
        # distance is not made up of parts by column.
        return None


# Spaces of rows of numbers: metrics that have a kernel, and neighbour engines.


class NumericSpace(RowSpace):
    """Rows of numbers, dense or sparse, under a metric that transforms them."""

    # metric: one of the metrics of `learn_metric`, with the parameters params, a dict
    # or None; algorithm: "auto", "brute" or "kd_tree".

    def __init__(self, metric, params, algorithm, accepts_sparse=False):
        self._name, self._params, self._algorithm = metric, params, algorithm
        self.accepts_sparse = accepts_sparse and metric in SPARSE_METRICS
        self.accepts_nan = metric == "nan_euclidean"

    def search(self, training, feature_weights):
        """Return a search among the points, and the left-out rows as its queries."""
        metric = learn_metric(
            self._name,
            self._params,
            feature_weights,
            training.points,
            training.weight,
            self.n_jobs,
        )
        return search_transformed(metric, training, self._algorithm, self.n_jobs)

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        if sparse.issparse(getattr(search, "rows", None)):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return search.metric.transform(X, query=True)

    def column_distances(self, queries, rows, search):
        """Return |a - b| along each column, None for metrics that rotate the rows."""
        metric = search.metric
        if metric.kind in (UNIT, PRESENT) or metric.matrix is not None:
            return None
        if sparse.issparse(queries):
            return None
        n_columns = queries.shape[1] if metric.scale is None else len(metric.scale)
        return _distances_along(np.arange(n_columns), queries, rows, search)


def _distances_along(column_of, queries, rows, search):
    """Return the distances along columns of X; column_of: of each coordinate."""
    metric, n_columns = search.metric, column_of[-1] + 1
    if metric.scale is not None:  # removed columns have no coordinate
        column_of = column_of[metric.scale > 0]
    gaps = search.training_queries()[rows] - queries[:, None]
    squares = np.zeros((*rows.shape, n_columns))
    with np.errstate(over="ignore"):
        np.add.at(squares, (slice(None), slice(None), column_of), gaps**2)
    return np.sqrt(squares) / metric.unit


class EngineSpace(RowSpace):
    """Rows that an object with ``kneighbors`` compares."""

    accepts_sparse = True

    def __init__(self, engine):
        self._engine = engine

    def search(self, training, feature_weights):
        """Return the engine as a search, and the rows."""
        metric = Metric("engine", root=1.0, divisor=2.0)
        return EngineSearch(self._engine, metric, training.points), training.left_out


def search_transformed(metric, training, algorithm, n_jobs):
    """Return a search among points transformed by a metric, and left-out queries."""
    points, left_out = training.points, training.left_out
    if sparse.issparse(points) or metric.kind == UNIT or metric.matrix is not None:
        transformed = metric.transform(points)
    else:
        transformed = TransformedRows(points, metric.transform)
    refuse_overflow(metric.largest, metric.name, "X, feature_weights or metric_params")
    n_rows, n_columns = transformed.shape
    tree = algorithm == "kd_tree"
    if algorithm == "auto":
        is_table = not sparse.issparse(points) and metric.kind != PRESENT
        tree = is_table and wants_tree(n_rows, n_columns)
    all_rows = np.arange(n_rows)
    search = search_points(metric, transformed, [all_rows], n_jobs, tree)
    if left_out is points:
        as_queries = partial(metric.transform, query=True)
        return search, TransformedRows(points, as_queries)
    return search, metric.transform(left_out, query=True)


def search_points(metric, transformed, segments, n_jobs, tree=False):
    """Return a search whose blocks hold rows of one segment each."""
    if sparse.issparse(transformed) and metric.kind == MANHATTAN:
        measure = partial(sparse_manhattan_distances, transformed)
        return BruteSearch(metric, transformed, measure)
    if sparse.issparse(transformed):
        return SparseSearch(metric, transformed, segments)
    return DenseSearch(metric, transformed, segments, tree, n_jobs)


# The space of rows with strings, categories, missing cells and numbers.


class SpaceOfTables(RowSpace):
    """Rows of tables."""

    accepts_nan = True

    def check(self, estimator, X, *, reset):
        """Return X as a `Table`."""
        X = check_table(estimator, X, reset=reset, accept_sparse=self.accepts_sparse)
        return read_table(X.toarray() if sparse.issparse(X) else X)

    def take(self, X, rows):
        """Return some rows of a table."""
        return X.take(rows)


class TableSpace(SpaceOfTables):
    """Rows of tables as points whose Euclidean distance is a mixed metric."""

    # A row that is left out is encoded without itself: its target must not bring it
    # closer to rows of the same target.
    # metric: "hvdm": numbers are divided by four standard deviations; "auto": numbers
    # become normal scores of a standard deviation of 1/4, and `relevance` is measured,
    # (n_features,), as `column_relevance` returns it.
    # algorithm: "auto", "brute" or "kd_tree"; m: the weight of the prior in the
    # m-estimates of symbols, or "loo"; target_unit: factor of the targets by which
    # symbols are compared.

    def __init__(self, metric, algorithm, m, target_unit=1.0, accepts_sparse=False):
        self._metric, self._algorithm = metric, algorithm
        self._m, self._target_unit = m, target_unit
        self.accepts_sparse = accepts_sparse

    def fit(self, X, targets, weight):
        """Learn the embedding and the relevance, and return the `TrainingPoints`."""
        y = self._learn(X, targets, weight)
        points = TransformedRows(X, self.embedding.transform)
        points = left_out = points.kept_if_small() if y is None else points[:]
        if y is not None:
            left_out = self.embedding.training_rows(X, y, weight, points)
        return TrainingPoints(points, left_out, self.embedding.column_of, weight)

    def fit_part(self, X, targets, training, part):
        """Learn from the targets of some rows; return the `TrainingPoints` of all."""
        # targets: (n, n_targets); training: of all rows; part: bool (n,). As queries
        # the rows are these points too. Numbers, which no target changes, stay.
        rows = np.flatnonzero(part)
        self._learn(X.take(rows), lambda: targets[rows], training.weight[rows])
        points = training.points
        is_symbol = X.are_categorical()[training.column_of]
        if is_symbol.any():
            points = self.embedding.transform(X)
            points[:, ~is_symbol] = training.points[:, ~is_symbol]
        return training._replace(points=points, left_out=points)

    def _learn(self, X, targets, weight):
        """Set the embedding and the relevance; return what symbols are compared by."""
        # The result: (n, n_targets), None if there are no symbols.
        is_auto = self._metric == "auto"
        has_symbols = X.are_categorical().any()
        y = targets() if has_symbols or is_auto else None
        if is_auto:
            self.relevance = column_relevance(X, y, weight)
        y = y * self._target_unit if has_symbols else None
        numbers = "normal_scores" if is_auto else "deviations"
        self.embedding = TableEmbedding(X, y, weight, numbers=numbers, m=self._m)
        return y

    def weights(self, exponent):
        """Return the factor of each column, a power of its relevance."""
        return relevance_weights(self.relevance, self.embedding.n_values, exponent)

    def codes(self, X):
        """Return codes of symbols or ranks of numbers, and which columns have ranks."""
        # (n, d), -1 for a missing cell; bool (d,). Without columns that are dropped.
        columns = np.arange(X.n_columns)
        if self.relevance is not None:
            columns = np.flatnonzero(self.weights(0.0))
        codes = np.empty((X.n_rows, len(columns)), dtype=np.int64)
        for k, j in enumerate(columns):
            codes[:, k] = X.distinct(j)[1]
        return codes, np.array([X.labels(j) is None for j in columns])

    def search(self, training, feature_weights):
        """Return a search among the points, and the left-out rows as its queries."""
        scale = feature_weights
        if scale is not None:
            scale = scale[training.column_of]
        points, weight = training.points, training.weight
        metric = learn_metric("euclidean", None, scale, points, weight, self.n_jobs)
        metric = replace(metric, name=self._metric, is_rounded=True)
        return search_transformed(metric, training, self._algorithm, self.n_jobs)

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return search.metric.transform(self.embedding.transform(X), query=True)

    def column_distances(self, queries, rows, search):
        """Return the distance along each column, over all its coordinates."""
        return _distances_along(self.embedding.column_of, queries, rows, search)


# The space of rows under HEOM or Gower's distance.


class OverlapSpace(SpaceOfTables):
    """Rows of tables under HEOM or Gower's distance."""

    # name: one of `OVERLAP_METRICS`.

    def __init__(self, name):
        self._name = name

    def fit(self, X, targets, weight):
        """Learn the ranges and values of the columns; return the `TrainingPoints`."""
        self._rows = OverlapRows(X, self._name)
        queries = self._rows.training_queries()
        return TrainingPoints(queries, queries, np.arange(X.n_columns), weight)

    def search(self, training, feature_weights):
        """Return a search among the rows, and the rows as its queries."""
        self._weights = feature_weights
        return self._rows.search(feature_weights), training.left_out

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return self._rows.queries(X)

    def column_distances(self, queries, rows, search):
        """Return the difference along each column: for HEOM times its weight."""
        return self._rows.column_distances(queries, rows, self._weights)


# Spaces whose search measures the distances of all rows, for lack of a kernel.


class CallableSpace(RowSpace):
    """Rows of numbers under a callable metric."""

    # params: keyword arguments of the metric, or None.

    def __init__(self, metric, params):
        self._metric, self._params = metric, params

    def search(self, training, feature_weights):
        """Return a search among the rows, and the rows as its queries."""
        rows, metric = training.points, Metric("callable", root=1.0, is_given=True)
        measure = partial(callable_distances, self._metric, self._params, rows)
        return BruteSearch(metric, rows, measure), training.left_out


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
            given, name = params["w"], "metric_params['w']"
            params = {"w": check_feature_weights(given, rows.shape[1], name, 1)}
        measure = partial(pairwise_distances, self._name, params, rows)
        metric = Metric(self._name, root=1.0)
        return BruteSearch(metric, rows, measure), training.left_out


class GivenDistances(RowSpace):
    """Distances to the training rows, of which some may have no weight."""

    _kept = None  # the rows of weight above 0; None for all

    def check(self, estimator, X, *, reset):
        """Return distances, checked."""
        X = super().check(estimator, X, reset=reset)
        if reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                "metric='precomputed' needs the square matrix of the distances between "
                f"the training rows, got the shape {X.shape}."
            )
        if np.any(X < 0):
            raise ValueError(
                "Negative values in data: metric='precomputed' needs distances ≥ 0, "
                f"got {X.min()}."
            )
        return X

    def take(self, X, rows):
        """Return the distances between some of the training rows."""
        self._kept = rows
        return np.ascontiguousarray(X[rows][:, rows])

    def search(self, training, feature_weights):
        """Return a search by the distances, and the distances as its queries."""
        metric = Metric("precomputed", root=1.0, is_given=True)
        # A query is its distances.
        return BruteSearch(metric, training.points, np.asarray), training.left_out

    def queries(self, X, search):
        """Return the distances to the rows that `fit` kept."""
        return X if self._kept is None else X[:, self._kept]


def brute_space(metric, params):
    """Return the space of a metric without coordinates, or of given distances."""
    if callable(metric):
        return CallableSpace(metric, params)
    params = check_metric_params(metric, params)
    if metric in PAIRWISE_METRICS:
        return PairwiseSpace(metric, params)
    if metric in OVERLAP_METRICS:
        return OverlapSpace(metric)
    return GivenDistances()  # "precomputed", of the names that were checked before
