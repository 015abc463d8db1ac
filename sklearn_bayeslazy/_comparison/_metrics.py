"""The scores that learners are compared by, for each task."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import r2_score

from ._table import CLASSIFICATION, REGRESSION


@dataclass(frozen=True)
class Metric:
    """A score's name and whether more of it is better."""

    name: str
    higher_is_better: bool


# The first metric ranks the learners, the second breaks ties.
METRICS = {
    CLASSIFICATION: (Metric("accuracy", True), Metric("log loss", False)),
    REGRESSION: (Metric("R²", True), Metric("RMSE", False)),
}


def score_classes(y, predicted, proba, classes):
    """Return accuracy and log loss.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_rows,)
        True and predicted labels.
    proba : ndarray of shape (n_rows, len(classes)) or None
        Without probabilities the log loss is NaN.
    classes : ndarray
        Classes that the learner knows, sorted; a true class that it never saw has
        probability 0.
    """
    accuracy = np.mean(predicted == y)
    return np.array(
        [accuracy, np.nan if proba is None else log_loss(y, proba, classes)]
    )


def log_loss(y, proba, classes):
    """Return the mean of -ln P(true class), P held at least at the machine's epsilon.

    Unlike scikit-learn's, it takes classes that the learner never saw.
    """
    code = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    likelihood = np.where(classes[code] == y, proba[np.arange(len(y)), code], 0.0)
    return -np.mean(np.log(likelihood.clip(min=np.finfo(float).eps, max=1.0)))


def score_numbers(y, predicted):
    """Return R² and the root of the mean squared error, in the target's unit."""
    return np.array([r2_score(y, predicted), np.sqrt(np.mean((y - predicted) ** 2))])


def rank_key(task, scores):
    """Return what sorts mean scores from best to worst.

    Differences that only rounding makes are no differences, and a score that does not
    exist loses to any that does.
    """
    worth = [
        score if metric.higher_is_better else -score
        for metric, score in zip(METRICS[task], scores)
    ]
    return tuple(-round(w, 9) if np.isfinite(w) else np.inf for w in worth)
