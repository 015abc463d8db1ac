"""Compare the predictions of left-out training rows with those of held-out rows."""

import numpy as np

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table
from benchmarks.accuracy._experiment import QUICK_ROWS, Experiment
from benchmarks.accuracy._out_of_the_box_learners import CLASSIFICATION
from benchmarks.accuracy._out_of_the_box_tables import TABLES, load
from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    MEstimateNB,
    RBFNetworkClassifier,
    ShepardKNN,
)

LEARNERS = (
    MEstimateNB,
    AODEClassifier,
    BeliefNetworkClassifier,
    ShepardKNN,
    CaseBasedClassifier,
    RBFNetworkClassifier,
)
MAX_ROWS, N_FOLDS = 1500, 2
# The least probability of the true class, as in `sklearn.metrics.log_loss`.
MIN_PROBABILITY = np.finfo(float).eps

INTRODUCTION = """\
# Left-out predictions beside held-out ones

<!-- Written by `python -m benchmarks.accuracy left_out`; do not edit. -->

Each table (at most {max_rows} rows) is cut into two halves. Each learner, as it is
constructed without arguments, is fitted to each half. The log loss of its training
rows, by `predict_proba(None)`, is set beside that of the other half: *left out / held
out*, and the difference in standard errors, which are those of the two means together.
Below -2, bold, the left-out predictions look better than those of new rows are. All
choices of `MEstimateNB`, `AODEClassifier` and `BeliefNetworkClassifier` are
cross-fitted; those of the others have seen the row.

Measured on {machine}.

"""


def measure(table, quick=False):
    """Return mean and standard error of both losses of each learner."""
    X, y, folds = load(table, QUICK_ROWS if quick else MAX_ROWS, N_FOLDS)
    y, results = np.asarray(y), {}
    for kind in LEARNERS:
        losses = {"left out": [], "held out": []}
        for train, test in folds:
            model = kind().fit(X.iloc[train], y[train])
            losses["left out"].append(log_losses(model, None, y[train]))
            losses["held out"].append(log_losses(model, X.iloc[test], y[test]))
        results[kind.__name__] = {
            name: mean_and_standard_error(np.concatenate(parts))
            for name, parts in losses.items()
        }
    return results


def log_losses(model, X, y):
    """Return the log loss of each row; X=None: of the training rows, left out."""
    proba = model.predict_proba(X)
    # Only classes that the half of the table has can be predicted.
    position = np.searchsorted(model.classes_, y)
    position = np.minimum(position, len(model.classes_) - 1)
    is_known = model.classes_[position] == y
    true = np.where(is_known, proba[np.arange(len(y)), position], 0.0)
    return -np.log(np.maximum(true, MIN_PROBABILITY))


def mean_and_standard_error(losses):
    """Return the mean and its standard error as a list."""
    return [float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses)))]


def in_standard_errors(scores):
    """Return the difference of the two means in standard errors."""
    (left, left_error), (held, held_error) = scores["left out"], scores["held out"]
    return (left - held) / max(np.hypot(left_error, held_error), 1e-12)


def summarize(scores):
    """Return the losses of each learner."""
    return [f"{name:24}{_cell(scores[name])}" for name in scores]


def page(results):
    """Return the page of the documentation."""
    names = [kind.__name__ for kind in LEARNERS]
    measured = [table for table in EXPERIMENT.parts if table in results]
    rows = [
        [table, *(_cell(results[table][name]) for name in names)] for table in measured
    ]
    means = [
        np.mean([in_standard_errors(results[table][name]) for table in measured])
        for name in names
    ]
    rows.append(["mean difference", *(f"{mean:+.1f}" for mean in means)])
    introduction = INTRODUCTION.format(
        max_rows=MAX_ROWS, machine=describe(results["machine"])
    )
    return introduction + markdown_table(["table", *names], rows) + "\n"


def _cell(scores):
    difference = in_standard_errors(scores)
    text = f"{scores['left out'][0]:.3f} / {scores['held out'][0]:.3f}"
    mark = "**" if difference < -2 else ""
    return f"{text}, {mark}{difference:+.1f}{mark}"


EXPERIMENT = Experiment("left_out", TABLES[CLASSIFICATION], measure, summarize, page)
