"""Cross-validates learners one after the other within a time for all."""

import re
import time
import warnings
from statistics import median_low

import numpy as np
from sklearn.base import clone

from .._core._estimator import set_random_states
from ..tabular._cleaning import is_missing
from ._deadline import TimeIsUpError, time_limit
from ._formatting import option_with_names, with_count
from ._metrics import score_classification, score_regression
from ._outcome import Outcome
from ._table import CLASSIFICATION, DROP

# These are for the maintainers of the learners, not for the user.
HIDDEN_WARNINGS = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)
# The failure of a learner that was stopped begins so.
TOO_SLOW = "too slow"
# With fewer folds there is no standard deviation.
MIN_FOLDS_DONE = 2
# The rest of the time is for the winner.
SHARE_OF_TIME_FOR_FOLDS = 0.9
# A learner may use this multiple of its equal share of the time that is left, because
# the quick ones, which come first, leave most of their shares.
MAX_SHARES = 3


class _Folds:
    """The folds of the training part, each cleaned once for all learners."""

    def __init__(self, table, train, splitter, seed):
        self.table, self.seed = table, seed
        with warnings.catch_warnings():
            # make_folds returns a message about this.
            warnings.filterwarnings("ignore", message="The least populated class")
            splits = list(splitter.split(train, table.y[train]))
        self.rows = [(train[fit], train[score]) for fit, score in splits]
        self._parts = {}

    def part(self, reads, k):
        """Return (X, y) to fit to, and (X, y) to score, of a fold."""
        fit_rows, score_rows = self.rows[k]
        if (reads, k) not in self._parts:
            self._parts[reads, k] = self.table.fit_and_score_parts(
                reads, fit_rows, score_rows, self.seed
            )
        fit_part, score_part = self._parts[reads, k]
        y = self.table.y
        return (fit_part, y[fit_rows]), (score_part, y[score_rows])

    def empty_columns(self):
        """Return the names of the columns without a known cell to fit to in a fold."""
        table, empty = self.table, set()
        for fit_rows, _ in self.rows:
            known = ~is_missing(table.X[fit_rows])
            empty.update(np.flatnonzero(~known.any(axis=0)).tolist())
        empty.difference_update(table.indices(DROP))
        return [table.columns[j].name for j in sorted(empty)]


def evaluate_learners(comparison, learners, splitter, seconds, observer):
    """Add the outcome of each learner to a comparison, until time is up."""
    # A learner that has used its equal share of the time left ends after the fold,
    # unless the other folds take less than half a share. It is stopped at `MAX_SHARES`
    # times that share, or at half the time left. An interrupt ends the loop.
    # seconds: for all learners, None for no limit; observer: see `compare`.
    begin = time.perf_counter()
    folds = _Folds(comparison.table, comparison.train, splitter, comparison.seed)

    def time_left():
        used = time.perf_counter() - begin
        return None if seconds is None else SHARE_OF_TIME_FOR_FOLDS * seconds - used

    try:
        for i, learner in enumerate(learners):
            left, n_left = time_left(), len(learners) - i
            if left is not None and left <= 0:
                break
            if observer:
                observer.started(learner, n_left, left)
            share, limit = None if left is None else left / n_left, _limit(left, n_left)
            outcome = _evaluate_learner(comparison, learner, folds, share, limit)
            comparison.outcomes.append(outcome)
            if observer:
                observer.finished(outcome)
    except KeyboardInterrupt:
        comparison.interrupted = True
    n_done = len(comparison.outcomes)
    comparison.left_out = [learner.name for learner in learners[n_done:]]


def _limit(left, n_left):
    """Return the time at which a learner is stopped: the others keep half the rest."""
    if left is None or n_left == 1:
        return left
    return min(MAX_SHARES * left / n_left, left / 2)


def _evaluate_learner(comparison, learner, folds, share, limit):
    outcome = Outcome(learner)
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit(limit):
                _cross_validate(outcome, comparison, folds, share)
        except TimeIsUpError:
            pass
        except Exception as error:
            outcome.failure = describe_error(error) + _advice(folds.empty_columns())
    outcome.seconds = time.perf_counter() - begin
    n_done = 0 if outcome.scores is None else len(outcome.scores)
    if outcome.failure is None and n_done < min(MIN_FOLDS_DONE, len(folds.rows)):
        outcome.failure = (
            f"{TOO_SLOW}: {with_count(n_done, 'fold')} within {outcome.seconds:.0f} s "
            "(--time-limit)"
        )
    outcome.warnings = _first_lines(caught)
    return outcome


def _cross_validate(outcome, comparison, folds, share):
    """Score the learner in one fold after the other, within its share of time."""
    table, learner = comparison.table, outcome.learner
    estimator = set_random_states(learner.build(table), lambda: comparison.seed)
    scores, fit_seconds, predict_seconds = [], [], []
    begin = time.perf_counter()
    for k in range(len(folds.rows)):
        (X_fit, y_fit), (X, y) = folds.part(learner.reads, k)
        fitted = clone(estimator)
        start = time.perf_counter()
        fitted.fit(X_fit, y_fit)
        fit_seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        predicted = fitted.predict(X)
        predict_seconds.append(time.perf_counter() - start)
        scores.append(score(fitted, X, y, predicted, table.task))
        outcome.chosen_parameters = learner.chosen_parameters(fitted)
        outcome.estimator = fitted
        outcome.scores = np.array(scores)
        # The first fold includes the time to compile kernels. Of two folds the low
        # median is the time of the quicker.
        outcome.fit_seconds = median_low(fit_seconds)
        outcome.predict_seconds = median_low(predict_seconds)
        if share is not None and k + 1 >= MIN_FOLDS_DONE:
            # As long as the last fold; the first one includes compilation.
            next_fold = fit_seconds[-1] + predict_seconds[-1]
            is_used = time.perf_counter() - begin + next_fold > share
            if is_used and next_fold * (len(folds.rows) - k - 1) > share / 2:
                return


def score(fitted, X, y, predicted, task, proba=None):
    """Return the scores of predictions by the metrics of the task."""
    if task != CLASSIFICATION:
        return score_regression(y, predicted)
    if proba is None and hasattr(fitted, "predict_proba"):
        proba = fitted.predict_proba(X)
    return score_classification(y, predicted, proba, fitted.classes_)


def describe_error(error):
    """Return the type of an error and the first line of its message."""
    return f"{type(error).__name__}: {_first_line(error)}".rstrip(": ")


def _advice(empty):
    """Return how to help a learner that failed where columns are empty, or ""."""
    if not empty:
        return ""
    columns = "the column has" if len(empty) == 1 else "these columns have"
    option = option_with_names("drop", empty)
    return f" (in a fold {columns} no known cell: try {option})"


def _first_line(message):
    return next(iter(str(message).strip().splitlines()), "")


def _first_lines(caught):
    """Return each warning once; warnings that differ only in numbers are the same."""
    lines = {}
    for warning in caught:
        if not issubclass(warning.category, HIDDEN_WARNINGS):
            line = f"{warning.category.__name__}: {_first_line(warning.message)}"
            lines.setdefault(re.sub(r"\d+", "", line), line)
    return list(lines.values())
