"""Numba kernels of Shepard's method: weighted votes of all rows, or of lists of rows.

Weights are relative to that of a near row, which is 1, so that no power of a distance
overflows. Over all rows the nearest one is not known beforehand: when a nearer one
comes, the sums so far shrink to its measure. (The loop for the usual weight, 1/d², does
so only where a row is so much nearer that its weight tells.)

A query's own row can be left out: `own` says which row it is (-1: none), and one copy
of it is taken away.
"""

import numpy as np

from ..._kernel import inlined, kernel
from .._search import SQUARED, TILE, block_distances, block_minimum, remaining_weight

# How a reduced distance becomes a weight.
POWER, COSINE, UNIFORM = range(3)
# Votes of a block beyond this mean a row much nearer than the reference.
_TELLING = 1e100


@inlined
def relative_power(t, exponent):
    """Return t ** exponent; a product where 2 exponent is a whole number."""
    if exponent == 1.0:
        return t
    whole = int(exponent)
    half = exponent - whole
    if whole > 64 or (half != 0.0 and half != 0.5):
        return t**exponent
    power = np.sqrt(t) if half != 0.0 else 1.0
    while whole > 0:
        if whole & 1:
            power *= t
        t *= t
        whole >>= 1
    return power


@inlined
def weigh(out, reference, kind, exponent):
    """Turn the reduced distances of a block into weights relative to the reference."""
    width = out.shape[0]
    if kind == UNIFORM:
        for r in range(width):
            out[r] = 1.0
    elif kind == COSINE:
        for r in range(width):
            t = 1.0 - out[r] / 2
            out[r] = t if t > 0.0 else 0.0
    elif reference == 0.0:
        for r in range(width):
            out[r] = 1.0 if out[r] == 0.0 else 0.0
    elif exponent == 1.0:
        for r in range(width):
            out[r] = reference / out[r]
    elif exponent == 0.5:
        for r in range(width):
            out[r] = np.sqrt(reference / out[r])
    elif exponent == 2.0:
        for r in range(width):
            t = reference / out[r]
            out[r] = t * t
    else:
        for r in range(width):
            out[r] = relative_power(reference / out[r], exponent)


@inlined
def rescale(sums, totals, references, q, least, exponent):
    """Make the sums so far relative to a nearer row."""
    if least == 0.0 or references[q] == np.inf:
        factor = 0.0
    else:
        factor = relative_power(least / references[q], exponent)
    for v in range(sums.shape[1]):
        sums[q, v] *= factor
    totals[q] *= factor
    references[q] = least


@inlined
def add_block(out, b, mass, block_class, targets, sums, totals, q):
    """Add the votes of a block, whose weights out holds."""
    total0 = total1 = total2 = total3 = 0.0
    for r in range(0, out.shape[0], 4):
        out[r] *= mass[b, r]
        out[r + 1] *= mass[b, r + 1]
        out[r + 2] *= mass[b, r + 2]
        out[r + 3] *= mass[b, r + 3]
        total0 += out[r]
        total1 += out[r + 1]
        total2 += out[r + 2]
        total3 += out[r + 3]
    total = (total0 + total1) + (total2 + total3)
    totals[q] += total
    if block_class[b] >= 0:
        sums[q, block_class[b]] += total
    else:
        for v in range(sums.shape[1]):
            sum0 = sum1 = sum2 = sum3 = 0.0
            for r in range(0, out.shape[0], 4):
                sum0 += out[r] * targets[b, v, r]
                sum1 += out[r + 1] * targets[b, v, r + 1]
                sum2 += out[r + 2] * targets[b, v, r + 2]
                sum3 += out[r + 3] * targets[b, v, r + 3]
            sums[q, v] += (sum0 + sum1) + (sum2 + sum3)


