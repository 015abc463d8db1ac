"""Forward sampling from a network, and likelihood weighting."""

import math

import numpy as np

from ..._core._kernel import frozen
from .._network import cell_strides, offsets
from ._sampling_kernels import SampledNetwork, likelihood_weighting


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
    return SampledNetwork(
        frozen(network.order, np.int64),
        frozen(parents, np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(offsets(network.parents), np.int64),
        frozen(offsets(tables)[:-1], np.int64),
        frozen(network.sizes, np.int64),
        frozen(logs, np.float64),
        frozen(np.concatenate(cumulative), np.float64),
    )
