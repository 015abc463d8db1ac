"""Shepard's method by plain loops over rows: slow, and easy to read.

Written from the definitions alone. Leaving a row out is a refit: its weight is lowered
by one copy, and everything but the metric is computed again.
"""

import math

import numpy as np

METRICS = {
    "euclidean": {},
    "seuclidean": {},
    "mahalanobis": {},
    "manhattan": {},
    "minkowski": {"p": 3},
    "cosine": {},
    "nan_euclidean": {},
}
# As scikit-learn's log_loss: a probability of 0 counts as this.
EPSILON = np.finfo(np.float64).eps


def metric_of(name, X, weight=None, params=None, stretch=None):
    """Return ``apart(a, b)``, with the variances or covariance of the table."""
    X = np.asarray(X, dtype=float)
    n, d = X.shape
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    stretch = np.ones(d) if stretch is None else np.asarray(stretch, dtype=float)
    params = dict(params or {})

    if name == "mahalanobis":
        inverse = params.get("VI")
        if inverse is None:
            covariance = params.get("V", covariance_of(X, weight))
            inverse = np.linalg.pinv(covariance, hermitian=True)
        return lambda a, b: math.sqrt(max(0.0, (a - b) @ inverse @ (a - b)))
    if name == "seuclidean":
        variance = params.get("V", np.diag(covariance_of(X, weight)))
        stretch = stretch / np.sqrt(np.where(np.equal(variance, 0), 1.0, variance))
    measure = {
        "euclidean": euclidean,
        "seuclidean": euclidean,
        "manhattan": lambda a, b: math.fsum(abs(a - b)),
        "minkowski": lambda a, b: minkowski(a, b, params.get("p", 2)),
        "cosine": cosine,
        "nan_euclidean": lambda a, b: nan_euclidean(a, b, stretch > 0),
    }[name]
    return lambda a, b: measure(stretch * a, stretch * b)


def covariance_of(X, weight):
    """Return the sample covariance of rows of ``weight`` copies each."""
    total = math.fsum(weight)
    deviations = X - weight @ X / total
    there = X[weight > 0]
    deviations[:, (there == there[0]).all(axis=0)] = 0.0  # and not a rounding
    return (weight[:, None] * deviations).T @ deviations / max(total - 1, 1)


def euclidean(a, b):
    return math.sqrt(math.fsum((a - b) ** 2))


def minkowski(a, b, p):
    gaps = abs(a - b)
    return gaps.max() if math.isinf(p) else math.fsum(gaps**p) ** (1 / p)


def cosine(a, b):
    """Return 1 - cos, of rows of length one half of their squared distance."""
    lengths = math.sqrt(math.fsum(a * a)), math.sqrt(math.fsum(b * b))
    if 0 in lengths:
        return 1.0
    return math.fsum((a / lengths[0] - b / lengths[1]) ** 2) / 2


def nan_euclidean(a, b, counts):
    """Return the distance of rows with missing cells, of the columns that count."""
    common = ~np.isnan(a) & ~np.isnan(b) & counts
    if not common.any():
        return math.inf
    squares = math.fsum((a[common] - b[common]) ** 2)
    return math.sqrt(squares * counts.sum() / common.sum())


def table_of_distances(apart, queries, X):
    """Return the distances of all queries to all rows."""
    return np.array([[apart(query, row) for row in X] for query in queries])


def nearest(distances, weight, k=None):
    """Return the rows that vote, nearest first, and their weights, the last one cut.

    Rows are taken in order of (distance, row) until their weights sum to k.
    """
    rows, cut_weights, left = [], [], math.inf if k is None else k
    for i in sorted(range(len(distances)), key=lambda i: (distances[i], i)):
        if weight[i] > 0 and left > 0:
            rows.append(i)
            cut_weights.append(min(weight[i], left))
            left -= cut_weights[-1]
    return rows, cut_weights


