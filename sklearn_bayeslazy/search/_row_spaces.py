"""The interface of all spaces of rows."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ..tabular import check_rows


class TrainingPoints(NamedTuple):
    """The training rows as a space reads them."""

    # (n, n_coordinates) each: an ndarray, a sparse array or EncodedRows.
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
        return search.metric.transform(X, query=True)

    def column_distances(self, queries, rows, search):
        """Return how far rows are from queries along each column of X."""
        # queries: (m, n_coordinates), as `queries` returns them; rows: (m, width),
        # indices of training points. Returns (m, width, n_features), or None if the
        # distance is not made up of parts by column.
        return None
