"""Numba kernels of Shepard's method: weighted votes of all rows, or of lists of rows.

Weights are relative to that of a near row, which is 1, so that no power of a distance
overflows. Over all rows the nearest one is not known beforehand: when a much nearer one
comes, the sums so far shrink to its measure.

A query's own row can be left out: `own` says which row it is (-1: none), and one copy
of it is taken away.
"""

import numpy as np

from .._kernel import inlined, kernel
from ._neighbor_kernels import SQUARED, TILE, mass_without, measure, measure_four

# How a reduced distance becomes a weight.
POWER, COSINE, UNIFORM = range(3)
# Rows this many times farther than the reference, squared, weigh as if they were not.
_FAR = 2.0**80
# Products of two distances up to _FAR references neither over- nor underflow.
_PAIRED = (1e-120, 1e120)
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
def weigh(raw, reference, kind, exponent, out):
    """Write the weights of a block, from its reduced distances, relative to one."""
    width = raw.shape[0]
    if kind == UNIFORM:
        for r in range(width):
            out[r] = 1.0
    elif kind == COSINE:
        for r in range(width):
            t = 1.0 - raw[r] / 2
            out[r] = t if t > 0.0 else 0.0
    elif reference == 0.0:
        for r in range(width):
            out[r] = 1.0 if raw[r] == 0.0 else 0.0
    elif not (1.0 <= exponent <= 8.0 and _PAIRED[0] < reference < _PAIRED[1]):
        for r in range(width):
            out[r] = relative_power(reference / raw[r], exponent)
    else:
        # One division for two rows: 1/a = b/(ab). Rows so far away that the product
        # could overflow weigh nothing either way.
        cap = reference * _FAR
        for r in range(0, width, 8):
            for lane in range(4):
                a, b = raw[r + lane], raw[r + 4 + lane]
                a = a if a < cap else cap
                b = b if b < cap else cap
                both = reference / (a * b)
                out[r + lane] = b * both
                out[r + 4 + lane] = a * both
        if exponent == 2.0:
            for r in range(width):
                out[r] *= out[r]
        elif exponent != 1.0:
            for r in range(width):
                out[r] = relative_power(out[r], exponent)


@inlined
def smallest(out):
    """Return the least of a block, by lanes so that the loop vectorises."""
    lanes = np.full(8, np.inf)
    for r in range(0, out.shape[0], 8):
        for lane in range(8):
            v = out[r + lane]
            lanes[lane] = v if v < lanes[lane] else lanes[lane]
    least = lanes[0]
    for lane in range(1, 8):
        least = min(least, lanes[lane])
    return least


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
def add_up(out, b, mass, targets, lanes):
    """Write the sums of a block's votes, weights in out times masses, into lanes.

    Row 0 of lanes (1 + n_targets, 8) gets the total, the others those of the targets.
    """
    width = out.shape[0]
    lanes[:] = 0.0
    if targets.shape[1] == 1:
        for r in range(0, width, 8):
            for lane in range(8):
                vote = out[r + lane] * mass[b, r + lane]
                lanes[0, lane] += vote
                lanes[1, lane] += vote * targets[b, 0, r + lane]
        return
    for r in range(0, width, 8):
        for lane in range(8):
            out[r + lane] *= mass[b, r + lane]
            lanes[0, lane] += out[r + lane]
    for v in range(targets.shape[1]):
        for r in range(0, width, 8):
            for lane in range(8):
                lanes[1 + v, lane] += out[r + lane] * targets[b, v, r + lane]


@inlined
def count_block(
    raw,
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
    out,
    lanes,
):
    """Add the votes of block b, whose reduced distances to a query raw holds.

    The first block's nearest row is the reference. Only where a later row is so much
    nearer that its weight tells does it become the reference instead.
    """
    left = 1.0
    if place >= 0:
        left = 1.0 - min(1.0, mass[b, place]) / mass[b, place]
        if left == 0.0:
            raw[place] = np.inf
    new = kind == POWER and references[q] == np.inf
    settled = False
    while not settled:
        settled = True
        if new:
            least = smallest(raw)
            if least < references[q]:
                rescale(sums, totals, references, q, least, exponent)
        if kind != POWER or references[q] < np.inf:
            weigh(raw, references[q], kind, exponent, out)
            if place >= 0:
                out[place] *= left
            add_up(out, b, mass, targets, lanes)
            total = lanes[0].sum()
            if kind == POWER and not new and not total < _TELLING:
                new, settled = True, False
            else:
                totals[q] += total
                if block_class[b] >= 0:
                    sums[q, block_class[b]] += total
                for v in range(targets.shape[1]):
                    sums[q, v] += lanes[1 + v].sum()


@kernel
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
    raw = np.empty((4, cells.shape[2]))
    out = np.empty(cells.shape[2])
    lanes = np.empty((1 + targets.shape[1], 8))
    references[:] = np.inf
    for first in range(0, m, TILE):
        stop = min(first + TILE, m)
        for b in range(cells.shape[0]):
            for q in range(first, stop):
                turn = (q - first) % 4
                if metric == SQUARED and stop - first == TILE:
                    if turn == 0:
                        measure_four(cells, b, queries, q, raw)
                else:
                    measure(cells, b, queries, q, metric, p, raw[turn])
                place = own_place[q] if own_block[q] == b else -1
                count_block(
                    raw[turn],
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
                    out,
                    lanes,
                )


@kernel
def cut_masses(ids, counts, own, weight, k, masses):
    """Write the masses of listed rows; cut them, and the lists, where they reach k."""
    for q in range(ids.shape[0]):
        total = 0.0
        for c in range(counts[q]):
            mass = mass_without(weight, ids[q, c], own[q])
            masses[q, c] = min(mass, k - total)
            total += mass
            if total >= k:
                counts[q] = c + 1
                break


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
def vote_of_prefixes(ids, counts, weights, own, mass, ks, codes, targets, sums, totals):
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
            whole = mass_without(mass, row, own[q])
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
