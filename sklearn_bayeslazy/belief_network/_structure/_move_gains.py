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

import numpy as np

from ._moves import ADD, DROP, REVERSE, LegalMoves, Move

# The number of estimates that are computed anew together. More of them make the search
# slower and its moves more often the best. 64 found graphs as good as with all of them.
N_ESTIMATES = 64
# At a local optimum estimates below -SAFETY times the largest rise are not computed.
SAFETY = 2.0


class MoveGains:
    """The present graph, its legal moves, and their known or estimated gains."""

    # self.parents: the graph, a list of frozensets.
    # self.gains: (3, n, n), the gain of each move by kind, parent and child when it was
    # last computed; inf if that was not done since its families changed; -inf if the
    # gain is not to be computed.
    # self.is_new: (3, n, n), whether the gain was computed for the present graph.

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
        parents = [frozenset(node_parents) for node_parents in parents]
        changed = [
            node for node, old in enumerate(self.parents) if parents[node] != old
        ]
        self.parents = parents
        self.scores.set_graph(self.parents)
        if not self.scores.is_decomposable:
            self.is_new[:] = False
        for node in changed:
            for gains, value in ((self.gains, np.inf), (self.is_new, False)):
                gains[:, :, node] = value
                gains[REVERSE, node] = value
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
        """Return the best move, and its gain; None and -inf if there is no move."""
        # is_tabu: returns whether a graph must not be reached; tolerance: smaller
        # differences of gains are rounding errors; is_thorough: whether to look for
        # gains that are larger than their estimates if no gain is above 0.
        # Moves that are equally good up to rounding are ordered by kind, parent and
        # child.
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
        tabu = []
        while True:
            allowed = self._scored_moves()
            allowed.ravel()[tabu] = False
            old = allowed & ~self.is_new
            has_old = old.any()
            new = np.where(allowed & self.is_new, self.gains, -np.inf)
            while (largest := new.max()) > -np.inf or has_old:
                least = largest - tolerance
                if has_old and (large := old & (self.gains >= least)).any():
                    n_unknown = np.count_nonzero(self.gains[large] == np.inf)
                    n_moves = n_unknown + N_ESTIMATES
                    self._compute(self._largest(large, n_moves, tolerance))
                    break
                cell = int(np.argmax(new >= least))
                move = self._move(cell)
                parents = list(self.parents)
                move.apply(parents)
                if not is_tabu(parents):
                    return move, float(self.gains[move])
                tabu.append(cell)
                new.ravel()[cell] = -np.inf
            else:
                return None, -np.inf

    def _scored_moves(self):
        """Return the mask of the legal moves whose gain is not known to be -inf."""
        return self._legal & (self.gains > -np.inf)

    def _compute(self, moves):
        """Compute the gains of the moves of a mask."""
        added = moves[ADD]
        if self.scores.is_decomposable:
            added = (added | moves[REVERSE].T) & ~self.is_new[ADD]
        for child in np.flatnonzero(added.any(axis=0)).tolist():
            nodes = np.flatnonzero(added[:, child])
            self.gains[ADD, nodes, child] = self.scores.gains_of_parents(child, nodes)
        if self.scores.is_decomposable:
            self.is_new[ADD] |= added
            self._compute_parts(moves)
        else:
            for cell in moves[ADD].size + np.flatnonzero(moves[DROP:]):
                move = self._move(cell)
                self.gains[move] = self.scores.gain(move.changes(self.parents))
        self.is_new |= moves

    def _compute_parts(self, moves):
        """Compute the gains of dropping and reversing under a decomposable score."""
        # A reversed arc is dropped, and the opposite arc is added.
        dropped = (moves[DROP] | moves[REVERSE]) & ~self.is_new[DROP]
        for cell in dropped.ravel().nonzero()[0]:
            move = self._move(moves[ADD].size + cell)
            self.gains[move] = self.scores.gain(move.changes(self.parents))
        self.is_new[DROP] |= dropped
        parents, children = moves[REVERSE].nonzero()
        parts = self.gains[DROP, parents, children], self.gains[ADD, children, parents]
        with np.errstate(invalid="ignore"):  # inf - inf
            gains = np.where(np.minimum(*parts) > -np.inf, sum(parts), -np.inf)
        self.gains[REVERSE, parents, children] = gains

    def _largest(self, moves, n_moves, tolerance):
        """Return the mask of the moves of the largest estimates, ties included."""
        estimates = self.gains[moves]
        if len(estimates) <= n_moves:
            return moves
        least = np.partition(estimates, -n_moves)[-n_moves]
        return moves & (self.gains >= least - tolerance)

    def _move(self, cell):
        """Return the move with an index into the flat array."""
        n_nodes = len(self.parents)
        arc, child = divmod(int(cell), n_nodes)
        return Move(*divmod(arc, n_nodes), child)
