"""The results of a comparison: of each learner, and of all."""

from dataclasses import dataclass, field

import numpy as np

from ._dataset import Dataset
from ._learners import Learner
from ._metrics import SIGNIFICANCE, corrected_p_value, loss_of, rank_key


@dataclass
class Outcome:
    """The results of one learner."""

    learner: Learner
    # (n_folds, 2): the metrics of the comparison in each fold that was computed.
    scores: np.ndarray | None = None
    # Medians over the folds; of an even number the lower of the two.
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
    # The time that the learner took in all.
    seconds: float = 0.0
    # Describes those that `estimator` chose.
    chosen_parameters: str = ""
    # Fitted in the last fold; of the winner, to the whole training part.
    estimator: object = None
    # First lines of the warnings, without repetitions.
    warnings: list = field(default_factory=list)
    # The error that stopped the learner, or that time was up.
    failure: str | None = None


@dataclass
class HeldOut:
    """The held-out targets, the winner's predictions and its scores."""

    y: np.ndarray  # (n_test,)
    predicted: np.ndarray  # (n_test,)
    scores: np.ndarray  # (2,)
    proba: np.ndarray = None  # (n_test, n_classes), None without probabilities


@dataclass
class Comparison:
    """All results; `outcomes` are sorted from best to worst, see :meth:`sort`."""

    table: Dataset
    outcomes: list
    n_folds: int
    seed: int
    messages: list
    metrics: tuple  # the one that ranks first
    # Indices of rows of the table, and whether they are stratified.
    train: np.ndarray
    test: np.ndarray
    is_stratified: bool
    held_out: HeldOut | None = None
    # The names of learners that time did not allow to begin.
    left_out: list = field(default_factory=list)
    interrupted: bool = False
    # The winner on raw columns, fitted to the training part.
    pipeline: object = None

    @property
    def winner(self):
        """The outcome that was scored on the held-out rows, None without one."""
        return self.outcomes[0] if self.held_out is not None else None

    def sort(self):
        """Sort the outcomes from best to worst, failures last."""
        # Folds differ in difficulty, so means over different folds cannot be compared.
        # The learners with the most folds come first, by their means. Those with fewer
        # follow, by the mean difference from the best over the folds that both have.
        done = [outcome for outcome in self.outcomes if not outcome.failure]
        most = max((len(outcome.scores) for outcome in done), default=0)
        complete = [outcome for outcome in done if len(outcome.scores) == most]
        complete.sort(key=lambda outcome: self._rank_key(outcome.scores))
        fewer = [outcome for outcome in done if len(outcome.scores) < most]
        fewer.sort(key=lambda outcome: self._rank_key(_gains(outcome, complete[0])))
        failed = [outcome for outcome in self.outcomes if outcome.failure]
        self.outcomes[:] = [*complete, *fewer, *failed]

    def _rank_key(self, scores):
        return rank_key(self.metrics, scores.mean(axis=0))

    def better_with_fewer_folds(self):
        """Return the outcomes of fewer folds that beat the winner's mean on those."""
        best = self.winner
        return [
            outcome
            for outcome in self._others()
            if len(outcome.scores) < len(best.scores)
            and self._rank_key(_gains(outcome, best))[0] < 0
        ]

    def ties(self):
        """Return the outcomes within noise of the best, by the corrected t-test."""
        # Learners are compared over the folds that both have. A learner with fewer than
        # two folds in common is a tie, because nothing can be concluded.
        return [
            outcome
            for outcome in self._others()
            if self.p_value(self.winner, outcome) > SIGNIFICANCE
        ]

    def _others(self):
        """Return the outcomes beside the winner that have scores; none without one."""
        others = self.outcomes[1:] if self.winner is not None else []
        return [outcome for outcome in others if not outcome.failure]

    def p_value(self, first, second):
        """Return the p-value of the difference between two outcomes."""
        k = min(len(first.scores), len(second.scores))
        losses = [
            loss_of(self.metrics[0], outcome.scores[:k, 0])
            for outcome in (first, second)
        ]
        # Without probabilities there is no log loss.
        infinite = [np.isinf(loss).any() for loss in losses]
        if any(infinite):
            return 1.0 if all(infinite) else 0.0
        return corrected_p_value(losses[1] - losses[0], 1 / (self.n_folds - 1))


def _gains(outcome, best):
    """Return the differences of scores from the best's in the folds of an outcome."""
    return outcome.scores - best.scores[: len(outcome.scores)]
