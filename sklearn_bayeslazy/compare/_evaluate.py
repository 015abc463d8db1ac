"""Compares learners on a table: cross-validation, then the winner on held-out rows."""

import warnings

import numpy as np
import pandas as pd
from joblib import parallel_config
from pandas.api.types import is_numeric_dtype
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from .._core._estimator import set_random_states
from .._core._kernel import cache_folder
from .._core._warnings import COMPILATION, MIN_SECONDS
from ..tabular.cleaning import DROP, TEXT, TableCleaner
from ._cross_validation import (
    evaluate_learners,
    hold_out,
    make_folds,
    score,
)
from ._dataset import CLASSIFICATION
from ._formatting import describe_error, option_with_names
from ._learners import chosen_parameters
from ._metrics import metrics_for
from ._outcome import Comparison, HeldOut


def compare(
    table,
    learners,
    *,
    n_folds=10,
    seed=0,
    n_jobs=None,
    seconds=None,
    scoring=None,
    observer=None,
):
    """Cross-validate learners on 3/4 of the rows, score the best on the other 1/4."""
    # An interrupt (Ctrl-C) ends the cross-validation; the best of the finished learners
    # is scored. An interrupt of that leaves only the scores of cross-validation.
    # learners: those that apply to the table, quick ones first. n_folds: reduced if the
    # table is too small, see `make_folds`. seed: sets the held-out rows, the folds, and
    # every `random_state`. n_jobs: threads for the learners that can use several; None
    # means one, so that the times can be compared. seconds: for all learners; a slow
    # one gets fewer folds, or is left out; None means no limit. scoring: the name of
    # the metric that ranks, see `metrics_for`. observer: its methods started(learner,
    # n_left, seconds_left) and finished(outcome) are called.
    train, test, is_stratified = hold_out(table, seed)
    folds, message = make_folds(table.y[train], table.task, n_folds, seed)
    comparison = Comparison(
        table=table,
        outcomes=[],
        n_folds=folds.get_n_splits(),
        seed=seed,
        messages=[message] if message else [],
        metrics=metrics_for(table, scoring),
        train=train,
        test=test,
        is_stratified=is_stratified,
    )
    if table.is_sample:
        comparison.messages.append(
            f"A random {len(table.y)} of the {table.n_rows_in_file} rows are compared "
            "(--sample)."
        )
    comparison.messages += leak_messages(table, train, seed)
    compiled_before = COMPILATION.seconds
    # Threads, not processes: the kernels release the interpreter lock.
    n_threads = n_jobs or 1
    with parallel_config("threading", n_jobs=n_threads), threadpool_limits(n_threads):
        evaluate_learners(comparison, learners, folds, seconds, observer)
        try:
            _evaluate_winner(comparison)
        except KeyboardInterrupt:
            comparison.interrupted = True
    _add_messages(comparison, COMPILATION.seconds - compiled_before)
    return comparison


def _evaluate_winner(comparison):
    """Sort the outcomes and score the best that does not fail on the held-out rows."""
    table, test = comparison.table, comparison.test
    while comparison.outcomes:
        comparison.sort()
        best = comparison.outcomes[0]
        if best.failure:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                comparison.pipeline = _fit_winner(comparison, best)
                X, y = table.X.iloc[test], table.y[test]
                predicted = comparison.pipeline.predict(X)
                proba = None
                if hasattr(comparison.pipeline, "predict_proba"):
                    proba = comparison.pipeline.predict_proba(X)
                scores = score(
                    comparison.metrics, comparison.pipeline, X, y, predicted, proba
                )
            except Exception as error:
                best.failure = f"on the held-out part: {describe_error(error)}"
                continue
        comparison.held_out = HeldOut(y, predicted, scores, proba)
        return


