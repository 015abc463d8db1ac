"""Questions to a network, against the enumeration of its joint distribution.

Code under test: `belief_network/_questions.py`.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier

SIZES = {"a": 2, "b": 3, "c": 2, "d": 3, "e": 2}
ARCS = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("a", "e")]
NAMES = list(SIZES)


def parents_of(name):
    return [parent for parent, child in ARCS if child == name]


@pytest.fixture(params=range(3))
def tables(request):
    rng = np.random.default_rng(request.param)
    return {
        name: rng.dirichlet(np.ones(size), [SIZES[p] for p in parents_of(name)])
        for name, size in SIZES.items()
    }


def network(tables):
    return BeliefNetwork.from_tables(ARCS, tables)


def enumerated(tables, evidence, targets, do=(), likelihood=()):
    """Return P(targets | evidence): the sum over rows, without the tables of `do`."""
    do, likelihood = dict(do), dict(likelihood)
    given = {**evidence, **do}
    found = np.zeros([SIZES[name] for name in targets])
    for cells in product(*map(range, SIZES.values())):
        row = dict(zip(NAMES, cells))
        if any(row[name] != value for name, value in given.items()):
            continue
        p = np.prod([weights[row[name]] for name, weights in likelihood.items()])
        for name in NAMES:
            if name not in do:
                p *= tables[name][tuple(row[n] for n in [*parents_of(name), name])]
        found[tuple(row[name] for name in targets)] += p
    return found / found.sum()


@pytest.mark.parametrize(
    ("evidence", "targets", "do"),
    [
        ({}, ["e"], {"c": 1}),
        ({"e": 1}, ["b"], {"d": 2}),
        ({"b": 0}, ["a", "e"], {"c": 0, "d": 1}),
        ({}, ["a"], {"b": 2}),
        ({"e": 0}, ["c"], {"a": 1}),
    ],
)
def test_interventions_equal_the_truncated_factorization(tables, evidence, targets, do):
    found = network(tables).query(evidence, targets, do=do)
    expected = enumerated(tables, evidence, targets, do)
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-12)


def test_an_intervention_tells_nothing_of_causes(tables):
    model = network(tables)
    prior = model.query({}, "a").probabilities
    np.testing.assert_allclose(
        model.query({}, "a", do={"d": 1}).probabilities, prior, rtol=1e-12
    )
    assert not np.allclose(model.query({"d": 1}, "a").probabilities, prior)


def test_adjusting_for_the_back_door_gives_the_effect(tables):
    """P(e | do(d)) = Σ P(a, c) P(e | d, a, c), as a and c block all other paths."""
    model = network(tables)
    weights = model.query({}, ["a", "c"]).probabilities
    expected = sum(
        weights[a, c] * model.query({"a": a, "c": c, "d": 1}, "e").probabilities
        for a in range(2)
        for c in range(2)
    )
    found = model.query({}, "e", do={"d": 1}).probabilities
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "likelihood",
    [
        {"d": [0.2, 3.0, 1.0]},
        {"a": [1, 0]},
        {"e": [1e-300, 2e-300], "b": [1e300, 0, 1e299]},
    ],
)
@pytest.mark.parametrize("do", [{}, {"c": 1}])
def test_uncertain_evidence_equals_enumeration(tables, likelihood, do):
    scaled = {n: np.array(w) / np.max(w) for n, w in likelihood.items()}
    for evidence in ({}, {"e": 1}):
        for targets in (["a"], ["d", "b"]):
            found = network(tables).query(
                evidence, targets, do=do, likelihood=likelihood
            )
            expected = enumerated(tables, evidence, targets, do, scaled)
            np.testing.assert_allclose(found.probabilities, expected, rtol=1e-12)


def test_sampling_answers_the_same_questions(tables):
    exact = network(tables)
    sampled = network(tables).set_params(inference="sampling", n_draws=200_000)
    premises = {"do": {"c": 1}, "likelihood": {"d": [1, 2, 3]}}
    np.testing.assert_allclose(
        sampled.query({"b": 1}, "e", **premises).probabilities,
        exact.query({"b": 1}, "e", **premises).probabilities,
        atol=0.01,
    )


@pytest.mark.parametrize(
    ("premises", "message"),
    [
        ({"do": {"b": 7}}, "The do 7 is not a value of 'b'"),
        ({"do": {"x": 1}}, "Do names 'x', which is not a node"),
        ({"do": {"a": 1}}, "'a' is in evidence and in do"),
        ({"likelihood": {"b": [1, 2]}}, r"likelihood\['b'\] must hold 3 finite"),
        ({"likelihood": {"b": [1, 2, -1]}}, "finite numbers ≥ 0"),
        ({"likelihood": {"b": [1, 2, np.nan]}}, "finite numbers ≥ 0"),
        ({"likelihood": {"b": [1, 2, np.inf]}}, "finite numbers ≥ 0"),
        ({"likelihood": {"b": [0, 0, 0]}}, "is 0 for all values"),
        ({"likelihood": {"x": [1, 2]}}, "Likelihood names 'x'"),
        ({"likelihood": {"a": [1, 0]}}, "has probability 0"),
    ],
)
def test_impossible_premises_have_clear_errors(tables, premises, message):
    with pytest.raises(ValueError, match=message):
        network(tables).query({"a": 1}, "e", **premises)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda m: m.query(["b"], "e"), TypeError, "evidence must be a dictionary"),
        (lambda m: m.query(None, "e"), TypeError, "evidence must be a dictionary"),
        (lambda m: m.query({}, "e", do=["b"]), TypeError, "do must be a dictionary"),
        (
            lambda m: m.query({}, "e", likelihood=[1, 2]),
            TypeError,
            "likelihood must be a dictionary",
        ),
        (
            lambda m: m.query({}, "e", likelihood={"b": "xyz"}),
            ValueError,
            "3 finite numbers ≥ 0",
        ),
        (
            lambda m: m.query({}, "e", likelihood={"b": {0: 1, 1: 2, 2: 3}}),
            ValueError,
            "3 finite numbers ≥ 0",
        ),
        (
            lambda m: m.query({}, "e", do={"b": np.nan}),
            ValueError,
            "do={'b': nan} has a missing value",
        ),
        (
            lambda m: m.sensitivity({}, {"e": 1, "d": None}, {"a": 1}),
            ValueError,
            "event={'e': 1, 'd': None} has a missing value",
        ),
        (
            lambda m: m.explain_query({"b": 1}, "e", np.nan),
            ValueError,
            "must name one node and its value",
        ),
        (
            lambda m: m.sensitivity({}, {"e": 1}, {"a": None}),
            ValueError,
            "must name one node and its value",
        ),
        (
            lambda m: m.sensitivity({}, {"e": 1}, None),
            TypeError,
            "parameter must be a dictionary",
        ),
        (
            lambda m: m.sensitivity({}, [1], {"a": 1}),
            TypeError,
            "event must be a dictionary",
        ),
    ],
)
def test_questions_of_wrong_types_have_clear_errors(tables, ask, error, message):
    with pytest.raises(error, match=message):
        ask(network(tables))


def test_the_only_value_of_a_node_cannot_be_varied():
    model = BeliefNetwork.from_tables([], {"a": [1.0], "b": [0.5, 0.5]})
    with pytest.raises(ValueError, match="'a' has one value"):
        model.sensitivity({}, {"b": 1}, {"a": 0})
    assert model.query({"b": 1}, "a")[0] == 1
    assert model.query({}, "b", do={"a": 0}, likelihood={"a": [7]})[1] == 0.5


def test_a_node_may_have_evidence_and_a_likelihood(tables):
    model = network(tables)
    why = model.explain_query({"b": 1}, "a", 1, likelihood={"b": [1, 2, 3]})
    assert sorted(why.index) == ["b", "b"]
    seen = why.loc[why["value"].map(lambda value: isinstance(value, list)), "log odds"]
    np.testing.assert_allclose(seen, 0, atol=1e-12)  # b is known without it


def test_a_question_does_not_change_the_model(tables):
    model = network(tables)
    before = model.to_bif()
    model.query({"b": 1}, "e", do={"d": 0}, likelihood={"c": [1, 2]})
    model.sensitivity({"b": 1}, {"e": 1}, {"a": 1})
    assert model.to_bif() == before


def test_a_query_is_explained_by_leaving_out_each_piece(tables):
    model = network(tables)
    evidence, likelihood = {"b": 1, "e": 0, "c": None}, {"d": [1, 5, 2]}
    why = model.explain_query(evidence, "a", 1, likelihood=likelihood)
    assert sorted(why.index) == ["b", "c", "d", "e"]
    p = model.query(evidence, "a", likelihood=likelihood)[1]
    np.testing.assert_allclose(why["with"], p)
    for name in why.index:
        rest = {k: v for k, v in evidence.items() if k != name}
        soft = {k: v for k, v in likelihood.items() if k != name}
        without = model.query(rest, "a", likelihood=soft)[1]
        assert why.loc[name, "without"] == pytest.approx(without, rel=1e-12)
        odds = np.log(p / (1 - p)) - np.log(without / (1 - without))
        assert why.loc[name, "log odds"] == pytest.approx(odds, abs=1e-12)
    assert why.loc["c", "log odds"] == 0
    assert why["log odds"].abs().is_monotonic_decreasing


def test_the_most_probable_value_is_explained_by_default(tables):
    model = network(tables)
    most = int(np.argmax(model.query({"e": 1}, "d").probabilities))
    pd.testing.assert_frame_equal(
        model.explain_query({"e": 1}, "d"), model.explain_query({"e": 1}, "d", most)
    )
    assert len(model.explain_query({}, "d")) == 0
    with pytest.raises(ValueError, match="target='d' is observed"):
        model.explain_query({"d": 1}, "d")


def test_certain_evidence_is_explained_without_warnings():
    model = BeliefNetwork.from_tables([(0, 1), (0, 2)], {0: [0.5, 0.5], **TWINS})
    why = model.explain_query({1: 1, 2: 1}, 0)
    assert why["log odds"].tolist() == [0, 0]  # either of them suffices
    assert model.explain_query({1: 1}, 0)["log odds"].tolist() == [np.inf]


TWINS = {1: [[1.0, 0.0], [0.0, 1.0]], 2: [[1.0, 0.0], [0.0, 1.0]]}


@pytest.mark.parametrize(
    ("evidence", "event", "parameter", "given"),
    [
        ({"e": 1}, {"a": 1}, {"a": 0}, {}),
        ({"e": 0, "b": 1}, {"c": 1}, {"d": 2}, {"b": 1, "c": 0}),
        ({"c": 1}, {"a": 0, "d": 1}, {"b": 2}, {"a": 0}),
        ({}, {"e": 1}, {"c": 1}, {"a": 1}),
    ],
)
def test_sensitivity_equals_networks_with_other_tables(
    tables, evidence, event, parameter, given
):
    curve = network(tables).sensitivity(evidence, event, parameter, given)
    ((name, value),) = parameter.items()
    row = tuple(given[parent] for parent in parents_of(name))
    present = tables[name][row]
    assert curve.parameter == pytest.approx(present[value], rel=1e-12)

    def asked(theta):
        changed = np.array(tables[name])
        changed[row] *= (1 - theta) / (1 - present[value])
        changed[(*row, value)] = theta
        found = enumerated({**tables, name: changed}, evidence, list(event))
        return found[tuple(event.values())]

    for theta in (0.0, 0.3, 1.0):
        assert curve(theta) == pytest.approx(asked(theta), rel=1e-10)
    assert curve.probability == pytest.approx(asked(present[value]), rel=1e-10)
    step = 1e-6
    slope = (curve(curve.parameter + step) - curve(curve.parameter - step)) / (2 * step)
    assert curve.derivative == pytest.approx(slope, rel=1e-4, abs=1e-8)
    assert curve.parameter_for(curve(0.3)) == pytest.approx(0.3, rel=1e-8)
    assert np.isnan(curve.parameter_for(1.5))


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (({"a": 1}, {"a": 0}, {"b": 1}, {"a": 1}), "none that the evidence observes"),
        (({"a": 1}, {}, {"b": 1}, {"a": 1}), "must name nodes"),
        (({}, {"e": 1}, {"b": 1, "c": 1}, {"a": 1}), "must name one node"),
        (({}, {"e": 1}, {"b": 1}, None), r"a value of each parent of 'b': \['a'\]"),
        (({}, {"e": 1}, {"b": 1}, {"a": 1, "c": 1}), "a value of each parent"),
        (({}, {"e": 1}, {"b": 5}, {"a": 1}), "The parameter 5 is not a value"),
    ],
)
def test_sensitivity_needs_one_cell_of_a_table(tables, question, message):
    with pytest.raises(ValueError, match=message):
        network(tables).sensitivity(*question)


def test_the_markov_blanket_makes_a_node_independent(tables):
    model = network(tables)
    assert model.markov_blanket("b") == ["a", "c", "d"]
    for name in NAMES:
        blanket = model.markov_blanket(name)
        others = set(NAMES) - {name, *blanket}
        assert model.d_separated(name, sorted(others), blanket)


@pytest.fixture(scope="module")
def raw():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age in years": rng.uniform(20, 80, 400)})
    X["smokes"] = rng.random(400) < 0.3
    X["city"] = rng.choice(["Київ", 'the "old" town', "< 5"], 400)
    ill = rng.random(400) < np.where(X["smokes"], 0.6, 0.1) * (X["age in years"] / 80)
    return X, pd.Series(np.where(ill, "ill", "well"), name="state")


def test_a_classifier_answers_for_columns_and_class(raw):
    X, y = raw
    model = BeliefNetworkClassifier(calibration=None).fit(X, y)
    for row in ({"smokes": True}, {"age in years": 70, "city": "Київ"}, {}):
        frame = pd.DataFrame([row], index=[0]).reindex(columns=X.columns)
        found = model.query(row, "state")
        assert found.values[0].tolist() == model.classes_.tolist()
        np.testing.assert_allclose(
            found.probabilities, model.predict_proba(frame)[0], rtol=1e-9
        )
    young = model.query({"state": "ill", "age in years": 30}, "smokes")
    old = model.query({"state": "ill", "age in years": 75}, "smokes")
    assert young[True] != old[True]
    assert "state" in model.markov_blanket("smokes")
    with pytest.raises(ValueError, match="'healthy' is not a value of 'state'"):
        model.query({"state": "healthy"}, "smokes")
    assert model.query({"state": None}, "smokes")[True] == pytest.approx(
        model.query({}, "smokes")[True]
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.query({}, "a"),
        lambda m: m.explain_query({}, "a"),
        lambda m: m.sensitivity({}, {"a": 1}, {"b": 1}),
        lambda m: m.markov_blanket("a"),
        lambda m: m.to_cpdag(),
        lambda m: m.to_bif(),
        lambda m: m.to_pyagrum(),
        lambda m: m.to_pgmpy(),
        lambda m: m.arc_strengths([[1]]),
        lambda m: m.averaged_structure(None),
    ],
)
def test_questions_need_a_fitted_network(ask):
    with pytest.raises(NotFittedError):
        ask(BeliefNetwork())
    with pytest.raises(NotFittedError):
        ask(BeliefNetworkClassifier())
