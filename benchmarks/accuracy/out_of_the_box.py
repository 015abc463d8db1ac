"""Cross-validate classifiers that are constructed without arguments on raw tables.

``load(table)`` returns the rows and the folds on which every learner is measured.
"""

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._data import read_table
from benchmarks._markdown import score_cell
from benchmarks._scores import classification_scores, score_folds, stratified_folds
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from benchmarks.accuracy._out_of_the_box_learners import (
    NEED_NUMBERS,
    PEERS,
    READ_RAW_TABLES,
    make_learner,
)
from benchmarks.accuracy._out_of_the_box_page import render

TABLES = (
    "mushroom",
    "car",
    "house_votes_84",
    "zoo",
    "breast_cancer",
    "hepatitis",
    "soybean",
    "kr_vs_kp",
    "tic_tac_toe",
    "balance_scale",
    "dermatology",
    "autos",
    "horse_colic",
    "german_credit",
    "adult",
    "ionosphere",
    "sonar",
    "pima_diabetes",
    "vehicle",
    "segment",
    "glass",
    "spambase",
    "waveform",
    "vowel",
    "banknote",
    "satimage",
)
# Mixed columns of two classes, strings of four classes, numbers and truth values.
QUICK_TABLES = ("hepatitis", "car", "zoo")
# Names of rows and of the original split.
NOT_FEATURES = {
    "zoo": ["animal"],
    "vowel": ["Train or Test", "Speaker Number"],
    "satimage": ["split"],
}
LEARNERS = (*READ_RAW_TABLES, *NEED_NUMBERS, *PEERS)
MAX_ROWS, N_FOLDS = 3000, 5


def load(table, max_rows=MAX_ROWS, n_folds=N_FOLDS):
    """Return the features, the target and the folds of a table.

    A table of more than `max_rows` rows is replaced by a random sample of them (seed
    0); the folds are stratified and shuffled (seed 0).
    """
    X, y = read_table(table, max_rows)
    X = X.drop(columns=NOT_FEATURES.get(table, []), errors="ignore")
    return X, y, stratified_folds(y, n_folds)


def measure(learner, quick=False):
    """Return what a learner scores in each fold of each table, and its errors."""
    sizes = (QUICK_ROWS, QUICK_FOLDS) if quick else (MAX_ROWS, N_FOLDS)
    return {
        table: _measure_table(learner, *load(table, *sizes))
        for table in (QUICK_TABLES if quick else TABLES)
    }


def _measure_table(learner, X, y, folds):
    models = {learner: partial(make_learner, learner)}
    score = classification_scores(np.unique(y))
    # One thread for every learner: gradient boosting would take all cores.
    with threadpool_limits(1):
        return score_folds(models, X, y, folds, score, record_errors=True)[learner]


def summarize(tables):
    """Return the mean accuracy and log loss of a learner on each table."""
    return [
        f"{table:16}accuracy {score_cell(folds, 'accuracy')}   "
        f"log loss {score_cell(folds, 'log loss')}"
        for table, folds in tables.items()
    ]


def page(results):
    """Return the page of the documentation."""
    learners = {name: results[name] for name in LEARNERS if name in results}
    return render(learners, READ_RAW_TABLES, results["machine"])


EXPERIMENT = Experiment("accuracy_out_of_the_box", LEARNERS, measure, summarize, page)
