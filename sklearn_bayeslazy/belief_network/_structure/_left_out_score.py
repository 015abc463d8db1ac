"""Leave-one-out as a score of graphs: the class of each row is predicted without it.

The score is Σ w ln P(class | row), with tables estimated without the row. The tables
are counts, so this is exact and needs no second count: the row's weight is subtracted
from the cells that contain it. Families without the class do not affect P(class | row).
A family with a missing value in a row is skipped for that row.

The score does not decompose over families: an arc's gain depends on the other arcs. But
an arc changes one or two families. For each row the product of the other families is
known, so the score of the changed graph takes one pass over the rows.
"""

from functools import reduce
from math import prod

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ...leave_one_out import MAX_LOG_LOSS, rows_to_leave_out
from .._counts import MAX_SEARCHED_CELLS
from ._left_out_score_kernels import (
    NO_NODE,
    Family,
    ScoredRows,
    family_factor,
    log_likelihood,
    log_likelihoods,
    multiply_and_scale,
)

NO_FURTHER_PARENT = frozen([NO_NODE], np.int64)
# The parents that a task of a thread tries for one family.
NODES_PER_TASK = 16
# Fewer class weights of all parents together take less time than starting threads.
MIN_WEIGHTS_FOR_THREADS = 2**18


class LeaveOneOutScore:
    """The leave-one-out conditional log likelihood of the class under graphs."""

    # rows: without missing classes; target: the node of the class; m, prior: as in
    # `estimate_table`, without "backoff".
    # max_samples: the maximum number of rows that are left out, drawn at random by
    # `rng`; by default all.

    # The gain of a change depends on all families.
    is_decomposable = False

    def __init__(self, rows, target, m, prior, max_samples=None, rng=None, n_jobs=None):
        self.rows, self.target, self.m, self.prior = rows, target, m, prior
        self.n_jobs = n_jobs
        self._sizes = frozen(rows.sizes, np.int64)
        self._rows = _left_out_first(rows, target, max_samples, rng)
        self.n_left_out = len(self._rows.removed)
        self._ones = np.ones((self.n_left_out, len(self._rows.log_prior)))
        # The graph, and its families with the class with their factors of the weights.
        self._parents, self._score = [], 0.0
        self._families, self._factors = {}, {}
        self._class_weights = None  # the product of the factors

    def set_graph(self, parents):
        """Take a graph, the parents of each node; `gain` refers to it."""
        parents = [tuple(sorted(node_parents)) for node_parents in parents]
        kept = [node for node in self._families if parents[node] == self._parents[node]]
        self._families = {node: self._families[node] for node in kept}
        self._factors = {node: self._factors[node] for node in kept}
        for node, node_parents in enumerate(parents):
            if node not in self._families and self._contains_class(node, node_parents):
                self._families[node] = self._family(node, node_parents)
                self._factors[node] = family_factor(self._families[node], self._rows)
        self._parents = parents
        self._class_weights = self._product(self._factors)
        self._score = log_likelihood(self._class_weights, self._rows)

    def total(self, parents):
        """Return the score of a graph, and take it."""
        self.set_graph(parents)
        return self._score

    def gain(self, changes):
        """Return the gain in score if some nodes have other parents."""
        # changes: {node: its new parents}.
        # The gain is -inf for changes that cannot affect the score, because they
        # concern no family with the class or only nodes of one value, and for too large
        # tables.
        new = [
            (node, parents)
            for node, parents in changes.items()
            if self._contains_class(node, parents)
        ]
        is_small = all(self.rows.is_small((*parents, node)) for node, parents in new)
        if not is_small or not any(map(self._matters, *zip(*changes.items()))):
            return -np.inf
        families = [self._family(*family) for family in new]
        if not families:
            class_weights, replaced_factor = self._weights_without(changes)
            score = log_likelihood(class_weights / replaced_factor, self._rows)
            return score - self._score
        # A change has at most two families: a move reverses at most one arc.
        *first, last = families
        factor = family_factor(*first, self._rows) if first else None
        (score,) = self._scores(last, NO_FURTHER_PARENT, changes, factor)
        return float(score - self._score)

    def can_add(self, child):
        """Return, for each node, whether the gain of it as a parent is above -inf."""
        # Returns (n_nodes,), bool. The answers for the child and for its present
        # parents are meaningless.
        family = (*self._parents[child], child)
        # An arc matters if both nodes have several values and the family the class.
        can_add = (self._sizes > 1) & (self._sizes[child] > 1)
        if not self._contains_class(child, self._parents[child]):
            can_add &= np.arange(len(can_add)) == self.target
        n_cells = prod(self.rows.sizes[node] for node in family)
        return can_add & (self._sizes <= MAX_SEARCHED_CELLS // max(n_cells, 1))

    def gains_of_parents(self, child, nodes):
        """Return the gain of each of several nodes as a further parent of a child."""
        # nodes: only those for which `can_add` holds. Returns an array of their length.
        nodes = frozen(nodes, np.int64)
        if child in self._families:
            family = self._families[child]
        else:  # the nodes are the class alone
            parents = (*self._parents[child], self.target)
            family, nodes = self._family(child, parents), NO_FURTHER_PARENT
        return self._scores(family, nodes, (child,)) - self._score

    def _scores(self, family, nodes, replaced, factor=None):
        """Return the score of the graph with a family added, for each of `nodes`."""
        # nodes: (n_scores,), the further parent of the family for each score, NO_NODE
        # for none; replaced: the nodes whose present families do not count; factor:
        # (n_left_out, n_classes), that of another family that is added, or None.
        # Returns (n_scores,).
        class_weights, replaced_factor = self._weights_without(replaced)
        if factor is not None:
            class_weights = class_weights * factor
        arguments = self._sizes, self._rows, class_weights, replaced_factor
        if len(nodes) * class_weights.size < MIN_WEIGHTS_FOR_THREADS:
            return log_likelihoods(family, nodes, *arguments)
        scores = map_tasks(
            lambda some: log_likelihoods(family, some, *arguments),
            np.split(nodes, range(NODES_PER_TASK, len(nodes), NODES_PER_TASK)),
            n_jobs=self.n_jobs,
        )
        return np.concatenate(scores)

    def _contains_class(self, node, parents):
        return node == self.target or self.target in parents

    def _matters(self, node, parents):
        """Return whether other parents of a node can change a score."""
        changed = set(parents).symmetric_difference(self._parents[node])
        return (
            (node in self._factors or self._contains_class(node, parents))
            and self._sizes[node] > 1
            and any(self._sizes[other] > 1 for other in changed)
        )

    def _product(self, nodes):
        """Return the product of the factors of some nodes, ascending."""
        class_weights = self._ones.copy()
        for node in sorted(nodes):
            multiply_and_scale(self._factors[node], class_weights)
        return class_weights

    def _weights_without(self, nodes):
        """Return two arrays whose ratio is the product without some nodes' families."""
        factors = [self._factors[node] for node in nodes if node in self._factors]
        if not factors:
            return self._class_weights, self._ones
        if all(factor.all() for factor in factors):
            return self._class_weights, reduce(np.multiply, factors)
        return self._product(self._factors.keys() - set(nodes)), self._ones

    def _family(self, node, parents):
        """Return a family with the class, for the kernels."""
        if not self.rows.is_small((*parents, node)):
            self.rows.count((*parents, node))  # raises an error if it is too large
        is_class, sizes = node == self.target, self.rows.sizes
        columns = [other for other in parents if other != self.target]
        values = self._rows.codes[node]
        parent_cells, is_missing = np.zeros_like(values), (values < 0) & (not is_class)
        for other in columns:
            codes = self._rows.codes[other]
            parent_cells = parent_cells * np.int32(sizes[other]) + codes
            is_missing |= codes < 0
        parent_cells[is_missing] = -1
        n_combinations = max(prod(sizes[other] for other in parents), 1)
        marginal = np.zeros(sizes[node])
        if self.prior == "marginal":
            marginal = self.rows.count((node,))
        return Family(
            parent_cells,
            frozen(np.zeros_like(values) if is_class else values, np.int32),
            prod(sizes[other] for other in columns),
            1 if is_class else sizes[node],
            is_class,
            self.m / n_combinations if self.prior == "bdeu" else self.m,
            self.prior == "bdeu",
            frozen(marginal, np.float64),
        )


def _left_out_first(rows, target, max_samples, rng):
    """Return the rows, those that are left out first, sorted by weight."""
    n_rows = rows.codes.shape[1]
    left_out = rows_to_leave_out(n_rows, max_samples, rng)
    left_out = left_out[np.argsort(rows.weight[left_out], kind="stable")]
    order = np.concatenate((left_out, np.setdiff1d(np.arange(n_rows), left_out)))
    codes = frozen(rows.codes[:, order], np.int32)
    removed = rows.weight[left_out]
    class_count = rows.count((target,))
    with np.errstate(divide="ignore"):
        log_prior = np.log(class_count / class_count.sum())
    return ScoredRows(
        codes,
        frozen(codes[target], np.int64),
        frozen(rows.weight[order], np.float64),
        frozen(removed, np.float64),
        bool((removed == removed[:1]).all()),
        frozen(log_prior, np.float64),
        -MAX_LOG_LOSS,
    )
