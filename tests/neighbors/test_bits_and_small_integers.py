"""Hashed neighbours of packed bits, and of integers of one byte that stay as they are.

Code under test: `search/_hashed/_bit_rows.py`, the types that `DenseRows` stores, and
the metric "hamming" of `LSHNeighbors`.
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import FunctionTransformer

from sklearn_bayeslazy import LSHNeighbors, ShardedNeighbors


def bits(n, d=200, seed=0):
    """Return rows near forty rows, of which each bit changed with probability .15."""
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(99).random((40, d)) < 0.5
    return centers[rng.integers(40, size=n)] ^ (rng.random((n, d)) < 0.15)


def packed(X):
    return np.packbits(X, axis=1)


def nearest(queries, X, k):
    differing = np.array([(query != X).sum(axis=1) for query in queries])
    order = np.argsort(differing, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(differing, order, axis=1) / X.shape[1], order


def test_shares_of_differing_bits_by_hand():
    """1010 differs from 1011 in 1 of 4 bits, from 0101 in 4, from 1111 in 2."""
    X = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)
    engine = LSHNeighbors(3, metric="hamming").fit(X)
    distances, found = engine.kneighbors(np.array([[1, 0, 1, 0]], dtype=bool))
    assert_array_equal(found, [[0, 2, 1]])
    assert_array_equal(distances, [[0.25, 0.5, 1.0]])


@pytest.mark.parametrize("d", [1, 8, 63, 64, 65, 200, 1024])
@pytest.mark.parametrize("n", [30, 900])
def test_all_rows_read_is_exact_search_of_any_width(n, d):
    X, queries = bits(n, d), bits(25, d, seed=1)
    expected = nearest(queries, X, 5)
    engine = LSHNeighbors(5, metric="hamming", recall=1.0).fit(X)
    distances, found = engine.kneighbors(queries)
    assert_array_equal(distances, expected[0])
    assert_array_equal(found, expected[1])


@pytest.mark.parametrize("d", [8, 64, 200, 1024])
def test_bytes_of_eight_bits_are_the_same_as_booleans(d):
    X, queries = bits(2000, d), bits(50, d, seed=1)
    engine = LSHNeighbors(5, metric="hamming", random_state=0).fit(X)
    of_bytes = LSHNeighbors(5, metric="hamming", random_state=0).fit(packed(X))
    assert of_bytes.n_features_in_ == d // 8
    expected, found = engine.kneighbors(queries), of_bytes.kneighbors(packed(queries))
    assert_array_equal(found[0], expected[0])
    assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("family", ["balanced", "random_projection", "super_bit"])
def test_recall_is_reached(family):
    X = bits(9000)
    engine = LSHNeighbors(
        10, metric="hamming", hash_family=family, recall=0.9, random_state=0
    ).fit(X[:8500])
    expected, _ = nearest(X[8500:], X[:8500], 10)
    distances, _ = engine.kneighbors(X[8500:])
    recall = np.mean(distances <= expected[:, -1:])
    assert recall > 0.88
    assert engine.n_candidates_ < 4000
    assert engine.recall_report(X[8500:]).recall == pytest.approx(recall, abs=1e-12)


def test_a_transformer_to_bits_reads_zeros_and_ones():
    X, seen = bits(600), []

    def first_bits(rows):
        seen.append(rows)
        return rows[:, :4]

    family = FunctionTransformer(first_bits)
    LSHNeighbors(5, metric="hamming", hash_family=family).fit(X)
    assert_array_equal(np.unique(np.concatenate(seen)), [0, 1])
    assert {rows.shape[1] for rows in seen} == {X.shape[1]}


def test_rows_of_bits_change():
    X = bits(1500)
    engine = LSHNeighbors(5, metric="hamming", recall=1.0).fit(X[:600])
    for start in range(600, 1500, 300):
        engine.partial_fit(X[start : start + 300])
    engine.remove(np.arange(100, 300)).replace([7], X[1200:1201])
    rest = np.concatenate([X, X[1200:1201]])
    kept = np.setdiff1d(np.arange(1501), [7, *range(100, 300)])
    queries = bits(20, seed=2)
    distances, found = engine.kneighbors(queries)
    expected = nearest(queries, rest[kept], 5)
    assert_array_equal(distances, expected[0])
    assert_array_equal(found, kept[expected[1]])
    some = kept[::9]
    distances, found = engine.kneighbors(queries, filter=some)
    assert_array_equal(distances, nearest(queries, rest[some], 5)[0])


def test_radius_graph_and_training_rows():
    X = bits(400)
    engine = LSHNeighbors(3, metric="hamming", recall=1.0, radius=0.2).fit(X)
    distances, found = engine.radius_neighbors(X[:5])
    for i in range(5):
        shares = (X[i] != X).mean(axis=1)
        assert_array_equal(np.sort(found[i]), np.flatnonzero(shares <= 0.2))
        assert_array_equal(distances[i], shares[found[i]])
    alone, _ = engine.kneighbors()
    every = np.array([np.sort((x != X).mean(axis=1))[1:4] for x in X])
    assert_array_equal(alone, every)
    assert engine.transform(X[:4]).shape == (4, 400)


def test_shards_threads_and_pickles_of_bits():
    X, queries = bits(1000), bits(30, seed=3)
    expected = nearest(queries, X, 4)
    engine = LSHNeighbors(4, metric="hamming", recall=1.0)
    sharded = ShardedNeighbors(engine, n_shards=3).fit(X)
    loaded = pickle.loads(pickle.dumps(engine.set_params(n_jobs=2).fit(X)))
    for model in (sharded, loaded):
        distances, found = model.kneighbors(queries, 4)
        assert_array_equal(distances, expected[0])
        assert_array_equal(found, expected[1])


@pytest.mark.parametrize(
    "X", [np.eye(3), np.eye(3, dtype=int), np.eye(3, dtype=np.int8)]
)
def test_other_cells_than_bits_are_refused(X):
    with pytest.raises(ValueError, match=r"metric='hamming' .* take X.astype\(bool\)"):
        LSHNeighbors(1, metric="hamming").fit(X)


def test_queries_hold_bits_as_the_rows_did():
    engine = LSHNeighbors(1, metric="hamming").fit(bits(9, 16))
    with pytest.raises(ValueError, match="and bool as in fit, got uint8"):
        engine.kneighbors(np.zeros((1, 16), dtype=np.uint8))
    engine.fit(packed(bits(9, 16)))
    with pytest.raises(ValueError, match="expecting 2 features"):
        engine.kneighbors(bits(1, 16))
    with pytest.raises(ValueError, match="and uint8 as in fit, got bool"):
        engine.partial_fit(bits(1, 2))


def test_queries_are_read_by_the_metric_of_the_rows():
    X = np.arange(12.0).reshape(6, 2)
    engine = LSHNeighbors(1).fit(X).set_params(metric="hamming")
    assert_array_equal(engine.kneighbors(X[:2])[1], [[0], [1]])
    engine.fit(bits(9, 16)).set_params(metric="euclidean")
    assert engine.kneighbors(bits(1, 16))[0].shape == (1, 1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "inner_product"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("d", [6, 100])
def test_integers_of_one_byte_have_the_neighbours_of_floats(d, dtype, metric):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    rng = np.random.default_rng(d)
    X = rng.integers(low, high, size=(1200, d), endpoint=True).astype(dtype)
    X[0], X[1], X[2] = 0, low, high
    kept = X.copy()
    engine = LSHNeighbors(5, metric=metric, recall=1.0).fit(X[:900])
    engine.partial_fit(X[900:])
    of_floats = LSHNeighbors(5, metric=metric, recall=1.0).fit(X.astype(float))
    for queries in (X[:40], X[:40].astype(np.float32), X[:40].astype(float) + 0.25):
        expected = of_floats.kneighbors(queries.astype(float))
        distances, found = engine.kneighbors(queries)
        assert_allclose(distances, expected[0], rtol=1e-12, atol=1e-12)
        assert_array_equal(found, expected[1])
    assert_array_equal(X, kept)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_integers_of_one_byte_reach_the_recall(metric):
    rng = np.random.default_rng(0)
    centers = rng.integers(-60, 60, size=(30, 120))
    X = centers[rng.integers(30, size=8000)] + rng.normal(scale=20, size=(8000, 120))
    X = X.round().astype(np.int8)
    engine = LSHNeighbors(10, metric=metric, recall=0.9, random_state=0).fit(X[:7500])
    assert engine.n_candidates_ < 4000
    exact = LSHNeighbors(10, metric=metric, recall=1.0).fit(X[:7500].astype(float))
    farthest = exact.kneighbors(X[7500:].astype(float))[0][:, -1:]
    assert np.mean(engine.kneighbors(X[7500:])[0] <= farthest + 1e-12) > 0.88


def test_integers_of_one_byte_are_not_copied(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.random.default_rng(0).integers(99, size=(500, 8), dtype=np.int8))
    X = np.load(path, mmap_mode="r")
    engine = LSHNeighbors(3).fit(X)
    assert np.shares_memory(engine._search.index.rows.X, X)
    engine.partial_fit(np.asarray(X[:300]))
    assert engine._search._kept_rows().X.dtype == np.int8
