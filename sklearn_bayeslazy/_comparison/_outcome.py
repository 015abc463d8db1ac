"""The results of a comparison: of each learner, and of all."""

from dataclasses import dataclass, field

import numpy as np

from ._learners import Learner
from ._metrics import METRICS, loss_of, rank_key
from ._paired_test import SIGNIFICANCE, corrected_p_value
from ._table import Table


@dataclass
class Outcome:
    """The results of one learner.

    Attributes
    ----------
    learner : Learner
    scores : ndarray of shape (n_folds, 2)
        The task's two metrics in each fold that was computed.
    fit_seconds, predict_seconds : float
        Medians over the folds; of an even number the lower of the two.
    seconds : float
        The time that the learner took in all.
    chosen_parameters : str
        The parameters that were chosen in the last fold.
    estimator : object
        Fitted in the last fold; of the winner, to the whole training part.
    warnings : list of str
        First lines of the warnings, without repetitions.
    failure : str or None
        The error that stopped the learner, or that time was up.
    """

    learner: Learner
    scores: np.ndarray | None = None
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
    seconds: float = 0.0
    chosen_parameters: str = ""
    estimator: object = None
    warnings: list = field(default_factory=list)
    failure: str | None = None


@dataclass
class HeldOut:
    """The held-out targets, the winner's predictions and its scores."""

    y: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    rows: np.ndarray = None
    proba: np.ndarray = None


@dataclass
class Comparison:
    """All results; `outcomes` are sorted from best to worst, see :meth:`sort`.

    `left_out` are the names of learners that time did not allow to begin, `pipeline` is
    the winner on raw columns, fitted to the training part. `scoring` is the index of
    the metric that ranks.
    """

    table: Table
    outcomes: list
    n_folds: int
    n_train: int
    n_test: int
    seed: int
    messages: list
    scoring: int = 0
    held_out: HeldOut | None = None
    left_out: list = field(default_factory=list)
    interrupted: bool = False
    pipeline: object = None
    train: np.ndarray = None
    test: np.ndarray = None
    is_stratified: bool = False

    @property
    def winner(self):
        """The outcome that was scored on the held-out rows, None without one."""
        return self.outcomes[0] if self.held_out is not None else None

    @property
    def metrics(self):
        """The task's metrics, the one that ranks first."""
        metrics = METRICS[self.table.task]
        return metrics if self.scoring == 0 else metrics[::-1]

    def sort(self):
        """Sort the outcomes from best to worst, failures last.

        Folds differ in difficulty, so means over different folds cannot be compared.
        The learners with the most folds come first, by their means. Those with fewer
        follow, by the mean difference from the best over the folds that both have.
        """
        done = [outcome for outcome in self.outcomes if not outcome.failure]
        most = max((len(outcome.scores) for outcome in done), default=0)
        complete = [outcome for outcome in done if len(outcome.scores) == most]
        complete.sort(key=lambda outcome: self._rank_key(outcome.scores))
        fewer = [outcome for outcome in done if len(outcome.scores) < most]
        fewer.sort(key=lambda outcome: self._rank_key(_gains(outcome, complete[0])))
        failed = [outcome for outcome in self.outcomes if outcome.failure]
        self.outcomes[:] = [*complete, *fewer, *failed]

    def _rank_key(self, scores):
        return rank_key(self.table.task, scores.mean(axis=0), self.scoring)

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
        """Return the outcomes within noise of the best, by the corrected paired test.

        Learners are compared over the folds that both have. A learner with fewer than
        two folds in common is a tie, because nothing can be said.
        """
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
            loss_of(self.table.task, self.scoring, outcome.scores[:k, self.scoring])
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
