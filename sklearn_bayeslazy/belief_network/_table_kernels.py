"""Numba kernels that score the classes of a row by tables estimated without the row."""

from typing import NamedTuple

import numpy as np

from .._core._kernel import inlined, kernel

# A smaller share of a sum of weights is rounding error of a subtraction.
ROUNDING = 1e-12
# Products are rescaled after this number of probabilities, so that they stay above 0.
FAMILIES_PER_SCALING = 4


class Families(NamedTuple):
    """The counts of the families of all nodes, at up to three levels."""

    # The levels are those of `level_weights`: the counts of the node, of the node and
    # the class, and of the whole family. At level l, the distribution of node v given
    # class c and combination o of the values of the other parents has the number
    # d = class_strides[v, l] c + other_strides[v, l] o.
    # Its counts are ``counts[starts[v, l] + d sizes[v] + k]`` for the values k of the
    # node, and their sum is ``totals[total_starts[v, l] + d]``.

    target: int  # the node of the class
    sizes: np.ndarray  # (n_nodes,), the number of values of each node
    # The parents of node v without the class are ``others[ends[v] : ends[v + 1]]``, and
    # o = Σ codes strides.
    others: np.ndarray
    strides: np.ndarray
    ends: np.ndarray
    with_class: np.ndarray  # the nodes whose family contains the class
    # (n_nodes, 3) each.
    starts: np.ndarray
    total_starts: np.ndarray
    class_strides: np.ndarray
    other_strides: np.ndarray
    counts: np.ndarray
    totals: np.ndarray


@inlined
def _without_row(count, total, in_cell, in_total):
    """Return a count and its total without a row; rounding errors become 0."""
    left = total - in_total
    if left <= ROUNDING * total:
        return 0.0, 0.0
    seen = count - in_cell
    return (seen if seen > ROUNDING * count else 0.0), left


@inlined
def _m_estimate(seen, left, m, p):
    """Return the m-estimate; m < 0 means a level that is not used."""
    return (seen + m * p) / (left + m) if m >= 0 and left + m > 0 else p


@inlined
def _combination(codes, families, v):
    """Return the combination of the other parents' values, -1 if one is missing."""
    o = 0
    for j in range(families.ends[v], families.ends[v + 1]):
        code = codes[families.others[j]]
        if code < 0:
            return -1
        o += code * families.strides[j]
    return o


@kernel
def score_observed_families(codes, removed, families, virtual, out):
    """Score the classes of rows by the families with the class, without the row."""
    # A family with a missing value, apart from the class, is skipped for that row.
    # codes: (n_rows, n_nodes), with the classes of the rows; removed: (n_rows,), the
    # weight that is removed for each row; virtual: (n_nodes, 3, n_candidates), the
    # virtual examples of each candidate at each level.
    # out: (n_candidates, n_rows, n_classes), receives the joint log probabilities, up
    # to a constant for each row and candidate.
    n_candidates, n_classes = out.shape[0], out.shape[2]
    product = np.empty((n_classes, n_candidates))
    seen, left = np.empty(3), np.empty(3)
    for i in range(len(codes)):
        y = codes[i, families.target]
        product[:] = 1.0
        for f in range(len(families.with_class)):
            v = families.with_class[f]
            size, x = families.sizes[v], codes[i, v]
            o = _combination(codes[i], families, v)
            if o < 0 or x < 0:
                continue
            for c in range(n_classes):
                k = x if v != families.target else c
                for level in range(3):
                    d = families.class_strides[v, level] * c
                    is_same = d == families.class_strides[v, level] * y
                    d += families.other_strides[v, level] * o
                    seen[level], left[level] = _without_row(
                        families.counts[families.starts[v, level] + d * size + k],
                        families.totals[families.total_starts[v, level] + d],
                        removed[i] if is_same and k == x else 0.0,
                        removed[i] if is_same else 0.0,
                    )
                for a in range(n_candidates):
                    p = 1.0 / size
                    for level in range(3):
                        m = virtual[v, level, a]
                        p = _m_estimate(seen[level], left[level], m, p)
                    product[c, a] *= p
            if f % FAMILIES_PER_SCALING == FAMILIES_PER_SCALING - 1:
                _scale(product)
        for a in range(n_candidates):
            for c in range(n_classes):
                out[a, i, c] = np.log(product[c, a])