def _fit_winner(comparison, best):
    pipeline = raw_pipeline(comparison.table, best.learner, comparison.seed)
    train = comparison.train
    pipeline.fit(comparison.table.X.iloc[train], comparison.table.y[train])
    steps = pipeline[1:]
    best.estimator = steps[-1] if len(steps) == 1 else steps
    best.chosen_parameters = chosen_parameters(best.estimator)
    return pipeline


def raw_pipeline(table, learner, seed):
    """Return the learner as a pipeline that reads raw columns."""
    estimator = set_random_states(learner.build(table), lambda: seed)
    first = table.first_step(learner.reads, seed)
    steps = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    return make_pipeline(first, *steps)


def _add_messages(comparison, compile_seconds):
    fewer = [
        f"{outcome.learner.name} ({len(outcome.scores)})"
        for outcome in comparison.outcomes
        if not outcome.failure and len(outcome.scores) < comparison.n_folds
    ]
    if fewer:
        comparison.messages.append(
            f"Fewer folds for want of time (--time-limit): {'; '.join(fewer)}."
        )
    better = [outcome.learner.name for outcome in comparison.better_with_fewer_folds()]
    if better:
        comparison.messages.append(
            "Listed after the learners with more folds, but better than the best of "
            f"them on the folds that both have: {'; '.join(better)}. A longer "
            "--time-limit lets them compete."
        )
    if comparison.left_out:
        reason = "interrupted" if comparison.interrupted else "--time-limit"
        comparison.messages.append(
            f"Left out ({reason}): {'; '.join(comparison.left_out)}."
        )
    if compile_seconds >= MIN_SECONDS:
        advice = "They are stored, so the next comparison has more time."
        if cache_folder() is None:
            advice = "To store them, set NUMBA_CACHE_DIR to a writable folder."
        comparison.messages.append(
            f"{compile_seconds:.0f} s of the time compiled loops, as at the first use "
            f"on a machine. {advice}"
        )


# Finds single columns that give the target away.


# Of the rows, or of the variance, a single column rarely explains as much.
MIN_SHARE_OF_A_LEAK = 0.995
MAX_ROWS, MAX_TESTED_COLUMNS = 2000, 300
N_FOLDS = 3


def leak_messages(table, rows, seed):
    """Return a message on single columns that predict the target almost perfectly."""
    # The list is empty if there are none. Each column is tested by cross-validation of
    # a decision tree on its cleaned cells. rows: the training rows.
    rows = rows[:MAX_ROWS]
    used = [column for column in table.columns if column.kind not in (DROP, TEXT)]
    y = table.y[rows]
    n_used = len(table.columns) - len(table.names(DROP))
    if n_used < 2 or len(np.unique(y)) < 2:
        return []
    names = [
        column.name
        for column in used[:MAX_TESTED_COLUMNS]
        if _share_explained(table, column, rows, seed) > MIN_SHARE_OF_A_LEAK
    ]
    if not names:
        return []
    listed = ", ".join(map(repr, names))
    drop = option_with_names("drop", names)
    alone = "alone predicts" if len(names) == 1 else "each alone predict"
    return [
        f"{listed} {alone} the target almost perfectly. If that is not known before "
        f"the target, drop it: {drop}."
    ]


def _share_explained(table, column, rows, seed):
    """Return the share of errors of the baseline that one column avoids."""
    cells = table.X[[column.name]].iloc[rows]
    cleaned = TableCleaner({column.name: column.kind}).fit_transform(cells)
    x = cleaned.apply(
        lambda one: one if is_numeric_dtype(one) else pd.factorize(one)[0]
    )
    y, is_class = table.y[rows], table.task == CLASSIFICATION
    tree = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    folds = KFold(N_FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tree(min_samples_leaf=2, random_state=seed)
        predicted = cross_val_predict(model, x, y, cv=folds)
        if is_class:
            _, counts = np.unique(y, return_counts=True)
            return 1 - np.mean(predicted != y) / (1 - counts.max() / len(y))
        return 1 - np.mean((predicted - y) ** 2) / y.var()
