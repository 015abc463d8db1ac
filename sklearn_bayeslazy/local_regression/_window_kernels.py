"""Loops that list the rows of a window: the k nearest, or all within reach.

The distance of the k-th row is found by counting how many distances lie below a guess,
which runs in lanes where selection does not. From one query to the next it changes by
no more than the way between them, so that queries which lie together need few guesses,
and few of the rows.
"""

import math

import numpy as np

from .._kernel import inlined, kernel
from ..neighbors._kd_tree_kernels import select

# So many distances tell well enough where the k-th of all will lie.
_SAMPLE = 256
# What part of the way to a query its k-th distance is first supposed to grow by.
_GROWTH = 0.1
# How far rounding may take a bound on a distance, relative and near 0.
_SLACK, _LEAST = 1 + 1e-9, 1e-150
_FINITE = np.finfo(np.float64).max


@inlined
def _count(values, size, bound):
    """Return how many of the first values are at most bound."""
    count = 0
    for r in range(size):
        count += values[r] <= bound
    return count


@inlined
def _bracket(values, size, rank, low, high, power):
    """Narrow bounds (low, high] of the rank-th smallest value till no more are below.

    Guesses suppose that counts grow like value ** (1 / power), and aim a little to the
    far side of the rank, so that both bounds move. Equal values may stay in excess.
    """
    n_low = _count(values, size, low)
    if n_low >= rank:
        low, n_low = -1.0, 0
    n_high = _count(values, size, high)
    if n_high < rank:
        high, n_high = math.inf, size
    for _ in range(40):
        if n_high == rank or high == math.inf:
            break
        if n_high - rank > rank - n_low:
            aim = rank - 0.5 + 0.7 * math.sqrt(rank - n_low)
        else:
            aim = rank - 0.5 - 0.7 * math.sqrt(n_high - rank)
        below = n_low**power
        share = (max(aim, 0.5) ** power - below) / (n_high**power - below)
        least = max(low, 0.0)
        guess = least + (high - least) * share
        if not low < guess < high:
            guess = (low + high) / 2
            if not low < guess < high:
                break
        n_guess = _count(values, size, guess)
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
def _measure_block(cells, b, query, distances, c):
    """Write the squared distances of block b into row c, as `measure` sums them."""
    _, d, width = cells.shape
    for r in range(width):
        distances[c, r] = 0.0
    for j in range(0, d - d % 4, 4):
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        for r in range(width):
            t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
            t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
            near = distances[c, r] + t0 * t0
            distances[c, r] = ((near + t1 * t1) + t2 * t2) + t3 * t3
    for j in range(d - d % 4, d):
        x0 = query[j]
        for r in range(width):
            t0 = cells[b, j, r] - x0
            distances[c, r] += t0 * t0


@kernel
def measure_near(cells, boxes, coarse, query, reach, gaps, blocks, distances):
    """Measure the rows of the blocks within a squared reach; return how many blocks.

    Parameters
    ----------
    cells : the rows in blocks, which form runs of one length.
    boxes : (2, n_runs, d, length) least and greatest cells of blocks; of no columns if
        blocks are not compact.
    coarse : (2, d, n_runs) the same for runs.
    query, reach : (d,), float
    gaps : (2, at least n_runs and length) to write on.
    blocks : (n_blocks,) ints out; which blocks they are.
    distances : (n_blocks, width) out; squared distances, block after block.
    """
    length = boxes.shape[3]
    count = 0
    _write_gaps(coarse[0], coarse[1], query, gaps[0])
    for c in range(coarse.shape[2]):
        if not gaps[0, c] <= reach:
            continue
        _write_gaps(boxes[0, c], boxes[1, c], query, gaps[1])
        for i in range(length):
            if gaps[1, i] <= reach:
                blocks[count] = c * length + i
                _measure_block(cells, blocks[count], query, distances, count)
                count += 1
    return count


