"""Rows that are measured in single precision first: none that is near is dropped.

Code under test: `search/_hashed/_bucket_kernels.py`,
`search/_hashed/_dense_kernels.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LSHNeighbors
from sklearn_bayeslazy.search._hashed import _bucket_search
from sklearn_bayeslazy.search._hashed._dense_rows import DenseRows
from sklearn_bayeslazy.search._neighbor_lists import WeightedK

K = 5


def nearly_tied(rng, n, d):
    """Return rows whose squared lengths differ by a few roundings of a float32."""
    X = rng.choice([-1.0, 1.0], size=(n, d))
    X[:, 0] += rng.integers(-8, 8, size=n) * 2.0**-22
    return X


FAMILIES = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "nearly tied": nearly_tied,
    "ties": lambda rng, n, d: rng.integers(2, size=(n, d)).astype(float),
    "overflow": lambda rng, n, d: 1e25 * rng.normal(size=(n, d)),
    "some overflow": lambda rng, n, d: 10.0 ** rng.uniform(10, 25, size=(n, d)),
    "underflow": lambda rng, n, d: 1e-30 * rng.normal(size=(n, d)),
    "some underflow": lambda rng, n, d: 3e-23 * rng.normal(size=(n, d)),
    "equal rows": lambda rng, n, d: np.ones((n, d)),
}


@pytest.mark.parametrize("d", [1, 37, 300])
@pytest.mark.parametrize("family", FAMILIES)
def test_measured_lists_are_those_of_the_definition(family, d):
    rng = np.random.default_rng(0)
    X = FAMILIES[family](rng, 200, d).astype(np.float32)
    queries = np.vstack([X[:20], FAMILIES[family](rng, 20, d), np.zeros((5, d))])
    queries = queries.astype(np.float32)
    chosen = np.array([rng.permutation(200) for _ in queries])
    exclude = np.append(np.arange(20), np.full(25, -1))
    lists = DenseRows(X, np.empty(0)).measure(
        DenseRows(queries, np.empty(0)),
        np.arange(45),
        chosen,
        np.full(45, 200),
        exclude,
        WeightedK(K, np.ones(200)),
    )
    differences = queries[:, None].astype(float) - X
    reduced = np.square(differences).sum(axis=2)
    reduced[np.arange(20), np.arange(20)] = np.inf
    nearest = np.sort(reduced, axis=1)[:, :K]
    np.testing.assert_array_equal(lists.counts, K)
    np.testing.assert_allclose(lists.reduced[:, :K], nearest, rtol=1e-13)


def test_neighbours_do_not_depend_on_the_queries_answered_together(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 70)).astype(np.float32)
    queries = rng.normal(size=(200, 70)).astype(np.float32)
    engine = LSHNeighbors(7, random_state=0).fit(X)
    distances, indices = engine.kneighbors(queries)
    for size in (1, 13):
        monkeypatch.setattr(_bucket_search, "_QUERIES_PER_BLOCK", size)
        for found, expected in zip(
            engine.kneighbors(queries), (distances, indices), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
