"""The base of neighbour engines: lists and graphs of neighbours, as transformers."""

from abc import ABCMeta, abstractmethod
from numbers import Integral

from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval, StrOptions
from .._core._estimator import DocLinkMixin
from ._neighbor_lists import NeighborListsMixin


class NeighborEngine(
    NeighborListsMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    DocLinkMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Finds neighbours; transforms rows to graphs as KNeighborsTransformer does."""

    _parameter_constraints = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mode": [StrOptions({"distance", "connectivity"})],
        "n_jobs": [Integral, None],
    }
    _kept = None  # engines keep all rows

    @abstractmethod
    def _transform_queries(self, X):
        """Return new rows, validated and transformed by the metric."""

    @property
    def _n_features_out(self):
        return self.n_samples_fit_

    def transform(self, X):
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples_fit)
            CSR, as `kneighbors_graph` returns it. With mode="distance" it has one
            neighbour more than `n_neighbors`, because a training row finds itself.

        Raises
        ------
        ValueError
            If there are fewer training rows than that.
        """
        check_is_fitted(self)
        k = self._default_neighbors() + (self.mode == "distance")
        return self.kneighbors_graph(X, n_neighbors=k, mode=self.mode)

    def _checked_n_neighbors(self, n_neighbors, maximum):
        if n_neighbors is None:
            n_neighbors = self._default_neighbors()
        return super()._checked_n_neighbors(n_neighbors, maximum)

    def _default_neighbors(self):
        """Return the number of neighbours that the parameters set."""
        return self.n_neighbors

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
