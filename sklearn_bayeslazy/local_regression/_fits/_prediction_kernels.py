"""The loop over queries: find the rows of a window, weight them, fit, store the fit.

There is one loop for windows of all kinds, since compiling the fit takes seconds.
"""

import math

import numpy as np

from ..._core._kernel import inlined, inlined_late, kernel
from .._smoothing_kernels import weigh
from ._kernel_arguments import FoundWindow, Window
from ._least_squares_kernels import fit_window, make_workspace
from ._scan_kernels import find_by_scan
from ._sorted_column_kernels import find_in_sorted_column
from ._window_kernels import append_range, make_scan_scratch, position_in_window


@inlined_late
def gather_sample_weight(sample_weight, indices, ranges, left_out, gathered):
    """Write the sample weights of a window's rows, one copy of a row left out."""
    # left_out: -1 if no row is left out; gathered: (k,), or (0,) if all weights are 1.
    if len(gathered):
        n_done = 0
        for c in range(len(ranges)):
            for r in range(ranges[c, 0], ranges[c, 1]):
                gathered[n_done] = sample_weight[indices[r] if len(indices) else r]
                n_done += 1
        position = position_in_window(left_out, indices, ranges)
        if position >= 0:
            gathered[position] -= min(gathered[position], 1.0)


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
def _store(q, fits, has_weight, coef, leverage, variance_factor):
    """Store the last polynomial's coefficients and its hat statistics."""
    _, stored, hat_statistics, _ = fits
    for a in range(stored.shape[1]):
        for v in range(stored.shape[2]):
            stored[q, a, v] = coef[a, v] if has_weight and a < len(coef) else 0.0
    if len(hat_statistics):
        hat_statistics[q, 0] = leverage
        hat_statistics[q, 1] = variance_factor


@kernel
def fit_windows(
    rows, leaves, queries, rule, windows, kernel_code, polynomials, fits, is_tied
):
    """Fit polynomials to the window of each query."""
    # Windows are listed in `windows`; or, if that is empty, they are found by a scan of
    # the rows in the leaves; or, if there are no leaves, in the only column of sorted
    # rows. `rule` is that of windows that are not listed. rows, queries.exclude and
    # fits.hat_rows (zeros that are added to) are in the order in which windows are
    # found. is_tied: (m,) bool out; whether rows inside and outside of a window in the
    # sorted column are equally far, so that it is no range. Such queries are skipped.
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
        # Without sample weights the row is removed. With them, `gather_sample_weight`
        # reduces its weight by 1.
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
            is_tied[q] = found.is_tied
            if found.is_tied:
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
        has_weight, leverage, variance_factor = fit_window(
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
        _store(q, fits, has_weight, workspace.coef, leverage, variance_factor)
