"""Numba kernel that finds the exponent of the joint probabilities of left-out rows."""

import numpy as np

from .._core._kernel import kernel

MAX_STEPS = 60
# The search ends where a step changes the exponent by a smaller share.
PRECISION = 1e-12


@kernel
def best_exponent(joint, classes, weight, smallest, min_log):
    """Return the v ≥ smallest that minimizes (v - 1)² / 2 - Σ w ln P_v(class | row)."""
    # P_v is in proportion to the joint probability to the power v. The loss is convex:
    # Newton's method, kept between points whose slopes have different signs.
    # joint: (n_rows, n_classes), log probabilities; rows in which every class is
    # impossible are skipped. classes, weight: (n_rows,).
    # min_log: logarithms relative to the largest of a row are at least this.
    low, high, v = smallest, np.inf, 1.0
    terms = np.empty(joint.shape[1])
    for _ in range(MAX_STEPS):
        slope, curvature = v - 1.0, 1.0
        for i in range(len(joint)):
            largest = -np.inf
            for c in range(len(terms)):
                largest = max(largest, joint[i, c])
            if largest == -np.inf:
                continue
            total, first, second = 0.0, 0.0, 0.0
            for c in range(len(terms)):
                term = max(joint[i, c] - largest, min_log)
                share = np.exp(v * term)
                total += share
                first += share * term
                second += share * term * term
                terms[c] = term
            mean = first / total
            slope += weight[i] * (mean - terms[classes[i]])
            curvature += weight[i] * max(second / total - mean * mean, 0.0)
        if slope > 0:
            high = v
        else:
            low = v
        moved = v - slope / curvature
        if not low <= moved <= high:
            moved = (low + high) / 2
        if abs(moved - v) <= PRECISION * v:
            return moved
        v = moved
    return v
