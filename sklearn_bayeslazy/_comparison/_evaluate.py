"""Compares learners on a table: cross-validation, then the winner on held-out rows."""

import re
import time
import warnings
from contextlib import contextmanager

import numpy as np
from joblib import parallel_config
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from .._estimator import set_random_states
from ._deadline import TimeIsUpError, time_limit
from ._formatting import with_count
from ._leaks import leak_messages
from ._metrics import rank_key, score_classification, score_regression
from ._outcome import Comparison, HeldOut, Outcome
from ._splits import hold_out, make_folds
from ._table import CLASSIFICATION

# These are for the maintainers of the learners, not for the user.
HIDDEN_WARNINGS = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)
# With fewer folds there is no standard deviation.
MIN_FOLDS_DONE = 2
# The rest of the time is for the winner.
SHARE_OF_TIME_FOR_FOLDS = 0.9
# A learner may use this multiple of its equal share of the time that is left, because
# the quick ones, which come first, leave most of theirs.
MAX_SHARES = 3


def compare(
    table,
    learners,
    *,
    n_folds=10,
    seed=0,
    n_jobs=None,
    seconds=None,
    sample=None,
    scoring=0,
    observer=None,
):
    """Cross-validate learners on 3/4 of the rows, score the best on the other 1/4.

    An interrupt (Ctrl-C) ends the cross-validation; the best of the finished learners
    is scored.

    Parameters
    ----------
    table : Table
    learners : list of Learner
        Learners that apply to the table, quick ones first.
    n_folds : int, default=10
        Reduced if the table is too small, see :func:`make_folds`.
    seed : int, default=0
        Sets the held-out rows, the folds, and every ``random_state``.
    n_jobs : int, default=None
        Threads for the learners that can use several. None means one, so that the
        times can be compared.
    seconds : float, default=None
        The time for all learners. A learner that is slow gets fewer folds, or is left
        out. None means no limit.
    sample : int, default=None
        If there are more rows, a random part of this size is compared.
    scoring : int, default=0
        The index of the metric that ranks the learners.
    observer : object, default=None
        Its methods ``started(learner, n_left, seconds_left)`` and ``finished(outcome)``
        are called.

    Returns
    -------
    comparison : Comparison
    """
    train, test, is_stratified = hold_out(table, seed, sample)
    folds, message = make_folds(table.y[train], table.task, n_folds, seed)
    comparison = Comparison(
        table=table,
        outcomes=[],
        n_folds=folds.get_n_splits(),
        n_train=len(train),
        n_test=len(test),
        seed=seed,
        scoring=scoring,
        messages=[message] if message else [],
        train=train,
        test=test,
        is_stratified=is_stratified,
    )
    n_rows = len(train) + len(test)
    if n_rows < len(table.y):
        comparison.messages.append(
            f"A random {n_rows} of the {len(table.y)} rows are compared (--sample)."
        )
    comparison.messages += leak_messages(table, train, seed)
    with _threads(n_jobs or 1):
        _evaluate_learners(comparison, learners, folds, seconds, observer)
        _evaluate_winner(comparison)
    _add_messages(comparison)
    return comparison


@contextmanager
def _threads(n_threads):
    """Limit learners, and the BLAS that they call, to a number of threads."""
    # Threads, not processes: the kernels release the interpreter lock.
    with parallel_config("threading", n_jobs=n_threads), threadpool_limits(n_threads):
        yield


class _Folds:
    """The folds of the training part, each cleaned once for all learners."""

    def __init__(self, table, train, splitter, seed):
        self.table, self.seed = table, seed
        with warnings.catch_warnings():
            # make_folds has a message of its own.
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


