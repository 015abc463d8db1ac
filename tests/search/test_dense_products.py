"""Nearest rows by matrix products in single precision are those by term, to the bit.

Code under test: `search/_dense_kernels.py`, `search/_product_search.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.search import _dense_search, _product_search
from sklearn_bayeslazy.search._dense_kernels import UNIT
from sklearn_bayeslazy.search._dense_search import DenseSearch
from sklearn_bayeslazy.search._metrics import learn_metric
from sklearn_bayeslazy.search._neighbor_lists import (
    WeightedK,
    full_lists,
    no_exclusions,
)
from sklearn_bayeslazy.search._ties import merge_ties

N, D = 700, 19
WIDTHS = np.where(np.arange(D) == 4, 1e7, 1.0)


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
    "one wide column": lambda rng, n: rng.uniform(size=(n, D)) * WIDTHS,
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
    exclude = no_exclusions(len(queries))
    lists = search.nearest(queries, slice(0, len(queries)), weighted_k, exclude)
    D2 = squared_distances(queries, rows)
    order = np.argsort(D2, axis=1, kind="stable")[:, :k]
    expected = full_lists(np.take_along_axis(D2, order, axis=1), order)
    expected = merge_ties(expected, search.metric.rounding(queries))
    np.testing.assert_array_equal(lists.indices[:, :k], expected.indices)
    np.testing.assert_array_equal(lists.reduced[:, :k], expected.reduced)
    np.testing.assert_array_equal(lists.counts, k)


def product_search(metric, rows, precision="float32"):
    """Return a search that multiplies matrices, even where it would not."""
    search = DenseSearch(metric, rows, [np.arange(len(rows))], False)
    search.products.precision = precision
    search.by_products = True
    return search


def table_of(family, scaled):
    rng = np.random.default_rng(0)
    X = FAMILIES[family](rng, N + 20)
    metric = learn_metric("euclidean", None, None, X, np.ones(len(X)))
    rows = metric.transform(X) if scaled else X
    return metric, rows[:N], np.vstack([rows[N:], rows[:5], 1e25 * rows[:2]])


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_lists_are_those_of_brute_force(family, scaled, precision):
    metric, rows, queries = table_of(family, scaled)
    search = product_search(metric, rows, precision)
    for k in (1, 6, 60):
        assert_nearest(search, rows, queries, k)


@pytest.mark.parametrize("family", ["ties", "far clusters", "farthest first"])
def test_too_many_candidates_do_not_change_a_list(family, monkeypatch):
    """All rows are measured if a query has more candidates than are kept."""
    monkeypatch.setattr(_product_search, "_MIN_LIMIT", 8)
    metric, rows, queries = table_of(family, True)
    search = product_search(metric, rows)
    for k in (1, 6, 20):
        assert_nearest(search, rows, queries, k)
    weighted_k, exclude = WeightedK(6, np.ones(N)), no_exclusions(len(queries))
    _, is_open = search.products.nearest_or_open(queries, weighted_k, exclude)
    assert is_open.all() == (family == "far clusters")
    assert is_open[-2:].all()  # so far away that their cells are clipped


def test_queries_amid_a_sphere_of_rows():
    """Their distances differ by less than the squares of the rows are rounded."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(N, D))
    X /= np.sqrt((X**2).sum(axis=1, keepdims=True))
    X *= 1 + 1e-7 * rng.normal(size=(N, 1))
    metric = learn_metric("euclidean", None, None, X, np.ones(N))
    search = product_search(metric, X)
    search.products.center = np.zeros(D)
    assert_nearest(search, X, 1e-7 * rng.normal(size=(50, D)), 5)


