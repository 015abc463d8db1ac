"""The gains of all changes of one arc, each computed when it is needed.

The gains of a decomposable score depend on the parents of the changed nodes only.

Under the leave-one-out score each move changes all gains, but most of them little. So a
gain that was computed for an earlier graph serves as an estimate, as in lazy greedy
search (Minoux, "Accelerated greedy algorithms for maximizing submodular set functions",
*Optimization Techniques*, 1978): the largest estimates are computed anew, until one of
the new gains is at least as large as all estimates. If gains could only fall, that move
would be the best. This score has no such property: estimates can be too small. So a
local optimum counts only after gains have been computed anew there.
"""

from typing import NamedTuple

import numpy as np

from .._graph import topological_order

ADD, DROP, REVERSE = 0, 1, 2
# The number of estimates that are computed anew together. More of them make the search
# slower and its moves more often the best. 64 found graphs as good as with all of them.
N_ESTIMATES = 64
# At a local optimum estimates below -SAFETY times the largest rise are not computed.
SAFETY = 2.0


class Move(NamedTuple):
    """A change of one arc: ADD, DROP or REVERSE."""

    kind: int
    parent: int
    child: int

    def apply(self, parents):
        """Change the sets of parents."""
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
        arcs = np.zeros((self.n_nodes, self.n_nodes), dtype=bool)
        for child, child_parents in enumerate(parents):
            arcs[list(child_parents), child] = True
        reaches = _reachability(parents)
        addable = self.addable & (arcs.sum(axis=0) < self.max_parents)
        droppable = arcs & self.droppable
        # An arc can be reversed if it is the only path from parent to child.
        n_paths = arcs.astype(np.float32) @ reaches.astype(np.float32)
        reversible = droppable & (n_paths == 1) & addable.T
        return np.stack([addable & ~arcs & ~reaches.T, droppable, reversible])


def _reachability(parents):
    """Return whether a directed path leads from one node (row) to another."""
    reaches = np.eye(len(parents), dtype=bool)
    for node in topological_order(parents):
        for parent in parents[node]:
            reaches[:, node] |= reaches[:, parent]
    return reaches


class MoveGains:
    """The present graph, its legal moves, and what is known of their gains.

    Attributes
    ----------
    parents : list of set
        The graph.
    gains : ndarray of shape (3, n, n)
        The gain of each move by kind, parent and child when it was last computed; inf
        if that was not done since its families changed; -inf if the gain is not to be
        computed.
    is_new : bool array of shape (3, n, n)
        Whether the gain was computed for the present graph.
    """

    def __init__(self, scores, n_nodes, max_parents, required, forbidden):
        self.scores = scores
        self.legal_moves = LegalMoves(n_nodes, max_parents, required, forbidden)
        self.gains = np.full((3, n_nodes, n_nodes), np.inf)
        self.is_new = np.zeros(self.gains.shape, dtype=bool)
        start = [{p for p, c in required if c == node} for node in range(n_nodes)]
        self.parents = [None] * n_nodes
        self.set_graph(start)

    def set_graph(self, parents):
        """Move to a graph."""
        changed = [
            node
            for node, node_parents in enumerate(parents)
            if node_parents != self.parents[node]
        ]
        self.parents = [set(node_parents) for node_parents in parents]
        self.scores.set_graph(self.parents)
        if not self.scores.is_decomposable:
            self.is_new[:] = False
        for gains, value in ((self.gains, np.inf), (self.is_new, False)):
            gains[:, :, changed] = value
            gains[REVERSE, changed, :] = value
        for child in changed:
            self.gains[ADD, ~self.scores.can_add(child), child] = -np.inf
        self._legal = self.legal_moves(self.parents)
        if self.scores.is_decomposable:
            self._compute(self._scored_moves() & ~self.is_new)

    def make(self, move):
        """Move to the graph after a move."""
        parents = list(self.parents)
        move.apply(parents)
        self.set_graph(parents)

    def draw(self, rng):
        """Return a random move whose gain is above -inf; None if there is none."""
        while True:
            cells = np.flatnonzero(self._scored_moves())
            if len(cells) == 0:
                return None
            move = self._move(cells[rng.randint(len(cells))])
            if self.gains[move] == np.inf:
                only = np.zeros_like(self.is_new)
                only[move] = True
                self._compute(only)
            if self.gains[move] > -np.inf:
                return move

    def best(self, is_tabu, tolerance, *, is_thorough):
        """Return the best move, and its gain.

        Parameters
        ----------
        is_tabu : callable
            Returns whether a graph must not be reached.
        tolerance : float
            Smaller differences of gains are rounding errors.
        is_thorough : bool
            Whether to look for gains that are larger than their estimates if no gain is
            above 0.

        Returns
        -------
        Move, float
            None and -inf if there is no move. Moves that are equally good up to
            rounding are ordered by kind, parent and child.
        """
        move, gain = self._best_by_estimates(is_tabu, tolerance)
        largest_rise = 0.0
        while is_thorough and gain <= tolerance:
            old = self._scored_moves() & ~self.is_new
            # Few arcs can be dropped, and the gain of that often rises.
            if old[[DROP, REVERSE]].any():
                old[ADD] = False
                self._compute(old)
            elif old.any():
                if 0 < largest_rise * SAFETY < -self.gains[old].max():
                    break
                some = self._largest(old, N_ESTIMATES, tolerance)
                estimates = self.gains[some]
                self._compute(some)
                largest_rise = max(largest_rise, (self.gains[some] - estimates).max())
            else:
                break
            move, gain = self._best_by_estimates(is_tabu, tolerance)
        return move, gain

    def _best_by_estimates(self, is_tabu, tolerance):
        """Return the best move if no estimate is too small, and its gain."""
        tabu = np.zeros_like(self.is_new)
        while True:
            allowed = self._scored_moves() & ~tabu
            new = np.where(allowed & self.is_new, self.gains, -np.inf)
            least = new.max() - tolerance
            old = allowed & ~self.is_new & (self.gains >= least)
            if old.any():
                n_unknown = np.count_nonzero(self.gains[old] == np.inf)
                n_moves = n_unknown + N_ESTIMATES
                self._compute(self._largest(old, n_moves, tolerance))
                continue
            if least == -np.inf:
                return None, -np.inf
            move = self._move(np.argmax(new >= least))
            parents = list(self.parents)
            move.apply(parents)
            if not is_tabu(parents):
                return move, float(self.gains[move])
            tabu[move] = True

    def _scored_moves(self):
        """Return the mask of the legal moves whose gain is not known to be -inf."""
        return self._legal & (self.gains > -np.inf)

    def _compute(self, moves):
        """Compute the gains of the moves of a mask."""
        for child in np.flatnonzero(moves[ADD].any(axis=0)):
            nodes = np.flatnonzero(moves[ADD, :, child])
            self.gains[ADD, nodes, child] = self.scores.gains_of_parents(child, nodes)
        for cell in moves[ADD].size + np.flatnonzero(moves[DROP:]):
            move = self._move(cell)
            self.gains[move] = self.scores.gain(move.changes(self.parents))
        self.is_new |= moves

    def _largest(self, moves, n_moves, tolerance):
        """Return the mask of the moves of the largest estimates, ties included."""
        estimates = self.gains[moves]
        if len(estimates) <= n_moves:
            return moves
        least = np.partition(estimates, -n_moves)[-n_moves]
        return moves & (self.gains >= least - tolerance)

    def _move(self, cell):
        """Return the move with an index into the flat array."""
        return Move(*map(int, np.unravel_index(cell, self.gains.shape)))
