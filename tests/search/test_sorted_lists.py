"""The nearest rows of small tables, sorted by numpy, are those of the kernels.

Code under test: `search/_neighbor_lists.py`.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    InvertedIndexNeighbors,
)
from sklearn_bayeslazy.search import _neighbor_lists
from sklearn_bayeslazy.search._dense_search import DenseSearch
from sklearn_bayeslazy.search._metrics import learn_metric
from sklearn_bayeslazy.search._neighbor_lists import WeightedK, no_exclusions

N, D = 90, 6
WEIGHTS = {
    "ones": np.ones(N),
    "whole": np.arange(N) % 4 + 0.0,
    "quarters": np.arange(N) % 10 / 4,  # sums of these are not rounded
}


def tied_rows(rng, n):
    return rng.integers(3, size=(n, D)) * np.array([1.0, 0.1, 1e-3, 1.0, 1e160, 0.0])


def random_rows(rng, n):
    return rng.normal(size=(n, D))


def lists_of(search, queries, weighted_k, exclude):
    """Return the listed distances and rows, 0 after the end of a list, and counts."""
    lists = search.nearest(queries, slice(0, len(exclude)), weighted_k, exclude)
    present = np.arange(lists.indices.shape[1]) < lists.counts[:, None]
    reduced = np.where(present, lists.reduced, 0.0)
    return reduced, np.where(present, lists.indices, 0), lists.counts


def assert_sorted_lists_are_those_of_heaps(
    search, queries, weight, exclude, monkeypatch
):
    for k in (2, 3.5, 11, weight.sum()):
        weighted_k = WeightedK(k, weight)
        given = search, queries, weighted_k, exclude
        by_sorting = lists_of(*given)
        with monkeypatch.context() as patch:
            patch.setattr(_neighbor_lists, "MAX_DISTANCES_TO_LIST", 0)
            by_heaps = lists_of(*given)
        for one, other in zip(by_sorting, by_heaps):
            assert_array_equal(one, other)


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("rows", [tied_rows, random_rows])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sorted_lists_of_dense_rows(metric, rows, weight, monkeypatch):
    rng = np.random.default_rng(0)
    X = rows(rng, N)
    metric = learn_metric(metric, None, None, X, np.ones(N))
    training = metric.transform(X)
    search = DenseSearch(
        metric, training, [np.arange(N)[::2], np.arange(N)[1::2]], False
    )
    queries = metric.transform(rows(rng, 40), query=True)
    none = no_exclusions(len(queries))
    assert_sorted_lists_are_those_of_heaps(search, queries, weight, none, monkeypatch)
    queries = metric.as_queries(training)
    each = np.arange(N)
    assert_sorted_lists_are_those_of_heaps(search, queries, weight, each, monkeypatch)


@pytest.mark.parametrize("aggregation", ["mean", "euclidean"])
@pytest.mark.parametrize("estimator", [CaseBasedClassifier, CaseBasedRegressor])
def test_sorted_lists_of_cases(estimator, aggregation, monkeypatch):
    rng = np.random.default_rng(0)
    symbols = rng.choice(list("abcdefghij"), size=(N, 12))  # six groups of two
    numbers = np.where(rng.random((N, 3)) < 0.1, np.nan, rng.integers(9, size=(N, 3)))
    X = pd.concat([pd.DataFrame(symbols), pd.DataFrame(numbers)], axis=1)
    X.columns = [f"attribute {j}" for j in range(X.shape[1])]
    X = X.iloc[rng.integers(60, size=N)]  # equal rows are tied
    y, weight = rng.integers(3, size=N), rng.integers(1, 3, size=N)

    def answers():
        model = estimator(aggregation=aggregation, weights=None, n_neighbors=4)
        model.fit(X, y, sample_weight=weight)
        return *model.kneighbors(X), model.predict(X)

    by_sorting = answers()
    monkeypatch.setattr(_neighbor_lists, "MAX_DISTANCES_TO_LIST", 0)
    for one, other in zip(by_sorting, answers()):
        assert_array_equal(one, other)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_sorted_lists_of_sparse_rows(metric, monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.random_array((N, 300), density=0.02, rng=rng, format="csr")
    X = sparse.vstack([X, X[:20], sparse.csr_array((3, 300))], format="csr")
    X.data = np.round(X.data, 1)
    model = InvertedIndexNeighbors(metric=metric, n_neighbors=7).fit(X)
    by_sorting = *model.kneighbors(X), *model.kneighbors()
    monkeypatch.setattr(_neighbor_lists, "MAX_DISTANCES_TO_LIST", 0)
    for one, other in zip(by_sorting, (*model.kneighbors(X), *model.kneighbors())):
        assert_array_equal(one, other)