@kernel
def list_near(block_ids, blocks, n_near, distances, most, own, value, row):
    """List measured rows up to a squared distance, but own; return how many."""
    width = block_ids.shape[1]
    count = 0
    for c in range(n_near):
        b = blocks[c]
        hits = 0
        for r in range(width):
            hits += distances[c, r] <= most
        if hits == 0:
            continue
        for r in range(width):  # no branch: the next row overwrites a far one
            distance = distances[c, r]
            value[count], row[count] = distance, block_ids[b, r]
            count += (distance <= most) & (distance < math.inf)
    if own >= 0:
        n_listed, count = count, 0
        for c in range(n_listed):
            value[count], row[count] = value[c], row[c]
            count += row[c] != own
    return count


@kernel
def count_within(distances, n_near, bound):
    """Return how many of the distances of the first blocks are at most `bound`."""
    return _count(distances.reshape(distances.size), n_near * distances.shape[1], bound)


@kernel
def farthest_within(distances, n_near, bound):
    """Return the largest finite distance of the first blocks that is at most `bound`.

    The width of blocks is a multiple of 4.
    """
    values = distances.reshape(distances.size)
    bound = min(bound, _FINITE)
    far0 = far1 = far2 = far3 = 0.0
    for r in range(0, n_near * distances.shape[1], 4):
        x0, x1, x2, x3 = values[r], values[r + 1], values[r + 2], values[r + 3]
        x0, x1 = x0 if x0 <= bound else 0.0, x1 if x1 <= bound else 0.0
        x2, x3 = x2 if x2 <= bound else 0.0, x3 if x3 <= bound else 0.0
        far0, far1 = x0 if x0 > far0 else far0, x1 if x1 > far1 else far1
        far2, far3 = x2 if x2 > far2 else far2, x3 if x3 > far3 else far3
    return max(max(far0, far1), max(far2, far3))


@kernel
def find_rank(
    cells, boxes, coarse, query, rank, way, last, gaps, blocks, distances, value, unused
):
    """Measure what may be nearest and find the rank-th squared distance.

    Parameters
    ----------
    rank : int, no more than there are rows.
    way : float, how far the query lies from one whose rank-th distance is in `last`.
    last : (least, most); infinite where nothing is known.
    value, unused : (n_places,) to write on.
    cells, boxes, coarse, query, gaps, blocks, distances : as in `measure_near`.

    Returns
    -------
    n_near, least, distance, count : int, float, float, int
        The number of measured blocks, a lower bound, the distance, and how many rows
        are that near: more than the rank where some are equal.
    """
    width, in_a_row = cells.shape[2], distances.reshape(distances.size)
    power = 2.0 / cells.shape[1]
    least = (last[0] - way) / _SLACK - _LEAST
    least = least * least if least > 0.0 else -1.0
    size, most = 0, math.inf
    for attempt in range(3):  # as far as likely, as far as possible, everywhere
        reach = last[1] + (_GROWTH * way if attempt == 0 else way)
        most = (reach * _SLACK + _LEAST) ** 2 if attempt < 2 else math.inf
        size = width * measure_near(
            cells, boxes, coarse, query, most, gaps, blocks, distances
        )
        if most == math.inf:
            least, most = _sampled_bounds(in_a_row, size, rank)
            break
        if _count(in_a_row, size, most) >= rank:
            break
    least, most = _bracket(in_a_row, size, rank, least, most, power)
    count = _count(in_a_row, size, min(most, _FINITE))
    if count == rank:
        most = farthest_within(distances, size // width, most)
    else:  # some are equal, or guesses did not come to an end
        value[:size] = in_a_row[:size]
        select(value, unused, 0, size, rank - 1)
        most = value[rank - 1]
        count = _count(in_a_row, size, most)
    return size // width, least, most, count


@kernel
def put_beyond(block_ids, blocks, n_near, distances, most, own):
    """Make the distances above `most` infinite, and that of own."""
    width = block_ids.shape[1]
    for c in range(n_near if most < math.inf else 0):
        for r in range(width):
            t = distances[c, r]
            distances[c, r] = t if t <= most else math.inf
    for c in range(n_near if own >= 0 else 0):
        b = blocks[c]
        for r in range(width):
            if block_ids[b, r] == own:
                distances[c, r] = math.inf
