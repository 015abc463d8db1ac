"""Loops that find a window by scanning the rows in the leaves of a kd-tree.

A window is either a list of rows, or all rows that were measured, with infinite
distances for those that are not in it. The choice depends on the query alone, not on
the queries before it: a query has the same prediction, to the last bit, in any batch.
"""

import math
from typing import NamedTuple

from ..._core._kernel import inlined, inlined_late
from ._kernel_arguments import FoundWindow
from ._window_kernels import (
    append_range,
    count_within,
    drop_from_list,
    find_kth_distance,
    largest_within,
    list_within,
    mask_beyond,
    measure_within,
    position_in_window,
)

# A window becomes a list if it holds less than 1 / this number of all rows (k nearest)
# or of the measured rows (bandwidth). Otherwise weights are computed for all measured
# rows.
_MIN_ROWS_PER_LISTED_ROW = 3


class Scan(NamedTuple):
    """The rows that a scan found, before a row is left out."""

    n_ranges: int  # number of ranges that were measured
    size: int  # length of the list, or number of measured rows
    is_listed: bool
    # Rows beyond this squared distance are outside the window; infinite if all rows are
    # in it.
    radius_sq: float
    bandwidth_sq: float  # the squared bandwidth of the kernel


@inlined
def _scan_nearest(columns, leaves, query, n_nearest, factor, shift, bounds, scratch):
    """Find the n_nearest nearest rows; return the `Scan`, and bounds of the last."""
    # factor: the rule's `bandwidth_sq_factor`. The bounds are those of its distance.
    is_listed = _MIN_ROWS_PER_LISTED_ROW * n_nearest < columns.shape[1]
    n_ranges, size, lower_sq, kth_sq, _ = find_kth_distance(
        columns, leaves, query, n_nearest, is_listed, shift, bounds, scratch
    )
    scan = Scan(n_ranges, size, is_listed, kth_sq, kth_sq * factor)
    return scan, (math.sqrt(max(lower_sq, 0.0)), math.sqrt(kth_sq))


@inlined
def _scan_within(columns, leaves, query, bandwidth_sq, infinite_support, scratch):
    """Find the rows within the bandwidth, or all rows if the support is infinite."""
    radius_sq = math.inf if infinite_support else bandwidth_sq
    n_ranges, size = measure_within(columns, leaves, query, radius_sq, scratch)
    count = columns.shape[1]
    if not infinite_support:
        count = count_within(scratch.distances_sq, size, radius_sq)
    if bandwidth_sq == math.inf:
        bandwidth_sq = largest_within(scratch.distances_sq, size, radius_sq)
    is_listed = _MIN_ROWS_PER_LISTED_ROW * count < size
    if is_listed:
        size = list_within(n_ranges, radius_sq, scratch)
    return Scan(n_ranges, size, is_listed, radius_sq, bandwidth_sq)


@inlined
def _scan_window(columns, leaves, query, rule, n_removed, shift, bounds, scratch):
    """Return a scan for the window of a query, and bounds of the k-th distance."""
    # n_removed: 1 if the query is a training row that is removed from its window.
    # shift, bounds: as in `find_kth_distance`.
    k, factor, min_bandwidth_sq, infinite_support = rule
    if k > 0:
        n_nearest = min(k + n_removed, columns.shape[1])
        scan, bounds = _scan_nearest(
            columns, leaves, query, n_nearest, factor, shift, bounds, scratch
        )
        if not scan.bandwidth_sq < min_bandwidth_sq:
            return scan, bounds
    # The k-th row is nearer than the minimum bandwidth: take all rows within that.
    scan = _scan_within(
        columns, leaves, query, min_bandwidth_sq, infinite_support, scratch
    )
    return scan, bounds


@inlined
def _exclude_rows(scan, removed, scratch):
    """Exclude from a scan the removed row, and rows beyond the radius."""
    # More rows than wanted may be equally far as the last: all of them stay. Scanned
    # windows of nearest rows have kernels that give them no weight, unless the radius
    # is 0, where all have the same weight. Returned: n_ranges, size and is_listed of
    # `FoundWindow`.
    n_ranges, size, is_listed, radius_sq, _ = scan
    max_range_length, _, ranges, distances_sq, listed_sq, listed_rows = scratch
    if not is_listed:
        if removed >= 0:
            here = position_in_window(removed, listed_rows[:0], ranges[:n_ranges])
            distances_sq[here] = math.inf
        mask_beyond(distances_sq, size, radius_sq)
        return n_ranges, size, is_listed
    size = drop_from_list(listed_sq, listed_rows, size, radius_sq, removed)
    return append_range(0, size, max_range_length, ranges, 0), size, is_listed


@inlined
def _shift(points, q):
    """Return the distance between a query and the one before it; 0 for the first."""
    total = 0.0
    if q > 0:
        for j in range(points.shape[1]):
            total += (points[q, j] - points[q - 1, j]) ** 2
        total = math.sqrt(total)
    return total


@inlined_late
def find_by_scan(columns, leaves, points, q, rule, removed, bounds, scratch):
    """Find the window of query q; return a `FoundWindow` and bounds of the k-th row."""
    # columns: (d, n), the rows in the order of the leaves, transposed; points: (m, d);
    # removed: the position of a row that is removed from the window, or -1; bounds:
    # those of the k-th distance of the query before, 0 and infinity for the first.
    shift = _shift(points, q) if rule.k > 0 else 0.0
    scan, bounds = _scan_window(
        columns, leaves, points[q], rule, removed >= 0, shift, bounds, scratch
    )
    n_ranges, size, is_listed = _exclude_rows(scan, removed, scratch)
    return FoundWindow(n_ranges, size, is_listed, scan.bandwidth_sq, False), bounds
