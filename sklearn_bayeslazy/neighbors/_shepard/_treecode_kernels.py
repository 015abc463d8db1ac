"""Numba kernels of the treecode: sum up nodes of a kd-tree, open those that need it.

A row of `rows` is (point, weight, targets); a row of `nodes` is (lower, upper, center,
radius, weight, third moment). What one visit reads lies side by side in memory.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import copy_numbers, inlined, kernel

# The queue sorts nodes by the binary exponent of their error, the largest first.
_N_BUCKETS = 96
# Deep enough for two children on each level of a tree of 2**63 leaves.
_STACK_SIZE = 128


class Expansion(NamedTuple):
    """The power of the distance, and constants of the error bound: `weighted_means`."""

    power: float
    a3: float
    theta: float
    max_ratio: float  # nodes are expanded whose (radius / distance)² is below it


class Queue(NamedTuple):
    """The nodes that are not opened yet, in buckets by the size of their errors."""

    # Entry s is node[s], measured as by `_measure`: weight[s], error[s] and square[s].

    # The arrays of entries have shape (n_nodes,).
    node: np.ndarray
    weight: np.ndarray
    error: np.ndarray
    square: np.ndarray
    after: np.ndarray  # the next entry of the same bucket, -1 for none
    bucket: np.ndarray  # (_N_BUCKETS,), the first entry of each bucket, -1 for none


class Sums(NamedTuple):
    """Sums over rows: of the weight, and of each target above its least value."""

    exact: np.ndarray  # (1 + n_targets,), of the rows of opened leaves
    total: np.ndarray  # (1 + n_targets,), of all rows


@inlined
def _center_and_radius(rows, i, first, stop, nodes, d):
    """Write the center of node i; return its weight and its radius."""
    weight = 0.0
    for j in range(first, stop):
        weight += rows[j, d]
        for k in range(d):
            gap = rows[j, k] - nodes[i, 2 * d + k]
            nodes[i, 2 * d + k] += gap * (rows[j, d] / weight)
    farthest = 0.0
    for j in range(first, stop):
        square = 0.0
        for k in range(d):
            square += (rows[j, k] - nodes[i, 2 * d + k]) ** 2
        farthest = max(farthest, square)
    return weight, math.sqrt(farthest)


@inlined
def _add_moments(moments, i, c, term, delta):
    """Add a row's term to the moments of node i and target c."""
    d = delta.shape[0]
    moments[i, c, 0] += term
    at = 1 + d
    for a in range(d):
        first = term * delta[a]
        moments[i, c, 1 + a] += first
        for b in range(a, d):
            moments[i, c, at] += first * delta[b]
            at += 1


