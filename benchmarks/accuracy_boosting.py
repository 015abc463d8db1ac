"""Cross-validate boosted stumps and trees, ours and those of others, on real tables.

``python -m benchmarks.accuracy_boosting [TABLE ...]`` reads the tables from the folder
named by the environment variable BAYESLAZY_DATA and writes
``doc/accuracy_boosting.json`` and ``doc/accuracy_boosting.md``.
"""

import sys
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks._harness import read_results, write_results
from benchmarks._machine import describe, machine_facts
from benchmarks._render_accuracy import standard_error
from benchmarks._render_text import markdown
from benchmarks.accuracy_belief_network import best, cell, score_folds
from benchmarks.accuracy_naive_bayes import ROOT, data_folder, read_table
from sklearn_bayeslazy import MyAdaBoost

PAGE = ROOT / "doc" / "accuracy_boosting.md"

TABLES = {
    "ionosphere": "ionosphere.csv",
    "sonar": "sonar.csv",
    "spambase": "spambase.csv",
    "pima_diabetes": "pima_diabetes.csv",
    "german_credit": "german_credit.csv",
    "german_credit, encoded": "german_credit.csv",
    "waveform": "waveform.csv",
    "satimage": "satimage.csv",
    "segment": "segment.csv",
}

GINI, BINNED, PEER = "gini", "gini, 255 bins", "AdaBoostClassifier"
GOAL = 0.005


def tree(max_depth):
    """Return scikit-learn's tree."""
    return DecisionTreeClassifier(max_depth=max_depth, random_state=0)


def stumps_of_lightgbm(learning_rate):
    """Return LightGBM with trees of one split."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        num_leaves=2,
        n_estimators=50,
        learning_rate=learning_rate,
        random_state=0,
        n_jobs=1,
        verbose=-1,
    )


# These take the tables as they are ...
OURS = {
    GINI: lambda: MyAdaBoost(criterion="gini"),
    BINNED: lambda: MyAdaBoost(criterion="gini", max_bins=255),
    "error": MyAdaBoost,
}
# ... and these with a column for each category.
ENCODED = {
    "trees of depth 3": lambda: MyAdaBoost(tree(3), random_state=0),
    PEER: lambda: AdaBoostClassifier(tree(1), n_estimators=50, random_state=0),
}
if find_spec("lightgbm"):
    ENCODED["LightGBM, .1"] = lambda: stumps_of_lightgbm(0.1)
    ENCODED["LightGBM, 1"] = lambda: stumps_of_lightgbm(1.0)
MODELS = [*OURS, *ENCODED]

INTRODUCTION = """\
# Accuracy of boosting

<!-- Written by `python -m benchmarks.accuracy_boosting`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds, the best of a table in bold. All have 50 rounds
and their defaults otherwise; nothing was tuned.

*Gini* and *error* are `MyAdaBoost` with that criterion, the latter the default: its own
stumps, which receive each table as it is. Up to 16 384 rows each value has a bin, so
that all splits are there to choose from; *255 bins* are quantiles, as with more rows.
*Trees of depth 3* are `MyAdaBoost` on scikit-learn's `DecisionTreeClassifier`.
*AdaBoostClassifier* is scikit-learn's, on trees of depth 1. *LightGBM* has
`num_leaves=2` and the learning rate that is named; with K > 2 classes its rounds have K
stumps each, where those of the others have one.

Only german_credit has categories. All but our own stumps receive it with a column of
zeros and ones for each; in the line *german_credit, encoded* these do so, too.

Every probability is clipped at the machine epsilon, as `sklearn.metrics.log_loss` does.
Seconds are the median over the folds of fitting and predicting, in one thread.

Measured on {machine}.

"""

ACCURACY = """\
## Accuracy
"""

LOG_LOSS = """
## Log loss

*Gini* and *AdaBoostClassifier* are the same stumps with the same votes; their
probabilities differ. Ours are those that boosting fits, from twice the sum of the
votes. Scikit-learn takes the mean of the votes instead, so that many rounds are no
surer than one. Ours lose less on {n_better} of {n_tables} tables; but deeper trees
after many rounds are mostly far too sure.
"""

BINNING = """
## What binning costs