def test_queries_beyond_single_precision():
    """The first column decides; with the query clipped, the second would decide."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, D))
    metric = learn_metric("euclidean", None, None, X, np.ones(N))
    clipped = _product_search._MAX_CELL / product_search(metric, X).products.unit
    X[7:9] = 0.0
    X[7, :2], X[8, 0] = [0.5 * clipped, 0.9 * clipped], 0.45 * clipped
    queries = np.zeros((30, D))
    queries[:, 0] = 1e5 * clipped
    assert_nearest(product_search(metric, X), X, queries, 1)


def test_rows_beyond_single_precision():
    """A clipped row seems to be nearer than it is."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(N, D))
    metric = learn_metric("euclidean", None, None, X, np.ones(N))
    clipped = _product_search._MAX_CELL / product_search(metric, X).products.unit
    X[7:9] = 0.0
    X[7, 0], X[8, 0] = 1e5 * clipped, 0.5 * clipped
    queries = np.zeros((30, D))
    queries[:, 0] = 0.9 * clipped
    assert_nearest(product_search(metric, X), X, queries, 1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", ["ones", "integers", "fractions"])
def test_weights_and_left_out_rows(metric, weights):
    """Rows are taken in order of distance until they weigh k, less one copy of one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 12)).round(1)
    X[200:220] = X[:20]
    X[5] = 0.0
    weight = {
        "ones": np.ones(400),
        "integers": rng.integers(1, 4, 400).astype(float),
        "fractions": rng.uniform(0.1, 2.5, 400),
    }[weights]
    metric = learn_metric(metric, None, None, X, weight)
    rows = metric.transform(X)
    search = product_search(metric, rows)
    queries, exclude = search.training_queries(), np.arange(400)
    weighted_k = WeightedK(7, weight)
    lists = search.nearest(queries, slice(0, 400), weighted_k, exclude)
    D2 = squared_distances(queries, rows)
    if metric.kind == UNIT:
        D2[abs(D2 - 2) < 1e-14] = 2.0
    for q, order in enumerate(np.argsort(D2, axis=1, kind="stable")):
        remaining = weight.copy()
        remaining[q] = 0
        order = order[remaining[order] > 0]
        n = np.searchsorted(np.cumsum(remaining[order]), weighted_k.k) + 1
        assert lists.counts[q] == n
        expected = full_lists(D2[q, None, order[:n]].T, order[None, :n])
        expected = merge_ties(expected, metric.rounding(queries[q : q + 1]))
        np.testing.assert_array_equal(lists.indices[q, :n], expected.indices[0])
        np.testing.assert_array_equal(lists.reduced[q, :n], expected.reduced[0])


@pytest.mark.parametrize("width", [8, 40])
def test_neither_batches_nor_blocks_change_a_list(width, monkeypatch):
    rng = np.random.default_rng(2)
    X, queries = rng.normal(size=(300, 14)), rng.normal(size=(90, 14))
    metric = learn_metric("euclidean", None, None, X, np.ones(300))
    assert_nearest(product_search(metric, X), X, queries, 5)
    segments = np.array_split(rng.permutation(300), 300 // width)
    search = DenseSearch(metric, X, segments, False)
    assert search.by_products
    for queries_per_product in (1, 32, 512):
        monkeypatch.setattr(_product_search, "QUERIES_PER_PRODUCT", queries_per_product)
        assert_nearest(search, X, queries, 5)
        for some in np.array_split(queries, [1, 3, 50]):
            assert_nearest(search, X, some, 5)


@pytest.mark.parametrize("family", ["normal", "clusters", "equal rows"])
def test_the_precision_keeps_few_candidates(family):
    """Far clusters need double precision; no precision separates equal rows."""
    metric, rows, _ = table_of(family, True)
    search = DenseSearch(metric, rows, [np.arange(N)], False)
    expected = {"normal": "float32", "clusters": "float64", "equal rows": None}[family]
    assert search.products.precision == expected
    assert search.by_products == (expected is not None)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tables_of_a_few_rows(n):
    rng = np.random.default_rng(4)
    X, queries = rng.normal(size=(n, 14)), rng.normal(size=(30, 14))
    metric = learn_metric("euclidean", None, None, X, np.ones(n))
    search = DenseSearch(metric, X, [np.arange(n)], False)
    assert search.by_products
    assert_nearest(search, X, queries, 1)


def test_error_bounds():
    """No product of rounded rows is off by more; the exact ones have more digits."""
    rng = np.random.default_rng(5)
    for precision, d in (("float32", 20), ("float64", 400)):
        X = rng.normal(size=(50, d))
        rounded = X.astype(precision)
        products = (rounded @ rounded.T).astype(np.longdouble)
        exact = X.astype(np.longdouble) @ X.astype(np.longdouble).T
        squares = np.diag(exact)
        allowed = _product_search.error_bound(d, precision) * (
            squares[:, None] + squares
        )
        assert np.all(abs(2 * (products - exact)) <= allowed)
    assert _product_search.error_bound(10**8, "float32") == np.inf


def test_large_tables_measure_all_rows_for_few_queries(monkeypatch):
    """It is faster than products; the lists are the same."""
    monkeypatch.setattr(_dense_search, "LARGE_TABLE", 100)
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(300, 14)), rng.normal(size=(30, 14))
    metric = learn_metric("euclidean", None, None, X, np.ones(300))
    search = product_search(metric, X)
    for m, k in ((1, 3), (30, 3), (30, 200)):
        assert_nearest(search, X, queries[:m], k)
    monkeypatch.setattr(search.products, "nearest_or_open", None)  # it is not called
    assert_nearest(search, X, queries[:1], 3)
    assert_nearest(search, X, queries, 200)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_blocks_hold_the_rows_of_their_segments(n_jobs, monkeypatch):
    """Consecutive rows are copied as they are, others are gathered; on any threads."""
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    monkeypatch.setattr(_parallel, "_CELLS_IN_CACHE", 5 * 8 * 2)
    rng = np.random.default_rng(9)
    X, shuffled = rng.normal(size=(203, 5)), rng.permutation(203)
    for segments in ([np.arange(203)], [shuffled], np.split(shuffled, [3, 90, 107])):
        segments = [np.sort(one) if len(one) < 20 else one for one in segments]
        blocks = _dense_search.in_blocks(X, segments, 8, n_jobs)
        np.testing.assert_array_equal(blocks.rows(), X)
        b = 0
        for segment in segments:
            for i in range(0, len(segment), 8):
                cells = np.full((5, 8), np.inf)
                for r, row in enumerate(segment[i : i + 8]):
                    cells[:, r] = X[row]
                np.testing.assert_array_equal(blocks.cells[b], cells)
                b += 1
        assert b == len(blocks.cells)


@pytest.mark.parametrize("family", ["ties", "normal", "large", "outliers overflow"])
def test_many_columns_on_any_threads(family, monkeypatch):
    """A table of 300 columns, some of them constant, in any order of its rows."""
    monkeypatch.setattr(_parallel, "MIN_STEPS_FOR_THREADS", 1)
    monkeypatch.setattr(_parallel, "_CELLS_IN_CACHE", 2**12)
    rng = np.random.default_rng(10)
    X = np.hstack([FAMILIES[family](rng, 640) for _ in range(16)])[:, :300]
    X[:, 100:120] = X[0, 100:120]
    for order in (np.arange(600), rng.permutation(600)):
        training = X[:600][order]
        metric = learn_metric("euclidean", None, None, training, np.ones(600), 2)
        alone = learn_metric("euclidean", None, None, training, np.ones(600), 1)
        assert metric.unit == alone.unit
        rows, queries = metric.transform(training), metric.transform(X[600:])
        assert metric.largest == alone.largest == abs(rows).max()
        search = DenseSearch(metric, rows, [np.arange(600)], False, 2)
        search.products.precision, search.by_products = "float32", True
        assert_nearest(search, rows, queries, 7)
