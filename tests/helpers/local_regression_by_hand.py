"""Tables, kernels and the formula of a local polynomial, by NumPy alone."""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor

SMOOTHERS = {
    "uniform": lambda u: (u <= 1) * 1.0,
    "epanechnikov": lambda u: np.maximum(1 - u**2, 0),
    "biweight": lambda u: np.maximum(1 - u**2, 0) ** 2,
    "triangular": lambda u: np.maximum(1 - u, 0),
    "tricube": lambda u: np.maximum(1 - u**3, 0) ** 3,
    "gaussian": lambda u: np.exp(-(u**2) / 2),
}
WEIGHTS = {
    "none": lambda rng, n: None,
    "integers": lambda rng, n: rng.integers(0, 4, size=n).astype(float),
    "fractions": lambda rng, n: rng.uniform(0.2, 3, size=n),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS)


def classical(degree=1, **params):
    """Return classical local regression: nothing is chosen, scaled or shrunk."""
    defaults = {"n_neighbors": 30, "scale": None, "ridge": 0.0}
    return LocallyWeightedRegressor(degree, **{**defaults, **params})


def regressor(degree=1, **params):
    """Return classical local regression without standard errors."""
    return classical(degree, **{"statistics": None, **params})


def some_rows(seed=0, n=80, d=2, weight="none"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + X[:, -1] ** 2 + rng.normal(scale=0.1, size=n)
    return X, y, WEIGHTS[weight](rng, n)


def polynomial(Z, degree):
    """Return the terms of a polynomial of the columns of Z."""
    d = Z.shape[1]
    columns = [np.ones(len(Z))]
    if degree >= 1:
        columns += list(Z.T)
    if degree == 2:
        columns += [Z[:, i] * Z[:, j] for i in range(d) for j in range(i, d)]
    return np.column_stack(columns)


def by_formula(X, y, weight, query, degree, smoother, k=None, bandwidth=None, ridge=0):
    """Return the prediction at a query by NumPy's least squares."""
    weight = np.ones(len(X)) if weight is None else weight
    X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
    distance = np.sqrt(((X - query) ** 2).sum(axis=1))
    order = np.argsort(distance, kind="stable")
    cut_weight, h = weight.copy(), bandwidth
    if k is not None:
        k = min(k, np.ceil(weight.sum()))
        before = np.cumsum(weight[order]) - weight[order]
        nearest = np.clip(k - before, 0, weight[order])
        last = distance[order][nearest > 0].max()
        if bandwidth is None or last >= bandwidth:
            cut_weight[order], h = nearest, last
    w = cut_weight * SMOOTHERS[smoother](distance / h)
    T = polynomial((X - query) / h, degree)
    means, mean = w @ T / w.sum(), w @ y / w.sum()
    A = np.sqrt(w)[:, None] * (T - means)[:, 1:]
    b = np.append(np.sqrt(w) * (y - mean), np.zeros(A.shape[1]))
    # If the solution is not unique: least norm of the slopes along unit columns.
    size = np.sqrt((w[:, None] * T[:, 1:] ** 2).sum(axis=0))
    size[size == 0] = 1
    A = np.vstack([A, np.sqrt(ridge) * np.eye(A.shape[1])]) / size
    slopes = np.linalg.lstsq(A, b, rcond=1e-12)[0] / size
    return mean - means[1:] @ slopes


def hat_by_columns(model, X, weight=None):
    """Return the hat matrix, one column for each unit target."""
    columns = [model.fit(X, e, weight).predict(X) for e in np.eye(len(X))]
    return np.transpose(columns)