On tables of numbers, the accuracy less that of *AdaBoostClassifier*, the mean over the
folds ± its standard error, paired. The goal is to be within {goal}; *gini* is so on
{n_within} of {n_tables} tables.

Quantile bins move it by a point or two on segment, up or down as the folds fall: its
seven classes are of one size, so that much is tied at first, and one split that is a
little off sends all rounds after it another way.
"""


def main(names=None):
    """Measure the tables asked for, store the folds and write the page."""
    results = read_results(PAGE)
    for name in names or TABLES:
        X, y = read_table(data_folder() / TABLES[name])
        results[name] = measure(X, y, "encoded" in name)
        for model, folds in results[name].items():
            print(f"{name:24}{model:20}{cell(folds, 'accuracy')}", flush=True)
        machine = machine_facts()
        if find_spec("lightgbm"):
            machine["versions"]["lightgbm"] = version("lightgbm")
        results["machine"] = machine
        write_results(results, PAGE, page)


def encoded(make_model):
    """Return what makes a pipeline: a column for each category, then the model."""

    def make():
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        categories = make_column_selector(dtype_exclude="number")
        columns = make_column_transformer(
            (encoder, categories), remainder="passthrough"
        )
        return make_pipeline(columns, make_model())

    return make


def measure(X, y, encode):
    """Return what each model scores in each fold."""
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    models = {
        **{name: encoded(make) if encode else make for name, make in OURS.items()},
        **{name: encoded(make) for name, make in ENCODED.items()},
    }
    return {name: score_folds(make, X, y, folds) for name, make in models.items()}


def difference(folds, model):
    """Return the accuracies of a model less those of scikit-learn's."""
    return np.subtract(folds[model]["accuracy"], folds[PEER]["accuracy"])


def log_loss_title(tables):
    """Return what is said of probabilities."""
    of_numbers = without_raw_categories(tables).values()
    ours, theirs = (
        np.array([np.mean(folds[model]["log loss"]) for folds in of_numbers])
        for model in (GINI, PEER)
    )
    return LOG_LOSS.format(n_tables=len(ours), n_better=np.sum(ours < theirs))


def without_raw_categories(tables):
    """Return the tables that both sides see alike."""
    return {name: s for name, s in tables.items() if name != "german_credit"}


def section(title, tables, measure):
    """Return the table of a measure, the best model in bold."""
    rows = []
    for name, folds in tables.items():
        texts = {model: cell(folds[model], measure) for model in MODELS}
        winner = best(folds, measure)
        texts[winner] = f"**{texts[winner]}**"
        rows.append([name, *texts.values()])
    return title + markdown(["table", *MODELS], rows)


def binning_section(tables):
    """Return how far our stumps are from scikit-learn's."""
    tables = without_raw_categories(tables)
    found = {
        name: [difference(folds, model) for model in (GINI, BINNED)]
        for name, folds in tables.items()
    }
    n_within = sum(abs(gini.mean()) <= GOAL for gini, _ in found.values())
    rows = [
        [name, *(f"{d.mean():+.4f} ± {standard_error(d):.4f}" for d in differences)]
        for name, differences in found.items()
    ]
    text = BINNING.format(goal=GOAL, n_within=n_within, n_tables=len(tables))
    return text + markdown(["table", GINI, BINNED], rows)


def seconds_section(tables):
    """Return the table of seconds a fold."""
    rows = [
        [name, *(f"{np.median(folds[model]['seconds']):.3f}" for model in MODELS)]
        for name, folds in tables.items()
    ]
    return "\n## Seconds a fold\n" + markdown(["table", *MODELS], rows)


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    return "".join(
        [
            INTRODUCTION.format(machine=describe(results["machine"])),
            section(ACCURACY, tables, "accuracy"),
            binning_section(tables),
            section(log_loss_title(tables), tables, "log loss"),
            seconds_section(tables),
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
