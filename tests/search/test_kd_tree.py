"""A kd-tree: every row in one leaf, tight boxes, balance for any rows."""

import pickle

import numpy as np
import pytest

from sklearn_bayeslazy.search._kd_tree import build_tree, select


def random_table(seed):
    """Return rows with many equal values: none, some or all columns constant."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 300), rng.integers(1, 6)
    X = rng.normal(size=(n, d)).round(rng.integers(0, 4))
    return X * (rng.random(d) < 0.8)


def rows_of(tree, i):
    return tree.order[tree.start[i] : tree.stop[i]]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("leaf_size", [1, 2, 3, 32])
def test_nodes_are_halves_with_tight_boxes(seed, leaf_size):
    X = random_table(seed)
    n = X.shape[0]
    tree = build_tree(X, leaf_size)
    n_nodes = 2 * tree.first_leaf + 1
    assert np.array_equal(np.sort(tree.order), np.arange(n))
    assert tree.start.shape == tree.stop.shape == (n_nodes,)
    assert (tree.start[0], tree.stop[0]) == (0, n)
    for i in range(n_nodes):
        rows = rows_of(tree, i)
        assert rows.size > 0
        assert np.array_equal(tree.lower[i], X[rows].min(axis=0))
        assert np.array_equal(tree.upper[i], X[rows].max(axis=0))
        if i < tree.first_leaf:
            low, high = 2 * i + 1, 2 * i + 2
            middle = (tree.start[i] + tree.stop[i]) // 2
            assert (tree.start[low], tree.stop[low]) == (tree.start[i], middle)
            assert (tree.start[high], tree.stop[high]) == (middle, tree.stop[i])
            axis = np.argmax(tree.upper[i] - tree.lower[i])
            # The rows of the lower half come first by (value, row number).
            pairs = sorted((X[row, axis], row) for row in rows)
            half = rows_of(tree, low).size
            assert {row for _, row in pairs[:half]} == set(rows_of(tree, low))
        else:
            assert rows.size <= max(leaf_size, 2 if leaf_size == 1 else 1)
            assert np.array_equal(rows, np.sort(rows))


@pytest.mark.parametrize("n", range(1, 70))
def test_the_tree_has_no_more_levels_than_leaves_need(n):
    tree = build_tree(np.arange(n)[:, None], leaf_size=4)
    n_leaves = tree.first_leaf + 1
    assert n_leaves == 1 or -(-n // (n_leaves // 2)) > 4
    assert -(-n // n_leaves) <= 4


@pytest.mark.parametrize("n", range(1, 20))
def test_leaves_of_one_row_are_never_empty(n):
    tree = build_tree(np.zeros((n, 2)), leaf_size=1)
    assert (tree.stop > tree.start).all()
    assert (tree.stop - tree.start)[tree.first_leaf :].max() <= 2


def test_one_row():
    tree = build_tree([[3.0, -1.0]])
    assert tree.first_leaf == 0
    assert tree.order.tolist() == [0]
    assert tree.lower.tolist() == tree.upper.tolist() == [[3.0, -1.0]]


def test_equal_rows_are_split_by_row_number():
    tree = build_tree(np.full((100, 3), 7.0), leaf_size=10)
    assert np.array_equal(tree.order, np.arange(100))


def test_the_tree_depends_on_the_table_alone():
    X = np.random.default_rng(0).normal(size=(500, 3)).round(1)
    one = build_tree(X)
    X.flags.writeable = False
    for other in [build_tree(X), build_tree(np.asfortranarray(X)), build_tree(X * 8)]:
        assert np.array_equal(one.order, other.order)
    assert build_tree(X).order is not one.order


def test_a_tree_survives_a_pickle():
    one = build_tree(np.random.default_rng(0).normal(size=(500, 3)))
    other = pickle.loads(pickle.dumps(one))
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name))


N = 4096
SHAPES = {
    "sorted": np.arange(N),
    "reversed": np.arange(N)[::-1],
    "constant": np.zeros(N),
    "organ pipe": np.minimum(np.arange(N), np.arange(N)[::-1]),
    "saw": np.arange(N) % 64,
    "two values": np.arange(N) % 2,
    "zeros of both signs": np.where(np.arange(N) % 3, 0.0, -0.0),
}


class Counted(np.ndarray):
    """An array that counts reads of its cells, for a kernel that runs as Python."""

    reads = 0

    def __getitem__(self, position):
        Counted.reads += 1
        return super().__getitem__(position)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("k", [0, N // 2, N - 1])
def test_the_median_is_found_in_linear_time(shape, k):
    key = SHAPES[shape].astype(float).copy()
    expected = sorted(zip(key.tolist(), range(N)))
    row = np.arange(N)
    Counted.reads = 0
    with np.errstate(over="ignore"):  # the generator wraps around
        select.py_func(key.view(Counted), row, 0, N, k)
    assert Counted.reads < 20 * N
    pairs = list(zip(key.tolist(), row.tolist()))
    assert sorted(pairs[:k]) == expected[:k]
    assert pairs[k] == expected[k]
