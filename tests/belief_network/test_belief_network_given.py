"""Networks and classifiers of given tables, without training rows.

Code under test: `belief_network/_given_tables.py`.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from tests.helpers.belief_network_by_enumeration import enumerate_rows, random_network

ARCS = [("wet", "slippery"), ("rain", "wet"), ("sprinkler", "wet")]
TABLES = {
    "slippery": [[0.7, 0.3], [0.1, 0.9]],
    "wet": [[[0.99, 0.01], [0.8, 0.2]], [[0.9, 0.1], [0.0, 1.0]]],  # rain, sprinkler
    "rain": [0.2, 0.8],
    "sprinkler": [0.1, 0.9],
}
YES_NO = {name: ["yes", "no"] for name in TABLES}


def given_model(network, values=None):
    """Return the model of a network's arcs and tables, with integers as values."""
    tables = dict(zip(network.names, network.tables))
    return BeliefNetwork.from_tables(network.arcs(), tables, values)


def test_the_axes_of_a_table_are_the_parents_in_the_order_of_the_arcs():
    model = BeliefNetwork.from_tables(ARCS, TABLES, YES_NO)
    # P(wet | sprinkler) = .2 * .99 + .8 * .9, and P(wet | rain) = .1 * .99 + .9 * .8
    wet = model.query({"sprinkler": "yes"}, "wet")["yes"]
    assert wet == pytest.approx(0.2 * 0.99 + 0.8 * 0.9, rel=1e-13)
    wet = model.query({"rain": "yes"}, "wet")["yes"]
    assert wet == pytest.approx(0.1 * 0.99 + 0.9 * 0.8, rel=1e-13)
    reverse = BeliefNetwork.from_tables(
        ARCS[::-1],
        {**TABLES, "wet": np.swapaxes(TABLES["wet"], 0, 1)},
        YES_NO,
    )
    for table, other in zip(model.network_.tables, reverse.network_.tables):
        np.testing.assert_array_equal(table, other)


@pytest.mark.parametrize("seed", range(4))
def test_given_tables_answer_as_enumeration(seed):
    network = random_network(np.random.default_rng(seed), 5)
    model = given_model(network)
    rows, p = enumerate_rows(network)
    X = pd.DataFrame(rows, columns=network.names)
    np.testing.assert_allclose(np.exp(model.score_samples(X)), p, rtol=1e-12)
    sampled = model.sample(5, random_state=0)
    assert sampled.shape == (5, 5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("source", ["model", "network", "bif"])
def test_a_given_classifier_equals_enumeration(seed, source, tmp_path):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 5)
    target = int(rng.integers(5))
    # Values that are not sorted: classes_ are.
    labels = [[f"v{k}" for k in reversed(range(size))] for size in network.sizes]
    model = given_model(network, dict(zip(network.names, labels)))
    name = network.names[target]
    if source == "bif":
        model.to_bif(tmp_path / "net.bif")
        classifier = BeliefNetworkClassifier.from_bif(tmp_path / "net.bif", name)
    else:
        given = model if source == "model" else model.network_
        classifier = BeliefNetworkClassifier.from_network(given, name)
    assert classifier.classes_.tolist() == sorted(labels[target])
    rows, p = enumerate_rows(network)
    for _ in range(6):
        row = rows[rng.integers(len(rows))].copy()
        row[rng.random(5) < 0.3] = -1  # missing
        others = np.arange(5) != target
        agree = ((rows == row) | (row < 0))[:, others].all(axis=1)
        joint = [
            p[agree & (rows[:, target] == c)].sum() for c in range(len(labels[target]))
        ]
        joint = np.array(joint)[::-1]  # sorted classes are the reverse
        cells = {
            name: [None if code < 0 else labels[j][code]]
            for j, (name, code) in enumerate(zip(network.names, row))
            if j != target
        }
        X = pd.DataFrame(cells, dtype=object)
        found = np.exp(classifier.predict_joint_log_proba(X)[0])
        np.testing.assert_allclose(found, joint, rtol=1e-10, atol=1e-14)
        expected = joint / joint.sum()
        np.testing.assert_allclose(classifier.predict_proba(X)[0], expected, rtol=1e-10)
        assert expected[classifier.classes_ == classifier.predict(X)[0]] == max(
            expected
        )


