"""The metrics of each task, the order of learners, and a test of their differences."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.metrics import get_scorer, r2_score

from ._dataset import CLASSIFICATION, REGRESSION


@dataclass(frozen=True)
class Metric:
    """A score of predictions: its name, and whether a higher one is better."""

    name: str
    higher_is_better: bool
    # compute(y, predicted, proba, classes); proba (n, n_classes) may be None.
    compute: Callable


def _accuracy(y, predicted, proba, classes):
    return np.mean(predicted == y)


def log_loss(y, predicted, proba, classes):
    """Return the mean of -ln P(true class); P is clipped at the machine epsilon."""
    # y: (n,); proba: (n, len(classes)). Unlike scikit-learn's log_loss, this one
    # accepts classes that are absent from training: their probability is 0.
    if proba is None:
        return np.nan
    code = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    likelihood = np.where(classes[code] == y, proba[np.arange(len(y)), code], 0.0)
    # Not the negative mean, which is -0.0 if all are 1.
    return 0.0 - np.mean(np.log(likelihood.clip(min=np.finfo(float).eps, max=1.0)))


def _r2(y, predicted, proba, classes):
    return r2_score(y, predicted)


def _rmse(y, predicted, proba, classes):
    return np.sqrt(np.mean((y - predicted) ** 2))


# By the names of --scoring. The first two of each task are shown by default, and the
# first ranks.
METRICS = {
    CLASSIFICATION: {
        "accuracy": Metric("accuracy", True, _accuracy),
        "log_loss": Metric("log loss", False, log_loss),
    },
    REGRESSION: {
        "r2": Metric("R²", True, _r2),
        "rmse": Metric("RMSE", False, _rmse),
    },
}


def metrics_for(table, scoring=None):
    """Return the metric that ranks, by the name of --scoring, and another one."""
    # scoring: None for the default of the task; a name of `METRICS`, or of a scorer of
    # scikit-learn. ValueError: it is for another task.
    default = METRICS[table.task]
    name = scoring or next(iter(default))
    others = [metric for key, metric in default.items() if key != name]
    if name in default:
        return default[name], others[0]
    tasks = [task for task, metrics in METRICS.items() if name in metrics]
    task = tasks[0] if tasks else _task_of(name)
    if task != table.task:
        raise ValueError(
            f"--scoring {name} is for {task}, and the task is {table.task}"
        )
    return _of_scikit_learn(name, np.unique(table.y)), others[0]


def _task_of(name):
    """Return the task of a scorer of scikit-learn, by whether it scores numbers."""
    y = np.array([0.5, 1.25, 3.75, 2.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            get_scorer(name)(DummyRegressor().fit(y[:, None], y), y[:, None], y)
        except (ValueError, AttributeError, TypeError):
            return CLASSIFICATION
    return REGRESSION


class _Predictions(BaseEstimator):
    """Predictions as an estimator, which the scorers of scikit-learn ask."""

    def __init__(self, predicted, proba, estimator_type):
        self.predicted, self.proba = predicted, proba
        self.estimator_type = estimator_type
        self.classes_ = None if proba is None else np.arange(proba.shape[1])

    def predict(self, X):
        """Return the predictions."""
        return self.predicted

    def predict_proba(self, X):
        """Return the probabilities."""
        return self.proba

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = self.estimator_type
        return tags


def _of_scikit_learn(name, labels):
    """Return a scorer of scikit-learn as a metric; classes are numbered for it."""
    scorer, is_loss = get_scorer(name), name.startswith("neg_")

    def compute(y, predicted, proba, classes):
        if classes is None:
            model = _Predictions(predicted, None, "regressor")
        else:
            y, codes = np.searchsorted(labels, y), np.searchsorted(labels, predicted)
            whole = None
            if proba is not None:
                whole = np.zeros((len(y), len(labels)))
                whole[:, np.searchsorted(labels, classes)] = proba
            model = _Predictions(codes, whole, "classifier")
        score = scorer(model, np.zeros((len(y), 1)), y)
        return -score if is_loss else score

    shown = name.removeprefix("neg_").replace("_", " ")
    return Metric(shown, not is_loss, compute)


def loss_of(metric, scores):
    """Return scores as losses, smaller is better; a score that is not finite is ∞."""
    losses = -scores if metric.higher_is_better else scores
    return np.where(np.isfinite(scores), losses, np.inf)


def rank_key(metrics, scores):
    """Return a sort key that orders mean scores from best to worst."""
    # scores: (2,), of both metrics; the second breaks ties. Scores are rounded, so that
    # rounding errors do not decide. A score that is not finite comes last.
    losses = [float(loss_of(metric, score)) for metric, score in zip(metrics, scores)]
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


def corrected_interval(scores, test_ratio):
    """Return the 95 % interval of the mean of scores over folds, by the same variance.

    >>> low, high = corrected_interval([1, 3], 1)
    >>> round(high - 2, 2)
    22.01
    """
    # The doctest: the standard error is 1.732 as above; the quantile of t with one
    # degree of freedom is 12.706.
    k = len(scores)
    error = np.sqrt((1 / k + test_ratio) * np.var(scores, ddof=1))
    half_width = t.ppf(0.975, k - 1) * error
    return float(np.mean(scores) - half_width), float(np.mean(scores) + half_width)
