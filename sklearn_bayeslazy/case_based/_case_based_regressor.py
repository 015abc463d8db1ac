"""CaseBasedRegressor: weighted means of the answers of the most similar cases."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array, column_or_1d

from .._compat import StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets
from ..neighbors._shepard import NumberTargets
from ._base import CaseBase


class CaseBasedRegressor(RegressorMixin, CaseBase):
    """Numbers."""

    _parameter_constraints = {
        **CaseBase._parameter_constraints,
        "loo_scoring": [StrOptions({"squared_error"}), None],
    }

    def __init__(
        self,
        n_neighbors="loo",
        *,
        similarities=None,
        weights="loo",
        vote="inverse",
        power="loo",
        missing="mean",
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.similarities = similarities
        self.weights = weights
        self.vote = vote
        self.power = power
        self.missing = missing
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Store cases."""
        with all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Add cases; the first call chooses what `fit` chooses.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if hasattr(self, "n_neighbors_"):
            return self.retain(X, y, sample_weight)
        return self.fit(X, y, sample_weight)

    def predict(self, X):
        """Return the weighted mean of the answers."""
        return self._predictions(X)[:, 0]

    def _check_targets(self, y):
        require_targets(self, y)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return column_or_1d(y, warn=True)

    def _build_targets(self, y, weight):
        return NumberTargets(weight, y[:, None], True)

    def _are_numbers(self):
        return True
