"""Hash functions: they give each row the code of its bucket."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_chunks, map_tasks
from ._balanced_tree_kernels import descend_tree, grow_tree

# A tree uses the first columns of projections, which have the largest variance.
_MAX_TREE_COLUMNS = 24
# Each subtree below this level is grown by a separate parallel task.
_SUBTREE_LEVEL = 3
# Codes are non-negative int64 numbers; `HashBase` has the same limit of n_bits.
_MAX_BITS = 62


@dataclass(frozen=True, eq=False)
class BalancedTree:
    """A hash function with buckets of equal size: a tree that halves rows at medians.

    Attributes
    ----------
    directions : ndarray of shape (n_nodes, p), in the first p columns of projections
        Node i splits rows along its direction; its children are 2 i + 1 and 2 i + 2.
    thresholds : ndarray of shape (n_nodes,)
        A row goes to child 2 i + 2 if its coordinate is at least threshold i, else to
        child 2 i + 1.
    """

    directions: np.ndarray
    thresholds: np.ndarray

    @classmethod
    def grow(cls, projections, n_bits, rng, n_jobs=None):
        """Grow a tree on projections of training rows; return it and their codes."""
        n, p = projections.shape[0], min(projections.shape[1], _MAX_TREE_COLUMNS)
        n_nodes = 2**n_bits - 1
        order = np.arange(n)
        tree = cls(np.empty((n_nodes, p)), np.empty(n_nodes))
        tree_columns = frozen(projections[:, :p], np.float32)
        draws = frozen(rng.random((n_nodes, 2)), np.float64)
        arrays = tree_columns, draws, order, tree.directions, tree.thresholds
        top = min(n_bits, _SUBTREE_LEVEL)
        grow_tree(*arrays, 0, 0, top)
        map_tasks(
            lambda root: grow_tree(*arrays, root, top, n_bits - top),
            range(2**top - 1, 2 ** (top + 1) - 1),
            n_jobs=n_jobs,
        )
        # Leaf b holds order[n b >> n_bits : n (b + 1) >> n_bits], as in `grow_tree`.
        leaf_sizes = np.diff((n * np.arange(n_nodes + 2)) >> n_bits)
        codes = np.empty(n, dtype=np.int64)
        codes[order] = np.repeat(np.arange(n_nodes + 1), leaf_sizes)
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
        return codes


@dataclass(frozen=True, eq=False)
class TransformerHash:
    """A hash function whose code is the output of a transformer, bits of an integer.

    Attributes
    ----------
    hasher : fitted transformer
        Its `transform` returns an array of 0 and 1 of shape (n_rows, n_bits).
    """

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