def _evaluate_learners(comparison, learners, splitter, seconds, observer):
    begin = time.perf_counter()
    folds = _Folds(comparison.table, comparison.train, splitter, comparison.seed)

    def time_left():
        used = time.perf_counter() - begin
        return None if seconds is None else SHARE_OF_TIME_FOR_FOLDS * seconds - used

    for i, learner in enumerate(learners):
        left, n_left = time_left(), len(learners) - i
        if left is not None and left <= 0:
            comparison.left_out = [one.name for one in learners[i:]]
            return
        share = None if left is None else left / n_left
        try:
            if observer:
                observer.started(learner, n_left, left)
            limit = None if left is None else min(left, MAX_SHARES * share)
            outcome = _evaluate_learner(comparison, learner, folds, share, limit)
        except KeyboardInterrupt:
            comparison.interrupted = True
            comparison.left_out = [one.name for one in learners[i:]]
            return
        comparison.outcomes.append(outcome)
        if observer:
            observer.finished(outcome)


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
            outcome.failure = describe_error(error)
    outcome.seconds = time.perf_counter() - begin
    n_done = 0 if outcome.scores is None else len(outcome.scores)
    if outcome.failure is None and n_done < min(MIN_FOLDS_DONE, len(folds.rows)):
        outcome.failure = (
            f"too slow: {with_count(n_done, 'fold')} within {outcome.seconds:.0f} s "
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
        # Medians, because the first fold includes the time to compile kernels.
        outcome.fit_seconds = float(np.median(fit_seconds))
        outcome.predict_seconds = float(np.median(predict_seconds))
        used = time.perf_counter() - begin
        next_fold = outcome.fit_seconds + outcome.predict_seconds
        if share is not None and k + 1 >= MIN_FOLDS_DONE and used + next_fold > share:
            return


def score(fitted, X, y, predicted, task, proba=None):
    """Return the scores of predictions by the metrics of the task."""
    if task != CLASSIFICATION:
        return score_regression(y, predicted)
    if proba is None and hasattr(fitted, "predict_proba"):
        proba = fitted.predict_proba(X)
    return score_classification(y, predicted, proba, fitted.classes_)


def _evaluate_winner(comparison):
    """Sort the outcomes and score the best that does not fail on the held-out rows."""
    table, test = comparison.table, comparison.test
    while comparison.outcomes:
        comparison.outcomes.sort(key=lambda outcome: _rank(outcome, comparison))
        best = comparison.outcomes[0]
        if best.failure:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                comparison.pipeline = _fit_winner(comparison, best)
                X, y = table.X[test], table.y[test]
                predicted = comparison.pipeline.predict(X)
                proba = None
                if hasattr(comparison.pipeline, "predict_proba"):
                    proba = comparison.pipeline.predict_proba(X)
                scores = score(comparison.pipeline, X, y, predicted, table.task, proba)
            except Exception as error:
                best.failure = f"on the held-out part: {describe_error(error)}"
                continue
        comparison.held_out = HeldOut(y, predicted, scores, test, proba)
        return


def _fit_winner(comparison, best):
    pipeline = raw_pipeline(comparison.table, best.learner, comparison.seed)
    train = comparison.train
    pipeline.fit(comparison.table.X[train], comparison.table.y[train])
    steps = pipeline[1:]
    best.estimator = steps[-1] if len(steps) == 1 else steps
    best.chosen_parameters = best.learner.chosen_parameters(best.estimator)
    return pipeline


def raw_pipeline(table, learner, seed, names=None):
    """Return the learner as a pipeline that reads raw columns.

    Parameters
    ----------
    table : Table
    learner : Learner
    seed : int
    names : list of str, default=None
        Names of the columns of a frame. None: an array like ``table.X``.
    """
    estimator = set_random_states(learner.build(table), lambda: seed)
    first = learner.first_step(table, seed, names)
    steps = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    return make_pipeline(first, *steps)


def _rank(outcome, comparison):
    if outcome.failure:
        return (True,)
    mean = outcome.scores.mean(axis=0)
    return (False, *rank_key(comparison.table.task, mean, comparison.scoring))


def _add_messages(comparison):
    fewer = [
        f"{outcome.learner.name} ({len(outcome.scores)})"
        for outcome in comparison.outcomes
        if not outcome.failure and len(outcome.scores) < comparison.n_folds
    ]
    if fewer:
        comparison.messages.append(
            f"Fewer folds for want of time (--time-limit): {'; '.join(fewer)}."
        )
    if comparison.left_out:
        reason = "interrupted" if comparison.interrupted else "--time-limit"
        comparison.messages.append(
            f"Left out ({reason}): {'; '.join(comparison.left_out)}."
        )


def describe_error(error):
    """Return the type of an error and the first line of its message."""
    return f"{type(error).__name__}: {_first_line(error)}".rstrip(": ")


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
