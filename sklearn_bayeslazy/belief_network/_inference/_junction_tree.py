"""Junction trees: all families' distributions in each row, by one pass of messages.

The moral graph is triangulated. Its cliques form a tree in which the cliques that hold
a node are connected (Lauritzen & Spiegelhalter 1988). Messages go from the leaves to
the root and back. Then each clique holds the joint probability of its nodes and of the
observed values. Evidence enters as 0/1 weights of values, so rows with different
missing cells are processed together.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..._core._parallel import map_tasks, slices_of
from .._graph import maximum_spanning_tree, min_fill_cliques

# A larger clique raises an error.
MAX_CLIQUE_CELLS = 2**22
# Rows are answered in blocks, so that all cliques of a block have no more cells.
MAX_BLOCK_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """A tree of cliques of nodes."""

    cliques: list  # the nodes of each clique, a sorted tuple
    parent: list  # the parent of each clique in the tree, -1 for the root
    order: list  # cliques, parents before children
    home: list  # for each node, a clique that contains its family
    sizes: tuple  # the number of values of each node

    @classmethod
    def of(cls, parents, sizes, check_size=True):
        """Return the junction tree of a graph.

        >>> tree = JunctionTree.of([(), (0,), (0,), (1, 2)], (2, 2, 2, 2))
        >>> sorted(tree.cliques)
        [(0, 1, 2), (1, 2, 3)]
        """
        # check_size: whether a clique of more than MAX_CLIQUE_CELLS cells raises an
        # error.
        families = [(*node_parents, node) for node, node_parents in enumerate(parents)]
        cliques = min_fill_cliques(families, sizes)
        # The tree whose neighbors share most nodes. Of cliques that share as many the
        # first becomes the parent.
        sets, n = list(map(set, cliques)), len(cliques)
        n_shared = np.array([[len(one & other) for other in sets] for one in sets])
        rank = np.arange(n)[:, None]
        parent, order = maximum_spanning_tree((n_shared + 1) * n - rank)
        home = [
            next(i for i, clique in enumerate(cliques) if set(family) <= set(clique))
            for family in families
        ]
        tree = cls(cliques, parent, order, home, tuple(sizes))
        if check_size and not tree.is_tractable:
            raise ValueError(
                f"A junction tree needs a table of {tree.max_cells:,} cells here, "
                f"above the limit of {MAX_CLIQUE_CELLS:,}: choose a structure with "
                "fewer parents (max_parents). missing='available' learns tables "
                "without a junction tree, and weigh_arcs=False draws a network without "
                "one."
            )
        return tree

    @property
    def max_cells(self):
        """Return the number of cells of the largest clique."""
        return max(math.prod(self._shape(clique)) for clique in self.cliques)

    @property
    def is_tractable(self):
        """Return whether all cliques are small enough for exact inference."""
        return self.max_cells <= MAX_CLIQUE_CELLS

    def expected_counts(self, network, codes, weight, n_jobs=None):
        """Return the expected counts of each family, and each row's log evidence."""
        # network: with the graph of this tree; codes: (n_rows, n_nodes), below 0 where
        # a value is missing; weight: (n_rows,). The result does not depend on `n_jobs`.
        # Returns a list of (*sizes of the parents, K), and log P(observed nodes),
        # (n_rows,): -inf for impossible rows, which are not counted.
        log_evidence = np.empty(len(codes))

        def count(rows):
            beliefs, log_evidence[rows] = self.calibrate(network, codes[rows])
            return [_weighted_sum(belief, weight[rows]) for belief in beliefs]

        totals = [np.zeros(self._shape(clique)) for clique in self.cliques]
        for block in map_tasks(count, self._blocks(len(codes)), n_jobs=n_jobs):
            totals = [total + counts for total, counts in zip(totals, block)]
        return [
            self._family_counts(totals[self.home[node]], node, parents)
            for node, parents in enumerate(network.parents)
        ], log_evidence

    def node_marginals(self, network, codes):
        """Return numbers in proportion to P(node, observed nodes), for each node."""
        # A list of (n_rows, K); 0 for the other values of an observed node.
        marginals = [np.empty((len(codes), size)) for size in self.sizes]
        for rows in self._blocks(len(codes)):
            beliefs, _ = self.calibrate(network, codes[rows])
            for node, home in enumerate(self.home):
                marginals[node][rows] = self._sum_to(beliefs[home], home, (node,))
        return marginals

    def _blocks(self, n_rows):
        """Return slices of rows that do not depend on threads or working memory."""
        cells = sum(math.prod(self._shape(clique)) for clique in self.cliques)
        return slices_of(range(n_rows), max(MAX_BLOCK_CELLS // cells, 1))

    def calibrate(self, network, codes):
        """Return the beliefs of all cliques in each row, and the log evidence."""
        # A belief, of shape (n_rows, *sizes), is in proportion to the joint probability
        # of the clique's values and the observed nodes. The log evidence: (n_rows,).
        beliefs, log_scale = self._initial_beliefs(network, codes)
        messages = self._collect(beliefs, log_scale)
        self._distribute(beliefs, messages)
        root = beliefs[self.order[0]]
        total = root.reshape(len(root), -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            return beliefs, np.log(total) + log_scale

    def _initial_beliefs(self, network, codes):
        """Multiply each clique's tables, at 0 for values other than the observed."""
        # Returns a list of (n_rows, *sizes), and the logarithm of what the beliefs were
        # divided by, (n_rows,).
        beliefs = [
            np.ones((len(codes), *self._shape(clique))) for clique in self.cliques
        ]
        log_scale = np.zeros(len(codes))
        for node, parents in enumerate(network.parents):
            home = self.home[node]
            table = self._in_clique(network.tables[node][None], (*parents, node), home)
            allowed = np.equal.outer(codes[:, node], np.arange(self.sizes[node]))
            allowed |= codes[:, node, None] < 0
            beliefs[home] *= table * self._in_clique(allowed, (node,), home)
            log_scale += _normalize(beliefs[home])
        return beliefs, log_scale

    def _collect(self, beliefs, log_scale):
        """Send messages from the leaves to the root; return that of each clique."""
        # Changes `beliefs` and `log_scale`. The root's message is None.
        messages = [None] * len(self.cliques)
        for clique in reversed(self.order[1:]):
            parent, separator = self.parent[clique], self._separator(clique)
            messages[clique] = self._sum_to(beliefs[clique], clique, separator)
            beliefs[parent] *= self._in_clique(messages[clique], separator, parent)
            log_scale += _normalize(beliefs[parent])
        return messages

    def _distribute(self, beliefs, messages):
        """Send messages from the root to the leaves. Changes `beliefs`."""
        for clique in self.order[1:]:
            parent, separator = self.parent[clique], self._separator(clique)
            message = self._sum_to(beliefs[parent], parent, separator)
            ratio = np.divide(
                message,
                messages[clique],
                out=np.zeros_like(message),
                where=messages[clique] > 0,
            )
            beliefs[clique] *= self._in_clique(ratio, separator, clique)
            _normalize(beliefs[clique])

    def _shape(self, clique):
        return tuple(self.sizes[node] for node in clique)

    def _separator(self, clique):
        """Return the nodes that a clique shares with its parent."""
        parent = self.cliques[self.parent[clique]]
        return tuple(node for node in self.cliques[clique] if node in parent)

    def _sum_to(self, belief, clique, kept):
        """Return a belief summed over all nodes but those that are kept."""
        axes = tuple(
            axis
            for axis, node in enumerate(self.cliques[clique], start=1)
            if node not in kept
        )
        return belief.sum(axis=axes)

    def _in_clique(self, table, nodes, clique):
        """Return a table over rows and some nodes with the axes of a clique."""
        order = sorted(range(len(nodes)), key=nodes.__getitem__)
        table = np.transpose(table, [0, *(axis + 1 for axis in order)])
        shape = [
            self.sizes[node] if node in nodes else 1 for node in self.cliques[clique]
        ]
        return table.reshape(len(table), *shape)

    def _family_counts(self, total, node, parents):
        """Return a clique's counts summed to a family; the last axis is the node."""
        clique, family = self.cliques[self.home[node]], (*parents, node)
        axes = tuple(i for i, other in enumerate(clique) if other not in family)
        kept = [other for other in clique if other in family]
        order = [kept.index(other) for other in family]
        return np.transpose(total.sum(axis=axes), order)


def family_marginals(network):
    """Return P(parents, node) of each node without evidence."""
    # A list of (*sizes of the parents, K).
    tree = JunctionTree.of(network.parents, network.sizes)
    no_evidence = np.full((1, network.n_nodes), -1)
    return tree.expected_counts(network, no_evidence, np.ones(1))[0]


def _weighted_sum(belief, weight):
    """Return the sum over rows of normalized beliefs, each with the row's weight."""
    total = belief.reshape(len(belief), -1).sum(axis=1)
    factor = np.divide(weight, total, out=np.zeros_like(total), where=total > 0)
    return np.tensordot(factor, belief, axes=1)


def _normalize(belief):
    """Divide each row of a belief by its largest cell; return the logarithms."""
    axes = tuple(range(1, belief.ndim))
    largest = belief.max(axis=axes, keepdims=True)
    largest[largest == 0.0] = 1.0
    belief /= largest
    return np.log(largest.reshape(len(belief)))
