"""Calibration of class probabilities: an exponent, and an offset for each class.

A network that misses dependences counts the same evidence several times, so its class
probabilities are too close to 0 and 1. The calibrated probabilities are

    P(c | x) ∝ exp(b_c) P(c, x)^v

with the v and b that maximize the log likelihood of the classes of rows that are left
out, minus (v - 1)² / 2 and Σ b_c² / 2. The objective is concave, so Newton's method
finds its one maximum. Guo et al. (2017) call 1 / v the temperature; with b it is the
bias-corrected temperature scaling of Alexandari, Kundaje and Shrikumar (2020).
"""

from typing import NamedTuple

import numpy as np

from ..._kernel import frozen
from ..._leave_one_out import MAX_LOG_LOSS
from ._calibration_kernels import best_exponent

# The least exponent. With 0, impossible classes would become possible.
MIN_EXPONENT = 0.01
MAX_NEWTON_STEPS = 100
# Newton's method ends where a step is expected to gain less.
MIN_GAIN = 1e-13


class Calibration(NamedTuple):
    """The exponent v and the offsets b of the classes.

    Attributes
    ----------
    exponent : float
    offset : ndarray of shape (n_classes,)
    """

    exponent: float
    offset: np.ndarray

    @classmethod
    def none(cls, n_classes):
        """Return the calibration that changes nothing."""
        return cls(1.0, np.zeros(n_classes))

    def apply(self, joint):
        """Return calibrated joint log probabilities, of shape (n_rows, n_classes)."""
        return self.exponent * joint + self.offset


def fit_exponent(joint, classes, weight):
    """Return the best exponent without offsets.

    Parameters
    ----------
    joint : ndarray of shape (n_rows, n_classes)
        Joint log probabilities of left-out rows, up to a constant for each row.
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)

    Returns
    -------
    float
    """
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
    n_classes = joint.shape[1]
    largest = joint.max(axis=1, keepdims=True)
    kept = largest[:, 0] > -np.inf  # other rows get the class prior
    terms = np.maximum(joint[kept] - largest[kept], -MAX_LOG_LOSS)
    rows = terms, classes[kept], weight[kept]
    start = np.concatenate([[1.0], np.zeros(n_classes)])
    found = _newton(start, np.arange(n_classes + 1), *rows)
    if found[0] < MIN_EXPONENT:
        start[0] = MIN_EXPONENT
        found = _newton(start, np.arange(1, n_classes + 1), *rows)
    return Calibration(float(found[0]), found[1:])


def _newton(x, free, terms, classes, weight):
    """Return the minimum over the free coordinates of x = (v, b)."""
    value, gradient, hessian = _loss(x, terms, classes, weight)
    for _ in range(MAX_NEWTON_STEPS):
        step = np.zeros(len(x))
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        expected_gain = gradient @ step
        if expected_gain <= MIN_GAIN * (1.0 + abs(value)):
            break
        size = 1.0
        while True:  # convex: a short enough step gains
            moved = x - size * step
            result = _loss(moved, terms, classes, weight)
            if result[0] <= value - 0.25 * size * expected_gain or size < 1e-10:
                break
            size /= 2
        x, (value, gradient, hessian) = moved, result
    return x


def _loss(x, terms, classes, weight):
    """Return the loss at x = (v, b), its gradient and its Hessian."""
    scores = x[0] * terms + x[1:]
    rows = np.arange(len(scores))
    scores -= scores.max(axis=1, keepdims=True)
    share = np.exp(scores)
    sums = share.sum(axis=1, keepdims=True)
    share /= sums
    penalty = (x[0] - 1.0) ** 2 + x[1:] @ x[1:]
    value = weight @ (np.log(sums[:, 0]) - scores[rows, classes]) + penalty / 2
    mean = (share * terms).sum(axis=1)
    weighted = weight[:, None] * share
    centered = terms - mean[:, None]
    residual = weighted.copy()
    residual[rows, classes] -= weight
    gradient = np.concatenate([[(residual * terms).sum()], residual.sum(axis=0)])
    gradient += x - np.eye(len(x))[0]
    hessian = np.eye(len(x))
    hessian[0, 0] += (weighted * centered**2).sum()
    hessian[0, 1:] = hessian[1:, 0] = (weighted * centered).sum(axis=0)
    hessian[1:, 1:] += np.diag(weighted.sum(axis=0)) - weighted.T @ share
    return value, gradient, hessian
