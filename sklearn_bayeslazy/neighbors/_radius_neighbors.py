"""Training rows within a radius, in the form of scikit-learn's estimators."""

from itertools import pairwise

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import as_float_array
from ..search import WeightedK, no_exclusions
from ._neighbor_lists import MAY_BE_INFINITE, check_mode, refuse_infinite

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
        weighted_k = WeightedK(k, np.ones(self._search.n_rows))
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
