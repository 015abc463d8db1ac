"""Calibration of class probabilities: an exponent, and an offset for each class.

A network that misses dependences counts the same evidence several times, so its class
probabilities are too close to 0 and 1. The calibrated probabilities are

    P(c | x) ∝ exp(b_c) P(c, x)^v

with the v and b that maximize the log likelihood of the classes of rows that are left
out, one of which counts as of any class, minus (v - 1)² / 2 and Σ b_c² / 2. It is a
log-linear model with one term, so the objective is concave and has one maximum. Guo et
al. (2017) call 1 / v the temperature; with b it is the bias-corrected temperature
scaling of Alexandari, Kundaje and Shrikumar (2020).
"""

from typing import NamedTuple

import numpy as np

from ..leave_one_out import (
    MAX_LOG_LOSS,
    LogLinearRows,
    best_temperature,
    fit_log_linear,
    gaps_by_class,
)

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
    gaps, impossible = gaps_by_class(joint, np.zeros(joint.shape[1]))
    gaps = np.maximum(gaps, -MAX_LOG_LOSS)
    weight = np.where(impossible, 0.0, weight)  # such rows get the class prior
    return max(1 / best_temperature(gaps, classes, weight), MIN_EXPONENT)


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
    model = fit_log_linear(rows, None, start)
    return Calibration(float(MIN_EXPONENT + model.weights[0]), model.class_offset)
