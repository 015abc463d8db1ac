"""Trees and K2: structures that need no search over whole graphs."""

from functools import partial

import numpy as np
from scipy.special import xlogy

from ..._core._parallel import map_tasks
from .._graph import maximum_spanning_tree
from ._scores import (
    informations_beyond_chance,
    mutual_informations,
    score_rounding_error,
)

# Decimals of information, in nats, that are compared: others are rounding errors.
_DECIMALS = 10


def naive(n_nodes, target):
    """Return the graph in which the class is the only parent of each other node.

    >>> naive(3, 0)
    ((), (0,), (0,))
    """
    return tuple(() if node == target else (target,) for node in range(n_nodes))


def chow_liu(rows, root=None, n_jobs=None):
    """Return the tree with maximal total mutual information, directed from a root."""
    # Chow & Liu, "Approximating discrete probability distributions with dependence
    # trees", IEEE Trans. Information Theory 14, 1968. By default the root is the node
    # with the most information about all others.
    nodes = list(range(rows.n_nodes))
    information = _pairwise_information(rows, nodes, mutual_informations, (), n_jobs)
    order = most_first(information.sum(axis=1), [rows.count((v,)) for v in nodes])
    if root is not None:
        order = np.concatenate([[root], order[order != root]])
    tree, _ = maximum_spanning_tree(information[np.ix_(order, order)])
    parents = [()] * len(nodes)
    for position, parent in enumerate(tree):
        if parent >= 0:
            parents[order[position]] = (int(order[parent]),)
    return tuple(parents)


def tan(rows, target, n_jobs=None):
    """Return a tree of the features, each with the class as a further parent (TAN)."""
    # The tree has maximal total mutual information of two features given the class
    # (Friedman, Geiger & Goldszmidt, "Bayesian network classifiers", Machine Learning
    # 29, 1997).
    return _augmented_naive(rows, target, mutual_informations, n_jobs)


def fan(rows, target, n_jobs=None):
    """Return trees of features that tell of each other, with the class as a parent."""
    # Forest-augmented naive Bayes (Lucas, "Restricted Bayesian network structure
    # learning", in Advances in Bayesian Networks, 2004): as TAN, but arcs without
    # information are left out. Here these are those with no more than chance gives:
    # "tan" makes a name that no other row has the parent of all features.
    measure = partial(informations_beyond_chance, rows_per_weight=rows.rows_per_weight)
    return _augmented_naive(rows, target, measure, n_jobs)


def _augmented_naive(rows, target, measure, n_jobs):
    """Return the graph of "naive", and arcs of most information between features."""
    # The authors leave the root open: it is the feature with the most information about
    # the class.
    features = [node for node in range(rows.n_nodes) if node != target]
    parents = list(naive(rows.n_nodes, target))
    if features:
        tables = [
            rows.count((target, v)) if rows.is_small((target, v)) else np.ones((1, 1))
            for v in features
        ]
        about_class = [measure(counts[None, None])[0] for counts in tables]
        order = most_first(about_class, [counts.sum(axis=0) for counts in tables])
        features = [features[i] for i in order]
        information = _pairwise_information(rows, features, measure, (target,), n_jobs)
        tree, _ = maximum_spanning_tree(information)
        for node, parent in zip(features, tree):
            if parent >= 0:
                parents[node] = tuple(sorted((target, features[parent])))
    return tuple(parents)


# The structures that follow from the counts of pairs of nodes.
TREES = {"tan": tan, "fan": fan, "chow_liu": chow_liu}


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


def most_first(information, counts):
    """Return the order of nodes by their information, and then by their entropy."""
    # counts: of the values of each node. The order of the columns decides only between
    # nodes that are equal in both.
    shares = [one / max(one.sum(), np.finfo(np.float64).tiny) for one in counts]
    entropy = [-xlogy(share, share).sum() for share in shares]
    keys = entropy, information
    return np.lexsort([-np.round(key, _DECIMALS) for key in keys])


def _pairwise_information(rows, nodes, measure, given, n_jobs):
    """Return the information of each two nodes, as a symmetric matrix."""
    # measure: `mutual_informations` or `informations_beyond_chance`. 0 where the table
    # of counts would be too large.
    information = np.zeros((len(nodes), len(nodes)))

    position = {node: i for i, node in enumerate(nodes)}
    rows.count((*given, nodes[0]))  # computes what the threads share

    def fill_row(i):
        first = *given, nodes[i]
        for others in rows.searched_batches(first, nodes[:i]):
            tables = rows.count_with_each(first, others)
            lengths = np.diff(tables.starts)
            sizes = np.array([rows.sizes[other] for other in others])
            for size in np.unique(sizes):  # tables of one shape at a time
                same = np.flatnonzero(sizes == size)
                shape = len(same), size, -1, rows.sizes[nodes[i]]
                cells = tables.starts[same, None] + np.arange(lengths[same[0]])
                counts = tables.counts[cells].reshape(shape)
                of_pairs = measure(np.moveaxis(counts, 1, 2))
                information[i, [position[others[t]] for t in same]] = of_pairs

    map_tasks(fill_row, range(len(nodes))[::-1], n_jobs=n_jobs)  # the longest first
    return np.round(information + information.T, _DECIMALS)
