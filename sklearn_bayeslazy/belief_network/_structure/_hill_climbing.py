"""Hill climbing over graphs: each move adds, drops or reverses the best arc.

At a local optimum the search makes the move with the smallest loss, but never returns
to one of the last graphs (a tabu list). After that it restarts from the best graph with
random changes.
"""

from functools import partial

from ..._core._fit_tasks import Iterations
from ._move_gains import MoveGains
from ._scores import rounding_error


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
    climber = _HillClimber(scores, n_nodes, max_parents, set(required), set(forbidden))
    best = climber.search(tabu, report, iterations.of(climber.graph_of))
    for _ in range(n_restarts):
        if iterations.stopped:
            break
        climber.set_graph(best[1])
        climber.perturb(n_nodes, rng)
        moves = iterations.of(partial(climber.better_graph, best))
        best = climber.better(best, climber.search(tabu, report, moves))
    return climber.graph_of(best)


class _HillClimber:
    """A graph that moves."""

    def __init__(self, scores, n_nodes, max_parents, required, forbidden):
        self.scores = scores
        self.moves = MoveGains(scores, n_nodes, max_parents, required, forbidden)

    def set_graph(self, parents):
        """Move to a graph."""
        self.moves.set_graph(parents)

    def graph(self):
        """Return the parents of each node, a tuple of frozensets."""
        return tuple(self.moves.parents)

    def search(self, tabu, report, moves):
        """Search from the present graph; return the best score and its graph."""
        score = self.scores.total(self.graph())
        best = score, self.graph()
        tabu_list, n_moves_without_gain = {}, 0  # a dictionary keeps the order

        def is_tabu(parents):
            return tuple(parents) in tabu_list

        while n_moves_without_gain <= tabu:
            tabu_list[self.graph()] = True
            if len(tabu_list) > max(tabu, 1):
                del tabu_list[next(iter(tabu_list))]
            tolerance = rounding_error(score, self.scores.rows)
            is_best = n_moves_without_gain == 0
            moves.begin()
            move, gain = self.moves.best(is_tabu, tolerance, is_thorough=is_best)
            if move is None:
                break
            if tabu == 0 and not self.is_better(score + gain, score):
                break
            self.moves.make(move)
            score += gain
            n_moves_without_gain += 1
            if self.is_better(score, best[0]):
                best, n_moves_without_gain = (score, self.graph()), 0
                if report is not None:
                    report(score)
            if moves.end(tuple, best):
                break
        moves.end()  # a move that was not made
        return best

    def better_graph(self, best, found):
        """Return the graph of the better of two pairs of a score and a graph."""
        return self.graph_of(self.better(best, found))

    def graph_of(self, found):
        """Return the graph of a pair of a score and a graph, the parents as tuples."""
        return tuple(tuple(sorted(node_parents)) for node_parents in found[1])

    def better(self, best, found):
        """Return the better of two pairs of a score and a graph, the first if equal."""
        return found if self.is_better(found[0], best[0]) else best

    def perturb(self, n_moves, rng):
        """Make random moves."""
        for _ in range(n_moves):
            if (move := self.moves.draw(rng)) is not None:
                self.moves.make(move)

    def is_better(self, score, other):
        """Return whether a score exceeds another by more than rounding."""
        return score - other > rounding_error(other, self.scores.rows)
