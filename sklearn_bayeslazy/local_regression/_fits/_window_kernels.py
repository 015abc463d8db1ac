"""Loops that list the rows of a window: the k nearest, or all within reach.

The distance of the k-th row is found by counting how many distances lie below a guess,
which runs in lanes where selection does not. From one query to the next it changes by
no more than the way between them, so that queries which lie together need few guesses,
and few of the rows.
"""

import math

import numpy as np

from ..._kernel import inlined, kernel
from ...neighbors._search import select

# So many distances tell well enough where the k-th of all will lie.
_SAMPLE = 256
# What part of the way to a query its k-th distance is first supposed to grow by.
_GROWTH = 0.2
# How far rounding may take a bound on a distance, relative and near 0.
_SLACK, _LEAST = 1 + 1e-9, 1e-150
_FINITE = np.finfo(np.float64).max


@inlined
def count_within(values, size, bound):
    """Return how many of the first values are at most bound."""
    count = 0
    for r in range(size):
        count += values[r] <= bound
    return count


@inlined
def _bracket(values, size, rank, low, high):
    """Narrow bounds (low, high] of the rank-th smallest value till no more are below.

    Guesses suppose that counts grow evenly between the bounds, and aim a little to the
    far side of the rank, so that both bounds move. Equal values may stay in excess.
    """
    n_low = count_within(values, size, low)
    if n_low >= rank:
        low, n_low = -1.0, 0
    n_high = count_within(values, size, high)
    if n_high < rank:
        high, n_high = math.inf, size
    for _ in range(40):
        if n_high == rank or high == math.inf:
            break
        if n_high - rank > rank - n_low:
            aim = rank - 0.5 + 0.7 * math.sqrt(rank - n_low)
        else:
            aim = rank - 0.5 - 0.7 * math.sqrt(n_high - rank)
        share = (max(aim, 0.5) - n_low) / (n_high - n_low)
        least = max(low, 0.0)
        guess = least + (high - least) * share
        if not low < guess < high:
            guess = (low + high) / 2
            if not low < guess < high:
                break
        n_guess = count_within(values, size, guess)
        if n_guess >= rank:
            high, n_high = guess, n_guess
        else:
            low, n_low = guess, n_guess
    return low, high


@inlined
def _sampled_bounds(values, size, rank):
    """Return bounds that will hold the rank-th value, by a sample of the values."""
    n_sample = min(_SAMPLE, size)
    sample, unused = np.empty(n_sample), np.zeros(n_sample, dtype=np.int64)
    stride = size / n_sample
    for s in range(n_sample):
        sample[s] = values[int(s * stride)]
    middle = rank / stride
    margin = 3 * math.sqrt(middle * max(1 - rank / size, 0.0)) + 2
    above, below = int(middle + margin), int(middle - margin)
    low, high = -1.0, math.inf
    if above < n_sample:
        select(sample, unused, 0, n_sample, above)
        high = sample[above]
    if below >= 0:
        select(sample, unused, 0, n_sample, below)
        low = sample[below]
    return low, high


@inlined
def _write_gaps(lower, upper, query, gaps):
    """Write the squared distances of boxes from a query; 0 where there are no boxes."""
    d, n_boxes = lower.shape
    for b in range(n_boxes):
        gaps[b] = 0.0
    for j in range(d):
        x = query[j]
        for b in range(n_boxes):
            t = max(max(lower[j, b] - x, x - upper[j, b]), 0.0)
            gaps[b] += t * t


@inlined
def cut_run(first, last, longest, pieces, n_pieces):
    """Append a run of rows to the pieces, cut to a length; return how many there are.

    Where the run goes on where the last piece ends, that is filled up first.
    """
    if n_pieces > 0 and pieces[n_pieces - 1, 1] == first:
        first = min(pieces[n_pieces - 1, 0] + longest, last)
        pieces[n_pieces - 1, 1] = first
    while first < last:
        pieces[n_pieces, 0], pieces[n_pieces, 1] = first, min(first + longest, last)
        first += longest
        n_pieces += 1
    return n_pieces


