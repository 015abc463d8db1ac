"""BeliefNetwork: queries, completions, draws and files, against the joint."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import BeliefNetwork
from sklearn_bayeslazy.belief_network._bif import write_bif
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from tests.helpers.belief_network_by_enumeration import (
    enumerate_rows,
    marginal_by_enumeration,
    random_network,
)


@pytest.fixture
def saved(tmp_path):
    """Return a random network, and the model that was read from its file."""
    network = random_network(np.random.default_rng(0), 6)
    values = [np.array(list(map(str, some)), dtype=object) for some in network.values]
    network = replace(network, values=tuple(values))
    path = tmp_path / "network.bif"
    path.write_text(write_bif(network), encoding="utf-8")
    return network, BeliefNetwork.from_bif(path)


def cells(network, codes):
    columns = [np.array([*map(str, values)], dtype=object) for values in network.values]
    out = np.stack([values[codes[:, j]] for j, values in enumerate(columns)], axis=1)
    out[codes < 0] = None
    return out


def test_queries_agree_with_the_joint(saved):
    network, model = saved
    found = model.query({"node 1": "1", "node 4": "0"}, ["node 3", "node 0"])
    row = np.full(6, -1)
    row[[1, 4]] = 1, 0
    joint = marginal_by_enumeration(network, row, [3, 0])
    np.testing.assert_allclose(found.probabilities, joint / joint.sum(), rtol=1e-12)
    assert found.names == ("node 3", "node 0")
    series = found.frame()
    assert np.isclose(series.loc[("1", "0")], found.probabilities[1, 0])
    alone = model.query({}, "node 2")
    assert np.isclose(alone.probabilities.sum(), 1.0)
    assert list(alone.frame().index) == list(alone.values[0])
    assert repr(alone).startswith("Distribution(0=0.")


def test_scores_and_completions_agree_with_the_joint(saved):
    network, model = saved
    codes = np.array(sample(network, 60, np.random.RandomState(0)))
    codes[np.random.default_rng(0).random(codes.shape) < 0.4] = -1
    X = cells(network, codes)
    frame = pd.DataFrame(X, columns=network.names)
    scores = model.score_samples(frame)
    for row, score in zip(codes, scores):
        np.testing.assert_allclose(
            np.exp(score), marginal_by_enumeration(network, row, []), rtol=1e-11
        )
    assert np.isclose(model.score(frame), scores.mean())
    rows, p = enumerate_rows(network)
    filled = model.most_probable_explanation(frame)
    for row, given, here in zip(codes, X, filled):
        known = row >= 0
        assert np.all(here[known] == given[known])
        filled_p = p[(cells(network, rows) == here).all(axis=1)]
        best = p[((rows == row) | (row < 0)).all(axis=1)].max()
        np.testing.assert_allclose(filled_p, best, rtol=1e-12)


@pytest.mark.parametrize(
    ("evidence", "targets", "message"),
    [
        ({"node 9": "1"}, "node 0", "Evidence names 'node 9'"),
        ({"node 1": "7"}, "node 0", "'7' is not a value of 'node 1'"),
        ({}, "rain", "Targets names 'rain'"),
        ({}, ["node 1", "node 1"], "names a node twice"),
    ],
)
def test_invalid_queries_raise_clear_errors(saved, evidence, targets, message):
    with pytest.raises(ValueError, match=message):
        saved[1].query(evidence, targets)


def test_impossible_evidence_raises_an_error():
    X = [["a", "x"], ["b", "y"]] * 5
    model = BeliefNetwork([(0, 1)], m=0).fit(X)
    with pytest.raises(ValueError, match="has probability 0"):
        model.query({0: "a", 1: "y"}, 0)


def test_draws_follow_the_tables(saved):
    network, model = saved
    drawn = model.sample(4000, random_state=0)
    again = BeliefNetwork(network.arcs(), m=0).fit(
        pd.DataFrame(drawn).set_axis(network.names, axis=1)
    )
    for node in range(6):
        table, true = again.network_.tables[node], network.tables[node]
        counts = again._counts.families[node].sum(axis=-1, keepdims=True)
        error = np.sqrt(true * (1 - true) / np.maximum(counts, 1))
        assert np.all((np.abs(table - true) < 6 * error + 1e-12) | (counts == 0))


def test_a_network_from_a_file_cannot_learn_more(saved):
    _, model = saved
    X = model.sample(5, random_state=0)
    with pytest.raises(ValueError, match="no counts"):
        model.partial_fit(pd.DataFrame(X).set_axis(model.feature_names_in_, axis=1))
    with pytest.raises(ValueError, match="no counts"):
        model.merge(model)


def test_files_are_read_as_they_were_written(saved, tmp_path):
    network, model = saved
    text = model.to_bif(tmp_path / "again.bif")
    again = BeliefNetwork.from_bif(tmp_path / "again.bif")
    assert again.structure_ == model.structure_ == network.arcs()
    assert again.to_bif() == text
    assert pickle.loads(pickle.dumps(again)).to_bif() == text


def test_numbers_in_evidence_stand_for_their_bins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    frame = pd.DataFrame({"x": x, "sign": np.where(x > 0, "plus", "minus")})
    model = BeliefNetwork(n_bins=4).fit(frame)
    assert len(model.structure_) == 1
    assert model.query({"x": 1.3}, "sign").probabilities[1] > 0.99
    assert model.query({"x": 1.3, "sign": None}, "sign").probabilities[1] > 0.99
    middle = model.query({"sign": "plus"}, "x").frame()
    assert middle.iloc[:2].sum() < 0.01
    filled = model.most_probable_explanation(
        pd.DataFrame({"x": [np.nan, 0.1], "sign": ["minus", None]})
    )
    assert filled[0, 0] == middle.index[0] or filled[0, 0] == middle.index[1]
    assert filled[1].tolist() == [0.1, "plus"]


@pytest.mark.parametrize("structure", ["chow_liu", "k2", "hill_climbing"])
def test_weights_equal_repetition_and_batches_equal_one_fit(structure):
    network = random_network(np.random.default_rng(2), 5)
    X = cells(network, sample(network, 200, np.random.RandomState(0)))
    weight = np.random.default_rng(0).integers(0, 3, 200)
    weighted = BeliefNetwork(structure).fit(X, sample_weight=weight)
    repeated = BeliefNetwork(structure).fit(np.repeat(X, weight, axis=0))
    assert weighted.structure_ == repeated.structure_
    np.testing.assert_allclose(
        weighted.score_samples(X), repeated.score_samples(X), rtol=1e-12
    )
    arcs = [tuple(map(int, arc)) for arc in weighted.structure_]
    whole = BeliefNetwork(arcs).fit(X)
    parts = BeliefNetwork(arcs).partial_fit(X[:20]).partial_fit(X[20:120])
    parts.merge(BeliefNetwork(arcs).fit(X[120:]))
    np.testing.assert_array_equal(whole.score_samples(X), parts.score_samples(X))


def test_d_separation_by_name(saved):
    network, model = saved
    child = next(node for node, parents in enumerate(network.parents) if parents)
    parent = network.parents[child][0]
    assert not model.d_separated(f"node {child}", f"node {parent}")
    with pytest.raises(ValueError, match="Given names 'x'"):
        model.d_separated("node 0", "node 1", "x")


def test_sample_accepts_zero_rows_and_rejects_negative_numbers(saved):
    assert saved[1].sample(0).shape == (0, 6)
    with pytest.raises(ValueError, match="n_samples must be an integer"):
        saved[1].sample(-1)


def test_empty_columns_and_extreme_numbers_are_accepted():
    X = np.full((6, 3), np.nan)
    np.testing.assert_array_equal(BeliefNetwork().fit(X).score_samples(X), 0.0)
    X = np.array([[1e300, -1e300], [1e-300, 0.0], [-1e300, 1e300]] * 9)
    assert np.isfinite(BeliefNetwork().fit(X).score_samples(X)).all()
    with pytest.raises(ValueError, match="infinity in column '1'"):
        BeliefNetwork().fit([[0.0, np.inf]])


def test_posteriors_of_rows_equal_queries(saved):
    network, model = saved
    codes = np.array(sample(network, 20, np.random.RandomState(1)))
    codes[np.random.default_rng(1).random(codes.shape) < 0.5] = -1
    codes[:, [2, 5]] = -1
    frame = pd.DataFrame(cells(network, codes), columns=network.names)
    found = model.posterior(frame, ["node 5", "node 2"])
    for (_, row), share in zip(frame.iterrows(), found):
        answer = model.query(row.dropna().to_dict(), ["node 5", "node 2"])
        np.testing.assert_allclose(share, answer.probabilities, rtol=1e-12)
    alone = model.posterior(frame, "node 2")
    np.testing.assert_allclose(alone, found.sum(axis=1), rtol=1e-12)


def test_posterior_of_observed_targets_and_of_impossible_rows():
    X = np.array([["a", "x"], ["b", "y"]] * 3, dtype=object)
    model = BeliefNetwork([(0, 1)], m=0).fit(X)
    found = model.posterior([["a", "x"], ["a", "y"]], 0)
    np.testing.assert_array_equal(found, [[1.0, 0.0], [np.nan, np.nan]])


def test_missing_categories_are_imputed_by_the_likeliest_value(saved):
    network, model = saved
    codes = np.array(sample(network, 80, np.random.RandomState(2)))
    codes[np.random.default_rng(2).random(codes.shape) < 0.4] = -1
    X = cells(network, codes)
    frame = pd.DataFrame(X, columns=network.names)
    found = model.impute(frame)
    known = codes >= 0
    assert np.all(found[known] == X[known])
    for node in range(6):
        is_missing = ~known[:, node]
        share = np.array(
            [marginal_by_enumeration(network, row, [node]) for row in codes[is_missing]]
        )
        best = np.asarray(network.values[node])[share.argmax(axis=1)]
        assert found[is_missing, node].tolist() == [*map(str, best)]


def test_missing_numbers_are_imputed_by_their_expectation():
    """Two rows with a are in a bin with mean 1, six in a bin with mean 6."""
    x = np.array([0.0, 2.0, 5, 5, 6, 6, 7, 7, 0.5, 1.5, 0, 2])
    kind = np.array(["a"] * 8 + ["b"] * 4, dtype=object)
    frame = pd.DataFrame({"x": x, "kind": kind})
    model = BeliefNetwork([("kind", "x")], m=0, n_bins=2, binning="uniform").fit(frame)
    assert [edges is None for edges in model.bin_edges_] == [False, True]
    rows = pd.DataFrame({"x": [np.nan, np.nan, 4.0], "kind": ["a", "b", None]})
    found = model.impute(rows)
    assert found.dtype == object
    assert found[:, 0].tolist() == [0.25 * 1.0 + 0.75 * 6.0, 1.0, 4.0]
    assert found[2, 1] == "a"  # all rows in the bin above 3.5 are a


@pytest.mark.parametrize("merged", [False, True])
def test_means_of_bins_add_up(merged):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) * [1.0, 1e300]
    weight = np.concatenate([np.ones(100, dtype=int), rng.integers(0, 3, 200)])
    model = BeliefNetwork([(0, 1)]).fit(X[:100])
    whole = pickle.loads(pickle.dumps(model))
    whole.partial_fit(X[100:], sample_weight=weight[100:])
    if merged:
        whole.merge(model)
        weight[:100] = 2
    rows = np.repeat(X, weight, axis=0)
    found = whole.impute([[np.nan, np.nan]])
    assert found.dtype == np.float64
    for j, edges in enumerate(whole.bin_edges_):
        bins = np.searchsorted(edges, rows[:, j], side="right")
        scale = np.abs(rows[:, j]).max()
        means = [scale * (rows[bins == b, j] / scale).mean() for b in range(5)]
        share = whole.query({}, j).probabilities
        np.testing.assert_allclose(found[0, j], np.dot(share, means), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", object])
def test_nullable_numbers_of_pandas_are_imputed(dtype):
    frame = pd.DataFrame({"a": [1, None, 3, 2], "b": [1, 2, None, 2]}, dtype="Int64")
    plain = frame.astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    model = BeliefNetwork([("a", "b")]).fit(frame)
    expected = model.impute(pd.DataFrame(plain, columns=["a", "b"]))
    assert not np.isnan(expected).any()
    np.testing.assert_array_equal(model.impute(frame.astype(dtype)), expected)


def test_missing_evidence_equals_no_evidence(saved):
    _, model = saved
    expected = model.query({"node 1": "1"}, "node 0").probabilities
    for nothing in (None, np.nan, pd.NA):
        found = model.query({"node 1": "1", "node 2": nothing}, "node 0")
        np.testing.assert_array_equal(found.probabilities, expected)


def test_a_distribution_is_indexed_by_values(saved):
    _, model = saved
    joint = model.query({}, ["node 0", "node 1"])
    assert joint["0", "1"] == joint.probabilities[0, 1]
    assert model.query({}, "node 0")["1"] == pytest.approx(joint.probabilities[1].sum())
    with pytest.raises(KeyError, match="'7' is not a value of 'node 1'"):
        joint["0", "7"]
    with pytest.raises(KeyError, match="a value of each of"):
        joint["0"]
    with pytest.raises(TypeError):
        "0" in joint  # noqa: B015


def test_cells_that_cannot_be_imputed_stay_missing():
    X = np.array([["a", "x", None], ["b", "y", None]] * 3, dtype=object)
    model = BeliefNetwork([(0, 1)], m=0).fit(X)
    found = model.impute(np.array([["a", "y", None], ["a", None, None]], dtype=object))
    assert found.tolist() == [["a", "y", None], ["a", "x", None]]
    unseen = np.array([["new", None, None]], dtype=object)
    assert model.impute(unseen)[0, 0] == "new"
    assert model.most_probable_explanation(unseen)[0, 0] == "new"


def test_to_networkx_keeps_graph_and_tables(saved):
    network, model = saved
    graph = model.to_networkx()
    assert list(graph) == list(network.names)
    assert set(graph.edges) == set(network.arcs())
    for node, name in enumerate(network.names):
        parents = [network.names[parent] for parent in network.parents[node]]
        assert graph.nodes[name]["parents"] == parents
        np.testing.assert_array_equal(
            graph.nodes[name]["table"], model.network_.tables[node]
        )


def test_sampling_estimates_the_exact_answers(saved):
    network, model = saved
    X = model.sample(30, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = None
    frame = pd.DataFrame(X, columns=network.names)
    exact = model.posterior(frame, "node 3"), model.score_samples(frame)
    model.set_params(inference="sampling", n_draws=20_000)
    found = model.posterior(frame, "node 3"), model.score_samples(frame)
    np.testing.assert_allclose(found[0], exact[0], atol=0.1)
    np.testing.assert_allclose(found[1], exact[1], atol=0.2)
    np.testing.assert_array_equal(model.posterior(frame[4:9], "node 3"), found[0][4:9])
    assert not pd.isna(model.impute(frame)).any()
    complete = pd.DataFrame(model.sample(9, random_state=1), columns=network.names)
    sampled = model.score_samples(complete)
    model.set_params(inference="exact")
    np.testing.assert_allclose(sampled, model.score_samples(complete), rtol=1e-12)


def wide(n_nodes=40, n_rows=300):
    """Return rows and arcs whose junction tree is too large."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (n_rows, n_nodes)).astype(str).astype(object)
    arcs = [
        (int(parent), child)
        for child in range(4, n_nodes)
        for parent in rng.choice(child, 3, replace=False)
    ]
    return X, arcs


