"""The largest common sub-graph, against all maps of nodes; CADET's designs by hand.

Code under test: `neighbors/_cases/_graphs.py`.
"""

from itertools import product

import numpy as np
import pytest

from sklearn_bayeslazy import CaseBasedClassifier, GraphSimilarity


def random_graph(rng, n_nodes, density, n_labels):
    edges = {
        (u, v): rng.choice(["+", "-"])
        for u in range(n_nodes)
        for v in range(n_nodes)
        if u != v and rng.random() < density
    }
    return edges, {node: int(rng.integers(n_labels)) for node in range(n_nodes)}


def most_common_edges(wanted, stored, labels, other_labels):
    """Return the most edges that any one-to-one map of nodes keeps, by trying all."""
    nodes = sorted({node for edge in wanted for node in edge})
    others = sorted({node for edge in stored for node in edge})
    choices = [
        [None, *(o for o in others if labels[node] == other_labels[o])]
        for node in nodes
    ]
    best = 0
    for images in product(*choices):
        used = [image for image in images if image is not None]
        if len(set(used)) == len(used):
            at = dict(zip(nodes, images))
            kept = sum(
                stored.get((at[u], at[v])) == sign for (u, v), sign in wanted.items()
            )
            best = max(best, kept)
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_match_has_as_many_edges_as_the_best_of_all_maps(seed):
    rng = np.random.default_rng(seed)
    n_nodes = rng.integers(2, 8, size=2)
    n_labels = 2 if n_nodes.max() > 5 else 1
    wanted, labels = random_graph(rng, n_nodes[0], 0.4, n_labels)
    stored, other_labels = random_graph(rng, n_nodes[1], 0.4, n_labels)
    one, other = GraphSimilarity(labels=labels), GraphSimilarity(labels=other_labels)
    match = one.match(one.read(wanted), other.read(stored))
    assert match.is_exact
    expected = most_common_edges(wanted, stored, labels, other_labels)
    assert len(match.edges) == expected
    for u, v, sign in match.edges:
        assert wanted[u, v] == sign == stored[match.nodes[u], match.nodes[v]]
    assert len(set(match.nodes.values())) == len(match.nodes)
    assert all(labels[u] == other_labels[v] for u, v in match.nodes.items())


def test_beyond_the_budget_the_match_says_that_it_is_not_exact():
    rng = np.random.default_rng(0)
    graph, _ = random_graph(rng, 12, 0.4, 1)
    shuffled = rng.permutation(12).tolist()
    other = {(shuffled[u], shuffled[v]): sign for (u, v), sign in graph.items()}
    match = GraphSimilarity(budget=50).match(graph, other)
    assert not match.is_exact
    assert 0 < len(match.edges) <= len(graph)


def label_of(graph):
    """Return the kind of each quantity: its first letter (Q flow, T temperature, C)."""
    return {node: node[0] for edge in graph for node in edge}


# After Mitchell (1997), figure 8.3, simplified: of a T-junction pipe the flows Q1 and
# Q2 add up to Q3, and the temperatures T1 and T2 raise T3. Of the wanted faucet, the
# control Ct shifts flow from cold to hot, and Cf raises both flows. These add up to the
# mixed flow Qm; the temperatures Tc and Th of the water raise that of the mixture, Tm.
T_JUNCTION = {
    ("Q1", "Q3"): "+",
    ("Q2", "Q3"): "+",
    ("T1", "T3"): "+",
    ("T2", "T3"): "+",
}
FAUCET = {
    ("Ct", "Qc"): "-",
    ("Ct", "Qh"): "+",
    ("Cf", "Qc"): "+",
    ("Cf", "Qh"): "+",
    ("Qc", "Qm"): "+",
    ("Qh", "Qm"): "+",
    ("Tc", "Tm"): "+",
    ("Th", "Tm"): "+",
}


