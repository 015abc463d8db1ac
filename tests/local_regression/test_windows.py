"""Windows that are found by counting hold the rows that sorting finds."""

import numpy as np
import pytest

from sklearn_bayeslazy import LocallyWeightedRegressor
from sklearn_bayeslazy.local_regression._fits import _windows

KINDS = ["normal", "integers", "one far away", "all alike"]


def table(kind, n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if kind == "integers":  # many rows are equally far
        X = np.floor(2 * X)
    elif kind == "one far away":
        X[n // 2] = 1e9
    elif kind == "all alike":
        X[:] = 0.5
    return X, rng.standard_normal(n)


def model_of(**params):
    defaults = {"degree": 0, "kernel": "uniform", "statistics": None}
    return LocallyWeightedRegressor(**{**defaults, **params})


def means_of_nearest(X, y, Z, k, leave=False):
    """Return the mean target of the k nearest rows by (distance, row)."""
    answers = []
    for q, z in enumerate(Z):
        squared = sum((X[:, j] - z[j]) ** 2 for j in range(X.shape[1]))
        order = np.lexsort((np.arange(len(X)), squared))
        if leave:
            order = order[order != q]
        answers.append(y[order[:k]].mean())
    return np.array(answers)


def sizes(n):
    return sorted({1, 2, 32, 33, n // 3, n // 2, n - 2, n - 1, n})


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(64, 1), (65, 3), (700, 1), (1300, 2), (900, 6)])
def test_the_nearest_are_those_that_sorting_finds(n, d, kind, algorithm, monkeypatch):
    monkeypatch.setattr(_windows, "_SCAN_LEAST", 1)
    monkeypatch.setattr(_windows, "_SCAN_ROWS", n)  # whatever k is, rows are scanned
    X, y = table(kind, n, d)
    Z = np.vstack((X[:40], table(kind, 20, d, seed=1)[0]))
    for k in sizes(n):
        model = model_of(n_neighbors=k, algorithm=algorithm).fit(X, y)
        np.testing.assert_allclose(
            model.predict(Z), means_of_nearest(X, y, Z, k), atol=1e-12
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(64, 1), (700, 2)])
def test_a_row_that_is_left_out_is_in_no_window(n, d, kind):
    X, y = table(kind, n, d)
    ks = [k for k in sizes(n) if k < n]
    model = model_of(n_neighbors="loo", loo_candidates={"n_neighbors": ks}).fit(X, y)
    expected = [
        np.mean((means_of_nearest(X, y, X, k, leave=True) - y) ** 2) for k in ks
    ]
    np.testing.assert_allclose(
        model.loo_results_["mean_squared_error"], expected, rtol=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leave", [False, True])
@pytest.mark.parametrize("bandwidth", [0.3, 2.0, 1e3])
@pytest.mark.parametrize(("n", "d"), [(65, 2), (900, 1)])
def test_all_rows_within_a_bandwidth_are_in_the_window(
    n, d, bandwidth, leave, weighted
):
    X, y = table("normal", n, d)
    mass = np.random.default_rng(2).integers(1, 4, n) if weighted else np.ones(n)
    given = {"n_neighbors": None, "algorithm": "kd_tree"}
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    weights = (distances <= bandwidth) * mass.astype(float)
    if leave:
        weights -= np.eye(n)
        alone = weights.sum(axis=1) == 0
        answers = weights[~alone] @ y / weights[~alone].sum(axis=1)
        if alone.any():  # the row next to it is taken instead
            nearest = means_of_nearest(X, y, X, 1, leave=True)
            expected = np.where(alone, nearest, 0.0)
            expected[~alone] = answers
        else:
            expected = answers
        model = model_of(
            bandwidth="loo", loo_candidates={"bandwidth": [bandwidth]}, **given
        )
        model.fit(X, y, sample_weight=mass)
        error = mass @ (expected - y) ** 2 / mass.sum()
        np.testing.assert_allclose(
            model.loo_results_["mean_squared_error"], [error], rtol=1e-12
        )
    else:
        model = model_of(bandwidth=bandwidth, **given).fit(X, y, sample_weight=mass)
        expected = weights @ y / weights.sum(axis=1)
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bandwidth", [0.2, 1.0])
@pytest.mark.parametrize("k", [5, 40, 300])
def test_the_larger_of_two_windows_is_taken(k, bandwidth, weighted):
    X, y = table("normal", 500, 2)
    mass = np.full(500, 2) if weighted else None  # k is a mass: half as many rows
    model = model_of(n_neighbors=k, bandwidth=bandwidth)
    answers = model.fit(X, y, sample_weight=mass).predict(X)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    nearest = means_of_nearest(X, y, X, k // 2) if weighted else None
    if not weighted:
        nearest = means_of_nearest(X, y, X, k)
    rows = k // 2 if weighted else k
    if weighted and k % 2:  # the last row counts half
        order = np.argsort(distances, axis=1)[:, : rows + 1]
        part = np.full(rows + 1, 2.0)
        part[-1] = 1.0
        nearest, rows = y[order] @ part / part.sum(), rows + 1
    kth = np.sort(distances, axis=1)[:, rows - 1]
    within = distances <= bandwidth
    expected = np.where(kth < bandwidth, within @ y / within.sum(axis=1), nearest)
    np.testing.assert_allclose(answers, expected, atol=1e-12)


def test_weights_of_gauss_are_exact_to_rounding_at_any_distance():
    # Two rows: the answer is w / (1 + w), w being exp(-x²/2) for the second.
    x = np.concatenate([np.linspace(0, 38, 400), [38.6, 39.0, 1e5, 1e150]])
    for far in x:
        model = LocallyWeightedRegressor(
            0, n_neighbors=None, bandwidth=1.0, kernel="gaussian", statistics=None
        )
        answer = model.fit([[0.0], [far]], [0.0, 1.0]).predict([[0.0]])
        weight = np.exp(-(far**2) / 2) if far < 1e10 else 0.0
        np.testing.assert_allclose(
            answer, weight / (1 + weight), rtol=2e-13, atol=1e-310
        )
