"""The loop over queries: find the rows of a window, weight them, fit, store the fit.

There is one loop for windows of all kinds, since compiling the fit takes seconds.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, inlined_late, kernel
from .._smoothing_kernels import weigh
from ._kernel_arguments import FoundWindow, Window
from ._least_squares_kernels import FITTED, TIED, make_workspace, solve_window
from ._window_kernels import (
    append_range,
    count_within,
    drop_from_list,
    find_kth_distance,
    largest_within,
    list_rows_within,
    make_scan_scratch,
    mask_beyond,
    measure_within,
    position_in_window,
)


@inlined_late
def gather_sample_weight(sample_weight, indices, ranges, left_out, gathered):
    """Write the sample weights of a window's rows, 0 for a row that is left out."""
    # left_out: -1 if no row is left out; gathered: (k,), or (0,) if all weights are 1.
    if len(gathered):
        n_done = 0
        for c in range(len(ranges)):
            for r in range(ranges[c, 0], ranges[c, 1]):
                gathered[n_done] = sample_weight[indices[r] if len(indices) else r]
                n_done += 1
        position = position_in_window(left_out, indices, ranges)
        if position >= 0:
            gathered[position] = 0.0


@inlined
def _copy_listed(windows, q, scratch, gathered):
    """Copy a listed window and the sample weights of its rows."""
    starts, counts, indices, distances_sq, sample_weight, bandwidths_sq = windows
    first, count = starts[q], counts[q]
    for c in range(count):
        scratch.listed_rows[c] = indices[first + c]
        scratch.listed_sq[c] = distances_sq[first + c]
        gathered[c] = sample_weight[first + c]
    n_ranges = append_range(0, count, scratch.max_range_length, scratch.ranges, 0)
    return FoundWindow(n_ranges, count, True, bandwidths_sq[q], False)


@inlined
def _weight_robustly(weights, robustness_weights, indices, ranges):
    """Multiply the weights of a window's rows by their robustness weights."""
    n_done = 0
    for c in range(len(ranges) if len(robustness_weights) else 0):
        for r in range(ranges[c, 0], ranges[c, 1]):
            row = indices[r] if len(indices) else r
            weights[n_done] *= robustness_weights[row]
            n_done += 1


@inlined
def _store(q, fits, is_fitted, coef, leverage, variance_factor):
    """Store the last polynomial's coefficients and its hat statistics."""
    _, stored, hat_statistics, _ = fits
    for a in range(stored.shape[1]):
        for v in range(stored.shape[2]):
            stored[q, a, v] = coef[a, v] if is_fitted and a < len(coef) else 0.0
    if len(hat_statistics):
        hat_statistics[q, 0] = leverage
        hat_statistics[q, 1] = variance_factor


@kernel
def solve_windows(
    rows, leaves, queries, rule, windows, kernel_code, polynomials, fits, outcomes
):
    """Fit polynomials to the window of each query."""
    # Windows are listed in `windows`; or, if that is empty, they are found by a scan of
    # the rows in the leaves; or, if there are no leaves, in the only column of sorted
    # rows. `rule` is that of windows that are not listed. rows, queries.exclude and
    # fits.hat_rows (zeros that are added to) are in the order in which windows are
    # found. outcomes: (m,) out, what became of each window: those that are
    # `ILL_CONDITIONED` or `TIED` have no fit.
    X, Y, columns, target_columns, sample_weight, robustness_weights = rows
    points, exclude, leave_one_out = queries
    lists = len(windows.counts) > 0
    capacity = windows.counts.max() if lists else len(Y)
    workspace = make_workspace(polynomials.n_terms, Y.shape[1])
    scratch = make_scan_scratch(capacity, leaves, workspace.design.shape[1])
    has_weights = lists or len(sample_weight) > 0
    weights, gathered = np.empty(capacity), np.empty(capacity if has_weights else 0)
    bounds = (0.0, math.inf)
    for q in range(len(points)):
        left_out = exclude[q] if leave_one_out else -1
        # Without sample weights the row is removed. With them, its weight is 0.
        removed = left_out if len(sample_weight) == 0 else -1
        if lists:
            found = _copy_listed(windows, q, scratch, gathered)
        elif len(leaves.starts):
            found, bounds = find_by_scan(
                columns, leaves, points, q, rule, removed, bounds, scratch
            )
        else:
            found = find_in_sorted_column(
                columns[0], points[q, 0], rule, removed, scratch
            )
            if found.is_tied:
                outcomes[q] = TIED
                continue
        distances_sq = scratch.distances_sq[: found.size]
        indices = scratch.listed_rows[:0]
        if found.is_listed:
            distances_sq = scratch.listed_sq[: found.size]
            indices = scratch.listed_rows[: found.size]
        ranges = scratch.ranges[: found.n_ranges]
        window_weight = gathered[: found.size if has_weights else 0]
        if not lists:
            gather_sample_weight(
                sample_weight, indices, ranges, left_out, window_weight
            )
        window = Window(X, Y, indices, columns, target_columns, ranges, window_weight)
        here = weights[: found.size]
        weigh(distances_sq, window_weight, found.bandwidth_sq, kernel_code, here)
        _weight_robustly(here, robustness_weights, indices, ranges)
        outcome, leverage, variance_factor = solve_window(
            window,
            points[q],
            here,
            math.sqrt(found.bandwidth_sq),
            polynomials,
            exclude[q],
            workspace,
            len(fits.hat_statistics) > 0 or len(fits.hat_rows) > 0,
            fits.hat_rows[q] if len(fits.hat_rows) else weights[:0],
            fits.predictions[q],
        )
        outcomes[q], is_fitted = outcome, outcome == FITTED
        _store(q, fits, is_fitted, workspace.coef, leverage, variance_factor)


# Loops that find a window by scanning the rows in the leaves of a kd-tree.
#
# A window is either a list of rows, or all rows that were measured, with infinite
# distances for those that are not in it. The choice depends on the query alone, not on
# the queries before it: a query has the same prediction, to the last bit, in any batch.


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
        size = list_rows_within(n_ranges, radius_sq, scratch)
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


# Loops that find a window among rows sorted by one feature: a range of them.


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