def test_a_classifier_takes_the_bins_and_hidden_nodes_of_a_fitted_network():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=200) > 0, "b", "a")})
    arcs = [("h", "x"), ("h", "y")]
    network = BeliefNetwork(arcs, hidden={"h": 2}, random_state=0).fit(X)
    classifier = BeliefNetworkClassifier.from_network(network, "y")
    found = classifier.predict_proba(X[["x"]].iloc[:9])
    expected = network.posterior(X.assign(y=None).iloc[:9], "y")
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(classifier.bin_edges_[0], network.bin_edges_[0])
    as_class = BeliefNetworkClassifier.from_network(network, "h")
    expected = network.posterior(X.iloc[:9], "h")
    np.testing.assert_allclose(as_class.predict_proba(X.iloc[:9]), expected, rtol=1e-12)


def test_a_given_classifier_has_no_counts_and_can_be_fitted_anew():
    values = {**YES_NO, "rain": [True, False]}
    model = BeliefNetwork.from_tables(ARCS, TABLES, values)
    classifier = BeliefNetworkClassifier.from_network(model, "rain")
    assert classifier.classes_.tolist() == [False, True]
    assert classifier.class_count_.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(np.exp(classifier.class_log_prior_), [0.8, 0.2])
    assert not hasattr(classifier, "partial_fit")
    rows = pd.DataFrame(model.sample(60, random_state=0), columns=list(TABLES))
    X, y = rows.drop(columns="rain"), rows["rain"].astype(bool)
    fitted = clone(classifier).fit(X, y)
    assert set(fitted.structure_) == set(ARCS)
    assert fitted.class_count_.sum() == 60


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arcs": [*ARCS, ("slippery", "rain")]}, "form a cycle"),
        ({"arcs": [("snow", "wet")]}, "names 'snow'"),
        ({"arcs": ARCS[:2]}, r"'wet' has shape \(2, 2, 2\).*needs \(2, 2\)"),
        ({"tables": {**TABLES, "rain": [0.2, 0.9]}}, "'rain' must hold probabilities"),
        ({"tables": {**TABLES, "rain": [1.2, -0.2]}}, "'rain' must hold probabilities"),
        ({"tables": {**TABLES, "rain": [np.nan, 1]}}, "'rain' must hold probabilities"),
        ({"tables": {**TABLES, "rain": ["a", "b"]}}, "'rain' must be an array of num"),
        ({"tables": {**TABLES, "rain": 1.0}}, "'rain' needs a probability"),
        ({"tables": {}}, "must be a dictionary"),
        ({"tables": [0.5, 0.5]}, "must be a dictionary"),
        ({"values": {"snow": [1, 2]}}, "names 'snow'"),
        ({"values": {"rain": ["yes", "no", "?"]}}, "'rain' has 2 values .* 3 are"),
        ({"values": {"rain": ["yes", "yes"]}}, "must be distinct"),
        ({"values": {"rain": ["yes", None]}}, "must be distinct and not missing"),
        ({"values": ["yes", "no"]}, "values must be a dictionary"),
        ({"tables": {0: [0.5, 0.5], "0": [0.5, 0.5]}}, "names a node twice"),
        ({"arcs": None}, "arcs must be a list of pairs"),
        ({"values": {"rain": 2}}, "values of 'rain' must be a list"),
        ({"values": {"rain": ["yes", 0]}}, "'rain'.* mixes cells of the kinds"),
    ],
)
def test_tables_that_do_not_fit_raise_clear_errors(changes, message):
    arguments = {"arcs": ARCS, "tables": TABLES, "values": YES_NO, **changes}
    with pytest.raises((ValueError, TypeError), match=message):
        BeliefNetwork.from_tables(**arguments)


def test_numbers_as_names_are_the_columns_of_an_array():
    tables = {0: [0.2, 0.8], 1: [[0.9, 0.1], [0.3, 0.7]]}
    model = BeliefNetwork.from_tables([(0, 1)], tables, {0: [7.5, 2], 1: [True, False]})
    X = np.array([[7.5, True], [2, False]], dtype=object)
    found = np.exp(model.score_samples(X))
    np.testing.assert_allclose(found, [0.2 * 0.9, 0.8 * 0.7], rtol=1e-14)
    classifier = BeliefNetworkClassifier.from_network(model, 1)
    proba = classifier.predict_proba([[7.5]])  # [False, True]
    np.testing.assert_allclose(proba, [[0.1, 0.9]], rtol=1e-14)


def test_a_classifier_needs_a_network_with_the_class_and_a_column():
    with pytest.raises(TypeError, match="must be a fitted BeliefNetwork"):
        BeliefNetworkClassifier.from_network({"a": 1}, "a")
    model = BeliefNetwork.from_tables([], {"a": [0.5, 0.5]})
    with pytest.raises(ValueError, match="Target names 'b'"):
        BeliefNetworkClassifier.from_network(model, "b")
    with pytest.raises(ValueError, match="no column besides the class"):
        BeliefNetworkClassifier.from_network(model, "a")
