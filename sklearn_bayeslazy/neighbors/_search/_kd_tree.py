"""A balanced kd-tree as flat arrays: which rows lie near each other, box by box."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ._kd_tree_kernels import build


@dataclass(frozen=True, eq=False)
class KDTree:
    """Rows sorted into boxes, each the union of two halves, down to leaves of few rows.

    The children of node i are 2 i + 1 and 2 i + 2, and all leaves are on the last
    level, so that no pointers are stored.

    Attributes
    ----------
    order : ndarray of int64, shape (n_rows,)
        The rows leaf after leaf, ascending within a leaf.
    start, stop : ndarray of int64, shape (n_nodes,)
        Node i holds the rows ``order[start[i]:stop[i]]``, at least one.
    lower, upper : ndarray of float64, shape (n_nodes, n_columns)
        The least and the greatest value of each column among the rows of a node.
    first_leaf : int
        The leaves are the nodes from this one to ``2 * first_leaf``, the last.
    """

    order: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    first_leaf: int


def build_tree(X, leaf_size=32):
    """Return the kd-tree of the rows of a table.

    A node is cut across the widest side of its box, at the median by (value, row
    number): the tree depends on nothing but the table, and equal rows are cut as well
    as any others.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers, one row at least.
    leaf_size : int, default=32
        The most rows of a leaf, from 1. (For 1, a leaf holds up to 2 rows where
        `n_rows` is no power of 2: all leaves are on one level, and none is empty.)

    Returns
    -------
    KDTree

    Examples
    --------
    >>> tree = build_tree([[0.0, 5.0], [9.0, 4.0], [1.0, 3.0], [8.0, 2.0]], leaf_size=2)
    >>> tree.order
    array([0, 2, 1, 3])
    >>> tree.lower[tree.first_leaf :]
    array([[0., 3.],
           [8., 2.]])
    """
    X = frozen(X, np.float64)
    n_levels = _n_levels(X.shape[0], leaf_size)
    n_leaves = 1 << n_levels
    order, start, stop, lower, upper = build(X, n_leaves - 1)
    return KDTree(order, start, stop, lower, upper, n_leaves - 1)


def _n_levels(n_rows, leaf_size):
    """Return how often to halve: until leaves are small enough, or of one row."""
    n_levels = 0
    while -(-n_rows >> n_levels) > leaf_size and n_rows >> (n_levels + 1):
        n_levels += 1
    return n_levels