def test_the_t_junction_is_a_part_of_the_faucet():
    labels = label_of(T_JUNCTION) | label_of(FAUCET)
    similarity = GraphSimilarity(labels=labels)
    match = similarity.match(FAUCET, T_JUNCTION)
    assert match.is_exact
    assert match.edges == [
        ("Qc", "Qm", "+"),
        ("Qh", "Qm", "+"),
        ("Tc", "Tm", "+"),
        ("Th", "Tm", "+"),
    ]
    assert match.nodes["Qm"] == "Q3"
    assert match.nodes["Tm"] == "T3"
    faucet, pipe = similarity.read(FAUCET), similarity.read(T_JUNCTION)
    # 4 of the faucet's 8 edges, and all 4 of the pipe's.
    np.testing.assert_array_equal(similarity.pairwise([faucet], [pipe]), [[4 / 8]])
    np.testing.assert_array_equal(similarity.pairwise([pipe], [faucet]), [[1.0]])
    dice = GraphSimilarity("dice", labels=labels)
    np.testing.assert_allclose(dice.pairwise([faucet], [pipe]), [[2 * 4 / (8 + 4)]])


# A mixing valve has what the pipe lacks: a control that lowers one flow and raises the
# other, and a tap that raises both.
TAP = {("C1", "Q1"): "+", ("C1", "Q2"): "+"}
MIXER = {("C1", "Q1"): "-", ("C1", "Q2"): "+", ("Q1", "Q3"): "+"}
UNLIKE = {("T1", "Q1"): "-", ("T1", "C1"): "+"}
DESIGNS = [TAP, UNLIKE, T_JUNCTION, MIXER]


def designs(**params):
    graphs = [*DESIGNS, FAUCET]
    labels = {node: node[0] for graph in graphs for edge in graph for node in edge}
    labels |= {node: node[0] for node in ("Ca", "Qa", "Qb", "Ta", "Tb", "Tc")}
    similarity = GraphSimilarity(labels=labels, **params)
    names = ["tap", "sensor", "T-junction", "mixer"]
    model = CaseBasedClassifier(1, similarities={"function": similarity}, m=0)
    return model.fit([{"function": graph} for graph in DESIGNS], names)


def test_a_design_that_contains_the_wanted_function_is_found_first():
    model = designs()
    for wanted, name in (
        ({("Ca", "Qa"): "-", ("Ca", "Qb"): "+"}, "mixer"),
        ({("Ta", "Tc"): "+", ("Tb", "Tc"): "+"}, "T-junction"),
    ):
        found = model.retrieve([{"function": wanted}], 4)
        assert found.answers[0, 0] == name
        assert found.similarities[0, 0] == 1.0
        assert found.similarities[0, 1] < 1.0
        assert model.predict([{"function": wanted}])[0] == name


def test_parts_of_several_designs_make_the_faucet():
    found = designs().combine(FAUCET)
    assert found.is_complete
    # The T-junction has 4 of the 8 edges, the tap and the mixer 2 each of the others.
    assert [part.case for part in found.parts] == [2, 0, 3]
    assert [len(part.edges) for part in found.parts] == [4, 2, 2]
    covered = [edge for part in found.parts for edge in part.edges]
    assert sorted(covered) == sorted((u, v, sign) for (u, v), sign in FAUCET.items())
    for part in found.parts:
        assert part.is_exact
        for u, v, sign in part.edges:
            assert DESIGNS[part.case][part.nodes[u], part.nodes[v]] == sign
    assert list(found.frame()["case"]) == [2, 0, 3]


def test_edges_that_no_design_has_stay_uncovered():
    found = designs().forget(3).combine(FAUCET)
    assert not found.is_complete
    assert found.uncovered == [("Ct", "Qc", "-")]


def test_combining_needs_one_attribute_of_graphs():
    model = CaseBasedClassifier(1).fit([{"a": 1.0}, {"a": 2.0}], [0, 1])
    with pytest.raises(ValueError, match="have 0 attributes of graphs"):
        model.combine(FAUCET)
    with pytest.raises(ValueError, match="attribute='x' is not an attribute of graphs"):
        designs().combine(FAUCET, attribute="x")
