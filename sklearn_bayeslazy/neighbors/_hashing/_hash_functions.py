"""Hash functions: they give each row the code of its bucket."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_chunks, map_tasks
from ._balanced_tree_kernels import descend_tree, grow_tree

# A tree uses the first columns of projections, which have the largest variance.
_MAX_TREE_COLUMNS = 24
# The subtrees below this level grow in tasks of their own.
_SUBTREE_LEVEL = 3
# Codes are signed integers of 64 bits.
_MAX_BITS = 62


@dataclass(frozen=True, eq=False)
class BalancedTree:
    """A hash function with buckets of equal size: a tree that halves rows at medians.

    Attributes
    ----------
    directions : ndarray of shape (n_nodes, p)
        Node i splits rows along its direction; its children are 2 i + 1 and 2 i + 2.
    thresholds : ndarray of shape (n_nodes,)
    """

    directions: np.ndarray
    thresholds: np.ndarray

    @classmethod
    def grow(cls, projections, n_bits, rng, n_jobs=None):
        """Return the tree of some rows, and the codes of these rows."""
        n, p = projections.shape[0], min(projections.shape[1], _MAX_TREE_COLUMNS)
        n_nodes = 2**n_bits - 1
        order = np.arange(n)
        tree = cls(np.empty((n_nodes, p)), np.empty(n_nodes))
        first = frozen(projections[:, :p], np.float32)
        draws = frozen(rng.random((n_nodes, 2)), np.float64)
        arrays = first, draws, order, tree.directions, tree.thresholds
        top = min(n_bits, _SUBTREE_LEVEL)
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

    def codes(self, rows, projections):
        """Return the codes of other rows."""
        codes = np.empty(len(projections), dtype=np.int64)
        descend_tree(
            frozen(projections, np.float32),
            frozen(self.directions, np.float64),
            frozen(self.thresholds, np.float64),
            codes,
        )
        return codes


@dataclass(frozen=True, eq=False)
class SideCodes:
    """A hash function that packs the bits of a transformer.

    Attributes
    ----------
    hasher : fitted transformer
    """

    hasher: object

    def codes(self, rows, projections):
        """Return the codes of rows: their bits as one integer."""
        codes = np.empty(len(projections), dtype=np.int64)

        def pack(some):
            bits = np.asarray(self.hasher.transform(rows.X[some]))
            if bits.ndim != 2 or len(bits) != some.stop - some.start:
                raise ValueError(
                    f"hash_family={self.hasher!r} must transform rows to an array of "
                    f"bits, a row each, got shape {bits.shape}."
                )
            if bits.shape[1] > _MAX_BITS or not np.isin(bits, (0, 1)).all():
                raise ValueError(
                    f"hash_family={self.hasher!r} must give at most {_MAX_BITS} bits, "
                    f"0 or 1, got {bits.shape[1]} numbers a row."
                )
            codes[some] = bits.astype(np.int64) @ (1 << np.arange(bits.shape[1]))

        map_chunks(pack, len(codes), 16 * rows.shape[1])
        return codes
