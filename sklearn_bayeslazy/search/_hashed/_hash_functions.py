"""Hash functions: they give each row the code of its bucket."""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks, map_tasks
from ._balanced_tree_kernels import (
    descend_tree,
    grow_tree,
    leaf_means,
    move_to_nearest_mean,
)
from ._bucket_kernels import nearest_buckets, stored_means

# A tree uses the first columns of projections, which have the largest variance.
_MAX_TREE_COLUMNS = 24
# Each subtree below this level is grown by a separate parallel task.
_SUBTREE_LEVEL = 3
# A row moves to the nearest mean among this number of leaves near its leaf: more would
# hardly change what has to be read. If there are very many leaves, no row moves.
_N_NEAR_LEAVES, _MAX_LEAVES_TO_MOVE = 32, 2**15
# Codes are non-negative int64 numbers; `HashBase` has the same limit of n_bits.
_MAX_BITS = 62


@dataclass(frozen=True, eq=False)
class BalancedTree:
    """A hash function: a tree that halves rows at medians, and means of its leaves."""

    # The leaves hold equally many rows. Each row then moves to the leaf of the nearest
    # mean among those near its leaf, as in one step of k-means: a query finds its
    # neighbours in about 0.6 of the rows. Rows that are equal to the mean of their leaf
    # stay: so equal rows remain in many buckets.

    # (n_nodes, p'), in the first p' columns of projections. Node i splits rows along
    # its direction; its children are 2 i + 1 and 2 i + 2.
    directions: np.ndarray
    # (n_nodes,); a row goes to child 2 i + 2 if its coordinate is at least threshold i,
    # else to child 2 i + 1.
    thresholds: np.ndarray
    means: np.ndarray  # (n_leaves, p) float32, mean projections; (0, p) if no row moves
    # (n_leaves, n_near), each leaf and those of the nearest means: where its rows can
    # move.
    near: np.ndarray

    @classmethod
    def grow(cls, projections, n_bits, rng, n_jobs=None):
        """Grow a tree on projections of training rows; return it and their codes."""
        n, p = projections.shape[0], min(projections.shape[1], _MAX_TREE_COLUMNS)
        n_nodes = 2**n_bits - 1
        order = np.arange(n)
        directions, thresholds = np.empty((n_nodes, p)), np.empty(n_nodes)
        tree_columns = frozen(projections[:, :p], np.float32)
        draws = frozen(rng.random((n_nodes, 2)), np.float64)
        arrays = tree_columns, draws, order, directions, thresholds
        top = min(n_bits, _SUBTREE_LEVEL)
        grow_tree(*arrays, 0, 0, top)
        map_tasks(
            lambda root: grow_tree(*arrays, root, top, n_bits - top),
            range(2**top - 1, 2 ** (top + 1) - 1),
            n_jobs=n_jobs,
        )
        # Leaf b holds order[n b >> n_bits : n (b + 1) >> n_bits], as in `grow_tree`.
        starts = (n * np.arange(n_nodes + 2)) >> n_bits
        codes = np.empty(n, dtype=np.int64)
        codes[order] = np.repeat(np.arange(n_nodes + 1), np.diff(starts))
        means, near = _near_leaves(projections, order, starts, n_jobs)
        tree = cls(directions, thresholds, means, near)
        tree._move(projections, codes, n_jobs)
        return tree, codes

    def codes(self, rows, projections):
        """Return the codes of new rows, of which only the projections are read."""
        codes = np.empty(len(projections), dtype=np.int64)
        descend_tree(
            frozen(projections, np.float32),
            frozen(self.directions, np.float64),
            frozen(self.thresholds, np.float64),
            codes,
        )
        self._move(projections, codes, n_jobs=1)
        return codes

    def _move(self, projections, codes, n_jobs):
        """Replace the leaves of rows by those of the nearest means."""
        arrays = frozen(self.means, np.float32), frozen(self.near, np.int64)
        projections = frozen(projections, np.float32)

        def move(some):
            move_to_nearest_mean(projections[some], *arrays, codes[some])

        if self.near.shape[1] > 1:
            map_chunks(move, len(codes), 4 * self.means.shape[1], n_jobs=n_jobs)


def _near_leaves(projections, order, starts, n_jobs):
    """Return the mean projections of leaves, and where the rows of each can move."""
    n_leaves, p = len(starts) - 1, projections.shape[1]
    leaves = np.arange(n_leaves)
    if n_leaves > _MAX_LEAVES_TO_MOVE:
        return np.empty((0, p), dtype=np.float32), leaves[:, None]
    means = np.empty((n_leaves, p), dtype=np.float32)
    leaf_means(
        frozen(projections, np.float32),
        frozen(order, np.int64),
        frozen(starts, np.int64),
        means,
    )
    near = np.empty((n_leaves, min(_N_NEAR_LEAVES, n_leaves)), dtype=np.int64)

    centers, ones = stored_means(means), np.ones(n_leaves, dtype=np.int64)

    def find(some):
        near[some] = nearest_buckets(
            centers, ones, means[some], leaves[some], near.shape[1]
        )[0]

    map_chunks(find, n_leaves, 4 * n_leaves, n_jobs=n_jobs)
    return means, near


@dataclass(frozen=True, eq=False)
class TransformerHash:
    """A hash function whose code is the output of a transformer, bits of an integer."""

    # A fitted transformer, whose `transform` returns 0 and 1, (n_rows, n_bits).
    hasher: object

    def codes(self, rows, projections):
        """Return the codes of rows: their bits as one integer."""
        codes = np.empty(len(projections), dtype=np.int64)

        def pack(some):
            bits = np.asarray(self.hasher.transform(rows.X[some]))
            if bits.ndim != 2 or len(bits) != some.stop - some.start:
                raise ValueError(
                    f"hash_family={self.hasher!r} must return a 2-D array of bits with "
                    f"{some.stop - some.start} rows, got shape {bits.shape}."
                )
            if bits.shape[1] > _MAX_BITS:
                raise ValueError(
                    f"hash_family={self.hasher!r} must return at most {_MAX_BITS} bits "
                    f"per row, got {bits.shape[1]}."
                )
            if not np.isin(bits, (0, 1)).all():
                raise ValueError(
                    f"hash_family={self.hasher!r} must return only the values 0 and 1."
                )
            codes[some] = bits.astype(np.int64) @ (1 << np.arange(bits.shape[1]))

        map_chunks(pack, len(codes), 16 * rows.shape[1])
        return codes
