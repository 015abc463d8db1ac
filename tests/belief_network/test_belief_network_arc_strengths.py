"""Knowledge and doubt about arcs: tiers, equivalent graphs, bootstrap samples.

Code under test: `compelled_arcs` in `belief_network/_graph.py`, `tiers` in
`belief_network/_structure/_learn_structure.py`, and
`belief_network/_structure/_arc_strengths.py`.
"""

import pickle
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._graph import compelled_arcs, find_cycle


def graphs(n_nodes):
    """Return all directed acyclic graphs, as sets of arcs."""
    pairs = list(combinations(range(n_nodes), 2))
    found = []
    for kinds in product((None, 0, 1), repeat=len(pairs)):
        arcs = {
            pair if kind == 0 else pair[::-1]
            for pair, kind in zip(pairs, kinds)
            if kind is not None
        }
        if not find_cycle(parents_of(arcs, n_nodes)):
            found.append(frozenset(arcs))
    return found


def parents_of(arcs, n_nodes):
    return [
        tuple(sorted(parent for parent, child in arcs if child == node))
        for node in range(n_nodes)
    ]


def equivalence_class(arcs):
    """Return what equivalent graphs share: neighbors and v-structures."""
    neighbors = frozenset(map(frozenset, arcs))
    colliders = frozenset(
        (frozenset((a, b)), child)
        for (a, child), (b, other) in combinations(sorted(arcs), 2)
        if child == other and frozenset((a, b)) not in neighbors
    )
    return neighbors, colliders


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 4])
def test_compelled_arcs_are_those_of_all_equivalent_graphs(n_nodes):
    classes = {}
    for arcs in graphs(n_nodes):
        classes.setdefault(equivalence_class(arcs), []).append(arcs)
    # the numbers of graphs and of classes, OEIS A003024 and A007984
    known = {1: (1, 1), 2: (3, 2), 3: (25, 11), 4: (543, 185)}
    assert (sum(map(len, classes.values())), len(classes)) == known[n_nodes]
    for members in classes.values():
        shared = frozenset.intersection(*members)
        for arcs in members:
            assert compelled_arcs(parents_of(arcs, n_nodes)) == shared


def test_arcs_compelled_by_two_neighbors_are_found():
    """Meek's third rule: 0 – 1, 0 – 2, 0 → 3 because of 1 → 3 ← 2."""
    parents = [(), (0,), (0,), (0, 1, 2)]
    assert compelled_arcs(parents) == {(0, 3), (1, 3), (2, 3)}


