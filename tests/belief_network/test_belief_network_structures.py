"""Structure learning: trees, K2 and hill climbing, against all graphs.

Code under test: `belief_network/_structure/_hill_climbing.py`,
`belief_network/_structure/_learn_structure.py`,
`belief_network/_structure/_trees_and_k2.py`.
"""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from sklearn_bayeslazy.belief_network._bif import read_bif
from sklearn_bayeslazy.belief_network._counts import CodedRows
from sklearn_bayeslazy.belief_network._graph import find_cycle
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._structure import _hill_climbing
from sklearn_bayeslazy.belief_network._structure._hill_climbing import (
    ADD,
    DROP,
    REVERSE,
    LegalMoves,
    Move,
    hill_climb,
)
from sklearn_bayeslazy.belief_network._structure._left_out_score import LeaveOneOutScore
from sklearn_bayeslazy.belief_network._structure._scores import FamilyScores
from sklearn_bayeslazy.belief_network._structure._trees_and_k2 import (
    chow_liu,
    fan,
    k2,
    tan,
)
from tests.helpers.belief_network_by_enumeration import random_network
from tests.helpers.shared import shared_path


def drawn(seed, n_nodes, n_rows=400, **parameters):
    network = random_network(np.random.default_rng(seed), n_nodes, **parameters)
    codes = sample(network, n_rows, np.random.RandomState(seed))
    return CodedRows.of(codes, np.ones(n_rows), network.names, network.sizes)


def all_graphs(n_nodes, max_parents=3):
    """Yield all directed acyclic graphs."""
    choices = []
    for node in range(n_nodes):
        others = [other for other in range(n_nodes) if other != node]
        choices.append(
            [
                parents
                for size in range(min(max_parents, len(others)) + 1)
                for parents in combinations(others, size)
            ]
        )
    for parents in product(*choices):
        if not find_cycle(parents):
            yield parents


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_hill_climbing_finds_the_best_of_all_graphs_of_four_nodes(seed, score):
    scores = FamilyScores(drawn(seed, 4), score)
    found = hill_climb(
        scores, 4, tabu=20, n_restarts=3, rng=np.random.RandomState(seed)
    )
    best = max(scores.total(parents) for parents in all_graphs(4))
    np.testing.assert_allclose(scores.total(found), best, rtol=1e-12)


def test_hill_climbing_respects_its_constraints():
    scores = FamilyScores(drawn(1, 7, 2000), "log_likelihood")
    required, forbidden = [(3, 0), (0, 5)], [(1, 2), (2, 1), (4, 6)]
    found = hill_climb(scores, 7, max_parents=2, required=required, forbidden=forbidden)
    arcs = {(p, c) for c, parents in enumerate(found) for p in parents}
    assert arcs >= set(required)
    assert not arcs & set(forbidden)
    assert max(map(len, found)) == 2
    assert not find_cycle(found)


def neighbors(parents, max_parents=3):
    """Yield the graphs that differ in one arc: first added, then dropped, reversed."""
    arcs = [(p, c) for c, of_c in enumerate(parents) for p in of_c]
    pairs = list(permutations(range(len(parents)), 2))
    added = [({arc}, set()) for arc in pairs if arc not in arcs]
    dropped = [(set(), {arc}) for arc in sorted(arcs)]
    reversed_ = [({arc[::-1]}, {arc}) for arc in sorted(arcs)]
    for new, old in added + dropped + reversed_:
        changed = [set(node_parents) for node_parents in parents]
        for parent, child in old:
            changed[child].remove(parent)
        for parent, child in new:
            changed[child].add(parent)
        if not find_cycle(changed) and max(map(len, changed)) <= max_parents:
            yield tuple(tuple(sorted(p)) for p in changed)


@pytest.mark.parametrize("seed", range(8))
def test_legal_moves_lead_to_graphs_without_cycles_and_miss_none(seed):
    rng, n = np.random.default_rng(seed), 5
    pairs = list(permutations(range(n), 2))
    legal = LegalMoves(n, 2, required := {(0, 1)}, forbidden := {(1, 2), (3, 0)})
    parents = [frozenset()] * n
    parents[1] = frozenset({0})
    for _ in range(12):
        expected = np.zeros((3, n, n), dtype=bool)
        for kind, (parent, child) in product((ADD, DROP, REVERSE), pairs):
            is_arc = parent in parents[child]
            new = {ADD: (parent, child), REVERSE: (child, parent)}.get(kind)
            changed = list(parents)
            Move(kind, parent, child).apply(changed)
            expected[kind, parent, child] = (
                is_arc == (kind != ADD)
                and (kind == ADD or (parent, child) not in required)
                and new not in forbidden
                and (kind == DROP or len(changed[new[1]]) <= 2)
                and not find_cycle(changed)
            )
        np.testing.assert_array_equal(legal(parents), expected)
        Move(*map(int, rng.choice(np.argwhere(expected)))).apply(parents)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("score", ["bdeu", "loo"])
