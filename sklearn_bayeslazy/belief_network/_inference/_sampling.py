"""Forward sampling from a network, and likelihood weighting."""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen, kernel
from .._network import cell_strides, index_arrays, starts_of


def sample(network, n_rows, rng):
    """Return rows of codes drawn from a network, parents before children."""
    # Returns (n_rows, n_nodes), int32.
    codes = np.empty((n_rows, network.n_nodes), dtype=np.int32)
    for node in network.order:
        parents = tuple(codes[:, list(network.parents[node])].T)
        bounds = np.cumsum(network.tables[node], axis=-1)[..., :-1][parents]
        uniform = rng.random_sample(n_rows)[:, None]
        codes[:, node] = (
            uniform >= np.broadcast_to(bounds, (n_rows, bounds.shape[-1]))
        ).sum(axis=1)
    return codes


def sampled_log_marginals(network, codes, query_nodes, n_draws, seed):
    """Estimate log P(query nodes, observed nodes) of rows by likelihood weighting."""
    # Unobserved nodes are drawn, parents before children. The weight of a draw is the
    # probability of the observed nodes given their drawn parents. The mean weight of
    # the draws with given values is an unbiased estimate of the probability (Fung &
    # Chang 1990; Shachter & Peot 1990). All rows share their random numbers, so the
    # estimate for a row does not depend on the other rows.
    # codes: (n_rows, n_nodes), below 0 where a value is missing. Returns (n_rows,
    # *sizes of the query nodes).
    shape = [network.sizes[node] for node in query_nodes]
    query_strides = np.zeros(network.n_nodes, dtype=np.int64)
    query_strides[list(query_nodes)] = cell_strides(shape)
    uniforms = np.random.RandomState(seed).random_sample((n_draws, network.n_nodes))
    out = np.empty((len(codes), math.prod(shape)))
    likelihood_weighting(
        frozen(codes, np.int32),
        _kernel_arrays(network),
        frozen(uniforms, np.float64),
        frozen(query_strides, np.int64),
        out,
    )
    return out.reshape(len(codes), *shape)


def _kernel_arrays(network):
    tables = [table.ravel() for table in network.tables]
    strides = [cell_strides(table.shape)[:-1] for table in network.tables]
    cumulative = [np.cumsum(table, axis=-1).ravel() for table in network.tables]
    with np.errstate(divide="ignore"):
        logs = np.log(np.concatenate(tables))
    parents = [parent for parents in network.parents for parent in parents]
    edges = parents, np.concatenate(strides), starts_of(network.parents)
    return SampledNetwork(
        *index_arrays(network.order, *edges, starts_of(tables)[:-1], network.sizes),
        frozen(logs, np.float64),
        frozen(np.concatenate(cumulative), np.float64),
    )


# Numba kernel of likelihood weighting.


class SampledNetwork(NamedTuple):
    """A network as the kernel reads it."""

    order: np.ndarray  # nodes, parents before children
    # The parents of node v are ``parents[ends[v] : ends[v + 1]]``. The cell of its
    # value k is ``offsets[v] + Σ codes strides + k``.
    parents: np.ndarray
    strides: np.ndarray
    ends: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray  # (n_nodes,), the number of values of each node
    # (n_cells,): the log probability of each value, and the cumulative probability.
    logs: np.ndarray
    cumulative: np.ndarray


@kernel
def likelihood_weighting(codes, network, uniforms, query_strides, out):
    """Draw the unobserved nodes of each row; weight each draw by the observed nodes."""
    # codes: (n_rows, n_nodes), below 0 where a value is missing.
    # uniforms: (n_draws, n_nodes), random numbers in [0, 1), shared by all rows.
    # query_strides: (n_nodes,), the distance between consecutive values of a node in a
    # row of out; 0 for nodes that are not in the query.
    # out: (n_rows, n_combinations), receives the log mean weight of each combination of
    # the query nodes' values.
    order, parents, strides, ends, offsets, sizes, logs, cumulative = network
    n_draws, n_nodes = uniforms.shape
    log_weight, combination = np.empty(n_draws), np.empty(n_draws, np.int64)
    drawn = np.empty(n_nodes, np.int64)
    for i in range(len(codes)):
        largest = -np.inf
        for d in range(n_draws):
            log_weight[d], combination[d] = 0.0, 0
            for v in order:
                cell = offsets[v]
                for j in range(ends[v], ends[v + 1]):
                    cell += drawn[parents[j]] * strides[j]
                k = codes[i, v]
                if k >= 0:
                    log_weight[d] += logs[cell + k]
                else:
                    k, last = 0, sizes[v] - 1
                    while k < last and uniforms[d, v] >= cumulative[cell + k]:
                        k += 1
                drawn[v] = k
                combination[d] += k * query_strides[v]
            largest = max(largest, log_weight[d])
        out[i] = 0.0
        if largest > -np.inf:
            for d in range(n_draws):
                out[i, combination[d]] += np.exp(log_weight[d] - largest)
        for a in range(out.shape[1]):
            mean = out[i, a] / n_draws
            out[i, a] = np.log(mean) + largest if mean > 0 else -np.inf