@inlined
def count_block(
    out,
    b,
    place,
    mass,
    block_class,
    targets,
    kind,
    exponent,
    sums,
    totals,
    references,
    q,
):
    """Add the votes of block b, whose reduced distances to a query out holds."""
    left = 1.0
    if place >= 0:
        left = 1.0 - min(1.0, mass[b, place]) / mass[b, place]
        if left == 0.0:
            out[place] = np.inf
    least = block_minimum(out) if kind == POWER else 0.0
    if least < np.inf:
        if kind == POWER and least < references[q]:
            rescale(sums, totals, references, q, least, exponent)
        weigh(out, references[q], kind, exponent)
        if place >= 0:
            out[place] *= left
        add_block(out, b, mass, block_class, targets, sums, totals, q)


@inlined
def sum_inverse_squares(cells, b, queries, q, reference, mass, targets, out):
    """Return the sum of a block's votes reference / d², and of votes times targets.

    One loop does all from the last columns on, so that nothing is stored between.
    """
    d, width = cells.shape[1], cells.shape[2]
    j = d - 8 if d >= 8 else (d - 4 if d >= 4 else d - 1)
    for r in range(width):
        out[r] = 0.0
    for i in range(j):
        x = queries[q, i]
        for r in range(width):
            t = cells[b, i, r] - x
            out[r] += t * t
    count, total = 0.0, 0.0
    if d >= 8:
        x0, x1, x2, x3 = (
            queries[q, j],
            queries[q, j + 1],
            queries[q, j + 2],
            queries[q, j + 3],
        )
        x4, x5, x6, x7 = (
            queries[q, j + 4],
            queries[q, j + 5],
            queries[q, j + 6],
            queries[q, j + 7],
        )
        for r in range(width):
            t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
            t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
            t4, t5 = cells[b, j + 4, r] - x4, cells[b, j + 5, r] - x5
            t6, t7 = cells[b, j + 6, r] - x6, cells[b, j + 7, r] - x7
            near = out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3
            near = near + t4 * t4 + t5 * t5 + t6 * t6 + t7 * t7
            vote = reference / near * mass[b, r]
            count += vote
            total += vote * targets[r]
    elif d >= 4:
        x0, x1, x2, x3 = (
            queries[q, j],
            queries[q, j + 1],
            queries[q, j + 2],
            queries[q, j + 3],
        )
        for r in range(width):
            t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
            t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
            near = out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3
            vote = reference / near * mass[b, r]
            count += vote
            total += vote * targets[r]
    else:
        x0 = queries[q, j]
        for r in range(width):
            t0 = cells[b, j, r] - x0
            vote = reference / (out[r] + t0 * t0) * mass[b, r]
            count += vote
            total += vote * targets[r]
    return count, total


@kernel(reorder_sums=True)
def sum_all_rows(
    cells,
    queries,
    own_block,
    own_place,
    mass,
    block_class,
    targets,
    metric,
    p,
    kind,
    exponent,
    sums,
    totals,
    references,
):
    """Add up the weighted votes of all rows for each query.

    mass (n_blocks, width) are the rows' masses, 0 where there is none. A block holds
    rows of one class, block_class, whose sum the votes go to; or block_class is -1,
    and the votes are for targets (n_blocks, n_targets, width). own_block and own_place
    say where a query's own row stands, -1 for nowhere.
    """
    m = queries.shape[0]
    out = np.empty(cells.shape[2])
    references[:] = np.inf
    n_targets = targets.shape[1]
    usual = metric == SQUARED and kind == POWER and exponent == 1.0 and n_targets <= 1
    for first in range(0, m, TILE):
        stop = min(first + TILE, m)
        for b in range(cells.shape[0]):
            for q in range(first, stop):
                place = own_place[q] if own_block[q] == b else -1
                if usual and place < 0 and 0.0 < references[q] < np.inf:
                    count, total = sum_inverse_squares(
                        cells,
                        b,
                        queries,
                        q,
                        references[q],
                        mass,
                        targets[b, 0] if n_targets else mass[b],
                        out,
                    )
                    if count < _TELLING:
                        totals[q] += count
                        if n_targets:
                            sums[q, 0] += total
                        else:
                            sums[q, block_class[b]] += count
                        continue
                block_distances(cells, b, queries, q, metric, p, out)
                count_block(
                    out,
                    b,
                    place,
                    mass,
                    block_class,
                    targets,
                    kind,
                    exponent,
                    sums,
                    totals,
                    references,
                    q,
                )