def test_hill_climbing_without_tabu_list_takes_the_best_move_until_none_gains(
    seed, score
):
    rows = drawn(seed, 6)
    scores = FamilyScores(rows, score)
    if score == "loo":
        scores = LeaveOneOutScore(rows, 2, 1.0, "uniform")
    graph, total = ((),) * 6, scores.total(((),) * 6)
    while True:
        totals = {changed: scores.total(changed) for changed in neighbors(graph)}
        highest = max(totals.values()) - 1e-7  # equivalent graphs differ by rounding
        best = next(graph for graph, total in totals.items() if total >= highest)
        if totals[best] <= total + 1e-7:
            break
        graph, total = best, totals[best]
    assert graph != ((),) * 6
    found = hill_climb(scores, 6, tabu=0)
    np.testing.assert_allclose(scores.total(found), total, atol=1e-7)


@pytest.mark.parametrize("n_estimates", [1, 5])
def test_a_leave_one_out_search_by_few_estimates_finds_a_local_optimum(
    n_estimates, monkeypatch
):
    """SAFETY is so large here that all gains are computed anew at an optimum."""
    monkeypatch.setattr(_hill_climbing, "N_ESTIMATES", n_estimates)
    monkeypatch.setattr(_hill_climbing, "SAFETY", 1e9)
    for seed in range(4):
        scores = LeaveOneOutScore(drawn(seed, 7), 2, 1.0, "uniform")
        found = hill_climb(scores, 7, tabu=0)
        total = scores.total(found)
        assert total > scores.total([()] * 7)
        assert all(scores.total(graph) <= total + 1e-6 for graph in neighbors(found))


def test_hill_climbing_by_leave_one_out_respects_its_constraints():
    scores = LeaveOneOutScore(drawn(1, 7, 2000), 2, 1.0, "uniform")
    free = hill_climb(scores, 7, max_parents=2)
    forbidden = {(p, c) for c, parents in enumerate(free) for p in parents}
    forbidden = [*sorted(forbidden)[:2], (0, 5)]
    required = [(3, 0), (4, 6)]
    found = hill_climb(
        scores,
        7,
        max_parents=2,
        required=required,
        forbidden=forbidden,
        n_restarts=2,
        rng=np.random.RandomState(0),
    )
    arcs = {(p, c) for c, parents in enumerate(found) for p in parents}
    assert arcs >= set(required)
    assert not arcs & set(forbidden)
    assert max(map(len, found)) <= 2
    assert not find_cycle(found)


def test_hill_climbing_reports_increasing_scores():
    reported = []
    hill_climb(FamilyScores(drawn(2, 6, 1000), "bic"), 6, report=reported.append)
    assert len(reported) > 2
    assert reported == sorted(reported)


def test_a_longer_tabu_list_is_never_worse():
    scores = FamilyScores(drawn(5, 9, 1500), "bic")
    totals = [scores.total(hill_climb(scores, 9, tabu=tabu)) for tabu in (0, 5, 40)]
    assert totals[0] <= totals[1] <= totals[2]


