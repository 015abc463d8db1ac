"""The leave-one-out score beside as many refits as there are rows."""

import numpy as np
import pytest
from networks import random_network

from sklearn_bayeslazy import BeliefNetworkClassifier
from sklearn_bayeslazy._leave_one_out import MAX_LOG_LOSS
from sklearn_bayeslazy.belief_network._counts import Rows
from sklearn_bayeslazy.belief_network._inference._elimination import (
    log_joint,
)
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._learning import count_families, estimate_network
from sklearn_bayeslazy.belief_network._structure._leave_one_out import LeaveOneOutScore

TARGET = 3


def drawn(seed, n_rows=40, missing=0.0):
    """Return rows of six nodes, the classes all there, and a graph to be scored."""
    rng = np.random.default_rng(seed)
    codes = sample(random_network(rng, 6), n_rows, np.random.RandomState(seed))
    codes[rng.random(codes.shape) < missing] = -1
    codes[:, TARGET] = rng.permutation(np.arange(n_rows) % 3)
    sizes = [int(column.max()) + 1 for column in codes.T]
    weight = rng.choice([0.4, 1.0, 2.0, 3.0], n_rows)
    rows = Rows.of(codes, weight, tuple("abcdef"), tuple(max(k, 1) for k in sizes))
    return rows, random_network(np.random.default_rng(seed + 100), 6).parents


def score_by_refits(rows, parents, m, prior):
    """Return Σ w ln P(class | row), each row left out of the counts in turn.

    A family with a hole is passed over in that row.
    """
    total, values = 0.0, [np.arange(size) for size in rows.sizes]
    for i, own in enumerate(rows.codes.T):
        weight = rows.weight.copy()
        weight[i] -= min(1.0, weight[i])
        left = Rows.of(rows.codes.T, weight, rows.names, rows.sizes)
        marginals = [left.count((node,)) for node in range(len(rows.sizes))]
        network = estimate_network(
            rows.names,
            values,
            parents,
            count_families(left, parents),
            marginals,
            m,
            prior,
        )
        joint = np.ones(rows.sizes[TARGET])
        for node, table in enumerate(network.tables):
            family = [*parents[node], node]
            if TARGET not in family or (own[family] < 0).any():
                continue
            for c in range(len(joint)):
                cell = [c if some == TARGET else own[some] for some in family]
                joint[c] *= table[tuple(cell)]
        if not joint.any():
            joint = rows.count((TARGET,))
        with np.errstate(divide="ignore"):
            share = np.log(joint[own[TARGET]] / joint.sum())
        total += rows.weight[i] * max(share, -MAX_LOG_LOSS)
    return total


@pytest.mark.parametrize("prior", ["uniform", "marginal", "bdeu"])
@pytest.mark.parametrize("m", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_score_is_that_of_refits(m, prior, missing):
    for seed in range(4):
        rows, parents = drawn(seed, missing=missing)
        found = LeaveOneOutScore(rows, TARGET, m, prior).total(parents)
        expected = score_by_refits(rows, parents, m, prior)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_complete_rows_are_scored_by_the_joint():
    rows, parents = drawn(1)
    values = [np.arange(size) for size in rows.sizes]
    total = 0.0
    for i, own in enumerate(rows.codes.T):
        weight = rows.weight.copy()
        weight[i] -= min(1.0, weight[i])
        left = Rows.of(rows.codes.T, weight, rows.names, rows.sizes)
        counts = count_families(left, parents)
        network = estimate_network(
            rows.names, values, parents, counts, [None] * 6, 1.0, "uniform"
        )
        each = np.repeat(own[None], rows.sizes[TARGET], axis=0)
        each[:, TARGET] = np.arange(len(each))
        joint = log_joint(network, each)
        share = joint[own[TARGET]] - np.logaddexp.reduce(joint)
        total += rows.weight[i] * share
    found = LeaveOneOutScore(rows, TARGET, 1.0, "uniform").total(parents)
    np.testing.assert_allclose(found, total, rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_gains_are_differences_of_totals(seed):
    rows, parents = drawn(seed, missing=0.1)
    scores = LeaveOneOutScore(rows, TARGET, 1.0, "uniform")
    before = scores.total(parents)
    node = next(node for node, some in enumerate(parents) if len(some) > 1)
    fewer, other = parents[node][1:], parents[node][0]
    changed = list(parents)
    changed[node] = fewer
    gain = scores.gain({node: fewer})
    np.testing.assert_allclose(gain, scores.total(changed) - before, atol=1e-9)
    turned = [*changed]
    turned[other] = tuple(sorted((*parents[other], node)))
    scores.go_to(parents)
    gain = scores.gain({node: fewer, other: turned[other]})
    np.testing.assert_allclose(gain, scores.total(turned) - before, atol=1e-9)


def test_arcs_that_say_nothing_of_the_class_are_not_for_choice():
    rows, _ = drawn(0)
    scores = LeaveOneOutScore(rows, TARGET, 1.0, "uniform")
    scores.go_to([()] * 6)
    assert scores.gain({0: (1,)}) == -np.inf
    assert scores.gain({0: (TARGET,)}) > -np.inf


def test_a_subset_of_rows_is_left_out():
    rows, parents = drawn(0, n_rows=200)
    rng = np.random.RandomState(0)
    some = LeaveOneOutScore(rows, TARGET, 1.0, "uniform", 50, rng)
    assert some.codes.shape == (6, 50)
    assert some.total(parents) > LeaveOneOutScore(rows, TARGET, 1.0, "uniform").total(
        parents
    )  # fewer logarithms, each at most 0


def entangled(n_rows=1500):
    """Return columns that hang together more than any tells of the class."""
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
def test_the_search_attends_to_the_class(structure):
    X, y = entangled()
    model = BeliefNetworkClassifier(structure, structure_score="loo").fit(X, y)
    about_class = {arc for arc in model.structure_ if "class" in arc}
    assert {name for arc in about_class for name in arc} >= {"5", "6"}
    by_bdeu = BeliefNetworkClassifier(structure).fit(X, y)
    assert len(model.structure_) <= len(by_bdeu.structure_)
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    options = {"structure_score": "loo", "loo_max_samples": None}
    weighted = BeliefNetworkClassifier(structure, **options).fit(X, y, weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = BeliefNetworkClassifier(structure, **options).fit(X[rows], y[rows])
    assert weighted.structure_ == repeated.structure_


def test_it_needs_all_rows_at_once():
    X, y = entangled(100)
    model = BeliefNetworkClassifier("k2", structure_score="loo").fit(X, y)
    with pytest.raises(ValueError, match="structure_score='loo' takes all rows"):
        model.partial_fit(X, y)
    counted = BeliefNetworkClassifier(model.structure_).fit(X, y)
    np.testing.assert_array_equal(counted.predict_proba(X), model.predict_proba(X))
