"""A balanced kd-tree, stored in flat arrays."""

from dataclasses import dataclass

import numpy as np

from .._core._kernel import frozen, inlined, kernel


@dataclass(frozen=True, eq=False)
class KDTree:
    """Rows sorted into boxes: each node is the union of two halves, down to leaves."""

    # The children of node i are 2 i + 1 and 2 i + 2. All leaves are on the last level,
    # so no pointers are stored.

    order: np.ndarray  # (n_rows,), rows of one leaf after another, ascending in each
    # Node i holds the rows order[start[i] : stop[i]], at least one.
    start: np.ndarray  # (n_nodes,)
    stop: np.ndarray  # (n_nodes,)
    # Minimum and maximum of each column among the rows of a node.
    lower: np.ndarray  # (n_nodes, n_columns)
    upper: np.ndarray  # (n_nodes, n_columns)
    first_leaf: int  # the leaves are the nodes from this one to 2 first_leaf, the last


def build_tree(X, leaf_size=32):
    """Return the kd-tree of the rows of a table.

    >>> tree = build_tree([[0.0, 5.0], [9.0, 4.0], [1.0, 3.0], [8.0, 2.0]], leaf_size=2)
    >>> tree.order
    array([0, 2, 1, 3])
    >>> tree.lower[tree.first_leaf :]
    array([[0., 3.],
           [8., 2.]])
    """
    # X: (n_rows, n_columns), finite, one row at least. A node is split across the
    # widest side of its box, at the median by (value, row number). So the tree depends
    # on the table alone, and equal rows can be split too.
    # leaf_size: largest number of rows of a leaf, from 1. With 1, a leaf holds up to 2
    # rows if n_rows is no power of 2: all leaves are on one level, and none is empty.
    X = frozen(X, np.float64)
    n_levels = _n_levels(X.shape[0], leaf_size)
    n_leaves = 1 << n_levels
    order, start, stop, lower, upper = build(X, n_leaves - 1)
    return KDTree(order, start, stop, lower, upper, n_leaves - 1)


def _n_levels(n_rows, leaf_size):
    """Return how often to halve until a leaf has leaf_size rows at most, or one."""
    n_levels = 0
    while -(-n_rows >> n_levels) > leaf_size and n_rows >> (n_levels + 1):
        n_levels += 1
    return n_levels


# Numba kernels that build a kd-tree: bounding boxes, medians, halves.


@kernel
def build(X, first_leaf):
    """Return order, start, stop, lower and upper of the tree (see `KDTree`)."""
    # X: (n, d); the nodes from first_leaf on are leaves. Nodes are visited depth first:
    # the rows of most nodes are then in the cache.
    n, d = X.shape
    n_nodes = 2 * first_leaf + 1
    order = np.arange(n)
    key = np.empty(n)
    start = np.empty(n_nodes, dtype=np.int64)
    stop = np.empty(n_nodes, dtype=np.int64)
    lower = np.empty((n_nodes, d))
    upper = np.empty((n_nodes, d))
    start[0], stop[0] = 0, n
    i = 0
    while True:
        a, b = start[i], stop[i]
        bound(X, order, a, b, lower[i], upper[i])
        if i < first_leaf:
            axis, widest = 0, -1.0
            for k in range(d):
                width = upper[i, k] - lower[i, k]
                if width > widest:
                    axis, widest = k, width
            for j in range(a, b):
                key[j] = X[order[j], axis]
            middle = (a + b) // 2
            select(key, order, a, b, middle)
            start[2 * i + 1], stop[2 * i + 1] = a, middle
            start[2 * i + 2], stop[2 * i + 2] = middle, b
            i = 2 * i + 1
            continue
        sort_rows(order, a, b)
        while i > 0 and i % 2 == 0:  # both halves are done: go up
            i = (i - 1) // 2
        if i == 0:
            return order, start, stop, lower, upper
        i += 1  # from a left half to the right one


@inlined
def sort_rows(order, a, b):
    """Sort the numbers order[a:b] as Shell did; NumPy's sort compiles for long."""
    gap = b - a
    while gap > 1:
        gap = gap // 2 if gap < 8 else gap * 5 // 11  # the last gap is 1: by insertion
        for j in range(a + gap, b):
            row, i = order[j], j
            while i >= a + gap and order[i - gap] > row:
                order[i] = order[i - gap]
                i -= gap
            order[i] = row


@kernel
def bound(X, order, a, b, lower, upper):
    """Write the minimum and maximum of each column among the rows order[a:b]."""
    for k in range(X.shape[1]):
        lower[k] = upper[k] = X[order[a], k]
    for j in range(a + 1, b):
        row = order[j]
        for k in range(X.shape[1]):
            x = X[row, k]
            lower[k] = x if x < lower[k] else lower[k]
            upper[k] = x if x > upper[k] else upper[k]


@kernel
def select(key, row, a, b, k):
    """Reorder [a, b): the pairs (key, row) before k are then below those from k on."""
    # key and row are reordered in place. This is quickselect with Hoare's partition
    # scheme. All pairs differ, so the pairs before k do not depend on the pivots. A
    # pivot is the median of three positions drawn by a fixed generator: sorted or
    # periodic orders of the rows take no longer.
    last = b - 1
    state = np.uint64(88172645463325252)
    while a < last:
        span = np.uint64(last - a + 1)
        p, q, r = a, (a + last) // 2, last
        if span > 40:
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            p = a + np.int64((state & np.uint64(0xFFFFFFFF)) % span)
            q = a + np.int64((state >> np.uint64(32)) % span)
            r = a + np.int64((state >> np.uint64(16)) % span)
        if key[q] < key[p] or (key[q] == key[p] and row[q] < row[p]):
            p, q = q, p
        if key[r] < key[q] or (key[r] == key[q] and row[r] < row[q]):
            q = r
            if key[q] < key[p] or (key[q] == key[p] and row[q] < row[p]):
                q = p
        pivot, pivot_row = key[q], row[q]
        i, j = a, last
        while i <= j:
            while key[i] < pivot or (key[i] == pivot and row[i] < pivot_row):
                i += 1
            while key[j] > pivot or (key[j] == pivot and row[j] > pivot_row):
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                row[i], row[j] = row[j], row[i]
                i += 1
                j -= 1
        if k <= j:
            last = j
        elif k >= i:
            a = i
        else:
            return
