"""Hill climbing over graphs: each move adds, drops or reverses the best arc.

At a local optimum the search makes the move with the smallest loss, but never returns
to one of the last graphs (a tabu list). After that it restarts from the best graph with
random changes.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from .._graph import topological_order

# A gain below this share of the score and of the rows' total weight is rounding error.
# The total weight matters for scores close to 0.
ROUNDING = 1e-10

ADD, DROP, REVERSE = 0, 1, 2


class Move(NamedTuple):
    """A change of one arc: ADD, DROP or REVERSE."""

    kind: int
    parent: int
    child: int

    def apply(self, parents):
        """Change the sets of parents."""
        if self.kind == ADD:
            parents[self.child].add(self.parent)
        else:
            parents[self.child].remove(self.parent)
        if self.kind == REVERSE:
            parents[self.parent].add(self.child)


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
):
    """Return the best graph that the search visits.

    Parameters
    ----------
    scores : FamilyScores or LeaveOneOutScore
    n_nodes : int
    max_parents : int
    required, forbidden : collections of (parent, child) nodes
        Arcs that the search always keeps, and arcs that it never adds. The search
        starts from the graph of the required arcs.
    tabu : int
        The length of the tabu list. The search ends after this number of moves without
        a better graph.
    n_restarts : int
    rng : RandomState
        Draws the random changes before restarts.
    report : callable, default=None
        Called with the score of each new best graph.

    Returns
    -------
    tuple of tuples
        The parents of each node.
    """
    climber = _HillClimber(scores, n_nodes, max_parents, set(required), set(forbidden))
    best_score, best = climber.search(tabu, report)
    for _ in range(n_restarts):
        climber.set_graph(best)
        climber.perturb(n_nodes, rng)
        score, graph = climber.search(tabu, report)
        if climber.is_better(score, best_score):
            best_score, best = score, graph
    return best


class _HillClimber:
    """A graph, and the gain of each change of one arc.

    ``toggle_gains[p, c]`` is the gain in score if the arc from p to c is added, or
    dropped if the graph has it; -inf if that is not allowed.
    """

    def __init__(self, scores, n_nodes, max_parents, required, forbidden):
        self.scores, self.n_nodes = scores, n_nodes
        self.max_parents, self.required = max_parents, required
        self.forbidden = forbidden
        start = [[p for p, c in required if c == node] for node in range(n_nodes)]
        self.set_graph(start)

    def set_graph(self, parents):
        """Move to a graph."""
        self.parents = [set(node_parents) for node_parents in parents]
        self.toggle_gains = np.full((self.n_nodes, self.n_nodes), -np.inf)
        self._update_toggle_gains(range(self.n_nodes))

    def graph(self):
        """Return the parents of each node."""
        return _as_tuples(self.parents)

    def search(self, tabu, report):
        """Search from the present graph; return the best score and its graph."""
        score = self.scores.total(self.graph())
        best_score, best = score, self.graph()
        tabu_list, n_moves_without_gain = deque(maxlen=max(tabu, 1)), 0
        while n_moves_without_gain <= tabu:
            tabu_list.append(self.graph())
            move, gain = self._best_move(tabu_list)
            if move is None:
                break
            if tabu == 0 and not self.is_better(score + gain, score):
                break
            self._make(move)
            score += gain
            n_moves_without_gain += 1
            if self.is_better(score, best_score):
                best_score, best, n_moves_without_gain = score, self.graph(), 0
                if report is not None:
                    report(score)
        return best_score, best

    def perturb(self, n_moves, rng):
        """Make random moves."""
        for _ in range(n_moves):
            allowed = np.argwhere(self._move_gains() > -np.inf)
            if len(allowed):
                self._make(Move(*map(int, allowed[rng.randint(len(allowed))])))

    def is_better(self, score, other):
        """Return whether a score exceeds another by more than rounding."""
        scale = abs(other) + self.scores.rows.total_weight
        return score - other > ROUNDING * scale

    def _make(self, move):
        move.apply(self.parents)
        changed = (move.child,)
        if move.kind == REVERSE:
            changed = (move.parent, move.child)
        self._update_toggle_gains(changed)

    def _best_move(self, tabu_list):
        """Return the best move to a graph outside the tabu list, and its gain."""
        gains = self._move_gains()
        for cell in np.argsort(-gains, axis=None, kind="stable"):
            move = Move(*map(int, np.unravel_index(cell, gains.shape)))
            gain = gains[move]
            if gain == -np.inf:
                break
            graph = [set(node_parents) for node_parents in self.parents]
            move.apply(graph)
            if _as_tuples(graph) not in tabu_list:
                return move, gain
        return None, -np.inf

    def _update_toggle_gains(self, changed):
        """Compute the toggle gains anew after some nodes' parents changed.

        A decomposable score needs only the gains of these nodes.
        """
        self.scores.set_graph(self.parents)
        for child in changed if self.scores.is_decomposable else range(self.n_nodes):
            for node in range(self.n_nodes):
                self.toggle_gains[node, child] = self._toggle_gain(node, child)

    def _toggle_gain(self, node, child):
        parents, arc = self.parents[child], (node, child)
        if node in parents:
            if arc in self.required:
                return -np.inf
            return self.scores.gain({child: parents - {node}})
        is_full = len(parents) >= self.max_parents
        if node == child or is_full or arc in self.forbidden:
            return -np.inf
        return self.scores.gain({child: parents | {node}})

    def _move_gains(self):
        """Return the gain of each move, of shape (3, n, n) by kind, parent, child."""
        n = self.n_nodes
        arcs = np.zeros((n, n), dtype=bool)
        for child, parents in enumerate(self.parents):
            arcs[list(parents), child] = True
        reaches = self._reachability()
        gains = np.full((3, n, n), -np.inf)
        addable = ~arcs & ~reaches.T
        gains[ADD][addable] = self.toggle_gains[addable]
        gains[DROP][arcs] = self.toggle_gains[arcs]
        # An arc can be reversed if it is the only path from parent to child.
        n_paths = arcs.astype(np.int64) @ reaches.astype(np.int64)
        reversible = arcs & (n_paths == 1)
        drop_and_add = self.toggle_gains + self.toggle_gains.T
        gains[REVERSE][reversible] = drop_and_add[reversible]
        if not self.scores.is_decomposable:
            for parent, child in np.argwhere(reversible & (gains[REVERSE] > -np.inf)):
                gains[REVERSE, parent, child] = self._reversal_gain(parent, child)
        return gains

    def _reversal_gain(self, parent, child):
        """Return the gain of a reversal where the score does not decompose."""
        changes = {
            child: self.parents[child] - {parent},
            parent: self.parents[parent] | {child},
        }
        return self.scores.gain(changes)

    def _reachability(self):
        """Return whether a directed path leads from one node (row) to another."""
        reaches = np.eye(self.n_nodes, dtype=bool)
        for node in topological_order(self.parents):
            for parent in self.parents[node]:
                reaches[:, node] |= reaches[:, parent]
        return reaches


def _as_tuples(parents):
    return tuple(tuple(sorted(node_parents)) for node_parents in parents)
