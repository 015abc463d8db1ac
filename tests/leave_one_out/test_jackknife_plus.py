"""Intervals from predictions without each row, against fits without each row.

Code under test: `_predictor_without` of regressors, `leave_one_out/_conformal.py`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.dummy import DummyRegressor

from sklearn_bayeslazy import (
    BayesianStackingRegressor,
    CaseBasedRegressor,
    LocallyWeightedRegressor,
    NumberSimilarity,
    RBFNetworkRegressor,
    ShepardKNNRegressor,
)

CENTERS = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [0.5, 0.5]])
LINES = {"scale": None, "ridge": 0.0}
MODELS = {
    "nearest": ShepardKNNRegressor(5, power=2.0, metric="euclidean"),
    "nearest, uniform": ShepardKNNRegressor(
        4, weights="uniform", metric="manhattan", power=1.0
    ),
    "all rows": ShepardKNNRegressor(None, power=3.0, metric="euclidean"),
    "window": LocallyWeightedRegressor(1, n_neighbors=9, **LINES),
    "span": LocallyWeightedRegressor(2, n_neighbors=0.5, scale=None, ridge=0.01),
    "bandwidth": LocallyWeightedRegressor(1, n_neighbors=None, bandwidth=1.5, **LINES),
    "both": LocallyWeightedRegressor(1, n_neighbors=6, bandwidth=0.8, **LINES),
    "gaussian": LocallyWeightedRegressor(
        1, n_neighbors=None, bandwidth=0.7, kernel="gaussian", **LINES
    ),
    "basis functions": RBFNetworkRegressor(
        centers=CENTERS, width=1.0, ridge=0.1, scale=None, feature_weights=None
    ),
    "no ridge": RBFNetworkRegressor(
        centers=CENTERS, width=1.0, ridge=0.0, scale=None, feature_weights=None
    ),
}
# Windows that are scanned, not listed: of one column, or of many of the rows. The last
# row of a window has no weight, but determines the bandwidth.
SCANNED = {
    "one column": (1, {"degree": 1, "n_neighbors": 8}),
    "one column, span": (1, {"degree": 1, "n_neighbors": 0.5}),
    "many neighbours": (2, {"degree": 1, "n_neighbors": 32}),
    "many neighbours, ridge": (2, {"degree": 2, "n_neighbors": 32, "ridge": 0.1}),
    "many neighbours, bandwidth": (
        2,
        {"degree": 1, "n_neighbors": 32, "bandwidth": 1.2},
    ),
    "span": (2, {"degree": 1, "n_neighbors": 0.7}),
    "all rows": (2, {"degree": 1, "n_neighbors": 1.0}),
    "span above 1": (2, {"degree": 2, "n_neighbors": 1.6, "ridge": 0.1}),
}
# By ranks a fifth case could be as near as the fourth.
CASES = CaseBasedRegressor(
    4, weights=None, power=1.0, similarities=[NumberSimilarity()] * 2
)


def table(n=30, seed=0, decimals=9):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), decimals)
    return X, X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n)


def without_each(model, X, y, queries, weight=None):
    """Return the predictions of refits without each row, (m, n)."""
    found = []
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        options = {} if weight is None else {"sample_weight": weight[kept]}
        found.append(clone(model).fit(X[kept], y[kept], **options).predict(queries))
    return np.array(found).T


def predictions_without(model, queries):
    _, transformed = model._predictions_and_queries(queries)
    rows = model._error_models()[0].rows
    return rows, model._predictor_without(rows)(transformed)[..., 0]


# With the other models some windows of equal places determine no polynomial.
TIED = [
    n for n in MODELS if n not in ("window", "span", "both", "bandwidth", "no ridge")
]


@pytest.mark.parametrize(
    ("name", "decimals"), [*((n, 9) for n in MODELS), *((n, 0) for n in TIED)]
)
def test_predictions_without_rows_are_those_of_refits(name, decimals):
    """With cells that are integers many rows are equally far from a query."""
    X, y = table(decimals=decimals)
    if decimals == 0:  # copies are left out together
        X, first = np.unique(X, axis=0, return_index=True)
        y = y[first]
    queries = np.vstack([table(12, seed=1, decimals=decimals)[0], X[:3]])
    model = clone(MODELS[name]).fit(X, y)
    rows, found = predictions_without(model, queries)
    expected = without_each(MODELS[name], X, y, queries)[:, rows]
    assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("decimals", [9, 1])
@pytest.mark.parametrize("name", SCANNED)
def test_scanned_windows_without_rows_are_those_of_refits(name, decimals):
    """Most of the rows left out are not among the neighbours of a query."""
    n_columns, parameters = SCANNED[name]
    X, y = table(45, decimals=decimals)
    X, first = np.unique(X[:, :n_columns], axis=0, return_index=True)
    y = y[first]
    queries = np.vstack([table(40, seed=1, decimals=decimals)[0][:, :n_columns], X[:3]])
    model = LocallyWeightedRegressor(**{**LINES, **parameters})
    rows, found = predictions_without(clone(model).fit(X, y), queries)
    expected = without_each(model, X, y, queries)[:, rows]
    assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in MODELS if n != "span"])
def test_weighted_rows_go_whole(name):
    X, y = table()
    weight = np.random.default_rng(2).uniform(0.3, 3.0, size=30)
    queries = table(9, seed=1)[0]
    model = clone(MODELS[name]).fit(X, y, sample_weight=weight)
    rows, found = predictions_without(model, queries)
    expected = without_each(MODELS[name], X, y, queries, weight)[:, rows]
    assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_cases():
    X, y = table()
    frame = [{"a": a, "b": b} for a, b in X]
    queries = [{"a": a, "b": b} for a, b in table(9, seed=1)[0]]
    model = clone(CASES).fit(frame, y)
    found = predictions_without(model, queries)[1]
    base = model.predict(queries)[:, None]
    changed = ~np.isclose(found, base)
    # Four cases vote for each query; without another one nothing changes.
    assert np.all(changed.sum(axis=1) <= 4)
    assert changed.any(axis=1).all()


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("name", ["nearest", "window", "basis functions"])
def test_bounds_are_ranks_of_predictions_and_scores(name, coverage):
    X, y = table(40)
    queries = table(20, seed=1)[0]
    model = clone(MODELS[name]).fit(X, y)
    lower, upper = model.prediction_interval(queries, coverage, "jackknife+")
    rows, without = predictions_without(model, queries)
    predictions, transformed = model._predictions_and_queries(queries)
    errors = model._error_models()[0]
    scale = errors.scale(predictions[:, 0], transformed, None)
    n = len(rows)
    for q in range(20):
        values = np.sort(without[q] + scale[q] * errors.scores)
        rank = (1 + coverage) / 2 * (n + 1)
        if rank <= n:
            assert_allclose(upper[q], values[int(np.ceil(rank - 1e-9)) - 1])
            assert_allclose(lower[q], values[n - int(np.ceil(rank - 1e-9))])
        else:  # too few rows to bound each side: by absolute scores
            sizes = scale[q] * np.abs(errors.scores)
            rank = int(np.ceil(coverage * (n + 1) - 1e-9)) - 1
            assert_allclose(upper[q], np.sort(without[q] + sizes)[rank])
            assert_allclose(lower[q], np.sort(without[q] - sizes)[n - 1 - rank])


@pytest.mark.parametrize(
    "model",
    [
        LocallyWeightedRegressor(),
        ShepardKNNRegressor(),
        RBFNetworkRegressor(random_state=0),
        CaseBasedRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_few_rows_are_covered(model):
    """Of 40 rows; by theorem .6 at least, and in practice about .8."""
    shares = []
    for seed in range(12):
        X, y = table(440, seed)
        fitted = clone(model).fit(X[:40], y[:40])
        lower, upper = fitted.prediction_interval(X[40:], 0.8, "jackknife+")
        shares.append(np.mean((lower <= y[40:]) & (y[40:] <= upper)))
    assert 0.74 < np.mean(shares) < 0.88


def test_several_outputs_and_bounds():
    X, y = table()
    model = clone(MODELS["window"]).fit(X, np.column_stack([y, 10 * y]))
    lower, upper = model.prediction_interval(X[:4], 0.8, "jackknife+", bounds=(0, 5))
    assert lower.shape == upper.shape == (4, 2)
    assert lower.min() >= 0
    assert upper.max() <= 5
    one = clone(MODELS["window"]).fit(X, y)
    alone = one.prediction_interval(X[:4], 0.8, "jackknife+", bounds=(0, 5))
    assert_allclose(lower[:, 0], alone[0])


def test_errors_say_what_there_is():
    X, y = table()
    with pytest.raises(ValueError, match="'jackknife' or 'jackknife\\+', got 'plus'"):
        MODELS["nearest"].fit(X, y).prediction_interval(X, method="plus")
    pool = BayesianStackingRegressor(
        [("mean", DummyRegressor()), ("nearest", MODELS["nearest"])]
    ).fit(X, y)
    with pytest.raises(ValueError, match="cannot compute: use method='jackknife'"):
        pool.prediction_interval(X, method="jackknife+")
