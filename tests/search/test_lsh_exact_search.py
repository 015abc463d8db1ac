"""The exact searches that LSHNeighbors is tuned against, beside numpy distances.

Code under test: `search/_hashed/_candidate_kernels.py`,
`search/_hashed/_hash_tables.py`.
"""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_blobs

from sklearn_bayeslazy import LSHNeighbors
from sklearn_bayeslazy.search import WeightedK
from sklearn_bayeslazy.search._hashed import _dense_rows
from sklearn_bayeslazy.search._hashed._hashed_search import measure_all
from tests.helpers.memory import MEBIBYTE, peak

K = 7


def noise():
    """Return rows whose projections exclude no row: all directions vary alike."""
    return np.random.default_rng(0).normal(size=(900, 300))


def blobs():
    return make_blobs(2000, 90, centers=30, random_state=0)[0]


def flat():
    """Return rows in 6 of 100 directions, which projections keep exactly."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(1500, 6)) @ rng.normal(size=(6, 100)) + 50.0


def copies():
    return np.repeat(np.random.default_rng(2).normal(size=(60, 80)), 9, axis=0)


def outliers():
    """Return rows of which some are 1e12 times as large, one with a huge cell."""
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
        ._search.index
    )


def scaled(rows):
    """Return rows in double precision, times their factors."""
    X = rows.X.astype(np.float64)
    return X * rows.scales[:, None] if len(rows.scales) else X


def all_distances(search, queries):
    Q, X = scaled(queries), scaled(search.rows)
    return np.array([np.square(X - q).sum(axis=1) for q in Q])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("table", [noise, blobs, flat, copies, outliers, few])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_are_those_of_all_distances(table, metric, dtype):
    X = table().astype(dtype)
    search = fitted(X, metric)
    exclude = np.arange(0, len(X), 11)
    queries = search.rows[exclude]
    distances = all_distances(search, queries)
    distances[np.arange(len(exclude)), exclude] = np.inf
    reduced, indices = search.exact_neighbors(queries, K, exclude)
    found = np.take_along_axis(distances, indices, axis=1)
    np.testing.assert_allclose(reduced, found, rtol=1e-9, atol=1e-12)
    farthest = np.sort(distances, axis=1)[:, K - 1 : K]
    assert np.all(found <= farthest * (1 + 1e-9) + 1e-12)
    assert all(len(set(row)) == K for row in indices)
    assert not np.any(indices == exclude[:, None])


@pytest.mark.parametrize("table", [noise, blobs, flat, copies, outliers])
def test_projections_and_all_rows_give_the_same_to_the_bit(table):
    X = table()
    search = fitted(X)
    queries, exclude = search.rows[np.arange(0, len(X), 7)], np.arange(0, len(X), 7)
    by_projections = search.exact_neighbors(queries, K, exclude, n_jobs=2)
    lists = measure_all(search.rows, queries, WeightedK.of_rows(K, len(X)), exclude)
    for some, others in zip(by_projections, (lists.reduced, lists.indices)):
        np.testing.assert_array_equal(some, others[:, :K])


@pytest.mark.parametrize(("table", "expected"), [(noise, True), (flat, False)])
def test_all_rows_are_measured_if_projections_cannot_separate_them(
    table, expected, monkeypatch
):
    calls = []
    monkeypatch.setattr(
        _dense_rows,
        "measure_all",
        lambda *arguments: calls.append(1) or measure_all(*arguments),
    )
    fitted(table())
    assert bool(calls) is expected


@pytest.mark.parametrize("family", ["random_projection", "super_bit"])
def test_every_hash_family_gives_the_same_lists(family):
    X = blobs()
    exclude = np.arange(20)
    search = fitted(X, hash_family=family, n_bits=5, n_tables=3)
    expected = fitted(X).exact_neighbors(search.rows[exclude], K, exclude)
    for some, others in zip(
        search.exact_neighbors(search.rows[exclude], K, exclude), expected
    ):
        np.testing.assert_array_equal(some, others)


def test_projections_never_increase_distances_beyond_their_error():
    X = outliers().astype(np.float32)
    search = fitted(X)
    projection, rows = search.projection, search.rows
    projections, _ = projection.transform(rows)
    centered = (X.astype(np.float64) - projection.center) * projection.unit
    lengths = np.linalg.norm(centered, axis=1)
    for q in range(0, len(X), 50):
        true = np.linalg.norm(centered - centered[q], axis=1)
        gaps = projections.astype(np.float64) - projections[q]
        projected = np.linalg.norm(gaps, axis=1)
        assert np.all(projected <= true + projection.error * (lengths + lengths[q]))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("n_columns", [70, 73])  # in fours, and one more
def test_projections_are_products_whatever_rows_stand_beside(n_columns, metric):
    X = np.random.default_rng(5).normal(size=(701, n_columns)).astype(np.float32)
    search = fitted(X, metric)
    projection, rows = search.projection, search.rows
    projections, residuals = projection.transform(rows)
    centered = (scaled(rows) - projection.center) * projection.unit
    products = centered @ projection.matrix
    np.testing.assert_allclose(projections, products, atol=1e-5)
    lost = np.square(centered).sum(axis=1) - np.square(products).sum(axis=1)
    np.testing.assert_allclose(residuals, lost, atol=1e-4)
    for first, last in [(0, 1), (1, 701), (300, 310)]:
        some = projection.transform(rows[first:last])
        np.testing.assert_array_equal(some[0], projections[first:last])
        np.testing.assert_array_equal(some[1], residuals[first:last])


def test_a_report_of_the_recall_keeps_to_the_working_memory():
    # Each query may list a quarter of the rows: 128 queries would take 38 MiB.
    rows = np.random.default_rng(4).normal(size=(160_000, 3)).astype(np.float32)
    engine = LSHNeighbors(K, random_state=0, n_jobs=1).fit(rows)
    with config_context(working_memory=8):
        # One chunk of queries, and the arrays of one number for each row.
        limit = (8 + 8) * MEBIBYTE
        assert peak(lambda: engine.recall_report(rows[:130])) < limit
