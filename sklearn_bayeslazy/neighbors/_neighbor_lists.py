"""Lists and graphs of neighbours, in the form of scikit-learn's estimators."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..search import WeightedK, no_exclusions
from ._sparse_graph import sparse_graph

# Rows that share no column without a missing cell are infinitely far apart; distances
# of the user may be infinite.
MAY_BE_INFINITE = ("nan_euclidean", "gower", "precomputed", "callable")


def check_mode(mode):
    """Check that mode is "connectivity" or "distance"."""
    if mode not in ("connectivity", "distance"):
        raise ValueError(f"mode must be 'connectivity' or 'distance', got {mode!r}.")


def refuse_infinite(distances):
    """Raise an error if a distance overflows."""
    if not np.isfinite(distances).all():
        raise ValueError(
            "A distance overflows float64: bring the columns of X to a smaller scale, "
            "for example by StandardScaler, before fit and afterwards."
        )


class NeighborListsMixin:
    """Methods of estimators that hold a search and its metric."""

    # The estimator has `_search`, `_metric`, `_kept` (the rows that `fit` kept, or None
    # for all), `_transform_queries` and `_map`.

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows that `fit` kept; a row is then not a neighbour
            of itself.
        n_neighbors : int, default=None
            Number of rows; by default `n_neighbors_`, or all rows if that is None.
            Sample weights are not used.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Ascending, in units of the metric. Only with `return_distance`.
        indices : int ndarray of shape (n_samples, n_neighbors)
            Indices of the training rows as passed to `fit`; rows at equal distances are
            in ascending order.

        Raises
        ------
        ValueError
            If there are fewer training rows than neighbours.
        """
        check_is_fitted(self)
        exclude_self = X is None
        queries = (
            self._search.training_queries()
            if exclude_self
            else self._transform_queries(X)
        )
        k = self._checked_n_neighbors(n_neighbors, self._search.n_rows - exclude_self)
        distances, rows = self._nearest(queries, k, exclude_self)
        if self._metric.name not in MAY_BE_INFINITE:
            refuse_infinite(distances)
        indices = self._original(rows)
        return (distances, indices) if return_distance else indices

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
            CSR; the entries of a row are sorted by distance. Without X it is square,
            and rows that `fit` did not keep are empty.
        """
        check_mode(mode)
        distances, indices = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        sizes = np.full(*indices.shape)
        return self._graph(values.ravel(), indices.ravel(), sizes, X is None)

    def _nearest(self, queries, k, exclude_self=False):
        """Return the distances (m, k) and the indices of the nearest kept rows."""
        # With exclude_self, query i is row i, which is excluded from its list.
        m, weighted_k = queries.shape[0], WeightedK(k, np.ones(self._search.n_rows))
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)

        def find(rows):
            numbers = np.arange(rows.start, rows.stop)
            exclude = numbers if exclude_self else no_exclusions(len(numbers))
            lists = self._search.nearest(queries, rows, weighted_k, exclude)
            distances[rows] = self._metric.distances(lists.reduced[:, :k])
            indices[rows] = lists.indices[:, :k]

        self._map(find, m, 24 * weighted_k.width)
        return distances, indices

    def _graph(self, values, indices, sizes, is_training):
        """Return the graph whose rows have these entries, sizes of them each."""
        if is_training and self._kept is not None:
            sizes_of_kept = sizes
            sizes = np.zeros(self.n_samples_fit_, dtype=np.int64)
            sizes[self._kept] = sizes_of_kept
        starts = np.append(0, np.cumsum(sizes))
        shape = len(sizes), self.n_samples_fit_
        return sparse_graph(values, indices, starts, shape)

    def _checked_n_neighbors(self, n_neighbors, maximum):
        """Return the number of neighbours, the default one if None is given."""
        if n_neighbors is None:
            default = self.n_neighbors_
            return maximum if default is None else int(min(default, maximum))
        if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
            raise ValueError(
                f"n_neighbors must be an integer ≥ 1, got {n_neighbors!r}."
            )
        if n_neighbors > maximum:
            raise ValueError(
                f"n_neighbors={n_neighbors}, but there are only {maximum} training "
                "rows to find: give a smaller n_neighbors."
            )
        return int(n_neighbors)

    def _original(self, indices):
        """Return the indices that rows had in `fit`, including rows of weight 0."""
        return indices if self._kept is None else self._kept[indices]
