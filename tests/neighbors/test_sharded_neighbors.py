"""ShardedNeighbors gives the lists of one engine, for any shards and workers.

Code under test: `neighbors/_shard_clusters.py`.
"""

import pickle

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import (
    InvertedIndexNeighbors,
    LSHNeighbors,
    ShardedNeighbors,
    ShepardKNN,
)
from tests.helpers.lost_workers import end_process_once


def rows(n=400, n_columns=30, seed=0):
    """Return sparse rows with many equal distances."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(n, n_columns)).astype(np.float64)
    return sparse.csr_array(X)


@pytest.mark.parametrize("n_shards", [1, 2, 7, 90, 1000])
@pytest.mark.parametrize(
    "engine",
    [
        InvertedIndexNeighbors(6, metric="euclidean"),
        InvertedIndexNeighbors(6),
        LSHNeighbors(6, recall=1.0),
    ],
    ids=["euclidean", "cosine", "hashed"],
)
def test_shards_give_the_lists_of_one_engine(engine, n_shards):
    X, queries = rows(90), rows(50, seed=1)
    one = clone(engine).fit(X)
    shards = ShardedNeighbors(engine, n_shards).fit(X)
    assert shards.n_shards_ == min(n_shards, 90)
    for given in (queries, None):
        for ours, expected in zip(shards.kneighbors(given), one.kneighbors(given)):
            np.testing.assert_array_equal(ours, expected)
    assert (shards.transform(queries) != one.transform(queries)).nnz == 0


def test_a_scikit_learn_engine_can_be_sharded():
    X = np.random.default_rng(0).normal(size=(300, 4))
    shards = ShardedNeighbors(NearestNeighbors(), 3, n_neighbors=8, n_jobs=2).fit(X)
    distances, indices = shards.kneighbors(X)
    expected, expected_indices = NearestNeighbors(n_neighbors=8).fit(X).kneighbors(X)
    np.testing.assert_array_equal(indices, expected_indices)
    np.testing.assert_allclose(distances, expected, atol=1e-12)


def test_a_failed_fit_keeps_the_former_shards():
    X = rows()
    shards = ShardedNeighbors(InvertedIndexNeighbors(), 3).fit(X)
    before = shards.kneighbors(X)[1]
    with pytest.raises(ValueError, match="metric"):
        shards.set_params(engine__metric="nearest").fit(X)
    np.testing.assert_array_equal(shards.kneighbors(X)[1], before)
    with pytest.raises(ValueError, match="there are only 400 training rows"):
        shards.kneighbors(X, 401)


@pytest.mark.filterwarnings("ignore")  # warnings of distributed about sockets and sizes
def test_a_cluster_gives_the_lists_of_one_engine(cluster):
    X, queries = rows(), rows(50, seed=1)
    expected = InvertedIndexNeighbors(6).fit(X).kneighbors(queries)
    address = cluster.scheduler_address
    shards = ShardedNeighbors(InvertedIndexNeighbors(6), 3, client=address).fit(X)
    for found, single in zip(shards.kneighbors(queries), expected):
        np.testing.assert_array_equal(found, single)
    loaded = pickle.loads(pickle.dumps(shards))
    np.testing.assert_array_equal(loaded.kneighbors(queries)[1], expected[1])


class EngineThatDiesOnce(InvertedIndexNeighbors):
    """An engine that ends its worker process once, during a query."""

    def __init__(self, n_neighbors=5, *, marker=None):
        super().__init__(n_neighbors)
        self.marker = marker

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """End the process if no process has been ended before."""
        end_process_once(self.marker)
        return super().kneighbors(X, n_neighbors, return_distance)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_can_be_lost_during_a_query(cluster, tmp_path):
    from distributed import Client

    X, queries = rows(), rows(50, seed=1)
    expected = InvertedIndexNeighbors(6).fit(X).kneighbors(queries)
    with Client(cluster) as client:
        engine = EngineThatDiesOnce(6, marker=str(tmp_path / "marker"))
        shards = ShardedNeighbors(engine, 3, client=client).fit(X)
        found = shards.kneighbors(queries)
    assert (tmp_path / "marker").exists()
    for sharded, single in zip(found, expected):
        np.testing.assert_array_equal(sharded, single)


@pytest.mark.parametrize("engine", [ShepardKNN(6, metric="euclidean"), LSHNeighbors(6)])
def test_partitions_are_shards(engine):
    X, queries = rows().toarray(), rows(50, seed=1).toarray()
    y = np.arange(len(X)) % 2
    engine.set_params(**({"recall": 1.0} if isinstance(engine, LSHNeighbors) else {}))
    expected = clone(engine).fit(X, y).kneighbors(queries)
    parts = da.from_array(X, chunks=((150, 0, 250), 17))
    targets = da.from_array(y, chunks=((150, 0, 250),))
    shards = ShardedNeighbors(engine, client=None).fit(parts, targets)
    assert shards.n_shards_ == 2
    ours = shards.kneighbors(queries)
    lazy = shards.kneighbors(da.from_array(queries, chunks=(20, 30)))
    loaded = pickle.loads(pickle.dumps(shards)).kneighbors(queries)
    for answers in (ours, [array.compute() for array in lazy], loaded):
        np.testing.assert_allclose(answers[0], expected[0], rtol=1e-12)
        np.testing.assert_array_equal(answers[1], expected[1])
    with pytest.raises(ValueError, match="pass X"):
        shards.kneighbors()
    with pytest.raises(ValueError, match="there are only 400 training rows"):
        shards.kneighbors(queries, 401)
    with pytest.raises(ValueError, match="same partitions"):
        shards.fit(parts, da.from_array(y, chunks=100))
    with pytest.raises(ValueError, match="need a fit to a dask collection"):
        ShardedNeighbors(engine).fit(X, y).kneighbors(parts)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_with_partitions_can_be_lost_during_a_query(cluster, tmp_path):
    from distributed import Client

    X, queries = rows().toarray(), rows(50, seed=1).toarray()
    expected = InvertedIndexNeighbors(6).fit(sparse.csr_array(X)).kneighbors(queries)
    engine = EngineThatDiesOnce(6, marker=str(tmp_path / "marker"))
    with Client(cluster):
        shards = ShardedNeighbors(engine).fit(da.from_array(X, chunks=(150, 30)))
        found = shards.kneighbors(da.from_array(queries, chunks=(20, 30)))
        found = [array.compute() for array in found]
    assert (tmp_path / "marker").exists()
    for sharded, single in zip(found, expected):
        np.testing.assert_array_equal(sharded, single)


def test_targets_of_partitions_must_be_partitions():
    X = da.from_array(np.eye(6), chunks=(3, 6))
    with pytest.raises(ValueError, match="give y as one with the same partitions"):
        ShardedNeighbors(LSHNeighbors()).fit(X, np.zeros(6))
    with pytest.raises(ValueError, match="Expected a 2D dask array"):
        ShardedNeighbors(LSHNeighbors()).fit(X[0])
