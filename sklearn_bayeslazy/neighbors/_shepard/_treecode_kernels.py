"""Loops of the tree code: sum up the nodes of a kd-tree, open those that must be.

A row of `rows` is (point, weight, targets); a row of `nodes` is (lower, upper, centre,
radius, mass, third moment): what one visit reads lies side by side.
"""

import math

import numpy as np

from ..._kernel import inlined, kernel

# Nodes wait sorted by the binary exponent of their error, the largest first.
_N_BUCKETS = 96


@kernel
def summarise(rows, low, lower, upper, start, stop):
    """Return `nodes` and `moments` (see `TreeCode`) of rows in the order of the tree.

    Differences from the centre are measured in radii, so that none of their products
    overflows.
    """
    n_nodes, d = lower.shape
    n_targets = low.shape[0]
    nodes = np.zeros((n_nodes, 3 * d + 3))
    moments = np.zeros((n_nodes, n_targets + 1, 1 + d + d * (d + 1) // 2))
    delta = np.empty(d)
    for i in range(n_nodes):
        mass = 0.0
        for j in range(start[i], stop[i]):
            mass += rows[j, d]
            for k in range(d):
                gap = rows[j, k] - nodes[i, 2 * d + k]
                nodes[i, 2 * d + k] += gap * (rows[j, d] / mass)
        farthest = 0.0
        for j in range(start[i], stop[i]):
            square = 0.0
            for k in range(d):
                square += (rows[j, k] - nodes[i, 2 * d + k]) ** 2
            farthest = max(farthest, square)
        radius = math.sqrt(farthest)
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
                moments[i, c, 0] += term
                at = 1 + d
                for a in range(d):
                    first = term * delta[a]
                    moments[i, c, 1 + a] += first
                    for b in range(a, d):
                        moments[i, c, at] += first * delta[b]
                        at += 1
        for k in range(d):
            nodes[i, k] = lower[i, k]
            nodes[i, d + k] = upper[i, k]
        nodes[i, 3 * d] = radius
        nodes[i, 3 * d + 1] = mass
        nodes[i, 3 * d + 2] = third
    return nodes, moments


@inlined
def raised(x, exponent):
    """Return x ** exponent, the short way for the powers that are asked for most."""
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
def to_box(nodes, i, queries, q):
    """Return the squared distance of query q from the box of node i."""
    d = queries.shape[1]
    square = 0.0
    for k in range(d):
        x = queries[q, k]
        gap = max(nodes[i, k] - x, x - nodes[i, d + k], 0.0)
        square += gap * gap
    return square


@inlined
def apart(array, i, first, queries, q):
    """Return the squared distance of query q from array[i, first:]."""
    square = 0.0
    for k in range(queries.shape[1]):
        gap = queries[q, k] - array[i, first + k]
        square += gap * gap
    return square


@inlined
def nearest_square(rows, nodes, leaf_start, queries, q, stack):
    """Return the squared distance of the nearest row, and how much was looked at."""
    first_leaf = leaf_start.shape[0] - 2
    work = 0
    nearest = np.inf
    stack[0] = 0
    size = 1
    while size > 0:
        size -= 1
        i = stack[size]
        if to_box(nodes, i, queries, q) >= nearest:
            continue
        while i < first_leaf:
            work += 2
            left = to_box(nodes, 2 * i + 1, queries, q)
            right = to_box(nodes, 2 * i + 2, queries, q)
            i = 2 * i + 1
            other = i + 1
            if right < left:
                i, other = other, i
            if max(left, right) < nearest:
                stack[size] = other
                size += 1
        for j in range(leaf_start[i - first_leaf], leaf_start[i - first_leaf + 1]):
            work += 1
            nearest = min(nearest, apart(rows, j, 0, queries, q))
    return nearest, work


@inlined
def mean_of_hits(rows, nodes, leaf_start, queries, q, stack, out):
    """Set out[q] to the weighted mean of the rows at distance 0."""
    first_leaf = leaf_start.shape[0] - 2
    d = queries.shape[1]
    work = 0
    mass = 0.0
    stack[0] = 0
    size = 1
    while size > 0:
        size -= 1
        i = stack[size]
        work += 1
        if to_box(nodes, i, queries, q) > 0:
            continue
        if i < first_leaf:
            stack[size] = 2 * i + 1
            stack[size + 1] = 2 * i + 2
            size += 2
            continue
        for j in range(leaf_start[i - first_leaf], leaf_start[i - first_leaf + 1]):
            work += 1
            if apart(rows, j, 0, queries, q) == 0:
                mass += rows[j, d]
                for c in range(out.shape[1]):
                    gap = rows[j, d + 1 + c] - out[q, c]
                    out[q, c] += gap * (rows[j, d] / mass)
    return work


@inlined
def measured(nodes, i, nearest, queries, q, power, a3, theta, widest):
    """Return how node i enters the sum: w, the bound of its error, the distance².

    w is the weight of a row at its centre, the nearest row's being 1; a distance of 0
    says that the node is not expanded: all its rows weigh w.
    """
    d = queries.shape[1]
    square = apart(nodes, i, 2 * d, queries, q)
    w = 1.0
    if square > nearest:
        w = raised(nearest / square, power / 2)
    wide = nodes[i, 3 * d] ** 2
    if wide < widest * square:
        u = math.sqrt(wide / square)
        bound = w * nodes[i, 3 * d + 2] * a3 * u**3 / (1 - theta * u)
    else:
        square = 0.0
        bound = nodes[i, 3 * d + 1]
        box = to_box(nodes, i, queries, q)
        if box > nearest:
            bound *= raised(nearest / box, power / 2)
    return w, bound, square


@inlined
def expanded(nodes, i, w, square, queries, q, power, term):
    """Set `term` to what each moment of node i counts; return how many count."""
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


@kernel
def means(rows, low, nodes, moments, leaf_start, queries, order, power, tol, out, work):
    """Set `out` (m, V), zeros before, and `work` (m,), query after query in `order`."""
    n_nodes, n_sums, n_terms = moments.shape
    d = queries.shape[1]
    first_leaf = leaf_start.shape[0] - 2
    # See `weighted_means`. No node is expanded from (radius / distance)² = widest on.
    a3 = power * (power + 1) * (power + 2) / 6
    theta = max(1.0, (power + 3) / 4)
    widest = (0.8 / theta) ** 2
    largest = math.frexp(nodes[0, 3 * d + 1])[1]
    stack = np.empty(128, dtype=np.int64)
    term = np.empty(n_terms)
    exact = np.empty(n_sums)  # of the rows of opened leaves: the mass, the targets
    total = np.empty(n_sums)
    # The nodes that wait, as `measured` has them, and the next of the same bucket.
    waiting = np.empty(n_nodes, dtype=np.int64)
    weight, error, distance = np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes)
    after = np.empty(n_nodes, dtype=np.int64)
    bucket = np.empty(_N_BUCKETS, dtype=np.int64)
    for q in order:
        nearest, work[q] = nearest_square(rows, nodes, leaf_start, queries, q, stack)
        if nearest == 0:
            work[q] += mean_of_hits(rows, nodes, leaf_start, queries, q, stack, out)
            continue
        if not nearest < np.inf:  # beyond all measure: all rows weigh the same
            for c in range(1, n_sums):
                out[q, c - 1] = low[c - 1] + moments[0, c, 0] / moments[0, 0, 0]
            continue
        bucket[:] = -1
        exact[:] = 0.0
        n_measured, n_waiting, first = 0, 0, _N_BUCKETS
        error_now, mass_now = 0.0, 0.0
        i, last = 0, 0  # the nodes to measure
        while True:
            while i <= last:
                w, bound, square = measured(
                    nodes, i, nearest, queries, q, power, a3, theta, widest
                )
                error_now += bound
                mass_now += w * nodes[i, 3 * d + 1]
                b = _N_BUCKETS - 1
                if bound > 0:
                    b = min(max(largest - math.frexp(bound)[1], 0), b)
                s = n_measured
                waiting[s], weight[s], error[s], distance[s] = i, w, bound, square
                after[s], bucket[b] = bucket[b], s
                first = min(first, b)
                n_measured += 1
                n_waiting += 1
                i += 1
            if n_waiting == 0 or error_now <= tol * mass_now:
                # Sums that were added to and taken from are not exact: begin anew.
                error_now = 0.0
                total[:] = exact
                for b in range(first, _N_BUCKETS):
                    s = bucket[b]
                    while s >= 0:
                        error_now += error[s]
                        i = waiting[s]
                        n_used = expanded(
                            nodes, i, weight[s], distance[s], queries, q, power, term
                        )
                        for c in range(n_sums):
                            part = 0.0
                            for k in range(n_used):
                                part += term[k] * moments[i, c, k]
                            total[c] += part
                        s = after[s]
                mass_now = total[0]
                if error_now <= tol * mass_now:
                    break
            while bucket[first] < 0:
                first += 1
            s = bucket[first]
            bucket[first] = after[s]
            n_waiting -= 1
            i = waiting[s]
            error_now -= error[s]
            mass_now -= weight[s] * nodes[i, 3 * d + 1]
            if i < first_leaf:
                i = 2 * i + 1
                last = i + 1
                continue
            leaf = i - first_leaf
            i = last + 1
            work[q] += leaf_start[leaf + 1] - leaf_start[leaf]
            for j in range(leaf_start[leaf], leaf_start[leaf + 1]):
                w = raised(nearest / apart(rows, j, 0, queries, q), power / 2)
                w *= rows[j, d]
                mass_now += w
                exact[0] += w
                for c in range(1, n_sums):
                    exact[c] += w * (rows[j, d + c] - low[c - 1])
        work[q] += n_measured
        for c in range(1, n_sums):
            out[q, c - 1] = low[c - 1] + total[c] / total[0]
