"""From rows to a network: a structure by its name, counts, and tables from them."""

import numpy as np

from ._counts import estimate_table
from ._network import Network, find_place, parents_of_arcs
from ._structure import (
    FamilyScores,
    LeaveOneOutScore,
    chow_liu,
    hill_climb,
    k2,
    naive,
    tan,
)

STRUCTURES = ("naive", "tan", "chow_liu", "k2", "hill_climbing")


def learn_structure(rows, options, target=None, rng=None, n_jobs=None):
    """Return the parents of each node.

    Parameters
    ----------
    rows : Rows
    options : dict
        "structure", "structure_score", "max_parents", "order", "required_arcs",
        "forbidden_arcs", "tabu", "n_restarts", "m", "prior", "verbose" of the
        estimator, and "loo_max_samples" of one with a class.
    target : int, default=None
        The class's node.
    rng : RandomState, default=None
    n_jobs : int, default=None
    """
    structure, names = options["structure"], rows.names
    if not isinstance(structure, str):
        return parents_of_arcs(structure, names)
    if structure == "naive":
        return naive(len(names), target)
    if structure == "tan":
        return tan(rows, target, n_jobs)
    if structure == "chow_liu":
        return chow_liu(rows, 0 if target is None else target, n_jobs)
    scores = _scores(rows, options, target, rng)
    if structure == "k2":
        order = node_order(options["order"], names, target)
        return k2(scores, order, options["max_parents"])
    return hill_climb(
        scores,
        len(names),
        max_parents=options["max_parents"],
        required=_pairs(options["required_arcs"], names),
        forbidden=_pairs(options["forbidden_arcs"], names, check=False),
        tabu=_tabu(options),
        n_restarts=options["n_restarts"],
        rng=rng,
        report=_report(options),
    )


def _tabu(options):
    if options["tabu"] != "auto":
        return options["tabu"]
    return 10 if options["structure_score"] == "loo" else 100


def _scores(rows, options, target, rng):
    m = float(options["m"])
    if options["structure_score"] == "loo":
        largest = options["loo_max_samples"]
        return LeaveOneOutScore(rows, target, m, options["prior"], largest, rng)
    return FamilyScores(rows, options["structure_score"], max(m, _LEAST))


# BDeu needs an equivalent sample, however small.
_LEAST = 1e-6


def node_order(order, names, target=None):
    """Return the nodes in the order that names give, each once.

    By default the target is first, and columns follow as they stand.
    """
    if order is None:
        first = [] if target is None else [target]
        return [*first, *(node for node in range(len(names)) if node != target)]
    found = [find_place(name, names, "order") for name in order]
    if sorted(found) != list(range(len(names))):
        raise ValueError(
            f"order={list(order)!r} must name each node once: {list(names)}."
        )
    return found


def _pairs(arcs, names, check=True):
    """Return arcs as pairs of numbers; those required must make no cycle."""
    if arcs is None:
        return ()
    if check:
        parents = parents_of_arcs(arcs, names)
        return [(p, c) for c, some in enumerate(parents) for p in some]
    return [tuple(find_place(name, names, "an arc") for name in arc) for arc in arcs]


def _report(options):
    if not options["verbose"]:
        return None
    return lambda score: print(
        f"hill climbing: {options['structure_score']} {score:.6g}"
    )


def count_families(rows, parents):
    """Return the counts of each family, the node's own values last."""
    return [rows.count((*some, node)) for node, some in enumerate(parents)]


def estimate_network(names, values, parents, counts, marginals, m, prior):
    """Return the network whose tables are m-estimates of counts.

    Parameters
    ----------
    counts : list of ndarray of shape (*sizes of the parents, K)
    marginals : list of ndarray of shape (K,)
        Masses of each node's values in all rows, for prior="marginal".
    """
    tables = tuple(
        estimate_table(some, m, prior, marginal)
        for some, marginal in zip(counts, marginals)
    )
    return Network(tuple(names), tuple(values), tuple(parents), tables)


def spread(counts, places, sizes):
    """Return counts of a family with more values: where its old ones stand, and sizes.

    >>> spread(np.array([[1.0, 2.0]]), [np.array([1]), np.array([0, 2])], [2, 3])
    array([[0., 0., 0.],
           [1., 0., 2.]])
    """
    wider = np.zeros(sizes)
    wider[np.ix_(*places)] = counts
    return wider
