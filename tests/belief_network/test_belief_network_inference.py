"""Exact inference against enumeration of the joint.

Code under test: `belief_network/_base.py`, `belief_network/_factors.py`,
`belief_network/_inference/_class_scorer.py`,
`belief_network/_inference/_elimination.py`,
`belief_network/_inference/_junction_tree.py`.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bayeslazy.belief_network._factors import log_sum
from sklearn_bayeslazy.belief_network._inference._class_scorer import class_scorer
from sklearn_bayeslazy.belief_network._inference._elimination import (
    log_marginals,
    most_probable_explanation,
)
from sklearn_bayeslazy.belief_network._inference._methods import ExactInference
from sklearn_bayeslazy.belief_network._network import Network
from tests.helpers.belief_network_by_enumeration import (
    enumerate_rows,
    marginal_by_enumeration,
    random_evidence,
    random_network,
)

TOLERANCE = {"rtol": 1e-12, "atol": 1e-15}


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 7), zeros=st.booleans())
def test_marginals_agree_with_the_joint(seed, n_nodes, zeros):
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_nodes, zeros=0.3 * zeros)
    codes = random_evidence(rng, network, 12)
    query_nodes = rng.permutation(n_nodes)[: rng.integers(0, 3)].tolist()
    found = np.exp(log_marginals(network, codes, query_nodes))
    for row, here in zip(codes, found):
        expected = marginal_by_enumeration(network, row, query_nodes)
        np.testing.assert_allclose(here, expected, **TOLERANCE)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 7))
def test_the_most_probable_explanation_agrees_with_the_joint(seed, n_nodes):
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_nodes, zeros=0.2)
    codes = random_evidence(rng, network, 12)
    completed, best = most_probable_explanation(network, codes)
    rows, p = enumerate_rows(network)
    for row, here, value in zip(codes, completed, best):
        agrees = ((rows == row) | (row < 0)).all(axis=1)
        assert np.all((row < 0) | (here == row))
        np.testing.assert_allclose(np.exp(value), p[agrees].max(), **TOLERANCE)
        completed_p = p[(rows == here).all(axis=1)]
        np.testing.assert_allclose(completed_p, p[agrees].max(), **TOLERANCE)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6), n_nodes=st.integers(1, 7), max_parents=st.integers(0, 3)
)
def test_class_scores_agree_with_the_joint(seed, n_nodes, max_parents):
    """Trees by messages, other graphs by the Markov blanket or by elimination."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_nodes, max_parents=max_parents)
    target = int(rng.integers(n_nodes))
    codes = np.concatenate(
        [random_evidence(rng, network, 20, missing) for missing in (0.0, 0.3, 1.0)]
    )
    codes[:, target] = -1
    scores = class_scorer(network, target).score(codes, ExactInference())
    found = np.exp(scores - log_sum(scores, axis=1)[:, None])
    for row, here in zip(codes, found):
        joint = marginal_by_enumeration(network, row, [target])
        np.testing.assert_allclose(here, joint / joint.sum(), rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_class_scores_of_trees_with_missing_cells_and_zeros(structure):
    rng = np.random.default_rng(3)
    parents = [()] + [(0,)] * 5
    if structure == "tan":
        parents = [(), (0,), (0, 1), (0, 1), (0, 2), (0, 4)]
    tables = []
    for node_parents in parents:
        table = rng.dirichlet(np.ones(3), size=(3,) * len(node_parents))
        table[..., 0] *= rng.random(table.shape[:-1]) < 0.5
        tables.append(table / table.sum(axis=-1, keepdims=True))
    network = Network(
        tuple("cabdef"), (np.arange(3),) * 6, tuple(parents), tuple(tables)
    )
    codes = random_evidence(rng, network, 300, 0.4)
    codes[:, 0] = -1
    scores = class_scorer(network, 0).score(codes, ExactInference())
    for row, here in zip(codes, scores):
        joint = marginal_by_enumeration(network, row, [0])
        assert np.array_equal(here == -np.inf, joint == 0)
        if joint.any():
            here = np.exp(here - log_sum(here[None], axis=1))
            np.testing.assert_allclose(here, joint / joint.sum(), **TOLERANCE)


def test_complete_rows_have_the_same_scores_beside_rows_with_missing_cells():
    """Complete rows by themselves are scored family by family, without messages."""
    rng = np.random.default_rng(0)
    for target in range(6):
        network = random_network(rng, 6, max_parents=1)
        codes = np.concatenate(
            [random_evidence(rng, network, 20, missing) for missing in (0.0, 0.5)]
        )
        codes[:, target] = -1
        scorer = class_scorer(network, target)
        alone = scorer.score(codes[:20], ExactInference())
        beside = scorer.score(codes, ExactInference())[:20]
        np.testing.assert_array_equal(alone, beside)


def test_impossible_evidence_has_probability_zero():
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    network = Network(
        ("a", "b"), (np.arange(2),) * 2, ((), (0,)), (np.array([0.5, 0.5]), table)
    )
    codes = np.array([[0, 1], [0, 0]], dtype=np.int32)
    found = np.exp(log_marginals(network, codes, []))
    np.testing.assert_array_equal(found, [0.0, 0.5])


def test_too_large_a_factor_raises_an_error_with_its_size():
    """A node with fifteen parents, none of them observed."""
    parents = [() for _ in range(15)] + [tuple(range(15))]
    tables = [np.full(4, 0.25)] * 15
    tables.append(np.broadcast_to(0.5, (4,) * 15 + (2,)))
    values = (np.arange(4),) * 15 + (np.arange(2),)
    network = Network(tuple(map(str, range(16))), values, tuple(parents), tuple(tables))
    with pytest.raises(ValueError, match=r"2,147,483,648 cells.*max_parents"):
        log_marginals(network, np.full((1, 16), -1), [15])


def test_marginals_do_not_depend_on_the_other_rows():
    rng = np.random.default_rng(0)
    network = random_network(rng, 6)
    codes = random_evidence(rng, network, 60)
    whole = log_marginals(network, codes, [2])
    for i in range(0, 60, 7):
        alone = log_marginals(network, codes[i : i + 1], [2])
        np.testing.assert_array_equal(alone[0], whole[i])
