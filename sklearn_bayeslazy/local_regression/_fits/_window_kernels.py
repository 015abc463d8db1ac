"""Loops that list the rows of a window: the k nearest, or all within a radius.

The distance of the k-th row is found by counting how many distances lie below a guess:
counting is vectorised, selection is not. From one query to the next the k-th distance
changes by at most the distance between the queries. Consecutive queries that are near
each other therefore need few guesses, and few rows to be measured.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, inlined_late, kernel
from ...search import select

# Number of distances in the sample that first estimates the k-th of all.
_SAMPLE_SIZE = 256
# The k-th distance is guessed to grow by these parts of the way between queries, of
# which the last is the most that is possible.
_GROWTHS = (0.2, 0.5, 1.0)
# Bounds on rounding errors of a distance: relative, and near 0.
_RELATIVE_SLACK, _ABSOLUTE_SLACK = 1 + 1e-9, 1e-150
_MAX_FINITE = np.finfo(np.float64).max


class ScanScratch(NamedTuple):
    """Arrays that the search for a window overwrites."""

    max_range_length: int
    gaps: np.ndarray  # (2, max(n_groups, group_size)), squared distances of boxes
    ranges: np.ndarray  # (max_ranges, 2), of rows that are measured, or of listed rows
    distances_sq: np.ndarray  # (n,), of the measured rows, range after range
    # (n + 1,), a list of rows and their squared distances.
    listed_sq: np.ndarray
    listed_rows: np.ndarray


@inlined
def make_scan_scratch(n, leaves, max_range_length):
    """Return what the search for a window among n rows writes on."""
    return ScanScratch(
        max_range_length,
        np.empty((2, max(leaves.group_bounds.shape[2], leaves.leaf_bounds.shape[3]))),
        np.empty((n // max_range_length + len(leaves.starts) + 1, 2), np.int64),
        np.empty(n),
        np.empty(n + 1),
        np.empty(n + 1, np.int64),
    )


@inlined
def count_within(values, size, bound):
    """Return how many of the first values are at most bound."""
    count = 0
    for r in range(size):
        count += values[r] <= bound
    return count


@inlined
def _bracket(values, size, rank, low, high):
    """Narrow bounds (low, high] of the rank-th value, until rank values are ≤ high."""
    # Guesses assume that counts grow evenly between the bounds. They aim a little
    # beyond the rank, so that both bounds move. Equal values may remain as surplus.
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
    """Return likely bounds of the rank-th value, from a sample of the values."""
    n_sample = min(_SAMPLE_SIZE, size)
    sample, unused = np.empty(n_sample), np.zeros(n_sample, dtype=np.int64)
    stride = size / n_sample
    for s in range(n_sample):
        sample[s] = values[int(s * stride)]
    middle = rank / stride
    margin = 3 * math.sqrt(middle * max(1 - rank / size, 0.0)) + 2
    above, below = int(middle + margin), int(middle - margin)
    low, high = -1.0, math.inf
    if above < n_sample:
        select(sample, unused, np.int64(0), n_sample, above)
        high = sample[above]
    if below >= 0:
        select(sample, unused, np.int64(0), n_sample, below)
        low = sample[below]
    return low, high


@inlined
def _write_gaps(lower, upper, query, gaps):
    """Write the squared distances of boxes from a query; 0 if boxes have no columns."""
    d, n_boxes = lower.shape
    for b in range(n_boxes):
        gaps[b] = 0.0
    for j in range(d):
        x = query[j]
        for b in range(n_boxes):
            t = max(max(lower[j, b] - x, x - upper[j, b]), 0.0)
            gaps[b] += t * t


@inlined_late
def append_range(first, last, max_length, ranges, n_ranges):
    """Append rows first:last to the ranges, cut to a length; return their number."""
    # If the rows continue the last range, that one is filled up first.
    if n_ranges > 0 and ranges[n_ranges - 1, 1] == first:
        first = min(ranges[n_ranges - 1, 0] + max_length, last)
        ranges[n_ranges - 1, 1] = first
    while first < last:
        ranges[n_ranges, 0], ranges[n_ranges, 1] = first, min(first + max_length, last)
        first += max_length
        n_ranges += 1
    return n_ranges


@inlined
def _measure_range(columns, first, last, query, distances_sq):
    """Write squared distances of a range of rows, summed in the order of `measure`."""
    d, size = len(columns), last - first
    for r in range(size if d < 4 else 0):
        distances_sq[r] = 0.0
    for j in range(0, d - d % 4, 4):
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        c0, c1 = columns[j, first:last], columns[j + 1, first:last]
        c2, c3 = columns[j + 2, first:last], columns[j + 3, first:last]
        for r in range(size):
            t0, t1, t2, t3 = c0[r] - x0, c1[r] - x1, c2[r] - x2, c3[r] - x3
            partial = distances_sq[r] if j > 0 else 0.0
            distances_sq[r] = (((partial + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
    for j in range(d - d % 4, d):
        x0, c0 = query[j], columns[j, first:last]
        for r in range(size):
            t0 = c0[r] - x0
            distances_sq[r] += t0 * t0


@kernel(only_in_kernels=True)
def measure_within(columns, leaves, query, radius_sq, scratch):
    """Measure the rows of the leaves that a sphere around the query meets."""
    # columns: (d, n), the rows in the order of the leaves, transposed; query: (d,).
    # `ranges` and `distances_sq` of scratch are written. Returned: how many ranges
    # and measured rows there are.
    starts, leaf_bounds, group_bounds, _, _ = leaves
    max_range_length, gaps, ranges, distances_sq, _, _ = scratch
    group_size = leaf_bounds.shape[3]
    n_ranges = 0
    _write_gaps(group_bounds[0], group_bounds[1], query, gaps[0])
    for c in range(group_bounds.shape[2]):
        if not gaps[0, c] <= radius_sq:
            continue
        _write_gaps(leaf_bounds[0, c], leaf_bounds[1, c], query, gaps[1])
        for i in range(group_size):
            b = c * group_size + i
            if gaps[1, i] <= radius_sq:
                n_ranges = append_range(
                    starts[b], starts[b + 1], max_range_length, ranges, n_ranges
                )
    size = 0
    for c in range(n_ranges):
        first, last = ranges[c]
        _measure_range(columns, first, last, query, distances_sq[size:])
        size += last - first
    return n_ranges, size


@kernel
def list_rows_within(n_ranges, radius_sq, scratch):
    """List the measured rows up to a squared distance; return their number."""
    _, _, ranges, distances_sq, listed_sq, listed_rows = scratch
    count = np.uintp(0)  # unsigned: indexing needs no test for negative numbers
    size = 0
    for c in range(n_ranges):
        first, last = ranges[c]
        here = distances_sq[size : size + last - first]
        for r in range(last - first):  # no branch: a row too far is overwritten
            listed_sq[count], listed_rows[count] = here[r], first + r
            count += np.uintp(here[r] <= radius_sq)
        size += last - first
    return np.int64(count)


@kernel(only_in_kernels=True)
def drop_from_list(listed_sq, listed_rows, size, radius_sq, exclude):
    """Drop the rows beyond a squared distance, and `exclude`; return how many stay."""
    # exclude is -1 if no row is excluded.
    for c in range(size if exclude >= 0 else 0):
        listed_sq[c] = listed_sq[c] if listed_rows[c] != exclude else np.nan
    count = np.uintp(0)
    for c in range(size):
        is_near = np.uintp(listed_sq[c] <= radius_sq)
        listed_sq[count], listed_rows[count] = listed_sq[c], listed_rows[c]
        count += is_near
    return np.int64(count)


@kernel(only_in_kernels=True)
def largest_within(values, size, bound):
    """Return the largest finite one of the first values up to `bound`, or 0."""
    # Values are not negative.
    bound = min(bound, _MAX_FINITE)
    max0 = max1 = max2 = max3 = 0.0
    for r in range(0, size - size % 4, 4):  # four chains: maxima are not vectorised
        x0, x1, x2, x3 = values[r], values[r + 1], values[r + 2], values[r + 3]
        x0, x1 = x0 if x0 <= bound else 0.0, x1 if x1 <= bound else 0.0
        x2, x3 = x2 if x2 <= bound else 0.0, x3 if x3 <= bound else 0.0
        max0, max1 = x0 if x0 > max0 else max0, x1 if x1 > max1 else max1
        max2, max3 = x2 if x2 > max2 else max2, x3 if x3 > max3 else max3
    for r in range(size - size % 4, size):
        max0 = values[r] if max0 < values[r] <= bound else max0
    return max(max(max0, max1), max(max2, max3))


@kernel(only_in_kernels=True)
def find_kth_distance(columns, leaves, query, rank, lists_rows, shift, bounds, scratch):
    """Measure the candidates for the nearest rows and find the rank-th distance."""
    # The result depends on the query alone; `shift` and `bounds` only save work: the
    # distance between this query and an earlier one, and bounds of the rank-th distance
    # of that query, infinite if unknown. columns, leaves, query, scratch: as in
    # `measure_within`. lists_rows: rows up to the distance are listed, else all rows
    # are measured. Returned: the number of ranges, the length of the list (or the
    # number of measured rows), a lower bound of the squared distance, the squared
    # distance, and how many rows are within it: more than the rank if some are equal.
    lower = (bounds[0] - shift) / _RELATIVE_SLACK - _ABSOLUTE_SLACK
    lower = lower * lower if lower > 0.0 else -1.0
    n_ranges, size, kth = 0, 0, math.inf
    for attempt in range(len(_GROWTHS) + 1):  # in the end, all rows
        kth = math.inf
        if attempt < len(_GROWTHS):
            radius = bounds[1] + _GROWTHS[attempt] * shift
            kth = (radius * _RELATIVE_SLACK + _ABSOLUTE_SLACK) ** 2
        if attempt == 0 or lists_rows:
            radius_sq = kth if lists_rows else math.inf
            n_ranges, size = measure_within(columns, leaves, query, radius_sq, scratch)
        if kth == math.inf:
            lower, kth = _sampled_bounds(scratch.distances_sq, size, rank)
            if count_within(scratch.distances_sq, size, kth) < rank:
                kth = math.inf
            break
        if count_within(scratch.distances_sq, size, kth) >= rank:
            break
    values = scratch.distances_sq
    if lists_rows:
        values, size = scratch.listed_sq, list_rows_within(n_ranges, kth, scratch)
    lower, kth = _bracket(values, size, rank, lower, kth)
    count = count_within(values, size, kth)
    if count == rank:
        kth = largest_within(values, size, kth)
    else:  # some are equal, or the guesses did not converge
        copy = values[:size].copy()  # selection must not change the order of the list
        select(copy, np.zeros(size, np.int64), np.int64(0), size, rank - 1)
        kth = copy[rank - 1]
        count = count_within(values, size, kth)
    return n_ranges, size, lower, kth, count


@kernel(only_in_kernels=True)
def mask_beyond(distances_sq, size, radius_sq):
    """Make the first distances infinite where they exceed a squared radius."""
    for r in range(size):
        distances_sq[r] = distances_sq[r] if distances_sq[r] <= radius_sq else math.inf


@kernel(only_in_kernels=True)
def position_in_window(row, indices, ranges):
    """Return the position of a row among the rows of a window; -1 if it is absent."""
    # indices lists the rows, or has length 0 if the window is made of ranges of rows.
    for c in range(len(indices)):
        if indices[c] == row:
            return c
    n_done = 0
    for c in range(len(ranges) if len(indices) == 0 else 0):
        first, last = ranges[c]
        if first <= row < last:
            return n_done + row - first
        n_done += last - first
    return -1
