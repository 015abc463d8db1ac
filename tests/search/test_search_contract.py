"""The contract `Search` of the engine, for every search that implements it.

Cells are small integers, so that distances are exact and many tie: the expected lists
are those of a sort by (distance, index) in integers.

Code under test: `search/_brute_search.py`, `search/_neighbor_lists.py`,
`search/_hashed/_bucket_search.py`, `search/_hashed/_sparse_rows.py`.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import BallTree, NearestNeighbors

from sklearn_bayeslazy import CaseBasedClassifier, EqualitySimilarity, LSHNeighbors
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.search import (
    BruteSearch,
    DenseSearch,
    EngineSearch,
    InvertedIndex,
    Metric,
    NeighborLists,
    OverlapRows,
    Search,
    SparseRows,
    SparseSearch,
    VotingSearch,
    WeightedK,
    _inverted_index,
    _lookup_search,
    learn_metric,
    nearest_of_all,
    no_exclusions,
)
from sklearn_bayeslazy.search._brute_search import callable_distances
from sklearn_bayeslazy.search._inverted_index_kernels import EUCLIDEAN
from sklearn_bayeslazy.tabular import read_table

K = 7


def grid(n, d, seed=0):
    """Return integers among which many rows are equal, and many distances."""
    return np.random.default_rng(seed).integers(0, 4, size=(n, d)).astype(float)


def squared(X):
    """Return all squared distances; a row at a time, which stays in the cache."""
    return np.array([((row - X) ** 2).sum(axis=1) for row in X])


def metric_of(name, X):
    return learn_metric(name, None, None, X, np.ones(len(X)))


def dense(n, d, tree=False, name="euclidean"):
    X = grid(n, d)
    search = DenseSearch(metric_of(name, X), X, [np.arange(n)], tree)
    apart = squared(X) if name == "euclidean" else np.abs(X[:, None] - X).sum(axis=2)
    return search, search.training_queries(), apart


def dense_by_products():
    search, queries, apart = dense(400, 16)
    assert search.by_products
    return search, queries, apart


def sparse():
    X = grid(300, 6)
    search = SparseSearch(metric_of("euclidean", X), csr_array(X), [np.arange(300)])
    return search, search.training_queries(), squared(X)


def brute():
    X = grid(90, 3)
    measure = partial(callable_distances, lambda a, b: np.abs(a - b).max(), None, X)
    search = BruteSearch(Metric("callable", root=1.0), X, measure)
    return search, X, np.abs(X[:, None] - X).max(axis=2)


def overlap(name):
    """Return a search of mixed rows, and the gaps of all pairs along each column."""
    X = grid(200, 4)
    X[::7, 3] = X[::5, 0] = np.nan
    table = pd.DataFrame(X).astype({0: str, 1: str})
    stored = OverlapRows(read_table(table.replace("nan", None)), name)
    gaps = np.abs(X[:, None] - X) / 3
    gaps[:, :, :2] = np.where(gaps[:, :, :2] > 0, 1.0, gaps[:, :, :2])
    return stored.search(), stored.training_queries(), gaps


def heom():
    """Return the search by HEOM: nine times the squares are integers."""
    search, queries, gaps = overlap("heom")
    squares = np.where(np.isnan(gaps), 1.0, gaps**2)
    return search, queries, np.rint(9 * squares.sum(axis=2))


def gower():
    """Return the search by Gower: 36 times means of thirds are integers."""
    search, queries, gaps = overlap("gower")
    return search, queries, np.rint(36 * np.nanmean(gaps, axis=2))


def engine():
    """Return another package's engine; it may order equal distances in any way."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    fitted = NearestNeighbors(algorithm="kd_tree").fit(X)
    search = EngineSearch(fitted, Metric("engine", root=1.0, divisor=2.0), X)
    return search, X, squared(X)