def test_intractable_queries_raise_errors_and_can_be_sampled():
    X, arcs = wide()
    model = BeliefNetwork(arcs, random_state=0).fit(X)
    rows = np.full((2, 40), None, dtype=object)
    rows[:, 30:] = "1"
    with pytest.raises(ValueError, match=r"factor of .* cells .* inference='sampling'"):
        model.posterior(rows, [0, 1, 2])
    with pytest.raises(ValueError, match="inference='sampling'"):
        model.impute(rows)
    with pytest.raises(ValueError, match="missing='available'"):
        BeliefNetwork(arcs, missing="expected").fit(np.where(X == "0", None, X))
    rows[:, 3:] = "1"  # no large factor now, though the junction tree is too large
    assert not pd.isna(model.impute(rows)).any()
    model.set_params(inference="sampling")
    assert not pd.isna(model.impute(rows)).any()
    share = model.posterior(rows, [0, 1, 2])
    np.testing.assert_allclose(share.sum(axis=(1, 2, 3)), 1.0)


def test_required_arcs_may_need_a_table_that_a_search_would_skip():
    """110 · 110 · 110 cells; the search goes on among the other columns."""
    rng = np.random.default_rng(0)
    many = rng.integers(0, 110, (400, 3))
    many[:110] = np.arange(110)[:, None]
    coin = rng.integers(0, 2, 400)
    X = np.column_stack([many, coin, coin]).astype(str).astype(object)
    model = BeliefNetwork(required_arcs=[(0, 2), (1, 2)]).fit(X)
    arcs = set(model.structure_)
    assert {("0", "2"), ("1", "2")} <= arcs
    assert {("3", "4"), ("4", "3")} & arcs