@inlined
def _measure(columns, first, last, query, distances):
    """Write squared distances of a run of rows, as `measure` sums them."""
    d, size = len(columns), last - first
    for r in range(size if d < 4 else 0):
        distances[r] = 0.0
    for j in range(0, d - d % 4, 4):
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        c0, c1 = columns[j, first:last], columns[j + 1, first:last]
        c2, c3 = columns[j + 2, first:last], columns[j + 3, first:last]
        for r in range(size):
            t0, t1, t2, t3 = c0[r] - x0, c1[r] - x1, c2[r] - x2, c3[r] - x3
            near = distances[r] if j > 0 else 0.0
            distances[r] = (((near + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
    for j in range(d - d % 4, d):
        x0, c0 = query[j], columns[j, first:last]
        for r in range(size):
            t0 = c0[r] - x0
            distances[r] += t0 * t0


@kernel
def measure_near(
    columns, starts, boxes, coarse, query, reach, longest, gaps, pieces, distances
):
    """Measure the rows in the boxes within a squared reach; return how many.

    Parameters
    ----------
    columns : (d, n) the rows, box after box.
    starts : (n_boxes + 1,) ints; box b holds the rows from starts[b] on.
    boxes : (2, n_runs, d, length) least and greatest cells of boxes, which form runs of
        one length; of no columns if there is one for all rows.
    coarse : (2, d, n_runs) the same for runs.
    query, reach : (d,), float
    longest : int, the length of a piece.
    gaps : (2, at least n_runs and length) to write on.
    pieces : (n_pieces, 2) out; the runs of rows that are measured, cut to pieces.
    distances : (n,) out; squared distances, piece after piece.

    Returns
    -------
    n_pieces, size : int, int
        The number of pieces, and of rows.
    """
    length = boxes.shape[3]
    n_pieces = 0
    _write_gaps(coarse[0], coarse[1], query, gaps[0])
    for c in range(coarse.shape[2]):
        if not gaps[0, c] <= reach:
            continue
        _write_gaps(boxes[0, c], boxes[1, c], query, gaps[1])
        for i in range(length):
            b = c * length + i
            if gaps[1, i] <= reach:
                n_pieces = cut_run(starts[b], starts[b + 1], longest, pieces, n_pieces)
    size = 0
    for c in range(n_pieces):
        first, last = pieces[c]
        _measure(columns, first, last, query, distances[size:])
        size += last - first
    return n_pieces, size


@kernel
def list_near(pieces, n_pieces, distances, most, value, row):
    """List measured rows up to a squared distance; return how many."""
    count = np.uintp(0)  # which spares the question whether it is negative
    size = 0
    for c in range(n_pieces):
        first, last = pieces[c]
        here = distances[size : size + last - first]
        for r in range(last - first):  # no branch: a far row is overwritten
            value[count], row[count] = here[r], first + r
            count += np.uintp(here[r] <= most)
        size += last - first
    return np.int64(count)


@kernel
def keep_near(value, row, size, most, exclude):
    """Drop what is farther from a list, and own; return how many are left."""
    for c in range(size if exclude >= 0 else 0):
        value[c] = value[c] if row[c] != exclude else np.nan
    count = np.uintp(0)
    for c in range(size):
        near = np.uintp(value[c] <= most)
        value[count], row[count] = value[c], row[c]
        count += near
    return np.int64(count)


@kernel
def farthest_within(values, size, bound):
    """Return the largest finite one of the first values that is at most `bound`, or 0.

    Values are not negative.
    """
    bound = min(bound, _FINITE)
    far0 = far1 = far2 = far3 = 0.0
    for r in range(0, size - size % 4, 4):  # four chains: maxima do not run in lanes
        x0, x1, x2, x3 = values[r], values[r + 1], values[r + 2], values[r + 3]
        x0, x1 = x0 if x0 <= bound else 0.0, x1 if x1 <= bound else 0.0
        x2, x3 = x2 if x2 <= bound else 0.0, x3 if x3 <= bound else 0.0
        far0, far1 = x0 if x0 > far0 else far0, x1 if x1 > far1 else far1
        far2, far3 = x2 if x2 > far2 else far2, x3 if x3 > far3 else far3
    for r in range(size - size % 4, size):
        far0 = values[r] if far0 < values[r] <= bound else far0
    return max(max(far0, far1), max(far2, far3))


@kernel
def find_rank(
    columns,
    starts,
    boxes,
    coarse,
    query,
    rank,
    whole,
    way,
    last,
    longest,
    gaps,
    pieces,
    distances,
    value,
    row,
):
    """Measure what may be nearest and find the rank-th squared distance.

    What is returned depends on the query alone, though the way to it does not.

    Parameters
    ----------
    rank : int, no more than there are rows.
    whole : bool; whether all rows are measured, else rows up to the distance are
        listed.
    way : float, how far the query lies from one whose rank-th distance is in `last`.
    last : (least, most); infinite where nothing is known.
    value, row : (n + 1,) out, the list: squared distances and rows.
    columns, starts, boxes, coarse, query, longest, gaps, pieces, distances : as in
        `measure_near`.

    Returns
    -------
    n_pieces, size, least, most, count : int, int, float, float, int
        The number of pieces, the length of the list (or of what is measured), a lower
        bound, the distance, and how many rows are that near: more than the rank where
        some are equal.
    """
    least = (last[0] - way) / _SLACK - _LEAST
    least = least * least if least > 0.0 else -1.0
    n_pieces, size, most = 0, 0, math.inf
    for attempt in range(3):  # as far as likely, as far as possible, everywhere
        reach = last[1] + (_GROWTH * way if attempt == 0 else way)
        most = (reach * _SLACK + _LEAST) ** 2 if attempt < 2 else math.inf
        if attempt == 0 or not whole:
            n_pieces, size = measure_near(
                columns,
                starts,
                boxes,
                coarse,
                query,
                math.inf if whole else most,
                longest,
                gaps,
                pieces,
                distances,
            )
        if most == math.inf:
            least, most = _sampled_bounds(distances, size, rank)
            if count_within(distances, size, most) < rank:
                most = math.inf
            break
        if count_within(distances, size, most) >= rank:
            break
    values = distances
    if not whole:
        values, size = value, list_near(pieces, n_pieces, distances, most, value, row)
    least, most = _bracket(values, size, rank, least, most)
    count = count_within(values, size, most)
    if count == rank:
        most = farthest_within(values, size, most)
    else:  # some are equal, or guesses did not come to an end
        copy = values[:size].copy()  # the order of a list must not depend on the way
        select(copy, np.zeros(size, np.int64), 0, size, rank - 1)
        most = copy[rank - 1]
        count = count_within(values, size, most)
    return n_pieces, size, least, most, count


@kernel
def put_beyond(distances, size, most):
    """Make the first distances infinite where they are above `most`."""
    for r in range(size):
        distances[r] = distances[r] if distances[r] <= most else math.inf


@kernel
def place_of(row, ids, pieces):
    """Return which of the window's rows, piece after piece, is a row; -1 for none.

    ids lists the rows, or has the length 0 where pieces are runs of rows.
    """
    for c in range(len(ids)):
        if ids[c] == row:
            return c
    done = 0
    for c in range(len(pieces) if len(ids) == 0 else 0):
        first, last = pieces[c]
        if first <= row < last:
            return done + row - first
        done += last - first
    return -1
