"""Numba kernels that leave rows out: the Shepard estimate without a row, its gradient.

Every loop over rows either treats each row alone or adds up one sum, so that it is
vectorised. Loops that add up are separate, because sums may be reordered there; the
vectorised exp and log must keep the order of their steps.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import copy_numbers, kernel
from ..._core._vectorized_math import exp_negative, log_positive
from ...search import heap_push

# Weights below exp(this) times the largest are 0: too small to change any sum.
_NEGLIGIBLE = -50.0
# A squared distance below this share of the two squared norms it is the difference of
# is measured again, from the columns: it has lost 9 of its 53 bits.
_CANCELLATION = 2.0**-9
_INFINITY_BITS = 0x7FF0000000000000


class Rows(NamedTuple):
    """The rows, in standardised columns times their stretch."""

    columns: np.ndarray  # (n, d)
    norms: np.ndarray  # (n,), squared norms of the rows
    targets: np.ndarray  # (n_targets, n)
    weight: np.ndarray  # (n,)


class LeftOut(NamedTuple):
    """The rows to leave out one by one, with the columns that they then have."""

    rows: np.ndarray  # (m,), indices of the rows
    columns: np.ndarray  # (m, d)
    norms: np.ndarray  # (m,), squared norms
    removed: np.ndarray  # (m,), the weight taken from each row
    share: np.ndarray  # (m,), factors of the gradients of their losses


class Estimate(NamedTuple):
    """The Shepard estimate, with weights distance ** -power, for several powers."""

    powers: np.ndarray  # (n_powers,)
    softening: float  # added to each squared distance


class Gradient(NamedTuple):
    """The gradient of the sum of losses by the last power and by squared distances."""

    # All arrays are of size 0 if no gradient is wanted.

    by_power: np.ndarray  # (m,)
    by_row: np.ndarray  # (m,), by the squared distances of a left-out row to all rows
    by_column: np.ndarray  # (n,), by those of all left-out rows to a row


@kernel
def keep_nearest(squared, k, weight):
    """Set the weight of all but the nearest rows to 0, so that the rest sum to k."""
    # squared: (n,); weight: (n,), changed in place. Rows are taken in order of
    # (distance, index); the last weight is cut.
    n = squared.shape[0]
    near, rows = np.empty((1, n)), np.empty((1, n), dtype=np.int64)
    counts, totals = np.zeros(1, dtype=np.int64), np.zeros(1)
    worst = np.inf
    for row in range(n):
        worst = heap_push(
            near, rows, counts, totals, 0, squared[row], row, weight, -1, k, worst
        )
    rows = rows[0, : counts[0]]  # the farthest first
    kept = np.empty(len(rows))
    total = 0.0
    for i in range(len(rows)):
        kept[i] = weight[rows[i]]
        total += kept[i]
    kept[0] -= max(total - k, 0.0)
    weight[:] = 0.0
    for i in range(len(rows)):
        weight[rows[i]] = kept[i]


@kernel(fuse_products=True, only_in_kernels=True)
def _subtract_products(products, norms, norm, softening, squared):
    """Write softened distances² = |x|² + |x'|² - 2 x·x'; count those that cancel."""
    n_cancelled = 0
    for j in range(norms.shape[0]):
        both = norm + norms[j]
        difference = both - 2.0 * products[j]
        squared[j] = (difference if difference > 0.0 else 0.0) + softening
        n_cancelled += squared[j] < _CANCELLATION * both
    return n_cancelled


@kernel(only_in_kernels=True)
def _measure_again(columns, norms, x, norm, softening, squared):
    """Measure from the columns what cancelled in the difference of norms."""
    for j in range(norms.shape[0]):
        if squared[j] < _CANCELLATION * (norm + norms[j]):
            total = 0.0
            for f in range(columns.shape[1]):
                gap = columns[j, f] - x[f]
                total += gap * gap
            squared[j] = total + softening


@kernel
def _nearest(squared, present):
    """Return the least squared distance of a row that is present."""
    # squared: (n,); present: (n,), weights, 0 for a row that is not present. Positive
    # floats have the order of their bits, whose minimum is vectorised.
    least = _INFINITY_BITS
    for j in range(squared.shape[0]):
        bits = np.float64(squared[j]).view(np.int64)
        bits = bits if present[j] > 0.0 else _INFINITY_BITS
        least = min(least, bits)
    return np.int64(least).view(np.float64)


@kernel(fuse_products=True, only_in_kernels=True)
def _write_log_ratios(squared, nearest, log_ratio):
    log_nearest = log_positive(nearest)
    for j in range(squared.shape[0]):
        log_ratio[j] = log_positive(squared[j]) - log_nearest


@kernel(fuse_products=True, only_in_kernels=True)
def _write_weights(log_ratio, present, power, weight):
    """Write distance ** -power relative to the nearest row's: no power overflows."""
    for j in range(log_ratio.shape[0]):
        exponent = -0.5 * power * log_ratio[j]
        # Only rows that are not present are nearer than the nearest one.
        relative = exp_negative(exponent if exponent < 0.0 else 0.0)
        weight[j] = present[j] * relative if exponent > _NEGLIGIBLE else 0.0