@pytest.fixture(scope="module")
def chain():
    """Return rows of a → b → c, d by itself, with b and c weakly dependent."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 300)
    b = np.where(rng.random(300) < 0.8, a, 1 - a)
    c = np.where(rng.random(300) < 0.6, b, 1 - b)
    d = rng.integers(0, 3, 300)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).astype("category")


def test_equivalent_arcs_are_undirected(chain):
    directed, undirected = BeliefNetwork([("a", "b"), ("b", "c")]).fit(chain).to_cpdag()
    assert (directed, undirected) == ([], [("a", "b"), ("b", "c")])
    model = BeliefNetwork([("a", "b"), ("c", "b"), ("b", "d")]).fit(chain)
    assert model.to_cpdag() == (model.structure_, [])


def test_no_arc_leads_to_an_earlier_tier(chain):
    for tiers in ([["c"], ["b"], ["a"]], [["b", "c"], ["a", "d"]], [["c"], ["a"]]):
        position = {name: i for i, tier in enumerate(tiers) for name in tier}
        for restarts in (0, 3):
            model = BeliefNetwork(tiers=tiers, n_restarts=restarts, random_state=0)
            arcs = model.fit(chain).structure_
            assert ("a", "b") in arcs or ("b", "a") in arcs
            for parent, child in arcs:
                if parent in position and child in position:
                    assert position[parent] <= position[child]


def test_tiers_equal_the_arcs_that_they_forbid(chain):
    tiers = BeliefNetwork(tiers=[["c"], ["b", "d"], ["a"]]).fit(chain)
    forbidden = [("b", "c"), ("d", "c"), ("a", "c"), ("a", "b"), ("a", "d")]
    same = BeliefNetwork(forbidden_arcs=forbidden).fit(chain)
    assert tiers.structure_ == same.structure_


def test_a_classifier_has_tiers_of_its_class_too(chain):
    X, y = chain.drop(columns="a"), chain["a"]
    model = BeliefNetworkClassifier("hill_climbing", tiers=[["b"], ["a"]]).fit(X, y)
    assert ("b", "a") in model.structure_
    model.set_params(tiers=[["a"], ["b"]]).fit(X, y)
    assert ("a", "b") in model.structure_


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"tiers": ["ab", "c"]}, TypeError, "list of lists of names"),
        ({"tiers": [1, 2]}, TypeError, "list of lists of names"),
        ({"tiers": np.array("a")}, TypeError, "list of lists of names"),
        ({"tiers": [np.array("a")]}, TypeError, "list of lists of names"),
        ({"tiers": [["a"], ["x"]]}, ValueError, "Tiers names 'x'"),
        ({"tiers": [["a"], ["b", "a"]]}, ValueError, "names a node twice"),
        (
            {"tiers": [["a"], ["b"]], "required_arcs": [("b", "a")]},
            ValueError,
            r"required_arcs has \('b', 'a'\)",
        ),
    ],
)
def test_wrong_tiers_have_clear_errors(chain, parameters, error, message):
    with pytest.raises(error, match=message):
        BeliefNetwork(**parameters).fit(chain)


def slow_strengths(model, frame, n_bootstraps, seed, known=()):
    """Fit a model to each sample; count arcs by name."""
    counts = {}
    for one in np.random.RandomState(seed).randint(2**31 - 1, size=n_bootstraps):
        share = np.full(len(frame), 1 / len(frame))
        drawn = np.random.RandomState(one).multinomial(len(frame), share)
        sample = frame.iloc[np.repeat(np.arange(len(frame)), drawn)]
        fitted = model.fit(sample)
        directed, undirected = fitted.to_cpdag()
        for arc in directed + undirected:
            half = 0.5 if arc in undirected and arc not in known else 1.0
            counts[arc] = counts.get(arc, 0.0) + half
            counts[arc[::-1]] = counts.get(arc[::-1], 0.0) + 1.0 - half
    return counts


@pytest.mark.parametrize(
    "parameters",
    [
        {"structure": "hill_climbing"},
        {"structure": "hill_climbing", "structure_score": "bic"},
        {"structure": "chow_liu"},
        {"structure": "k2", "order": ["b", "a", "c", "d"]},
        {"structure": "hill_climbing", "tiers": [["b"], ["a"]]},
    ],
)
def test_strengths_equal_a_slow_bootstrap(chain, parameters):
    model = BeliefNetwork(**parameters).fit(chain)
    found = model.arc_strengths(chain, n_bootstraps=15, random_state=5)
    known = {("b", "a")} if "tiers" in parameters else set()
    if parameters["structure"] == "k2":
        known = set(combinations(["b", "a", "c", "d"], 2))
    slow = slow_strengths(BeliefNetwork(**parameters), chain, 15, 5, known)
    pairs = {frozenset(arc) for arc, count in slow.items() if count}
    assert {frozenset(arc) for arc in zip(found["parent"], found["child"])} == pairs
    assert len(found) == len(pairs)
    for arc in found.itertuples():
        one, other = slow[arc.parent, arc.child], slow[arc.child, arc.parent]
        assert arc.strength == pytest.approx((one + other) / 15)
        assert arc.direction == pytest.approx(one / (one + other))
        assert arc.direction >= 0.5
    assert found["strength"].is_monotonic_decreasing
    strengths = found.set_index(["parent", "child"])["strength"]
    strong = max(strengths.get(("a", "b"), 0), strengths.get(("b", "a"), 0))
    assert strong == 1.0


def test_strengths_do_not_depend_on_threads_or_on_how_rows_are_repeated(chain):
    model = BeliefNetwork().fit(chain)
    options = {"n_bootstraps": 10, "random_state": 0}
    once = model.arc_strengths(chain, **options)
    pd.testing.assert_frame_equal(
        BeliefNetwork(n_jobs=2).fit(chain).arc_strengths(chain, **options), once
    )
    weight = np.ones(len(chain))
    pd.testing.assert_frame_equal(
        model.arc_strengths(chain, sample_weight=weight, **options), once
    )


def test_weights_decide_what_is_drawn(chain):
    """Rows of weight 0 are never drawn; few rows give weak arcs."""
    odd = chain.assign(c=chain["b"])  # the last rows, in which b and c are equal
    rows = pd.concat([chain, odd], ignore_index=True)
    weight = np.repeat([1.0, 0.0], len(chain))
    model = BeliefNetwork().fit(chain)
    pd.testing.assert_frame_equal(
        model.arc_strengths(rows, n_bootstraps=5, random_state=0, sample_weight=weight),
        model.arc_strengths(chain, n_bootstraps=5, random_state=0),
    )


def test_a_classifier_has_strengths_of_arcs_from_its_class(chain):
    X, y = chain.drop(columns="a"), chain["a"]
    model = BeliefNetworkClassifier("hill_climbing").fit(X, y)
    found = model.arc_strengths(X, y, n_bootstraps=20, random_state=0)
    assert {found.loc[0, "parent"], found.loc[0, "child"]} == {"a", "b"}
    assert found.loc[0, "strength"] == 1.0
    with pytest.raises(ValueError, match="give the labels"):
        model.arc_strengths(X)


def test_strengths_are_those_of_the_rows_of_fit_by_default(chain):
    options = {"n_bootstraps": 5, "random_state": 0}
    weight = np.arange(len(chain)) % 3
    model = BeliefNetwork().fit(chain, sample_weight=weight)
    pd.testing.assert_frame_equal(
        model.arc_strengths(**options),
        model.arc_strengths(chain, sample_weight=weight, **options),
    )
    for change in (
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: m.merge(m),
        lambda m: BeliefNetwork().fit(chain).partial_fit(chain),
        lambda m: BeliefNetwork().fit_blocks([(chain, None)]),
    ):
        with pytest.raises(ValueError, match="does not have them"):
            change(model).arc_strengths(**options)
    X, y = chain.drop(columns="a"), chain["a"]
    for m in ("loo", 1.0):
        model = BeliefNetworkClassifier("hill_climbing", m=m).fit(X, y)
        pd.testing.assert_frame_equal(
            model.arc_strengths(**options), model.arc_strengths(X, y, **options)
        )


def test_given_arcs_have_no_strengths(chain):
    model = BeliefNetwork([("a", "b")]).fit(chain)
    with pytest.raises(ValueError, match="gives the arcs"):
        model.arc_strengths(chain)
    with pytest.raises(ValueError, match="n_bootstraps=0"):
        BeliefNetwork().fit(chain).arc_strengths(chain, n_bootstraps=0)


@pytest.mark.parametrize("n_bootstraps", [0, -3, 1.5, "3", None])
def test_the_number_of_samples_is_an_integer(chain, n_bootstraps):
    with pytest.raises(ValueError, match="must be an integer ≥ 1"):
        BeliefNetwork().fit(chain).arc_strengths(n_bootstraps=n_bootstraps)


def test_labels_are_ignored_without_a_class(chain):
    model = BeliefNetwork().fit(chain)
    options = {"n_bootstraps": 3, "random_state": 0}
    pd.testing.assert_frame_equal(
        model.arc_strengths(chain, chain["a"], **options),
        model.arc_strengths(chain, **options),
    )


@pytest.mark.parametrize("strengths", [None, 3, [("a", "b")], pd.DataFrame({"x": [1]})])
def test_other_frames_are_no_strengths(chain, strengths):
    model = BeliefNetwork().fit(chain)
    with pytest.raises(TypeError, match="as arc_strengths returns it"):
        model.averaged_structure(strengths)


def test_strengths_of_other_nodes_are_refused(chain):
    model = BeliefNetwork().fit(chain)
    other = BeliefNetwork().fit(chain.rename(columns={"a": "z"}))
    strengths = other.arc_strengths(n_bootstraps=3, random_state=0)
    with pytest.raises(ValueError, match="Strengths names 'z'"):
        model.averaged_structure(strengths)


def test_the_average_has_the_strong_arcs_without_cycles(chain):
    model = BeliefNetwork([("b", "a"), ("b", "c")]).fit(chain)
    columns = ["parent", "child", "strength", "direction"]
    rows = [
        ("a", "b", 1.0, 0.5),  # the direction of the model
        ("b", "d", 0.9, 0.8),
        ("d", "c", 0.8, 1.0),
        ("c", "b", 0.7, 0.9),  # would close a cycle
        ("a", "d", 0.4, 1.0),
    ]
    strengths = pd.DataFrame(rows, columns=columns)
    arcs = model.averaged_structure(strengths)
    assert sorted(arcs) == [("b", "a"), ("b", "c"), ("b", "d"), ("d", "c")]
    assert len(model.averaged_structure(strengths, 0.3)) == 5
    assert model.averaged_structure(strengths, 1.1) == []
    again = BeliefNetwork(arcs).fit(chain)
    assert sorted(again.structure_) == sorted(arcs)