@kernel
def summarise(rows, low, lower, upper, start, stop):
    """Return `nodes` and `moments` (see `Treecode`) of rows in the tree's order."""
    # rows: (n_rows, d + 1 + n_targets); low: (n_targets,); lower, upper: (n_nodes, d);
    # start, stop: (n_nodes,). Differences from the center are measured in radii, so
    # that none of their products overflows.
    n_nodes, d = lower.shape
    n_targets = low.shape[0]
    nodes = np.zeros((n_nodes, 3 * d + 3))
    moments = np.zeros((n_nodes, n_targets + 1, 1 + d + d * (d + 1) // 2))
    delta = np.empty(d)
    for i in range(n_nodes):
        weight, radius = _center_and_radius(rows, i, start[i], stop[i], nodes, d)
        third = 0.0
        for j in range(start[i], stop[i]):
            square = 0.0
            for k in range(d):
                gap = rows[j, k] - nodes[i, 2 * d + k]
                delta[k] = gap / radius if radius > 0 else 0.0
                square += delta[k] * delta[k]
            third += rows[j, d] * square * math.sqrt(square)
            for c in range(n_targets + 1):
                term = rows[j, d]
                if c > 0:
                    term *= rows[j, d + c] - low[c - 1]
                _add_moments(moments, i, c, term, delta)
        for k in range(d):
            nodes[i, k] = lower[i, k]
            nodes[i, d + k] = upper[i, k]
        nodes[i, 3 * d] = radius
        nodes[i, 3 * d + 1] = weight
        nodes[i, 3 * d + 2] = third
    return nodes, moments


@inlined
def _raised(x, exponent):
    """Return x ** exponent, without `pow` for the usual exponents."""
    if exponent == 1.0:
        return x
    if exponent == 2.0:
        return x * x
    if exponent == 0.5:
        return math.sqrt(x)
    if exponent == 1.5:
        return x * math.sqrt(x)
    return x**exponent


@inlined
def _square_to_box(nodes, i, queries, q):
    """Return the squared distance of query q from the box of node i."""
    d = queries.shape[1]
    square = 0.0
    for k in range(d):
        x = queries[q, k]
        gap = max(nodes[i, k] - x, x - nodes[i, d + k], 0.0)
        square += gap * gap
    return square


@inlined
def _square_to_point(array, i, first, queries, q):
    """Return the squared distance of query q from array[i, first:]."""
    square = 0.0
    for k in range(queries.shape[1]):
        gap = queries[q, k] - array[i, first + k]
        square += gap * gap
    return square


@inlined
def _nearest_square(rows, nodes, leaf_start, queries, q, stack):
    """Return the squared distance of the nearest row, and the boxes and rows read."""
    first_leaf = leaf_start.shape[0] - 2
    work = 0
    nearest = np.inf
    stack[0] = 0
    size = 1
    while size > 0:
        size -= 1
        i = stack[size]
        if _square_to_box(nodes, i, queries, q) >= nearest:
            continue
        while i < first_leaf:
            work += 2
            left = _square_to_box(nodes, 2 * i + 1, queries, q)
            right = _square_to_box(nodes, 2 * i + 2, queries, q)
            i = 2 * i + 1
            other = i + 1
            if right < left:
                i, other = other, i
            if max(left, right) < nearest:
                stack[size] = other
                size += 1
        for j in range(leaf_start[i - first_leaf], leaf_start[i - first_leaf + 1]):
            work += 1
            nearest = min(nearest, _square_to_point(rows, j, 0, queries, q))
    return nearest, work


@inlined
def _mean_of_hits(rows, nodes, leaf_start, queries, q, stack, out):
    """Set out[q] to the weighted mean of the rows at distance 0."""
    first_leaf = leaf_start.shape[0] - 2
    d = queries.shape[1]
    work = 0
    weight = 0.0
    stack[0] = 0
    size = 1
    while size > 0:
        size -= 1
        i = stack[size]
        work += 1
        if _square_to_box(nodes, i, queries, q) > 0:
            continue
        if i < first_leaf:
            stack[size] = 2 * i + 1
            stack[size + 1] = 2 * i + 2
            size += 2
            continue
        for j in range(leaf_start[i - first_leaf], leaf_start[i - first_leaf + 1]):
            work += 1
            if _square_to_point(rows, j, 0, queries, q) == 0:
                weight += rows[j, d]
                for c in range(out.shape[1]):
                    gap = rows[j, d + 1 + c] - out[q, c]
                    out[q, c] += gap * (rows[j, d] / weight)
    return work


@inlined
def _measure(nodes, i, nearest, queries, q, power, a3, theta, max_ratio):
    """Return how node i enters the sum: w, the bound of its error, the distance²."""
    # w is the weight of a row at its center, where the nearest row has weight 1. A
    # distance of 0 marks a node that is not expanded: all its rows have weight w.
    d = queries.shape[1]
    square = _square_to_point(nodes, i, 2 * d, queries, q)
    w = 1.0
    if square > nearest:
        w = _raised(nearest / square, power / 2)
    radius_square = nodes[i, 3 * d] ** 2
    if radius_square < max_ratio * square:
        u = math.sqrt(radius_square / square)
        bound = w * nodes[i, 3 * d + 2] * a3 * u**3 / (1 - theta * u)
    else:
        square = 0.0
        bound = nodes[i, 3 * d + 1]
        box = _square_to_box(nodes, i, queries, q)
        if box > nearest:
            bound *= _raised(nearest / box, power / 2)
    return w, bound, square


@inlined
def _expand(nodes, i, w, square, queries, q, power, term):
    """Set `term` to the factor of each moment of node i; return their number."""
    d = queries.shape[1]
    term[0] = w
    if square == 0:
        return 1
    slope = power * w
    ratio = nodes[i, 3 * d] / square
    trace = slope * nodes[i, 3 * d] * ratio
    at = 1 + d
    for a in range(d):
        x = (queries[q, a] - nodes[i, 2 * d + a]) * ratio
        bend = (power + 2) * slope * x
        term[1 + a] = slope * x
        term[at] = (bend * x - trace) / 2
        at += 1
        for b in range(a + 1, d):
            term[at] = bend * (queries[q, b] - nodes[i, 2 * d + b]) * ratio
            at += 1
    return at


@inlined
def _enqueue(queue, s, i, w, bound, square, max_exponent):
    """Put node i into the queue as entry s; return its bucket."""
    node, weight, error, squares, after, bucket = queue
    b = _N_BUCKETS - 1
    if bound > 0:
        b = min(max(max_exponent - math.frexp(bound)[1], 0), b)
    node[s], weight[s], error[s], squares[s] = i, w, bound, square
    after[s], bucket[b] = bucket[b], s
    return b


@inlined
def _sum_queue(queue, first, nodes, moments, queries, q, power, term, sums):
    """Set the total to the exact sums and those of the queue; return its errors."""
    node, weight, error, square, after, bucket = queue
    exact, total = sums
    error_sum = 0.0
    copy_numbers(exact, total)
    for b in range(first, _N_BUCKETS):
        s = bucket[b]
        while s >= 0:
            error_sum += error[s]
            i = node[s]
            n_used = _expand(nodes, i, weight[s], square[s], queries, q, power, term)
            for c in range(total.shape[0]):
                part = 0.0
                for k in range(n_used):
                    part += term[k] * moments[i, c, k]
                total[c] += part
            s = after[s]
    return error_sum


@inlined
def _sum_leaf(rows, low, first, stop, nearest, queries, q, power, exact, weight_sum):
    """Add the rows of a leaf to the exact sums; return weight_sum plus their weight."""
    d = queries.shape[1]
    for j in range(first, stop):
        square = _square_to_point(rows, j, 0, queries, q)
        w = _raised(nearest / square, power / 2)
        w *= rows[j, d]
        weight_sum += w
        exact[0] += w
        for c in range(1, exact.shape[0]):
            exact[c] += w * (rows[j, d + c] - low[c - 1])
    return weight_sum


@inlined
def _sum_nodes(arrays, queries, q, nearest, expansion, tol, queue, term, sums):
    """Set the total over all rows, by opening nodes until the error is small enough."""
    # Returned are the numbers of nodes measured and of rows summed.
    rows, low, nodes, moments, leaf_start = arrays
    power, a3, theta, max_ratio = expansion
    d = queries.shape[1]
    first_leaf = leaf_start.shape[0] - 2
    max_exponent = math.frexp(nodes[0, 3 * d + 1])[1]
    queue.bucket[:] = -1
    sums.exact[:] = 0.0
    n_measured, n_waiting, n_rows, first = 0, 0, 0, _N_BUCKETS
    error_sum, weight_sum = 0.0, 0.0
    i, last = 0, 0  # the nodes to measure
    while True:
        while i <= last:
            w, bound, square = _measure(
                nodes, i, nearest, queries, q, power, a3, theta, max_ratio
            )
            error_sum += bound
            weight_sum += w * nodes[i, 3 * d + 1]
            b = _enqueue(queue, n_measured, i, w, bound, square, max_exponent)
            first = min(first, b)
            n_measured += 1
            n_waiting += 1
            i += 1
        if n_waiting == 0 or error_sum <= tol * weight_sum:
            # Sums after additions and subtractions are inexact: begin anew.
            error_sum = _sum_queue(
                queue, first, nodes, moments, queries, q, power, term, sums
            )
            weight_sum = sums.total[0]
            if error_sum <= tol * weight_sum:
                break
        while queue.bucket[first] < 0:
            first += 1
        s = queue.bucket[first]
        queue.bucket[first] = queue.after[s]
        n_waiting -= 1
        i = queue.node[s]
        error_sum -= queue.error[s]
        weight_sum -= queue.weight[s] * nodes[i, 3 * d + 1]
        if i < first_leaf:
            i = 2 * i + 1
            last = i + 1
            continue
        start, stop = leaf_start[i - first_leaf], leaf_start[i - first_leaf + 1]
        i = last + 1
        n_rows += stop - start
        weight_sum = _sum_leaf(
            rows, low, start, stop, nearest, queries, q, power, sums.exact, weight_sum
        )
    return n_measured, n_rows


@kernel
def means(arrays, queries, order, power, tol, out, work):
    """Set `out` (m, V), zeros before, and `work` (m,), query after query in `order`."""
    rows, low, nodes, moments, leaf_start = arrays
    n_nodes, n_sums, n_terms = moments.shape
    theta = max(1.0, (power + 3) / 4)
    expansion = Expansion(
        power, power * (power + 1) * (power + 2) / 6, theta, (0.8 / theta) ** 2
    )
    stack = np.empty(_STACK_SIZE, dtype=np.int64)
    term = np.empty(n_terms)
    sums = Sums(np.empty(n_sums), np.empty(n_sums))
    queue = Queue(
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes),
        np.empty(n_nodes),
        np.empty(n_nodes),
        np.empty(n_nodes, dtype=np.int64),
        np.empty(_N_BUCKETS, dtype=np.int64),
    )
    for q in order:
        nearest, work[q] = _nearest_square(rows, nodes, leaf_start, queries, q, stack)
        if nearest == 0:
            work[q] += _mean_of_hits(rows, nodes, leaf_start, queries, q, stack, out)
            continue
        if not nearest < np.inf:  # distances overflow: all rows have the same weight
            for c in range(1, n_sums):
                out[q, c - 1] = low[c - 1] + moments[0, c, 0] / moments[0, 0, 0]
            continue
        n_measured, n_rows = _sum_nodes(
            arrays, queries, q, nearest, expansion, tol, queue, term, sums
        )
        work[q] += n_measured + n_rows
        for c in range(1, n_sums):
            out[q, c - 1] = low[c - 1] + sums.total[c] / sums.total[0]
