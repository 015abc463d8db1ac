"""The interface of all spaces of rows."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ...tabular import check_rows


class TrainingPoints(NamedTuple):
    """The training rows as a space reads them.

    Attributes
    ----------
    points : {ndarray, sparse array, EncodedRows} of shape (n, n_coordinates)
        Among which neighbours are searched.
    left_out : {ndarray, sparse array, EncodedRows} of shape (n, n_coordinates)
        The same rows as they are asked for when each is left out.
    column_of : int array of shape (n_coordinates,)
        The column of X that each coordinate comes from.
    weight : ndarray of shape (n,)
    """

    points: object
    left_out: object
    column_of: np.ndarray
    weight: np.ndarray


class RowSpace(ABC):
    """Rows of an estimator's X as points, and searches among them.

    Attributes
    ----------
    accepts_sparse, accepts_nan : bool
    relevance : ndarray of shape (n_features,) or None
        How much each column tells about the targets, where a space measures it.
    n_jobs : int or None
        Number of threads that copy the rows when a search is built.
    """

    accepts_sparse = False
    accepts_nan = False
    relevance = None
    n_jobs = None

    def check(self, estimator, X, *, reset):
        """Return X, checked; `reset` says that the estimator is being fitted."""
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
        """Learn what turns rows into points, and return the `TrainingPoints`.

        Parameters
        ----------
        X : checked training rows
        targets : callable
            ``targets()`` returns the columns (n, n_targets) by which symbols are
            compared.
        weight : ndarray of shape (n,)
        """
        return TrainingPoints(X, X, np.arange(X.shape[1]), weight)

    @abstractmethod
    def search(self, training, feature_weights):
        """Return a search among the points, and the left-out rows as its queries.

        Parameters
        ----------
        training : TrainingPoints
        feature_weights : ndarray of shape (n_features,) or None
            Factors of the columns of X.
        """

    def queries(self, X, search):
        """Return checked new rows as queries of a search."""
        return search.metric.transform(X, query=True)

    def column_distances(self, queries, rows, search):
        """Return how far rows are from queries along each column of X.

        Parameters
        ----------
        queries : {ndarray, sparse array} of shape (m, n_coordinates)
            As `queries` returns them.
        rows : int array of shape (m, width)
            Indices of training points.
        search : search

        Returns
        -------
        ndarray of shape (m, width, n_features), or None
            None if the distance is not made up of parts by column.
        """
        return None
