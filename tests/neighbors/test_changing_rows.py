"""Rows that are added, removed, replaced, named by ids and filtered.

Code under test: `neighbors/_changing_rows.py`, `search/_hashed/_changing_search.py`.
"""

import pickle
import threading
from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors, ShardedNeighbors

# With recall=1 all rows are read and measured: an exact engine.
ENGINES = {
    "dense": lambda: LSHNeighbors(3, recall=1.0, random_state=0),
    "sparse": lambda: LSHNeighbors(3, recall=1.0, random_state=0),
    "super_bit": lambda: LSHNeighbors(
        3, recall=1.0, hash_family="super_bit", random_state=0
    ),
    "inverted": lambda: InvertedIndexNeighbors(3, metric="euclidean"),
    "sharded": lambda: ShardedNeighbors(InvertedIndexNeighbors(metric="euclidean"), 3),
    "sharded, dense": lambda: ShardedNeighbors(LSHNeighbors(recall=1.0), 5),
    "inverted, dot": lambda: InvertedIndexNeighbors(3, metric="dot"),
}


def table(n, seed=0):
    """Return rows of small integers, of which many are equally far apart."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.6), 1)


def stored(name, X):
    return X if "dense" in name or name == "super_bit" else csr_array(X)


def distances_of(name, queries, rows):
    if name == "inverted, dot":
        return -queries @ rows.T
    return pairwise_distances(queries, rows)


class Model:
    """What an engine must answer: a dictionary of rows by position, in full."""

    def __init__(self):
        self.rows, self.ids, self.n_positions = {}, {}, 0

    def add(self, X, ids):
        for row, name in zip(X, ids):
            self.rows[self.n_positions] = row
            self.ids[name] = self.n_positions
            self.n_positions += 1

    def remove(self, ids):
        for name in ids:
            del self.rows[self.ids.pop(name)]

    def check(self, name, engine, queries, k, passing=None, **options):
        positions = np.array([p for p in self.rows if passing is None or p in passing])
        rows = np.array([self.rows[p] for p in positions])
        expected = np.sort(distances_of(name, queries, rows), axis=1)[:, :k]
        distances, found = engine.kneighbors(queries_of(name, queries), k, **options)
        np.testing.assert_allclose(distances, expected, atol=1e-6)
        assert np.isin(found, positions).all()
        assert all(len(set(row)) == k for row in found.tolist())
        apart = distances_of(name, queries, np.array([*self.rows.values()]))
        column = {position: j for j, position in enumerate(self.rows)}
        true = [
            [apart[i, column[position]] for position in row]
            for i, row in enumerate(found)
        ]
        np.testing.assert_allclose(true, expected, atol=1e-6)


def queries_of(name, queries):
    return stored(name, queries)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "replace", "add many"]), st.integers(1, 40)
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("has_ids", [False, True])
@pytest.mark.parametrize("name", ENGINES)
@settings(max_examples=12, deadline=None)
@given(changes=CHANGES, first=st.integers(5, 400), seed=st.integers(0, 9))
def test_answers_are_those_of_a_fresh_exact_search(name, has_ids, changes, first, seed):
    rng = np.random.default_rng(seed)
    engine, model, queries = ENGINES[name](), Model(), table(5, seed=99)

    def new(n):
        n_given = model.n_positions
        ids = [f"row {i}" if has_ids else i for i in range(n_given, n_given + n)]
        return table(n, seed=n_given), ids

    X, ids = new(first)
    engine.fit(stored(name, X), ids=ids if has_ids else None)
    model.add(X, ids)
    for change, n in changes:
        known = [*model.ids]
        some = [known[i] for i in rng.permutation(len(known))[:n]]
        if change.startswith("add"):
            X, ids = new(n if change == "add" else 10 * n)
            engine.partial_fit(stored(name, X), ids=ids if has_ids else None)
            model.add(X, ids)
        elif change == "remove" and len(known) > n + 3:
            engine.remove(some)
            model.remove(some)
        elif change == "replace":
            X, ids = new(len(some))
            engine.replace(some, stored(name, X))
            model.remove(some)
            model.add(X, some if has_ids else ids)
        if len(model.rows) < 4:
            continue
        assert engine.n_samples_fit_ == model.n_positions
        model.check(name, engine, queries, 3)
        allowed = rng.permutation([*model.rows])[: max(len(model.rows) // 3, 3)]
        mask = np.isin(np.arange(model.n_positions), allowed)
        model.check(name, engine, queries, 3, allowed, filter=mask)
        by_position = {position: name for name, position in model.ids.items()}
        names = [by_position[position] for position in allowed]
        model.check(name, engine, queries, 3, allowed, filter=names)
        found = engine.kneighbors(queries_of(name, queries), 3)[1]
        named = engine.kneighbors(queries_of(name, queries), 3, return_ids=True)[1]
        expected = [[by_position[position] for position in row] for row in found]
        assert named.tolist() == expected


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_recall_holds_after_rows_are_removed_and_replaced(kind):
    rng = np.random.default_rng(0)
    centers = 4 * rng.normal(size=(40, 10))

    def draw(n, shift=0.0):
        X = centers[rng.integers(40, size=n)] + shift + rng.normal(size=(n, 10))
        return X if kind == "dense" else csr_array(X * (rng.random(X.shape) < 0.4))

    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(draw(6000))
    read = engine.n_read_
    engine.remove(rng.permutation(6000)[:500])
    assert engine._search.alive is not None  # marked, not dropped
    assert engine.recall_report(draw(200)).recall > 0.87
    known = np.flatnonzero(engine._search.alive)
    some = rng.permutation(known)[:1800]  # 30 %, by rows that lie elsewhere
    engine.replace(some, draw(1800, shift=3.0))
    assert engine._search.alive is None  # built anew
    former, latter = engine.recall_report(draw(500)), draw(500, shift=3.0)
    latter = engine.recall_report(latter)
    assert 3700 / 5500 * former.recall + 1800 / 5500 * latter.recall > 0.88
    assert engine.n_samples_fit_ == 7800
    assert engine.n_read_ < 4 * read


@pytest.mark.parametrize("share", [0.003, 0.01, 0.1, 0.5])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_recall_holds_for_filtered_queries(kind, share):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10))[rng.integers(40, size=9000)] * 3
    X += rng.normal(size=X.shape)
    if kind == "sparse":
        X = csr_array(X * (rng.random(X.shape) < 0.4))
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X[:8800])
    for mask in (
        rng.random(8800) < share,
        np.arange(8800) < share * 8800,  # not spread like the others
    ):
        alone = LSHNeighbors(5, recall=1.0).fit(X[:8800][np.flatnonzero(mask)])
        exact = alone.kneighbors(X[8800:])[0]
        distances, found = engine.kneighbors(X[8800:], filter=mask)
        assert mask[found].all()
        assert np.mean(distances <= exact[:, -1:] + 1e-9) > 0.88
        near = engine.radius_neighbors(X[8800:], 1.0, filter=mask)[1]
        assert all(mask[rows].all() for rows in near)


def test_one_by_one_or_at_once_is_the_same_index():
    X, queries = table(3000, seed=1), table(50, seed=2)
    first = LSHNeighbors(5, recall=0.8, random_state=0).fit(X[:600])
    other = pickle.loads(pickle.dumps(first))
    for start in range(600, 3000, 83):
        first.partial_fit(X[start : min(start + 83, 3000)])
    other.partial_fit(X[600:])
    for a, b in zip(first.kneighbors(queries), other.kneighbors(queries)):
        assert_array_equal(a, b)
    assert first.n_read_ == other.n_read_
    assert first._search.n_built == 2400  # twice doubled


@pytest.mark.parametrize("name", ["dense", "inverted", "sharded"])
def test_ids_and_masks_are_checked(name):
    X = table(30)
    engine = ENGINES[name]().fit(stored(name, X), ids=[f"r{i}" for i in range(30)])
    one, two = stored(name, X[:1]), stored(name, X[:2])
    before = engine.kneighbors(two)
    for call, message in (
        (lambda: engine.partial_fit(one), "ids must be given to fit and to each"),
        (lambda: engine.partial_fit(one, ids=["r3"]), "'r3' is the id of a row"),
        (lambda: engine.partial_fit(two, ids=["a", "a"]), "'a' more than once"),
        (lambda: engine.partial_fit(two, ids=["a"]), "inconsistent numbers"),
        (lambda: engine.partial_fit(two, ids=[1.5, 2.0]), "integers or strings"),
        (lambda: engine.partial_fit(two, ids=[["a"], ["b"]]), "one dimension"),
        (lambda: engine.remove("r99"), "no row with id 'r99'"),
        (lambda: engine.remove(None), "integers or strings"),
        (lambda: engine.remove(["r1", "r1"]), "'r1' more than once"),
        (lambda: engine.remove([f"r{i}" for i in range(30)]), "at least one must"),
        (lambda: engine.replace("r99", one), "no row with id 'r99'"),
        (lambda: engine.replace("r1", two), "inconsistent numbers"),
        (lambda: engine.kneighbors(two, filter=np.ones(7, bool)), "a mask of shape"),
        (lambda: engine.kneighbors(two, filter=["r1"]), "only 1 training rows"),
        (lambda: engine.kneighbors(two, filter=[]), "only 0 training rows"),
        (lambda: engine.kneighbors(two, filter=[None]), "integers or strings"),
        (lambda: engine.fit(two, ids=["a", "a"]), "'a' more than once"),
        (lambda: engine.fit(two, ids=[True, False]), "integers or strings"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    for a, b in zip(engine.kneighbors(two), before):  # a failed change changes nothing
        assert_array_equal(a, b)
    without = ENGINES[name]().fit(stored(name, X))
    with pytest.raises(ValueError, match="'r1' is no position"):
        without.remove("r1")
    with pytest.raises(ValueError, match="no row with id 30"):
        without.remove(30)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        without.replace([3], two)
    with pytest.raises(ValueError, match="call fit with ids first"):
        without.partial_fit(one, ids=["a"])


@pytest.mark.parametrize("name", ["dense", "inverted", "sharded"])
def test_copies_add_rows_of_their_own(name):
    X = stored(name, table(32))
    engine = ENGINES[name]().fit(X[:30], ids=[f"r{i}" for i in range(30)])
    other = copy(engine)
    engine.partial_fit(X[30:31], ids=["a"])
    other.partial_fit(X[31:32], ids=["b"])
    for changed, own, foreign in ((engine, "a", "b"), (other, "b", "a")):
        with pytest.raises(ValueError, match=f"no row with id '{foreign}'"):
            changed.remove(foreign)
        assert changed.kneighbors(X[:1], 1, False, filter=[own]) == [[30]]
    engine.replace(["r2"], X[:1])
    other.remove(["r2", "b"])
    with pytest.raises(ValueError, match="no row with id 'r2'"):
        other.remove("r2")
    assert engine.kneighbors(X[:1], 1, False, filter=["r2"]) == [[31]]


@pytest.mark.parametrize("kind", [InvertedIndexNeighbors, LSHNeighbors])
def test_a_row_of_zeros_hides_no_nearer_row(kind):
    """Its cosine distance is 1, and not (|a|² + |b|²) / 2 - ab = 1/2."""
    angles = np.deg2rad([61, 75, 80])  # cosine distances above .5
    X = np.vstack([np.zeros((20, 2)), np.c_[np.cos(angles), np.sin(angles)]])
    engine = kind(n_neighbors=3, metric="cosine").fit(csr_array(np.eye(2)[[1, 1]]))
    engine.partial_fit(csr_array(X))
    distances, indices = engine.kneighbors(csr_array([[1.0, 0.0], [0.0, 0.0]]))
    assert_array_equal(indices, [[22, 23, 24], [0, 1, 2]])
    np.testing.assert_allclose(distances, [1 - np.cos(angles), [1, 1, 1]])


def test_ids_of_any_size_and_kind():
    X = table(4)
    for ids in (
        [7, 2**63 + 5, -1, 0],
        np.array([7, 2**63 + 5, 3, 0], dtype=np.uint64),
        ["a", 1, "1", 2],
        ["a", np.int64(1), "1", np.uint8(2)],
        np.array(["a", np.int64(1), "1", 2], dtype=object),
        np.array(["a", "b", "cc", "d"]),
    ):
        engine = LSHNeighbors(1).fit(X, ids=ids)
        found = engine.kneighbors(X, return_ids=True)[1]
        assert found.ravel().tolist() == list(ids)
        engine.remove(ids[1]).partial_fit(X[1:2], ids=[ids[1]])
        assert engine.kneighbors(X[1:2], return_ids=True)[1][0, 0] == ids[1]
        assert engine.kneighbors(X[1:2])[1][0, 0] == 4  # a new position


def test_removed_rows_are_in_no_list_or_graph():
    X = table(700)
    engine = LSHNeighbors(4, recall=1.0).fit(X)
    engine.remove([0, 5, 699]).partial_fit(X[:3])
    kept = np.setdiff1d(np.arange(703), [0, 5, 699])
    found = engine.kneighbors(return_distance=False)
    assert found.shape == (700, 4)
    assert not np.isin(found, [0, 5, 699]).any()
    assert not np.any(found == kept[:, None])
    graph = engine.kneighbors_graph()
    assert graph.shape == (703, 703)
    assert_array_equal(np.diff(graph.indptr)[kept], 4)
    assert graph[[0, 5, 699]].nnz == graph[:, [0, 5, 699]].nnz == 0
    within = engine.radius_neighbors(X, 0.5, return_distance=False)
    assert not np.isin(np.concatenate(within), [0, 5, 699]).any()
    assert 700 in within[0]  # the copy of row 0


def test_a_shard_whose_rows_are_all_removed_is_filled_again():
    X = table(12)
    shards = ShardedNeighbors(InvertedIndexNeighbors(metric="euclidean"), 3)
    shards.fit(csr_array(X[:9])).remove([3, 4, 5])  # the second shard
    assert shards.kneighbors(csr_array(X[3:6]), 6)[1].shape == (3, 6)
    shards.partial_fit(csr_array(X[9:]))
    found = shards.kneighbors(csr_array(X[9:]), 9)[1]
    assert sorted(found[0]) == [0, 1, 2, 6, 7, 8, 9, 10, 11]
    assert found[:, 0].tolist() == [9, 10, 11]
    shards.remove([10]).replace([9, 11], csr_array(X[3:5]))
    assert shards.kneighbors(csr_array(X[3:5]), 1)[1].ravel().tolist() == [12, 13]


def test_shards_that_cannot_change_say_so():
    shards = ShardedNeighbors(NearestNeighbors(), n_neighbors=2).fit(table(20))
    for call in (
        lambda: shards.remove(3),
        lambda: shards.kneighbors(table(2), filter=[1, 2, 3]),
    ):
        with pytest.raises(ValueError, match="got client=None and NearestNeighbors"):
            call()


@pytest.mark.parametrize("name", ["dense", "inverted", "sharded"])
def test_models_with_ids_can_be_stored(name):
    X = table(300)
    engine = ENGINES[name]().fit(stored(name, X), ids=[f"r{i}" for i in range(300)])
    engine.remove("r5").partial_fit(stored(name, X[5:6]), ids=["r5"])
    queries = stored(name, X[:20])
    for copied in (pickle.loads(pickle.dumps(engine)),):
        assert_array_equal(
            copied.kneighbors(queries, return_ids=True)[1],
            engine.kneighbors(queries, return_ids=True)[1],
        )
        copied.remove("r7")
        assert "r7" not in copied.kneighbors(queries, 3, return_ids=True)[1]
        assert engine.kneighbors(stored(name, X[7:8]), 1)[0][0, 0] < 1e-7


def test_threads_see_rows_before_or_after_a_change():
    """Each version of the two rows has its own place: no query finds one of each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    X[:2] = 100.0
    engine = LSHNeighbors(2, recall=1.0).fit(X, ids=np.arange(3000))
    versions, stop, wrong = np.arange(100, 400), threading.Event(), []

    def ask():
        while not stop.is_set():
            query = np.full((1, 4), 1000.0)
            distances, ids = engine.kneighbors(query, return_ids=True)
            filtered, _ = engine.kneighbors(query, filter=[0, 1, 2])
            for pair in (distances[0], filtered[0]):
                if abs(pair[0] - pair[1]) > 1e-9 or pair[0] > 1800.0:
                    wrong.append(pair)
            if sorted(ids[0]) != [0, 1]:
                wrong.append(ids)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for version in versions:
            engine.replace([0, 1], np.full((2, 4), float(version)))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_ids_come_in_sets_and_filters_by_keys_of_a_dictionary():
    X = table(30)
    engine = LSHNeighbors(1).fit(X, ids=[f"r{i}" for i in range(30)])
    found = engine.kneighbors(X[:3], filter={"r5"}, return_ids=True)[1]
    assert found.ravel().tolist() == ["r5"] * 3
    prices = {"r5": 1.0, "r7": 2.0}
    engine.remove({"r5"})
    found = engine.kneighbors(X[:3], filter=prices.keys(), return_ids=True)[1]
    assert found.ravel().tolist() == ["r7"] * 3


def test_rows_in_half_precision_are_stored_in_single_precision():
    X = table(300).astype(np.float16)
    engine = LSHNeighbors(3, recall=1.0).fit(X)
    assert engine._search.index.rows.X.dtype == np.float32
    expected = LSHNeighbors(3, recall=1.0).fit(X.astype(np.float32))
    for a, b in zip(engine.kneighbors(X[:9]), expected.kneighbors(X[:9])):
        assert_array_equal(a, b)


def test_sparse_rows_too_few_for_a_learned_bit_are_hashed_by_columns_for_good():
    rng = np.random.default_rng(0)
    X = csr_array(rng.random((1200, 8)) * (rng.random((1200, 8)) < 0.4))
    engine = LSHNeighbors(3, hash_family="learned", recall=1.0)
    engine.fit(X[:20], np.arange(20) % 2)
    for start, stop, n_built in ((20, 320, 320), (320, 1200, 640)):
        engine.partial_fit(X[start:stop])
        assert engine._search.n_built == n_built  # a new index
    assert_array_equal(engine.kneighbors(X, 1)[0], np.zeros((1200, 1)))
