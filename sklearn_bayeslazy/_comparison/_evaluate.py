"""Compares learners on a table: cross-validation, then the winner on unseen rows."""

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

from ._learners import Learner
from ._metrics import rank_key, score_classes, score_numbers
from ._splits import hold_out, make_folds
from ._table import CLASSIFICATION, Table

# These speak of the program, not of the table.
UNTOLD_WARNINGS = (DeprecationWarning, FutureWarning, PendingDeprecationWarning)


@dataclass
class Outcome:
    """How one learner fared.

    Attributes
    ----------
    learner : Learner
    scores : ndarray of shape (n_folds, 2)
        The task's two metrics, fold by fold.
    fit_seconds, query_seconds : float
        Medians over the folds; a query is a fold.
    chosen : str
        The parameters chosen on the whole training part.
    estimator : object
        Fitted on the whole training part.
    warnings : list of str
        First lines of what was warned of, each once.
    failure : str or None
        Why there is nothing of the above.
    """

    learner: Learner
    scores: np.ndarray | None = None
    fit_seconds: float = np.nan
    query_seconds: float = np.nan
    chosen: str = ""
    estimator: object = None
    warnings: list = field(default_factory=list)
    failure: str | None = None


@dataclass
class HeldOut:
    """The winner's answers for the held-out rows."""

    y: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray


@dataclass
class Comparison:
    """All that came out; `outcomes` run from the best learner to those that failed."""

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
        """The outcome that was tried on the held-out rows, None if all failed."""
        return self.outcomes[0] if self.held_out is not None else None


def compare(table, learners, *, n_folds=10, seed=0, n_jobs=None, progress=False):
    """Cross-validate learners on three quarters of a table, try the best on the rest.

    Parameters
    ----------
    table : Table
    learners : list of Learner
        Those that suit the table.
    n_folds : int, default=10
        Reduced where the table is too small for it.
    seed : int, default=0
        Decides the held-out rows, the folds, and every ``random_state``.
    n_jobs : int, default=None
        Threads for those learners that know how to use them; None is one, so that
        the times compare.
    progress : bool, default=False
        Show a bar on stderr.

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
            outcome = _try_learner(learner, table, train, folds, seed, bar)
            bar.update(start + comparison.n_folds + 1 - bar.n)  # a failure stops early
            comparison.outcomes.append(outcome)
        _crown(comparison, test)
    return comparison


@contextmanager
def _threads(n_threads):
    """Hold learners, and the linear algebra below them, to a number of threads."""
    # Threads, not processes: the kernels free the interpreter lock.
    with parallel_config("threading", n_jobs=n_threads), threadpool_limits(n_threads):
        yield


def _try_learner(learner, table, train, folds, seed, bar):
    outcome = Outcome(learner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            part = table.part(learner.reads)
            estimator = _seeded(learner.build(part), seed)
            _cross_validate(outcome, estimator, part, train, folds, bar)
            outcome.estimator = clone(estimator).fit(part.X[train], part.y[train])
            outcome.chosen = learner.chosen(outcome.estimator)
        except Exception as error:
            outcome.failure = reason(error)
    outcome.warnings = _first_lines(caught)
    return outcome


def _cross_validate(outcome, estimator, table, train, folds, bar):
    measures, fit_seconds, query_seconds = [], [], []
    with warnings.catch_warnings():
        # make_folds said it better.
        warnings.filterwarnings("ignore", message="The least populated class")
        cuts = list(folds.split(train, table.y[train]))
    for fit_part, score_part in cuts:
        fit_rows, score_rows = train[fit_part], train[score_part]
        fitted = clone(estimator)
        start = time.perf_counter()
        fitted.fit(table.X[fit_rows], table.y[fit_rows])
        fit_seconds.append(time.perf_counter() - start)
        X, y = table.X[score_rows], table.y[score_rows]
        start = time.perf_counter()
        predicted = fitted.predict(X)
        query_seconds.append(time.perf_counter() - start)
        measures.append(_score(fitted, X, y, predicted, table.task))
        bar.update()
    outcome.scores = np.array(measures)
    # Medians: the first fold also pays for compiling kernels.
    outcome.fit_seconds = float(np.median(fit_seconds))
    outcome.query_seconds = float(np.median(query_seconds))


def _score(fitted, X, y, predicted, task):
    if task != CLASSIFICATION:
        return score_numbers(y, predicted)
    has_proba = hasattr(fitted, "predict_proba")
    proba = fitted.predict_proba(X) if has_proba else None
    return score_classes(y, predicted, proba, fitted.classes_)


def _crown(comparison, test):
    """Sort the outcomes and try the best on the held-out rows, or else the next."""
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
                best.failure = f"on the held-out part: {reason(error)}"
                continue
        comparison.held_out = HeldOut(y, predicted, scores)
        return


def _rank(outcome, task):
    if outcome.failure:
        return (True,)
    return (False, *rank_key(task, outcome.scores.mean(axis=0)))


def _seeded(estimator, seed):
    names = estimator.get_params()
    states = {
        name: seed
        for name in names
        if name == "random_state" or name.endswith("__random_state")
    }
    return estimator.set_params(**states)


def reason(error):
    """Return the error's kind and the first line of what it says."""
    return f"{type(error).__name__}: {_first_line(error)}".rstrip(": ")


def _first_line(message):
    return next(iter(str(message).strip().splitlines()), "")


def _first_lines(caught):
    """Return the warnings once each; fold and column numbers make no new one."""
    kinds = {}
    for warning in caught:
        if not issubclass(warning.category, UNTOLD_WARNINGS):
            line = f"{warning.category.__name__}: {_first_line(warning.message)}"
            kinds.setdefault(re.sub(r"\d+", "", line), line)
    return list(kinds.values())
