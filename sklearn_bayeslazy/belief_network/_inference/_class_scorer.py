"""The joint log probability of each class and a row, by the cheapest exact method.

If the other nodes form trees given the class, messages along the trees answer all rows,
whatever is missing. Otherwise a row in which the class's Markov blanket is observed
needs only the families that contain the class. The remaining rows need inference.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from ..._core._kernel import frozen, inlined, kernel
from ...tabular import MISSING, CellRows, add_table_rows
from .._graph import markov_blanket
from .._network import cell_strides, index_arrays, starts_of


def class_scorer(network, target):
    """Return the scorer of a network's class; it is built once for each network."""
    scorers = vars(network).setdefault("_class_scorers", {})
    if target not in scorers:
        scorers[target] = ClassScorer(network, target)
    return scorers[target]


class ClassScorer:
    """Scores the classes of each row by the cheapest method that answers it."""

    def __init__(self, network, target):
        self.network, self.target, self.trees = network, target, None
        nodes = range(network.n_nodes)
        # The nodes that rows observe if the families with the class are enough.
        self.needed = sorted(markov_blanket(network.parents, target))
        if all(len(set(parents) - {target}) <= 1 for parents in network.parents):
            self.trees = _class_trees(network, target)
            self.needed = [node for node in nodes if node != target]
            # As `score_trees` adds them up: the sums have the same bits.
            nodes = self.trees.order
        # Of each family with the class the other nodes, and the number of its table's
        # rows between two values of each of these.
        self._others, self._strides = [], []
        tables = []
        for node in nodes:
            family = [*network.parents[node], node]
            if target not in family:
                continue
            table = np.moveaxis(network.tables[node], family.index(target), -1)
            self._others.append([other for other in family if other != target])
            self._strides.append(cell_strides(table.shape[:-1]))
            tables.append(table.reshape(-1, table.shape[-1]))
        # Of each family's rows in the table of all.
        self._starts = starts_of(tables)[:-1]
        self._log_table = frozen(_logs(tables), np.float64)

    def score(self, codes, inference):
        """Return log P(c, observed nodes) of each row, up to a constant by row."""
        # codes: (n_rows, n_nodes), below 0 where a value is missing; the column of the
        # class is ignored. `inference` answers the rows that nothing else does.
        # Returns (n_rows, n_classes).
        is_enough = (codes[:, self.needed] >= 0).all(axis=1)
        if is_enough.all():
            return self._score_by_families(codes)
        out = np.zeros((len(codes), self.network.sizes[self.target]))
        out[is_enough] = self._score_by_families(codes[is_enough])
        others = codes[~is_enough]
        if self.trees is None:
            others[:, self.target] = -1
            scores = inference.log_marginals(self.network, others, [self.target])
        else:
            scores = np.zeros((len(others), out.shape[1]))
            score_trees(frozen(others, np.int32), self.trees, self.target, scores)
        out[~is_enough] = scores
        return out

    def _score_by_families(self, codes):
        """Return the sums of the terms with the class, (n_rows, n_classes)."""
        # codes: (n_rows, n_nodes), complete but for the class.
        columns = np.ascontiguousarray(codes.T, dtype=np.int32)
        positions = np.empty((len(self._starts), len(codes)), np.int32)
        families = zip(positions, self._starts, self._others, self._strides)
        for of_family, start, others, strides in families:
            of_family[:] = start
            for other, stride in zip(others, strides):
                of_family += columns[other] * np.int32(stride)
        scores = np.zeros((len(codes), self._log_table.shape[1]))
        add_table_rows(CellRows.of(positions.T), self._log_table, scores)
        return scores


def _logs(tables):
    with np.errstate(divide="ignore"):
        return np.log(np.concatenate(tables))


# Numba kernels that compute the joint log probability of each class and a row.


class ClassTrees(NamedTuple):
    """A network that consists of trees given the class."""

    order: np.ndarray  # nodes, children before parents
    parent: np.ndarray  # (n_nodes,), each node's one parent besides the class, or -1
    # (n_nodes,) each. ``log_table[offset + class_stride c + parent_stride j + k]`` is
    # the log probability of value k of a node, given class c and value j of the parent.
    # The class stride is 0 where the class is not a parent.
    class_strides: np.ndarray
    parent_strides: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray  # (n_nodes,), the number of values of each node
    log_table: np.ndarray  # the log tables of all nodes, end to end


