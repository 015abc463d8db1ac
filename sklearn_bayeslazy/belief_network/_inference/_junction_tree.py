"""Junction trees: what rows say of all families at once, whatever is missing in each.

The moral graph is triangulated; its cliques make a tree in which each node's cliques
hang together (Lauritzen & Spiegelhalter 1988). Messages go from the leaves to the root
and back, after which each clique holds the joint probability of its nodes and of what
is observed. Evidence enters as weights of values, so that rows with different holes
go together.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..._parallel import map_tasks
from .._graph import min_fill_cliques

# Cliques of more cells are refused.
MOST_CELLS = 2**22
# Rows are answered so many cells at a time.
_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """Cliques of nodes in a tree.

    Attributes
    ----------
    cliques : list of tuples of int
        Nodes, ascending.
    parent : list of int
        The neighbour of each clique on the way to the first one, which has -1.
    order : list of int
        Cliques, parents before children.
    home : list of int
        A clique that holds each node's family.
    sizes : tuple of int
        How many values each node has.
    """

    cliques: list
    parent: list
    order: list
    home: list
    sizes: tuple

    @classmethod
    def of(cls, parents, sizes, refuse=True):
        """Return the tree of a graph; of one that is too large an error, or None.

        >>> tree = JunctionTree.of([(), (0,), (0,), (1, 2)], (2, 2, 2, 2))
        >>> sorted(tree.cliques)
        [(0, 1, 2), (1, 2, 3)]
        """
        families = [(*some, node) for node, some in enumerate(parents)]
        cliques = min_fill_cliques(families, sizes)
        largest = max(math.prod(sizes[node] for node in some) for some in cliques)
        if largest > MOST_CELLS and not refuse:
            return None
        if largest > MOST_CELLS:
            raise ValueError(
                f"A junction tree takes a table of {largest:,} cells here, above the "
                f"limit of {MOST_CELLS:,}: choose a structure with fewer parents "
                "(max_parents). Tables are learnt without it by missing='available', "
                "and networks drawn by weigh_arcs=False."
            )
        parent, order = _join(cliques)
        home = [
            next(i for i, some in enumerate(cliques) if set(family) <= set(some))
            for family in families
        ]
        return cls(cliques, parent, order, home, tuple(sizes))

    def expected_counts(self, network, codes, weight, n_jobs=None):
        """Return the masses that each family's values are expected to have.

        Parameters
        ----------
        network : Network
            Of the graph that this is the tree of.
        codes : int array of shape (n_rows, n_nodes)
            Below 0 where a value is missing.
        weight : ndarray of shape (n_rows,)
        n_jobs : int, default=None
            Number of threads; the answer does not depend on it.

        Returns
        -------
        counts : list of ndarray of shape (*sizes of the parents, K)
        log_evidence : ndarray of shape (n_rows,)
            Log P(what is observed). Impossible rows have -inf, and count nowhere.
        """
        log_evidence = np.empty(len(codes))

        def count(rows):
            beliefs, log_evidence[rows] = self.calibrate(network, codes[rows])
            totals = []
            for belief in beliefs:
                mass = belief.reshape(len(belief), -1).sum(axis=1)
                share = np.divide(
                    weight[rows], mass, out=np.zeros_like(mass), where=mass > 0
                )
                totals.append(np.tensordot(share, belief, axes=1))
            return totals

        totals = [np.zeros(self._shape(some)) for some in self.cliques]
        for part in map_tasks(count, self._pieces(len(codes)), n_jobs=n_jobs):
            totals = [total + some for total, some in zip(totals, part)]
        return [
            self._of_family(totals[self.home[node]], node, parents)
            for node, parents in enumerate(network.parents)
        ], log_evidence

    def node_marginals(self, network, codes):
        """Return P(node, what is observed) of each node in rows, but for constants.

        Returns
        -------
        list of ndarray of shape (n_rows, K)
            A node that is observed has its own value alone.
        """
        found = [np.empty((len(codes), size)) for size in self.sizes]
        for rows in self._pieces(len(codes)):
            beliefs, _ = self.calibrate(network, codes[rows])
            for node, home in enumerate(self.home):
                axes = tuple(
                    axis
                    for axis, some in enumerate(self.cliques[home], start=1)
                    if some != node
                )
                found[node][rows] = beliefs[home].sum(axis=axes)
        return found

    def _pieces(self, n_rows):
        """Return slices of rows, the same whatever there is of threads and memory."""
        cells = sum(math.prod(self._shape(some)) for some in self.cliques)
        step = max(_CELLS // cells, 1)
        return [slice(start, start + step) for start in range(0, n_rows, step)]

    def calibrate(self, network, codes):
        """Return the beliefs of all cliques in rows, and the log evidence.

        A belief, of shape (n_rows, *sizes), is in proportion to the joint probability
        of the clique's values and what a row observes.
        """
        beliefs = [
            np.ones((len(codes), *self._shape(clique))) for clique in self.cliques
        ]
        scale = np.zeros(len(codes))
        for node, parents in enumerate(network.parents):
            home = self.home[node]
            table = self._in_clique(network.tables[node][None], (*parents, node), home)
            allowed = np.equal.outer(codes[:, node], np.arange(self.sizes[node]))
            allowed |= codes[:, node, None] < 0
            beliefs[home] *= table * self._in_clique(allowed, (node,), home)
            scale += _normalise(beliefs[home])
        messages = [None] * len(self.cliques)
        for clique in reversed(self.order[1:]):
            parent = self.parent[clique]
            shared = self._shared(clique)
            messages[clique] = self._message(beliefs[clique], clique, shared)
            beliefs[parent] *= self._in_clique(messages[clique], shared, parent)
            scale += _normalise(beliefs[parent])
        for clique in self.order[1:]:
            parent = self.parent[clique]
            shared = self._shared(clique)
            message = self._message(beliefs[parent], parent, shared)
            back = np.divide(
                message,
                messages[clique],
                out=np.zeros_like(message),
                where=messages[clique] > 0,
            )
            beliefs[clique] *= self._in_clique(back, shared, clique)
            _normalise(beliefs[clique])
        root = beliefs[self.order[0]]
        mass = root.reshape(len(root), -1).sum(axis=1)
        with np.errstate(divide="ignore"):
            return beliefs, np.log(mass) + scale

    def _shape(self, clique):
        return tuple(self.sizes[node] for node in clique)

    def _shared(self, clique):
        parent = self.cliques[self.parent[clique]]
        return tuple(node for node in self.cliques[clique] if node in parent)

    def _message(self, belief, clique, kept):
        """Return a belief summed over all nodes but those kept."""
        axes = tuple(
            place + 1
            for place, node in enumerate(self.cliques[clique])
            if node not in kept
        )
        return belief.sum(axis=axes)

    def _in_clique(self, table, nodes, clique):
        """Return a table over rows and some nodes with the axes of a clique."""
        order = sorted(range(len(nodes)), key=nodes.__getitem__)
        table = np.transpose(table, [0, *(place + 1 for place in order)])
        shape = [
            self.sizes[node] if node in nodes else 1 for node in self.cliques[clique]
        ]
        return table.reshape(len(table), *shape)

    def _of_family(self, total, node, parents):
        """Return the sums of a clique over all but a family, its own values last."""
        clique, family = self.cliques[self.home[node]], (*parents, node)
        axes = tuple(i for i, some in enumerate(clique) if some not in family)
        kept = [some for some in clique if some in family]
        return np.transpose(total.sum(axis=axes), [kept.index(some) for some in family])


def family_marginals(network):
    """Return P(parents, node) of each node, nothing else known.

    Returns
    -------
    list of ndarray of shape (*sizes of the parents, K)
    """
    tree = JunctionTree.of(network.parents, network.sizes)
    nothing = np.full((1, network.n_nodes), -1)
    return tree.expected_counts(network, nothing, np.ones(1))[0]


def _join(cliques):
    """Return the tree in which neighbours share most nodes: parents, order (Prim)."""
    sets = list(map(set, cliques))
    parent, order = [-1] * len(cliques), [0]
    closest = {i: (len(sets[0] & sets[i]), 0) for i in range(1, len(cliques))}
    while closest:
        new = max(closest, key=lambda i: (*closest[i], -i))
        parent[new] = -closest.pop(new)[1]
        order.append(new)
        for i, found in closest.items():
            closest[i] = max(found, (len(sets[new] & sets[i]), -new))
    return parent, order


def _normalise(belief):
    """Divide the rows of a belief by their largest cells; return the logarithms."""
    axes = tuple(range(1, belief.ndim))
    largest = belief.max(axis=axes, keepdims=True)
    largest[largest == 0.0] = 1.0
    belief /= largest
    return np.log(largest.reshape(len(belief)))