class BallTreeSearch:
    """A new search touches one file: here a ball tree of scikit-learn."""

    def __init__(self, rows):
        self.rows, self.tree = rows, BallTree(rows)

    def nearest(self, queries, rows, weighted_k, exclude):
        queries = queries[rows]
        reduced = np.full((len(queries), len(self.rows)), np.inf)
        if len(queries):
            k = min(weighted_k.width, len(self.rows))
            radius = self.tree.query(queries, k)[0][:, -1] * (1 + 1e-12)
            for q, near in enumerate(self.tree.query_radius(queries, radius)):
                reduced[q, near] = ((self.rows[near] - queries[q]) ** 2).sum(axis=1)
        return nearest_of_all(reduced, weighted_k, exclude)


def ball_tree():
    X = grid(300, 3)
    return BallTreeSearch(X), X, squared(X)


def inverted_index():
    X = grid(250, 5)
    search = InvertedIndex(SparseRows(csr_array(X), EUCLIDEAN))
    return search, search.rows, squared(X)


def hashed(X):
    """Return the search of LSHNeighbors with a budget for all rows."""
    search = LSHNeighbors(K, recall=0.99, random_state=0).fit(X)._search.index
    search.set_budget(1, search.max_read, search.n_rows)
    return search, search.rows.as_queries()


def hashed_dense():
    X = grid(500, 12)
    return *hashed(X), squared(X)


def hashed_columns():
    X = grid(300, 8) * (grid(300, 8, seed=1) > 1)
    return *hashed(csr_array(X)), squared(X)


def exact_projections():
    X = grid(1500, 90)
    search, queries = hashed(X)
    return search.exact_search(), queries, squared(X)


def exact_sparse():
    X = grid(300, 8) * (grid(300, 8, seed=1) > 1)
    search, queries = hashed(csr_array(X))
    return search.exact_search(), queries, squared(X)


def cases():
    """Return the search of cases: how many of five symbols differ."""
    X = grid(250, 5).astype(int).astype(str)
    frame = pd.DataFrame(X, columns=list("abcde"))
    similarities = {name: EqualitySimilarity() for name in frame}
    model = CaseBasedClassifier(
        K, similarities=similarities, weights=None, power=1.0, m=1.0
    ).fit(frame, np.arange(250) % 2)
    search = model._search
    return search, search.training_queries(), (X[:, None] != X).sum(axis=2)


SEARCHES = {
    "dense, blocks": lambda: dense(400, 3),
    "dense, kd-tree": lambda: dense(700, 2, tree=True),
    "dense, Manhattan": lambda: dense(300, 4, name="manhattan"),
    "dense, products": dense_by_products,
    "sparse": sparse,
    "callable": brute,
    "HEOM": heom,
    "Gower": gower,
    "engine": engine,
    "ball tree": ball_tree,
    "inverted index": inverted_index,
    "hashed dense rows": hashed_dense,
    "hashed columns": hashed_columns,
    "projections": exact_projections,
    "exact sparse": exact_sparse,
    "cases": cases,
}
# Their lists hold k rows; sample weights are for the others.
UNWEIGHTED = {
    "engine",
    "ball tree",
    "inverted index",
    "hashed dense rows",
    "hashed columns",
    "projections",
    "exact sparse",
}
# They are asked for lists only, never to vote.
NOT_VOTING = UNWEIGHTED - {"engine"}


@pytest.fixture(scope="module", params=SEARCHES)
def case(request):
    """Return (name, search, the training rows as queries, exact distances)."""
    return request.param, *SEARCHES[request.param]()


def expected_orders(apart, k, weight, exclude):
    """Yield all rows by (distance, index), and how many of them weigh k together."""
    for distances, row in zip(apart, exclude):
        left = weight.copy()
        if row >= 0:
            left[row] = 0.0
        # A row that is left out whole is not there.
        order = [i for i in np.argsort(distances, kind="stable") if left[i] > 0]
        yield order, int(np.searchsorted(np.cumsum(left[order]), k)) + 1


