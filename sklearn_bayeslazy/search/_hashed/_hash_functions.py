"""Hash functions: they give each row the code of its bucket."""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen, inlined, kernel
from ..._core._parallel import map_chunks, map_tasks
from .._kd_tree import select
from ._bucket_kernels import BucketMeans

# A tree uses the first columns of projections, which have the largest variance.
_MAX_TREE_COLUMNS = 24
# Each subtree below this level is grown by a separate parallel task.
_SUBTREE_LEVEL = 3
# A row moves to the nearest mean among this number of leaves near its leaf: more would
# hardly change what has to be read. If there are very many leaves, no row moves.
_N_NEAR_LEAVES, _MAX_LEAVES_TO_MOVE = 32, 2**15
# Codes are non-negative int64 numbers.
MAX_BITS = 62


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

        def grow(root, level, depth):
            n_rows = -(-n >> level)  # of the largest node of the level
            some, keys = np.empty((_MAX_NODE_SAMPLE, p)), np.empty(n_rows)
            mean, product = np.empty(p), np.empty(p)
            grow_tree(*arrays, root, level, depth, keys, some, mean, product)

        grow(0, 0, top)
        map_tasks(
            lambda root: grow(root, top, n_bits - top),
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
        np.empty(p),
    )
    near = np.empty((n_leaves, min(_N_NEAR_LEAVES, n_leaves)), dtype=np.int64)

    of_one_row_each = BucketMeans(means, np.ones(n_leaves, dtype=np.int64))

    def find(some):
        n_near = near.shape[1]
        near[some] = of_one_row_each.nearest(means[some], leaves[some], n_near)[0]

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
            bits = np.asarray(self.hasher.transform(rows[some].cells))
            if bits.ndim != 2 or len(bits) != some.stop - some.start:
                raise ValueError(
                    f"hash_family={self.hasher!r} must return a 2-D array of bits with "
                    f"{some.stop - some.start} rows, got shape {bits.shape}."
                )
            if bits.shape[1] > MAX_BITS:
                raise ValueError(
                    f"hash_family={self.hasher!r} must return at most {MAX_BITS} bits "
                    f"per row, got {bits.shape[1]}."
                )
            if not np.isin(bits, (0, 1)).all():
                raise ValueError(
                    f"hash_family={self.hasher!r} must return only the values 0 and 1."
                )
            codes[some] = bits.astype(np.int64) @ (1 << np.arange(bits.shape[1]))

        map_chunks(pack, len(codes), 16 * rows.shape[1])
        return codes


# Numba kernels of the tree that halves projections at medians, and of its leaves.


# Rows of a node, and steps of the power method, from which its direction is learnt.
_MAX_NODE_SAMPLE, _N_POWER_STEPS = 200, 4


