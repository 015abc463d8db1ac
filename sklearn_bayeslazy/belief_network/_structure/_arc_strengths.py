"""The strength of arcs: the share of graphs of bootstrap samples that have them."""

from dataclasses import replace

import numpy as np

from ..._core._parallel import map_tasks
from .._graph import ancestors, arcs_of, compelled_arcs
from ._learn_structure import known_directions, learn_structure


def count_arcs(rows, model, target, n_bootstraps, rng, n_jobs=None):
    """Return how many graphs of bootstrap samples have each arc, (n_nodes, n_nodes)."""
    # By parent and child. An arc that equivalent graphs have in the other direction
    # counts one half in each, unless its direction was given.
    known = known_directions(model, rows.names, target)
    n_draws = max(round(rows.total_weight), 1)
    share = rows.weight / rows.total_weight

    def count(seed):
        own = np.random.RandomState(seed)
        drawn = own.multinomial(n_draws, share)
        some, weight = np.flatnonzero(drawn), drawn[drawn > 0].astype(np.float64)
        if n_draws <= len(drawn):  # rows of weight 1 are counted by bits
            some, weight = np.repeat(some, drawn[some]), np.ones(n_draws)
        sample = replace(rows.take(some), weight=weight)
        parents = learn_structure(sample, model, target, own)
        counts = np.zeros((rows.n_nodes, rows.n_nodes))
        directed = compelled_arcs(parents) | known
        for parent, child in arcs_of(parents):
            if (parent, child) in directed:
                counts[parent, child] += 1.0
            else:
                counts[[parent, child], [child, parent]] += 0.5
        return counts

    seeds = rng.randint(2**31 - 1, size=n_bootstraps).tolist()
    return sum(map_tasks(count, seeds, n_jobs=n_jobs))


def averaged_parents(arcs, parents):
    """Return the parents of nodes in a graph of some arcs, the first ones first.

    >>> averaged_parents([(0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.9)], [(), (0,), (0, 1)])
    ((), (0,), (1, 0))
    """
    # arcs: triples of parent, child, and the share of the graphs with an arc between
    # them that has it in this direction; one half means that either will do, and the
    # direction is that of the graph `parents`. An arc that would close a cycle is
    # reversed.
    found = [()] * len(parents)
    for parent, child, direction in arcs:
        if direction == 0.5 and child in ancestors(parents, [parent]):
            parent, child = child, parent
        if child in ancestors(found, [parent]):
            parent, child = child, parent
        found[child] = (*found[child], parent)
    return tuple(found)
