"""Hill climbing over graphs: arcs are added, dropped and turned for as long as it pays.

At a summit the search goes on by the least loss, never to one of the last graphs (a
tabu list), and then from the best graph with random changes (restarts).
"""

from collections import deque

import numpy as np

from .._graph import topological_order

# Gains below this share of the score and of the mass of the rows are rounding: some
# scores are all but 0.
_ROUNDING = 1e-10


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
    """Return the graph with the best score that was found.

    Parameters
    ----------
    scores : FamilyScores or LeaveOneOutScore
    n_nodes : int
    max_parents : int
    required, forbidden : collections of (parent, child) as numbers
        Arcs that stay, arcs that never come. The search starts from those required.
    tabu : int
        So many moves that do not better the best graph end the search, and so many of
        the last graphs are not returned to.
    n_restarts : int
    rng : RandomState
        Draws the changes of restarts.
    report : callable, default=None
        Called with the score of each new best graph.

    Returns
    -------
    tuple of tuples
        The parents of each node.
    """
    climb = _Climb(scores, n_nodes, max_parents, set(required), set(forbidden))
    best = climb.search(tabu, report)
    for _ in range(n_restarts):
        climb.go_to(best[1])
        climb.shake(n_nodes, rng)
        found = climb.search(tabu, report)
        if climb.is_better(found[0], best[0]):
            best = found
    return best[1]


class _Climb:
    """A graph, and what each change of an arc would add to its score.

    ``changes[p, c]`` is what the score of node c gains if p becomes its parent, or
    ceases to be; -inf where that is not allowed.
    """

    def __init__(self, scores, n_nodes, max_parents, required, forbidden):
        self.scores, self.n_nodes = scores, n_nodes
        self.max_parents, self.required = max_parents, required
        self.forbidden = forbidden
        first = [[p for p, c in required if c == node] for node in range(n_nodes)]
        self.go_to([tuple(sorted(some)) for some in first])

    def go_to(self, parents):
        """Take a graph."""
        self.parents = [set(some) for some in parents]
        self.changes = np.full((self.n_nodes, self.n_nodes), -np.inf)
        self._weigh(range(self.n_nodes))

    def graph(self):
        """Return the parents of each node."""
        return _frozen(self.parents)

    def _weigh(self, changed):
        """Work out what changes are worth once some nodes have other parents."""
        self.scores.go_to(self.parents)
        for child in changed if self.scores.is_sum else range(self.n_nodes):
            for node in range(self.n_nodes):
                self.changes[node, child] = self._worth(node, child)

    def _worth(self, node, child):
        """Return what is gained if an arc comes, or goes."""
        parents, arc = self.parents[child], (node, child)
        if node in parents:
            if arc in self.required:
                return -np.inf
            return self.scores.gain({child: parents - {node}})
        is_full = len(parents) >= self.max_parents
        if node == child or is_full or arc in self.forbidden:
            return -np.inf
        return self.scores.gain({child: parents | {node}})

    def _worth_turned(self, parent, child):
        """Return what is gained if an arc is turned, by scores that are no sums."""
        families = self.parents[child] - {parent}, self.parents[parent] | {child}
        return self.scores.gain(dict(zip((child, parent), families)))

    def _gains(self):
        """Return what each move gains, of shape (3, n, n): add, drop, turn."""
        n = self.n_nodes
        arcs = np.zeros((n, n), dtype=bool)
        for child, parents in enumerate(self.parents):
            arcs[list(parents), child] = True
        reach = np.eye(n, dtype=bool)  # from row to column
        for node in topological_order(self.parents):
            for parent in self.parents[node]:
                reach[:, node] |= reach[:, parent]
        gains = np.full((3, n, n), -np.inf)
        free = ~arcs & ~reach.T
        gains[0][free] = self.changes[free]
        gains[1][arcs] = self.changes[arcs]
        # An arc that is the one way from parent to child can be turned.
        ways = arcs.astype(np.int64) @ reach.astype(np.int64)
        turned = arcs & (ways == 1)
        gains[2][turned] = (self.changes + self.changes.T)[turned]
        if not self.scores.is_sum:
            for parent, child in np.argwhere(turned & (gains[2] > -np.inf)):
                gains[2, parent, child] = self._worth_turned(parent, child)
        return gains

    def _move(self, kind, parent, child):
        _change(self.parents, kind, parent, child)
        self._weigh((parent, child) if kind == 2 else (child,))

    def _after(self, *move):
        """Return the graph after a move."""
        graph = [set(some) for some in self.parents]
        _change(graph, *move)
        return _frozen(graph)

    def search(self, tabu, report):
        """Climb; return the best score and its graph."""
        score = self.scores.total(self.graph())
        best, last, idle = (score, self.graph()), deque(maxlen=max(tabu, 1)), 0
        while idle <= tabu:
            last.append(self.graph())
            move = self._best_move(last)
            if move is None:
                break
            gain, *arc = move
            if tabu == 0 and not self.is_better(score + gain, score):
                break
            self._move(*arc)
            score += gain
            idle += 1
            if self.is_better(score, best[0]):
                best, idle = (score, self.graph()), 0
                if report is not None:
                    report(score)
        return best

    def is_better(self, score, other):
        """Tell whether a score is above another by more than rounding."""
        return score - other > _ROUNDING * (abs(other) + self.scores.rows.mass)

    def _best_move(self, last):
        gains = self._gains()
        for place in np.argsort(-gains, axis=None, kind="stable"):
            kind, parent, child = map(int, np.unravel_index(place, gains.shape))
            gain = gains[kind, parent, child]
            if gain == -np.inf:
                return None
            if self._after(kind, parent, child) not in last:
                return gain, kind, parent, child
        return None

    def shake(self, n_moves, rng):
        """Make random moves."""
        for _ in range(n_moves):
            allowed = np.argwhere(self._gains() > -np.inf)
            if len(allowed):
                self._move(*map(int, allowed[rng.randint(len(allowed))]))


def _change(parents, kind, parent, child):
    """Add an arc (0), drop it (1) or turn it (2)."""
    if kind == 0:
        parents[child].add(parent)
    else:
        parents[child].remove(parent)
    if kind == 2:
        parents[parent].add(child)


def _frozen(parents):
    return tuple(tuple(sorted(some)) for some in parents)
