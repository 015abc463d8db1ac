"""The loop over queries where rows have one column: windows are runs of sorted rows."""

import math

import numpy as np

from ..._kernel import inlined, kernel
from .._smoothing_kernels import weigh
from ._answer_kernels import store
from ._local_fit_kernels import fit_window, scratch
from ._window_kernels import cut_run


@inlined
def _squared(line, r, x):
    """Return the squared distance of a sorted row from a query."""
    t = line[0, r] - x
    return t * t


@inlined
def _nearest_run(line, x, k):
    """Return where the k nearest rows begin."""
    low, high = 0, line.shape[1] - k
    while low < high:
        middle = (low + high) // 2
        nearer_left = line[0, middle + k] > x and (
            _squared(line, middle, x) <= _squared(line, middle + k, x)
        )
        if nearer_left or line[0, middle] >= x:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def _run_within(line, x, reach):
    """Return where the rows within a squared distance begin and end."""
    low, high = 0, line.shape[1]
    while low < high:
        middle = (low + high) // 2
        if line[0, middle] >= x or _squared(line, middle, x) <= reach:
            high = middle
        else:
            low = middle + 1
    first, high = low, line.shape[1]
    while low < high:
        middle = (low + high) // 2
        if line[0, middle] > x and _squared(line, middle, x) > reach:
            high = middle
        else:
            low = middle + 1
    return first, low


@kernel
def fit_on_line(
    line,
    targets,
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
    tied,
):
    """Find the window of each query, and fit; return how many are empty.

    Parameters
    ----------
    line, targets : (1, n) and (V, n) training rows, sorted, and their targets.
    own : (m,) ints; which sorted row a query is, or -1.
    masses, care : (n,) of sorted rows, or of length 0 where all are 1.
    tied : (m,) bool out; whether rows inside and outside of the window are equally far,
        so that it is not a run. Such queries are left open.
    queries, leave, k, widening, least_reach, endless, kind, degree, n_terms, ridge,
    answers, slopes, spreads : as in `fit_scanned`.
    """
    n_targets, n = targets.shape
    rows, S, B, G = scratch(n_terms, n_targets, len(spreads))
    pieces = np.empty((n // rows.shape[1] + 1, 2), np.int64)
    X, Y = np.empty((0, 1)), np.empty((0, n_targets))
    none, no_ids = np.empty(0), np.empty(0, np.int64)
    squared, weights = np.empty(n), np.empty(n)
    mass = np.empty(n if len(masses) else 0)
    empty = 0
    for q in range(len(queries)):
        x = queries[q, 0]
        absent = exclude[q] if leave and len(masses) == 0 else -1
        first, last, reach = 0, n, 0.0
        if k > 0:
            rank = min(k + (absent >= 0), n)
            first = _nearest_run(line, x, rank)
            last = first + rank
            far = max(_squared(line, first, x), _squared(line, last - 1, x))
            reach = far * widening
            tied[q] = (first > 0 and _squared(line, first - 1, x) == far) or (
                last < n and _squared(line, last, x) == far
            )
        if k == 0 or reach < least_reach:
            tied[q] = False
            reach = least_reach
            first, last = 0, n
            if not endless:
                first, last = _run_within(line, x, reach)
            if reach == math.inf:
                reach = max(_squared(line, 0, x), _squared(line, n - 1, x))
        if tied[q]:
            continue
        count = last - first
        run, near = line[0, first:last], squared[:count]
        for c in range(count):
            t = run[c] - x
            near[c] = t * t
        if first <= absent < last:
            near[absent - first] = math.inf
        mine = mass[:count] if len(masses) else none
        for c in range(len(mine)):
            mine[c] = masses[first + c]
        if len(mine) and leave and first <= exclude[q] < last:
            mine[exclude[q] - first] -= min(mine[exclude[q] - first], 1.0)
        weigh(near, mine, reach, kind, weights[:count])
        for c in range(len(care) and count):
            weights[c] *= care[first + c]
        n_pieces = cut_run(first, last, rows.shape[1], pieces, 0)
        outcome = fit_window(
            X,
            Y,
            no_ids,
            line,
            targets,
            pieces[:n_pieces],
            queries[q],
            mine,
            weights[:count],
            math.sqrt(reach),
            degree,
            ridge,
            exclude[q],
            rows,
            S,
            B,
            G,
            none,
        )
        empty += store(q, outcome, B, answers, slopes, spreads)
    return empty
