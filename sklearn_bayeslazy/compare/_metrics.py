"""The metrics of each task, the order of learners, and a test of their differences."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t
from sklearn.metrics import r2_score

from ._dataset import CLASSIFICATION, REGRESSION


@dataclass(frozen=True)
class TaskMetric:
    """The name of a score, and whether a higher score is better."""

    name: str
    higher_is_better: bool


# The first metric ranks the learners, the second breaks ties.
TASK_METRICS = {
    CLASSIFICATION: (TaskMetric("accuracy", True), TaskMetric("log loss", False)),
    REGRESSION: (TaskMetric("R²", True), TaskMetric("RMSE", False)),
}


def score_classification(y, predicted, proba, classes):
    """Return accuracy and log loss, an array (2,)."""
    # y, predicted: (n,), labels. proba: (n, len(classes)); None makes the log loss NaN.
    # classes: the sorted classes of the training part.
    accuracy = np.mean(predicted == y)
    return np.array(
        [accuracy, np.nan if proba is None else log_loss(y, proba, classes)]
    )


def log_loss(y, proba, classes):
    """Return the mean of -ln P(true class); P is clipped at the machine epsilon."""
    # y: (n,); proba: (n, len(classes)). Unlike scikit-learn's log_loss, this one
    # accepts classes that are absent from training: their probability is 0.
    code = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    likelihood = np.where(classes[code] == y, proba[np.arange(len(y)), code], 0.0)
    # Not the negative mean, which is -0.0 if all are 1.
    return 0.0 - np.mean(np.log(likelihood.clip(min=np.finfo(float).eps, max=1.0)))


def score_regression(y, predicted):
    """Return R² and the root mean squared error, which is in the target's unit."""
    return np.array([r2_score(y, predicted), np.sqrt(np.mean((y - predicted) ** 2))])


def loss_of(task, index, scores):
    """Return scores as losses, smaller is better; a score that is not finite is ∞."""
    losses = -scores if TASK_METRICS[task][index].higher_is_better else scores
    return np.where(np.isfinite(scores), losses, np.inf)


def rank_key(task, scores, first=0):
    """Return a sort key that orders mean scores from best to worst."""
    # scores: (2,). first: the index of the metric that ranks; the other breaks ties.
    # Scores are rounded, so that rounding errors do not decide. A score that is not
    # finite comes last.
    losses = [float(loss_of(task, k, scores[k])) for k in (first, 1 - first)]
    return tuple(round(loss, 9) for loss in losses)


# The corrected paired t-test for scores of two learners on the same folds.


# Two-sided level at which a difference counts as more than noise.
SIGNIFICANCE = 0.05


def corrected_p_value(differences, test_ratio):
    """Return the p-value of the mean difference of scores over folds.

    >>> round(corrected_p_value([1, 3], 1), 4)
    0.4544
    """
    # differences: (k,), of k folds. test_ratio: n₂/n₁, the size of the scored part over
    # that of the training part; 1 / (k - 1) for cross-validation. The training parts of
    # the folds overlap, so the folds' scores are not independent. Nadeau and Bengio
    # (2003), Inference for the generalization error, Machine Learning 52, correct the
    # variance of the mean: t = mean / √((1/k + n₂/n₁) s²) has k - 1 degrees of freedom;
    # s² is the sample variance of the differences.
    # p is 1 for fewer than two folds, for differences that are not finite, and if all
    # are 0.
    # The doctest: mean 2, variance 2 and n₂/n₁ = 1 give t = 2 / √((1/2 + 1) 2) = 1.155
    # with one degree of freedom.
    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    if n < 2 or not np.isfinite(differences).all() or not differences.any():
        return 1.0
    scale = np.sqrt((1 / n + test_ratio) * differences.var(ddof=1))
    mean = abs(differences.mean())
    if scale <= 1e-12 * mean:
        return 0.0
    return float(2 * t.sf(mean / scale, n - 1))
