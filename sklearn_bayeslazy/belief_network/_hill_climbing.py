"""Hill climbing over graphs: arcs are added, dropped and turned for as long as it pays.

At a summit the search goes on by the least loss, never to one of the last graphs (a
tabu list), and then from the best graph with random changes (restarts).
"""

from collections import deque

import numpy as np

from ._graph import topological_order

# Gains below this share of the score are rounding.
_ROUNDING = 1e-10


def hill_climb(
    family_scores,
    n_nodes,
    *,
    max_parents=3,
    required=(),
    forbidden=(),
    tabu=10,
    n_restarts=0,
    rng=None,
    report=None,
):
    """Return the graph with the best score that was found.

    Parameters
    ----------
    family_scores : FamilyScores
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
    climb = _Climb(family_scores, n_nodes, max_parents, set(required), set(forbidden))
    best = climb.search(tabu, report)
    for _ in range(n_restarts):
        climb.go_to(best[1])
        climb.shake(n_nodes, rng)
        found = climb.search(tabu, report)
        if found[0] > best[0] + _ROUNDING * abs(best[0]):
            best = found
    return best[1]


class _Climb:
    """A graph, and what each change of an arc would add to its score.

    ``changes[p, c]`` is what the score of node c gains if p becomes its parent, or
    ceases to be; -inf where that is not allowed.
    """

    def __init__(self, family_scores, n_nodes, max_parents, required, forbidden):
        self.scores, self.n_nodes = family_scores, n_nodes
        self.max_parents, self.required = max_parents, required
        self.forbidden = forbidden
        first = [[p for p, c in required if c == node] for node in range(n_nodes)]
        self.go_to([tuple(sorted(some)) for some in first])

    def go_to(self, parents):
        """Take a graph."""
        self.parents = [set(some) for some in parents]
        self.changes = np.full((self.n_nodes, self.n_nodes), -np.inf)
        for node in range(self.n_nodes):
            self._weigh(node)

    def graph(self):
        """Return the parents of each node."""
        return _frozen(self.parents)

    def _weigh(self, child):
        """Work out what changes of a node's parents are worth."""
        parents = self.parents[child]
        now = self.scores(child, parents)
        for node in range(self.n_nodes):
            arc, change = (node, child), -np.inf
            if node in parents:
                if arc not in self.required:
                    change = self.scores(child, parents - {node}) - now
            elif (
                node != child
                and len(parents) < self.max_parents
                and arc not in self.forbidden
            ):
                change = self.scores(child, parents | {node}) - now
            self.changes[node, child] = change

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
        for parent, child in np.argwhere(arcs):
            others = arcs[parent] & (np.arange(n) != child)
            if not reach[others, child].any():  # no other way from parent to child
                gain = self.changes[parent, child] + self.changes[child, parent]
                gains[2, parent, child] = gain
        return gains

    def _move(self, kind, parent, child):
        _change(self.parents, kind, parent, child)
        for node in (parent, child) if kind == 2 else (child,):
            self._weigh(node)

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
            if gain <= _ROUNDING * abs(score) and tabu == 0:
                break
            self._move(*arc)
            score += gain
            idle += 1
            if score > best[0] + _ROUNDING * abs(best[0]):
                best, idle = (score, self.graph()), 0
                if report is not None:
                    report(score)
        return best

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
