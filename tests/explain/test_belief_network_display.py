"""Tests of the displays of belief networks: layers, arcs and tables.

Code under test: `explain/_layered_layout.py`, `explain/_probability_table_display.py`.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import (
    BeliefNetwork,
    BeliefNetworkClassifier,
    BeliefNetworkDisplay,
    ProbabilityTableDisplay,
)
from sklearn_bayeslazy.datasets import load_play_tennis
from sklearn_bayeslazy.explain._layered_layout import _count_crossings, layered_layout
from tests.helpers.belief_network_by_enumeration import random_network


@pytest.mark.parametrize("seed", range(8))
def test_parents_are_above_children_and_nodes_do_not_overlap(seed):
    parents = random_network(np.random.default_rng(seed), 15).parents
    positions, bends = layered_layout(parents)
    for child, child_parents in enumerate(parents):
        for parent in child_parents:
            arc_bends = bends[parent, child]
            heights = [positions[parent, 1], *arc_bends[:, 1], positions[child, 1]]
            assert np.all(np.diff(heights) == -1)
    for height in set(positions[:, 1]):
        beside = np.sort(positions[positions[:, 1] == height, 0])
        assert np.all(np.diff(beside) >= 1 - 1e-9)


def test_avoidable_crossings_are_avoided():
    parents = [(), (), (), (2,), (1,), (0,)]  # upside down
    positions, _ = layered_layout(parents)
    assert list(np.sign(np.diff(positions[:3, 0]))) == list(
        -np.sign(np.diff(positions[3:, 0]))
    )
    assert _count_crossings([[0, 1], [2, 3]], {2: [1], 3: [0]}) == 1
    assert _count_crossings([[0, 1], [2, 3]], {2: [0], 3: [1]}) == 0


def test_nodes_without_arcs_come_last_in_rows():
    positions, bends = layered_layout([(), (0,), *[()] * 7])
    assert list(positions[2:, 1]) == [-2.0] * 5 + [-3.0] * 2
    assert list(bends) == [(0, 1)]
    positions, bends = layered_layout([(), ()])
    assert positions.tolist() == [[-0.5, 0.0], [0.5, 0.0]]
    assert bends == {}


def test_a_long_chain_has_a_layout():
    positions, _ = layered_layout([(), *((i,) for i in range(1199))])
    assert positions[-1].tolist() == [0.0, -1199.0]


def test_arc_information_is_conditional_mutual_information():
    """The child is the exclusive or of its parents: ln 2 for each arc."""
    X = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)]
    X = np.array(X, dtype=object).astype(str)
    model = BeliefNetwork([(0, 2), (1, 2)], m=0).fit(X)
    found = model._arc_information()
    assert set(found) == {(0, 2), (1, 2)}
    np.testing.assert_allclose(list(found.values()), np.log(2))


@pytest.fixture
def tennis():
    X, y = load_play_tennis(return_X_y=True, as_frame=True)
    return BeliefNetworkClassifier("tan").fit(X, y)


def test_the_display_shows_the_graph(tennis, pyplot):
    display = BeliefNetworkDisplay.from_estimator(tennis)
    names = [text.get_text() for text in display.nodes_]
    assert names == list(tennis.network_.names)
    arcs = {(names[p], names[c]) for p, c in display.arcs_}
    assert arcs == set(tennis.structure_)
    heights = {text.get_text(): text.get_position()[1] for text in display.nodes_}
    assert all(heights[parent] > heights[child] for parent, child in arcs)
    widths = {arc: pieces[-1].get_linewidth() for arc, pieces in display.arcs_.items()}
    most = max(display.information, key=display.information.get)
    assert widths[most] == max(widths.values()) > min(widths.values())
    faces = {text.get_bbox_patch().get_facecolor() for text in display.nodes_}
    assert len(faces) == 2  # the class is filled
    again = display.plot(ax=display.ax_, arc_kw={"color": "red"})
    assert again.arcs_[most][-1].get_edgecolor()[:3] == (1.0, 0.0, 0.0)


def test_arcs_of_equal_width_and_dashed_hidden_nodes(pyplot):
    X = np.array([["a", "b"], ["b", "a"]] * 20, dtype=object)
    model = BeliefNetwork(
        [("h", 0), ("h", 1)], hidden={"h": 2}, random_state=0, n_init=1
    ).fit(X)
    display = BeliefNetworkDisplay.from_estimator(model, weigh_arcs=False)
    widths = {pieces[-1].get_linewidth() for pieces in display.arcs_.values()}
    assert len(widths) == 1
    styles = [text.get_bbox_patch().get_linestyle() for text in display.nodes_]
    assert styles == ["solid", "solid", "--"]


def test_the_display_shows_the_table(tennis, pyplot):
    display = ProbabilityTableDisplay.from_estimator(tennis, "humidity")
    node = tennis.network_.names.index("humidity")
    table = tennis.network_.tables[node]
    np.testing.assert_array_equal(
        display.image_.get_array(), table.reshape(-1, table.shape[-1])
    )
    assert [text.get_text() for text in display.text_] == [
        f"{p:.2f}" for p in table.ravel()
    ]
    values = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert values == list(tennis.network_.values[node])
    rows = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert len(rows) == table.size // table.shape[-1]
    assert display.ax_.get_title().startswith("P(humidity | ")


def test_the_table_of_a_root_and_a_large_table(pyplot):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (900, 2)).astype(str).astype(object)
    model = BeliefNetwork([(0, 1)]).fit(X)
    root = ProbabilityTableDisplay.from_estimator(model, 0)
    assert root.ax_.get_title() == "P(0)"
    assert root.image_.get_array().shape == (1, 30)
    large = ProbabilityTableDisplay.from_estimator(model, 1)
    assert large.image_.get_array().shape == (30, 30)
    assert large.text_ == []
    assert [one.get_text() for one in large.ax_.get_xticklabels()] == list(
        model.network_.values[1]
    )
    assert len(large.ax_.get_yticklabels()) == 30


def test_fourteen_values_have_names_and_numbers(pyplot):
    values = [f"value {v}" for v in range(14)]
    display = ProbabilityTableDisplay(
        table=np.full((2, 14), 1 / 14),
        name="y",
        values=values,
        parent_names=["x"],
        parent_values=[["a", "b"]],
    ).plot()
    assert [one.get_text() for one in display.ax_.get_xticklabels()] == values
    assert [one.get_text() for one in display.ax_.get_yticklabels()] == ["a", "b"]
    assert len(display.text_) == 28


def test_hundreds_of_values_are_named_at_intervals(pyplot):
    display = ProbabilityTableDisplay(
        table=np.full(200, 1 / 200), name="y", values=range(200)
    ).plot()
    names = [one.get_text() for one in display.ax_.get_xticklabels()]
    assert names == [str(v) for v in range(0, 200, 5)]
    assert display.ax_.get_xticks().tolist() == list(range(0, 200, 5))


def test_dollar_signs_are_not_read_as_formulas(pyplot):
    frame = pd.DataFrame(
        {"in$_{come$": ["$5%$", "$10^^-$20"] * 5, "b$^^$": ["x", "y"] * 5}
    )
    model = BeliefNetwork([("in$_{come$", "b$^^$")]).fit(frame)
    BeliefNetworkDisplay.from_estimator(model).figure_.canvas.draw()
    display = ProbabilityTableDisplay.from_estimator(model, "b$^^$")
    display.figure_.canvas.draw()
    ProbabilityTableDisplay.from_estimator(model, "in$_{come$").figure_.canvas.draw()
    assert display.ax_.get_title() == "P(b$^^$ | in$_{come$)"


@pytest.mark.parametrize(
    ("display", "more"),
    [(BeliefNetworkDisplay, ()), (ProbabilityTableDisplay, ("0",))],
)
def test_other_estimators_raise_an_error(display, more):
    with pytest.raises(TypeError, match="NearestNeighbors has no network_"):
        display.from_estimator(NearestNeighbors().fit([[0.0]]), *more)
    with pytest.raises(NotFittedError):
        display.from_estimator(BeliefNetwork(), *more)


def test_an_unknown_node_is_named(tennis):
    with pytest.raises(ValueError, match="Node names 'rain', which is not a node"):
        ProbabilityTableDisplay.from_estimator(tennis, "rain")


def test_the_html_view_shows_the_arcs(tennis):
    page = tennis._repr_html_()
    assert f"{len(tennis.structure_)} arcs between 5 nodes" in page
    assert page.endswith("</details>")
    assert tennis._repr_mimebundle_()["text/html"].endswith("</details>")
    assert "arcs between" not in BeliefNetwork()._repr_html_()
    rows = pd.DataFrame({"<b>": ["a", "b"] * 5, "&": ["c", "d"] * 5})
    page = BeliefNetwork([("<b>", "&")]).fit(rows)._repr_html_()
    assert "<li>&lt;b&gt; → &amp;</li>" in page


def test_frames_of_arcs_and_tables():
    X, _ = load_play_tennis(return_X_y=True, as_frame=True)
    model = BeliefNetwork([("outlook", "humidity"), ("wind", "humidity")]).fit(X)
    arcs = BeliefNetworkDisplay.from_estimator(model).frame()
    assert arcs["child"].tolist() == ["humidity", "humidity"]
    assert set(arcs["parent"]) == {"outlook", "wind"}
    assert (arcs["information"] > 0).all()
    display = ProbabilityTableDisplay.from_estimator(model, "humidity")
    frame = display.frame()
    assert frame.index.names == display.parent_names
    assert frame.columns.tolist() == ["high", "normal"]
    np.testing.assert_allclose(frame.sum(axis=1), 1)
    at = dict(zip(display.parent_names, [list(v) for v in display.parent_values]))
    table = np.asarray(display.table)
    first, second = (values[1] for values in at.values())
    assert frame.loc[(first, second), "normal"] == table[1, 1, 1]
    root = ProbabilityTableDisplay.from_estimator(model, "wind").frame()
    assert root.shape == (1, 2)


def test_arcs_show_strengths_and_which_directions_are_arbitrary():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    b, c = np.where(rng.random((2, 200)) < 0.8, a, 1 - a)
    X = pd.DataFrame({"a": a, "b": b, "c": c}).astype("category")
    model = BeliefNetwork().fit(X)
    strengths = model.arc_strengths(X, n_bootstraps=10, random_state=0)
    display = BeliefNetworkDisplay.from_estimator(
        model, strengths=strengths, cpdag=True
    )
    frame = display.frame()
    assert frame.columns.tolist() == ["parent", "child", "strength"]
    by_pair = {frozenset(row[:2]): row[2] for row in strengths.to_numpy()}
    for parent, child, strength in frame.to_numpy():
        assert strength == by_pair[frozenset((parent, child))]
    widths = {arc: pieces[-1].get_linewidth() for arc, pieces in display.arcs_.items()}
    assert len(set(widths.values())) == frame["strength"].nunique()
    undirected = model.to_cpdag()[1]
    names = model.network_.names
    assert undirected
    for (parent, child), pieces in display.arcs_.items():
        has_head = "FilledB" in str(pieces[-1].get_arrowstyle()) or "BarA" in str(
            pieces[-1].get_arrowstyle()
        )
        assert has_head != ((names[parent], names[child]) in undirected)
    nothing = BeliefNetworkDisplay.from_estimator(model, strengths=strengths.iloc[:0])
    assert nothing.frame()["strength"].tolist() == [0.0] * len(model.structure_)
