"""Nearest rows by matrix products in single precision are those by term, to the bit."""

import numpy as np
import pytest

from sklearn_bayeslazy.neighbors._search import DenseSearch, WeightedK, learn_metric

N, D = 700, 19


def clusters(rng, n, gap):
    return rng.normal(size=(n, D)) + gap * rng.integers(3, size=(n, 1))


def farthest_first(rng, n):
    return rng.normal(size=(n, D)) * np.linspace(9, 0.1, n)[:, None]


def outliers(rng, n, size):
    X = rng.normal(size=(n, D))
    X[:: n // 7] *= size
    return X


FAMILIES = {
    "normal": lambda rng, n: rng.normal(size=(n, D)),
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=(n, D)) ** 3,
    "large offset": lambda rng, n: 1e8 + rng.normal(size=(n, D)),
    "clusters": lambda rng, n: clusters(rng, n, 1e4),
    "far clusters": lambda rng, n: clusters(rng, n, 1e9),
    "one wide column": lambda rng, n: rng.uniform(size=(n, D)) * 1e7 ** (np.arange(D) < 1),
    "ties": lambda rng, n: rng.integers(0, 2, size=(n, D)).astype(float),
    "equal rows": lambda rng, n: rng.normal(size=(5, D))[rng.integers(5, size=n)],
    "one row": lambda rng, n: np.ones((n, D)),
    "farthest first": farthest_first,
    "large": lambda rng, n: 1e150 * rng.normal(size=(n, D)),
    "overflow": lambda rng, n: 1e160 * rng.normal(size=(n, D)),
    "small": lambda rng, n: 1e-150 * rng.normal(size=(n, D)),
    "underflow": lambda rng, n: 1e-170 * rng.normal(size=(n, D)),
    "outliers": lambda rng, n: outliers(rng, n, 1e12),
    "clipped outliers": lambda rng, n: outliers(rng, n, 1e40),
    "outliers overflow": lambda rng, n: outliers(rng, n, 1e200),
    "mostly zeros": lambda rng, n: outliers(rng, n, 1e30) * 1e-30,
}


def squared_distances(queries, rows):
    """Return squared distances (m, n), summed in the order of the columns."""
    total = np.zeros((len(queries), len(rows)))
    with np.errstate(over="ignore"):
        for j in range(rows.shape[1]):
            total += (rows[:, j] - queries[:, j, None]) ** 2
    return total


def assert_nearest(search, rows, queries, k):
    """Assert that the lists are the first k by (distance, row)."""
    weighted_k = WeightedK(k, np.ones(len(rows)))
    nobody = np.full(len(queries), -1)
    lists = search.nearest(queries, slice(0, len(queries)), weighted_k, nobody)
    D2 = squared_distances(queries, rows)
    expected = np.argsort(D2, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(lists.indices[:, :k], expected)
    np.testing.assert_array_equal(
        lists.reduced[:, :k], np.take_along_axis(D2, expected, axis=1)
    )
    np.testing.assert_array_equal(lists.counts, k)


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_lists_are_those_of_brute_force(family, scaled):
    rng = np.random.default_rng(0)
    X = FAMILIES[family](rng, N + 20)
    metric = learn_metric("euclidean", None, None, X, np.ones(len(X)))
    rows = metric.transform(X) if scaled else X
    rows, queries = rows[:N], np.vstack([rows[N:], rows[:5], 1e25 * rows[:2]])
    search = DenseSearch(metric, rows, [np.arange(N)], False)
    assert search.by_products
    for k in (1, 6, 60):
        assert_nearest(search, rows, queries, k)
