"""Cross-validate ShepardKNN with and without stretched axes on real numeric tables."""

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._data import read_table
from benchmarks._machine import describe
from benchmarks._markdown import markdown_table, mean_and_error
from benchmarks._scores import score_folds, stratified_folds
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from sklearn_bayeslazy import AxisStretcher, ShepardKNN

TABLES = ("ionosphere", "sonar", "vehicle", "segment", "waveform", "spambase")
KS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]

PLAIN, STRETCHED, PEER = (
    "ShepardKNN()",
    "AxisStretcher() + ShepardKNN()",
    "k-NN, search",
)
# The classical votes: what is compared is the stretch of the columns.
CLASSICAL = {
    "power": 2,
    "m": 0,
    "metric": "euclidean",
    "loo_candidates": {"n_neighbors": [*range(1, 51), None]},
    "loo_scoring": "accuracy",
    "n_jobs": 2,
}
MODELS = {
    PLAIN: lambda: make_pipeline(StandardScaler(), ShepardKNN(**CLASSICAL)),
    STRETCHED: lambda: make_pipeline(
        StandardScaler(),
        AxisStretcher(random_state=0, n_jobs=2),
        ShepardKNN(**CLASSICAL),
    ),
    PEER: lambda: make_pipeline(
        StandardScaler(),
        GridSearchCV(
            KNeighborsClassifier(weights="distance"), {"n_neighbors": KS}, n_jobs=2
        ),
    ),
}

INTRODUCTION = """\
# Accuracy of neighbours with stretched axes

<!-- Written by `python -m benchmarks.accuracy neighbors`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds. Every model gets standardised columns.
`ShepardKNN()` stands for the classical call with power=2 and m=0, which chooses k by
the accuracy of leave-one-out. `AxisStretcher()` first learns from the same
training part by how much to stretch each column, with its defaults. *k-NN, search* is
`KNeighborsClassifier(weights="distance")` with k from {ks} by five-fold
cross-validation within the training part. *Gain* pairs the folds: stretched minus
plain. Seconds are those of one fold, to fit and to predict.

The defaults of `AxisStretcher` were chosen on artificial tables and on other folds of
these tables, so the gains are slightly optimistic.

Measured on {machine}.

"""


def measure(table, quick=False):
    """Return accuracy and seconds of each model in each fold."""
    X, y = read_table(table, QUICK_ROWS if quick else None)
    folds = stratified_folds(y, QUICK_FOLDS if quick else 10)
    return score_folds(MODELS, X, y, folds, accuracy)


def accuracy(model, X, y):
    """Return the accuracy of a fitted model."""
    return {"accuracy": model.score(X, y)}


def summarize(scores):
    """Return the mean accuracy of each model."""
    return [
        f"{model:32}{mean_and_error(folds['accuracy'])}"
        for model, folds in scores.items()
    ]


def page(results):
    """Return the page of the documentation."""
    header = ["table", *MODELS, "gain", *(f"seconds: {name}" for name in MODELS)]
    rows = [_row(name, results[name]) for name in TABLES if name in results]
    introduction = INTRODUCTION.format(
        ks=", ".join(map(str, KS)), machine=describe(results["machine"])
    )
    return introduction + markdown_table(header, rows) + "\n"


def _row(table, scores):
    gain = np.subtract(scores[STRETCHED]["accuracy"], scores[PLAIN]["accuracy"])
    return [
        table,
        *(mean_and_error(scores[model]["accuracy"]) for model in MODELS),
        mean_and_error(gain),
        *(f"{np.mean(scores[model]['seconds']):.1f}" for model in MODELS),
    ]


EXPERIMENT = Experiment("accuracy_neighbors", TABLES, measure, summarize, page)
