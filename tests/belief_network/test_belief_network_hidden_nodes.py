"""Hidden nodes and expected counts through the estimators' parameters."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from tests.helpers.belief_network_by_enumeration import random_network

ARCS = [("kind", column) for column in range(6)]


def two_kinds(n_rows=3000, seed=0):
    """Return rows of six columns that a hidden kind decides, and the kind of each."""
    rng = np.random.default_rng(seed)
    kind = (rng.random(n_rows) < 0.3).astype(int)
    high = rng.random((n_rows, 6)) < np.where(kind, 0.85, 0.15)[:, None]
    return np.where(high, "high", "low").astype(object), kind


@pytest.mark.parametrize("learner", ["em", "gradient"])
def test_a_hidden_kind_is_recovered(learner):
    X, kind = two_kinds()
    model = BeliefNetwork(
        ARCS, hidden={"kind": 2}, hidden_learner=learner, random_state=0
    ).fit(X)
    network = model.network_
    assert network.names[-1] == "kind"
    np.testing.assert_allclose(network.tables[6], [0.7, 0.3], atol=0.05)
    for table in network.tables[:6]:  # P(high, low | kind), the likelier kind first
        np.testing.assert_allclose(table, [[0.15, 0.85], [0.85, 0.15]], atol=0.06)
    share = model.posterior(X, "kind")
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    assert np.mean(share.argmax(axis=1) == kind) > 0.9
    assert model.converged_
    assert model.n_iter_ == len(model.objective_history_) - 1
    assert np.all(np.diff(model.objective_history_) >= -1e-6)
    answer = model.query({"kind": 1}, 0).probabilities
    np.testing.assert_allclose(answer, network.tables[0][1], rtol=1e-14)
    assert model.sample(3, random_state=0).shape == (3, 6)
    assert model.most_probable_explanation(X[:2]).tolist() == X[:2].tolist()


def test_em_and_gradient_ascent_learn_the_same_tables():
    X, _ = two_kinds(800)
    options = {"hidden": {"kind": 2}, "random_state": 0, "max_iter": 2000}
    by_em = BeliefNetwork(ARCS, hidden_learner="em", tol=1e-12, **options).fit(X)
    by_gradient = BeliefNetwork(
        ARCS, hidden_learner="gradient", tol=1e-14, **options
    ).fit(X)
    for table, other_table in zip(by_em.network_.tables, by_gradient.network_.tables):
        np.testing.assert_allclose(table, other_table, atol=1e-3)


def test_gradient_ascent_goes_on_after_a_poor_step():
    """From one of these starts, a single run of L-BFGS ends far below the others."""
    rng = np.random.default_rng(0)
    kind = (rng.random(2000) < 0.35).astype(int)
    X = rng.random((2000, 8)) < np.where(kind, 0.75, 0.25)[:, None]
    arcs = [("kind", column) for column in range(8)]
    options = {"hidden": {"kind": 2}, "n_init": 1, "hidden_learner": "gradient"}
    for seed in range(4):
        model = BeliefNetwork(arcs, random_state=seed, **options).fit(X)
        assert model.converged_
        assert model.objective_history_[-1] > -9999  # the local optimum is at -9998.5


def test_a_class_predicted_through_a_hidden_node():
    X, kind = two_kinds()
    flipped = np.where(np.random.default_rng(1).random(len(kind)) < 0.1, 1 - kind, kind)
    y = np.array(["no", "yes"])[flipped]
    model = BeliefNetworkClassifier(
        [("class", "kind"), *ARCS], hidden={"kind": 2}, random_state=0
    ).fit(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) > 0.83  # at most .9 is possible
    X[2500:, :3] = None
    assert model.score(X[2500:], y[2500:]) > 0.75


def test_the_model_does_not_depend_on_jobs_and_row_order():
    X, _ = two_kinds(500)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = None
    options = {"hidden": {"kind": 2}, "random_state": 3}
    one = BeliefNetwork(ARCS, **options).fit(X)
    for other in (
        BeliefNetwork(ARCS, n_jobs=2, **options).fit(X),
        BeliefNetwork(ARCS, **options).fit(X[::-1]),
    ):
        for table, other_table in zip(one.network_.tables, other.network_.tables):
            np.testing.assert_array_equal(table, other_table)


@pytest.mark.parametrize("learner", ["em", "gradient"])
def test_hidden_nodes_with_integer_weights_equal_repetition(learner):
    X, _ = two_kinds(150)
    X[::4, 2] = None
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    options = {"hidden": {"kind": 2}, "hidden_learner": learner, "random_state": 0}
    weighted = BeliefNetwork(ARCS, **options).fit(X, sample_weight=weight)
    repeated = BeliefNetwork(ARCS, **options).fit(np.repeat(X, weight, axis=0))
    for table, other_table in zip(weighted.network_.tables, repeated.network_.tables):
        np.testing.assert_allclose(table, other_table, rtol=1e-12)


def table_with_missing_cells(seed):
    """Return a network, rows drawn from it, and which cells are to be missing."""
    network = random_network(np.random.default_rng(seed), 7)
    codes = sample(network, 3000, np.random.RandomState(seed))
    X = np.array(list("abc"), dtype=object)[codes]
    is_missing = np.random.default_rng(seed).random(X.shape) < 0.2
    names = [str(column) for column in range(7)]
    return network, pd.DataFrame(X, columns=names), is_missing


@pytest.mark.parametrize("learner", ["em", "gradient"])
def test_expected_counts_err_less_than_dropped_rows_and_modes(learner):
    """A fifth of the cells is missing; tables are compared with the true ones."""
    network, X, is_missing = table_with_missing_cells(7)
    arcs = [tuple(name.removeprefix("node ") for name in arc) for arc in network.arcs()]
    Z = X.mask(is_missing)

    def error(table, **options):
        model = BeliefNetwork(arcs, hidden_learner=learner, **options).fit(table)
        pairs = zip(model.network_.tables, network.tables)
        return np.mean([np.abs(learned - true).mean() for learned, true in pairs])

    found = error(Z, missing="expected")
    assert found < error(Z.dropna())
    assert found < error(Z.fillna(Z.mode().iloc[0]))


def test_expected_counts_are_unbiased_where_missingness_depends_on_observed_cells():
    """Available counts of b come from the rows that show b, most with a = 1."""
    rng = np.random.default_rng(0)
    a = rng.random(8000) < 0.5
    b = (rng.random(8000) < np.where(a, 0.9, 0.1)).astype(object)
    b[rng.random(8000) < np.where(a, 0.1, 0.9)] = None
    X = np.column_stack([a.astype(object), b])
    arcs = [(1, 0)]  # the wrong way round, so that P(b) is a table
    available = BeliefNetwork(arcs).fit(X).network_.tables[1][1]
    expected = BeliefNetwork(arcs, missing="expected").fit(X).network_.tables[1][1]
    assert available > 0.75  # .1 · .1 + .9 · .9 of 1 / 2: .82
    assert abs(expected - 0.5) < 0.04


def test_expected_counts_of_complete_rows_are_their_counts():
    X, _ = two_kinds(300)
    arcs = [(0, 1), (1, 2)]
    counted = BeliefNetwork(arcs).fit(X)
    expected = BeliefNetwork(arcs, missing="expected").fit(X)
    for table, other_table in zip(counted.network_.tables, expected.network_.tables):
        np.testing.assert_allclose(table, other_table, rtol=1e-12)
    assert expected.n_iter_ == 1


def test_a_fit_without_hidden_nodes_forgets_the_former_history():
    X, _ = two_kinds(60)
    model = BeliefNetwork(ARCS, hidden={"kind": 2}, random_state=0).fit(X)
    model.set_params(structure=[(0, 1)], hidden=None).fit(X)
    assert not hasattr(model, "objective_history_")
    assert model.n_iter_ == 1
    assert model.partial_fit(X).structure_ == [("0", "1")]


def test_too_few_steps_raise_a_warning():
    X, _ = two_kinds(300)
    model = BeliefNetwork(ARCS, hidden={"kind": 2}, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(X)
    assert not model.converged_


@pytest.mark.parametrize("learner", ["em", "gradient"])
def test_verbose_prints_the_steps(capsys, learner):
    X, _ = two_kinds(100)
    BeliefNetwork(
        ARCS,
        hidden={"kind": 2},
        hidden_learner=learner,
        n_init=2,
        random_state=0,
        verbose=1,
    ).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{learner}, start 2: -") for line in lines)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"structure": "hill_climbing"}, "needs the arcs"),
        ({"structure": [("0", "1")]}, "has no arc in structure"),
        ({"hidden": {"0": 2}}, "is a column, the class, or listed twice"),
        ({"hidden": {"kind": 2, 3: 2, "3": 2}}, "is a column"),
        ({"hidden": {"kind": 2, 9: 2, "9": 2}}, "listed twice"),
        ({"hidden": {"kind": 1}}, "number of its values, ≥ 2, got 1"),
        ({"hidden": {"kind": 2.5}}, "≥ 2, got 2.5"),
        ({"hidden": ["kind"]}, "'hidden' parameter"),
        ({"missing": "em"}, "'missing' parameter"),
        ({"tol": -1.0}, "'tol' parameter"),
    ],
)
def test_invalid_parameters_of_hidden_nodes_are_named(parameters, message):
    X, _ = two_kinds(20)
    with pytest.raises(ValueError, match=message):
        BeliefNetwork(**{"structure": ARCS, "hidden": {"kind": 2}} | parameters).fit(X)


def test_batches_and_merging_need_counts():
    X, _ = two_kinds(50)
    counted = BeliefNetwork([(0, 1)]).fit(X)
    for options in ({"missing": "expected"}, {"hidden": {"kind": 2}}):
        arcs = ARCS if "hidden" in options else [(0, 1)]
        model = BeliefNetwork(arcs, random_state=0, **options).fit(X)
        assert not hasattr(model, "partial_fit")
        with pytest.raises(ValueError, match="all rows at once"):
            model.partial_fit(X)
        with pytest.raises(ValueError, match="other cannot be merged"):
            counted.merge(model)
        model.set_params(missing="available", hidden=None)
        with pytest.raises(ValueError, match="no counts"):
            model.merge(counted)


def test_a_failed_fit_leaves_the_model_unchanged():
    X, _ = two_kinds(60)
    model = BeliefNetwork(ARCS, hidden={"kind": 2}, random_state=0).fit(X)
    before = model.score_samples(X)
    model.set_params(hidden={"other": 2})
    with pytest.raises(ValueError, match="'kind', which is not a node"):
        model.fit(X)
    np.testing.assert_array_equal(model.score_samples(X), before)


@pytest.mark.parametrize("value", [2, -1, "1", 0.5])
def test_a_hidden_node_has_no_other_values(value):
    X, _ = two_kinds(60)
    model = BeliefNetwork(ARCS, hidden={"kind": 2}, random_state=0).fit(X)
    with pytest.raises(ValueError, match="is not a value of 'kind'"):
        model.query({"kind": value}, "0")
