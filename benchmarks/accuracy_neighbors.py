"""Cross-validate ShepardKNN with and without stretched axes on real numeric tables.

``python -m benchmarks.accuracy_neighbors [TABLE ...]`` reads the tables from the folder
named by the environment variable BAYESLAZY_DATA and writes
``doc/accuracy_neighbors.json`` and ``doc/accuracy_neighbors.md``.
"""

import sys

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._harness import read_results, score_folds, write_results
from benchmarks._machine import describe, machine_facts
from benchmarks._render_accuracy import spread
from benchmarks._render_text import markdown
from benchmarks.accuracy_naive_bayes import ROOT, data_folder, read_table
from sklearn_bayeslazy import AxisStretcher, ShepardKNN

TABLES = ("ionosphere", "sonar", "vehicle", "segment", "waveform", "spambase")
PAGE = ROOT / "doc" / "accuracy_neighbors.md"
KS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]

PLAIN, STRETCHED, PEER = (
    "ShepardKNN()",
    "AxisStretcher() + ShepardKNN()",
    "k-NN, search",
)
MODELS = {
    PLAIN: lambda: make_pipeline(StandardScaler(), ShepardKNN(n_jobs=2)),
    STRETCHED: lambda: make_pipeline(
        StandardScaler(),
        AxisStretcher(random_state=0, n_jobs=2),
        ShepardKNN(n_jobs=2),
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

<!-- Written by `python -m benchmarks.accuracy_neighbors`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds. Every model is given standardised columns.
`ShepardKNN()` chooses k by leave-one-out; `AxisStretcher()` before it learns from the
same training part how far to stretch each column, with its defaults; *k-NN, search* is
`KNeighborsClassifier(weights="distance")` with k from {ks} by five folds within the
training part. *Gain* pairs the folds: stretched minus plain. Seconds are those of one
fold, fitting and predicting.

The defaults of `AxisStretcher` were settled with an eye on these tables (on other folds
of them), and on artificial ones: the gains are somewhat kind.

Measured on {machine}.

"""


def main(names=None):
    """Measure the tables asked for, store the folds and write the page."""
    results = read_results(PAGE)
    for name in names or TABLES:
        results[name] = measure(*read_table(data_folder() / f"{name}.csv"))
        for model, folds in results[name].items():
            print(f"{name:12}{model:32}{spread(folds['accuracy'])}", flush=True)
        results["machine"] = machine_facts()
        write_results(results, PAGE, page)


def measure(X, y):
    """Return accuracy and seconds of each model in each fold."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)
    return score_folds(MODELS, X, y, folds, "accuracy")


def page(results):
    """Return the page of the documentation."""
    header = ["table", *MODELS, "gain", *(f"seconds: {name}" for name in MODELS)]
    rows = []
    for name in TABLES:
        if name in results:
            folds = results[name]
            gain = np.subtract(folds[STRETCHED]["accuracy"], folds[PLAIN]["accuracy"])
            rows.append(
                [
                    name,
                    *(spread(folds[model]["accuracy"]) for model in MODELS),
                    spread(gain),
                    *(f"{np.mean(folds[model]['seconds']):.1f}" for model in MODELS),
                ]
            )
    introduction = INTRODUCTION.format(
        ks=", ".join(map(str, KS)), machine=describe(results["machine"])
    )
    return introduction + markdown(header, rows) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
