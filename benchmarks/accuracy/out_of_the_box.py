"""Cross-validate learners that are constructed without arguments on raw tables.

The learners are classifiers and regressors, each on the tables of its half.
``load(table)`` returns the rows and the folds on which every learner is measured.
"""

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._markdown import score_cell
from benchmarks._scores import (
    classification_scores,
    regression_scores,
    score_folds,
)
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from benchmarks.accuracy._out_of_the_box_learners import (
    CLASSIFICATION,
    LEARNERS,
    READ_RAW_TABLES,
    REGRESSION,
    make_learner,
)
from benchmarks.accuracy._out_of_the_box_page import render
from benchmarks.accuracy._out_of_the_box_tables import (
    MAX_ROWS,
    N_FOLDS,
    QUICK_TABLES,
    TABLES,
    load,
)

SUMMARIZED = {
    CLASSIFICATION: ("accuracy", "log loss"),
    REGRESSION: ("R²", "relative RMSE"),
}


def half_of(learner):
    """Return whether a learner is a classifier or a regressor."""
    return REGRESSION if learner in LEARNERS[REGRESSION] else CLASSIFICATION


def measure(learner, quick=False):
    """Return what a learner scores in each fold of each table, and its errors."""
    sizes = (QUICK_ROWS, QUICK_FOLDS) if quick else (MAX_ROWS, N_FOLDS)
    tables = (QUICK_TABLES if quick else TABLES)[half_of(learner)]
    return {table: _measure_table(learner, *load(table, *sizes)) for table in tables}


def _measure_table(learner, X, y, folds):
    models = {learner: partial(make_learner, learner)}
    is_regression = half_of(learner) == REGRESSION
    score = (
        regression_scores(y) if is_regression else classification_scores(np.unique(y))
    )
    # One thread for every learner: gradient boosting would take all cores.
    with threadpool_limits(1):
        return score_folds(models, X, y, folds, score, record_errors=True)[learner]


def summarize(tables):
    """Return the mean scores of a learner on each table."""
    is_regression = next(iter(tables)) in TABLES[REGRESSION]
    measures = SUMMARIZED[REGRESSION if is_regression else CLASSIFICATION]
    return [
        f"{table:20}"
        + "   ".join(f"{name} {score_cell(folds, name)}" for name in measures)
        for table, folds in tables.items()
    ]


def page(results):
    """Return the page of the documentation, with the halves that are measured."""
    halves = {
        half: {name: results[name] for name in names if name in results}
        for half, names in LEARNERS.items()
    }
    halves = {half: learners for half, learners in halves.items() if learners}
    return render(halves, READ_RAW_TABLES, results["machine"])


PARTS = tuple(name for names in LEARNERS.values() for name in names)
EXPERIMENT = Experiment("accuracy_out_of_the_box", PARTS, measure, summarize, page)
