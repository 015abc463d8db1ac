"""Numba kernel of likelihood weighting."""

import numpy as np

from ..._kernel import kernel


@kernel
def weigh_draws(
    codes, order, parents, strides, ends, start, size, logs, below, uniforms, steps, out
):
    """Draw what rows do not observe, and weigh each draw by what they observe.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_nodes)
        Below 0 where a value is missing.
    order : int array
        Nodes, parents before children.
    parents, strides, ends, start : int arrays
        The parents of node v are ``parents[ends[v] : ends[v + 1]]``; the cell of its
        value k is ``start[v] + Σ codes strides + k``.
    size : int array of shape (n_nodes,)
    logs, below : ndarrays of shape (n_cells,)
        Logarithms of probabilities; sums of them up to a value, itself included.
    uniforms : ndarray of shape (n_draws, n_nodes)
        In [0, 1): the same for each row.
    steps : int array of shape (n_nodes,)
        How far apart in a row of out two neighbouring values of a node are; 0 for
        nodes that are not asked for.
    out : ndarray of shape (n_rows, n_answers)
        Is set to the logarithms of the mean weights.
    """
    n_draws, n_nodes = uniforms.shape
    weight, place = np.empty(n_draws), np.empty(n_draws, np.int64)
    drawn = np.empty(n_nodes, np.int64)
    for i in range(len(codes)):
        largest = -np.inf
        for d in range(n_draws):
            weight[d], place[d] = 0.0, 0
            for v in order:
                cell = start[v]
                for j in range(ends[v], ends[v + 1]):
                    cell += drawn[parents[j]] * strides[j]
                k = codes[i, v]
                if k >= 0:
                    weight[d] += logs[cell + k]
                else:
                    k, last = 0, size[v] - 1
                    while k < last and uniforms[d, v] >= below[cell + k]:
                        k += 1
                drawn[v] = k
                place[d] += k * steps[v]
            largest = max(largest, weight[d])
        out[i] = 0.0
        if largest > -np.inf:
            for d in range(n_draws):
                out[i, place[d]] += np.exp(weight[d] - largest)
        for a in range(out.shape[1]):
            mean = out[i, a] / n_draws
            out[i, a] = np.log(mean) + largest if mean > 0 else -np.inf
