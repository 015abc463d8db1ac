"""Estimators with given leave-one-out results, for the tests of their display."""

from itertools import product

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_bayeslazy.leave_one_out._choice import rank_candidates

HIGHER_IS_BETTER = {"accuracy": 1, "log_loss": -1, "squared_error": -1}
EVERY_K = [*range(1, 51), None]


class StoredChoice(BaseEstimator):
    """A fitted estimator that holds only the results of a choice."""

    def __init__(self, loo_scoring=None):
        self.loo_scoring = loo_scoring

    def fit(self, params, means, error=0.01):
        """Store the scores of two rows, whose difference gives the standard error."""
        decisive = self.loo_scoring or next(iter(means))
        scores = {
            name: np.array([np.array(mean) - error, np.array(mean) + error]).T
            for name, mean in means.items()
        }
        with np.errstate(invalid="ignore"):
            best, self.loo_results_ = rank_candidates(
                params, scores, np.ones(2), [(decisive, HIGHER_IS_BETTER[decisive])]
            )
        self.chosen_ = params[best]
        return self


def grid(**lists):
    """Return the joint grid of candidates."""
    return [dict(zip(lists, values)) for values in product(*lists.values())]


def accuracy_at(k, best=12):
    """Return an accuracy with its maximum at `best`; None counts as 100."""
    return 0.9 - 0.002 * abs((100 if k is None else k) - best)


def choice_of_k(candidates=EVERY_K):
    """Return a stored choice of n_neighbors."""
    params = grid(n_neighbors=candidates)
    return StoredChoice().fit(
        params, {"accuracy": [accuracy_at(k) for k in candidates]}
    )


def choice_of_k_and_power():
    """Return a stored joint choice of n_neighbors and power."""
    params = grid(n_neighbors=EVERY_K, power=[1.0, 2.0])
    means = [accuracy_at(p["n_neighbors"]) + 0.01 * p["power"] for p in params]
    return StoredChoice().fit(params, {"accuracy": means})


def tick_labels(display):
    """Return the labels of the horizontal axis."""
    display.figure_.canvas.draw()
    return [tick.get_text() for tick in display.ax_.get_xticklabels()]
