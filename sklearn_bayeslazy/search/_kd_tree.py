"""A balanced kd-tree, stored in flat arrays."""

from dataclasses import dataclass

import numpy as np

from .._core._kernel import frozen
from ._kd_tree_kernels import build


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
