"""Numba kernel of likelihood weighting."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import kernel


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
