"""Windows hold the rows that sorting by distance finds, in lists or ranges."""

import numpy as np
import pytest

from sklearn_bayeslazy.search import (
    DenseSearch,
    WindowRule,
    WindowSearch,
    learn_metric,
)


def table(kind, n, d):
    X = np.random.default_rng(n + d).normal(size=(n, d))
    if kind == "integers":  # many rows are equally far
        X = np.floor(2 * X)
    elif kind == "one far away":
        X[n // 2] = 1e9
    elif kind == "all equal":
        X[:] = 0.5
    return X


def found_windows(X, points, removed, rule, tree=False):
    """Return the distances (m, n) of the rows in each window, and the bandwidths."""
    n, d = X.shape
    metric = learn_metric("euclidean", None, np.ones(d), X, np.ones(n))
    search = WindowSearch(DenseSearch(metric, X, [np.arange(n)], tree))
    order = search.order
    position = np.append(np.argsort(order), -1)
    columns = np.ascontiguousarray(X[order].T)
    distances_sq = np.full((len(points), n), np.inf)
    bandwidths_sq = np.full(len(points), np.nan)
    for rows, windows in search.find(columns, points, position[removed], rule):
        lists = windows.with_rows()
        for q, (start, count) in enumerate(zip(lists.starts, lists.counts)):
            here = slice(start, start + count)
            listed = order[lists.indices[here]]
            assert len(set(listed)) == count
            distances_sq[rows.start + q, listed] = lists.distances_sq[here]
        bandwidths_sq[rows] = windows.bandwidths_sq
    return distances_sq, bandwidths_sq


def measured(X, points, removed):
    distances_sq = sum((points[:, [j]] - X[:, j]) ** 2 for j in range(X.shape[1]))
    left_out = np.flatnonzero(removed >= 0)
    distances_sq[left_out, removed[left_out]] = np.inf
    return distances_sq


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("kind", ["normal", "integers", "one far away", "all equal"])
@pytest.mark.parametrize(("n", "d"), [(700, 1), (1300, 2), (900, 6)])
@pytest.mark.parametrize("left_out", ["none", "the query", "any row"])
def test_the_nearest_rows_with_all_that_are_tied(n, d, kind, tree, left_out):
    X = table(kind, n, d)
    points = np.concatenate([X[:40], table("normal", 20, d)])
    removed = np.full(60, -1)
    if left_out == "the query":
        removed[:40] = np.arange(40)
    elif left_out == "any row":
        removed = np.random.default_rng(0).integers(0, n, 60)
    expected = measured(X, points, removed)
    for k in (1, 2, 33, n // 3, n // 2, n - 1):
        rule = WindowRule(k, 1.0, 0.0, False)
        found, bandwidths_sq = found_windows(X, points, removed, rule, tree)
        kth = np.sort(expected, axis=1)[:, k - 1]
        np.testing.assert_array_equal(bandwidths_sq, kth)
        within = np.where(expected <= kth[:, None], expected, np.inf)
        np.testing.assert_array_equal(found, within)


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("d", [1, 3])
def test_rows_within_a_bandwidth_and_the_larger_of_two_windows(d, tree):
    X = table("normal", 800, d)
    none = np.full(800, -1)
    expected = measured(X, X, none)
    within = np.where(expected <= 0.5**2, expected, np.inf)
    rule = WindowRule(0, 1.0, 0.5**2, False)
    np.testing.assert_array_equal(found_windows(X, X, none, rule, tree)[0], within)
    rule = WindowRule(0, 1.0, 0.5**2, True)  # a kernel with weight at any distance
    np.testing.assert_array_equal(found_windows(X, X, none, rule, tree)[0], expected)
    kth = np.sort(expected, axis=1)[:, 9]
    larger = np.maximum(kth, 0.5**2)
    rule = WindowRule(10, 1.0, 0.5**2, False)
    found, bandwidths_sq = found_windows(X, X, none, rule, tree)
    np.testing.assert_array_equal(bandwidths_sq, larger)
    both = np.where(expected <= larger[:, None], expected, np.inf)
    np.testing.assert_array_equal(found, both)


def test_without_k_or_bandwidth_the_farthest_row_defines_it():
    X = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
    rule = WindowRule(0, 1.0, np.inf, True)
    found, bandwidths_sq = found_windows(X, X[:1], np.array([-1]), rule)
    np.testing.assert_array_equal(found, [[0, 25, 1]])
    np.testing.assert_array_equal(bandwidths_sq, [25])
