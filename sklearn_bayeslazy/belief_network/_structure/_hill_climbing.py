"""Hill climbing over graphs: each move adds, drops or reverses the best arc.

At a local optimum the search makes the move with the smallest loss, but never returns
to one of the last graphs (a tabu list). After that it restarts from the best graph with
random changes.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np

from ..._core._fit_tasks import Iterations
from .._graph import topological_order
from ._scores import score_rounding_error
from ._trees_and_k2 import most_first


def hill_climb(
    scores,
    n_nodes,
    *,
    max_parents=3,
    required=(),
    forbidden=(),
    tabu=100,
    n_restarts=0,
    rng=None,
    report=None,
    iterations=None,
):
    """Return the best graph that the search visits, the parents of each node."""
    # scores: FamilyScores or LeaveOneOutScore. required, forbidden: (parent, child)
    # nodes, arcs that the search always keeps, and that it never adds. The search
    # starts from the graph of the required arcs.
    # tabu: the length of the tabu list. The search ends after this number of moves
    # without a better graph. rng: draws the random changes before restarts.
    # report: called with the score of each new best graph; iterations: of the moves,
    # with the best graph as their result.
    iterations = iterations or Iterations()
    moves = MoveGains(scores, n_nodes, max_parents, set(required), set(forbidden))

    def better(best, found):
        return found if _is_better(found[0], best[0], scores.rows) else best

    best = _search(moves, tabu, report, iterations.for_part(_sorted_graph))
    for _ in range(n_restarts):
        if iterations.stopped:
            break
        moves.set_graph(best[1])
        for _ in range(n_nodes):
            if (move := moves.draw(rng)) is not None:
                moves.make(move)
        steps = iterations.for_part(
            lambda found, best=best: _sorted_graph(better(best, found))
        )
        best = better(best, _search(moves, tabu, report, steps))
    return _sorted_graph(best)


def _search(moves, tabu, report, steps):
    """Search from the present graph; return the best score and its graph."""
    rows = moves.scores.rows
    graph = tuple(moves.parents)
    score = moves.scores.total(graph)
    best = score, graph
    tabu_list, n_moves_without_gain = {}, 0  # a dictionary keeps the order
    while n_moves_without_gain <= tabu:
        tabu_list[graph] = True
        if len(tabu_list) > max(tabu, 1):
            del tabu_list[next(iter(tabu_list))]
        tolerance = score_rounding_error(score, rows)
        is_best = n_moves_without_gain == 0
        steps.begin()
        move, gain = moves.best(tabu_list, tolerance, is_thorough=is_best)
        if move is None:
            break
        if tabu == 0 and not _is_better(score + gain, score, rows):
            break
        moves.make(move)
        graph = tuple(moves.parents)
        score += gain
        n_moves_without_gain += 1
        if _is_better(score, best[0], rows):
            best, n_moves_without_gain = (score, graph), 0
            if report is not None:
                report(score)
        if steps.end(tuple, best):
            break
    steps.end()  # a move that was not made
    return best


def _sorted_graph(found):
    """Return the graph of a pair of a score and a graph, the parents as tuples."""
    return tuple(tuple(sorted(node_parents)) for node_parents in found[1])


def _is_better(score, other, rows):
    """Return whether a score exceeds another by more than rounding."""
    return score - other > score_rounding_error(other, rows)


# The gains of all changes of one arc, each computed when it is needed.
#
# The gains of a decomposable score depend on the parents of the changed nodes only.
#
# Under the leave-one-out score each move changes all gains, but most of them little. So
# a gain that was computed for an earlier graph serves as an estimate, as in lazy greedy
# search (Minoux, "Accelerated greedy algorithms for maximizing submodular set
# functions", *Optimization Techniques*, 1978): the largest estimates are computed anew,
# until one of the new gains is at least as large as all estimates. If gains could only
# fall, that move would be the best. This score has no such property: estimates can be
# too small. So a local optimum counts only after gains have been computed anew there.


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
    # self._rank: (3 n²,), the place of each cell in the order of equally good moves.

    def __init__(self, scores, n_nodes, max_parents, required, forbidden):
        self.scores = scores
        self.legal_moves = LegalMoves(n_nodes, max_parents, required, forbidden)
        self.gains = np.full((3, n_nodes, n_nodes), np.inf)
        self.is_new = np.zeros(self.gains.shape, dtype=bool)
        start = [{p for p, c in required if c == node} for node in range(n_nodes)]
        self.parents = [None] * n_nodes
        self.set_graph(start)
        order = self._node_order()
        cells = np.arange(self.gains.size).reshape(self.gains.shape)
        self._rank = np.argsort(cells[:, order][:, :, order], axis=None)

    def _node_order(self):
        """Return the nodes, those of most information about the others first."""
        # Arcs in both directions often have the same gain. The order of the columns
        # decides only between nodes that are equal in this and in their entropy.
        rows, gains = self.scores.rows, self.gains[ADD]
        gains = np.where(np.isfinite(gains), gains, 0.0) / (rows.total_weight or 1.0)
        counts = [
            rows.count((node,)) if rows.is_small((node,)) else np.ones(1)
            for node in range(len(gains))
        ]
        return most_first(gains.sum(axis=0) + gains.sum(axis=1), counts)

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
            cells = cells[np.argsort(self._rank[cells])]
            move = self._move(cells[rng.randint(len(cells))])
            if self.gains[move] == np.inf:
                only = np.zeros_like(self.is_new)
                only[move] = True
                self._compute(only)
            if self.gains[move] > -np.inf:
                return move

    def best(self, tabu_list, tolerance, *, is_thorough):
        """Return the best move, and its gain; None and -inf if there is no move."""
        # tabu_list: graphs that must not be reached, tuples; tolerance: smaller
        # differences of gains are rounding errors; is_thorough: whether to look for
        # gains that are larger than their estimates if no gain is above 0.
        # Moves that are equally good up to rounding are ordered by kind, parent and
        # child, nodes as by `_node_order`.
        move, gain = self._best_by_estimates(tabu_list, tolerance)
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
            move, gain = self._best_by_estimates(tabu_list, tolerance)
        return move, gain

    def _best_by_estimates(self, tabu_list, tolerance):
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
                best = np.flatnonzero(new >= least)
                cell = int(best[np.argmin(self._rank[best])])
                move = self._move(cell)
                parents = list(self.parents)
                move.apply(parents)
                if tuple(parents) not in tabu_list:
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


# The moves of hill climbing: an arc is added, dropped or reversed.


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
        self.droppable = np.ones((n_nodes, n_nodes), dtype=bool)
        self.addable = ~np.eye(n_nodes, dtype=bool)
        for arc in required:
            self.droppable[arc] = False
        for arc in forbidden:
            self.addable[arc] = False

    def __call__(self, parents):
        """Return a bool array of shape (3, n, n) by kind, parent, child."""
        ancestors = [0] * self.n_nodes  # each node with its ancestors, as bits
        for node in topological_order(parents):
            ancestors[node] = 1 << node
            for parent in parents[node]:
                ancestors[node] |= ancestors[parent]
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