def _class_trees(network, target):
    """Return a network, which consists of trees given a class, for the kernel."""
    n = network.n_nodes
    parent = np.full(n, -1)
    class_strides, parent_strides = np.zeros((2, n), np.int64)
    for node, parents in enumerate(network.parents):
        for other, stride in zip(parents, cell_strides(network.tables[node].shape)):
            if other == target:
                class_strides[node] = stride
            else:
                parent[node], parent_strides[node] = other, stride
    tables = [table.ravel() for table in network.tables]
    edges = network.order[::-1], parent, class_strides, parent_strides
    indices = index_arrays(*edges, starts_of(tables)[:-1], network.sizes)
    return ClassTrees(*indices, frozen(_logs(tables), np.float64))


@inlined
def _log_sum(table, start, messages, first, size):
    """Return ln Σ_k exp(table[start + k] + messages[first + k])."""
    largest = -np.inf
    for k in range(size):
        largest = max(largest, table[start + k] + messages[first + k])
    if largest == -np.inf:
        return largest
    total = 0.0
    for k in range(size):
        total += np.exp(table[start + k] + messages[first + k] - largest)
    return largest + np.log(total)


@kernel
def score_trees(codes, trees, target, out):
    """Add the log joint probability of each class and a row, up to a constant."""
    # A node sends its parent a message, the log probability of what is observed below
    # it: one number if the parent is observed, else one for each of the parent's
    # values. Terms that do not depend on the class are left out.
    # codes: (n_rows, n_nodes), below 0 where a value is missing; the class of a row
    # does not matter. target: the node of the class. out: (n_rows, n_classes).
    order, parent, class_strides, parent_strides, offsets, sizes, log_table = trees
    n_nodes = len(parent)
    first = np.zeros(n_nodes + 1, np.int64)  # where each node's messages start
    for v in range(n_nodes):
        first[v + 1] = first[v] + sizes[v]
    messages, has_message = np.empty(first[n_nodes]), np.empty(n_nodes, np.bool_)
    for i in range(len(codes)):
        for c in range(out.shape[1]):
            total = 0.0
            for v in order:
                has_message[v] = False
                if codes[i, v] < 0:
                    for k in range(first[v], first[v + 1]):
                        messages[k] = 0.0
            for v in order:
                x, u = codes[i, v] if v != target else c, parent[v]
                if x < 0 and not has_message[v]:
                    continue  # nothing is observed here or below: the sum is 1
                row = offsets[v] + class_strides[v] * c
                if u < 0 or codes[i, u] >= 0:
                    row += parent_strides[v] * codes[i, u] if u >= 0 else 0
                    if x < 0:
                        total += _log_sum(log_table, row, messages, first[v], sizes[v])
                    elif class_strides[v] > 0 or v == target:
                        total += log_table[row + x]
                    continue
                has_message[u] = True
                for j in range(sizes[u]):
                    if x >= 0:
                        messages[first[u] + j] += log_table[row + x]
                    else:
                        messages[first[u] + j] += _log_sum(
                            log_table, row, messages, first[v], sizes[v]
                        )
                    row += parent_strides[v]
            out[i, c] += total


# The weight of evidence of each cell, in the order of the network.
#
# The chain rule splits the log posterior of a class: with the observed nodes one after
# the other, parents before children,
#
#     log P(c | x) = log P(c) + Σ_j (log P(c | x_1 … x_j) - log P(c | x_1 … x_{j-1})).
#
# Where the class has no parents and no cell is missing, a part of the sum is that of
# the node's table, log P(x_j | parents), less a number that is the same for all
# classes.


def evidence_terms(codes, order, log_posterior_of):
    """Return log P(c) and what each observed node adds to log P(c | x)."""
    # codes: (n_rows, n_nodes), below 0 where a value is missing, and in the column of
    # the class. order: the nodes that may be observed, parents first.
    # ``log_posterior_of(codes)`` returns log P(c | codes), (n_rows, n_classes), up to a
    # constant for each row.
    # Returns (n_rows, n_classes) and (n_rows, n_nodes, n_classes): 0 for missing cells,
    # and for classes that were impossible before.
    known = np.full_like(codes, MISSING)
    base = before = _normalized(log_posterior_of(known))
    terms = np.zeros((*codes.shape, base.shape[1]))
    for node in order:
        rows = np.flatnonzero(codes[:, node] >= 0)
        if not len(rows):
            continue
        known[rows, node] = codes[rows, node]
        after = before.copy()
        after[rows] = _normalized(log_posterior_of(known[rows]))
        with np.errstate(invalid="ignore"):
            terms[:, node] = np.where(np.isneginf(before), 0.0, after - before)
        before = after
    return base, terms


def _normalized(log_scores):
    with np.errstate(invalid="ignore"):  # every class has probability 0
        scores = log_scores - logsumexp(log_scores, axis=1, keepdims=True)
    return np.where(np.isnan(scores), -np.inf, scores)
