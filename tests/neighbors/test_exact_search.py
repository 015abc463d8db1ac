"""The exact search by which recall is judged, beside all distances in numpy."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sklearn_bayeslazy import LSHNeighbors
from sklearn_bayeslazy.neighbors._hashing import _sketch_search as _exact_search

K = 7


def noise():
    """Return rows whose sketches rule out nothing: all directions vary alike."""
    return np.random.default_rng(0).normal(size=(900, 300))


def blobs():
    return make_blobs(2000, 90, centers=30, random_state=0)[0]


def flat():
    """Return rows in 6 of 100 directions, of which sketches lose nothing."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(1500, 6)) @ rng.normal(size=(6, 100)) + 50.0


def copies():
    return np.repeat(np.random.default_rng(2).normal(size=(60, 80)), 9, axis=0)


def wild():
    """Return rows of which some are 1e12 times as large, one has a single huge cell."""
    X = np.random.default_rng(3).normal(size=(700, 70))
    X[::100] *= 1e12
    X[5, 3] = 1e18
    return X


def few():
    return np.random.default_rng(4).normal(size=(101, 3))


def fitted(X, metric="euclidean", **parameters):
    return (
        LSHNeighbors(K, metric=metric, recall=0.5, random_state=0, **parameters)
        .fit(X)
        ._search
    )


def all_distances(search, queries):
    Q, _ = queries.as_queries()
    X, _ = search.rows.as_queries()
    return np.array([np.square(X - q).sum(axis=1) for q in Q])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("table", [noise, blobs, flat, copies, wild, few])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_are_those_of_all_distances(table, metric, dtype):
    X = table().astype(dtype)
    search = fitted(X, metric)
    exclude = np.arange(0, len(X), 11)
    queries = search.rows[exclude]
    distances = all_distances(search, queries)
    distances[np.arange(len(exclude)), exclude] = np.inf
    reduced, ids = search.nearest_of_all(queries, K, exclude)
    found = np.take_along_axis(distances, ids, axis=1)
    np.testing.assert_allclose(reduced, found, rtol=1e-9, atol=1e-12)
    farthest = np.sort(distances, axis=1)[:, K - 1 : K]
    assert np.all(found <= farthest * (1 + 1e-9) + 1e-12)
    assert all(len(set(row)) == K for row in ids)
    assert not np.any(ids == exclude[:, None])


@pytest.mark.parametrize("table", [noise, blobs, flat, copies, wild])
def test_sketches_and_products_find_the_same_to_the_bit(table):
    X = table()
    search = fitted(X)
    queries, exclude = search.rows[np.arange(0, len(X), 7)], np.arange(0, len(X), 7)
    by_sketches = search.nearest_of_all(queries, K, exclude, n_jobs=2)
    search.exact_search = lambda: _exact_search.ProductSearch(
        search.rows, search.sketcher
    )
    by_products = search.nearest_of_all(queries, K, exclude)
    for some, others in zip(by_sketches, by_products):
        np.testing.assert_array_equal(some, others)


@pytest.mark.parametrize(("table", "expected"), [(noise, True), (flat, False)])
def test_products_serve_rows_that_sketches_cannot_tell_apart(
    table, expected, monkeypatch
):
    asked = []
    nearest = _exact_search.ProductSearch.nearest
    monkeypatch.setattr(
        _exact_search.ProductSearch,
        "nearest",
        lambda self, *args: asked.append(1) or nearest(self, *args),
    )
    fitted(table())
    assert bool(asked) is expected


@pytest.mark.parametrize("family", ["random_projection", "super_bit"])
def test_any_family_of_hashes_serves(family):
    X = blobs()
    exclude = np.arange(20)
    search = fitted(X, hash_family=family, n_bits=5, n_tables=3)
    expected = fitted(X).nearest_of_all(search.rows[exclude], K, exclude)
    for some, others in zip(
        search.nearest_of_all(search.rows[exclude], K, exclude), expected
    ):
        np.testing.assert_array_equal(some, others)


def test_sketches_are_never_farther_apart_than_their_error_allows():
    X = wild().astype(np.float32)
    search = fitted(X)
    sketcher, rows = search.sketcher, search.rows
    sketches, _ = sketcher.draw(rows)
    centered = (X.astype(np.float64) - sketcher.center) * sketcher.unit
    lengths = np.linalg.norm(centered, axis=1)
    for q in range(0, len(X), 50):
        true = np.linalg.norm(centered - centered[q], axis=1)
        drawn = np.linalg.norm(sketches.astype(np.float64) - sketches[q], axis=1)
        assert np.all(drawn <= true + sketcher.error * (lengths + lengths[q]))
