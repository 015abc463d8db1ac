"""Facts about the best model: importances, calibration, and explained rows.

All are computed on held-out rows, in the user's columns, for any learner.
"""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.inspection import permutation_importance

from ...tabular.cleaning import DROP, TEXT
from .._dataset import CLASSIFICATION
from .._metrics import log_loss

MAX_IMPORTANCE_ROWS = 500
N_REPEATS = 5
# The seconds that all predictions for the importances may take.
MAX_SECONDS = 20
N_BINS = 10


@dataclass
class Importance:
    """The mean loss of score when a column is shuffled, and its standard deviation."""

    name: str
    mean: float
    deviation: float


@dataclass
class ExplainedRow:
    """One held-out row: why it was chosen, its prediction, and each column's effect."""

    title: str
    true: object
    predicted: object
    probability: float | None
    effects: list  # (name, cell, typical cell, effect), the strongest first


def importances(comparison):
    """Return the permutation importances of the columns, the largest first."""
    # The loss is the log loss of classes with probabilities, the error rate of other
    # classes, and the mean absolute error of numbers, whose differences an outlier of
    # the target does not hide. An empty list means that they would take too long.
    table, pipeline = comparison.table, comparison.pipeline
    used = [j for j, column in enumerate(table.columns) if column.kind != DROP]
    rows = comparison.test[:MAX_IMPORTANCE_ROWS]
    start = time.perf_counter()
    pipeline.predict(table.X[rows])
    seconds = time.perf_counter() - start
    n_repeats = int(MAX_SECONDS / max(seconds * len(used), 1e-9))
    if n_repeats < 1:
        return []
    result = permutation_importance(
        pipeline,
        table.X[rows].astype(object),
        table.y[rows],
        scoring=_score,
        n_repeats=min(N_REPEATS, n_repeats),
        random_state=comparison.seed,
    )
    found = [
        Importance(
            table.columns[j].name,
            float(result.importances_mean[j]),
            float(result.importances_std[j]),
        )
        for j in used
    ]
    return sorted(found, key=lambda one: -one.mean)


def _score(pipeline, X, y):
    if hasattr(pipeline, "predict_proba"):
        return -log_loss(y, pipeline.predict_proba(X), pipeline.classes_)
    predicted = pipeline.predict(X)
    if y.dtype.kind == "f":
        return -np.mean(np.abs(y - predicted))
    return np.mean(predicted == y)


def calibration(comparison):
    """Return how often predictions of each confidence were right."""
    # The list has (low, high, n_rows, mean_probability, share_right) for each bin of
    # the probability of the predicted class that is not empty.
    held_out = comparison.held_out
    if held_out.proba is None:
        return []
    confidence = held_out.proba.max(axis=1)
    right = held_out.predicted == held_out.y
    bins = np.clip((confidence * N_BINS).astype(int), 0, N_BINS - 1)
    return [
        (
            k / N_BINS,
            (k + 1) / N_BINS,
            int((bins == k).sum()),
            float(confidence[bins == k].mean()),
            float(right[bins == k].mean()),
        )
        for k in range(N_BINS)
        if (bins == k).any()
    ]


def explained_rows(comparison):
    """Return up to three held-out rows with the effect of each cell."""
    # The effect of a cell is the change of the prediction if it is replaced by the
    # typical cell of its column in the training rows (the median of numbers and dates,
    # the most common category, no text): of the log odds of the predicted class, or of
    # the predicted number.
    held_out = comparison.held_out
    if comparison.table.task == CLASSIFICATION:
        if held_out.proba is None:
            return []
        certainty = held_out.proba.max(axis=1)
        wrong = np.flatnonzero(held_out.predicted != held_out.y)
        chosen = {
            "The most certain prediction": int(np.argmax(certainty)),
            "The least certain prediction": int(np.argmin(certainty)),
        }
        if len(wrong):
            title = "The most certain prediction that is wrong"
            chosen[title] = int(wrong[np.argmax(certainty[wrong])])
    else:
        error = np.abs(held_out.y - held_out.predicted)
        chosen = {
            "The largest prediction": int(np.argmax(held_out.predicted)),
            "The smallest prediction": int(np.argmin(held_out.predicted)),
            "The largest error": int(np.argmax(error)),
        }
    return [_explain(comparison, title, i) for title, i in chosen.items()]


def _explain(comparison, title, i):
    table, held_out = comparison.table, comparison.held_out
    row = table.X[held_out.rows[i]].astype(object)
    used = [j for j, column in enumerate(table.columns) if column.kind != DROP]
    variants = np.tile(row, (len(used) + 1, 1))
    typical = [
        _typical(table.X[comparison.train, j], table.columns[j].kind) for j in used
    ]
    for k, j in enumerate(used):
        variants[k + 1, j] = typical[k]
    answers = _answers(comparison.pipeline, variants, held_out.predicted[i])
    effects = [
        (table.columns[j].name, row[j], typical[k], float(answers[0] - answers[k + 1]))
        for k, j in enumerate(used)
    ]
    effects.sort(key=lambda one: -abs(one[-1]))
    proba = held_out.proba
    return ExplainedRow(
        title,
        held_out.y[i],
        held_out.predicted[i],
        None if proba is None else float(proba[i].max()),
        effects,
    )


def _answers(pipeline, X, label):
    if not hasattr(pipeline, "predict_proba"):
        return pipeline.predict(X)
    proba = pipeline.predict_proba(X)[:, list(pipeline.classes_).index(label)]
    proba = proba.clip(1e-9, 1 - 1e-9)
    return np.log(proba / (1 - proba))


def _typical(cells, kind):
    known = cells[cells == cells]
    if len(known) == 0 or kind == TEXT:
        return np.nan
    if not isinstance(known[0], str):
        return float(np.median(known.astype(float)))
    if kind in ("date", "datetime"):  # ISO dates are in the order of their letters
        return sorted(known.tolist())[len(known) // 2]
    values, counts = np.unique(known.astype(str), return_counts=True)
    return str(values[np.argmax(counts)])
