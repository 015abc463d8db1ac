"""Numba kernels that score the classes of rows in a belief network."""

import numpy as np

from ..._kernel import inlined, kernel


@inlined
def _log_sum(table, start, messages, first, size):
    """Return ln Σ_k exp(table[start + k] + messages[first + k])."""
    largest = -np.inf
    for k in range(size):
        largest = max(largest, table[start + k] + messages[first + k])
    if largest == -np.inf:
        return largest
    total = 0.0
    for k in range(size):
        total += np.exp(table[start + k] + messages[first + k] - largest)
    return largest + np.log(total)


@kernel
def score_trees(
    codes, order, parent, by_class, by_parent, start, size, table, target, out
):
    """Add what a row's values say of each class, where given the class nodes are trees.

    A node sends its parent a message, the log probability of what is observed below:
    one number if the parent is observed, else one for each of the parent's values.
    What does not depend on the class is left out.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_nodes)
        Below 0 where a value is missing; the target's are not read.
    order : int array
        Nodes, children before parents.
    parent : int array of shape (n_nodes,)
        Each node's one parent beside the target, or -1.
    by_class, by_parent, start : int arrays of shape (n_nodes,)
        ``table[start + by_class c + by_parent j + k]`` is the log probability of
        value k of a node, given class c (by_class is 0 where it is no parent) and value
        j of the parent.
    size : int array of shape (n_nodes,)
    table : ndarray
    target : int
    out : ndarray of shape (n_rows, n_classes)
    """
    n_nodes = len(parent)
    first = np.zeros(n_nodes + 1, np.int64)
    for v in range(n_nodes):
        first[v + 1] = first[v] + size[v]
    messages, told = np.empty(first[n_nodes]), np.empty(n_nodes, np.bool_)
    for i in range(len(codes)):
        for c in range(out.shape[1]):
            total = 0.0
            for v in order:
                told[v] = False
                if codes[i, v] < 0:
                    for k in range(first[v], first[v + 1]):
                        messages[k] = 0.0
            for v in order:
                x, u = codes[i, v] if v != target else c, parent[v]
                if x < 0 and not told[v]:
                    continue  # nothing is known below: it sums to one
                row = start[v] + by_class[v] * c
                if u < 0 or codes[i, u] >= 0:
                    row += by_parent[v] * codes[i, u] if u >= 0 else 0
                    if x < 0:
                        total += _log_sum(table, row, messages, first[v], size[v])
                    elif by_class[v] > 0 or v == target:
                        total += table[row + x]
                    continue
                told[u] = True
                for j in range(size[u]):
                    if x >= 0:
                        messages[first[u] + j] += table[row + x]
                    else:
                        messages[first[u] + j] += _log_sum(
                            table, row, messages, first[v], size[v]
                        )
                    row += by_parent[v]
            out[i, c] += total


@kernel
def score_families(codes, columns, strides, ends, start, table, out):
    """Add the log probabilities of the families that have the class.

    Parameters
    ----------
    codes : int32 array of shape (n_rows, n_nodes)
        Complete in these columns.
    columns, strides : int arrays
        The nodes of family f beside the class are ``columns[ends[f] : ends[f + 1]]``;
        its cell of class c is ``table[start[f] + Σ codes strides + c]``.
    table : ndarray
    out : ndarray of shape (n_rows, n_classes)
    """
    for i in range(len(codes)):
        for f in range(len(start)):
            cell = start[f]
            for j in range(ends[f], ends[f + 1]):
                cell += codes[i, columns[j]] * strides[j]
            for c in range(out.shape[1]):
                out[i, c] += table[cell + c]
