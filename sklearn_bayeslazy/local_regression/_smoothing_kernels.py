"""Smoothing kernels: the weight of a row as a function of its distance.

The weight depends on u, the distance over the bandwidth. All kernels but the Gaussian
and the inverse square vanish beyond u = 1. The inverse square has no bandwidth: its
weights are relative to that of the nearest row, and rows at distance 0 outweigh all
others together.
"""

import math

import numpy as np

from .._core._kernel import inlined, kernel
from .._core._vectorized_math import exp_negative

UNIFORM, TRIANGULAR, EPANECHNIKOV, BIWEIGHT, TRICUBE, GAUSSIAN, INVERSE_SQUARE = range(
    7
)
KERNELS = {
    "uniform": UNIFORM,
    "triangular": TRIANGULAR,
    "epanechnikov": EPANECHNIKOV,
    "biweight": BIWEIGHT,
    "tricube": TRICUBE,
    "gaussian": GAUSSIAN,
    "inverse_square": INVERSE_SQUARE,
}
# Kernels whose weight is above 0 at any distance.
INFINITE_SUPPORT = ("gaussian", "inverse_square")
# Kernels whose weight is above 0 at the bandwidth, the distance of the last neighbour.
POSITIVE_AT_BANDWIDTH = ("uniform", *INFINITE_SUPPORT)
# Total weight of rows at distance 0, relative to all others. The others then change no
# digit of the prediction, but they determine the slopes.
ZERO_DISTANCE_FACTOR = 2.0**100
_TINY = np.finfo(np.float64).tiny


@inlined
def _write_kernel_weights(distances_sq, bandwidth_sq, kernel_code, weights):
    """Write the weight K(u) of each row, u² being the ratio of both squares."""
    # Whether a row is within the bandwidth is decided by the squares themselves, so
    # that rounding of the ratio cannot move the farthest neighbour across the limit.
    size = distances_sq.shape[0]
    inverse = 1.0 / bandwidth_sq
    if kernel_code == UNIFORM:
        for c in range(size):
            weights[c] = 1.0 if distances_sq[c] <= bandwidth_sq else 0.0
    elif kernel_code == GAUSSIAN:
        for c in range(size):
            weights[c] = exp_negative(-0.5 * inverse * distances_sq[c])
    elif kernel_code == TRICUBE:
        for c in range(size):
            ratio = distances_sq[c] * inverse
            rest = 1.0 - ratio * math.sqrt(ratio)
            weights[c] = rest * rest * rest if distances_sq[c] < bandwidth_sq else 0.0
    elif kernel_code == TRIANGULAR:
        for c in range(size):
            rest = 1.0 - math.sqrt(distances_sq[c] * inverse)
            weights[c] = rest if distances_sq[c] < bandwidth_sq else 0.0
    elif kernel_code == BIWEIGHT:
        for c in range(size):
            rest = 1.0 - distances_sq[c] * inverse
            weights[c] = rest * rest if distances_sq[c] < bandwidth_sq else 0.0
    else:  # EPANECHNIKOV
        for c in range(size):
            rest = 1.0 - distances_sq[c] * inverse
            weights[c] = rest if distances_sq[c] < bandwidth_sq else 0.0


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
        if distances_sq[c] > 0.0:
            weights[c] = weight * (nearest / distances_sq[c])
            total += weights[c]
        else:
            total_at_zero += weight
    if total_at_zero > 0.0:
        for c in range(size):
            if distances_sq[c] == 0.0:
                weight = sample_weight[c] if len(sample_weight) else 1.0
                share = weight / total_at_zero
                weights[c] = share * ZERO_DISTANCE_FACTOR * max(total, 1.0)


# By default the kernel that is first to call `weigh` would decide whether its sums may
# be reordered, and so the last digits of the weights.
@kernel(reorder_sums=False, only_in_kernels=True)
def weigh(distances_sq, sample_weight, bandwidth_sq, kernel_code, weights):
    """Write kernel weights times sample weights of the rows of a window."""
    # distances_sq: (k,); sample_weight: (k,), or (0,) if all are 1; bandwidth_sq: 0
    # only if all distances are 0; kernel_code: a value of `KERNELS`; weights: (k,) out.
    if kernel_code == INVERSE_SQUARE:
        _write_inverse_squares(distances_sq, sample_weight, weights)
        return
    bandwidth_sq = bandwidth_sq if bandwidth_sq > 0.0 else 1.0
    _write_kernel_weights(distances_sq, bandwidth_sq, kernel_code, weights)
    for c in range(len(sample_weight)):
        weights[c] *= sample_weight[c]


def weigh_rows(distances_sq, sample_weight, bandwidths_sq, kernel_name):
    """Return kernel weights times sample weights, as `weigh` does, by NumPy."""
    # Of the rows of m windows, (m, n): distances_sq, sample_weight and the result;
    # bandwidths_sq: (m,); kernel_name: a key of `KERNELS`.
    if kernel_name == "inverse_square":
        is_apart = (distances_sq > 0) & (sample_weight > 0)
        nearest = np.where(is_apart, distances_sq, np.inf).min(axis=1, keepdims=True)
        weights = np.where(is_apart, sample_weight * (nearest / distances_sq), 0.0)
        at_zero = np.where(distances_sq == 0, sample_weight, 0.0)
        share = at_zero / np.maximum(at_zero.sum(axis=1, keepdims=True), _TINY)
        total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
        return weights + share * (ZERO_DISTANCE_FACTOR * total)
    bandwidths_sq = np.where(bandwidths_sq > 0, bandwidths_sq, 1.0)[:, None]
    if kernel_name == "uniform":
        return np.where(distances_sq <= bandwidths_sq, sample_weight, 0.0)
    ratio = distances_sq * (1.0 / bandwidths_sq)
    if kernel_name == "gaussian":
        return np.exp(-0.5 * ratio) * sample_weight
    shapes = {
        "triangular": lambda: 1 - np.sqrt(ratio),
        "epanechnikov": lambda: 1 - ratio,
        "biweight": lambda: (1 - ratio) ** 2,
        "tricube": lambda: (1 - ratio * np.sqrt(ratio)) ** 3,
    }
    weights = shapes[kernel_name]() * sample_weight
    return np.where(distances_sq < bandwidths_sq, weights, 0.0)
