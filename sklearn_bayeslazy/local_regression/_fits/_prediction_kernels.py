"""Loops over queries: weight the rows of each window, fit a polynomial, store it.

`fit_listed` takes windows that are listed beforehand. `_scan_kernels` and
`_sorted_column_kernels` find each window when it is needed and store no lists.
"""

import math

import numpy as np

from ..._kernel import inlined_late, kernel
from .._smoothing_kernels import weigh
from ._kernel_arguments import Window
from ._least_squares_kernels import fit_window, make_workspace
from ._window_kernels import append_range, position_in_window


@inlined_late
def gather_sample_weight(sample_weight, indices, ranges, left_out, gathered):
    """Write the sample weights of a window's rows, one copy of a row left out.

    left_out is -1 if no row is left out. `gathered` has length 0 if all weights are 1.
    """
    if len(gathered):
        n_done = 0
        for c in range(len(ranges)):
            for r in range(ranges[c, 0], ranges[c, 1]):
                gathered[n_done] = sample_weight[indices[r] if len(indices) else r]
                n_done += 1
        position = position_in_window(left_out, indices, ranges)
        if position >= 0:
            gathered[position] -= min(gathered[position], 1.0)


@inlined_late
def fit_query(
    q,
    queries,
    window,
    distances_sq,
    bandwidth_sq,
    kernel_code,
    polynomials,
    robustness_weights,
    weights,
    workspace,
    fits,
):
    """Fit polynomials to the window of query q and store them; return if it is empty.

    Parameters
    ----------
    q : int
    queries : Queries
    window : Window
    distances_sq : (k,) squared distances of the rows of the window.
    bandwidth_sq : float
    kernel_code : int
    polynomials : Polynomials
    robustness_weights : (n,), or of length 0.
    weights : (k,) to write on.
    workspace : Workspace
    fits : LocalFits, out.

    Returns
    -------
    is_empty : bool
        Whether no row of the window has any weight.
    """
    indices, ranges = window.indices, window.ranges
    predictions, stored, hat_statistics, hat_rows = fits
    points, exclude, _ = queries
    weigh(distances_sq, window.sample_weight, bandwidth_sq, kernel_code, weights)
    if len(robustness_weights):
        n_done = 0
        for c in range(len(ranges)):
            for r in range(ranges[c, 0], ranges[c, 1]):
                row = indices[r] if len(indices) else r
                weights[n_done] *= robustness_weights[row]
                n_done += 1
    has_weight, leverage, variance_factor = fit_window(
        window,
        points[q],
        weights,
        math.sqrt(bandwidth_sq),
        polynomials,
        exclude[q],
        workspace,
        len(hat_statistics) > 0 or len(hat_rows) > 0,
        hat_rows[q] if len(hat_rows) else weights[:0],
        predictions[q],
    )
    coef = workspace.coef
    for a in range(stored.shape[1]):
        for v in range(stored.shape[2]):
            stored[q, a, v] = coef[a, v] if has_weight and a < len(coef) else 0.0
    if len(hat_statistics):
        hat_statistics[q, 0] = leverage
        hat_statistics[q, 1] = variance_factor
    return not has_weight


@kernel
def fit_listed(rows, queries, windows, kernel_code, polynomials, fits):
    """Fit polynomials to the listed window of each query; return how many are empty.

    Parameters
    ----------
    rows : TrainingRows
    queries : Queries
    windows : ListedWindows
    kernel_code : int
    polynomials : Polynomials
    fits : LocalFits, out; `hat_rows` are zeros.
    """
    X, Y, columns, target_columns, _, robustness_weights = rows
    starts, counts, indices, distances_sq, sample_weight, bandwidths_sq = windows
    workspace = make_workspace(polynomials.n_terms, Y.shape[1])
    max_range_length = workspace.design.shape[1]
    max_count = counts.max() if len(counts) else 0
    weights = np.empty(max_count)
    # Writable copies, as a scan's windows are: `fit_query` is compiled once for both.
    rows_here, squares_here = np.empty(max_count, np.int64), np.empty(max_count)
    weight_here = np.empty(max_count)
    ranges = np.empty((max_count // max_range_length + 1, 2), np.int64)
    n_empty = 0
    for q in range(len(counts)):
        first, count = starts[q], counts[q]
        for c in range(count):
            rows_here[c], squares_here[c] = indices[first + c], distances_sq[first + c]
            weight_here[c] = sample_weight[first + c]
        n_ranges = append_range(0, count, max_range_length, ranges, 0)
        window = Window(
            X,
            Y,
            rows_here[:count],
            columns,
            target_columns,
            ranges[:n_ranges],
            weight_here[:count],
        )
        n_empty += fit_query(
            q,
            queries,
            window,
            squares_here[:count],
            bandwidths_sq[q],
            kernel_code,
            polynomials,
            robustness_weights,
            weights[:count],
            workspace,
            fits,
        )
    return n_empty
