"""The loop over queries of one feature: windows are ranges of the sorted rows."""

import math

import numpy as np

from ..._kernel import inlined, kernel
from ._kernel_arguments import Window
from ._least_squares_kernels import make_workspace
from ._prediction_kernels import fit_query, gather_sample_weight
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
    """Return (first, last, squared bandwidth, whether it is tied) of a window.

    A window is tied if rows inside and outside of it are equally far from the query.
    n_removed is 1 if the query is a training row that is removed from its window.
    """
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


@kernel
def fit_sorted_column(rows, queries, rule, kernel_code, polynomials, fits, is_tied):
    """Find the window of each query and fit; return how many windows are empty.

    Parameters
    ----------
    rows : TrainingRows of one feature, sorted by it.
    queries : Queries; `exclude` holds positions in the sorted order.
    rule : WindowRule
    kernel_code : int
    polynomials : Polynomials
    fits : LocalFits without `hat_rows`, out.
    is_tied : (m,) bool out; whether rows inside and outside of the window are equally
        far, so that it is not a range. Such queries are skipped.
    """
    X, Y, columns, target_columns, sample_weight, robustness_weights = rows
    points, exclude, leave_one_out = queries
    column, (n, n_targets) = columns[0], Y.shape
    workspace = make_workspace(polynomials.n_terms, n_targets)
    max_range_length = workspace.design.shape[1]
    all_ranges = np.empty((n // max_range_length + 1, 2), np.int64)
    all_distances_sq, weights = np.empty(n), np.empty(n)
    gathered, indices = np.empty(n if len(sample_weight) else 0), np.empty(0, np.int64)
    n_empty = 0
    for q in range(len(points)):
        x = points[q, 0]
        left_out = exclude[q] if leave_one_out else -1
        removed = left_out if len(sample_weight) == 0 else -1  # its only copy
        first, last, bandwidth_sq, is_tied[q] = _window_range(
            column, x, rule, removed >= 0
        )
        if is_tied[q]:
            continue
        size = last - first
        near, distances_sq = column[first:last], all_distances_sq[:size]
        for c in range(size):
            t = near[c] - x
            distances_sq[c] = t * t
        if first <= removed < last:
            distances_sq[removed - first] = math.inf
        n_ranges = append_range(first, last, max_range_length, all_ranges, 0)
        ranges = all_ranges[:n_ranges]
        window_weight = gathered[: size if len(sample_weight) else 0]
        gather_sample_weight(sample_weight, indices, ranges, left_out, window_weight)
        window = Window(X, Y, indices, columns, target_columns, ranges, window_weight)
        n_empty += fit_query(
            q,
            queries,
            window,
            distances_sq,
            bandwidth_sq,
            kernel_code,
            polynomials,
            robustness_weights,
            weights[:size],
            workspace,
            fits,
        )
    return n_empty
