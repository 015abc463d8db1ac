"""Learners as rounds of boosting see them: fitted to weights, judged, reweighted.

`AnyLearner` fits copies of any classifier; :mod:`._stump_learner` has stumps.
"""

from abc import ABC, abstractmethod
from warnings import warn

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from ._members import label_codes
from ._reweighting import reweighted, weighted_error


class Learner(ABC):
    """Weights of rows, and what is fitted to them round by round.

    Parameters
    ----------
    rows : Rows
    classes : ndarray of shape (n_classes,)
    resample : bool
        Whether members learn from rows drawn by their weights.

    Attributes
    ----------
    is_random : bool
        Whether the same weights may give another member.
    may_replay : bool
        Whether they may well give the same one.
    """

    is_random = True

    def __init__(self, rows, classes, resample):
        self._classes = classes
        self._own, self._own_log = rows.weight, np.log(rows.weight)
        self._resample = resample
        self.may_replay = not resample
        self.restart()

    def restart(self, log_weight=0.0):
        """Set the weights to the rows' own times factors, given as logarithms."""
        self._log_weight = self._own_log + log_weight

    def _draw(self, rng):
        """Return rows drawn by their weights, as many as there are, in order."""
        share = np.exp(self._log_weight - self._log_weight.max())
        n_rows = len(share)
        return np.sort(rng.choice(n_rows, size=n_rows, p=share / share.sum()))

    @abstractmethod
    def learn(self, seed):
        """Fit a member to the weights; return it and its weighted error."""

    def mistakes(self):
        """Return which rows the last member was wrong about, to compare."""
        return self._wrong.tobytes()

    @abstractmethod
    def reweight(self, alpha):
        """Raise the weights of the rows that the last member was wrong about."""


class AnyLearner(Learner):
    """Copies of a classifier.

    Parameters
    ----------
    rows, classes, resample : see Learner
    estimator : classifier
    """

    def __init__(self, rows, classes, resample, estimator):
        super().__init__(rows, classes, resample)
        self._rows, self._estimator = rows, estimator
        # Learners see weights in the scale of the rows, unless that is extreme.
        mean = rows.weight.mean()
        self._mass = self._own.sum() if 1e-6 < mean < 1e6 else float(len(self._own))
        self._seeded = [name for name in estimator.get_params() if _is_seed(name)]
        self.is_random = resample or bool(self._seeded)

    def restart(self, log_weight=0.0):
        """Set the weights to the rows' own times factors, given as logarithms."""
        super().restart(log_weight)
        self._factor = np.zeros(len(self._own)) + log_weight

    def learn(self, seed):
        """Fit a copy to the weights; return it and its weighted error."""
        rng = check_random_state(seed)
        member = clone(self._estimator)
        member.set_params(**{name: rng.randint(2**31 - 1) for name in self._seeded})
        if self._resample:
            places = self._draw(rng)
            drawn = self._rows.take(places, np.ones(len(places)))
            if np.all(drawn.codes == drawn.codes[0]):  # which many classifiers refuse
                return self._judged(DummyClassifier().fit(drawn.X, drawn.y))
            member.fit(drawn.X, drawn.y, **drawn.params)
        else:
            # In the scale of the rows' masses, so that smoothing keeps its meaning; in
            # the first round just these, to the last bit.
            weight = self._own * np.exp(self._factor - self._factor.max())
            weight *= self._mass / weight.sum()
            params = self._rows.params
            member.fit(self._rows.X, self._rows.y, sample_weight=weight, **params)
        return self._judged(member)

    def _judged(self, member):
        name = type(member).__name__
        answer = member.predict(self._rows.X)
        said = label_codes(answer, self._classes, len(self._own), name)
        self._wrong = said != self._rows.codes
        return member, weighted_error(self._wrong, self._log_weight)

    def reweight(self, alpha):
        """Raise the weights of the rows that the last member was wrong about."""
        self._factor = reweighted(self._factor, self._wrong, alpha)
        self._log_weight = self._own_log + self._factor


def _is_seed(name):
    return name == "random_state" or name.endswith("__random_state")


def can_weigh(estimator):
    """Tell whether a classifier takes weights; warn that it does not."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    warn(
        f"{type(estimator).__name__}.fit takes no sample_weight, so each round learns "
        'from rows drawn by their weights: choose weighting="resample" for that, or '
        "another estimator.",
        UserWarning,
        stacklevel=2,
    )
    return False
