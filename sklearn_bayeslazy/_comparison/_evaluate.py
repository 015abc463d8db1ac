"""Compares learners on a table: cross-validation, then the winner on held-out rows."""

import re
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from joblib import parallel_config
from sklearn.base import clone
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from .._estimator import set_random_states
from ._learners import Learner
from ._metrics import rank_key, score_classification, score_regression
from ._splits import hold_out, make_folds
from ._table import CLASSIFICATION, Table

# These are for the maintainers of the learners, not for the user.
HIDDEN_WARNINGS = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)


@dataclass
class Outcome:
    """The results of one learner.

    Attributes
    ----------
    learner : Learner
    scores : ndarray of shape (n_folds, 2)
        The task's two metrics in each fold.
    fit_seconds, predict_seconds : float
        Medians over the folds.
    chosen_parameters : str
        The parameters that were chosen on the whole training part.
    estimator : object
        Fitted on the whole training part.
    warnings : list of str
        First lines of the warnings, without repetitions.
    failure : str or None
        The error that stopped the learner.
    """

    learner: Learner
    scores: np.ndarray | None = None
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
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


@dataclass
class Comparison:
    """All results; `outcomes` are sorted from best to worst, failures last."""

    table: Table
    outcomes: list
    n_folds: int
    n_train: int
    n_test: int
    seed: int
    messages: list
    held_out: HeldOut | None = None

    @property
    def winner(self):
        """The outcome that was scored on the held-out rows, None if all failed."""
        return self.outcomes[0] if self.held_out is not None else None


def compare(table, learners, *, n_folds=10, seed=0, n_jobs=None, progress=False):
    """Cross-validate learners on 3/4 of the rows, score the best on the other 1/4.

    Parameters
    ----------
    table : Table
    learners : list of Learner
        Learners that apply to the table.
    n_folds : int, default=10
        Reduced if the table is too small, see :func:`make_folds`.
    seed : int, default=0
        Sets the held-out rows, the folds, and every ``random_state``.
    n_jobs : int, default=None
        Threads for the learners that can use several. None means one, so that the
        times can be compared.
    progress : bool, default=False
        Show a progress bar on stderr.

    Returns
    -------
    comparison : Comparison
    """
    train, test = hold_out(table, seed)
    folds, message = make_folds(table.y[train], table.task, n_folds, seed)
    comparison = Comparison(
        table=table,
        outcomes=[],
        n_folds=folds.get_n_splits(),
        n_train=len(train),
        n_test=len(test),
        seed=seed,
        messages=[message] if message else [],
    )
    total = len(learners) * (comparison.n_folds + 1)
    bar = tqdm(total=total, disable=not progress, leave=False)
    with bar, _threads(n_jobs or 1):
        for learner in learners:
            bar.set_description(learner.name)
            start = bar.n
            outcome = _evaluate_learner(learner, table, train, folds, seed, bar)
            # A learner that failed has skipped some steps of the bar.
            bar.update(start + comparison.n_folds + 1 - bar.n)
            comparison.outcomes.append(outcome)
        _evaluate_winner(comparison, test)
    return comparison


@contextmanager
def _threads(n_threads):
    """Limit learners, and the BLAS that they call, to a number of threads."""
    # Threads, not processes: the kernels release the interpreter lock.
    with parallel_config("threading", n_jobs=n_threads), threadpool_limits(n_threads):
        yield


def _evaluate_learner(learner, table, train, folds, seed, bar):
    outcome = Outcome(learner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            part = table.part(learner.reads)
            estimator = set_random_states(learner.build(part), lambda: seed)
            _cross_validate(outcome, estimator, part, train, folds, bar)
            outcome.estimator = clone(estimator).fit(part.X[train], part.y[train])
            outcome.chosen_parameters = learner.chosen_parameters(outcome.estimator)
        except Exception as error:
            outcome.failure = describe_error(error)
    outcome.warnings = _first_lines(caught)
    return outcome


def _cross_validate(outcome, estimator, table, train, folds, bar):
    scores, fit_seconds, predict_seconds = [], [], []
    with warnings.catch_warnings():
        # make_folds has a message of its own.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(folds.split(train, table.y[train]))
    for fit_part, score_part in splits:
        fit_rows, score_rows = train[fit_part], train[score_part]
        fitted = clone(estimator)
        start = time.perf_counter()
        fitted.fit(table.X[fit_rows], table.y[fit_rows])
        fit_seconds.append(time.perf_counter() - start)
        X, y = table.X[score_rows], table.y[score_rows]
        start = time.perf_counter()
        predicted = fitted.predict(X)
        predict_seconds.append(time.perf_counter() - start)
        scores.append(_score(fitted, X, y, predicted, table.task))
        bar.update()
    outcome.scores = np.array(scores)
    # Medians, because the first fold includes the time to compile kernels.
    outcome.fit_seconds = float(np.median(fit_seconds))
    outcome.predict_seconds = float(np.median(predict_seconds))


def _score(fitted, X, y, predicted, task):
    if task != CLASSIFICATION:
        return score_regression(y, predicted)
    has_proba = hasattr(fitted, "predict_proba")
    proba = fitted.predict_proba(X) if has_proba else None
    return score_classification(y, predicted, proba, fitted.classes_)


def _evaluate_winner(comparison, test):
    """Sort the outcomes and score the best that does not fail on the held-out rows."""
    table = comparison.table
    while True:
        comparison.outcomes.sort(key=lambda outcome: _rank(outcome, table.task))
        best = comparison.outcomes[0]
        if best.failure:
            return
        X, y = table.part(best.learner.reads).X[test], table.y[test]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                predicted = best.estimator.predict(X)
                scores = _score(best.estimator, X, y, predicted, table.task)
            except Exception as error:
                best.failure = f"on the held-out part: {describe_error(error)}"
                continue
        comparison.held_out = HeldOut(y, predicted, scores)
        return


def _rank(outcome, task):
    if outcome.failure:
        return (True,)
    return (False, *rank_key(task, outcome.scores.mean(axis=0)))


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
