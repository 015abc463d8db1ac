"""Cross-validate belief networks and pyAgrum's classifier on real tables."""

import warnings
from itertools import product

import numpy as np

from benchmarks._data import read_table
from benchmarks._machine import describe
from benchmarks._markdown import bold_best, markdown_table, score_cell
from benchmarks._scores import (
    BEST,
    best_model,
    classification_scores,
    score_folds,
    significant_sign,
    stratified_folds,
)
from benchmarks.accuracy._belief_network_peers import PEERS, WEIGHT
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from sklearn_bayeslazy import BeliefNetworkClassifier, MEstimateNB

TABLES = (
    "soybean",
    "kr_vs_kp",
    "mushroom",
    "car",
    "house_votes_84",
    "german_credit",
    "dermatology",
    "satimage",
    "adult",
)
# Networks whose tables and bins do not depend on leave-one-out.
PLAIN = {
    "binning": "mdlp",
    "m": 1.0,
    "prior": "uniform",
    "calibration": None,
}
NETWORKS = {
    "TAN": lambda: BeliefNetworkClassifier("tan", **PLAIN),
    "hill climbing": lambda: BeliefNetworkClassifier("hill_climbing", **PLAIN),
    "hill climbing, loo": lambda: BeliefNetworkClassifier(
        "hill_climbing", structure_score="loo", **PLAIN
    ),
    "TAN, defaults": lambda: BeliefNetworkClassifier("tan"),
}
MODELS = {**NETWORKS, "MEstimateNB()": MEstimateNB, **PEERS}

INTRODUCTION = """\
# Accuracy of belief networks

<!-- Written by `python -m benchmarks.accuracy belief_network`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds, the best of a table in bold. *TAN* and *hill
climbing* are `BeliefNetworkClassifier` with that structure, bins by MDLP, one virtual
example in each row of a table, and no calibration; *loo* is the search with
`structure_score="loo"`. *TAN, defaults* is `BeliefNetworkClassifier("tan")`: a TAN with
bins by MDLP or quantiles, whose virtual examples and calibration leave-one-out chooses.
They and `MEstimateNB()` get each table unchanged, with strings, numbers and missing
values.

*BNClassifier* is pyAgrum's, with a TAN. It gets a missing value as a separate category,
or as the median in a numeric column. A value that is absent from the training part
is replaced by the most frequent one, because pyAgrum raises an error at it. pyAgrum
discretizes numeric columns of more than 25 values: by MDLP with two classes (with more
it raises an error), otherwise into ten quantile bins. Numeric columns of fewer values
are categories to pyAgrum; our networks discretize them by MDLP, too.

By default pyAgrum's tables have .01 virtual examples a cell, and with two classes
pyAgrum shifts its probabilities so that a threshold chosen on the training rows becomes
one half. Both change the log loss even if the graph is the same. So *adjusted* is the
same model with {weight} virtual examples a cell, about as many as ours have, and
without the shift. This weight was chosen in pyAgrum's favour, after some folds of
soybean, house_votes_84 and dermatology.

Every probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`,
so a true class with probability zero costs 36 nats. Seconds are the median over the
folds of fitting and predicting, in one thread.

Measured on {machine}.

"""


def measure(table, quick=False):
    """Return the scores, seconds and errors of each model in each fold."""
    X, y = read_table(table, QUICK_ROWS if quick else None)
    folds = stratified_folds(y, QUICK_FOLDS if quick else 10)
    score = classification_scores(np.unique(y))
    with warnings.catch_warnings():
        # soybean has more classes than pyAgrum recommends.
        warnings.filterwarnings("ignore", "A classifier with too many possible values")
        return score_folds(MODELS, X, y, folds, score, record_errors=True)


def summarize(scores):
    """Return the mean log loss of each model."""
    return [f"{name:26}{score_cell(f, 'log loss')}" for name, f in scores.items()]


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    return "".join(
        [
            INTRODUCTION.format(machine=describe(results["machine"]), weight=WEIGHT),
            *(_section(tables, measure) for measure in BEST),
            _seconds_section(tables),
        ]
    )


def _section(tables, measure):
    """Return the comparisons with the peers, and the table of a measure."""
    rows = []
    for name, scores in tables.items():
        texts = {model: score_cell(folds, measure) for model, folds in scores.items()}
        rows.append([name, *bold_best(texts, best_model(scores, measure))])
    pairs = product(NETWORKS, PEERS)
    return (
        f"## {measure.capitalize()}\n\nOn {len(rows)} tables, counting differences of "
        "more than twice the standard error of the paired difference:\n\n"
        + "".join(_comparison(tables, *pair, measure) for pair in pairs)
        + markdown_table(["table", *MODELS], rows)
        + "\n"
    )


def _comparison(tables, ours, peer, measure):
    """Return on how many tables our model is better, and worse, than a peer."""
    signs = [significant_sign(s[ours], s[peer], measure) for s in tables.values()]
    return (
        f"- *{ours}* is better than *{peer}* on {signs.count(1)} and worse on "
        f"{signs.count(-1)}.\n"
    )


def _seconds_section(tables):
    rows = [
        [name, *(f"{np.median(folds['seconds']):.2f}" for folds in scores.values())]
        for name, scores in tables.items()
    ]
    return "## Seconds a fold\n" + markdown_table(["table", *MODELS], rows)


EXPERIMENT = Experiment(
    "accuracy_belief_network", TABLES, measure, summarize, page, peers=("pyagrum",)
)
