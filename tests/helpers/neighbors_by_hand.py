"""Shepard's method by plain loops over rows: slow, and easy to read.

It follows the definitions alone. Leave-one-out is a refit: the weight of the row is
reduced by one copy, and everything but the metric is computed again.
"""

import math

import numpy as np

from tests.helpers.copies_by_hand import merged_rows

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
    """Return the metric ``distance(a, b)``, with parameters learnt from the table."""
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
    """Return the sample covariance of rows that stand for ``weight`` copies each."""
    total = math.fsum(weight)
    centered = X - weight @ X / total
    kept = X[weight > 0]
    centered[:, (kept == kept[0]).all(axis=0)] = 0.0  # exactly, without rounding
    return (weight[:, None] * centered).T @ centered / max(total - 1, 1)


def euclidean(a, b):
    return math.sqrt(math.fsum((a - b) ** 2))


def minkowski(a, b, p):
    gaps = abs(a - b)
    return gaps.max() if math.isinf(p) else math.fsum(gaps**p) ** (1 / p)


def cosine(a, b):
    """Return 1 - cos(a, b): half the squared distance of the unit vectors."""
    lengths = math.sqrt(math.fsum(a * a)), math.sqrt(math.fsum(b * b))
    if 0 in lengths:
        return 1.0
    return math.fsum((a / lengths[0] - b / lengths[1]) ** 2) / 2


def nan_euclidean(a, b, counts):
    """Return the distance of rows with missing values, over the columns that count."""
    common = ~np.isnan(a) & ~np.isnan(b) & counts
    if not common.any():
        return math.inf
    squares = math.fsum((a[common] - b[common]) ** 2)
    return math.sqrt(squares * counts.sum() / common.sum())


def table_of_distances(distance, queries, X):
    """Return the distances of all queries to all rows."""
    return np.array([[distance(query, row) for row in X] for query in queries])


def nearest(distances, weight, k=None):
    """Return the rows that vote, nearest first, and their weights.

    Rows are taken in order of distance until their weights sum to k. Rows at equal
    distances are taken at once, and share what is left of k.
    """
    rows, row_weights, left = [], [], math.inf if k is None else k
    at_distance = {}
    for i, distance in enumerate(np.asarray(distances).tolist()):
        if weight[i] > 0:
            at_distance.setdefault(distance, []).append(i)
    for distance in sorted(at_distance):
        if left <= 0:
            break
        tied = at_distance[distance]
        whole = math.fsum(weight[i] for i in tied)
        rows += tied
        row_weights += [weight[i] * min(1.0, left / whole) for i in tied]
        left -= whole
    return rows, row_weights


def weights_of(distances, weights="inverse", power=2.0):
    """Return the weights of a list of distances."""
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
        given = (d == 0).astype(float)  # rows at distance 0 vote alone
    elif np.isinf(d).all():
        given = np.zeros(len(d))
    else:
        least = d.min()
        given = np.array([(least / gap) ** power for gap in d])
    return given if given.any() else np.ones(len(d))


def votes(distances, weight=None, k=None, weights="inverse", power=2.0):
    """Return the vote of each training row for one query."""
    return votes_and_number(distances, weight, k, weights, power)[0]


def votes_and_number(distances, weight=None, k=None, weights="inverse", power=2.0):
    """Return the votes, and their effective number (Σ s w)² / Σ s w²."""
    weight = np.ones(len(distances)) if weight is None else weight
    rows, row_weights = nearest(distances, weight, k)
    by_distance = weights_of(distances[rows], weights, power)
    cast = np.zeros(len(distances))
    cast[rows] = np.multiply(by_distance, row_weights)
    return cast, cast.sum() ** 2 / (row_weights @ by_distance**2)


def factors_of(class_weight, y, weight, classes):
    """Return the factor of the votes of each class."""
    if class_weight is None:
        return np.ones(len(classes))
    if class_weight == "balanced":
        totals = np.array([math.fsum(weight[y == c]) for c in classes])
        with np.errstate(divide="ignore"):
            return np.where(totals > 0, totals.sum() / (len(classes) * totals), 1.0)
    return np.array([class_weight.get(c, 1.0) for c in np.asarray(classes).tolist()])


