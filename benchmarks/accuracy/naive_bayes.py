"""Cross-validate MEstimateNB and scikit-learn's pipelines on real mixed tables."""

import warnings

import numpy as np

from benchmarks._data import read_table
from benchmarks._markdown import mean_and_error
from benchmarks._scores import classification_scores, score_folds, stratified_folds
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from benchmarks.accuracy._naive_bayes_page import render
from benchmarks.accuracy._naive_bayes_peers import PEERS
from sklearn_bayeslazy import MEstimateNB

TABLES = (
    "adult",
    "house_votes_84",
    "hepatitis",
    "horse_colic",
    "mushroom",
    "german_credit",
    "autos",
)
OURS = {
    "MEstimateNB, classical": lambda: MEstimateNB(
        m=1.0, distribution="auto", feature_weights=None
    ),
    "MEstimateNB()": MEstimateNB,
}


def measure(table, quick=False):
    """Return the scores of every model on the same folds."""
    X, y = read_table(table, QUICK_ROWS if quick else None)
    folds = stratified_folds(y, QUICK_FOLDS if quick else 10)
    score = classification_scores(np.unique(y))
    with warnings.catch_warnings():
        # Quantiles coincide if one value fills more than a tenth of a column.
        warnings.filterwarnings("ignore", "Bins whose width are too small")
        return score_folds({**OURS, **PEERS}, X, y, folds, score)


def summarize(scores):
    """Return the mean scores of each model."""
    return [
        f"{name:38}log loss {mean_and_error(folds['log loss'])}   "
        f"accuracy {mean_and_error(folds['accuracy'])}"
        for name, folds in scores.items()
    ]


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    return render(tables, list(OURS), list(PEERS), results["machine"])


EXPERIMENT = Experiment("accuracy_naive_bayes", TABLES, measure, summarize, page)
