"""Leaves of the tree that halves rows, and the rows that move between them.

Code under test: `search/_hashed/_hash_functions.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LSHNeighbors
from sklearn_bayeslazy.search._hashed import _hash_functions
from sklearn_bayeslazy.search._hashed._hash_functions import BalancedTree

N_BITS = 6


def grown(X):
    """Return a tree, the leaf of each row by its nodes, and its code."""
    tree, codes = BalancedTree.grow(X, N_BITS, np.random.RandomState(0))
    leaves = []
    for x in X[:, : tree.directions.shape[1]].astype(np.float64):
        node = 0
        while node < len(tree.thresholds):
            node = 2 * node + 1 + (tree.directions[node] @ x >= tree.thresholds[node])
        leaves.append(node - len(tree.thresholds))
    return tree, np.array(leaves), codes


@pytest.mark.parametrize("n_columns", [3, 16, 37])
def test_rows_move_to_the_nearest_mean_of_the_leaves_near_their_own(n_columns):
    X = np.random.default_rng(1).normal(size=(3000, n_columns)).astype(np.float32)
    tree, leaves, codes = grown(X)
    sizes = np.bincount(leaves)
    assert len(sizes) == 2**N_BITS
    assert np.ptp(sizes) <= 1
    means = np.array([X[leaves == b].mean(axis=0, dtype=float) for b in np.arange(64)])
    np.testing.assert_allclose(tree.means, means, rtol=1e-5, atol=1e-6)
    between = np.square(means[:, None] - means).sum(axis=2)
    nearest = np.argsort(between, axis=1)[:, : tree.near.shape[1]]
    np.testing.assert_array_equal(np.sort(tree.near), np.sort(nearest))
    np.testing.assert_array_equal(tree.near[:, 0], np.arange(64))
    apart = np.square(X[:, None] - means[tree.near[leaves]]).sum(axis=2)
    expected = tree.near[leaves, apart.argmin(axis=1)]
    np.testing.assert_array_equal(codes, expected)
    assert np.mean(codes != leaves) > 0.2
    np.testing.assert_array_equal(tree.codes(None, X), codes)
    np.testing.assert_array_equal(tree.codes(None, X[7:8]), codes[7:8])


def test_fewer_rows_are_read_than_without_moves(monkeypatch):
    X = np.random.default_rng(2).normal(size=(20_000, 8))
    engine = LSHNeighbors(10, random_state=0)
    n_read = engine.fit(X).n_read_
    monkeypatch.setattr(_hash_functions, "_MAX_LEAVES_TO_MOVE", 1)
    assert n_read < 0.8 * engine.fit(X).n_read_


def test_equal_rows_do_not_gather_in_one_bucket():
    X = np.full((3000, 5), 0.1, dtype=np.float32)
    X[:500] = np.random.default_rng(3).normal(size=(500, 5))
    _, _, codes = grown(X)
    copies = np.bincount(codes[500:], minlength=64)
    # The copies fill 53 leaves of 46 or 47 rows; those of leaves with other rows move.
    assert np.sum(np.isin(copies, (46, 47))) >= 40
    assert copies.max() < 0.2 * 2500


def test_trees_of_very_many_leaves_keep_rows_where_they_are(monkeypatch):
    monkeypatch.setattr(_hash_functions, "_MAX_LEAVES_TO_MOVE", 2**N_BITS - 1)
    X = np.random.default_rng(4).normal(size=(2000, 4)).astype(np.float32)
    tree, leaves, codes = grown(X)
    np.testing.assert_array_equal(codes, leaves)
    np.testing.assert_array_equal(tree.codes(None, X), leaves)
