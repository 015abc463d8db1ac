"""Leave-one-out as a score of graphs: the class of each row is predicted without it.

The score is Σ w ln P(class | row), with tables estimated without the row. The tables
are counts, so this is exact and needs no second count: the row's weight is subtracted
from the cells that contain it. Families without the class do not affect P(class | row).
A family with a missing value in a row is skipped for that row.

The score does not decompose over families: an arc's gain depends on the other arcs.
"""

import numpy as np

from ..._kernel import frozen
from ..._leave_one_out import MAX_LOG_LOSS, rows_to_leave_out
from .._network import cell_strides
from ._leave_one_out_kernels import (
    FamilyCounts,
    LeftOutRows,
    log_likelihood,
    multiply_and_scale,
    multiply_left_out,
)

# Smaller tables of counts are kept.
MAX_CACHED_CELLS = 2**12


class LeaveOneOutScore:
    """The leave-one-out conditional log likelihood of the class under graphs.

    Parameters
    ----------
    rows : Rows
        Without missing classes.
    target : int
        The node of the class.
    m : float
    prior : {"uniform", "marginal", "bdeu"}
        As in `estimate_table`.
    max_samples : int, default=None
        The maximum number of rows that are left out, drawn at random; by default all.
    rng : RandomState, default=None
    """

    # The gain of a change depends on all families.
    is_decomposable = False

    def __init__(self, rows, target, m, prior, max_samples=None, rng=None):
        self.rows, self.target, self.m, self.prior = rows, target, m, prior
        left_out = rows_to_leave_out(rows.codes.shape[1], max_samples, rng)
        self.codes = rows.codes[:, left_out]
        self.weight = frozen(rows.weight[left_out], np.float64)
        self.left_out = LeftOutRows(
            frozen(self.codes[target], np.int64),
            frozen(np.minimum(self.weight, 1.0), np.float64),
        )
        class_count = rows.count((target,))
        with np.errstate(divide="ignore"):
            self.log_prior = frozen(np.log(class_count / class_count.sum()), np.float64)
        self._cached_counts = {}
        # The graph, and for each family with the class its factor of the class weights.
        self._parents, self._factors, self._score = [], {}, 0.0
        self._products = {}  # of the factors of several families

    def set_graph(self, parents):
        """Take a graph, the parents of each node; `gain` refers to it."""
        parents = [tuple(sorted(node_parents)) for node_parents in parents]
        unchanged = {
            node: factor
            for node, factor in self._factors.items()
            if parents[node] == self._parents[node]
        }
        new = {
            node: self._family_factor(node, node_parents)
            for node, node_parents in enumerate(parents)
            if node not in unchanged and self._contains_class(node, node_parents)
        }
        self._parents, self._factors, self._products = parents, unchanged | new, {}
        self._score = self._log_likelihood(self._product_without(frozenset()))

    def total(self, parents):
        """Return the score of a graph, and take it."""
        self.set_graph(parents)
        return self._score

    def gain(self, changes):
        """Return the gain in score if some nodes have other parents.

        Parameters
        ----------
        changes : dict of {int: collection of int}

        Returns
        -------
        float
            -inf for changes that add arcs and leave the families with the class as they
            are.
        """
        new = [
            (node, parents)
            for node, parents in changes.items()
            if self._contains_class(node, parents)
        ]
        if not new and not self._factors.keys() & changes.keys():
            n_added = sum(
                len(parents) - len(self._parents[node])
                for node, parents in changes.items()
            )
            return -np.inf if n_added > 0 else 0.0
        class_weights = self._product_without(frozenset(changes)).copy()
        for node, parents in new:
            if not self.rows.is_small((*parents, node)):
                return -np.inf
            self._multiply(node, tuple(sorted(parents)), class_weights)
        return self._log_likelihood(class_weights) - self._score

    def _contains_class(self, node, parents):
        return node == self.target or self.target in parents

    def _ones(self):
        return np.ones((len(self.weight), len(self.log_prior)))

    def _product_without(self, nodes):
        """Return the class weights of the rows without the families of some nodes."""
        others = frozenset(self._factors.keys() - nodes)
        if others not in self._products:
            class_weights = self._ones()
            for node in sorted(others):
                multiply_and_scale(self._factors[node], class_weights)
            self._products[others] = class_weights
        return self._products[others]

    def _family_factor(self, node, parents):
        class_weights = self._ones()
        self._multiply(node, parents, class_weights)
        return frozen(class_weights, np.float64)

    def _multiply(self, node, parents, class_weights):
        """Multiply class weights by the tables of a family, each without its row."""
        others = [other for other in (*parents, node) if other != self.target]
        family = self._family_counts(node, parents)
        multiply_left_out(self._cells(others), self.left_out, family, class_weights)

    def _family_counts(self, node, parents):
        counts = self._count((*parents, node))
        n_combinations = counts.size // counts.shape[-1]
        is_class = node == self.target
        counts = np.moveaxis(counts, (*parents, node).index(self.target), -1)
        n_classes = counts.shape[-1]
        n_values = 1 if is_class else counts.shape[-2]
        counts = counts.reshape(-1, n_classes)
        if is_class:
            totals = counts.sum(axis=1, keepdims=True)
        else:
            totals = counts.reshape(-1, n_values, n_classes).sum(axis=1)
        marginal = np.zeros(self.rows.sizes[node])
        if self.prior == "marginal":
            marginal = self._count((node,))
        return FamilyCounts(
            frozen(counts, np.float64),
            frozen(totals, np.float64),
            n_values,
            is_class,
            self.m / n_combinations if self.prior == "bdeu" else self.m,
            frozen(marginal, np.float64),
        )

    def _count(self, family):
        if family not in self._cached_counts:
            counts = self.rows.count(family)
            if counts.size > MAX_CACHED_CELLS:
                return counts
            self._cached_counts[family] = counts
        return self._cached_counts[family]

    def _cells(self, nodes):
        """Return each row's cell in a table of some nodes, -1 if a value is missing."""
        cells = np.zeros(len(self.weight), dtype=np.int64)
        missing = np.zeros(len(cells), dtype=bool)
        strides = cell_strides([self.rows.sizes[node] for node in nodes])
        for node, stride in zip(nodes, strides):
            cells += stride * self.codes[node].astype(np.int64)
            missing |= self.codes[node] < 0
        cells[missing] = -1
        return frozen(cells, np.int64)

    def _log_likelihood(self, class_weights):
        return log_likelihood(
            class_weights,
            self.left_out.classes,
            self.weight,
            self.log_prior,
            -MAX_LOG_LOSS,
        )
