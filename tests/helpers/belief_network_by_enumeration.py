"""Random belief networks, and their answers by enumeration of the joint."""

from itertools import product

import numpy as np

from sklearn_bayeslazy.belief_network._inference._elimination import log_joint
from sklearn_bayeslazy.belief_network._network import Network


def random_network(rng, n_nodes, *, max_parents=3, max_size=3, zeros=0.0):
    """Return a random network; a share `zeros` of its probabilities is 0."""
    sizes = rng.integers(2, max_size + 1, size=n_nodes)
    order = rng.permutation(n_nodes)
    parents, tables = [()] * n_nodes, [None] * n_nodes
    for position, node in enumerate(order):
        count = rng.integers(0, min(position, max_parents) + 1)
        chosen = rng.choice(order[:position], count, replace=False) if count else []
        parents[node] = tuple(sorted(int(parent) for parent in chosen))
        shape = tuple(sizes[list(parents[node])])
        table = rng.dirichlet(np.ones(sizes[node]), size=shape)
        table = np.where(rng.random(table.shape) < zeros, 0.0, table)
        table[table.sum(axis=-1) == 0] = 1.0
        tables[node] = table / table.sum(axis=-1, keepdims=True)
    names = tuple(f"node {i}" for i in range(n_nodes))
    values = tuple(np.arange(size) for size in sizes)
    return Network(names, values, tuple(parents), tuple(tables))


def enumerate_rows(network):
    """Return all rows of codes, and the probability of each: its chain product."""
    rows = np.array(list(product(*map(range, network.sizes))), dtype=np.int32)
    with np.errstate(divide="ignore"):
        return rows, np.exp(log_joint(network, rows))


def random_evidence(rng, network, n_rows, missing=0.5):
    """Return random rows of codes with a share of missing values."""
    rows = np.stack([rng.integers(0, size, n_rows) for size in network.sizes], axis=1)
    return np.where(rng.random(rows.shape) < missing, -1, rows).astype(np.int32)


def marginal_by_enumeration(network, row, query_nodes):
    """Return P(query nodes, observed values of a row) as a sum over the joint."""
    rows, p = enumerate_rows(network)
    agrees = ((rows == row) | (row < 0)).all(axis=1)
    out = np.zeros([network.sizes[node] for node in query_nodes])
    for values, row_p in zip(rows[agrees][:, list(query_nodes)], p[agrees]):
        out[tuple(values)] += row_p
    return out
