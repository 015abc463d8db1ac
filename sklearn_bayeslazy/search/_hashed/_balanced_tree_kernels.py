"""Numba kernels of the tree that halves projections at medians, and of its leaves."""

import numpy as np

from ..._core._kernel import inlined, kernel
from .._kd_tree_kernels import select

# Rows of a node, and steps of the power method, from which its direction is learnt.
_MAX_NODE_SAMPLE, _N_POWER_STEPS = 200, 4


@inlined
def _principal_direction(projections, rows, draw, direction):
    """Write an approximate principal direction of some of the rows."""
    # projections: (n, p); rows: row numbers; draw: (2,) uniform random numbers;
    # direction: (p,), written.
    # The power method, started from the difference of two random rows.
    p, size = len(direction), len(rows)
    n_some = min(size, _MAX_NODE_SAMPLE)
    some = np.empty((n_some, p))
    mean, product = np.empty(p), np.empty(p)
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
            largest = max(largest, abs(product[r]))
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
    projections, draws, order, directions, thresholds, root, root_level, depth
):
    """Halve the rows of a node, then the halves, and so on to a depth."""
    # projections: (n, p); draws: (n_nodes, 2), uniform random numbers. Written:
    # order: (n,), directions: (n_nodes, p), thresholds: (n_nodes,).
    # Node i has the children 2 i + 1 and 2 i + 2; node b of a level holds the rows
    # order[n b / 2^level : n (b + 1) / 2^level]. It is split at the median along its
    # direction. Equal rows are split by row number, so that leaves have equal sizes.
    n = len(order)
    root_b = root + 1 - (1 << root_level)
    start, stop = (n * root_b) >> root_level, (n * (root_b + 1)) >> root_level
    keys = np.empty(stop - start)
    for level in range(root_level, root_level + depth):
        n_nodes = 1 << (level - root_level)
        for b in range(root_b * n_nodes, (root_b + 1) * n_nodes):
            node = (1 << level) - 1 + b
            first, last = (n * b) >> level, (n * (b + 1)) >> level
            size = ((n * (2 * b + 1)) >> (level + 1)) - first
            rows, direction = order[first:last], directions[node]
            _principal_direction(projections, rows, draws[node], direction)
            for i in range(len(rows)):
                keys[i] = _coordinate(direction, projections[rows[i]])
            select(keys, rows, np.int64(0), len(rows), size)
            low, high = -np.inf, np.inf
            for i in range(size):
                low = max(low, keys[i])
            for i in range(size, len(rows)):
                high = min(high, keys[i])
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
def leaf_means(projections, order, starts, means):
    """Write the mean projection of each leaf into means."""
    # Leaf b has the rows order[starts[b] : starts[b + 1]]; means: (n_leaves, p). Sums
    # are in double precision: the mean of equal rows is that row, to the bit.
    total = np.empty(projections.shape[1])
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
