"""ShardedNeighbors: the lists of one engine, whatever the shards and the workers."""

import os
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors, ShardedNeighbors


def rows(n=400, n_columns=30, seed=0):
    """Return sparse rows with many equal distances."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(n, n_columns)).astype(np.float64)
    return sparse.csr_array(X)


@pytest.mark.parametrize("n_shards", [1, 2, 7, 400, 1000])
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
    X, queries = rows(), rows(50, seed=1)
    one = clone(engine).fit(X)
    shards = ShardedNeighbors(engine, n_shards).fit(X)
    assert shards.n_shards_ == min(n_shards, 400)
    for given in (queries, None):
        for ours, wanted in zip(shards.kneighbors(given), one.kneighbors(given)):
            np.testing.assert_array_equal(ours, wanted)
    assert (shards.transform(queries) != one.transform(queries)).nnz == 0


def test_other_engines_serve_as_well():
    X = np.random.default_rng(0).normal(size=(300, 4))
    shards = ShardedNeighbors(NearestNeighbors(), 3, n_neighbors=8, n_jobs=2).fit(X)
    distances, ids = shards.kneighbors(X)
    wanted, wanted_ids = NearestNeighbors(n_neighbors=8).fit(X).kneighbors(X)
    np.testing.assert_array_equal(ids, wanted_ids)
    np.testing.assert_allclose(distances, wanted, atol=1e-12)


def test_a_failed_fit_leaves_the_former_shards():
    X = rows()
    shards = ShardedNeighbors(InvertedIndexNeighbors(), 3).fit(X)
    before = shards.kneighbors(X)[1]
    with pytest.raises(ValueError, match="metric"):
        shards.set_params(engine__metric="nearest").fit(X)
    np.testing.assert_array_equal(shards.kneighbors(X)[1], before)
    with pytest.raises(ValueError, match="there are only 400 training rows"):
        shards.kneighbors(X, 401)


@pytest.fixture(scope="module")
def cluster():
    """Return a cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
        silence_logs=50,
    ) as cluster:
        yield cluster


@pytest.mark.filterwarnings("ignore")  # distributed's own, about sockets and sizes
def test_a_cluster_gives_the_lists_of_one_engine(cluster):
    X, queries = rows(), rows(50, seed=1)
    wanted = InvertedIndexNeighbors(6).fit(X).kneighbors(queries)
    address = cluster.scheduler_address
    shards = ShardedNeighbors(InvertedIndexNeighbors(6), 3, client=address).fit(X)
    for ours, theirs in zip(shards.kneighbors(queries), wanted):
        np.testing.assert_array_equal(ours, theirs)
    loaded = pickle.loads(pickle.dumps(shards))
    np.testing.assert_array_equal(loaded.kneighbors(queries)[1], wanted[1])


class Mortal(InvertedIndexNeighbors):
    """An engine that takes its worker down once, in the middle of a query."""

    def __init__(self, n_neighbors=5, *, grave=None):
        super().__init__(n_neighbors)
        self.grave = grave

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Die, unless somebody has died before."""
        try:
            os.close(os.open(self.grave, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().kneighbors(X, n_neighbors, return_distance)
        os._exit(1)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_may_die_during_the_query(cluster, tmp_path):
    from distributed import Client

    X, queries = rows(), rows(50, seed=1)
    wanted = InvertedIndexNeighbors(6).fit(X).kneighbors(queries)
    with Client(cluster) as client:
        engine = Mortal(6, grave=str(tmp_path / "grave"))
        shards = ShardedNeighbors(engine, 3, client=client).fit(X)
        ours = shards.kneighbors(queries)
    assert (tmp_path / "grave").exists()
    for mine, theirs in zip(ours, wanted):
        np.testing.assert_array_equal(mine, theirs)
