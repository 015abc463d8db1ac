"""Spaces of rows of numbers: metrics that have a kernel, and neighbour engines."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ._brute_search import BruteSearch
from ._dense_kernels import MANHATTAN, PRESENT, UNIT
from ._dense_search import DenseSearch, wants_tree
from ._distances import SparseManhattanDistances
from ._engine_search import EngineSearch
from ._metrics import SPARSE_METRICS, Metric, learn_metric, refuse_overflow
from ._row_spaces import RowSpace
from ._sparse_search import SparseSearch

# The cells that are transformed at a time to be checked.
_CELLS_AT_ONCE = 2**18


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
        points = training.points
        metric = learn_metric(
            self._name,
            self._params,
            feature_weights,
            points,
            training.weight,
            self.n_jobs,
        )
        return search_transformed(
            metric, points, training.left_out, self._algorithm, self.n_jobs
        )

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
        columns = np.arange(queries.shape[1])
        if metric.scale is not None:  # removed columns have no coordinate
            columns = np.flatnonzero(metric.scale > 0)
        n_features = len(columns) if metric.scale is None else len(metric.scale)
        gaps = search.training_queries()[rows] - queries[:, None]
        distances = np.zeros((*rows.shape, n_features))
        distances[:, :, columns] = np.abs(gaps) / metric.unit
        return distances


class EngineSpace(RowSpace):
    """Rows that an object with ``kneighbors`` compares."""

    accepts_sparse = True

    def __init__(self, engine):
        self._engine = engine

    def search(self, training, feature_weights):
        """Return the engine as a search, and the rows."""
        metric = Metric("engine", root=1.0, divisor=2.0)
        return EngineSearch(self._engine, metric, training.points), training.left_out

    def queries(self, X, search):
        """Return the rows."""
        return X


def search_transformed(metric, points, left_out, algorithm, n_jobs):
    """Return a search among points transformed by a metric, and left-out queries."""
    if sparse.issparse(points) or metric.kind == UNIT or metric.matrix is not None:
        transformed = metric.transform(points)
    else:
        transformed = TransformedRows(points, metric)
    refuse_overflow(metric.largest, metric.name, "X, feature_weights or metric_params")
    n_rows, n_columns = transformed.shape
    tree = algorithm == "kd_tree"
    if algorithm == "auto":
        is_table = not sparse.issparse(points) and metric.kind != PRESENT
        tree = is_table and wants_tree(n_rows, n_columns)
    all_rows = np.arange(n_rows)
    search = search_points(metric, transformed, [all_rows], tree, n_jobs)
    if left_out is points:
        return search, TransformedRows(points, metric, query=True)
    return search, metric.transform(left_out, query=True)


def in_chunks(rows):
    """Yield all rows, few at a time."""
    n_rows, n_columns = rows.shape
    step = max(_CELLS_AT_ONCE // max(n_columns, 1), 1)
    for start in range(0, n_rows, step):
        yield rows[start : start + step]


@dataclass(frozen=True, eq=False)
class TransformedRows:
    """Rows that a metric transforms when they are read, so that no copy is kept."""

    X: object  # (n, n_features), an ndarray or a sparse array
    metric: Metric
    query: bool = False  # whether they are transformed as queries

    @property
    def shape(self):
        """Return the numbers of rows and of transformed columns."""
        return len(self), self[:0].shape[1]

    def __len__(self):
        return self.X.shape[0]

    def __getitem__(self, rows):
        """Return some rows, in an array of any number of axes if they are dense."""
        some = self.X[rows]
        if sparse.issparse(some):
            return self.metric.transform(some, query=self.query)
        flat = some.reshape(-1, some.shape[-1])
        transformed = self.metric.transform(flat, query=self.query)
        return transformed.reshape(*some.shape[:-1], transformed.shape[1])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[:], dtype=dtype)


def search_points(metric, transformed, segments, tree=False, n_jobs=None):
    """Return a search whose blocks hold rows of one segment each."""
    if sparse.issparse(transformed) and metric.kind == MANHATTAN:
        return BruteSearch(metric, transformed, SparseManhattanDistances(transformed))
    if sparse.issparse(transformed):
        return SparseSearch(metric, transformed, segments)
    return DenseSearch(metric, transformed, segments, tree, n_jobs)
