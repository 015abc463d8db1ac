"""Lists and graphs of neighbours, as scikit-learn's estimators give them."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._search import WeightedK, no_exclusions


def check_mode(mode):
    """Raise an error for what is no way to weigh the edges of a graph."""
    if mode not in ("connectivity", "distance"):
        raise ValueError(f"mode must be 'connectivity' or 'distance', got {mode!r}.")


class NeighborListsMixin:
    """Methods of estimators that hold a search and its metric."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows that `fit` kept, none of which is its own
            neighbour.
        n_neighbors : int, default=None
            How many rows; by default `n_neighbors_`, or all where that is None. Sample
            weights do not matter here.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending, in units of the metric. Only with `return_distance`.
        ids : int ndarray of shape (n_samples, n_neighbors)
            Numbers of the training rows, as they were given to `fit`; of equally
            distant ones the first comes first.

        Raises
        ------
        ValueError
            Where there are fewer training rows than neighbours wanted.
        """
        check_is_fitted(self)
        itself = X is None
        queries = (
            self._search.training_queries() if itself else self._transform_queries(X)
        )
        m, n = queries.shape[0], self._search.n_rows
        k = self._how_many(n_neighbors, n - itself)
        weighted_k = WeightedK(k, np.ones(n))
        distances, ids = np.empty((m, k)), np.empty((m, k), dtype=np.int64)

        def find(rows):
            mine = np.arange(rows.start, rows.stop)
            exclude = mine if itself else no_exclusions(len(mine))
            lists = self._search.nearest(queries, rows, weighted_k, exclude)
            distances[rows] = self._metric.distances(lists.reduced[:, :k])
            ids[rows] = self._original(lists.indices[:, :k])

        self._map(find, m, 24 * weighted_k.width)
        return (distances, ids) if return_distance else ids

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            As in `kneighbors`.
        n_neighbors : int, default=None
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or the distance.

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR; the entries of a row stand in the order of their distances. Without X
            it is square, and rows that `fit` did not keep are empty.
        """
        check_mode(mode)
        distances, ids = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        m, k = ids.shape
        if X is None and self._kept is not None:
            sizes = np.zeros(self.n_samples_fit_, dtype=np.int64)
            sizes[self._kept] = k
        else:
            sizes = np.full(m, k)
        starts = np.append(0, np.cumsum(sizes))
        shape = len(sizes), self.n_samples_fit_
        return sparse.csr_matrix((values.ravel(), ids.ravel(), starts), shape=shape)

    def _how_many(self, n_neighbors, most):
        if n_neighbors is None:
            return most if self.n_neighbors_ is None else min(self.n_neighbors_, most)
        if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
            raise ValueError(
                f"n_neighbors must be an integer ≥ 1, got {n_neighbors!r}."
            )
        if n_neighbors > most:
            raise ValueError(
                f"n_neighbors={n_neighbors}, but there are only {most} training rows "
                "to be found."
            )
        return int(n_neighbors)

    def _original(self, ids):
        """Return the numbers that rows had in `fit`, before those of weight 0 went."""
        return ids if self._kept is None else self._kept[ids]
