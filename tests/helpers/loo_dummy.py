"""A learner with the results of a choice by leave-one-out, for tests of figures."""

import numpy as np
from sklearn.dummy import DummyClassifier


class LooDummy(DummyClassifier):
    """A learner with the results of a choice of m by leave-one-out."""

    def fit(self, X, y):
        self.loo_results_ = {
            "params": [{"m": 0.0}, {"m": 0.5}, {"m": 50.0}],
            "mean_log_loss": np.array([0.9, 0.5, 0.7]),
            "standard_error_log_loss": np.array([0.1, 0.1, 0.1]),
            "rank": np.array([3, 1, 2]),
        }
        return super().fit(X, y)
