"""Leave-one-out as a score of graphs: how well each row's class is told without it.

The score is Σ w ln P(class | row), the tables estimated without the row. As tables are
counts, that is exact and needs no second count: the row's own mass is taken from the
cells that it is in. Families without the class say nothing of it, and families with a
hole in a row say nothing of that row.

The score is no sum over families: what an arc adds depends on the others.
"""

import numpy as np

from ..._kernel import frozen
from ..._leave_one_out import MAX_LOG_LOSS, rows_to_leave_out
from .._network import cell_strides
from ._leave_one_out_kernels import log_likelihood, multiply_left_out, multiply_scaled

# Tables of no more cells are counted once.
_KEPT_CELLS = 2**12


class LeaveOneOutScore:
    """The leave-one-out conditional log likelihood of the class under graphs.

    Parameters
    ----------
    rows : Rows
        All classes are there.
    target : int
        The class's node.
    m : float
    prior : {"uniform", "marginal", "bdeu"}
        As in `estimate_table`.
    largest : int, default=None
        How many rows are left out at most, drawn at random; by default all.
    rng : RandomState, default=None
    """

    # What a change gains depends on all families.
    is_sum = False

    def __init__(self, rows, target, m, prior, largest=None, rng=None):
        self.rows, self.target, self.m, self.prior = rows, target, m, prior
        left_out = rows_to_leave_out(rows.codes.shape[1], largest, rng)
        self.codes = rows.codes[:, left_out]
        self.classes = frozen(self.codes[target], np.int64)
        self.weight = frozen(rows.weight[left_out], np.float64)
        self.removed = frozen(np.minimum(self.weight, 1.0), np.float64)
        self.counts, self.parents, self.terms = {}, [], {}
        masses = rows.count((target,))
        with np.errstate(divide="ignore"):
            self.otherwise = frozen(np.log(masses / masses.sum()), np.float64)

    def go_to(self, parents):
        """Take a graph, the parents of each node; changes are changes of it."""
        parents = [tuple(sorted(some)) for some in parents]
        kept = {
            node: terms
            for node, terms in self.terms.items()
            if parents[node] == self.parents[node]
        }
        new = {
            node: self._factors(node, some)
            for node, some in enumerate(parents)
            if node not in kept and self._tells(node, some)
        }
        self.parents, self.terms, self.rests = parents, kept | new, {}
        self.now = self._score(self._rest(frozenset()))

    def total(self, parents):
        """Return the score of a graph, and take it."""
        self.go_to(parents)
        return self.now

    def gain(self, changes):
        """Return what the score gains by other parents of some nodes.

        Parameters
        ----------
        changes : dict of {int: collection of int}

        Returns
        -------
        float
            -inf for what only adds arcs and tells nothing of the class.
        """
        new = [
            (node, some) for node, some in changes.items() if self._tells(node, some)
        ]
        if not new and not self.terms.keys() & changes.keys():
            more = sum(len(some) - len(self.parents[n]) for n, some in changes.items())
            return -np.inf if more > 0 else 0.0
        q = self._rest(frozenset(changes)).copy()
        for node, parents in new:
            if not self.rows.is_small((*parents, node)):
                return -np.inf
            self._multiply(node, tuple(sorted(parents)), q)
        return self._score(q) - self.now

    def _tells(self, node, parents):
        return node == self.target or self.target in parents

    def _rest(self, nodes):
        """Return the class weights of rows but for the families of some nodes."""
        left = frozenset(self.terms.keys() - nodes)
        if left not in self.rests:
            q = np.ones((len(self.classes), len(self.otherwise)))
            for node in sorted(left):
                multiply_scaled(self.terms[node], q)
            self.rests[left] = q
        return self.rests[left]

    def _factors(self, node, parents):
        q = np.ones((len(self.classes), len(self.otherwise)))
        self._multiply(node, parents, q)
        return frozen(q, np.float64)

    def _multiply(self, node, parents, q):
        target = self.target
        counts = self._count((*parents, node))
        n_combinations = counts.size // counts.shape[-1]
        is_class = node == target
        others = [some for some in (*parents, node) if some != target]
        axis = (*parents, node).index(target)
        counts = np.moveaxis(counts, axis, -1)
        size = 1 if is_class else counts.shape[-2]
        counts = counts.reshape(-1, counts.shape[-1])
        if is_class:
            totals = counts.sum(axis=1, keepdims=True)
        else:
            totals = counts.reshape(-1, size, counts.shape[-1]).sum(axis=1)
        marginal = np.zeros(self.rows.sizes[node])
        if self.prior == "marginal":
            marginal = self._count((node,))
        multiply_left_out(
            self._cells(others),
            self.classes,
            self.removed,
            frozen(counts, np.float64),
            frozen(totals, np.float64),
            size,
            is_class,
            self.m / n_combinations if self.prior == "bdeu" else self.m,
            frozen(marginal, np.float64),
            q,
        )

    def _count(self, family):
        if family not in self.counts:
            counts = self.rows.count(family)
            if counts.size > _KEPT_CELLS:
                return counts
            self.counts[family] = counts
        return self.counts[family]

    def _cells(self, nodes):
        """Return the numbers of the rows' values of nodes, -1 where one is missing."""
        cells = np.zeros(len(self.classes), dtype=np.int64)
        missing = np.zeros(len(cells), dtype=bool)
        steps = cell_strides([self.rows.sizes[node] for node in nodes])
        for node, step in zip(nodes, steps):
            cells += step * self.codes[node].astype(np.int64)
            missing |= self.codes[node] < 0
        cells[missing] = -1
        return frozen(cells, np.int64)

    def _score(self, q):
        return log_likelihood(
            q, self.classes, self.weight, self.otherwise, -MAX_LOG_LOSS
        )
