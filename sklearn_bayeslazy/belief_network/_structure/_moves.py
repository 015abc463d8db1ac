"""The moves of hill climbing: an arc is added, dropped or reversed."""

from typing import NamedTuple

import numpy as np

from .._graph import topological_order

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
    """Which moves keep a graph acyclic and within the constraints.

    Parameters
    ----------
    n_nodes : int
    max_parents : int
    required, forbidden : sets of (parent, child)
    """

    def __init__(self, n_nodes, max_parents, required, forbidden):
        self.n_nodes, self.max_parents = n_nodes, max_parents
        self.droppable = np.ones((n_nodes, n_nodes), dtype=bool)
        self.addable = ~np.eye(n_nodes, dtype=bool)
        for arc in required:
            self.droppable[arc] = False
        for arc in forbidden:
            self.addable[arc] = False

    def __call__(self, parents):
        """Return a bool array of shape (3, n, n) by kind, parent, child."""
        ancestors = _ancestors(parents)
        arcs, reversible = [0] * self.n_nodes, [0] * self.n_nodes
        for child, child_parents in enumerate(parents):
            above_parents = 0
            for parent in child_parents:
                arcs[child] |= 1 << parent
                above_parents |= ancestors[parent] & ~(1 << parent)
            # An arc can be reversed if it is the only path from parent to child.
            reversible[child] = arcs[child] & ~above_parents
        is_arc, is_reversible = _as_matrix(arcs).T, _as_matrix(reversible).T
        addable = self.addable & (is_arc.sum(axis=0) < self.max_parents)
        moves = np.empty((3, self.n_nodes, self.n_nodes), dtype=bool)
        moves[ADD] = addable & ~is_arc & ~_as_matrix(ancestors)
        moves[DROP] = is_arc & self.droppable
        moves[REVERSE] = is_reversible & self.droppable & addable.T
        return moves


def _ancestors(parents):
    """Return each node with all its ancestors, as the bits of an integer."""
    bits = [0] * len(parents)
    for node in topological_order(parents):
        bits[node] = 1 << node
        for parent in parents[node]:
            bits[node] |= bits[parent]
    return bits


def _as_matrix(bits):
    """Return the bits of integers as the rows of a square bool matrix.

    >>> _as_matrix([0b10, 0b11]).astype(int)
    array([[0, 1],
           [1, 1]])
    """
    n = len(bits)
    n_bytes = (n + 7) // 8
    rows = b"".join([row.to_bytes(n_bytes, "little") for row in bits])
    packed = np.frombuffer(rows, dtype=np.uint8).reshape(n, n_bytes)
    return np.unpackbits(packed, axis=1, count=n, bitorder="little").view(bool)
