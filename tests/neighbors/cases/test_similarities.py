"""Similarities of attributes, each against values computed by hand.

Code under test: `neighbors/_cases/_taxonomy.py`.
"""

import copy
import pickle

import networkx
import numpy as np
import pytest

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    EqualitySimilarity,
    GraphSimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    SetSimilarity,
    TableSimilarity,
    TaxonomySimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)

# A tree: vehicle (depth 1), motor and bicycle (2), truck and small (3), car (4).
PARENT = {
    "motor": "vehicle",
    "bicycle": "vehicle",
    "truck": "motor",
    "small": "motor",
    "car": "small",
}


def test_equality():
    found = EqualitySimilarity().pairwise(["a", "b"], ["b", "c"])
    np.testing.assert_array_equal(found, [[0, 0], [1, 0]])


def test_numbers_by_range_and_by_scale():
    # The range of 0, 4, 10 is 10.
    found = NumberSimilarity().pairwise([0.0], [4.0, 10.0])
    np.testing.assert_allclose(found, [[1 - 4 / 10, 0]])
    found = NumberSimilarity(scale=8).pairwise([0.0], [4.0, 10.0])
    np.testing.assert_allclose(found, [[1 - 4 / 8, 0]])


def test_numbers_by_ranks():
    # The mean ranks of 0, 4, 4, 10 and 1e9 are 1, 2.5, 2.5, 4 and 5, their range is 4.
    found = NumberSimilarity("ranks").pairwise([0.0, 4.0], [4.0, 10.0, 1e9])
    expected = [[1 - 1.5 / 4, 1 - 3 / 4, 0], [1, 1 - 1.5 / 4, 1 - 2.5 / 4]]
    np.testing.assert_allclose(found, expected)
    assert np.all(NumberSimilarity("ranks").pairwise([7.0], [7.0, 7.0]) == 1)


def test_ranks_of_cases_count_weights_and_are_interpolated():
    # By weight the mean ranks of 1, 2 and 900 are 1, 2.5 and 4; that of 1.5 is 1.75.
    X, y = np.array([[1.0], [2.0], [900.0]]), [0, 1, 0]
    model = CaseBasedClassifier(3, weights=None, power=1, m=0, vote="similarity")
    model.fit(X, y, [1, 2, 1])
    found = model.retrieve([[1.5], [-8.0], [1e9]], 3)
    order = np.argsort(found.indices, axis=1)
    similarities = np.take_along_axis(found.similarities, order, axis=1)
    expected = [[3 / 4, 3 / 4, 1 / 4], [1, 1 / 2, 0], [0, 1 / 2, 1]]
    np.testing.assert_allclose(similarities, expected, atol=1e-12)
    repeated = model.fit(X[[0, 1, 1, 2]], [0, 1, 1, 0])
    found = repeated.retrieve([[1.5]], 4)
    np.testing.assert_allclose(found.similarities, [[3 / 4, 3 / 4, 3 / 4, 1 / 4]])


def test_one_huge_number_does_not_make_the_other_cases_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1))
    y = (X[:, 0] > 0).astype(int)
    X[0] = 1e12
    y[0] = 1
    model = CaseBasedClassifier().fit(X, y)
    assert model.score([[-1.0], [-0.3], [0.3], [1.0], [1e15]], [0, 0, 1, 1, 1]) == 1


def test_ordered_symbols():
    order = ["never", "rarely", "often", "always"]
    found = OrderedSimilarity(order).pairwise(["never"], order)
    np.testing.assert_allclose(found, [[1, 2 / 3, 1 / 3, 0]])


def test_a_table_holds_both_directions_unless_both_are_listed():
    similarity = TableSimilarity({("a", "b"): 0.6, ("c", "a"): 0.1, ("a", "c"): 0.2})
    found = similarity.pairwise(["a", "b", "c"], ["a", "b", "c"])
    np.testing.assert_array_equal(found, [[1, 0.6, 0.2], [0.6, 1, 0], [0.1, 0, 1]])
    assert TableSimilarity({}, default=0.5).pairwise(["a"], ["b"])[0, 0] == 0.5


