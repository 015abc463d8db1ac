"""Loops over left-out rows: the Shepard estimate without the row, and its gradient.

Rows lie in blocks of one width, features before rows, so that every inner loop runs
over neighbouring rows and is vectorised without reordering a sum. The last block is
filled up with rows of mass 0.
"""

import math

import numpy as np

from .._kernel import kernel
from ._search import heap_push

# Weights below exp(-this) times the largest are 0: too small to change any sum.
_NEGLIGIBLE = 50.0
# exp of more overflows.
_LARGEST_EXPONENT = 700.0


@kernel
def keep_nearest(squared, k, mass):
    """Set to 0 the mass of all but the nearest rows, whose masses then sum to k.

    Rows are taken in order of (distance, place); the last one is cut.
    """
    n = squared.shape[0]
    near, rows = np.empty((1, n)), np.empty((1, n), dtype=np.int64)
    counts, masses = np.zeros(1, dtype=np.int64), np.zeros(1)
    worst = np.inf
    for row in range(n):
        worst = heap_push(
            near, rows, counts, masses, 0, squared[row], row, mass, -1, k, worst
        )
    rows = rows[0, : counts[0]]  # the farthest first
    kept = mass[rows]
    total = 0.0
    for i in range(len(rows)):
        total += kept[i]
    kept[0] -= max(total - k, 0.0)
    mass[:] = 0.0
    for i in range(len(rows)):
        mass[rows[i]] = kept[i]


@kernel
def leave_rows_out(
    blocks, targets, mass, places, removed, s, softening, power, k, loss, gradient
):
    """Write each left-out row's squared error and the gradient of it.

    Parameters
    ----------
    blocks : (n_blocks, d, width) array
        The rows, standardised.
    targets : (n, V) array
        Of all rows; n = n_blocks * width.
    mass : (n,) array
        Weights of all rows.
    places : (m,) int array
        The rows to leave out, one by one.
    removed : (m,) array
        How much of the mass of each is taken away.
    s : (d,) array
        Squares of the stretch of the axes.
    softening : float
        Added to each squared difference.
    power : float
        Weights are distance ** -power.
    k : float
        Mass of the neighbours; 0 for all rows.
    loss : (m,) array
        Out.
    gradient : (m, d + 2) array
        Out: by s, by power and by softening. Of shape (0, d + 2) if not wanted.
    """
    n_blocks, d, width = blocks.shape
    n, n_targets = targets.shape
    x = np.empty(d)
    squared = np.empty(n)
    present = np.empty(n)
    weight = np.empty(n)
    answer = np.empty(n_targets)
    error = np.empty(n_targets)
    lanes = np.empty((d, width))
    stretch = s.sum()
    for i in range(places.shape[0]):
        exclude = places[i]
        for f in range(d):
            x[f] = blocks[exclude // width, f, exclude % width]
        squared[:] = softening * stretch
        for b in range(n_blocks):
            part = squared[b * width : (b + 1) * width]
            for f in range(d):
                if s[f] > 0:
                    for r in range(width):
                        gap = blocks[b, f, r] - x[f]
                        part[r] += s[f] * (gap * gap)
        present[:] = mass
        present[exclude] -= removed[i]
        if k > 0:
            keep_nearest(squared, k, present)

        # Weights relative to the nearest row's: no power overflows.
        nearest = np.inf
        for j in range(n):
            if present[j] > 0:
                nearest = min(nearest, squared[j])
        reach = math.exp(min(2 * _NEGLIGIBLE / power, _LARGEST_EXPONENT))
        total = 0.0
        answer[:] = 0.0
        for j in range(n):
            weight[j] = 0.0
            ratio = squared[j] / nearest
            if present[j] > 0 and ratio < reach:
                log_ratio = math.log(ratio)
                weight[j] = present[j] * math.exp(-0.5 * power * log_ratio)
                present[j] = log_ratio  # for the gradient
                total += weight[j]
                for v in range(n_targets):
                    answer[v] += weight[j] * targets[j, v]
        loss[i] = 0.0
        shift = 0.0
        for v in range(n_targets):
            answer[v] /= total
            error[v] = answer[v] - targets[exclude, v]
            loss[i] += error[v] * error[v]
            shift += error[v] * answer[v]
        if gradient.shape[0] == 0:
            continue

        # With a_j the share of row j in the answer, the loss changes with log a_j by
        # pull_j = 2 a_j error·(y_j - answer), and log a_j is -p/2 log d²_j + constant.
        by_power = 0.0
        by_square = 0.0
        lanes[:] = 0.0
        for b in range(n_blocks):
            touched = False
            for j in range(b * width, (b + 1) * width):
                if weight[j] > 0:
                    pull = -shift
                    for v in range(n_targets):
                        pull += error[v] * targets[j, v]
                    pull *= 2 * weight[j] / total
                    by_power -= 0.5 * pull * present[j]
                    weight[j] = -0.5 * power * pull / squared[j]  # by d²_j
                    by_square += weight[j]
                    touched = True
            if touched:
                for f in range(d):
                    for r in range(width):
                        gap = blocks[b, f, r] - x[f]
                        lanes[f, r] += weight[b * width + r] * (gap * gap)
        for f in range(d):
            gradient[i, f] = softening * by_square
            for r in range(width):
                gradient[i, f] += lanes[f, r]
        gradient[i, d] = by_power
        gradient[i, d + 1] = by_square * stretch
