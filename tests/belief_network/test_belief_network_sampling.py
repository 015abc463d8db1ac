"""Likelihood weighting against exact inference.

Code under test: `belief_network/_inference/_methods.py`,
`belief_network/_inference/_sampling.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.belief_network._inference._elimination import log_marginals
from sklearn_bayeslazy.belief_network._inference._sampling import sampled_log_marginals
from sklearn_bayeslazy.belief_network._network import Network
from tests.helpers.belief_network_by_enumeration import random_evidence, random_network

N_DRAWS = 20_000


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("query_nodes", [[], [2], [4, 0]])
def test_estimates_are_unbiased(seed, query_nodes):
    """The mean of many seeds lies within six standard errors of the probability."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, 6)
    codes = random_evidence(rng, network, 4)
    exact = np.exp(log_marginals(network, codes, query_nodes))
    found = np.exp(
        [
            sampled_log_marginals(network, codes, query_nodes, 500, run)
            for run in range(200)
        ]
    )
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - exact) <= 6 * error + 1e-3 * exact)


def test_estimates_without_evidence_are_frequencies_of_draws():
    network = Network(
        ("a", "b"),
        (np.arange(2), np.arange(3)),
        ((), (0,)),
        (np.array([0.25, 0.75]), np.array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]])),
    )
    found = sampled_log_marginals(network, np.full((1, 2), -1), [0, 1], N_DRAWS, 0)
    p = np.array([[0.125, 0.125, 0.0], [0.0, 0.075, 0.675]])
    error = np.sqrt(p * (1 - p) / N_DRAWS)
    assert np.all(np.abs(np.exp(found[0]) - p) <= 6 * error)


def test_impossible_evidence_has_probability_zero():
    network = Network(
        ("a", "b"),
        (np.arange(2), np.arange(2)),
        ((), (0,)),
        (np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.5, 0.5]])),
    )
    codes = np.array([[-1, 1], [0, 1], [0, 0]])
    found = sampled_log_marginals(network, codes, [], 100, 0)
    np.testing.assert_array_equal(found, [-np.inf, -np.inf, 0.0])


def test_many_observed_nodes_do_not_underflow():
    tables = [np.array([0.5, 0.5]), *np.full((1000, 2, 2), 0.5)]
    network = Network(
        tuple(map(str, range(1001))),
        (np.arange(2),) * 1001,
        ((), *[(0,)] * 1000),
        tuple(tables),
    )
    codes = np.zeros((1, 1001), dtype=np.int32)
    codes[0, 0] = -1
    found = sampled_log_marginals(network, codes, [0], 1000, 0)
    np.testing.assert_allclose(
        np.logaddexp(*found[0]), 1000 * np.log(0.5), rtol=0, atol=1e-9
    )
