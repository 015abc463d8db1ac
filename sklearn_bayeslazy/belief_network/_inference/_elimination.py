"""Exact inference by variable elimination: nodes are summed out one after another.

Rows in which the same nodes are observed are answered together. A row is a row of
codes, below 0 where a node is not observed.
"""

import math

import numpy as np

from ..._core._parallel import cache_sized_slices
from .._factors import log_sum, multiply, observe
from .._graph import ancestors, min_fill_order

# A larger factor raises an error.
MAX_FACTOR_CELLS = 2**24


def log_joint(network, codes):
    """Return the log probability of complete rows: the sum over the log tables."""
    total = np.zeros(len(codes))
    for node, (parents, table) in enumerate(zip(network.parents, network.tables)):
        with np.errstate(divide="ignore"):
            total += np.log(table[tuple(codes[:, [*parents, node]].T)])
    return total


def log_marginals(network, codes, query_nodes):
    """Return log P(query nodes, observed nodes) of each row."""
    # codes: (n_rows, n_nodes); query_nodes: distinct nodes, or none.
    # Returns (n_rows, *sizes of the query nodes): -inf for the other values of a query
    # node that is observed.
    query_nodes = list(query_nodes)
    query = set(query_nodes)
    out = np.full((len(codes), *(network.sizes[node] for node in query_nodes)), -np.inf)
    for rows, observed in observation_patterns(codes):
        relevant = ancestors(network.parents, observed | query)  # others sum to 1
        eliminated = relevant - observed - query
        order, n_cells = _plan(network, observed, relevant, eliminated)
        for some in cache_sized_slices(range(len(rows)), n_cells):
            block = rows[some]
            factors = _observed_factors(network, codes[block], observed, relevant)
            result = _eliminate(factors, order)
            _write(result, codes[block], query_nodes, observed, out, block)
    return out


def log_posteriors(joint):
    """Return log P(query | observed) from `log_marginals`; NaN for impossible rows."""
    axes = tuple(range(1, joint.ndim))
    total = np.expand_dims(log_sum(joint.reshape(len(joint), -1), axis=1), axes)
    with np.errstate(invalid="ignore"):
        return joint - total


def most_probable_explanation(network, codes):
    """Return rows with the jointly most probable values of the unobserved nodes."""
    # Ties go to the first value of the node that is eliminated last.
    # Returns the completed rows, (n_rows, n_nodes), and their log probabilities,
    # (n_rows,).
    completed, log_prob = np.array(codes), np.empty(len(codes))
    nodes = set(range(network.n_nodes))
    for rows, observed in observation_patterns(codes):
        order, n_cells = _plan(network, observed, nodes, nodes - observed)
        for some in cache_sized_slices(range(len(rows)), n_cells):
            block = rows[some]
            factors = _observed_factors(network, codes[block], observed, nodes)
            log_prob[block], products = _maximize(factors, order)
            for node, product in reversed(products):
                scores = _scores_of_values(product, completed[block], node)
                completed[block, node] = np.argmax(scores, axis=1)
    return completed, log_prob


def observation_patterns(codes):
    """Yield the rows that observe the same nodes, and the set of these nodes."""
    observed = np.asarray(codes) >= 0
    packed = np.packbits(observed, axis=1)
    keys = np.ascontiguousarray(packed).view(f"V{max(packed.shape[1], 1)}").ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse, minlength=len(first)))
    for pattern, rows in enumerate(np.split(order, ends[:-1])):
        if len(rows):
            yield rows, set(np.flatnonzero(observed[first[pattern]]).tolist())


def _plan(network, observed, relevant, eliminated):
    """Return the elimination order and the number of cells of the largest factor."""
    families = [
        [other for other in (*network.parents[node], node) if other not in observed]
        for node in relevant
    ]
    order, largest = min_fill_order(families, eliminated, network.sizes)
    remaining = {node for family in families for node in family} - eliminated
    largest = max(largest, math.prod(network.sizes[node] for node in remaining))
    if largest > MAX_FACTOR_CELLS:
        raise ValueError(
            f"Exact inference needs a factor of {largest:,} cells here, above the "
            f"limit of {MAX_FACTOR_CELLS:,}: observe more nodes, choose a structure "
            "with fewer parents (max_parents), or set inference='sampling', which "
            "supports all queries except most_probable_explanation."
        )
    return order, largest


def _observed_factors(network, codes, observed, nodes):
    factors = [network.factors[node] for node in sorted(nodes)]
    return [observe(factor, codes, observed) for factor in factors]


def _eliminate(factors, order):
    """Return the product of factors with the nodes in `order` summed out."""
    for node in order:
        product, factors = _split(factors, node)
        factors.append(product.without(node, log_sum))
    return multiply(factors)


def _maximize(factors, order):
    """Return the maximum of a product of factors, and the products it was found by."""
    # The maximum over all nodes: (n_rows or 1,), logarithms. The products: pairs of
    # each eliminated node and the product (a Factor) of the factors that contained it.
    products = []
    for node in order:
        product, factors = _split(factors, node)
        factors.append(product.without(node, np.max))
        products.append((node, product))
    return multiply(factors).logs, products


def _split(factors, node):
    """Return the product of the factors with a node, and the other factors."""
    product = multiply([factor for factor in factors if node in factor.nodes])
    return product, [factor for factor in factors if node not in factor.nodes]


def _write(result, codes, query_nodes, observed, out, rows):
    """Write a factor over the unobserved query nodes into the rows of out."""
    free = [node for node in query_nodes if node not in observed]
    axes = [1 + result.nodes.index(node) for node in free]
    logs = np.transpose(result.logs, [0, *axes])
    values = tuple(
        codes[:, node] if node in observed else slice(None) for node in query_nodes
    )
    out[(rows, *values)] = logs


def _scores_of_values(factor, codes, node):
    """Return a factor's logs for each value of a node, the others as in the row."""
    # codes: (n_rows, n_nodes). Returns (n_rows, K).
    logs = np.moveaxis(factor.logs, factor.nodes.index(node) + 1, -1)
    others = [other for other in factor.nodes if other != node]
    rows = np.arange(len(codes)) if len(logs) > 1 else np.zeros(len(codes), np.int64)
    return logs[(rows, *(codes[:, other] for other in others))]
