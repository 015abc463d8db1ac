"""Splits the rows, and cross-validates learners within a time for all."""

import re
import signal
import threading
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from statistics import median_low

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from .._core._estimator import set_random_states
from .._core._warnings import COMPILATION, CompilationWarning
from ._dataset import CLASSIFICATION
from ._formatting import describe_error, first_line, with_count
from ._learners import chosen_parameters
from ._outcome import Outcome

# Deprecations are for the maintainers of the learners; the comparison itself states how
# long it compiled.
HIDDEN_WARNINGS = (
    DeprecationWarning,
    FutureWarning,
    PendingDeprecationWarning,
    CompilationWarning,
)
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
        (fit_rows, score_rows), y = self.rows[k], self.table.y
        if (reads, k) not in self._parts:
            X, step = self.table.X, self.table.first_step(reads, self.seed)
            fit_part = step.fit_transform(X.iloc[fit_rows], y[fit_rows])
            self._parts[reads, k] = fit_part, step.transform(X.iloc[score_rows])
        fit_part, score_part = self._parts[reads, k]
        return (fit_part, y[fit_rows]), (score_part, y[score_rows])


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
            outcome.failure = describe_error(error)
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
    begin = _working_seconds()
    for k in range(len(folds.rows)):
        (X_fit, y_fit), (X, y) = folds.part(learner.reads, k)
        fitted = clone(estimator)
        start = _working_seconds()
        fitted.fit(X_fit, y_fit)
        fit_seconds.append(_working_seconds() - start)
        start = _working_seconds()
        predicted = fitted.predict(X)
        predict_seconds.append(_working_seconds() - start)
        scores.append(score(comparison.metrics, fitted, X, y, predicted))
        outcome.chosen_parameters = chosen_parameters(fitted)
        outcome.estimator = fitted
        outcome.scores = np.array(scores)
        # Of two folds the low median is the time of the quicker.
        outcome.fit_seconds = median_low(fit_seconds)
        outcome.predict_seconds = median_low(predict_seconds)
        if share is not None and k + 1 >= MIN_FOLDS_DONE:
            next_fold = fit_seconds[-1] + predict_seconds[-1]
            is_used = _working_seconds() - begin + next_fold > share
            if is_used and next_fold * (len(folds.rows) - k - 1) > share / 2:
                return


def _working_seconds():
    """Return a clock that stands still while loops are compiled, once a machine."""
    return time.perf_counter() - COMPILATION.seconds


def score(metrics, fitted, X, y, predicted, proba=None):
    """Return the scores of predictions by metrics."""
    if proba is None and hasattr(fitted, "predict_proba"):
        proba = fitted.predict_proba(X)
    classes = getattr(fitted, "classes_", None)
    return np.array([one.compute(y, predicted, proba, classes) for one in metrics])


def _first_lines(caught):
    """Return each warning once; warnings that differ only in numbers are the same."""
    lines = {}
    for warning in caught:
        if not issubclass(warning.category, HIDDEN_WARNINGS):
            line = f"{warning.category.__name__}: {first_line(warning.message)}"
            lines.setdefault(re.sub(r"\d+", "", line), line)
    return list(lines.values())


# Stops work that takes too long, by an alarm in the main thread.


# An exception within these leaves a kernel half compiled, which then fails for good.
_COMPILERS = ("numba", "llvmlite")
# Within these it leaves what should be undone: scikit-learn's configuration, or the
# number of threads of BLAS.
_CONTEXTS = ("__enter__", "__exit__")
_SECONDS_TO_ASK_AGAIN = 0.05


class TimeIsUpError(BaseException):
    """The time for one learner is used up; no ``except Exception`` catches it."""


@contextmanager
def time_limit(seconds):
    """Raise TimeIsUpError within the block after a time; None means no limit."""
    # A time that is not positive raises at once. Python raises it when the kernel that
    # is running returns, or when a kernel that is being compiled is complete, and not
    # while a `with` statement begins or ends. The time of compiling is added to the
    # limit. Outside the main thread, and on Windows, nothing is stopped.
    if seconds is not None and seconds <= 0:
        raise TimeIsUpError
    in_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    end = _working_seconds() + seconds

    def stop(number, frame):
        left = end - _working_seconds()
        if _must_not_stop(frame) or left > _SECONDS_TO_ASK_AGAIN:
            signal.setitimer(signal.ITIMER_REAL, max(left, _SECONDS_TO_ASK_AGAIN))
        else:
            raise TimeIsUpError

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _must_not_stop(frame):
    """Return whether a frame, or one that called it, has to come to its end."""
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _COMPILERS or frame.f_code.co_name in _CONTEXTS:
            return True
        frame = frame.f_back
    return False


# Splits the rows: a held-out part, and the folds of the training part.


TEST_SHARE = 0.25


def hold_out(table, seed):
    """Return the training rows, the held-out rows, and whether they are stratified."""
    # The split is stratified if every class has at least two rows and the held-out part
    # has at least as many rows as there are classes.
    rows = np.arange(len(table.y))
    strata = None
    if table.task == CLASSIFICATION:
        counts = Counter(table.y.tolist())
        if min(counts.values()) > 1 and TEST_SHARE * len(rows) >= len(counts):
            strata = table.y
    train, test = train_test_split(
        rows, test_size=TEST_SHARE, random_state=seed, stratify=strata
    )
    return train, test, strata is not None


def make_folds(y, task, n_folds, seed):
    """Return shuffled folds, and a message if they differ from what was requested."""
    # y: (n,), the target of the training part. n_folds: at least 2. The message: why
    # there are fewer folds, or why some folds lack a class; otherwise None.
    if task == CLASSIFICATION:
        counts = Counter(y.tolist())
        rarest, n_rarest = min(counts.items(), key=lambda item: item[1])
        # A rare class does not reduce the folds of all: some lack it.
        max_folds = max(counts.values())
        rows = with_count(n_rarest, "row")
        reason = f"the training part has {rows} of class {str(rarest)!r}"
        lacks_a_class = n_rarest < min(n_folds, max_folds)
        # Each class may have one row in a small sample of many classes.
        splitter = StratifiedKFold if max_folds > 1 else KFold
        max_folds = max(max_folds, 2)
    else:
        # R² of a fold needs two rows.
        max_folds = len(y) // 2
        reason = f"the training part has {len(y)} rows"
        lacks_a_class = False
        splitter = KFold
    n_used = min(n_folds, max_folds)
    folds = splitter(n_used, shuffle=True, random_state=seed)
    if n_used < n_folds:
        return folds, f"{n_used} folds instead of {n_folds}: {reason}."
    if lacks_a_class:
        return folds, f"Some folds lack a class: {reason}."
    return folds, None
