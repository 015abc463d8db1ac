"""A treecode: Shepard's mean of all rows, within an error bound, from few of them.

Each row has the weight 1 / distance^power. Rows that lie together, far from a query,
have almost the same weight: they enter the sum at once, by their moments about their
center. The error of each node of the tree is bounded. The node with the largest bound
is opened next, until the bounds sum to no more than the error allowed.

The idea is that of Greengard and Rokhlin (1987), A fast algorithm for particle
simulations; the tree that of Barnes and Hut (1986), A hierarchical O(N log N)
force-calculation algorithm.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ...search import build_tree
from ._treecode_kernels import means, summarise


class Treecode(NamedTuple):
    """Rows in the order of a kd-tree, and the moments of its nodes."""

    # (n_rows, n_columns + 1 + n_targets): the point, the weight and the targets of each
    # row, leaf after leaf.
    rows: np.ndarray
    # (n_targets,): the least value of each target; moments are of the targets above it.
    low: np.ndarray
    # (n_nodes, 3 * n_columns + 3): of each node the lower and the upper corner of its
    # box, the center c (the weighted mean of its points), the radius R (the distance of
    # its farthest row), the weight Σ v and the third moment Σ v (|x - c| / R)³.
    nodes: np.ndarray
    # (n_nodes, 1 + n_targets, n_terms): of each node Σ v z δ for z = 1 and z = each
    # target, and δ = 1, each of the differences (x - c) / R, and the product of each
    # pair of them.
    moments: np.ndarray
    # (n_leaves + 1,) int64: where each leaf begins in `rows`, and the end. Children of
    # node i are 2 i + 1 and 2 i + 2, and leaves come last (see `KDTree`).
    leaf_start: np.ndarray


def build_treecode(X, Y, weight, leaf_size=32):
    """Return the treecode of rows and their targets."""
    # X: (n_rows, n_columns), finite numbers, of size between 1e-100 and 1e100 or 0; few
    # columns, and one row at least. Y: (n_rows, n_targets), finite numbers: one column
    # a class or output. weight: (n_rows,), above 0.
    # leaf_size: the largest number of rows of a leaf. Smaller leaves mean less work and
    # more memory.
    tree = build_tree(X, leaf_size)
    rows = np.column_stack([X, weight, Y]).astype(np.float64, copy=False)[tree.order]
    low = np.min(Y, axis=0).astype(np.float64, copy=False)
    nodes, moments = summarise(
        frozen(rows, np.float64),
        frozen(low, np.float64),
        frozen(tree.lower, np.float64),
        frozen(tree.upper, np.float64),
        frozen(tree.start, np.int64),
        frozen(tree.stop, np.int64),
    )
    leaf_start = np.append(tree.start[tree.first_leaf :], tree.order.size)
    return Treecode(rows, low, nodes, moments, leaf_start)


def weighted_means(treecode, queries, power, tol):
    """Return Shepard's means of all rows, each within an error of the exact one.

    >>> treecode = build_treecode([[0.0], [3.0]], [[1.0], [7.0]], weight=[1.0, 1.0])
    >>> means, _ = weighted_means(treecode, [[1.0], [3.0]], power=2.0, tol=0.01)
    >>> means  # (1/1 * 1 + 1/4 * 7) / (1/1 + 1/4), and a hit
    array([[2.2],
           [7. ]])
    """
    # queries: (m, n_columns), finite numbers; no answer depends on the other queries.
    # power: p > 0. tol: the largest error allowed, as a share of the range of a target,
    # from 0.
    # Returned are the means, (m, n_targets), where rows lie at distance 0 their
    # weighted mean; and work, (m,), how many nodes were measured and rows summed.
    #
    # The means are f(q) = Σ v_i w_i y_i / Σ v_i w_i with w_i = |q - x_i|⁻ᵖ.
    # The answer is the mean of the rows with other weights u ≥ 0 in place of w. So it
    # lies within the range of the targets, and the answers of one-hot classes sum to 1
    # (both up to rounding). From Σ v u (y - f) = Σ v (u - w) (y - f) follows
    #
    #     |answer - f| ≤ range Σ v |u - w| / Σ v u.
    #
    # Rows of opened leaves have u = w. Nodes are opened until the upper bounds of
    # Σ v |u - w| in the other nodes sum to tol Σ v u or less. Let r be the distance of
    # the query from the center c of a node, and R its radius. The bounds are:
    #
    # - For x = c + δ, t = |δ| / r and s the cosine between δ and q - c, the weight is
    #   w = r⁻ᵖ Σ_k C_k(s) tᵏ with the polynomials C_k of Gegenbauer of index p / 2,
    #   where |C_k| ≤ a_k = p (p + 1) … (p + k - 1) / k! (Abramowitz and Stegun, 22.9.3,
    #   22.14.2). Its terms up to k = 2 are u, and as a_{k+1} / a_k ≤ θ for k ≥ 3, with
    #   θ = max(1, (p + 3) / 4),
    #
    #       |u - w| ≤ r⁻ᵖ a_3 t³ / (1 - θ R / r).
    #
    #   Nodes are expanded so where θ R / r < 0.8. There u ≥ 0: it is r⁻ᵖ (1 + p x
    #   + p (p + 2) x² / 2 - p t² / 2) for x = s t, which has its least value at
    #   x = -1 / (p + 2), and that is not negative where t² ≤ (p + 4) / (p (p + 2)).
    # - All rows of a wider node have u = r⁻ᵖ, or the weight of the nearest row if that
    #   is less. Neither u nor w is above the weight at the distance of the box of the
    #   node, nor above that of the nearest row: nor is |u - w|.
    queries = frozen(queries, np.float64)
    out = np.zeros((queries.shape[0], treecode.low.size))
    work = np.zeros(queries.shape[0], dtype=np.int64)
    if queries.shape[0]:
        # Neighbouring queries read the same nodes. One after the other, they find
        # them in the cache.
        order = build_tree(queries, leaf_size=8).order
        means(
            Treecode(*map(frozen, treecode, [np.float64] * 4 + [np.int64])),
            queries,
            frozen(order, np.int64),
            float(power),
            float(tol),
            out,
            work,
        )
    return out, work
