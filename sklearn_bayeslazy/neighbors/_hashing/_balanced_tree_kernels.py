"""Numba kernels of the tree that halves sketches at medians."""

import numpy as np

from ..._kernel import inlined, kernel
from .._search import select

# A direction is learnt of so many rows of a node, in so many steps.
_NODE_SAMPLE, _NODE_STEPS = 200, 4


@inlined
def _principal_direction(sketches, rows, draw, direction):
    """Write the direction in which some of the rows vary most, or nearly.

    A random difference of two rows, made to turn there by steps of the power method.
    """
    p, size = len(direction), len(rows)
    n_some = min(size, _NODE_SAMPLE)
    some = np.empty((n_some, p))
    mean = np.zeros(p)
    for i in range(n_some):
        row = rows[i * size // n_some]
        for r in range(p):
            some[i, r] = sketches[row, r]
            mean[r] += some[i, r] / n_some
    for i in range(n_some):
        for r in range(p):
            some[i, r] -= mean[r]
    a = np.int64(draw[0] * n_some)
    b = (a + 1 + np.int64(draw[1] * (n_some - 1))) % n_some
    for r in range(p):
        direction[r] = some[a, r] - some[b, r]
    for _ in range(_NODE_STEPS):
        turned = np.zeros(p)
        for i in range(n_some):
            t = 0.0
            for r in range(p):
                t += some[i, r] * direction[r]
            for r in range(p):
                turned[r] += t * some[i, r]
        largest = 0.0
        for r in range(p):
            largest = max(largest, abs(turned[r]))
        if not 0.0 < largest < np.inf:  # rows equal, or at right angles to it
            return
        for r in range(p):
            direction[r] = turned[r] / largest


@inlined
def _along(direction, sketch):
    total = 0.0
    for r in range(len(direction)):
        total += direction[r] * sketch[r]
    return total


@kernel(reorder_sums=True)
def grow_tree(sketches, draws, order, directions, thresholds, root, root_level, depth):
    """Halve the rows of a node, then its halves, and so on to a depth.

    Node i has the children 2 i + 1 and 2 i + 2; node b of a level holds the rows
    ``order[n b / 2^level : n (b + 1) / 2^level]``. It is cut at the median along its
    direction; equal rows are cut by their numbers, so that leaves stay equal. draws, of
    shape (n_nodes, 2), are uniform numbers.
    """
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
            _principal_direction(sketches, rows, draws[node], direction)
            for i in range(len(rows)):
                keys[i] = _along(direction, sketches[rows[i]])
            select(keys, rows, 0, len(rows), size)
            low, high = -np.inf, np.inf
            for i in range(size):
                low = max(low, keys[i])
            for i in range(size, len(rows)):
                high = min(high, keys[i])
            thresholds[node] = low + (high - low) / 2


@kernel(reorder_sums=True)
def descend_tree(sketches, directions, thresholds, leaves):
    """Write the leaf to which each sketch belongs."""
    for i in range(len(sketches)):
        node = 0
        while node < len(thresholds):
            right = _along(directions[node], sketches[i]) >= thresholds[node]
            node = 2 * node + (2 if right else 1)
        leaves[i] = node - len(thresholds)
