"""Expected counts against enumeration; EM against gradient ascent.

Code under test: `belief_network/_incomplete_data/_gradient.py`,
`belief_network/_incomplete_data/_incomplete_rows.py`,
`belief_network/_incomplete_data/_starts.py`.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bayeslazy.belief_network._incomplete_data._gradient import (
    learn_by_gradient,
)
from sklearn_bayeslazy.belief_network._incomplete_data._incomplete_rows import (
    IncompleteRows,
)
from sklearn_bayeslazy.belief_network._incomplete_data._starts import (
    learn_by_em,
    random_tables,
)
from sklearn_bayeslazy.belief_network._inference._elimination import log_marginals
from sklearn_bayeslazy.belief_network._inference._junction_tree import JunctionTree
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._network import Network
from tests.helpers.belief_network_by_enumeration import (
    enumerate_rows,
    random_evidence,
    random_network,
)


def expected_by_enumeration(network, codes, weight):
    """Return the expected counts of families by enumeration of the joint."""
    rows, p = enumerate_rows(network)
    counts = [np.zeros(table.shape) for table in network.tables]
    for row, w in zip(codes, weight):
        share = p * ((rows == row) | (row < 0)).all(axis=1)
        if not share.any():
            continue
        share *= w / share.sum()
        for node, parents in enumerate(network.parents):
            np.add.at(counts[node], tuple(rows[:, [*parents, node]].T), share)
    return counts


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 7), zeros=st.booleans())
def test_expected_counts_agree_with_the_joint(seed, n_nodes, zeros):
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_nodes, zeros=0.3 * zeros)
    codes = random_evidence(rng, network, 15)
    weight = rng.integers(1, 4, 15).astype(float)
    tree = JunctionTree.of(network.parents, network.sizes)
    counts, log_evidence = tree.expected_counts(network, codes, weight)
    expected = expected_by_enumeration(network, codes, weight)
    for table, other_table in zip(counts, expected):
        np.testing.assert_allclose(table, other_table, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        np.exp(log_evidence), np.exp(log_marginals(network, codes, [])), rtol=1e-10
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_cliques_of_each_node_are_connected(seed):
    network = random_network(np.random.default_rng(seed), 14, max_parents=3)
    tree = JunctionTree.of(network.parents, network.sizes)
    for node, parents in enumerate(network.parents):
        assert {node, *parents} <= set(tree.cliques[tree.home[node]])
        holding = {i for i, clique in enumerate(tree.cliques) if node in clique}
        roots = [i for i in holding if tree.parent[i] not in holding]
        assert len(roots) == 1


def test_a_thousand_columns_do_not_underflow():
    rng = np.random.default_rng(0)
    tables = [np.array([0.5, 0.5]), *rng.dirichlet([1, 1], size=(1000, 2))]
    parents = [(), *[(0,)] * 1000]
    names = tuple(map(str, range(1001)))
    network = Network(names, (np.arange(2),) * 1001, tuple(parents), tuple(tables))
    codes = np.array(sample(network, 3, np.random.RandomState(0)))
    codes[:, 0] = -1
    tree = JunctionTree.of(network.parents, network.sizes)
    counts, log_evidence = tree.expected_counts(network, codes, np.ones(3))
    expected = log_marginals(network, codes, [])
    np.testing.assert_allclose(log_evidence, expected, rtol=1e-12)
    np.testing.assert_allclose(counts[0].sum(), 3.0)


def latent_classes(seed, n_rows=400, n_columns=6):
    """Return rows of a hidden class and the columns that it makes dependent."""
    rng = np.random.default_rng(seed)
    tables = [np.array([0.4, 0.6])]
    tables += [rng.dirichlet([0.5] * 3, size=2) for _ in range(n_columns)]
    network = Network(
        tuple("habcdefg"[: n_columns + 1]),
        (np.arange(2), *(np.arange(3),) * n_columns),
        ((), *((0,),) * n_columns),
        tuple(tables),
    )
    codes = sample(network, n_rows, np.random.RandomState(seed))
    codes[:, 0] = -1
    return network, codes


def rows_of(codes, network, m=0.0, weight=None):
    weight = np.ones(len(codes)) if weight is None else weight
    virtual = [np.full(table.shape, m / table.shape[-1]) for table in network.tables]
    return IncompleteRows.of(codes, weight, network, virtual)


@pytest.mark.parametrize("m", [0.0, 1.5])
@pytest.mark.parametrize("learn", [learn_by_em, learn_by_gradient])
def test_the_objective_never_decreases(learn, m):
    network, codes = latent_classes(0)
    codes[np.random.default_rng(0).random(codes.shape) < 0.1] = -1
    start = random_tables(network, np.random.RandomState(0))
    _, history, _ = learn(rows_of(codes, network, m), start)
    steps = np.diff(history)
    assert len(steps) > 3
    assert np.all(steps >= -1e-9 * abs(history[0]))


@pytest.mark.parametrize("seed", range(10))
def test_em_and_gradient_ascent_reach_the_same_local_optimum(seed):
    network, codes = latent_classes(seed)
    start = random_tables(network, np.random.RandomState(seed))
    rows = rows_of(codes, network, m=1.0)
    _, by_em, _ = learn_by_em(rows, start, max_iter=3000, tol=1e-12)
    _, by_gradient, _ = learn_by_gradient(rows, start, max_iter=3000, tol=1e-14)
    np.testing.assert_allclose(by_em[-1], by_gradient[-1], rtol=1e-6)


def test_a_step_of_em_agrees_with_the_joint():
    network, codes = latent_classes(1, n_rows=30, n_columns=3)
    start = random_tables(network, np.random.RandomState(0))
    found, *_ = learn_by_em(rows_of(codes, network), start, max_iter=1)
    expected = expected_by_enumeration(start, codes, np.ones(30))
    for table, counts in zip(found.tables, expected):
        share = counts / counts.sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(table, share, rtol=1e-10)


def test_the_gradient_agrees_with_finite_differences():
    """The gradient that `learn_by_gradient` follows, against small steps in logits."""
    network, codes = latent_classes(2, n_rows=50, n_columns=3)
    start = random_tables(network, np.random.RandomState(0))
    rows = rows_of(codes, network, m=0.7)
    counts, _ = rows.expect(start)
    node, step = 1, 1e-5
    total = counts[node] + rows.pseudo_counts[node]
    gradient = total - start.tables[node] * total.sum(axis=-1, keepdims=True)
    for cell in np.ndindex(gradient.shape):
        values = []
        for sign in (1, -1):
            logits = np.log(start.tables[node])
            logits[cell] += sign * step
            table = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
            tables = list(start.tables)
            tables[node] = table
            moved = Network(start.names, start.values, start.parents, tuple(tables))
            values.append(rows.expect(moved)[1])
        difference = (values[0] - values[1]) / (2 * step)
        np.testing.assert_allclose(gradient[cell], difference, rtol=1e-5, atol=1e-6)


def test_complete_rows_need_one_step():
    network = random_network(np.random.default_rng(5), 5)
    codes = sample(network, 300, np.random.RandomState(0))
    start = random_tables(network, np.random.RandomState(1))
    found, history, _ = learn_by_em(rows_of(codes, network, m=1.0), start)
    assert len(history) <= 3
    once, *_ = learn_by_em(rows_of(codes, network, m=1.0), found, max_iter=1)
    for table, other in zip(found.tables, once.tables):
        np.testing.assert_array_equal(table, other)


def test_em_errs_less_than_dropped_rows_and_modes():
    """A fifth of the cells is missing; tables are compared with the true ones."""
    network = random_network(np.random.default_rng(7), 7)
    whole = sample(network, 3000, np.random.RandomState(0))
    codes = np.where(np.random.default_rng(0).random(whole.shape) < 0.2, -1, whole)
    start = random_tables(network, np.random.RandomState(0))

    def error(codes):
        found, *_ = learn_by_em(rows_of(codes, network, m=1.0), start)
        pairs = zip(found.tables, network.tables)
        return np.mean([np.abs(learned - true).mean() for learned, true in pairs])

    modes = [np.bincount(column[column >= 0]).argmax() for column in codes.T]
    dropped = codes[(codes >= 0).all(axis=1)]
    assert error(codes) < min(error(dropped), error(np.where(codes < 0, modes, codes)))


def test_em_with_integer_weights_equals_repetition():
    network, codes = latent_classes(3, n_rows=40)
    weight = np.random.default_rng(0).integers(1, 4, 40)
    start = random_tables(network, np.random.RandomState(0))
    weighted, *_ = learn_by_em(rows_of(codes, network, 1.0, weight), start)
    repeated, *_ = learn_by_em(
        rows_of(np.repeat(codes, weight, 0), network, 1.0), start
    )
    for table, other in zip(weighted.tables, repeated.tables):
        np.testing.assert_allclose(table, other, rtol=1e-9)