@kernel
def weigh_lists(reduced, counts, kind, exponent, weights):
    """Write the weights of listed rows; infinite ones are exact hits."""
    for q in range(reduced.shape[0]):
        nearest = reduced[q, 0] if counts[q] > 0 else np.inf
        for c in range(counts[q]):
            value = reduced[q, c]
            if kind == UNIFORM:
                weights[q, c] = 1.0
            elif kind == COSINE:
                weights[q, c] = max(1.0 - value / 2, 0.0)
            elif value == 0.0:
                weights[q, c] = np.inf
            elif value == np.inf:
                weights[q, c] = 0.0
            else:
                weights[q, c] = relative_power(nearest / value, exponent)


@kernel
def settle_weights(counts, weights):
    """Let exact hits alone count where there are any, and all where none counts."""
    for q in range(weights.shape[0]):
        hits = 0
        some = False
        for c in range(counts[q]):
            hits += weights[q, c] == np.inf
            some |= weights[q, c] > 0.0
        for c in range(counts[q]):
            if hits > 0:
                weights[q, c] = 1.0 if weights[q, c] == np.inf else 0.0
            elif not some:
                weights[q, c] = 1.0


@kernel
def vote(ids, counts, weights, masses, codes, targets, sums, totals):
    """Add up the votes of listed rows: for their classes, or for targets (n, V).

    codes is empty for targets.
    """
    for q in range(ids.shape[0]):
        for c in range(counts[q]):
            share = weights[q, c] * masses[q, c]
            totals[q] += share
            if len(codes):
                sums[q, codes[ids[q, c]]] += share
            else:
                for v in range(sums.shape[1]):
                    sums[q, v] += share * targets[ids[q, c], v]


@kernel
def vote_of_prefixes(
    ids, counts, weights, exclude, mass, ks, codes, targets, sums, totals
):
    """Add up the votes of the nearest rows of mass ks[0] < ks[1] < … for each query.

    weights are not settled yet: infinite for exact hits. sums is of shape
    (n_ks, m, n_classes or n_targets), totals (n_ks, m).
    """
    width = sums.shape[2]
    # The three ways to count: by weight, exact hits only, everybody alike.
    sums_by = np.zeros((3, width))
    total_by = np.zeros(3)
    for q in range(ids.shape[0]):
        sums_by[:] = 0.0
        total_by[:] = 0.0
        reached = 0.0
        at = 0
        for c in range(counts[q]):
            row = ids[q, c]
            whole = remaining_weight(mass, row, exclude[q])
            is_hit = weights[q, c] == np.inf
            by_weight = 0.0 if is_hit else weights[q, c]
            last = c == counts[q] - 1
            while at < len(ks) and (last or reached + whole >= ks[at]):
                part = min(whole, ks[at] - reached)
                way = 2
                if total_by[1] > 0.0 or is_hit:
                    way = 1
                elif total_by[0] + by_weight * part > 0.0:
                    way = 0
                share = part * (by_weight if way == 0 else 1.0)
                if way == 1 and not is_hit:
                    share = 0.0
                for v in range(width):
                    sums[at, q, v] = sums_by[way, v]
                    if not len(codes):
                        sums[at, q, v] += share * targets[row, v]
                if len(codes):
                    sums[at, q, codes[row]] += share
                totals[at, q] = total_by[way] + share
                at += 1
            for way in range(3):
                share = whole
                if way == 0:
                    share = whole * by_weight
                elif way == 1 and not is_hit:
                    share = 0.0
                total_by[way] += share
                if len(codes):
                    sums_by[way, codes[row]] += share
                else:
                    for v in range(width):
                        sums_by[way, v] += share * targets[row, v]
            reached += whole
