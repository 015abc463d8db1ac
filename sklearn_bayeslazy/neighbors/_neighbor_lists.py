"""Lists and graphs of neighbours, in the form of scikit-learn's estimators."""

from itertools import pairwise
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import as_float_array
from ..search import (
    LookupSearch,
    WeightedK,
    count_alive,
    lists_with_ties,
    no_exclusions,
)

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
        search = self._fitted_search()
        distances, rows = self._list_neighbors(search, X, n_neighbors)
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
        search = self._fitted_search()
        distances, rows = self._list_neighbors(search, X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        entries = values.ravel(), rows.ravel(), np.full(*rows.shape)
        return self._graph(search, *entries, X is None)

    def _fitted_search(self):
        """Return the search, the same for a whole call if another thread changes it."""
        search = getattr(self, "_search", None)
        if search is None:  # the check takes longer than some searches
            check_is_fitted(self)
        return search

    def _list_neighbors(self, search, X, n_neighbors, filter=None):
        """Return the distances (m, k) and the numbers of the nearest kept rows."""
        # filter: for estimators that have one.
        alive, queries, exclude, most = self._requested(search, X, filter)
        k = self._checked_n_neighbors(n_neighbors, most)
        distances, rows = self._nearest(queries, k, exclude, search, alive)
        if self._metric.name not in MAY_BE_INFINITE:
            refuse_infinite(distances)
        return distances, rows

    def _requested(self, search, X, filter):
        """Return which rows may be listed, the queries, and the most rows for each."""
        # After the queries, the row that each of them must not find.
        alive = self._alive(search, filter)
        queries, exclude = self._queries(search, X)
        n_rows = search.n_rows if alive is None else count_alive(alive)
        return alive, queries, exclude, n_rows - (X is None)

    def _queries(self, search, X):
        """Return transformed queries, and the row that each of them must not find."""
        if X is None:
            return search.training_queries(), self._training_numbers(search)
        queries = self._transform_queries(X)
        return queries, no_exclusions(queries.shape[0])

    def _training_numbers(self, search):
        """Return the numbers of the training rows."""
        return np.arange(search.n_rows)

    def _alive(self, search, filter):
        """Return the rows that may be listed, as `WeightedK` takes them."""
        return None

    def _nearest(self, queries, k, exclude=None, search=None, alive=None):
        """Return the distances (m, k) and the numbers of the nearest kept rows."""
        search = self._search if search is None else search
        m, weighted_k = queries.shape[0], WeightedK.of_rows(k, search.n_rows, alive)
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        exclude = no_exclusions(m) if exclude is None else exclude

        def find(rows):
            if isinstance(search, LookupSearch):  # of all ties, the first rows
                lists = lists_with_ties(
                    search, queries[rows], weighted_k, exclude[rows], weighted_k.weight
                )
            else:
                lists = search.nearest(queries, rows, weighted_k, exclude[rows])
            distances[rows] = self._metric.distances(lists.reduced[:, :k])
            indices[rows] = lists.indices[:, :k]

        self._map(find, m, 24 * weighted_k.width)
        return distances, indices

    def _graph(self, search, values, rows, sizes, is_training):
        """Return the graph whose rows have these entries, sizes of them each."""
        n_rows, indices = self._n_positions(search), self._original(rows, search)
        if is_training:
            kept = self._original(self._training_numbers(search), search)
            sizes_of_kept = sizes
            sizes = np.zeros(n_rows, dtype=np.int64)
            sizes[kept] = sizes_of_kept
        starts = np.append(0, np.cumsum(sizes))
        return sparse_graph(values, indices, starts, (len(sizes), n_rows))

    def _n_positions(self, search):
        """Return the number of rows that were passed to `fit`."""
        return self.n_samples_fit_

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

    def _original(self, rows, search=None):
        """Return the indices that rows had in `fit`, including rows of weight 0."""
        return rows if self._kept is None else self._kept[rows]


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
        distances, rows, starts = self._within(self._fitted_search(), X, radius)
        indices = ragged(self._original(rows), starts)
        return (ragged(distances, starts), indices) if return_distance else indices

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
        search = self._fitted_search()
        distances, rows, starts = self._within(search, X, radius)
        values = distances if mode == "distance" else np.ones_like(distances)
        return self._graph(search, values, rows, np.diff(starts), X is None)

    def _within(self, search, X, radius, filter=None):
        """Return distances and rows, and the starts of each query's in them."""
        alive, queries, exclude, most = self._requested(search, X, filter)
        m = queries.shape[0]
        radii = self._checked_radii(radius, m)
        near, found = [np.empty(0)] * m, [np.empty(0, dtype=np.int64)] * m
        pending, k = np.arange(m if most else 0), min(_FIRST_K, most)
        while len(pending):
            weighted_k = WeightedK.of_rows(k, search.n_rows, alive)
            lists = self._lists_within(
                search, queries[pending], radii[pending], exclude[pending], weighted_k
            )
            for i, number in enumerate(pending):
                near[number], found[number] = lists[i]
            is_cut = [len(indices) == k < most for _, indices in lists]
            pending, k = pending[is_cut], min(_GROWTH * k, most)
        starts = np.append(0, np.cumsum([len(indices) for indices in found]))
        near = np.concatenate(near)
        if self._metric.name not in MAY_BE_INFINITE:
            refuse_infinite(near)
        return near, np.concatenate(found), starts

    def _lists_within(self, search, queries, radii, exclude, weighted_k):
        """Return (distances, rows) of those of the k nearest within each radius."""
        parts, k = [None] * len(radii), int(weighted_k.k)

        def find(rows):
            lists = search.nearest(queries, rows, weighted_k, exclude[rows])
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


def ragged(values, starts):
    """Return an array of arrays, the parts of values between starts."""
    parts = np.empty(len(starts) - 1, dtype=object)
    for i, (start, stop) in enumerate(pairwise(starts)):
        parts[i] = values[start:stop]
    return parts
