"""Graphs: order, cycles, Markov blankets, d-separation and elimination.

Code under test: `belief_network/_graph.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.belief_network import _graph
from sklearn_bayeslazy.belief_network._network import parents_of_arcs
from tests.helpers.belief_network_by_enumeration import enumerate_rows, random_network

# Asia (Lauritzen & Spiegelhalter 1988).
NAMES = ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")
ARCS = [
    ("asia", "tub"),
    ("smoke", "lung"),
    ("smoke", "bronc"),
    ("lung", "either"),
    ("tub", "either"),
    ("either", "xray"),
    ("bronc", "dysp"),
    ("either", "dysp"),
]
ASIA = parents_of_arcs(ARCS, NAMES)


def nodes(*names):
    return {NAMES.index(name) for name in names}


def test_parents_come_before_children():
    order = _graph.topological_order(ASIA)
    assert sorted(order) == list(range(8))
    for child, parents in enumerate(ASIA):
        assert all(order.index(parent) < order.index(child) for parent in parents)


def test_a_cycle_is_listed_along_its_arcs():
    arcs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")]
    with pytest.raises(ValueError, match=r"a → b → c → a\. Drop one"):
        parents_of_arcs(arcs, ("a", "b", "c", "d"))
    with pytest.raises(ValueError, match="cycle"):
        _graph.topological_order([(1,), (0,)])


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        (["ab"], "must be a pair"),
        ([("a", "b", "c")], "must be a pair"),
        ([3], "must be a pair"),
        (np.array(2), "must be a list of pairs"),
        ([("a", "e")], "'e', which is not a node"),
        ([("a", "a")], "leads to itself"),
        ([("a", "b"), ("a", "b")], "is listed twice"),
    ],
)
def test_invalid_arcs_are_named(arcs, message):
    with pytest.raises(ValueError, match=message):
        parents_of_arcs(arcs, ("a", "b", "c"))


def test_the_markov_blanket_of_lung_cancer():
    found = _graph.markov_blanket(ASIA, NAMES.index("lung"))
    assert found == nodes("smoke", "either", "tub")


def test_d_separations_of_asia():
    def separated(x, y, *given):
        return _graph.d_separated(ASIA, nodes(x), nodes(y), nodes(*given))

    assert separated("asia", "smoke")
    assert separated("tub", "lung")
    assert not separated("tub", "lung", "xray")  # a child of the collider
    assert not separated("lung", "bronc")
    assert separated("lung", "bronc", "smoke")
    assert not separated("asia", "xray")
    assert separated("asia", "xray", "either")
    assert not separated("smoke", "dysp", "bronc")
    assert separated("smoke", "dysp", "bronc", "either")


@pytest.mark.parametrize("seed", range(5))
def test_d_separated_nodes_are_independent_and_others_are_not(seed):
    """With random tables, d-separation and independence coincide."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5, max_parents=2)
    rows, p = enumerate_rows(network)
    for x, y in ((0, 1), (2, 4), (3, 0)):
        others = [node for node in range(5) if node not in (x, y)]
        for given in ([], others[:1], others[:2], others):
            expected = _independent(rows, p, network.sizes, x, y, given)
            found = _graph.d_separated(network.parents, {x}, {y}, set(given))
            assert found == expected


def _independent(rows, p, sizes, x, y, given):
    table = np.zeros([sizes[node] for node in (*given, x, y)])
    np.add.at(table, tuple(rows[:, node] for node in (*given, x, y)), p)
    table = table.reshape(-1, sizes[x], sizes[y])
    total = table.sum(axis=(1, 2), keepdims=True)
    product = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True)
    return bool(np.abs(table * total - product).max() < 1e-12)


def test_eliminating_a_chain_never_joins_more_than_two():
    families = [(i, i + 1) for i in range(50)]
    _, largest = _graph.min_fill_order(families, set(range(50)), [3] * 51)
    assert largest == 9
