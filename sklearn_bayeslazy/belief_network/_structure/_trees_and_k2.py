"""Trees and K2: structures that need no search over whole graphs."""

import numpy as np

from ..._core._parallel import map_tasks
from ._scores import mutual_information, score_rounding_error


def naive(n_nodes, target):
    """Return the graph in which the class is the only parent of each other node.

    >>> naive(3, 0)
    ((), (0,), (0,))
    """
    return tuple(() if node == target else (target,) for node in range(n_nodes))


def chow_liu(rows, root=0, n_jobs=None):
    """Return the tree with maximal total mutual information, directed from a root."""
    # Chow & Liu, "Approximating discrete probability distributions with dependence
    # trees", IEEE Trans. Information Theory 14, 1968. Ties go to the first nodes.
    nodes = range(rows.n_nodes)
    information = _pairwise_information(rows, list(nodes), n_jobs=n_jobs)
    parent = _maximum_spanning_tree(information, root)
    return tuple(() if parent[node] < 0 else (parent[node],) for node in nodes)


def tan(rows, target, n_jobs=None):
    """Return a tree of the features, each with the class as a further parent (TAN)."""
    # The tree has maximal total mutual information of two features given the class
    # (Friedman, Geiger & Goldszmidt, "Bayesian network classifiers", Machine Learning
    # 29, 1997).
    features = [node for node in range(rows.n_nodes) if node != target]
    parents = list(naive(rows.n_nodes, target))
    if features:
        information = _pairwise_information(rows, features, (target,), n_jobs)
        tree = _maximum_spanning_tree(information, 0)
        for node, parent in zip(features, tree):
            if parent >= 0:
                parents[node] = tuple(sorted((target, features[parent])))
    return tuple(parents)


def k2(scores, order, max_parents):
    """Return the graph that gives each node the best parents before it in an order."""
    # Cooper & Herskovits, "A Bayesian method for the induction of probabilistic
    # networks from data", Machine Learning 9, 1992.
    # scores: FamilyScores or LeaveOneOutScore; order: all nodes, parents before
    # children.
    nodes, parents = np.arange(len(order)), [()] * len(order)
    tolerance = score_rounding_error(0.0, scores.rows)
    for position, node in enumerate(order):
        while len(parents[node]) < max_parents:
            scores.set_graph(parents)
            allowed = np.isin(nodes, order[:position]) & ~np.isin(nodes, parents[node])
            others = np.flatnonzero(allowed & scores.can_add(node))
            if len(others) == 0:
                break
            gains = np.asarray(scores.gains_of_parents(node, others))
            # Up to rounding errors the first of the best, if any is above 0.
            if (least := gains.max() - tolerance) <= 0:
                break
            other = int(others[np.argmax(gains >= least)])
            parents[node] = tuple(sorted((*parents[node], other)))
    return tuple(parents)


def _pairwise_information(rows, nodes, given=(), n_jobs=None):
    """Return the mutual information of each two nodes, as a symmetric matrix."""
    # 0 where the table of counts would be too large.
    information = np.zeros((len(nodes), len(nodes)))

    position = {node: i for i, node in enumerate(nodes)}
    rows.count((*given, nodes[0]))  # computes what the threads share

    def fill_row(i):
        first = *given, nodes[i]
        for others in rows.searched_batches(first, nodes[:i]):
            tables = rows.count_with_each(first, others)
            parts = np.split(tables.counts, tables.starts[1:-1])
            for other, counts in zip(others, parts):
                counts = counts.reshape(rows.sizes[other], -1, rows.sizes[nodes[i]])
                counts = np.ascontiguousarray(np.moveaxis(counts, 0, 2))
                information[i, position[other]] = mutual_information(counts)

    map_tasks(fill_row, range(len(nodes))[::-1], n_jobs=n_jobs)  # the longest first
    return information + information.T


def _maximum_spanning_tree(weights, root):
    """Return each node's parent in the maximum spanning tree (Prim's algorithm)."""
    # -1 for the root, and for nodes whose weights are all 0.
    parent = np.full(len(weights), -1)
    outside = np.ones(len(weights), dtype=bool)
    best, source = weights[root].copy(), np.full(len(weights), root)
    outside[root] = False
    while outside.any():
        node = int(np.argmax(np.where(outside, best, -1.0)))
        parent[node] = source[node] if best[node] > 0 else -1
        outside[node] = False
        closer = outside & (weights[node] > best)
        best[closer], source[closer] = weights[node][closer], node
    return [int(node) for node in parent]