def check_lists(lists, apart, k, weight, exclude):
    for q, (order, size) in enumerate(expected_orders(apart, k, weight, exclude)):
        count = lists.counts[q]
        assert size <= count  # a list may go on
        np.testing.assert_array_equal(lists.indices[q, :count], order[:count])
        steps = np.diff(lists.reduced[q, :count])
        # Exactly the rows at an equal distance have an equal reduced distance.
        ties = np.diff(apart[q, order[:count]]) == 0
        np.testing.assert_array_equal(steps == 0, ties)
        assert np.all(steps >= 0)


def take_lists(lists, rows):
    return NeighborLists(lists.reduced[rows], lists.indices[rows], lists.counts[rows])


def same_lists(a, b):
    np.testing.assert_array_equal(a.counts, b.counts)
    for q, count in enumerate(a.counts):
        np.testing.assert_array_equal(a.indices[q, :count], b.indices[q, :count])
        np.testing.assert_array_equal(a.reduced[q, :count], b.reduced[q, :count])


def test_it_has_what_the_contract_names(case):
    name, search, *_ = case
    assert isinstance(search, Search)
    assert isinstance(search, VotingSearch) == (name not in NOT_VOTING)


@pytest.mark.parametrize("left_out", [False, True])
def test_lists_are_those_of_a_sort(case, left_out):
    _, search, queries, apart = case
    n = len(apart)
    exclude = np.arange(n) if left_out else no_exclusions(n)
    lists = search.nearest(queries, slice(0, n), WeightedK(K, np.ones(n)), exclude)
    check_lists(lists, apart, K, np.ones(n), exclude)


@pytest.mark.parametrize(
    "case", [name for name in SEARCHES if name not in UNWEIGHTED], indirect=True
)
def test_k_is_a_total_weight(case):
    _, search, queries, apart = case
    n = len(apart)
    weight = np.random.default_rng(3).integers(1, 4, size=n).astype(float)
    exclude = np.where(np.arange(n) % 3, np.arange(n), -1)
    lists = search.nearest(queries, slice(0, n), WeightedK(K, weight), exclude)
    check_lists(lists, apart, K, weight, exclude)


def test_a_list_does_not_depend_on_other_queries_or_threads(case):
    _, search, queries, apart = case
    n = len(apart)
    k, exclude = WeightedK(K, np.ones(n)), np.arange(n)
    lists = search.nearest(queries, slice(0, n), k, exclude)
    parts = [slice(i, min(i + 13, n)) for i in range(0, min(n, 60), 13)]
    parts += [slice(5, 6), slice(n - 1, n)]

    def search_part(rows):
        return search.nearest(queries, rows, k, exclude[rows])

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(search_part, parts))
    for rows, part in zip(parts, found):
        same_lists(part, take_lists(lists, rows))


def test_no_queries_have_no_lists(case):
    _, search, queries, apart = case
    k = WeightedK(K, np.ones(len(apart)))
    lists = search.nearest(queries, slice(0, 0), k, no_exclusions(0))
    assert lists.counts.shape == (0,)


@pytest.mark.parametrize(
    ("build", "module", "kernel"),
    [
        (sparse, _inverted_index, "collect_nearest"),
        (heom, _lookup_search, "nearest_by_lookup"),
    ],
)
def test_many_queries_take_several_calls_of_a_kernel(
    build, module, kernel, monkeypatch
):
    search, queries, apart = build()
    n = len(apart)
    given = queries, slice(5, n), WeightedK(K, np.ones(n)), np.arange(5, n)
    expected = search.nearest(*given)
    calls, run = [], getattr(module, kernel)
    monkeypatch.setattr(module, kernel, lambda *args: calls.append(run(*args)))
    for holder in (_parallel, module):
        monkeypatch.setattr(holder, "MAX_STEPS_PER_CALL", 20_000, raising=False)
        monkeypatch.setattr(holder, "_QUERIES_PER_BLOCK", 32, raising=False)
    same_lists(search.nearest(*given), expected)
    assert len(calls) > 7  # Ctrl-C is heard between them
