"""Lists and graphs of neighbours, in the form of scikit-learn's estimators."""

from itertools import pairwise
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import as_float_array
from ..search import LookupSearch, WeightedK, lists_with_ties, no_exclusions

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
        if not hasattr(self, "_search"):  # the check takes longer than some searches
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
        m, weighted_k = queries.shape[0], WeightedK.of_rows(k, self._search.n_rows)
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)

        def find(rows):
            numbers = np.arange(rows.start, rows.stop)
            exclude = numbers if exclude_self else no_exclusions(len(numbers))
            if isinstance(self._search, LookupSearch):  # of all ties, the first rows
                found = self._search, queries[rows], weighted_k, exclude
                lists = lists_with_ties(*found, weighted_k.weight)
            else:
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
            return maximum if default is None else int(min(np.ceil(default), maximum))
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


# Graphs of neighbours in the sparse interface that scikit-learn is configured for.


def sparse_graph(values, indices, starts, shape):
    """Return CSR rows whose entries stay in the given order."""
    # scikit-learn 1.9 has the option `sparse_interface`: "spmatrix", which releases
    # without the option return too, or "sparray".
    interface = get_config().get("sparse_interface", "spmatrix")
    make = sparse.csr_array if interface == "sparray" else sparse.csr_matrix
    return make((values, indices, starts), shape=shape)


# Training rows within a radius, in the form of scikit-learn's estimators.


# Rows that are listed first for each query, and the factor by which longer lists grow.
_FIRST_K, _GROWTH = 32, 4


class RadiusNeighborsMixin:
    """Radius methods of estimators with a `NeighborListsMixin`."""

    # A search for the nearest rows is repeated with longer lists for those queries
    # whose lists end within the radius: the memory grows with the answer.

    _min_radius = 0.0

    def radius_neighbors(
        self, X=None, radius=None, return_distance=True, sort_results=False
    ):
        """Return the training rows within a distance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            By default the training rows that `fit` kept; a row is then not a neighbour
            of itself.
        radius : float or array-like of shape (n_samples,), default=None
            The largest distance, one for all rows of X or one for each. None: the
            parameter `radius` of estimators that have it.
        return_distance : bool, default=True
            Whether to return distances too.
        sort_results : bool, default=False
            As in scikit-learn; without an effect, because lists are always sorted.

        Returns
        -------
        distances : ndarray of shape (n_samples,) of float arrays
            Ascending. Only with `return_distance`.
        indices : ndarray of shape (n_samples,) of int arrays
            Indices of the training rows as passed to `fit`; rows at equal distances are
            in ascending order.
        """
        distances, indices, starts = self._within(X, radius)
        distances, indices = _ragged(distances, starts), _ragged(indices, starts)
        return (distances, indices) if return_distance else indices

    def radius_neighbors_graph(
        self, X=None, radius=None, mode="connectivity", sort_results=False
    ):
        """Return the graph of the rows that `radius_neighbors` finds.

        Parameters
        ----------
        X, radius, sort_results : as in `radius_neighbors`
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge is 1 or the distance.

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR; the entries of a row are sorted by distance. Without X it is square,
            and rows that `fit` did not keep are empty.
        """
        check_mode(mode)
        distances, indices, starts = self._within(X, radius)
        values = distances if mode == "distance" else np.ones_like(distances)
        return self._graph(values, indices, np.diff(starts), X is None)

    def _within(self, X, radius):
        """Return distances and indices, and the starts of each query's in them."""
        check_is_fitted(self)
        is_training = X is None
        queries = (
            self._search.training_queries()
            if is_training
            else self._transform_queries(X)
        )
        m, most = queries.shape[0], self._search.n_rows - is_training
        radii = self._checked_radii(radius, m)
        near, found = [np.empty(0)] * m, [np.empty(0, dtype=np.int64)] * m
        pending, k = np.arange(m if most else 0), min(_FIRST_K, most)
        while len(pending):
            exclude = pending if is_training else no_exclusions(len(pending))
            lists = self._lists_within(queries[pending], radii[pending], exclude, k)
            for i, number in enumerate(pending):
                near[number], found[number] = lists[i]
            is_cut = [len(indices) == k < most for _, indices in lists]
            pending, k = pending[is_cut], min(_GROWTH * k, most)
        starts = np.append(0, np.cumsum([len(indices) for indices in found]))
        near = np.concatenate(near)
        if self._metric.name not in MAY_BE_INFINITE:
            refuse_infinite(near)
        return near, self._original(np.concatenate(found)), starts

    def _lists_within(self, queries, radii, exclude, k):
        """Return (distances, indices) of those of the k nearest within each radius."""
        weighted_k = WeightedK.of_rows(k, self._search.n_rows)
        parts = [None] * len(radii)

        def find(rows):
            lists = self._search.nearest(queries, rows, weighted_k, exclude[rows])
            distances = self._metric.distances(lists.reduced[:, :k])
            is_within = distances <= radii[rows, None]
            ends = np.cumsum(is_within.sum(axis=1))[:-1]
            near = np.split(distances[is_within], ends)
            found = np.split(lists.indices[:, :k][is_within], ends)
            parts[rows] = list(zip(near, found))

        self._map(find, len(radii), 32 * weighted_k.width)
        return parts

    def _checked_radii(self, radius, m):
        """Return the radius of each of m queries."""
        given = getattr(self, "radius", None) if radius is None else radius
        meaning = f"a number ≥ {self._min_radius:g}, or one for each row of X"
        radii = as_float_array(np.nan if given is None else given, "radius", meaning)
        if radii.shape not in ((), (m,)) or not np.all(radii >= self._min_radius):
            raise ValueError(
                f"radius must be {meaning} (here {m}), got {given!r:.200}: give it here"
                + " or as a parameter." * hasattr(self, "radius")
            )
        return np.broadcast_to(radii, m)


def _ragged(values, starts):
    """Return an array of arrays, the parts of values between starts."""
    parts = np.empty(len(starts) - 1, dtype=object)
    for i, (start, stop) in enumerate(pairwise(starts)):
        parts[i] = values[start:stop]
    return parts
