"""The base of hashes: each bit is the side of a hyperplane on which a row lies."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval
from .._core._estimator import DocLinkMixin
from .._core._kernel import frozen
from .._core._parallel import map_chunks
from ..search import MAX_BITS, project
from ..tabular import check_rows

# The largest size of `components_`, half a gigabyte.
MAX_COMPONENTS = 2**26


class HashBase(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DocLinkMixin, BaseEstimator
):
    """Bits of rows: on which side of ``components_`` x = ``thresholds_`` each lies."""

    _parameter_constraints = {
        "n_bits": [Interval(Integral, 1, MAX_BITS, closed="both")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    @property
    def _n_features_out(self):
        return len(self.thresholds_)

    def transform(self, X):
        """Return the bits of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        bool ndarray of shape (n_samples, n_bits)
            True where ``x · components_[b] > thresholds_[b]``. The bits of a row do not
            depend on the other rows.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return self._coordinates(X) > self.thresholds_

    def _check_size(self, n_features):
        """Return n_bits as an int, or raise an error if `components_` is too large."""
        n_bits = int(self.n_bits)
        if n_bits * n_features > MAX_COMPONENTS:
            raise ValueError(
                f"components_ would hold n_bits={n_bits} times {n_features} columns = "
                f"{n_bits * n_features} numbers; at most {MAX_COMPONENTS} are "
                "supported: reduce n_bits, keep the columns in use, or hash words to "
                "fewer columns, for example by HashingVectorizer(n_features=2**20)."
            )
        return n_bits

    def _coordinates(self, X):
        """Return X @ components_.T, computed row by row."""
        if sparse.issparse(X):
            return X @ self.components_.T
        coordinates = np.empty((X.shape[0], len(self.components_)))
        origin, matrix = np.zeros(X.shape[1]), frozen(self.components_.T, np.float64)

        def project_some(rows):
            coordinates[rows] = project(frozen(X[rows], np.float64), origin, matrix)

        map_chunks(project_some, len(X), 16 * X.shape[1], n_jobs=self.n_jobs)
        return coordinates

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _checked(self, X, y="no_validation", *, reset=True):
        takes_sparse = "csr" if self.__sklearn_tags__().input_tags.sparse else False
        return check_rows(
            self, X, y, accept_sparse=takes_sparse, dtype=np.float64, reset=reset
        )


def orthogonal(directions):
    """Return directions made orthogonal, in groups of as many as there are columns."""
    d = directions.shape[1]
    groups = [directions[i : i + d] for i in range(0, len(directions), d)]
    return np.vstack([np.linalg.qr(group.T)[0].T for group in groups])
