"""Cross-validate boosted stumps and trees, ours and those of peers, on real tables."""

from importlib.util import find_spec

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import read_table
from benchmarks._machine import describe
from benchmarks._markdown import (
    bold_best,
    markdown_table,
    mean_and_error,
    score_cell,
)
from benchmarks._scores import (
    best_model,
    classification_scores,
    score_folds,
    stratified_folds,
)
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from sklearn_bayeslazy import MyAdaBoost

ENCODED = ", encoded"
TABLES = (
    "ionosphere",
    "sonar",
    "spambase",
    "pima_diabetes",
    "german_credit",
    f"german_credit{ENCODED}",
    "waveform",
    "satimage",
    "segment",
)

GINI, BINNED, PEER = "gini", "gini, 255 bins", "AdaBoostClassifier"
# The largest difference of accuracy from the peer that we accept.
MAX_DIFFERENCE = 0.005


def tree(max_depth):
    """Return scikit-learn's tree."""
    return DecisionTreeClassifier(max_depth=max_depth, random_state=0)


def lightgbm_stumps(learning_rate):
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


# These read raw tables ...
RAW_MODELS = {
    "MH": lambda: MyAdaBoost(algorithm="mh"),
    GINI: lambda: MyAdaBoost(algorithm="samme"),
    BINNED: lambda: MyAdaBoost(algorithm="samme", max_bins=255),
    "error": lambda: MyAdaBoost(algorithm="samme", criterion="error"),
}
# ... and these one-hot categories.
ONE_HOT_MODELS = {
    "trees of depth 3": lambda: MyAdaBoost(tree(3), random_state=0),
    PEER: lambda: AdaBoostClassifier(tree(1), n_estimators=50, random_state=0),
}
if find_spec("lightgbm"):
    ONE_HOT_MODELS["LightGBM, .1"] = lambda: lightgbm_stumps(0.1)
    ONE_HOT_MODELS["LightGBM, 1"] = lambda: lightgbm_stumps(1.0)

INTRODUCTION = """\
# Accuracy of boosting

<!-- Written by `python -m benchmarks.accuracy boosting`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model):
mean ± standard error over the folds, the best of a table in bold. All models have 50
rounds and their other defaults; nothing was tuned.

*MH* is `MyAdaBoost` with `algorithm="mh"`, that of stumps for more than two classes.
*Gini* and *error* have `algorithm="samme"` and that criterion; *gini* is the default
with two classes. All boost the stumps of this package, which read each table unchanged.
Up to 16 384 rows *gini* and *error* give each value a separate bin, so all splits are
candidates; *255 bins* are quantile bins, as with more rows and as in *MH*. *Trees of
depth 3* are `MyAdaBoost` on scikit-learn's `DecisionTreeClassifier`.
*AdaBoostClassifier* is scikit-learn's, on trees of depth 1.
*LightGBM* has `num_leaves=2` and the given learning rate; with K > 2 classes each of
its rounds has K stumps, and each round of the others has one, which in *MH* votes on
all K classes.

Only german_credit has categories. All models but our stumps get them one-hot; on the
line *german_credit, encoded* our stumps do, too.

Every probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`.
Seconds are the median over the folds of fitting and predicting, in one thread.

Measured on {machine}.

"""

ACCURACY = """\
## Accuracy
"""

LOG_LOSS = """
## Log loss

*Gini* and *AdaBoostClassifier* have the same stumps with the same votes, but compute
probabilities differently. Ours follow from the additive logistic model that boosting
fits: twice the sum of the votes. Scikit-learn takes the mean of the votes, so its
probabilities do not become more extreme with more rounds. Ours have the lower log loss
on {n_better} of {n_tables} tables. Deeper trees are mostly far too confident after many
rounds.
"""

BINNING = """
## The effect of bins

On tables of numbers, the accuracy minus that of *AdaBoostClassifier*: the mean of the
paired differences over the folds ± its standard error. The goal is a difference of at
most {goal}; *gini* reaches it on {n_within} of {n_tables} tables.

On segment, quantile bins change the accuracy by one or two points, up or down depending
on the folds. Its seven classes have the same size, so many splits are tied at first,
and one slightly different split changes all later rounds.
"""


def one_hot(make_model):
    """Return the function that makes a pipeline: one-hot categories, then the model."""

    def make():
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        categories = make_column_selector(dtype_exclude="number")
        columns = make_column_transformer(
            (encoder, categories), remainder="passthrough"
        )
        return make_pipeline(columns, make_model())

    return make


def measure(table, quick=False):
    """Return what each model scores in each fold."""
    X, y = read_table(table.removesuffix(ENCODED), QUICK_ROWS if quick else None)
    folds = stratified_folds(y, QUICK_FOLDS if quick else 10)
    encoded = {name: one_hot(make) for name, make in ONE_HOT_MODELS.items()}
    raw = RAW_MODELS
    if table.endswith(ENCODED):
        raw = {name: one_hot(make) for name, make in raw.items()}
    score = classification_scores(np.unique(y))
    return score_folds({**raw, **encoded}, X, y, folds, score, record_errors=True)


def summarize(scores):
    """Return the mean accuracy of each model."""
    return [f"{name:20}{score_cell(f, 'accuracy')}" for name, f in scores.items()]


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    return "".join(
        [
            INTRODUCTION.format(machine=describe(results["machine"])),
            _section(ACCURACY, tables, "accuracy"),
            _binning_section(tables),
            _section(_log_loss_title(tables), tables, "log loss"),
            _seconds_section(tables),
        ]
    )


def _models(tables):
    """Return the models of the stored results: LightGBM may be among them."""
    return list(next(iter(tables.values())))


def _section(title, tables, measure):
    """Return the table of a measure, with the best model in bold."""
    models = _models(tables)
    rows = []
    for name, scores in tables.items():
        texts = {model: score_cell(scores[model], measure) for model in models}
        rows.append([name, *bold_best(texts, best_model(scores, measure))])
    return title + markdown_table(["table", *models], rows)


def _log_loss_title(tables):
    """Return the title and the text on probabilities."""
    comparable = _same_columns(tables).values()
    ours, peer = (
        np.array([np.mean(scores[model]["log loss"]) for scores in comparable])
        for model in (GINI, PEER)
    )
    return LOG_LOSS.format(n_tables=len(ours), n_better=np.sum(ours < peer))


def _same_columns(tables):
    """Return the tables on which our stumps and the peer have the same columns."""
    return {name: s for name, s in tables.items() if name != "german_credit"}


def _binning_section(tables):
    """Return the differences between our stumps and scikit-learn's."""
    tables = _same_columns(tables)
    differences = {
        name: [
            np.subtract(scores[model]["accuracy"], scores[PEER]["accuracy"])
            for model in (GINI, BINNED)
        ]
        for name, scores in tables.items()
    }
    n_within = sum(
        abs(gini.mean()) <= MAX_DIFFERENCE for gini, _ in differences.values()
    )
    rows = [
        [name, *(mean_and_error(difference, "+.4f") for difference in pair)]
        for name, pair in differences.items()
    ]
    text = BINNING.format(goal=MAX_DIFFERENCE, n_within=n_within, n_tables=len(tables))
    return text + markdown_table(["table", GINI, BINNED], rows)


def _seconds_section(tables):
    models = _models(tables)
    rows = [
        [name, *(f"{np.median(scores[model]['seconds']):.3f}" for model in models)]
        for name, scores in tables.items()
    ]
    return "\n## Seconds a fold\n" + markdown_table(["table", *models], rows)


EXPERIMENT = Experiment(
    "accuracy_boosting", TABLES, measure, summarize, page, peers=("lightgbm",)
)
