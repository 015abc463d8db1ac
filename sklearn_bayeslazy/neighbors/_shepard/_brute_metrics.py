"""Metrics of Shepard's method whose search measures the distances of all rows."""

import numpy as np

from .._mixed_metric import (
    BruteSearch,
    CallableDistances,
    MixedSearch,
    MixedSpace,
    given_distances,
)
from .._search import Metric, check_metric_params


class _Distances:
    """Given distances to the training rows, of which some may have no weight."""

    def __init__(self, kept):
        self._kept = kept

    def transform(self, X):
        """Return the distances to the rows that `fit` kept."""
        return X if self._kept is None else X[:, self._kept]


class _Rows:
    """Rows of numbers, as a callable metric takes them."""

    def transform(self, X):
        """Return the rows."""
        return X


def brute_search(metric, params, feature_weights, X, kept):
    """Return a space with ``transform(X)``, and a search among transformed rows.

    Parameters
    ----------
    metric : {"heom", "gower", "precomputed"} or callable
    params : dict or None
        Arguments of a callable.
    feature_weights : ndarray of shape (n_features,) or None
    X : Table or ndarray
        The training rows that were kept; for "precomputed" their distances to all.
    kept : int array or None
        Indices of these rows; None for all.
    """
    if callable(metric):
        measure = CallableDistances(metric, params, X)
        return _Rows(), BruteSearch(Metric("callable", root=1.0), X, measure)
    check_metric_params(metric, params)
    if metric == "precomputed":
        space = _Distances(kept)
        rows = np.ascontiguousarray(space.transform(X))
        given = Metric(metric, root=1.0)
        return space, BruteSearch(given, rows, given_distances)
    space = MixedSpace(X)
    rows = space.transform(X)
    return space, MixedSearch(rows, space.is_symbol, metric, feature_weights)
