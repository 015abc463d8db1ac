"""Numba kernels that leave rows out: the Shepard estimate without a row, its gradient.

Rows lie in blocks of one width, features before rows, so that every inner loop runs
over rows side by side in memory and is vectorised without reordering a sum. The last
block is filled up with rows of weight 0.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._kernel import inlined, kernel
from .._search import heap_push

# Weights below exp(-this) times the largest are 0: too small to change any sum.
_NEGLIGIBLE = 50.0
# exp of more overflows.
_MAX_EXPONENT = 700.0


class RowBlocks(NamedTuple):
    """The rows, standardised.

    blocks (n_blocks, d, width); targets (n, V) and weight (n,) with n = n_blocks *
    width.
    """

    blocks: np.ndarray
    targets: np.ndarray
    weight: np.ndarray


class LeftOut(NamedTuple):
    """The rows (m,) to leave out one by one, and the weight taken from each."""

    rows: np.ndarray
    removed: np.ndarray


class Estimate(NamedTuple):
    """The Shepard estimate, with weights distance ** -power.

    s (d,) are squares of the stretch of the axes; softening is added to each squared
    difference; k is the total weight of the neighbours, 0 for all rows.
    """

    s: np.ndarray
    softening: float
    power: float
    k: float


class Scratch(NamedTuple):
    """Arrays for one row that is left out.

    x (d,) is the row. Of the other rows: squared (n,) distances; present (n,), the
    weights, then log distances² over the nearest one; weight (n,) in the estimate.
    answer (V,) is the estimate, error (V,) its error, lanes (d, width) the gradient.
    """

    x: np.ndarray
    squared: np.ndarray
    present: np.ndarray
    weight: np.ndarray
    answer: np.ndarray
    error: np.ndarray
    lanes: np.ndarray


@kernel
def keep_nearest(squared, k, weight):
    """Set the weight of all but the nearest rows to 0, so that the rest sum to k.

    Rows are taken in order of (distance, index); the last weight is cut.
    """
    n = squared.shape[0]
    near, rows = np.empty((1, n)), np.empty((1, n), dtype=np.int64)
    counts, totals = np.zeros(1, dtype=np.int64), np.zeros(1)
    worst = np.inf
    for row in range(n):
        worst = heap_push(
            near, rows, counts, totals, 0, squared[row], row, weight, -1, k, worst
        )
    rows = rows[0, : counts[0]]  # the farthest first
    kept = weight[rows]
    total = 0.0
    for i in range(len(rows)):
        total += kept[i]
    kept[0] -= max(total - k, 0.0)
    weight[:] = 0.0
    for i in range(len(rows)):
        weight[rows[i]] = kept[i]


@inlined
def _measure_rows(blocks, left_out, s, softening, x, squared):
    """Write the left-out row into x, and its softened distances² to all rows."""
    n_blocks, d, width = blocks.shape
    for f in range(d):
        x[f] = blocks[left_out // width, f, left_out % width]
    squared[:] = softening * s.sum()
    for b in range(n_blocks):
        part = squared[b * width : (b + 1) * width]
        for f in range(d):
            if s[f] > 0:
                for r in range(width):
                    gap = blocks[b, f, r] - x[f]
                    part[r] += s[f] * (gap * gap)


@inlined
def _weigh_rows(squared, present, targets, power, weight, answer):
    """Write the rows' weights, and the sums of weights times targets; return the total.

    Weights are relative to the nearest row's, so that no power overflows. Where a
    weight is above 0, `present` becomes log(distance² / nearest²) for the gradient.
    """
    n, n_targets = targets.shape
    nearest = np.inf
    for j in range(n):
        if present[j] > 0:
            nearest = min(nearest, squared[j])
    max_ratio = math.exp(min(2 * _NEGLIGIBLE / power, _MAX_EXPONENT))
    total = 0.0
    answer[:] = 0.0
    for j in range(n):
        weight[j] = 0.0
        ratio = squared[j] / nearest
        if present[j] > 0 and ratio < max_ratio:
            log_ratio = math.log(ratio)
            weight[j] = present[j] * math.exp(-0.5 * power * log_ratio)
            present[j] = log_ratio
            total += weight[j]
            for v in range(n_targets):
                answer[v] += weight[j] * targets[j, v]
    return total


@inlined
def _squared_error(targets, left_out, total, answer, error):
    """Divide the answer by the total; return the squared error, and error · answer."""
    loss = 0.0
    shift = 0.0
    for v in range(targets.shape[1]):
        answer[v] /= total
        error[v] = answer[v] - targets[left_out, v]
        loss += error[v] * error[v]
        shift += error[v] * answer[v]
    return loss, shift


@inlined
def _write_gradient(rows, estimate, total, shift, scratch, gradient, i):
    """Write gradient[i]: by s, by power and by softening.

    With a_j the share of row j in the answer, the loss changes with log a_j by
    pull_j = 2 a_j error·(y_j - answer), and log a_j is -p/2 log d²_j + constant.
    """
    blocks, targets, _ = rows
    s, softening, power, _ = estimate
    x, squared, log_ratio, weight, _, error, lanes = scratch
    n_blocks, d, width = blocks.shape
    by_power = 0.0
    by_square = 0.0
    lanes[:] = 0.0
    for b in range(n_blocks):
        has_weight = False
        for j in range(b * width, (b + 1) * width):
            if weight[j] > 0:
                pull = -shift
                for v in range(targets.shape[1]):
                    pull += error[v] * targets[j, v]
                pull *= 2 * weight[j] / total
                by_power -= 0.5 * pull * log_ratio[j]
                weight[j] = -0.5 * power * pull / squared[j]  # by d²_j
                by_square += weight[j]
                has_weight = True
        if has_weight:
            for f in range(d):
                for r in range(width):
                    gap = blocks[b, f, r] - x[f]
                    lanes[f, r] += weight[b * width + r] * (gap * gap)
    for f in range(d):
        gradient[i, f] = softening * by_square
        for r in range(width):
            gradient[i, f] += lanes[f, r]
    gradient[i, d] = by_power
    gradient[i, d + 1] = by_square * s.sum()


@kernel
def leave_rows_out(rows, left_out, estimate, loss, gradient):
    """Write each left-out row's squared error and the gradient of it.

    Parameters
    ----------
    rows : RowBlocks
    left_out : LeftOut
    estimate : Estimate
    loss : (m,) array
        Out.
    gradient : (m, d + 2) array
        Out: by s, by power and by softening. Of shape (0, d + 2) if not wanted.
    """
    blocks, targets, row_weight = rows
    s, softening, power, k = estimate
    _, d, width = blocks.shape
    n, n_targets = targets.shape
    x, squared, present, weight = np.empty(d), np.empty(n), np.empty(n), np.empty(n)
    answer, error, lanes = (
        np.empty(n_targets),
        np.empty(n_targets),
        np.empty((d, width)),
    )
    scratch = Scratch(x, squared, present, weight, answer, error, lanes)
    for i in range(left_out.rows.shape[0]):
        row = left_out.rows[i]
        _measure_rows(blocks, row, s, softening, x, squared)
        present[:] = row_weight
        present[row] -= left_out.removed[i]
        if k > 0:
            keep_nearest(squared, k, present)
        total = _weigh_rows(squared, present, targets, power, weight, answer)
        loss[i], shift = _squared_error(targets, row, total, answer, error)
        if gradient.shape[0]:
            _write_gradient(rows, estimate, total, shift, scratch, gradient, i)
