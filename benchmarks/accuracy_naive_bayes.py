"""Cross-validate MEstimateNB and scikit-learn's pipelines on real mixed tables.

``python -m benchmarks.accuracy_naive_bayes`` reads the tables from the folder named by
the environment variable BAYESLAZY_DATA and writes ``doc/accuracy_naive_bayes.md``.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from benchmarks import _render_accuracy
from benchmarks._machine import machine_facts
from benchmarks._peers_naive_bayes import PEERS
from sklearn_bayeslazy import MEstimateNB

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "doc" / "accuracy_naive_bayes.md"

TABLES = {
    "adult": "adult.csv.gz",
    "house_votes_84": "house_votes_84.csv",
    "hepatitis": "hepatitis.csv",
    "horse_colic": "horse_colic.csv",
    "mushroom": "mushroom.csv",
    "german_credit": "german_credit.csv",
    "autos": "autos.csv",
}

OURS = {
    "MEstimateNB()": MEstimateNB,
    'MEstimateNB, "loo"': lambda: MEstimateNB(m="loo", distribution="loo"),
}


def data_folder():
    """Return the folder of the tables."""
    return Path(os.environ.get("BAYESLAZY_DATA", ROOT.parent / "shared" / "data"))


def read_table(path):
    """Return the features and the target; only an empty cell is a missing one."""
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    # adult says in a column which part of the original split a row belongs to.
    table = table.drop(columns="split", errors="ignore")
    return table.drop(columns="target"), table["target"].to_numpy()


def probabilities(model, X, classes):
    """Return P(class | row) with a column for each of `classes`.

    A class that the training fold lacks has probability 0; log_loss lifts it to the
    machine epsilon, as it does every other 0.
    """
    full = np.zeros((len(X), len(classes)))
    full[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return full


def score_fold(make_model, X, y, train, test):
    """Return the accuracy and the log loss of a model of one fold."""
    classes = np.unique(y)
    model = make_model().fit(X.iloc[train], y[train])
    proba = probabilities(model, X.iloc[test], classes)
    return (
        accuracy_score(y[test], classes[proba.argmax(axis=1)]),
        log_loss(y[test], proba, labels=classes),
    )


def score(make_model, X, y, folds):
    """Return the accuracy and the log loss of each fold: two arrays."""
    return tuple(np.transpose([score_fold(make_model, X, y, *fold) for fold in folds]))


def score_table(X, y):
    """Return the scores of every model on the same ten folds: name to two arrays."""
    with warnings.catch_warnings():
        # autos has a class of three rows: seven folds are tested without it, which
        # costs nothing but the evenness of the folds.
        warnings.filterwarnings("ignore", "The least populated class in y")
        folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
        # Where a value fills more than a tenth of a column, quantiles coincide.
        warnings.filterwarnings("ignore", "Bins whose width are too small")
        return {
            name: score(make_model, X, y, folds)
            for name, make_model in {**OURS, **PEERS}.items()
        }


def main():
    """Score every table and write the page."""
    scores = {}
    for name, file in TABLES.items():
        scores[name] = score_table(*read_table(data_folder() / file))
        print(_render_accuracy.terminal(name, scores[name]), flush=True)
    text = _render_accuracy.page(scores, list(OURS), list(PEERS), machine_facts())
    PAGE.write_text(text, encoding="utf-8")
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
