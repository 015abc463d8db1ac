"""Loops that find a window among rows sorted by one feature: a range of them."""

import math

from ..._core._kernel import inlined, inlined_late
from ._kernel_arguments import FoundWindow
from ._window_kernels import append_range


@inlined
def _squared_distance(column, r, x):
    """Return the squared distance of a row from a query."""
    t = column[r] - x
    return t * t


@inlined
def _first_nearest(column, x, k):
    """Return the position where the k nearest rows begin."""
    low, high = 0, len(column) - k
    while low < high:
        middle = (low + high) // 2
        nearer_left = column[middle + k] > x and (
            _squared_distance(column, middle, x)
            <= _squared_distance(column, middle + k, x)
        )
        if nearer_left or column[middle] >= x:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def _range_within(column, x, radius_sq):
    """Return where the rows within a squared distance begin and end."""
    low, high = 0, len(column)
    while low < high:
        middle = (low + high) // 2
        if column[middle] >= x or _squared_distance(column, middle, x) <= radius_sq:
            high = middle
        else:
            low = middle + 1
    first, high = low, len(column)
    while low < high:
        middle = (low + high) // 2
        if column[middle] > x and _squared_distance(column, middle, x) > radius_sq:
            high = middle
        else:
            low = middle + 1
    return first, low


@inlined
def _window_range(column, x, rule, n_removed):
    """Return (first, last, squared bandwidth, whether it is tied) of a window."""
    # A window is tied if rows inside and outside of it are equally far from the query.
    # n_removed: 1 if the query is a training row that is removed from its window.
    k, bandwidth_sq_factor, min_bandwidth_sq, infinite_support = rule
    n = len(column)
    first, last, bandwidth_sq, is_tied = 0, n, 0.0, False
    if k > 0:
        rank = min(k + n_removed, n)
        first = _first_nearest(column, x, rank)
        last = first + rank
        kth = max(
            _squared_distance(column, first, x), _squared_distance(column, last - 1, x)
        )
        bandwidth_sq = kth * bandwidth_sq_factor
        is_tied = (first > 0 and _squared_distance(column, first - 1, x) == kth) or (
            last < n and _squared_distance(column, last, x) == kth
        )
    if k == 0 or bandwidth_sq < min_bandwidth_sq:
        first, last, bandwidth_sq, is_tied = 0, n, min_bandwidth_sq, False
        if not infinite_support:
            first, last = _range_within(column, x, bandwidth_sq)
        if bandwidth_sq == math.inf:
            bandwidth_sq = max(
                _squared_distance(column, 0, x), _squared_distance(column, n - 1, x)
            )
    return first, last, bandwidth_sq, is_tied


@inlined_late
def find_in_sorted_column(column, x, rule, removed, scratch):
    """Find the window of a query among the rows sorted by their only feature."""
    # column: (n,); x: the query; removed: the position of a row that is removed from
    # the window, or -1. `ranges` and `distances_sq` of scratch are written, if the
    # window is not tied.
    first, last, bandwidth_sq, is_tied = _window_range(column, x, rule, removed >= 0)
    if is_tied:
        return FoundWindow(0, 0, False, bandwidth_sq, True)
    size = last - first
    near, distances_sq = column[first:last], scratch.distances_sq[:size]
    for c in range(size):
        t = near[c] - x
        distances_sq[c] = t * t
    if first <= removed < last:
        distances_sq[removed - first] = math.inf
    n_ranges = append_range(first, last, scratch.max_range_length, scratch.ranges, 0)
    return FoundWindow(n_ranges, size, False, bandwidth_sq, False)
