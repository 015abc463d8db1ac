"""Loops over queries: the rows of each window are weighed, and a polynomial is fitted.

Windows are listed beforehand, or found on the way, so that no list is ever stored.
"""

import math

import numpy as np

from .._kernel import kernel
from ..neighbors._kd_tree_kernels import select
from ._local_fit_kernels import fit_window, scratch
from ._smoothing_kernels import weigh
from ._window_kernels import (
    count_within,
    farthest_within,
    find_rank,
    list_near,
    measure_near,
    put_beyond,
)

# A window is listed where fewer than one in so many measured rows are in it; else all
# are weighed, which needs no lists.
_SPARSE = 2


@kernel
def store(q, outcome, B, answers, slopes, spreads):
    """Store the fit of a query; NaN where its window is empty. Return whether it is."""
    filled, spreads_q = outcome[0], outcome[1:]
    for v in range(answers.shape[1]):
        answers[q, v] = B[0, v] if filled else np.nan
    for j in range(slopes.shape[1]):
        for v in range(answers.shape[1]):
            slopes[q, j, v] = B[1 + j, v] if filled and len(B) > 1 + j else 0.0
    if len(spreads):
        spreads[q, 0], spreads[q, 1] = spreads_q
    return not filled


@kernel
def fit_listed(
    X,
    Y,
    queries,
    own,
    starts,
    counts,
    ids,
    squared,
    masses,
    reaches,
    care,
    kind,
    degree,
    n_terms,
    ridge,
    answers,
    slopes,
    spreads,
    hats,
):
    """Fit a polynomial to the listed window of each query; return how many are empty.

    Parameters
    ----------
    X, Y : (n, d) and (n, V) training rows, where distances are measured.
    queries : (m, d)
    own : (m,) ints; the training row that a query is, or -1.
    starts, counts : (m,) ints; the window of q is ids[starts[q]:][:counts[q]].
    ids, squared, masses : (size,) rows, squared distances, what each counts.
    reaches : (m,) squared bandwidths.
    care : (n,) factors of the weights, or of length 0.
    kind, degree, n_terms, ridge : int, int, int, float
    answers : (m, V) out; NaN where no row has any weight.
    slopes : (m, d, V) out, or (0, 0, 0).
    spreads : (m, 2) out, the hat of own and Σ hat²/mass; or (0, 0).
    hats : (m, n) out, zeros before; the answer is Σ hats * y; or (0, 0).
    """
    n_targets = Y.shape[1]
    by_block, S, B, G = scratch(n_terms, n_targets, 1, len(spreads) or len(hats))
    all_weights = np.empty(counts.max() if len(counts) else 0)
    cells, no_ids = np.empty((0, 0, 1)), np.empty((0, 0), np.int64)
    none, no_blocks = np.empty(0), np.empty(0, np.int64)
    empty = 0
    for q in range(len(counts)):
        here = slice(starts[q], starts[q] + counts[q])
        mine, weights = ids[here], all_weights[: counts[q]]
        weigh(squared[here], masses[here], reaches[q], kind, weights)
        for c in range(len(care) and len(mine)):
            weights[c] *= care[mine[c]]
        outcome = fit_window(
            X,
            Y,
            mine,
            cells,
            cells,
            no_blocks,
            no_ids,
            queries[q],
            masses[here],
            weights,
            math.sqrt(reaches[q]),
            degree,
            ridge,
            own[q],
            by_block,
            S,
            B,
            G,
            hats[q] if len(hats) else none,
        )
        empty += store(q, outcome, B, answers, slopes, spreads)
    return empty


