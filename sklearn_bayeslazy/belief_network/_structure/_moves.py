"""The moves of hill climbing: an arc is added, dropped or reversed."""

from itertools import chain
from typing import NamedTuple

import numpy as np

ADD, DROP, REVERSE = 0, 1, 2


class Move(NamedTuple):
    """A change of one arc: ADD, DROP or REVERSE."""

    kind: int
    parent: int
    child: int

    def apply(self, parents):
        """Change the parents of nodes, frozensets."""
        for node, node_parents in self.changes(parents).items():
            parents[node] = node_parents

    def changes(self, parents):
        """Return the new parents of the nodes whose parents change."""
        if self.kind == ADD:
            return {self.child: parents[self.child] | {self.parent}}
        changes = {self.child: parents[self.child] - {self.parent}}
        if self.kind == REVERSE:
            changes[self.parent] = parents[self.parent] | {self.child}
        return changes


class LegalMoves:
    """Which moves keep a graph acyclic and within the constraints."""

    # required, forbidden: sets of (parent, child).
    # self.droppable, self.addable: (n_nodes, n_nodes), bool, by parent and child.

    def __init__(self, n_nodes, max_parents, required, forbidden):
        self.n_nodes, self.max_parents = n_nodes, max_parents
        # Nodes, parents before children in the last graph. Most nodes of the next graph
        # are in order, too.
        self._order = range(n_nodes)
        self.droppable = np.ones((n_nodes, n_nodes), dtype=bool)
        self.addable = ~np.eye(n_nodes, dtype=bool)
        for arc in required:
            self.droppable[arc] = False
        for arc in forbidden:
            self.addable[arc] = False

    def __call__(self, parents):
        """Return a bool array of shape (3, n, n) by kind, parent, child."""
        ancestors = self._ancestors(parents)
        arcs, reversible = [0] * self.n_nodes, [0] * self.n_nodes
        for child, child_parents in enumerate(parents):
            above_parents = 0
            for parent in child_parents:
                arcs[child] |= 1 << parent
                above_parents |= ancestors[parent] & ~(1 << parent)
            # An arc can be reversed if it is the only path from parent to child.
            reversible[child] = arcs[child] & ~above_parents
        is_ancestor, is_arc, is_reversible = _as_matrices(ancestors, arcs, reversible)
        addable = self.addable & (is_arc.sum(axis=0) < self.max_parents)
        moves = np.empty((3, self.n_nodes, self.n_nodes), dtype=bool)
        moves[ADD] = addable & ~is_arc & ~is_ancestor.T
        moves[DROP] = is_arc & self.droppable
        moves[REVERSE] = is_reversible & self.droppable & addable.T
        return moves

    def _ancestors(self, parents):
        """Return each node with all its ancestors, as the bits of an integer."""
        bits, waiting, order = [0] * self.n_nodes, self._order, []
        while waiting:
            found = len(order)
            for node in waiting:
                own = 1 << node
                for parent in parents[node]:
                    if not bits[parent]:
                        break
                    own |= bits[parent]
                else:
                    bits[node] = own
                    order.append(node)
            waiting = [node for node in waiting if not bits[node]]
            if len(order) == found:
                raise ValueError("The arcs form a cycle.")
        self._order = order
        return bits


def _as_matrices(*lists):
    """Return lists of n integers as bool matrices: bit i of integer j is cell (i, j).

    >>> _as_matrices([0b10, 0b11])[0].astype(int)
    array([[0, 1],
           [1, 1]])
    """
    n = len(lists[0])
    n_bytes = (n + 7) // 8
    rows = b"".join([bits.to_bytes(n_bytes, "little") for bits in chain(*lists)])
    packed = np.frombuffer(rows, dtype=np.uint8).reshape(len(lists), n, n_bytes)
    matrices = np.unpackbits(packed, axis=2, count=n, bitorder="little").view(bool)
    return matrices.transpose(0, 2, 1)
