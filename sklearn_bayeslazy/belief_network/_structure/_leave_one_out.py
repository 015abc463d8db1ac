"""Leave-one-out as a score of graphs: the class of each row is predicted without it.

The score is Σ w ln P(class | row), with tables estimated without the row. The tables
are counts, so this is exact and needs no second count: the row's weight is subtracted
from the cells that contain it. Families without the class do not affect P(class | row).
A family with a missing value in a row is skipped for that row.

The score does not decompose over families: an arc's gain depends on the other arcs. But
an arc changes one or two families. For each row the product of the other families is
known, so the score of the changed graph takes one pass over the rows.
"""

from collections import defaultdict
from math import prod
from typing import NamedTuple

import numpy as np

from ..._kernel import frozen
from ..._leave_one_out import MAX_LOG_LOSS, rows_to_leave_out
from ..._parallel import map_tasks
from ._leave_one_out_kernels import (
    Family,
    LeftOutRows,
    cells_of,
    family_factor,
    log_likelihood,
    log_likelihoods,
    multiply_and_scale,
)

# The parents that a task of a thread tries for one family.
CANDIDATES_PER_TASK = 16
# Fewer class weights in all tasks together take less time than starting threads.
MIN_WEIGHTS_FOR_THREADS = 2**18


class _Change(NamedTuple):
    """Changes of the present graph that differ at most in one parent of one family.

    Attributes
    ----------
    nodes : tuple of int
        The nodes that get other parents.
    others : tuple of (int, tuple of int)
        The new families with the class, each a node and its parents, except the last.
    node : int
        The node of the last one; -1 if there is none.
    parents : tuple of int
        The parents of the last one that all changes have.
    """

    nodes: tuple
    others: tuple
    node: int
    parents: tuple


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
    n_jobs : int, default=None
    """

    # The gain of a change depends on all families.
    is_decomposable = False

    def __init__(self, rows, target, m, prior, max_samples=None, rng=None, n_jobs=None):
        self.rows, self.target, self.m, self.prior = rows, target, m, prior
        self.n_jobs = n_jobs
        self._sizes = frozen(rows.sizes, np.int64)
        self._rows = _left_out_first(rows, target, max_samples, rng)
        self.n_left_out = len(self._rows.removed)
        # The graph, and for each family with the class its factor of the class weights.
        self._parents, self._factors, self._score = [], {}, 0.0
        self._class_weights = None  # the product of the factors

    def set_graph(self, parents):
        """Take a graph, the parents of each node; `gain` refers to it."""
        parents = [tuple(sorted(node_parents)) for node_parents in parents]
        unchanged = {
            node: factor
            for node, factor in self._factors.items()
            if parents[node] == self._parents[node]
        }
        new = {
            node: family_factor(self._family(node, node_parents), self._rows)
            for node, node_parents in enumerate(parents)
            if node not in unchanged and self._contains_class(node, node_parents)
        }
        self._parents, self._factors = parents, unchanged | new
        self._class_weights = self._product(self._factors)
        self._score = log_likelihood(self._class_weights, self._rows)

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
            are, and for families with too large a table.
        """
        return float(self.gains([changes])[0])

    def gains(self, changes):
        """Return the gain of each of several changes of the graph.

        Parameters
        ----------
        changes : list of dict
            As in `gain`.

        Returns
        -------
        ndarray of shape (n_changes,)
        """
        gains = np.zeros(len(changes))
        # Changes that differ in one parent of a family share most of the work.
        groups = defaultdict(list)
        for position, change in enumerate(changes):
            if not self.can_score(change):
                gains[position] = -np.inf
            elif self._affects_class(change):
                group, further_parent = self._split(change)
                groups[group].append((position, further_parent))
        tasks = [
            (group, candidates[start : start + CANDIDATES_PER_TASK])
            for group, candidates in groups.items()
            for start in range(0, len(candidates), CANDIDATES_PER_TASK)
        ]

        def score(task):
            group, candidates = task
            positions, further_parents = zip(*candidates)
            scores = self._scores(group, further_parents)
            gains[list(positions)] = scores - self._score

        is_long = len(changes) * self._class_weights.size > MIN_WEIGHTS_FOR_THREADS
        map_tasks(score, tasks, n_jobs=self.n_jobs if is_long else 1)
        return gains

    def can_score(self, change):
        """Return whether the gain of a change is above -inf; see `gain`."""
        if not self._affects_class(change):
            n_added = sum(
                len(parents) - len(self._parents[node])
                for node, parents in change.items()
            )
            return n_added <= 0
        return all(
            self.rows.is_small((*parents, node))
            for node, parents in change.items()
            if self._contains_class(node, parents)
        )

    def _affects_class(self, change):
        """Return whether a change replaces, adds or drops a family with the class."""
        return any(
            node in self._factors or self._contains_class(node, parents)
            for node, parents in change.items()
        )

    def _contains_class(self, node, parents):
        return node == self.target or self.target in parents

    def _split(self, change):
        """Return a change as a `_Change` and the further parent, -1 for none."""
        nodes = tuple(sorted(change))
        new = [
            (node, tuple(sorted(change[node])))
            for node in nodes
            if self._contains_class(node, change[node])
        ]
        if not new:
            return _Change(nodes, (), -1, ()), -1
        *others, (node, parents) = new
        added = set(parents) - set(self._parents[node]) - {self.target}
        further_parent = -1
        if len(added) == 1:
            (further_parent,) = added
            parents = tuple(other for other in parents if other != further_parent)
        return _Change(nodes, tuple(others), node, parents), further_parent

    def _scores(self, change, further_parents):
        """Return the score of the graph of a change with each further parent."""
        class_weights = self._weights_without(change.nodes)
        for node, parents in change.others:
            factor = family_factor(self._family(node, parents), self._rows)
            multiply_and_scale(factor, class_weights)
        if change.node < 0:
            return log_likelihood(class_weights, self._rows)
        return log_likelihoods(
            self._family(change.node, change.parents),
            frozen(further_parents, np.int64),
            self._sizes,
            self._rows,
            class_weights,
        )

    def _product(self, nodes):
        """Return the product of the factors of some nodes, ascending."""
        class_weights = np.ones((self.n_left_out, len(self._rows.log_prior)))
        for node in sorted(nodes):
            multiply_and_scale(self._factors[node], class_weights)
        return class_weights

    def _weights_without(self, nodes):
        """Return the class weights of the rows without the families of some nodes."""
        removed = [self._factors[node] for node in nodes if node in self._factors]
        if not all(factor.all() for factor in removed):
            return self._product(self._factors.keys() - set(nodes))
        class_weights = self._class_weights.copy()
        for factor in removed:
            class_weights /= factor
        return class_weights

    def _family(self, node, parents):
        """Return a family with the class, for the kernels."""
        if not self.rows.is_small((*parents, node)):
            self.rows.count((*parents, node))  # raises an error if it is too large
        is_class, sizes = node == self.target, self.rows.sizes
        columns = [other for other in parents if other != self.target]
        family = frozen(columns if is_class else [*columns, node], np.int64)
        is_missing = cells_of(self._rows.codes, family, self._sizes) < 0
        parent_cells = cells_of(
            self._rows.codes, frozen(columns, np.int64), self._sizes
        )
        parent_cells[is_missing] = -1
        values = self._rows.codes[node]
        n_combinations = prod(sizes[other] for other in parents)
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
    removed = np.minimum(rows.weight[left_out], 1.0)
    class_count = rows.count((target,))
    with np.errstate(divide="ignore"):
        log_prior = np.log(class_count / class_count.sum())
    return LeftOutRows(
        codes,
        frozen(codes[target], np.int64),
        frozen(rows.weight[order], np.float64),
        frozen(removed, np.float64),
        bool((removed == removed[:1]).all()),
        frozen(log_prior, np.float64),
        -MAX_LOG_LOSS,
    )
