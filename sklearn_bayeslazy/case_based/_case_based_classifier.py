"""CaseBasedClassifier: classes by votes of the most similar stored cases."""

from numbers import Real

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d

from .._compat import Interval, StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets
from ..neighbors._shepard import MAX_M, ClassTargets
from ..tabular import encode_classes
from ._base import CaseBase


class CaseBasedClassifier(ClassifierMixin, CaseBase):
    """Classes."""

    _parameter_constraints = {
        **CaseBase._parameter_constraints,
        "m": [Interval(Real, 0, MAX_M, closed="both"), StrOptions({"loo"})],
        "prior": [StrOptions({"marginal", "uniform"}), "array-like"],
        "loo_scoring": [StrOptions({"accuracy", "log_loss"}), None],
    }

    def __init__(
        self,
        n_neighbors="loo",
        *,
        similarities=None,
        weights="loo",
        vote="inverse",
        power="loo",
        m="loo",
        prior="marginal",
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
        self.m = m
        self.prior = prior
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
            self._known_classes = None
            self._learn(X, y, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add cases; the first call chooses what `fit` chooses.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes that may come, on the first call. By default later calls may
            bring new classes.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if hasattr(self, "classes_"):
            return self.retain(X, y, sample_weight)
        with all_or_nothing(self):
            self._known_classes = None if classes is None else np.asarray(classes)
            self._learn(X, y, sample_weight)
        return self

    def predict_proba(self, X):
        """Return probabilities."""
        return self._predictions(X)

    def predict(self, X):
        """Return the most probable class."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def _check_targets(self, y):
        require_targets(self, y)
        y = column_or_1d(y, warn=True)
        encode_classes(y)
        return y

    def _build_targets(self, y, weight):
        self.classes_, codes = encode_classes(y, self._known_classes)
        codes = codes.astype(np.int64)
        return ClassTargets(weight, codes, self.classes_, None, self.prior)

    def _are_numbers(self):
        return False
