"""The leave-one-out score against a refit without each row.

Code under test: `belief_network/_structure/_left_out_score.py`,
`belief_network/_structure/_left_out_score_kernels.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._counts import (
    CodedRows,
    count_families,
    count_marginals,
)
from sklearn_bayeslazy.belief_network._inference._elimination import log_joint
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._network import Network
from sklearn_bayeslazy.belief_network._structure import _left_out_score
from sklearn_bayeslazy.belief_network._structure._left_out_score import LeaveOneOutScore
from sklearn_bayeslazy.belief_network._tables import Smoothing, TableCounts
from sklearn_bayeslazy.leave_one_out._choice import MAX_LOG_LOSS
from tests.helpers.belief_network_by_enumeration import random_network

TARGET = 3


def drawn(seed, n_rows=40, missing=0.0):
    """Return rows of six nodes, without missing classes, and a graph to be scored."""
    rng = np.random.default_rng(seed)
    codes = sample(random_network(rng, 6), n_rows, np.random.RandomState(seed))
    codes[rng.random(codes.shape) < missing] = -1
    codes[:, TARGET] = rng.permutation(np.arange(n_rows) % 3)
    sizes = [int(column.max()) + 1 for column in codes.T]
    weight = rng.choice([0.4, 1.0, 2.0, 3.0], n_rows)
    rows = CodedRows.of(codes, weight, tuple("abcdef"), tuple(max(k, 1) for k in sizes))
    return rows, random_network(np.random.default_rng(seed + 100), 6).parents


def score_by_refits(rows, parents, m, prior):
    """Return Σ w ln P(class | row), each row left out of the counts in turn.

    A family with a missing value is skipped for that row.
    """
    total = 0.0
    for i, codes in enumerate(rows.codes.T):
        weight = rows.weight.copy()
        weight[i] = 0.0
        left = CodedRows.of(rows.codes.T, weight, rows.names, rows.sizes)
        families, marginals = count_families(left, parents), count_marginals(left)
        counts = TableCounts(families, marginals, [])
        tables = counts.tables(Smoothing(m, prior), [None] * len(parents))
        joint = np.ones(rows.sizes[TARGET])
        for node, table in enumerate(tables):
            family = [*parents[node], node]
            if TARGET not in family or (codes[family] < 0).any():
                continue
            for c in range(len(joint)):
                cell = [c if other == TARGET else codes[other] for other in family]
                joint[c] *= table[tuple(cell)]
        if not joint.any():
            joint = rows.count((TARGET,))
        with np.errstate(divide="ignore"):
            share = np.log(joint[codes[TARGET]] / joint.sum())
        total += rows.weight[i] * max(share, -MAX_LOG_LOSS)
    return total


@pytest.mark.parametrize("prior", ["uniform", "marginal", "bdeu"])
@pytest.mark.parametrize("m", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_score_equals_that_of_refits(m, prior, missing):
    for seed in range(4):
        rows, parents = drawn(seed, missing=missing)
        found = LeaveOneOutScore(rows, TARGET, m, prior).total(parents)
        expected = score_by_refits(rows, parents, m, prior)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_score_of_complete_rows_agrees_with_the_joint():
    rows, parents = drawn(1)
    values = [np.arange(size) for size in rows.sizes]
    total = 0.0
    for i, codes in enumerate(rows.codes.T):
        weight = rows.weight.copy()
        weight[i] = 0.0
        left = CodedRows.of(rows.codes.T, weight, rows.names, rows.sizes)
        counts = count_families(left, parents)
        counts = TableCounts(counts, [None] * 6, [])
        tables = counts.tables(Smoothing(1.0), [None] * 6)
        network = Network(rows.names, values, parents, tables)
        with_class = np.repeat(codes[None], rows.sizes[TARGET], axis=0)
        with_class[:, TARGET] = np.arange(len(with_class))
        joint = log_joint(network, with_class)
        share = joint[codes[TARGET]] - np.logaddexp.reduce(joint)
        total += rows.weight[i] * share
    found = LeaveOneOutScore(rows, TARGET, 1.0, "uniform").total(parents)
    np.testing.assert_allclose(found, total, rtol=1e-10)


def assert_gain(gain, difference):
    """Compare a gain with the difference of two totals; -inf means no effect at all."""
    np.testing.assert_allclose(0.0 if gain == -np.inf else gain, difference, atol=1e-9)


@pytest.mark.parametrize("prior", ["uniform", "bdeu", "marginal"])
@pytest.mark.parametrize("seed", range(5))
def test_gains_equal_differences_of_totals(seed, prior):
    rows, parents = drawn(seed, missing=0.1)
    scores = LeaveOneOutScore(rows, TARGET, 1.0, prior)
    before = scores.total(parents)
    node = next(node for node in range(6) if len(parents[node]) > 1)
    fewer, other = parents[node][1:], parents[node][0]
    changed = list(parents)
    changed[node] = fewer
    gain = scores.gain({node: fewer})
    assert_gain(gain, scores.total(changed) - before)
    reversed_arc = [*changed]
    reversed_arc[other] = tuple(sorted((*parents[other], node)))
    scores.set_graph(parents)
    gain = scores.gain({node: fewer, other: reversed_arc[other]})
    assert_gain(gain, scores.total(reversed_arc) - before)


@pytest.mark.parametrize("m", [0.0, 1.0])
@pytest.mark.parametrize("prior", ["uniform", "bdeu", "marginal"])
def test_gains_of_further_parents_equal_differences_of_totals(m, prior):
    """Also with weights all alike, which estimates each cell once, and with m = 0."""
    n_scored = 0
    for seed in range(6):
        rows, parents = drawn(seed, n_rows=150, missing=0.1)
        if seed % 2:
            rows = CodedRows.of(rows.codes.T, np.full(150, 2.0), rows.names, rows.sizes)
        scores = LeaveOneOutScore(rows, TARGET, m, prior)
        before = scores.total(parents)
        for child in range(6):
            scores.set_graph(parents)
            free = ~np.isin(np.arange(6), (child, *parents[child]))
            nodes = np.flatnonzero(scores.can_add(child) & free)
            gains = scores.gains_of_parents(child, nodes)
            n_scored += len(nodes)
            for node, gain in zip(nodes, gains):
                changed = list(parents)
                changed[child] = tuple(sorted((*parents[child], int(node))))
                assert_gain(gain, scores.total(changed) - before)
    assert n_scored > 30


def test_arcs_that_do_not_affect_the_class_have_a_gain_of_minus_infinity():
    rows, _ = drawn(0)
    scores = LeaveOneOutScore(rows, TARGET, 1.0, "uniform")
    scores.set_graph([()] * 6)
    assert scores.can_add(0).tolist() == [node == TARGET for node in range(6)]
    assert scores.gain({0: (1,)}) == -np.inf
    assert scores.gain({0: (TARGET,)}) > -np.inf


@pytest.mark.parametrize("m", [0.0, 1.0])
def test_arcs_of_a_column_of_one_value_have_a_gain_of_minus_infinity(m):
    """They leave all totals as they are, so a search must not spend moves on them."""
    rows, _ = drawn(0)
    codes = rows.codes.copy()
    codes[1] = 0
    sizes = (rows.sizes[0], 1, *rows.sizes[2:])
    rows = CodedRows.of(codes.T, rows.weight, rows.names, sizes)
    scores = LeaveOneOutScore(rows, TARGET, m, "uniform")
    without = [(TARGET,), (), (TARGET,), (), (), ()]
    as_child = [(TARGET,), (TARGET,), (TARGET,), (), (), ()]
    as_parent = [(1, TARGET), (), (TARGET,), (), (), ()]
    total = scores.total(without)
    np.testing.assert_allclose(scores.total(as_child), total, rtol=1e-12)
    assert scores.gain({1: ()}) == -np.inf
    np.testing.assert_allclose(scores.total(as_parent), total, rtol=1e-12)
    assert scores.gain({0: (TARGET,)}) == -np.inf
    scores.set_graph(without)
    assert scores.gain({1: (TARGET,)}) == scores.gain({0: (1, TARGET)}) == -np.inf
    assert not scores.can_add(1).any()
    assert scores.can_add(0).tolist() == [True, False, True, True, True, True]


def test_a_random_subset_of_rows_is_left_out():
    rows, parents = drawn(0, n_rows=200)
    rng = np.random.RandomState(0)
    subset = LeaveOneOutScore(rows, TARGET, 1.0, "uniform", 50, rng)
    assert subset.n_left_out == 50
    assert subset.total(parents) > LeaveOneOutScore(rows, TARGET, 1.0, "uniform").total(
        parents
    )  # fewer logarithms, each at most 0


def dependent_columns(n_rows=1500):
    """Return columns that depend on each other more than on the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    common = rng.integers(0, 3, n_rows)
    X = np.stack(
        [
            *(np.where(rng.random(n_rows) < 0.9, common, 0) for _ in range(5)),
            np.where(rng.random(n_rows) < 0.75, y, 1 - y),
            np.where(rng.random(n_rows) < 0.7, y, 1 - y),
        ],
        axis=1,
    )
    return X.astype(str).astype(object), y


