"""From the parameter `structure` and rows to a graph."""

from itertools import combinations, product

from .._graph import arcs_of
from .._network import find_node, parents_of_arcs
from ._hill_climbing import hill_climb
from ._left_out_score import LeaveOneOutScore
from ._scores import FamilyScores
from ._trees_and_k2 import TREES, k2, naive

STRUCTURES = ("naive", *TREES, "k2", "hill_climbing")
# BDeu needs an equivalent sample size above 0.
MIN_SAMPLE_SIZE = 1e-6
# What tabu="auto" means. A move takes longer with the leave-one-out score.
DEFAULT_TABU, DEFAULT_TABU_LEAVE_ONE_OUT = 100, 10


def learn_structure(rows, model, target=None, rng=None, n_jobs=None, iterations=None):
    """Return the parents of each node."""
    # model: an estimator, whose parameters decide on the graph; target: the node of the
    # class, if there is one; iterations: of the moves of hill climbing.
    structure, names = model.structure, rows.names
    if not isinstance(structure, str):
        return parents_of_arcs(structure, names)
    if structure == "naive":
        return naive(len(names), target)
    if structure in TREES:
        return TREES[structure](rows, target, n_jobs)
    score, (m, prior, _) = model.structure_score, model._search_smoothing
    if score == "loo":
        observed, most = rows.observing(target), model.loo_max_samples
        scores = LeaveOneOutScore(observed, target, m, prior, most, rng, n_jobs)
    else:
        scores = FamilyScores(rows, score, max(m, MIN_SAMPLE_SIZE))
    if structure == "k2":
        return k2(scores, node_order(model.order, names, target), model.max_parents)
    required, forbidden = _given_arcs(model, names)
    tabu = model.tabu
    if tabu == "auto":
        tabu = DEFAULT_TABU_LEAVE_ONE_OUT if score == "loo" else DEFAULT_TABU

    def report(value):
        if model.verbose:
            print(f"hill climbing: {score} {value:.6g}")

    return hill_climb(
        scores,
        len(names),
        max_parents=model.max_parents,
        required=required,
        forbidden=forbidden,
        tabu=tabu,
        n_restarts=model.n_restarts,
        rng=rng,
        report=report,
        iterations=iterations,
    )


def node_order(order, names, target=None):
    """Return the nodes in the order of their names; each must be listed once."""
    # By default the class comes first, then the columns in their order.
    if order is None:
        first = [] if target is None else [target]
        return [*first, *(node for node in range(len(names)) if node != target)]
    nodes = [find_node(name, names, "order") for name in order]
    if sorted(nodes) != list(range(len(names))):
        raise ValueError(
            f"order={list(order)!r} must list each node once: {list(names)}."
        )
    return nodes


def known_directions(model, names, target=None):
    """Return the arcs that may be there while their reversals may not, as a set."""
    if model.structure == "k2":
        return set(combinations(node_order(model.order, names, target), 2))
    if model.structure != "hill_climbing":
        return set()
    required, forbidden = _given_arcs(model, names)
    return required | {(parent, child) for child, parent in forbidden}


def _given_arcs(model, names):
    """Return the required and the forbidden arcs as sets of pairs of nodes."""
    arcs = () if model.required_arcs is None else model.required_arcs
    required = set(arcs_of(parents_of_arcs(arcs, names)))  # an error for a cycle
    forbidden = _forbidden_arcs(model.forbidden_arcs, names)
    against_tiers = _arcs_against_tiers(model.tiers, names)
    if both := required & against_tiers:
        arc = tuple(names[node] for node in min(both))
        raise ValueError(
            f"required_arcs has {arc!r}, which leads to an earlier one of the tiers: "
            "drop it, or change tiers."
        )
    return required, against_tiers.union(forbidden)


def _arcs_against_tiers(tiers, names):
    """Return the arcs from a node to nodes of earlier tiers."""
    if tiers is None:
        return set()
    try:
        listed = [None if isinstance(tier, str) else list(tier) for tier in tiers]
    except TypeError:
        listed = [None]
    if None in listed:
        raise TypeError(f"tiers must be a list of lists of names, got {tiers!r}.")
    listed = [[find_node(name, names, "tiers") for name in tier] for tier in listed]
    nodes = [node for tier in listed for node in tier]
    if len(set(nodes)) < len(nodes):
        raise ValueError(f"tiers={tiers!r} names a node twice: drop one.")
    return {
        arc
        for after, before in combinations(listed[::-1], 2)
        for arc in product(after, before)
    }


def _forbidden_arcs(arcs, names):
    """Return arcs as pairs of nodes."""
    if arcs is None:
        return ()
    try:
        pairs = [tuple(arc) for arc in arcs]
    except TypeError:
        raise TypeError(
            f"forbidden_arcs must be a list of pairs (parent, child), got {arcs!r}."
        ) from None
    return [tuple(find_node(name, names, "an arc") for name in arc) for arc in pairs]