def weights_of(distances, weights="inverse", power=2.0):
    """Return the weights of one list of neighbours."""
    d = np.asarray(distances, dtype=float)
    if callable(weights):
        with np.errstate(divide="ignore"):
            given = np.asarray(weights(d[None, :]), dtype=float)[0]
        if np.isinf(given).any():
            given = np.isinf(given).astype(float)
    elif weights == "uniform" or (weights == "inverse" and power == 0):
        given = np.ones(len(d))
    elif weights == "cosine":
        given = np.maximum(0.0, 1 - d)
    elif (d == 0).any():
        given = (d == 0).astype(float)  # exact hits answer alone
    elif np.isinf(d).all():
        given = np.zeros(len(d))
    else:
        given = np.array([(d.min() / one) ** power for one in d])
    return given if given.any() else np.ones(len(d))


def votes_of(distances, weight=None, k=None, weights="inverse", power=2.0):
    """Return the vote of each training row for one query."""
    weight = np.ones(len(distances)) if weight is None else weight
    rows, cut_weights = nearest(distances, weight, k)
    cast = np.zeros(len(distances))
    cast[rows] = np.multiply(weights_of(distances[rows], weights, power), cut_weights)
    return cast


def class_factors(class_weight, y, weight, classes):
    """Return the factor of the votes of each class."""
    if class_weight is None:
        return np.ones(len(classes))
    if class_weight == "balanced":
        weight_by_class = np.array([math.fsum(weight[y == c]) for c in classes])
        with np.errstate(divide="ignore"):
            return np.where(
                weight_by_class > 0,
                weight_by_class.sum() / (len(classes) * weight_by_class),
                1.0,
            )
    return np.array([class_weight.get(c, 1.0) for c in np.asarray(classes).tolist()])


def shares(cast, y, classes, factors=None):
    """Return the share of each class in the votes of one query."""
    sums = np.array([math.fsum(cast[y == c]) for c in classes])
    sums = sums if factors is None else sums * factors
    return sums / sums.sum()


def mean(cast, y):
    """Return the mean of the targets under the votes of one query."""
    return cast @ y / cast.sum()


def probabilities(D, y, weight=None, class_weight=None, **rule):
    """Return P(class | query) for a table of distances."""
    weight = np.ones(len(y)) if weight is None else weight
    classes = np.unique(y[weight > 0])
    factors = class_factors(class_weight, y, weight, classes)
    return np.array(
        [shares(votes_of(d, weight, **rule), y, classes, factors) for d in D]
    )


def means(D, y, weight=None, **rule):
    """Return the regression for a table of distances."""
    return np.array([mean(votes_of(d, weight, **rule), y) for d in D])


def weights_without(weight, i):
    """Return the weights of a table from which one copy of a row is gone."""
    left = np.array(weight, dtype=float)
    left[i] -= min(1.0, left[i])
    return left


def classification_loo(D, y, weight=None, class_weight=None, **rule):
    """Return accuracy and log loss of each row without itself, and what rows count."""
    weight = np.ones(len(y)) if weight is None else weight
    classes = np.unique(y[weight > 0])
    correct, losses = np.zeros(len(y)), np.zeros(len(y))
    for i in np.flatnonzero(weight):
        left = weights_without(weight, i)
        factors = class_factors(class_weight, y, left, classes)
        p = shares(votes_of(D[i], left, **rule), y, classes, factors)
        correct[i] = classes[np.argmax(p)] == y[i]
        losses[i] = -math.log(max(p[classes == y[i]][0], EPSILON))
    factors = class_factors(class_weight, y, weight, classes)
    codes = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    return {"accuracy": correct, "log_loss": losses}, weight * factors[codes]


def regression_loo(D, y, weight=None, **rule):
    """Return the squared error of each row without itself, and what rows count."""
    weight = np.ones(len(y)) if weight is None else weight
    errors = np.zeros(len(y))
    for i in np.flatnonzero(weight):
        guess = mean(votes_of(D[i], weights_without(weight, i), **rule), y)
        errors[i] = np.mean((guess - y[i]) ** 2)
    return {"squared_error": errors}, weight


def average(scores, score_weight):
    """Return the mean of scores, and its standard error."""
    total = score_weight.sum()
    middle = score_weight @ scores / total
    deviations = score_weight @ (scores - middle) ** 2
    return middle, math.sqrt(deviations / (total - 1) / total)
