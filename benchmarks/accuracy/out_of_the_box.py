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
    ON_WHOLE_TABLES,
    READ_RAW_TABLES,
    REGRESSION,
    make_learner,
)
from benchmarks.accuracy._out_of_the_box_page import render
from benchmarks.accuracy._out_of_the_box_tables import (
    MAX_ROWS,
    N_FOLDS,
    N_FOLDS_OF_WHOLE,
    QUICK_TABLES,
    TABLES,
    WHOLE_TABLES,
    load,
)

# Follows the name of a learner that is measured on whole tables.
WHOLE = ", whole"

SUMMARIZED = {
    CLASSIFICATION: ("accuracy", "log loss"),
    REGRESSION: ("R²", "relative RMSE"),
}


def half_of(part):
    """Return whether the learner of a part is a classifier or a regressor."""
    learner = part.removesuffix(WHOLE)
    return REGRESSION if learner in LEARNERS[REGRESSION] else CLASSIFICATION


def measure(part, quick=False):
    """Return what a learner scores in each fold of each table, and its errors."""
    tables, sizes = TABLES, (MAX_ROWS, N_FOLDS)
    if part.endswith(WHOLE):
        tables, sizes = WHOLE_TABLES, (None, N_FOLDS_OF_WHOLE)
    if quick:
        tables, sizes = QUICK_TABLES, (QUICK_ROWS, QUICK_FOLDS)
    learner = part.removesuffix(WHOLE)
    return {
        table: _measure_table(learner, *load(table, *sizes))
        for table in tables[half_of(part)]
    }


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
    """Return the page of the documentation, with what is measured."""
    halves, whole = (
        {
            half: {
                name: results[name + suffix]
                for name in names
                if name + suffix in results
            }
            for half, names in learners.items()
        }
        for learners, suffix in ((LEARNERS, ""), (ON_WHOLE_TABLES, WHOLE))
    )
    return render(halves, whole, READ_RAW_TABLES, results["machine"])


PARTS = (
    *(name for names in LEARNERS.values() for name in names),
    *(name + WHOLE for names in ON_WHOLE_TABLES.values() for name in names),
)
EXPERIMENT = Experiment(
    "accuracy_out_of_the_box",
    PARTS,
    measure,
    summarize,
    page,
    peers=("lightgbm", "xgboost", "catboost"),
)
