"""The joint log probability of each class and a row, by the cheapest exact method.

If the other nodes form trees given the class, messages along the trees answer all rows,
whatever is missing. Otherwise a row in which the class's Markov blanket is observed
needs only the families that contain the class. The remaining rows need inference.
"""

import numpy as np

from ..._core._kernel import frozen
from .._graph import markov_blanket
from .._network import cell_strides, offsets
from ._class_kernels import ClassFamilies, ClassTrees, score_families, score_trees


def class_scorer(network, target):
    """Return the scorer of a network's class; it is built once for each network."""
    scorers = vars(network).setdefault("_class_scorers", {})
    if target not in scorers:
        n_others = [len(set(parents) - {target}) for parents in network.parents]
        kind = TreeScorer if max(n_others) <= 1 else BlanketScorer
        scorers[target] = kind(network, target)
    return scorers[target]


class TreeScorer:
    """Scores classes where the other nodes form trees given the class."""

    def __init__(self, network, target):
        self.target, self.n_classes = target, network.sizes[target]
        n = network.n_nodes
        parent = np.full(n, -1)
        class_strides, parent_strides = np.zeros(n, np.int64), np.zeros(n, np.int64)
        tables = []
        for node, parents in enumerate(network.parents):
            for other in parents:
                if other != target:
                    parent[node] = other
                    parent_strides[node] = network.sizes[node]
            axes = list(range(len(parents) + 1))
            if target in parents:  # becomes the first axis
                axes.insert(0, axes.pop(parents.index(target)))
                class_strides[node] = network.tables[node].size // self.n_classes
            tables.append(np.transpose(network.tables[node], axes).ravel())
        self.trees = ClassTrees(
            frozen(network.order[::-1], np.int64),
            frozen(parent, np.int64),
            frozen(class_strides, np.int64),
            frozen(parent_strides, np.int64),
            frozen(offsets(tables)[:-1], np.int64),
            frozen(network.sizes, np.int64),
            frozen(_logs(tables), np.float64),
        )
        # In the order in which `score_trees` adds them up: the sums have the same bits.
        self.families = _class_families(network, target, self.trees.order)

    def score(self, codes, inference):
        """Return log P(c, observed nodes) of each row, up to a constant by row."""
        # codes: (n_rows, n_nodes), below 0 where a value is missing; the column of the
        # class is ignored, and so is `inference`. Returns (n_rows, n_classes).
        n_observed = (codes >= 0).sum(axis=1) - (codes[:, self.target] >= 0)
        is_complete = n_observed == codes.shape[1] - 1
        if is_complete.all():
            return _scores_of_families(codes, self.families, self.n_classes)
        out = np.zeros((len(codes), self.n_classes))
        score_trees(frozen(codes, np.int32), self.trees, self.target, out)
        return out


class BlanketScorer:
    """Scores classes by the Markov blanket, or by inference if it has missing cells."""

    def __init__(self, network, target):
        self.network, self.target = network, target
        self.n_classes = network.sizes[target]
        self.blanket = sorted(markov_blanket(network.parents, target))
        nodes = range(network.n_nodes)
        self.families = _class_families(network, target, nodes)

    def score(self, codes, inference):
        """Return log P(c, observed nodes) of each row; see `TreeScorer.score`."""
        # `inference` answers the rows with missing cells in the Markov blanket.
        out = np.zeros((len(codes), self.n_classes))
        observed = (codes[:, self.blanket] >= 0).all(axis=1)
        out[observed] = _scores_of_families(
            codes[observed], self.families, self.n_classes
        )
        if not observed.all():
            others = codes[~observed]
            others[:, self.target] = -1
            out[~observed] = inference.log_marginals(
                self.network, others, [self.target]
            )
        return out


def _class_families(network, target, nodes):
    """Return the `ClassFamilies` of a network, in the order of the nodes."""
    others, strides, tables = [], [], []
    for node in nodes:
        family = [*network.parents[node], node]
        if target not in family:
            continue
        table = np.moveaxis(network.tables[node], family.index(target), -1)
        others.append([other for other in family if other != target])
        strides.append(cell_strides(table.shape)[:-1])
        tables.append(table.ravel())
    return ClassFamilies(
        frozen(np.concatenate(others), np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(offsets(others), np.int64),
        frozen(offsets(tables)[:-1], np.int64),
        frozen(_logs(tables), np.float64),
    )


def _scores_of_families(codes, families, n_classes):
    """Return the scores (n_rows, n_classes) of rows without missing values."""
    scores = np.zeros((len(codes), n_classes))
    score_families(frozen(codes, np.int32), families, scores)
    return scores


def _logs(tables):
    with np.errstate(divide="ignore"):
        return np.log(np.concatenate(tables))
