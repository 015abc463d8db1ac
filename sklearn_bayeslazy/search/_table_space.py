"""The space of rows with strings, categories, missing cells and numbers."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..tabular import check_table, read_table
from ._metrics import learn_metric
from ._mixed_rows import EncodedRows, TableEmbedding, column_relevance
from ._numeric_space import search_transformed
from ._row_spaces import RowSpace, TrainingPoints

# Points of larger tables without symbols, above 128 MiB, are encoded each time they are
# read: this more than doubles the time of a fit, and saves one of two copies.
MAX_CELLS_TO_KEEP = 2**24


class TableSpace(RowSpace):
    """Rows of tables as points whose Euclidean distance is a mixed metric."""

    # A row that is left out is encoded without itself: its target must not bring it
    # closer to rows of the same target.
    # metric: "hvdm": numbers are divided by four standard deviations; "auto": numbers
    # become normal scores of a standard deviation of 1/4, and `relevance` is measured,
    # (n_features,), as `column_relevance` returns it.
    # algorithm: "auto", "brute" or "kd_tree"; m: the weight of the prior in the
    # m-estimates of symbols, or "loo"; target_unit: factor of the targets by which
    # symbols are compared.

    accepts_nan = True

    def __init__(self, metric, algorithm, m, target_unit=1.0, accepts_sparse=False):
        self._metric, self._algorithm = metric, algorithm
        self._m, self._target_unit = m, target_unit
        self.accepts_sparse = accepts_sparse

    def check(self, estimator, X, *, reset):
        """Return X as a `Table`."""
        X = check_table(estimator, X, reset=reset, accept_sparse=self.accepts_sparse)
        return read_table(X.toarray() if sparse.issparse(X) else X)

    def take(self, X, rows):
        """Return some rows of a table."""
        return X.take(rows)

    def fit(self, X, targets, weight):
        """Learn the embedding and the relevance, and return the `TrainingPoints`."""
        is_auto = self._metric == "auto"
        has_symbols = X.are_categorical().any()
        y = targets() if has_symbols or is_auto else None
        if is_auto:
            self.relevance = column_relevance(X, y, weight)
        y = y * self._target_unit if has_symbols else None
        numbers = "normal_scores" if is_auto else "deviations"
        self.embedding = TableEmbedding(X, y, weight, numbers=numbers, m=self._m)
        points = left_out = EncodedRows(X, self.embedding.transform)
        if has_symbols or np.prod(points.shape) <= MAX_CELLS_TO_KEEP:
            points = left_out = points[:]
        if has_symbols:
            left_out = self.embedding.training_rows(X, y, weight, points)
        return TrainingPoints(points, left_out, self.embedding.column_of, weight)

    def search(self, training, feature_weights):
        """Return a search among the points, and the left-out rows as its queries."""
        scale = feature_weights
        if scale is not None:
            scale = scale[training.column_of]
        points, weight = training.points, training.weight
        metric = learn_metric("euclidean", None, scale, points, weight, self.n_jobs)
        metric = replace(metric, name=self._metric)
        return search_transformed(
            metric, points, training.left_out, self._algorithm, self.n_jobs
        )

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return search.metric.transform(self.embedding.transform(X), query=True)

    def column_distances(self, queries, rows, search):
        """Return the distance along each column, over all its coordinates."""
        column_of, metric = self.embedding.column_of, search.metric
        if metric.scale is not None:  # removed columns have no coordinate
            column_of = column_of[metric.scale > 0]
        gaps = search.training_queries()[rows] - queries[:, None]
        squares = np.zeros((*rows.shape, len(self.embedding.n_values)))
        np.add.at(squares, (slice(None), slice(None), column_of), gaps**2)
        return np.sqrt(squares) / metric.unit
