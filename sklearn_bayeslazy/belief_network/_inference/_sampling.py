"""Rows drawn from a network, and answers estimated from weighted draws."""

import math

import numpy as np

from ..._kernel import frozen
from .._network import cell_strides, starts
from ._sampling_kernels import weigh_draws


def sample(network, n_rows, rng):
    """Return rows of codes drawn from a network, parents before children.

    Parameters
    ----------
    network : Network
    n_rows : int
    rng : RandomState

    Returns
    -------
    int32 array of shape (n_rows, n_nodes)
    """
    codes = np.empty((n_rows, network.n_nodes), dtype=np.int32)
    for node in network.order:
        parents = tuple(codes[:, list(network.parents[node])].T)
        bounds = np.cumsum(network.tables[node], axis=-1)[..., :-1][parents]
        drawn = rng.random_sample(n_rows)[:, None]
        codes[:, node] = (
            drawn >= np.broadcast_to(bounds, (n_rows, bounds.shape[-1]))
        ).sum(axis=1)
    return codes


def sampled_log_marginals(network, codes, wanted, n_draws, seed):
    """Estimate log P(wanted nodes, observed nodes) of each row by likelihood weighting.

    Nodes are drawn, parents before children, but for those observed, which give the
    draw a weight instead, their probability given the parents drawn; the mean weight of
    the draws with some values estimates the probability without bias (Fung & Chang;
    Shachter & Peot 1990). All rows share their random numbers, so that an answer does
    not depend on the rows beside it.

    Parameters
    ----------
    network : Network
    codes : int array of shape (n_rows, n_nodes)
        Below 0 where a value is missing.
    wanted : sequence of int
    n_draws : int
    seed : int

    Returns
    -------
    ndarray of shape (n_rows, *sizes of the wanted nodes)
    """
    tables = [table.ravel() for table in network.tables]
    strides = [cell_strides(table.shape)[:-1] for table in network.tables]
    shape = [network.sizes[node] for node in wanted]
    steps = np.zeros(network.n_nodes, dtype=np.int64)
    steps[list(wanted)] = cell_strides(shape)
    with np.errstate(divide="ignore"):
        logs = np.log(np.concatenate(tables))
    below = [np.cumsum(table, axis=-1).ravel() for table in network.tables]
    uniforms = np.random.RandomState(seed).random_sample((n_draws, network.n_nodes))
    out = np.empty((len(codes), math.prod(shape)))
    weigh_draws(
        frozen(codes, np.int32),
        frozen(network.order, np.int64),
        frozen([some for parents in network.parents for some in parents], np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(starts(network.parents), np.int64),
        frozen(starts(tables)[:-1], np.int64),
        frozen(network.sizes, np.int64),
        frozen(logs, np.float64),
        frozen(np.concatenate(below), np.float64),
        frozen(uniforms, np.float64),
        frozen(steps, np.int64),
        out,
    )
    return out.reshape(len(codes), *shape)
