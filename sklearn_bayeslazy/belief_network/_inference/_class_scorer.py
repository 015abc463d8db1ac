"""What rows say of the classes in a belief network, by the shortest way there is.

Where the other nodes are trees given the class, messages answer all rows, whatever is
missing. Otherwise the class's Markov blanket answers the rows in which it is observed,
and variable elimination, or what else is given, the others.
"""

import numpy as np

from ..._kernel import frozen
from .._graph import markov_blanket
from .._network import cell_strides, starts
from ._class_kernels import score_families, score_trees
from ._elimination import log_marginals


def class_scorer(network, target):
    """Return a function from codes to log P(c, what is observed), but for a constant.

    Parameters
    ----------
    network : Network
    target : int

    Returns
    -------
    function
        From an int32 array of shape (n_rows, n_nodes), below 0 where a value is missing
        and in the target's column, to an array of shape (n_rows, n_classes). Its second
        argument, of the signature of `log_marginals`, answers what needs inference.
    """
    known = vars(network).setdefault("_class_scorers", {})
    if target not in known:
        known[target] = _scorer(network, target)
    return known[target]


def _scorer(network, target):
    others = [
        [parent for parent in parents if parent != target]
        for parents in network.parents
    ]
    if all(len(some) <= 1 for some in others):
        return _tree_scorer(network, target, others)
    return _blanket_scorer(network, target)


def _tree_scorer(network, target, others):
    n = network.n_nodes
    parent = np.array([some[0] if some else -1 for some in others])
    by_class, by_parent = np.zeros(n, np.int64), np.zeros(n, np.int64)
    tables = []
    for node, parents in enumerate(network.parents):
        size = network.sizes[node]
        by_parent[node] = size if others[node] else 0
        axes = list(range(len(parents) + 1))
        if target in parents:  # first
            axes.insert(0, axes.pop(parents.index(target)))
            by_class[node] = network.tables[node].size // network.sizes[target]
        tables.append(np.transpose(network.tables[node], axes).ravel())
    arrays = (
        frozen(network.order[::-1], np.int64),
        frozen(parent, np.int64),
        frozen(by_class, np.int64),
        frozen(by_parent, np.int64),
        frozen(starts(tables)[:-1], np.int64),
        frozen(network.sizes, np.int64),
        frozen(_logs(np.concatenate(tables)), np.float64),
        target,
    )

    def score(codes, infer=log_marginals):
        out = np.zeros((len(codes), network.sizes[target]))
        score_trees(frozen(codes, np.int32), *arrays, out)
        return out

    return score


def _blanket_scorer(network, target):
    blanket = sorted(markov_blanket(network.parents, target))
    columns, strides, tables = [], [], []
    for node, parents in enumerate(network.parents):
        family = [*parents, node]
        if target not in family:
            continue
        table = np.moveaxis(network.tables[node], family.index(target), -1)
        columns.append([some for some in family if some != target])
        strides.append(cell_strides(table.shape)[:-1])
        tables.append(table.ravel())
    arrays = (
        frozen(np.concatenate(columns), np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(starts(columns), np.int64),
        frozen(starts(tables)[:-1], np.int64),
        frozen(_logs(np.concatenate(tables)), np.float64),
    )

    def score(codes, infer=log_marginals):
        out = np.zeros((len(codes), network.sizes[target]))
        known = (codes[:, blanket] >= 0).all(axis=1)
        complete = np.zeros(out[known].shape)
        score_families(frozen(codes[known], np.int32), *arrays, complete)
        out[known] = complete
        if not known.all():
            left = codes[~known]
            left[:, target] = -1
            out[~known] = infer(network, left, [target])
        return out

    return score


def _logs(table):
    with np.errstate(divide="ignore"):
        return np.log(table)