@pytest.mark.parametrize("structure", ["hill_climbing", "k2"])
def test_the_search_finds_arcs_of_the_class(structure):
    X, y = dependent_columns()
    model = BeliefNetworkClassifier(structure, structure_score="loo").fit(X, y)
    about_class = {arc for arc in model.structure_ if "class" in arc}
    assert {name for arc in about_class for name in arc} >= {"5", "6"}
    by_bdeu = BeliefNetworkClassifier(structure).fit(X, y)
    assert len(model.structure_) <= len(by_bdeu.structure_)
    # Copies are left out together only if a column holds numbers.
    rng = np.random.default_rng(1)
    X = np.hstack([X, rng.normal(size=(len(y), 1)).astype(object)])
    weight = rng.integers(0, 3, len(y))
    options = {"structure_score": "loo", "loo_max_samples": None}
    weighted = BeliefNetworkClassifier(structure, **options).fit(X, y, weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = BeliefNetworkClassifier(structure, **options).fit(X[rows], y[rows])
    assert weighted.structure_ == repeated.structure_


@pytest.mark.parametrize("structure", ["hill_climbing", "k2"])
def test_the_graph_does_not_depend_on_threads_or_the_order_of_rows(
    structure, monkeypatch
):
    """Two equal columns tie; fractions as weights make sums depend on their order."""
    monkeypatch.setattr(_left_out_score, "MIN_WEIGHTS_FOR_THREADS", 0)
    monkeypatch.setattr(_left_out_score, "NODES_PER_TASK", 2)
    X, y = dependent_columns(600)
    X = np.column_stack([X, X[:, 5]])
    rng = np.random.default_rng(0)
    weight = rng.choice([0.1, 0.3, 0.7, 1.0], len(y))
    graphs = []
    for n_jobs in (1, 3):
        for rows in (np.arange(len(y)), rng.permutation(len(y))):
            model = BeliefNetworkClassifier(
                structure, structure_score="loo", n_jobs=n_jobs
            )
            graphs.append(model.fit(X[rows], y[rows], weight[rows]).structure_)
    assert len(graphs[0]) > 1
    assert all(graph == graphs[0] for graph in graphs)


@pytest.mark.parametrize("weight", [0.01, 10.0])
def test_the_weight_that_all_rows_have_does_not_matter(weight):
    X, y = dependent_columns(200)
    model = BeliefNetworkClassifier("hill_climbing", structure_score="loo")
    expected = model.fit(X, y).predict_proba(X)
    found = model.fit(X, y, np.full(len(y), weight)).predict_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_later_batches_keep_the_structure_that_the_first_has_chosen():
    X, y = dependent_columns(100)
    model = BeliefNetworkClassifier("k2", structure_score="loo")
    model.partial_fit(X, y, classes=[0, 1])
    options = {"m": 1.0, "prior": "uniform", "calibration": None}
    counted = BeliefNetworkClassifier(model.structure_, **options).fit(X, y)
    np.testing.assert_array_equal(counted.predict_proba(X), model.predict_proba(X))
    before = model.structure_
    assert model.partial_fit(X[::-1], 1 - y).structure_ == before
