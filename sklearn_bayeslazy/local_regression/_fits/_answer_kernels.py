"""Loops over queries: the rows of each window are weighed, and a polynomial is fitted.

Windows are listed beforehand, or found on the way, so that no list is ever stored.
"""

import math

import numpy as np

from ..._kernel import inlined, kernel
from ...neighbors._search import select
from .._smoothing_kernels import weigh
from ._local_fit_kernels import fit_window, scratch
from ._window_kernels import (
    count_within,
    cut_run,
    farthest_within,
    find_rank,
    keep_near,
    list_near,
    measure_near,
    place_of,
    put_beyond,
)

# A window is listed where fewer than one in so many rows are in it; else all are
# weighed, which needs no list. Which of both depends on the query alone, and so do the
# last bits of the answer.
_SPARSE = 3


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
    exclude,
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
    rows, S, B, G = scratch(n_terms, n_targets, len(spreads) or len(hats))
    most = counts.max() if len(counts) else 0
    all_weights = np.empty(most)
    pieces = np.empty((most // rows.shape[1] + 1, 2), np.int64)
    none, no_columns = np.empty(0), np.empty((0, 0))
    empty = 0
    for q in range(len(counts)):
        here = slice(starts[q], starts[q] + counts[q])
        mine, weights = ids[here], all_weights[: counts[q]]
        weigh(squared[here], masses[here], reaches[q], kind, weights)
        for c in range(len(care) and len(mine)):
            weights[c] *= care[mine[c]]
        n_pieces = cut_run(0, len(mine), rows.shape[1], pieces, 0)
        outcome = fit_window(
            X,
            Y,
            mine,
            no_columns,
            no_columns,
            pieces[:n_pieces],
            queries[q],
            masses[here],
            weights,
            math.sqrt(reaches[q]),
            degree,
            ridge,
            exclude[q],
            rows,
            S,
            B,
            G,
            hats[q] if len(hats) else none,
        )
        empty += store(q, outcome, B, answers, slopes, spreads)
    return empty


@inlined
def _take(values, ids, pieces, out):
    """Write what belongs to the rows of a window, piece after piece."""
    done = 0
    for c in range(len(pieces)):
        for r in range(pieces[c, 0], pieces[c, 1]):
            out[done] = values[ids[r] if len(ids) else r]
            done += 1


@kernel
def fit_scanned(
    X,
    Y,
    columns,
    targets,
    starts,
    boxes,
    coarse,
    order,
    place,
    queries,
    exclude,
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
    X, Y : (n, d) and (n, V) training rows, box after box.
    columns, targets : (d, n) and (V, n) the same, column after column.
    starts, boxes, coarse : as in `measure_near`.
    order, place : (n,) ints; which training rows these are, and the inverse. Where
        distances are equal, the order of the training rows decides.
    leave : bool, whether one copy of own is left out.
    k : int, the number of nearest rows, or 0. It needs masses that are all 1.
    widening : float, what the squared distance of the k-th is multiplied by.
    least_reach : float; the square of a bandwidth, within which all rows are taken
        where the k-th is nearer. If infinite, the farthest row gives it.
    endless : bool; whether the kernel reaches beyond the bandwidth, and all rows are
        taken instead.
    masses : (n,) what rows count; of length 0 where that is 1.
    queries, own, care, kind, degree, n_terms, ridge, answers, slopes, spreads, hats :
        as in `fit_listed`, the rows being in the order of X.
    """
    n, n_targets = Y.shape
    d = X.shape[1]
    rows, S, B, G = scratch(n_terms, n_targets, len(spreads) or len(hats))
    longest = rows.shape[1]
    pieces = np.empty((n // longest + len(starts), 2), np.int64)
    gaps = np.empty((2, max(coarse.shape[2], boxes.shape[3])))
    distances, weights = np.empty(n), np.empty(n)
    value, row = np.empty(n + 1), np.empty(n + 1, np.int64)
    mass, factor = np.empty(n if len(masses) else 0), np.empty(n if len(care) else 0)
    none = np.empty(0)
    last = 0.0, math.inf
    empty = 0
    for q in range(len(queries)):
        absent = exclude[q] if leave and len(masses) == 0 else -1
        n_pieces, size, count, rank, lists = 0, 0, 0, 0, False
        most, reach = 0.0, 0.0
        if k > 0:
            way = 0.0
            if q > 0:
                for j in range(d):
                    way += (queries[q, j] - queries[q - 1, j]) ** 2
                way = math.sqrt(way)
            rank = min(k + (absent >= 0), n)
            lists = _SPARSE * rank < n
            n_pieces, size, least, most, count = find_rank(
                columns,
                starts,
                boxes,
                coarse,
                queries[q],
                rank,
                not lists,
                way,
                last,
                longest,
                gaps,
                pieces,
                distances,
                value,
                row,
            )
            last = math.sqrt(max(least, 0.0)), math.sqrt(most)
            reach = most * widening
        if k == 0 or reach < least_reach:
            most = math.inf if endless else least_reach
            n_pieces, size = measure_near(
                columns,
                starts,
                boxes,
                coarse,
                queries[q],
                most,
                longest,
                gaps,
                pieces,
                distances,
            )
            count = n if endless else count_within(distances, size, most)
            rank, reach = count, least_reach
            if reach == math.inf:
                reach = farthest_within(distances, size, most)
            lists = _SPARSE * count < size
            if lists:
                size = list_near(pieces, n_pieces, distances, most, value, row)
        elif count > rank and not lists:
            lists = True
            size = list_near(pieces, n_pieces, distances, most, value, row)
        found, ids = distances[:size], row[:0]
        if lists:
            size = keep_near(value, row, size, most, absent)
            if count > rank:
                for c in range(size):
                    row[c] = order[row[c]]
                wanted = rank - (absent >= 0)
                select(value, row, 0, size, wanted - 1)
                size = wanted
                for c in range(size):
                    row[c] = place[row[c]]
            found, ids = value[:size], row[:size]
            n_pieces = cut_run(0, size, longest, pieces, 0)
        else:
            if absent >= 0:
                found[place_of(absent, ids, pieces[:n_pieces])] = math.inf
            put_beyond(distances, size, most)
        window, mine = pieces[:n_pieces], mass[:size] if len(masses) else none
        if len(masses):
            _take(masses, ids, window, mass)
            mine_at = place_of(exclude[q], ids, window) if leave else -1
            if mine_at >= 0:
                mass[mine_at] -= min(mass[mine_at], 1.0)
        weigh(found, mine, reach, kind, weights[:size])
        if len(care):
            _take(care, ids, window, factor)
            for c in range(size):
                weights[c] *= factor[c]
        outcome = fit_window(
            X,
            Y,
            ids,
            columns,
            targets,
            window,
            queries[q],
            mine,
            weights[:size],
            math.sqrt(reach),
            degree,
            ridge,
            exclude[q],
            rows,
            S,
            B,
            G,
            hats[q] if len(hats) else none,
        )
        empty += store(q, outcome, B, answers, slopes, spreads)
    return empty