@pytest.mark.parametrize(
    ("kind", "car_truck", "car_bicycle", "car_small"),
    [
        # Ancestors: motor (2), vehicle (1), small (3). Depths: car 4, truck 3,
        # bicycle 2, small 3; the greatest is 4.
        ("wu_palmer", 2 * 2 / (4 + 3), 2 * 1 / (4 + 2), 2 * 3 / (4 + 3)),
        ("ancestor", (2 - 1) / (4 - 1), 0, (3 - 1) / (4 - 1)),
        # Edges: car-small-motor-truck 3, car-small-motor-vehicle-bicycle 4, 1.
        ("path", 1 / (1 + 3), 1 / (1 + 4), 1 / (1 + 1)),
    ],
)
def test_taxonomies(kind, car_truck, car_bicycle, car_small):
    similarity = TaxonomySimilarity(PARENT, kind)
    found = similarity.pairwise(["car"], ["truck", "bicycle", "small", "car"])
    np.testing.assert_allclose(found, [[car_truck, car_bicycle, car_small, 1]])
    np.testing.assert_allclose(similarity.pairwise(["truck"], ["car"]), [[car_truck]])


def test_symbols_of_different_trees_have_similarity_zero():
    similarity = TaxonomySimilarity({"a": "letter", "1": "digit"})
    assert similarity.pairwise(["a"], ["1"])[0, 0] == 0


@pytest.mark.parametrize("parent", [{"a": "a"}, {"a": "b", "b": "c", "c": "a"}])
def test_a_cycle_in_a_taxonomy_is_named(parent):
    with pytest.raises(ValueError, match=r"cycle: 'a' -> .*'a'"):
        TaxonomySimilarity(parent)


def test_overlap_of_sets():
    a, b = frozenset("xyz"), frozenset("xw")
    for kind, there, back in (
        ("jaccard", 1 / 4, 1 / 4),
        ("dice", 2 / 5, 2 / 5),
        ("contained", 1 / 3, 1 / 2),
    ):
        similarity = SetSimilarity(kind)
        np.testing.assert_allclose(similarity.pairwise([a], [b]), [[there]])
        np.testing.assert_allclose(similarity.pairwise([b], [a]), [[back]])
        empty = frozenset()
        assert similarity.pairwise([empty], [empty])[0, 0] == 1


def test_words_of_texts():
    # Shares: error 1/2, on 1/2 against error 1/3, on 1/3, startup 1/3.
    found = WordSimilarity().pairwise(["Error on!"], ["error, on startup", "printer"])
    np.testing.assert_allclose(found, [[2 * np.sqrt(1 / 2 * 1 / 3), 0]])
    assert WordSimilarity().pairwise([""], ["", "a"]).tolist() == [[1, 0]]


def test_graphs_are_read_from_networkx_dicts_and_lists():
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", sign="increases")
    graph.add_edge("b", "c", sign=-1)
    graph.nodes["a"]["label"] = "flow"
    similarity = GraphSimilarity(labels={"a": "flow"})
    expected = GraphSimilarity().read(graph)
    assert expected.edges == {("a", "b", "+"), ("b", "c", "-")}
    assert dict(expected.labels) == {"a": "flow", "b": None, "c": None}
    assert similarity.read({("a", "b"): "+", ("b", "c"): "decreases"}) == expected
    assert similarity.read([("a", "b", 1), ("b", "c", "-")]) == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NumberSimilarity(0), "scale must be a number above 0"),
        (lambda: OrderedSimilarity("ab"), "order must be a list"),
        (lambda: OrderedSimilarity(["a", "a"]), "each once"),
        (lambda: TableSimilarity({"a": 1}), "table must be a dict"),
        (lambda: TableSimilarity({("a", "b"): 2}), "from 0 to 1"),
        (lambda: TaxonomySimilarity({}), "parent must be a dict"),
        (lambda: TaxonomySimilarity(PARENT, "depth"), "kind must be one of"),
        (lambda: SetSimilarity("cosine"), "kind must be one of"),
        (lambda: ValueDifferenceSimilarity(m=-1), "m must be ≥ 0"),
        (lambda: ValueDifferenceSimilarity(q=0), "q and root above 0"),
        (lambda: ValueDifferenceSimilarity(root=np.inf), "q and root above 0"),
        (lambda: GraphSimilarity(budget=0), "budget must be an integer"),
        (lambda: GraphSimilarity(labels="Q"), "labels must be a dict"),
        (lambda: GraphSimilarity().read({("a", "b"): "?"}), "sign of the edge 'a'"),
        (lambda: GraphSimilarity().read([("a", "b")]), r"must be \(u, v, sign\)"),
    ],
)
def test_unusable_similarities_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "similarity",
    [
        TableSimilarity({("a", "b"): 0.5}),
        TaxonomySimilarity(PARENT),
        OrderedSimilarity(["a", "b"]),
        GraphSimilarity(labels={"a": "Q"}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_copies_and_pickles_are_equal(similarity):
    for other in (copy.deepcopy(similarity), pickle.loads(pickle.dumps(similarity))):
        assert other == similarity
        assert hash(other) == hash(similarity)
