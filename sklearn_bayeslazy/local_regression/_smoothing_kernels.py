"""Smoothing kernels: the weight of a row as a function of its distance.

The weight depends on u, the distance over the bandwidth. Most kernels are
(1 - u^a)^b, up to u = 1. The inverse square has no
bandwidth: its weights are relative to that of the nearest row, and rows at distance 0
outweigh all others together.
"""

import math

import numpy as np

from .._core._kernel import frozen, inlined, kernel
from .._core._vectorized_math import exp_negative

UNIFORM, GAUSSIAN, INVERSE_SQUARE = -1, -2, -3
# a and b of (1 - u^a)^b; or which other kernel it is.
KERNELS = {
    "uniform": (UNIFORM, 0),
    "triangular": (1, 1),
    "epanechnikov": (2, 1),
    "biweight": (2, 2),
    "tricube": (3, 3),
    "gaussian": (GAUSSIAN, 0),
    "inverse_square": (INVERSE_SQUARE, 0),
}
# Kernels whose weight is above 0 at any distance.
INFINITE_SUPPORT = ("gaussian", "inverse_square")
# Kernels whose weight is above 0 at the bandwidth, the distance of the last neighbour.
POSITIVE_AT_BANDWIDTH = ("uniform", *INFINITE_SUPPORT)
# Total weight of rows at distance 0, relative to all others. The others then change no
# digit of the prediction, but they determine the slopes.
ZERO_DISTANCE_FACTOR = 2.0**100


@inlined
def _write_powers(distances_sq, bandwidth_sq, a, b, weights):
    """Write (1 - u^a)^b of each row within the bandwidth, 0 of others."""
    # Whether a row is within the bandwidth is decided by the squares themselves, so
    # that rounding of the ratio cannot move the farthest neighbour across the limit.
    # One loop for all kernels: factors that are not wanted are multiplied by 0.
    inverse = 1.0 / bandwidth_sq
    is_one, once = 1.0 if a == 1 else 0.0, 1.0 if b == 1 else 0.0
    is_two, twice = 1.0 if a == 2 else 0.0, 1.0 if b == 2 else 0.0
    is_three, thrice = 1.0 if a == 3 else 0.0, 1.0 if b == 3 else 0.0
    for c in range(len(weights)):
        ratio = distances_sq[c] * inverse
        root = math.sqrt(ratio)
        rest = 1.0 - (is_one * root + is_two * ratio + is_three * (ratio * root))
        square = rest * rest
        weight = once * rest + twice * square + thrice * (square * rest)
        weights[c] = weight if distances_sq[c] < bandwidth_sq else 0.0


@inlined
def _write_inverse_squares(distances_sq, sample_weight, weights):
    """Write sample weights over squared distances, in units of the nearest row's."""
    # The nearest row is the nearest at a distance above 0. Rows at distance 0 outweigh
    # all others together.
    size = distances_sq.shape[0]
    nearest, total, total_at_zero = math.inf, 0.0, 0.0
    for c in range(size):
        has_weight = len(sample_weight) == 0 or sample_weight[c] > 0.0
        if distances_sq[c] > 0.0 and has_weight:
            nearest = min(nearest, distances_sq[c])
    for c in range(size):
        weight = sample_weight[c] if len(sample_weight) else 1.0
        weights[c] = 0.0
        if distances_sq[c] == 0.0:
            total_at_zero += weight
        elif distances_sq[c] < math.inf:
            weights[c] = weight * (nearest / distances_sq[c])
            total += weights[c]
    if total_at_zero > 0.0:
        for c in range(size):
            if distances_sq[c] == 0.0:
                weight = sample_weight[c] if len(sample_weight) else 1.0
                share = weight / total_at_zero
                weights[c] = share * ZERO_DISTANCE_FACTOR * max(total, 1.0)


# The sums are not reordered: `exp_negative` would lose digits.
@kernel(reorder_sums=False)
def _weigh(
    starts, counts, distances_sq, sample_weight, bandwidths_sq, kernel_code, weights
):
    """Write kernel weights times sample weights of the rows of windows."""
    a, b = kernel_code
    for q in range(len(starts)):
        first, last = starts[q], starts[q] + counts[q]
        near, here = distances_sq[first:last], weights[first:last]
        given = sample_weight[first:last]
        if a == INVERSE_SQUARE:
            _write_inverse_squares(near, given, here)
            continue
        # It is 0 only if all distances are.
        bandwidth_sq = bandwidths_sq[q] if bandwidths_sq[q] > 0.0 else 1.0
        if a == GAUSSIAN:
            inverse = 1.0 / bandwidth_sq
            for c in range(len(here)):
                here[c] = exp_negative(-0.5 * inverse * near[c])
        elif a == UNIFORM:
            for c in range(len(here)):
                here[c] = 1.0 if near[c] <= bandwidth_sq else 0.0
        else:
            _write_powers(near, bandwidth_sq, a, b, here)
        for c in range(len(given)):
            here[c] *= given[c]


def weigh(windows, sample_weight, kernel_name, weights=None):
    """Return kernel weights times sample weights of the rows of `Windows`."""
    # sample_weight: of each number in the windows, or (0,) if all are 1; kernel_name: a
    # key of `KERNELS`; weights: written to, if given. The result is set where windows
    # have rows.
    if weights is None:
        weights = np.empty(len(windows.distances_sq))
    _weigh(
        windows.starts,
        windows.counts,
        windows.distances_sq,
        frozen(sample_weight, np.float64),
        windows.bandwidths_sq,
        KERNELS[kernel_name],
        weights,
    )
    return weights