def shares(cast, y, classes, factors=None):
    """Return the share of each class in the votes of one query."""
    sums = np.array([math.fsum(cast[y == c]) for c in classes])
    sums = sums if factors is None else sums * factors
    return sums / sums.sum()


def prior_of(prior, y, weight, classes):
    """Return P(c), class frequencies by default."""
    if isinstance(prior, str):
        totals = np.array([math.fsum(weight[y == c]) for c in classes])
        totals = totals if prior == "marginal" else np.ones(len(classes))
        return totals / totals.sum()
    return np.asarray(prior)


def m_estimates(d, y, weight, classes, factors, m=0.0, prior="marginal", **rule):
    """Return the m-estimates of the class probabilities of one query."""
    cast, n = votes_and_number(d, weight, **rule)
    if m == 0:
        return shares(cast, y, classes, factors)
    p = prior_of(prior, y, weight, classes)
    estimate = factors * (n * shares(cast, y, classes) + m * p) / (n + m)
    return estimate / estimate.sum()


def mean(cast, y):
    """Return the mean of the targets under the votes of one query."""
    return cast @ y / cast.sum()


def probabilities(D, y, weight=None, class_weight=None, **rule):
    """Return P(class | query) for a table of distances."""
    weight = np.ones(len(y)) if weight is None else weight
    classes = np.unique(y[weight > 0])
    factors = factors_of(class_weight, y, weight, classes)
    return np.array([m_estimates(d, y, weight, classes, factors, **rule) for d in D])


def means(D, y, weight=None, **rule):
    """Return the regression for a table of distances."""
    return np.array([mean(votes(d, weight, **rule), y) for d in D])


def without(weight, i):
    """Return the weights of a table with that of one row 0."""
    left = np.array(weight, dtype=float)
    left[i] = 0.0
    return left


def left_out_weights(D, y, weight):
    """Return the weights without each row and its copies."""
    # Equal rows have equal distances to all rows.
    kept = np.flatnonzero(weight)
    rows = dict(zip(kept, merged_rows(D[kept], y[kept])))
    keys = [rows.get(i) for i in range(len(weight))]
    return [np.where([key == one for key in keys], 0.0, weight) for one in keys]


def classification_loo(D, y, weight=None, class_weight=None, **rule):
    """Return accuracy and log loss of each left-out row, and the weights of rows."""
    weight = np.ones(len(y)) if weight is None else weight
    all_left = left_out_weights(D, y, weight)
    classes = np.unique(y[weight > 0])
    correct, losses = np.zeros(len(y)), np.zeros(len(y))
    for i in np.flatnonzero(weight):
        left = all_left[i]
        factors = factors_of(class_weight, y, left, classes)
        p = m_estimates(D[i], y, left, classes, factors, **rule)
        correct[i] = classes[np.argmax(p)] == y[i]
        losses[i] = -math.log(max(p[classes == y[i]][0], EPSILON))
    factors = factors_of(class_weight, y, weight, classes)
    true_class = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    return {"accuracy": correct, "log_loss": losses}, weight * factors[true_class]


def regression_loo(D, y, weight=None, **rule):
    """Return the squared error of each left-out row, and the weights of rows."""
    weight = np.ones(len(y)) if weight is None else weight
    errors, all_left = np.zeros(len(y)), left_out_weights(D, y, weight)
    for i in np.flatnonzero(weight):
        guess = mean(votes(D[i], all_left[i], **rule), y)
        errors[i] = np.mean((guess - y[i]) ** 2)
    return {"squared_error": errors}, weight


def average(scores, importance):
    """Return the mean of scores, and its standard error."""
    total = importance.sum()
    average_score = importance @ scores / total
    squares = importance @ (scores - average_score) ** 2
    return average_score, math.sqrt(squares / (total - 1) / total)