@inlined
def _scale(product):
    """Divide each column by its largest entry, unless that is 0."""
    for a in range(product.shape[1]):
        largest = 0.0
        for c in range(product.shape[0]):
            largest = max(largest, product[c, a])
        if largest > 0:
            for c in range(product.shape[0]):
                product[c, a] /= largest


class TreeRow(NamedTuple):
    """A row, as the messages of `add_missing_in_trees` need it."""

    codes: np.ndarray  # (n_nodes,), with the class
    removed: float  # the weight that is removed
    virtual: np.ndarray  # (n_nodes, 3), the virtual examples of one candidate


@inlined
def _log_probability(families, row, v, c, o, own_o, k):
    """Return ln P(node v = k | class c, other parents o), estimated without a row."""
    # `own_o` is the combination of the other parents in the row, -1 if one is missing.
    y, x = row.codes[families.target], row.codes[v]
    size = families.sizes[v]
    p = 1.0 / size
    for level in range(3):
        class_stride = families.class_strides[v, level]
        other_stride = families.other_strides[v, level]
        # The row counts in P(node) if it observes the node, else if it observes all.
        is_same = x >= 0 and (level == 0 or own_o >= 0)
        is_same = is_same and class_stride * c == class_stride * y
        is_same = is_same and other_stride * o == other_stride * own_o
        d = class_stride * c + other_stride * o
        seen, left = _without_row(
            families.counts[families.starts[v, level] + d * size + k],
            families.totals[families.total_starts[v, level] + d],
            row.removed if is_same and k == x else 0.0,
            row.removed if is_same else 0.0,
        )
        p = _m_estimate(seen, left, row.virtual[v, level], p)
    return np.log(p)


@inlined
def _sent(families, row, v, c, o, own_o, below):
    """Return ln P(what is observed at node v and below | class c, other parents o)."""
    # `below` holds, for each value of v, the log probability of what is observed below.
    observed = row.codes[v] if v != families.target else c
    if observed >= 0:
        return _log_probability(families, row, v, c, o, own_o, observed)
    largest = -np.inf
    logs = np.empty(families.sizes[v])
    for k in range(families.sizes[v]):
        logs[k] = below[k] + _log_probability(families, row, v, c, o, own_o, k)
        largest = max(largest, logs[k])
    if largest == -np.inf:
        return largest
    return largest + np.log(np.sum(np.exp(logs - largest)))


@kernel
def add_missing_in_trees(codes, removed, families, order, virtual, out):
    """Add the terms with missing values, if the nodes are trees given the class."""
    # `score_observed_families` leaves these terms out. Missing values are summed over
    # by messages from children to parents, as in `score_trees`; each table is estimated
    # without the row.
    # codes, removed, families, out: as in `score_observed_families`. order: nodes,
    # children before parents. virtual: (n_candidates, n_nodes, 3).
    messages = np.empty((len(families.sizes), families.sizes.max()))
    has_message = np.empty(len(messages), np.bool_)
    for i in range(len(codes)):
        for a in range(out.shape[0]):
            row = TreeRow(codes[i], removed[i], virtual[a])
            for c in range(out.shape[2]):
                has_message[:] = False
                messages[:] = 0.0
                for v in order:
                    is_observed = codes[i, v] >= 0
                    if not is_observed and not has_message[v]:
                        continue  # nothing is observed here or below: the sum is 1
                    own_o = _combination(codes[i], families, v)
                    if own_o < 0:
                        u = families.others[families.ends[v]]
                        has_message[u] = True
                        for o in range(families.sizes[u]):
                            sent = _sent(families, row, v, c, o, own_o, messages[v])
                            messages[u, o] += sent
                    elif not is_observed:
                        sent = _sent(families, row, v, c, own_o, own_o, messages[v])
                        out[a, i, c] += sent
