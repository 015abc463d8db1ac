"""Trees and K2: structures that are found without search over whole graphs."""

import numpy as np

from ..._parallel import map_tasks
from ._scores import mutual_information


def naive(n_nodes, target):
    """Return the graph in which the target is the one parent of each other node.

    >>> naive(3, 0)
    ((), (0,), (0,))
    """
    return tuple(() if node == target else (target,) for node in range(n_nodes))


def chow_liu(rows, root=0, n_jobs=None):
    """Return the tree that keeps most of the mutual information, from a root.

    Chow & Liu, "Approximating discrete probability distributions with dependence
    trees", *IEEE Trans. Information Theory* 14, 1968. Ties go to the nodes named
    first.
    """
    nodes = range(len(rows.sizes))
    parent = _spanning_tree(_informations(rows, list(nodes), n_jobs=n_jobs), root)
    return tuple(() if parent[node] < 0 else (parent[node],) for node in nodes)


def tan(rows, target, n_jobs=None):
    """Return the tree of the features given the target, which is a parent of all.

    Friedman, Geiger & Goldszmidt, "Bayesian network classifiers", *Machine Learning*
    29, 1997: the weights are the mutual information of two features given the class.
    """
    features = [node for node in range(len(rows.sizes)) if node != target]
    parents = list(naive(len(rows.sizes), target))
    if features:
        tree = _spanning_tree(_informations(rows, features, (target,), n_jobs), 0)
        for node, parent in zip(features, tree):
            if parent >= 0:
                parents[node] = tuple(sorted((target, features[parent])))
    return tuple(parents)


def k2(scores, order, max_parents):
    """Return the graph that adds to each node the best parents before it in an order.

    Cooper & Herskovits, "A Bayesian method for the induction of probabilistic networks
    from data", *Machine Learning* 9, 1992.

    Parameters
    ----------
    scores : FamilyScores or LeaveOneOutScore
    order : sequence of int
        All nodes, causes first.
    max_parents : int
    """
    parents = [()] * len(order)
    for place, node in enumerate(order):
        while len(parents[node]) < max_parents:
            scores.go_to(parents)
            gains = {
                other: scores.gain({node: (*parents[node], other)})
                for other in sorted(order[:place])
                if other not in parents[node]
            }
            if not gains or max(gains.values()) <= 0:
                break
            other = max(gains, key=gains.get)
            parents[node] = tuple(sorted((*parents[node], other)))
    return tuple(parents)


def _informations(rows, nodes, given=(), n_jobs=None):
    """Return the mutual information of each two nodes, as a symmetric matrix."""
    weights = np.zeros((len(nodes), len(nodes)))

    def weigh(i):
        for j, other in enumerate(nodes[:i]):
            family = (*given, nodes[i], other)
            if rows.is_small(family):
                weights[i, j] = mutual_information(rows.count(family))

    map_tasks(weigh, range(len(nodes))[::-1], n_jobs=n_jobs)  # the longest first
    return weights + weights.T


def _spanning_tree(weights, root):
    """Return the parent of each node in the heaviest tree, -1 for the root (Prim).

    Where nothing binds a node to the others it is a root, too.
    """
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
    return [int(some) for some in parent]
