"""Hash functions: what gives rows the codes of their buckets."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_chunks, map_tasks
from ._balanced_tree_kernels import descend_tree, grow_tree

# Trees cut across the first columns of sketches, which vary most.
_TREE_WIDTH = 24
# The subtrees below so many levels grow side by side.
_SUBTREES = 3
# Codes are signed numbers of 64 bits.
_MOST_BITS = 62


@dataclass(frozen=True, eq=False)
class BalancedTree:
    """A hash function whose buckets are equal: a tree that halves rows at medians.

    Attributes
    ----------
    directions : ndarray of shape (n_nodes, p)
        Node i cuts across it, and has the children 2 i + 1 and 2 i + 2.
    thresholds : ndarray of shape (n_nodes,)
    """

    directions: np.ndarray
    thresholds: np.ndarray

    @classmethod
    def grow(cls, sketches, n_bits, rng, n_jobs=None):
        """Return the tree of some rows, and their codes."""
        n, p = sketches.shape[0], min(sketches.shape[1], _TREE_WIDTH)
        n_nodes = 2**n_bits - 1
        order = np.arange(n)
        tree = cls(np.empty((n_nodes, p)), np.empty(n_nodes))
        first = frozen(sketches[:, :p], np.float32)
        draws = frozen(rng.random((n_nodes, 2)), np.float64)
        arrays = first, draws, order, tree.directions, tree.thresholds
        top = min(n_bits, _SUBTREES)
        grow_tree(*arrays, 0, 0, top)
        map_tasks(
            lambda root: grow_tree(*arrays, root, top, n_bits - top),
            range(2**top - 1, 2 ** (top + 1) - 1),
            n_jobs=n_jobs,
        )
        sizes = np.diff((n * np.arange(n_nodes + 2)) >> n_bits)
        codes = np.empty(n, dtype=np.int64)
        codes[order] = np.repeat(np.arange(n_nodes + 1), sizes)
        return tree, codes

    def codes(self, rows, sketches):
        """Return the codes of other rows."""
        codes = np.empty(len(sketches), dtype=np.int64)
        descend_tree(
            frozen(sketches, np.float32),
            frozen(self.directions, np.float64),
            frozen(self.thresholds, np.float64),
            codes,
        )
        return codes


@dataclass(frozen=True, eq=False)
class SideCodes:
    """A hash function of bits, which a transformer gives.

    Attributes
    ----------
    hasher : fitted transformer
    """

    hasher: object

    def codes(self, rows, sketches):
        """Return the codes of rows: their bits as a number."""
        codes = np.empty(len(sketches), dtype=np.int64)

        def pack(some):
            bits = np.asarray(self.hasher.transform(rows.X[some]))
            if bits.ndim != 2 or len(bits) != some.stop - some.start:
                raise ValueError(
                    f"hash_family={self.hasher!r} must transform rows to an array of "
                    f"bits, a row each, got shape {bits.shape}."
                )
            if bits.shape[1] > _MOST_BITS or not np.isin(bits, (0, 1)).all():
                raise ValueError(
                    f"hash_family={self.hasher!r} must give at most {_MOST_BITS} bits, "
                    f"0 or 1, got {bits.shape[1]} numbers a row."
                )
            codes[some] = bits.astype(np.int64) @ (1 << np.arange(bits.shape[1]))

        map_chunks(pack, len(codes), 16 * rows.shape[1])
        return codes
