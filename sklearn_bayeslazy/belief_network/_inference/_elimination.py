"""Exact inference: nodes are summed out one after another (variable elimination).

Rows in which the same nodes are observed are answered together. A row is a row of
codes, a number below 0 where a node is not observed.
"""

import math

import numpy as np

from .._factors import Factor, log_sum, multiply, observe
from .._graph import ancestors, min_fill_order

# Factors of more cells are refused.
MOST_CELLS = 2**24
# Rows are answered so many cells at a time.
_CELLS = 2**20


def log_joint(network, codes):
    """Return the log probability of complete rows, by the product of the tables."""
    total = np.zeros(len(codes))
    for node, (parents, table) in enumerate(zip(network.parents, network.tables)):
        with np.errstate(divide="ignore"):
            total += np.log(table[tuple(codes[:, [*parents, node]].T)])
    return total


def log_marginals(network, codes, wanted):
    """Return log P(wanted nodes, observed nodes) of each row.

    Parameters
    ----------
    network : Network
    codes : int array of shape (n_rows, n_nodes)
    wanted : sequence of int
        Distinct nodes; none for the probability of what is observed.

    Returns
    -------
    ndarray of shape (n_rows, *sizes of the wanted nodes)
        A wanted node that is observed has its own value alone.
    """
    wanted = list(wanted)
    out = np.full((len(codes), *(network.sizes[node] for node in wanted)), -np.inf)
    for rows, observed in patterns(codes):
        kept = ancestors(network.parents, observed | set(wanted))  # others sum to one
        removed = kept - observed - set(wanted)
        order, step = _plan(network, observed, kept, removed)
        for some in _pieces(rows, step):
            factors = _observe_all(network, codes[some], observed, kept)
            found = _eliminate(factors, order, Factor.sum_out)
            _place(found, codes[some], wanted, observed, out, some)
    return out


def log_shares(joint):
    """Return log P(wanted | observed) from `log_marginals`; NaN in impossible rows."""
    axes = tuple(range(1, joint.ndim))
    total = np.expand_dims(log_sum(joint.reshape(len(joint), -1), axis=1), axes)
    with np.errstate(invalid="ignore"):
        return joint - total


def most_probable(network, codes):
    """Return rows with the likeliest values of what is not observed, all together.

    Ties go to the first value of the node decided last.

    Returns
    -------
    completed : int array of shape (n_rows, n_nodes)
    log_prob : ndarray of shape (n_rows,)
        Log P(row as completed).
    """
    completed, best = np.array(codes), np.empty(len(codes))
    nodes = set(range(network.n_nodes))
    for rows, observed in patterns(codes):
        order, step = _plan(network, observed, nodes, nodes - observed)
        for some in _pieces(rows, step):
            factors, trace = _observe_all(network, codes[some], observed, nodes), []
            best[some] = _eliminate(factors, order, Factor.max_out, trace).logs
            for node, product in reversed(trace):
                likely = _over_one(product, completed[some], node)
                completed[some, node] = np.argmax(likely, axis=1)
    return completed, best


def patterns(codes):
    """Yield the rows in which the same nodes are observed, and which these are."""
    observed = np.asarray(codes) >= 0
    packed = np.packbits(observed, axis=1)
    keys = np.ascontiguousarray(packed).view(f"V{max(packed.shape[1], 1)}").ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse, minlength=len(first)))
    for pattern, rows in enumerate(np.split(order, ends[:-1])):
        if len(rows):
            yield rows, set(np.flatnonzero(observed[first[pattern]]).tolist())


def _plan(network, observed, kept, removed):
    """Return the order in which nodes go, and how many rows may be asked at once."""
    families = [
        [node for node in (*network.parents[some], some) if node not in observed]
        for some in kept
    ]
    order, largest = min_fill_order(families, removed, network.sizes)
    left = {node for family in families for node in family} - removed
    largest = max(largest, math.prod(network.sizes[node] for node in left))
    if largest > MOST_CELLS:
        raise ValueError(
            f"Exact inference takes a factor of {largest:,} cells here, above the "
            f"limit of {MOST_CELLS:,}: observe more nodes, choose a structure with "
            "fewer parents (max_parents), or set inference='sampling', which answers "
            "all but most_probable_explanation."
        )
    return order, max(_CELLS // largest, 1)


def _pieces(rows, step):
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def _observe_all(network, codes, observed, kept):
    factors = [network.factors[node] for node in sorted(kept)]
    return [observe(factor, codes, observed) for factor in factors]


def _eliminate(factors, order, reduce, trace=None):
    """Return what is left of a product of factors without some nodes.

    trace takes each node that goes, and the product of the factors that have it.
    """
    for node in order:
        product = multiply([factor for factor in factors if node in factor.nodes])
        factors = [factor for factor in factors if node not in factor.nodes]
        factors.append(reduce(product, node))
        if trace is not None:
            trace.append((node, product))
    return multiply(factors)


def _place(found, codes, wanted, observed, out, rows):
    """Write a factor over the wanted nodes that are free into the rows of out."""
    axes = [1 + found.nodes.index(node) for node in wanted if node not in observed]
    logs = np.transpose(found.logs, [0, *axes])
    fixed = tuple(
        codes[:, node] if node in observed else slice(None) for node in wanted
    )
    out[(rows, *fixed)] = logs


def _over_one(factor, codes, node):
    """Return a factor as (n_rows, K) over one node, the others at the rows' values."""
    logs = np.moveaxis(factor.logs, factor.nodes.index(node) + 1, -1)
    others = [other for other in factor.nodes if other != node]
    rows = np.arange(len(codes)) if len(logs) > 1 else np.zeros(len(codes), np.int64)
    return logs[(rows, *(codes[:, other] for other in others))]