@pytest.mark.parametrize("seed", range(5))
def test_chow_liu_finds_the_best_of_all_trees(seed):
    rows = drawn(seed, 5)
    scores = FamilyScores(rows, "log_likelihood")
    found = chow_liu(rows, root=2)
    assert found[2] == ()
    trees = [
        parents
        for parents in all_graphs(5, max_parents=1)
        if sum(map(len, parents)) == 4
    ]
    assert len(trees) == 5**4  # Cayley: rooted labelled trees
    best = max(scores.total(parents) for parents in trees)
    np.testing.assert_allclose(scores.total(found), best, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_tan_finds_the_best_tree_of_features_given_the_class(seed):
    rows = drawn(seed, 5)
    scores = FamilyScores(rows, "log_likelihood")
    found = tan(rows, 1)
    assert found[1] == ()
    assert all(1 in parents for node, parents in enumerate(found) if node != 1)
    features = [0, 2, 3, 4]
    totals = []
    for tree in all_graphs(4, max_parents=1):
        parents = [()] * 5
        for node, tree_parents in zip(features, tree):
            parents[node] = (1, *(features[parent] for parent in tree_parents))
        totals.append(scores.total(parents))
    np.testing.assert_allclose(scores.total(found), max(totals), rtol=1e-12)


def test_fan_is_tan_where_every_arc_tells_much():
    codes = np.random.default_rng(0).integers(3, size=(500, 5))
    for child, parent in ((1, 0), (2, 1), (3, 1)):  # node 4 is the class
        copied = np.random.default_rng(child).random(500) < 0.7
        codes[copied, child] = codes[copied, parent]
    rows = CodedRows.of(codes, np.ones(500), "abcde", (3,) * 5)
    found = fan(rows, 4)
    assert found == tan(rows, 4)
    arcs = {frozenset((child, p)) for child in range(4) for p in found[child]}
    assert arcs >= {frozenset(arc) for arc in ((0, 1), (1, 2), (1, 3))}


@pytest.mark.parametrize("weight", [1.0, 0.01])
def test_fan_has_no_arcs_from_names_of_rows(weight):
    # The name of a row determines each other column, and tells nothing of other rows.
    codes = np.random.default_rng(1).integers(3, size=(300, 5))
    codes[:, 0], codes[:, 3] = np.arange(300), codes[:, 2]
    rows = CodedRows.of(codes, np.full(300, weight), "abcde", (300, 3, 3, 3, 3))
    assert sum(0 in parents for parents in tan(rows, 4)) >= 2
    found = fan(rows, 4)
    assert found[0] == (4,)
    assert not any(0 in parents for parents in found)
    assert 3 in found[2] or 2 in found[3]


def test_k2_adds_the_best_parents_before_each_node_in_the_order():
    rows = drawn(4, 5, 1000)
    scores = FamilyScores(rows, "k2")
    order = [3, 1, 4, 0, 2]
    found = k2(scores, order, 2)
    for position, node in enumerate(order):
        chosen, now = (), scores(node, ())
        for _ in range(2):
            tried = {
                other: scores(node, (*chosen, other))
                for other in order[:position]
                if other not in chosen
            }
            if not tried or max(tried.values()) <= now:
                break
            other = max(tried, key=tried.get)
            chosen, now = (*chosen, other), tried[other]
        assert found[node] == tuple(sorted(chosen))


def test_k2_recovers_asia_except_for_its_weak_arc():
    """One in a hundred has visited Asia, and tuberculosis is rare there, too."""
    folder = shared_path("bif")
    network = read_bif((folder / "asia.bif").read_text(encoding="utf-8"))
    cells = np.genfromtxt(folder / "asia_sample.csv", delimiter=",", dtype=str)
    names, cells = cells[0].tolist(), cells[1:]
    codes = np.empty((len(cells), 8), dtype=int)
    for node, (name, values) in enumerate(zip(network.names, network.values)):
        column = cells[:, names.index(name)]
        codes[:, node] = [values.tolist().index(cell) for cell in column]
    rows = CodedRows.of(codes, np.ones(len(codes)), network.names, network.sizes)
    found = k2(FamilyScores(rows, "k2"), network.order, 3)
    true, arcs = (
        {frozenset((p, c)) for c, parents in enumerate(graph) for p in parents}
        for graph in (network.parents, found)
    )
    weak = frozenset((network.names.index("asia"), network.names.index("tub")))
    assert arcs <= true
    assert true - arcs <= {weak}


def test_sampled_rows_follow_the_tables():
    """Chi-squared of each node given its parents' values, in one sum."""
    network = random_network(np.random.default_rng(8), 6)
    n = 20_000
    rows = CodedRows.of(
        sample(network, n, np.random.RandomState(0)),
        np.ones(n),
        network.names,
        network.sizes,
    )
    statistic = freedom = 0.0
    for node, (parents, table) in enumerate(zip(network.parents, network.tables)):
        counts = rows.count((*parents, node))
        expected = counts.sum(axis=-1, keepdims=True) * table
        statistic += np.sum((counts - expected) ** 2 / expected)
        freedom += counts.size - counts[..., 0].size
    # Mean and variance of chi-squared; 6 standard deviations either way.
    assert abs(statistic - freedom) < 6 * np.sqrt(2 * freedom)


def test_missing_cells_add_no_arcs():
    """Independent nodes, with half of the cells missing."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=(2000, 6))
    codes[rng.random(codes.shape) < rng.random(6)] = -1
    rows = CodedRows.of(codes, np.ones(len(codes)), "abcdef", (3,) * 6)
    assert sum(map(len, hill_climb(FamilyScores(rows, "bic"), 6))) == 0
    tree = tan(CodedRows.of(np.full((9, 3), -1), np.ones(9), "abc", (2, 2, 2)), 0)
    assert tree == ((), (0,), (0,))


def test_missing_cells_hide_few_arcs():
    """A tenth of the cells is missing at random."""
    network = random_network(np.random.default_rng(3), 7)
    codes = sample(network, 5000, np.random.RandomState(0))
    whole = FamilyScores(
        CodedRows.of(codes, np.ones(5000), network.names, network.sizes), "bic"
    )
    codes = codes.copy()
    codes[np.random.default_rng(0).random(codes.shape) < 0.1] = -1
    with_missing = FamilyScores(
        CodedRows.of(codes, np.ones(5000), network.names, network.sizes), "bic"
    )
    found, best = hill_climb(with_missing, 7), hill_climb(whole, 7)
    empty = whole.total([()] * 7)
    assert whole.total(found) - empty > 0.95 * (whole.total(best) - empty)