@kernel
def fit_scanned(
    X,
    Y,
    cells,
    targets,
    block_ids,
    boxes,
    coarse,
    queries,
    own,
    leave,
    k,
    widening,
    least_reach,
    endless,
    masses,
    care,
    kind,
    degree,
    n_terms,
    ridge,
    answers,
    slopes,
    spreads,
    hats,
):
    """Find the window of each query, and fit; return how many are empty.

    Parameters
    ----------
    cells, block_ids, boxes, coarse : as in `measure_near`.
    targets : (n_blocks, V, width) the targets in blocks.
    leave : bool, whether one copy of own is left out.
    k : int, the number of nearest rows, or 0. It needs masses that are all 1.
    widening : float, what the squared distance of the k-th is multiplied by.
    least_reach : float; the square of a bandwidth, within which all rows are taken
        where the k-th is nearer. If infinite, the farthest row gives it.
    endless : bool; whether the kernel reaches beyond the bandwidth, and all rows are
        taken instead.
    masses : (n,) what rows count; of length 0 where that is 1.
    X, Y, queries, own, care, kind, degree, n_terms, ridge, answers, slopes, spreads,
    hats : as in `fit_listed`.
    """
    n, n_targets = Y.shape
    n_blocks, width = block_ids.shape
    n_places, d = n_blocks * width, X.shape[1]
    by_block, S, B, G = scratch(n_terms, n_targets, width, len(spreads) or len(hats))
    gaps = np.empty((2, max(coarse.shape[2], boxes.shape[3])))
    blocks = np.empty(n_blocks, np.int64)
    distances, weights = np.empty((n_blocks, width)), np.empty(n_places)
    in_a_row = distances.reshape(n_places)
    value, row = np.empty(n_places + 1), np.empty(n_places + 1, np.int64)
    mass, none = np.empty(n_places if len(masses) else 0), np.empty(0)
    last = 0.0, math.inf
    empty = 0
    for q in range(len(queries)):
        absent = own[q] if leave and len(masses) == 0 else -1
        n_near, count, rank, most, reach = 0, 0, 0, 0.0, 0.0
        if k > 0:
            way = 0.0
            if q > 0:
                for j in range(d):
                    way += (queries[q, j] - queries[q - 1, j]) ** 2
                way = math.sqrt(way)
            rank = min(k + (absent >= 0), n)
            n_near, least, most, count = find_rank(
                cells,
                boxes,
                coarse,
                queries[q],
                rank,
                way,
                last,
                gaps,
                blocks,
                distances,
                value,
                row,
            )
            last = math.sqrt(max(least, 0.0)), math.sqrt(most)
            reach = most * widening
        if k == 0 or reach < least_reach:
            most = math.inf if endless else least_reach
            n_near = measure_near(
                cells, boxes, coarse, queries[q], most, gaps, blocks, distances
            )
            count = n if endless else count_within(distances, n_near, most)
            rank, reach = count, least_reach
            if reach == math.inf:
                reach = farthest_within(distances, n_near, most)
        listed = count > rank or _SPARSE * count < n_near * width
        if listed:
            count = list_near(
                block_ids, blocks, n_near, distances, most, absent, value, row
            )
            wanted = rank - (absent >= 0)
            if count > wanted:
                select(value, row, 0, count, wanted - 1)
                count = wanted
            found, ids, near = value[:count], row[:count], blocks[:0]
        else:
            put_beyond(block_ids, blocks, n_near, distances, most, absent)
            count = n_near * width
            found, ids, near = in_a_row[:count], row[:0], blocks[:n_near]
        for c in range(len(masses) and count):
            i = ids[c] if listed else block_ids[near[c // width], c % width]
            mass[c] = masses[i] if i >= 0 else 0.0
            if leave and i == own[q]:
                mass[c] -= min(mass[c], 1.0)
        mine = mass[:count] if len(masses) else none
        weigh(found, mine, reach, kind, weights[:count])
        for c in range(len(care) and count):
            i = ids[c] if listed else block_ids[near[c // width], c % width]
            weights[c] *= care[i] if i >= 0 else 0.0
        outcome = fit_window(
            X,
            Y,
            ids,
            cells,
            targets,
            near,
            block_ids,
            queries[q],
            mine,
            weights[:count],
            math.sqrt(reach),
            degree,
            ridge,
            own[q],
            by_block,
            S,
            B,
            G,
            hats[q] if len(hats) else none,
        )
        empty += store(q, outcome, B, answers, slopes, spreads)
    return empty
