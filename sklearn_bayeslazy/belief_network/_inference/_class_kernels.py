"""Numba kernels that compute the joint log probability of each class and a row."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel


class ClassTrees(NamedTuple):
    """A network that consists of trees given the class."""

    order: np.ndarray  # nodes, children before parents
    parent: np.ndarray  # (n_nodes,), each node's one parent besides the class, or -1
    # (n_nodes,) each. ``log_table[offset + class_stride c + parent_stride j + k]`` is
    # the log probability of value k of a node, given class c and value j of the parent.
    # The class stride is 0 where the class is not a parent.
    class_strides: np.ndarray
    parent_strides: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray  # (n_nodes,), the number of values of each node
    log_table: np.ndarray  # the log tables of all nodes, end to end


class ClassFamilies(NamedTuple):
    """The families that contain the class."""

    # The other nodes of family f are ``nodes[ends[f] : ends[f + 1]]``. Its cell of
    # class c is ``log_table[offsets[f] + Σ codes strides + c]``.
    nodes: np.ndarray
    strides: np.ndarray
    ends: np.ndarray
    offsets: np.ndarray
    # The log tables of these families, end to end, the class as the last axis.
    log_table: np.ndarray


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
def score_trees(codes, trees, target, out):
    """Add the log joint probability of each class and a row, up to a constant."""
    # A node sends its parent a message, the log probability of what is observed below
    # it: one number if the parent is observed, else one for each of the parent's
    # values. Terms that do not depend on the class are left out.
    # codes: (n_rows, n_nodes), below 0 where a value is missing; the class of a row
    # does not matter. target: the node of the class. out: (n_rows, n_classes).
    order, parent, class_strides, parent_strides, offsets, sizes, log_table = trees
    n_nodes = len(parent)
    first = np.zeros(n_nodes + 1, np.int64)  # where each node's messages start
    for v in range(n_nodes):
        first[v + 1] = first[v] + sizes[v]
    messages, has_message = np.empty(first[n_nodes]), np.empty(n_nodes, np.bool_)
    for i in range(len(codes)):
        for c in range(out.shape[1]):
            total = 0.0
            for v in order:
                has_message[v] = False
                if codes[i, v] < 0:
                    for k in range(first[v], first[v + 1]):
                        messages[k] = 0.0
            for v in order:
                x, u = codes[i, v] if v != target else c, parent[v]
                if x < 0 and not has_message[v]:
                    continue  # nothing is observed here or below: the sum is 1
                row = offsets[v] + class_strides[v] * c
                if u < 0 or codes[i, u] >= 0:
                    row += parent_strides[v] * codes[i, u] if u >= 0 else 0
                    if x < 0:
                        total += _log_sum(log_table, row, messages, first[v], sizes[v])
                    elif class_strides[v] > 0 or v == target:
                        total += log_table[row + x]
                    continue
                has_message[u] = True
                for j in range(sizes[u]):
                    if x >= 0:
                        messages[first[u] + j] += log_table[row + x]
                    else:
                        messages[first[u] + j] += _log_sum(
                            log_table, row, messages, first[v], sizes[v]
                        )
                    row += parent_strides[v]
            out[i, c] += total


@kernel
def score_families(codes, families, out):
    """Add the log probabilities of the families that contain the class."""
    # codes: (n_rows, n_nodes), complete in the nodes of these families but for the
    # class; out: (n_rows, n_classes).
    nodes, strides, ends, offsets, log_table = families
    for i in range(len(codes)):
        for f in range(len(offsets)):
            cell = offsets[f]
            for j in range(ends[f], ends[f + 1]):
                cell += codes[i, nodes[j]] * strides[j]
            for c in range(out.shape[1]):
                out[i, c] += log_table[cell + c]