@inlined
def _principal_direction(projections, rows, draw, direction, some, mean, product):
    """Write an approximate principal direction of some of the rows."""
    # projections: (n, p); rows: row numbers; draw: (2,) uniform random numbers;
    # direction: (p,), written. Scratch: some: (_MAX_NODE_SAMPLE, p); mean, product:
    # (p,).
    # The power method, started from the difference of two random rows.
    p, size = len(direction), len(rows)
    n_some = size if size < _MAX_NODE_SAMPLE else _MAX_NODE_SAMPLE
    for r in range(p):
        mean[r] = 0.0
    for i in range(n_some):
        row = rows[i * size // n_some]
        for r in range(p):
            some[i, r] = projections[row, r]
            mean[r] += some[i, r] / n_some
    for i in range(n_some):
        for r in range(p):
            some[i, r] -= mean[r]
    a = np.int64(draw[0] * n_some)
    b = (a + 1 + np.int64(draw[1] * (n_some - 1))) % n_some
    for r in range(p):
        direction[r] = some[a, r] - some[b, r]
    for _ in range(_N_POWER_STEPS):
        for r in range(p):
            product[r] = 0.0
        for i in range(n_some):
            t = 0.0
            for r in range(p):
                t += some[i, r] * direction[r]
            for r in range(p):
                product[r] += t * some[i, r]
        largest = 0.0
        for r in range(p):
            t = product[r] if product[r] > 0.0 else -product[r]
            largest = t if t > largest else largest
        if not 0.0 < largest < np.inf:  # equal rows, or all at right angles to it
            return
        for r in range(p):
            direction[r] = product[r] / largest


@inlined
def _coordinate(direction, projection):
    """Return the coordinate of a projection along a direction."""
    total = 0.0
    for r in range(len(direction)):
        total += direction[r] * projection[r]
    return total


@kernel(reorder_sums=True)
def grow_tree(
    projections,
    draws,
    order,
    directions,
    thresholds,
    root,
    root_level,
    depth,
    keys,
    some,
    mean,
    product,
):
    """Halve the rows of a node, then the halves, and so on to a depth."""
    # projections: (n, p); draws: (n_nodes, 2), uniform random numbers. Written:
    # order: (n,), directions: (n_nodes, p), thresholds: (n_nodes,).
    # Scratch: keys: one for each row of the root; some, mean, product: as in
    # `_principal_direction`.
    # Node i has the children 2 i + 1 and 2 i + 2; node b of a level holds the rows
    # order[n b / 2^level : n (b + 1) / 2^level]. It is split at the median along its
    # direction. Equal rows are split by row number, so that leaves have equal sizes.
    n = len(order)
    root_b = root + 1 - (1 << root_level)
    for level in range(root_level, root_level + depth):
        n_nodes = 1 << (level - root_level)
        for b in range(root_b * n_nodes, (root_b + 1) * n_nodes):
            node = (1 << level) - 1 + b
            first, last = (n * b) >> level, (n * (b + 1)) >> level
            size = ((n * (2 * b + 1)) >> (level + 1)) - first
            rows, direction = order[first:last], directions[node]
            _principal_direction(
                projections, rows, draws[node], direction, some, mean, product
            )
            for i in range(len(rows)):
                keys[i] = _coordinate(direction, projections[rows[i]])
            select(keys, rows, np.int64(0), len(rows), size)
            low, high = -np.inf, np.inf
            for i in range(size):
                low = keys[i] if keys[i] > low else low
            for i in range(size, len(rows)):
                high = keys[i] if keys[i] < high else high
            thresholds[node] = low + (high - low) / 2


@kernel(reorder_sums=True)
def descend_tree(projections, directions, thresholds, leaves):
    """Write the leaf to which each projection belongs."""
    for i in range(len(projections)):
        node = 0
        while node < len(thresholds):
            right = _coordinate(directions[node], projections[i]) >= thresholds[node]
            node = 2 * node + (2 if right else 1)
        leaves[i] = node - len(thresholds)


@kernel
def leaf_means(projections, order, starts, means, total):
    """Write the mean projection of each leaf into means."""
    # Leaf b has the rows order[starts[b] : starts[b + 1]]; means: (n_leaves, p). Sums
    # are in double precision: the mean of equal rows is that row, to the bit. total:
    # (p,), scratch.
    for b in range(len(means)):
        for r in range(len(total)):
            total[r] = 0.0
        for i in range(starts[b], starts[b + 1]):
            projection = projections[order[i]]
            for r in range(len(total)):
                total[r] += projection[r]
        for r in range(len(total)):
            means[b, r] = total[r] / (starts[b + 1] - starts[b])


@kernel(reorder_sums=True, fuse_products=True)
def move_to_nearest_mean(projections, means, near, leaves):
    """Replace each row's leaf by the one of the nearest mean, of those near it."""
    # projections: (n, p); means: (n_leaves, p); near: (n_leaves, n_near); leaves: (n,),
    # overwritten.
    # near[b] holds leaf b first; other leaves must have nearer means than all before.
    for i in range(len(leaves)):
        projection, candidates = projections[i], near[leaves[i]]
        least = np.float32(np.inf)
        for leaf in candidates:
            mean, total = means[leaf], np.float32(0.0)
            for r in range(len(mean)):
                t = mean[r] - projection[r]
                total += t * t
            if total < least:
                leaves[i], least = leaf, total
