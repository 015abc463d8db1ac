"""Calibration of class probabilities: an exponent, and an offset for each class.

A network that misses dependences counts the same evidence several times, so its class
probabilities are too close to 0 and 1. The calibrated probabilities are

    P(c | x) ∝ exp(b_c) P(c, x)^v

with the v and b that maximize the log likelihood of the classes of rows that are left
out, minus (v - 1)² / 2 and Σ b_c² / 2. It is a log-linear model with one term, so the
objective is concave and has one maximum. Guo et al. (2017) call 1 / v the temperature;
with b it is the bias-corrected temperature scaling of Alexandari, Kundaje and Shrikumar
(2020).
"""

from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, kernel
from ..leave_one_out import MAX_LOG_LOSS, LogLinearRows, ValueOffsets, fit_log_linear

# The least exponent. With 0, impossible classes would become possible.
MIN_EXPONENT = 0.01


class Calibration(NamedTuple):
    """The exponent v and the offsets b of the classes."""

    exponent: float
    offset: np.ndarray  # (n_classes,)

    @classmethod
    def none(cls, n_classes):
        """Return the calibration that changes nothing."""
        return cls(1.0, np.zeros(n_classes))

    def apply(self, joint):
        """Return calibrated joint log probabilities, of shape (n_rows, n_classes)."""
        return self.exponent * joint + self.offset


def fit_exponent(joint, classes, weight):
    """Return the best exponent without offsets."""
    # joint: (n_rows, n_classes), joint log probabilities of left-out rows, up to a
    # constant for each row; classes, weight: (n_rows,).
    return best_exponent(
        frozen(joint, np.float64),
        frozen(classes, np.int64),
        frozen(weight, np.float64),
        MIN_EXPONENT,
        -MAX_LOG_LOSS,
    )


def fit_calibration(joint, classes, weight):
    """Return the best exponent and offsets; see `fit_exponent`.

    >>> joint = np.log([[0.9, 0.1]] * 5)  # too certain: 3 of 5 rows have class 0
    >>> exponent, offset = fit_calibration(joint, np.array([0, 0, 0, 1, 1]), np.ones(5))
    >>> share = np.exp(exponent * joint[0] + offset)
    >>> bool(0.6 < share[0] / share.sum() < 0.75)  # the penalty keeps it above .6
    True
    """
    largest = joint.max(axis=1, keepdims=True)
    kept = largest[:, 0] > -np.inf  # other rows get the class prior
    if not kept.any():
        return Calibration.none(joint.shape[1])
    terms = np.maximum(joint[kept] - largest[kept], -MAX_LOG_LOSS)
    # The exponent is the sum of the least exponent and a weight ≥ 0.
    rows = LogLinearRows(
        terms[:, :, None],
        MIN_EXPONENT * terms,
        classes[kept],
        weight[kept],
        np.empty((len(terms), 0), dtype=np.int32),
    )
    start = np.array([1.0 - MIN_EXPONENT])
    model = fit_log_linear(rows, ValueOffsets.none(), start)
    return Calibration(float(MIN_EXPONENT + model.weights[0]), model.class_offset)


# Numba kernel that finds the exponent of the joint probabilities of left-out rows.


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