@kernel(reorder_sums=True, fuse_products=True, only_in_kernels=True)
def _sum_targets(weight, targets, sums):
    """Write the weighted sum of each target; return the sum of the weights."""
    total = 0.0
    for j in range(weight.shape[0]):
        total += weight[j]
    for v in range(targets.shape[0]):
        by_target = 0.0
        for j in range(weight.shape[0]):
            by_target += weight[j] * targets[v, j]
        sums[v] = by_target
    return total


@kernel(reorder_sums=True, fuse_products=True, only_in_kernels=True)
def _write_slopes(scratch, factor, power, slopes, by_column):
    """Write slopes of a loss by squared distances; return that by power, their sum."""
    # scratch: four (n,) arrays; slopes: (n,), overwritten; by_column: (n,), to which
    # the slopes are added.
    # With a_j the share of row j in the answer, the loss changes with log a_j by
    # pull_j = 2 a_j error·(y_j - answer), and log a_j is -p/2 log d²_j + constant. On
    # entry `slopes` holds error·(y_j - answer), and factor is 2 share / total weight,
    # with the share of `LeftOut`.
    squared, _, log_ratio, weight = scratch
    by_power = 0.0
    by_square = 0.0
    for j in range(squared.shape[0]):
        pull = factor * weight[j] * slopes[j]
        by_power -= 0.5 * pull * log_ratio[j]
        slope = -0.5 * power * pull / squared[j]
        by_square += slope
        by_column[j] += slope
        slopes[j] = slope
    return by_power, by_square


@kernel(fuse_products=True, only_in_kernels=True)
def _write_pulls(targets, error, shift, pulls):
    """Write error·(y_j - answer) for each row j."""
    pulls[:] = -shift
    for v in range(targets.shape[0]):
        for j in range(pulls.shape[0]):
            pulls[j] += error[v] * targets[v, j]


@kernel
def leave_rows_out(rows, left_out, estimate, k, products, loss, gradient):
    """Write each left-out row's squared error and the gradient of it."""
    # k: the total weight of the neighbours. None, all rows, is compiled by itself: that
    # takes two thirds of the time.
    # products: (m, n), on entry the products x·x' of left-out rows and all rows; at the
    # end, if the gradient is wanted, the slope of the losses by each squared distance.
    # Written: loss: (m, n_powers), and gradient.
    columns, norms, targets, row_weight = rows
    powers, softening = estimate
    n_targets, n = targets.shape
    scratch = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    squared, present, log_ratio, weight = scratch
    error = np.empty(n_targets)
    for i in range(left_out.rows.shape[0]):
        row, norm = left_out.rows[i], left_out.norms[i]
        if _subtract_products(products[i], norms, norm, softening, squared):
            x = left_out.columns[i]
            _measure_again(columns, norms, x, norm, softening, squared)
        copy_numbers(row_weight, present)
        present[row] -= left_out.removed[i]
        if k is not None:
            keep_nearest(squared, k, present)
        _write_log_ratios(squared, _nearest(squared, present), log_ratio)
        for p in range(powers.shape[0]):
            _write_weights(log_ratio, present, powers[p], weight)
            total = _sum_targets(weight, targets, error)
            loss[i, p] = 0.0
            shift = 0.0
            for v in range(n_targets):
                answer = error[v] / total
                error[v] = answer - targets[v, row]
                loss[i, p] += error[v] * error[v]
                shift += error[v] * answer
        if gradient.by_row.shape[0]:
            _write_pulls(targets, error, shift, products[i])
            gradient.by_power[i], gradient.by_row[i] = _write_slopes(
                scratch,
                2.0 * left_out.share[i] / total,
                powers[-1],
                products[i],
                gradient.by_column,
            )
