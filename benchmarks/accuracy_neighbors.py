"""Cross-validate ShepardKNN with and without stretched axes on real numeric tables.

``python -m benchmarks.accuracy_neighbors [TABLE ...]`` reads the tables from the folder
named by the environment variable BAYESLAZY_DATA and writes
``doc/accuracy_neighbors.json`` and ``doc/accuracy_neighbors.md``.
"""

import json
import sys
from time import perf_counter

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._machine import describe, machine_facts
from benchmarks._render_accuracy import spread
from benchmarks._render_text import markdown
from benchmarks.accuracy_naive_bayes import ROOT, data_folder, read_table
from sklearn_bayeslazy import AxisStretcher, ShepardKNN

TABLES = ("ionosphere", "sonar", "vehicle", "segment", "waveform", "spambase")
PAGE = ROOT / "doc" / "accuracy_neighbors.md"
RESULTS = PAGE.with_suffix(".json")
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
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names or TABLES:
        results[name] = measure(*read_table(data_folder() / f"{name}.csv"))
        for model, folds in results[name].items():
            print(f"{name:12}{model:32}{spread(folds['accuracy'])}", flush=True)
        results["machine"] = machine_facts()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(results), encoding="utf-8")


def measure(X, y):
    """Return accuracy and seconds of each model in each fold."""
    X = X.to_numpy(dtype=float)
    scores = {name: {"accuracy": [], "seconds": []} for name in MODELS}
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        for name, make_model in MODELS.items():
            start = perf_counter()
            right = make_model().fit(X[train], y[train]).score(X[test], y[test])
            scores[name]["accuracy"].append(right)
            scores[name]["seconds"].append(perf_counter() - start)
    return scores


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
