"""Local regression: windows hold the rows that sorting by distance finds.

Code under test: `local_regression/_fits/_kernel_arguments.py`,
`local_regression/_fits/_windows.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.local_regression._fits import _windows
from tests.helpers.local_regression_by_hand import classical

KINDS = ["normal", "integers", "one far away", "all equal"]


def table(kind, n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if kind == "integers":  # many rows are equally far
        X = np.floor(2 * X)
    elif kind == "one far away":
        X[n // 2] = 1e9
    elif kind == "all equal":
        X[:] = 0.5
    return X, rng.standard_normal(n)


def model_of(**params):
    defaults = {"kernel": "uniform", "statistics": None}
    return classical(0, **{**defaults, **params})


def means_of_nearest(X, y, Z, k, kernel="uniform", leave_one_out=False):
    """Return the mean target of the k nearest rows; tied rows share the last weight."""
    means = []
    for q, z in enumerate(Z):
        squared = sum((X[:, j] - z[j]) ** 2 for j in range(X.shape[1]))
        others = np.arange(len(X)) != (q if leave_one_out else -1)
        squared, targets = squared[others], y[others]
        last = np.sort(squared)[k - 1]
        near, tied = squared < last, squared == last
        weight = near + tied * (k - near.sum()) / tied.sum()
        if kernel == "triangular" and near.any():
            weight = near * (1 - np.sqrt(squared / last))
        means.append(weight @ targets / weight.sum())
    return np.array(means)


def sizes(n):
    return sorted({1, 2, 32, 33, n // 3, n // 2, n - 2, n - 1, n})


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(64, 1), (65, 3), (700, 1), (1300, 2), (900, 6)])
@pytest.mark.parametrize("kernel", ["uniform", "triangular"])
def test_the_nearest_rows_are_those_that_sorting_finds(
    n, d, kind, algorithm, kernel, monkeypatch
):
    # Rows are scanned for every k, if the kernel is triangular.
    monkeypatch.setattr(_windows, "_MIN_NEIGHBORS_TO_SCAN", 1)
    monkeypatch.setattr(_windows, "_MAX_SCANNED_ROWS_PER_NEIGHBOR", n)
    X, y = table(kind, n, d)
    Z = np.vstack((X[:40], table(kind, 20, d, seed=1)[0]))
    for k in sizes(n):
        model = model_of(n_neighbors=k, algorithm=algorithm, kernel=kernel).fit(X, y)
        expected = means_of_nearest(X, y, Z, k, kernel)
        np.testing.assert_allclose(model.predict(Z), expected, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(64, 1), (700, 2)])
def test_a_row_that_is_left_out_is_not_in_its_window(n, d, kind):
    X, y = table(kind, n, d)
    ks = [k for k in sizes(n) if k < n]
    model = model_of(n_neighbors="loo", loo_candidates={"n_neighbors": ks}).fit(X, y)
    expected = [
        np.mean((means_of_nearest(X, y, X, k, leave_one_out=True) - y) ** 2) for k in ks
    ]
    np.testing.assert_allclose(
        model.loo_results_["mean_squared_error"], expected, rtol=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("bandwidth", [0.3, 2.0, 1e3])
@pytest.mark.parametrize(("n", "d"), [(65, 2), (900, 1)])
def test_all_rows_within_a_bandwidth_are_in_the_window(
    n, d, bandwidth, leave_one_out, weighted
):
    X, y = table("normal", n, d)
    weight = np.random.default_rng(2).integers(1, 4, n) if weighted else np.ones(n)
    given = {"n_neighbors": None, "algorithm": "kd_tree"}
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    weights = (distances <= bandwidth) * weight.astype(float)
    if leave_one_out:
        weights *= 1 - np.eye(n)
        alone = weights.sum(axis=1) == 0
        means = weights[~alone] @ y / weights[~alone].sum(axis=1)
        if alone.any():  # the row next to it is taken instead
            nearest = means_of_nearest(X, y, X, 1, leave_one_out=True)
            expected = np.where(alone, nearest, 0.0)
            expected[~alone] = means
        else:
            expected = means
        model = model_of(
            bandwidth="loo", loo_candidates={"bandwidth": [bandwidth]}, **given
        )
        model.fit(X, y, sample_weight=weight)
        error = weight @ (expected - y) ** 2 / weight.sum()
        np.testing.assert_allclose(
            model.loo_results_["mean_squared_error"], [error], rtol=1e-12
        )
    else:
        model = model_of(bandwidth=bandwidth, **given).fit(X, y, sample_weight=weight)
        expected = weights @ y / weights.sum(axis=1)
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bandwidth", [0.2, 1.0])
@pytest.mark.parametrize("k", [5, 40, 300])
def test_the_larger_of_two_windows_is_used(k, bandwidth, weighted):
    X, y = table("normal", 500, 2)
    # k is a total weight: with weights of 2 it takes half as many rows.
    weight = np.full(500, 2) if weighted else None
    model = model_of(n_neighbors=k, bandwidth=bandwidth)
    predictions = model.fit(X, y, sample_weight=weight).predict(X)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    nearest = means_of_nearest(X, y, X, k // 2) if weighted else None
    if not weighted:
        nearest = means_of_nearest(X, y, X, k)
    rows = k // 2 if weighted else k
    if weighted and k % 2:  # the weight of the last row is cut to 1
        order = np.argsort(distances, axis=1)[:, : rows + 1]
        part = np.full(rows + 1, 2.0)
        part[-1] = 1.0
        nearest, rows = y[order] @ part / part.sum(), rows + 1
    kth = np.sort(distances, axis=1)[:, rows - 1]
    within = distances <= bandwidth
    expected = np.where(kth < bandwidth, within @ y / within.sum(axis=1), nearest)
    np.testing.assert_allclose(predictions, expected, atol=1e-12)


def test_gaussian_weights_are_exact_to_rounding_at_any_distance():
    # Two rows: the prediction is w / (1 + w), with w = exp(-x²/2) for the second.
    x = np.concatenate([np.linspace(0, 38, 400), [38.6, 39.0, 1e5, 1e150]])
    for far in x:
        model = classical(
            0, n_neighbors=None, bandwidth=1.0, kernel="gaussian", statistics=None
        )
        prediction = model.fit([[0.0], [far]], [0.0, 1.0]).predict([[0.0]])
        weight = np.exp(-(far**2) / 2) if far < 1e10 else 0.0
        np.testing.assert_allclose(
            prediction, weight / (1 + weight), rtol=2e-13, atol=1e-310
        )


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("kernel", ["uniform", "gaussian", "inverse_square", "tricube"])
@pytest.mark.parametrize("n_neighbors", [5, 40, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_tied_rows_does_not_matter(degree, kernel, n_neighbors, weighted):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(150, 7)).astype(float)
    y, queries = rng.normal(size=150), rng.integers(0, 2, size=(12, 7)).astype(float)
    weight = rng.integers(1, 4, 150).astype(float) if weighted else np.ones(150)
    model = classical(degree, n_neighbors=n_neighbors, kernel=kernel, ridge=0.01)
    expected = model.fit(X, y, weight).predict(queries)
    order = rng.permutation(150)
    again = model.fit(X[order], y[order], weight[order]).predict(queries)
    np.testing.assert_allclose(again, expected, rtol=1e-9, atol=1e-12)


def test_tied_rows_share_what_is_left_of_k():
    X, y = [[0.0], [1.0], [-1.0], [1.0], [5.0]], [4.0, 0.0, 3.0, 6.0, 100.0]
    model = classical(0, n_neighbors=2, kernel="uniform").fit(X, y)
    # The row at 0 has weight 1, the three rows at distance 1 have 1/3 each.
    assert model.predict([[0.0]])[0] == pytest.approx((4 + (0 + 3 + 6) / 3) / 2)


@pytest.mark.filterwarnings("error")
def test_with_the_largest_spans_all_rows_have_equal_weights():
    X, y = table("normal", 20, 2)
    for weight in (None, np.full(20, 1e300)):
        model = classical(0, n_neighbors=1e308, statistics=None).fit(X, y, weight)
        np.testing.assert_allclose(model.predict(X), y.mean())
