"""The temperature of TextNB: a divisor of the log likelihoods of a document.

Naive Bayes adds up words as if they were independent. They are not, so the evidence is
too strong, and the more so the longer the document. With a temperature,

    P(c | x) ∝ P(c, x)^(1 / T(x)),    T(x) = T · max(1, n)^a,

with n the number of words of the document. T = 1 and a = 0 is Bayes' rule. The order of
the classes, and so the prediction, does not depend on T and a.

T maximises the leave-one-out likelihood of the classes. v = 1 / T minimises

    Σ_i w_i (log Σ_c e^(v s_ic) - v s_iy) + (v - 1)² / 2,

with s_ic = log P(c, x_i) / max(1, n_i)^a, from the model without document i, and y its
class. This is convex in v. The second term keeps T near 1 if the documents are few or
not informative. Documents whose true class has P(c, x) = 0 have the same loss at every
temperature, and are left out of the sum.

Source: Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks,
ICML, here with leave-one-out in place of a validation set.
"""

import numpy as np

from ..._kernel import frozen
from ._leave_one_out_kernels import slope_of_log_loss

# Lengths above it would make powers overflow.
_MAX_LENGTH = 1e300
# The largest T is the one at which no gap between classes exceeds this.
_MIN_GAP = 1e-6
_MIN_INVERSE = 1e-300
_MAX_STEPS = 2000
# A step of this part of the inverse temperature is the last.
_MAX_LAST_STEP = 1e-8


def document_lengths(cells, binary):
    """Return the number of words of each document, with `binary` of distinct words.

    Cells are added in order, so that a row's length does not depend on the block.
    """
    n_rows = len(cells.indptr) - 1
    row = np.repeat(np.arange(n_rows), np.diff(cells.indptr))
    words = cells.data > 0 if binary else cells.data
    return np.bincount(row, words, n_rows)


def length_factor(lengths, exponent):
    """Return max(1, n)^-a for documents of n words.

    >>> length_factor(np.array([0.0, 1.0, 4.0]), 0.5)
    array([1. , 1. , 0.5])
    """
    return np.clip(lengths, 1.0, _MAX_LENGTH) ** -exponent


def temper(joint, factor):
    """Multiply joint log likelihoods (n, n_classes) by a factor for each row, in place.

    The largest of a row is subtracted first, which keeps the digits of the gaps.
    """
    largest = _largest_of_rows(joint)[:, None]
    joint -= np.where(np.isfinite(largest), largest, 0.0)
    # Not 0, whose product with -inf is undefined.
    joint *= np.maximum(factor, np.finfo(np.float64).tiny)[:, None]
    return joint


def _largest_of_rows(joint):
    """Return ``joint.max(axis=1)``, several times faster where rows are short."""
    return np.ascontiguousarray(joint.T).max(axis=0)


def best_temperature(joint, true_class, weight, factor, start=1.0):
    """Return the temperature T with the largest likelihood of the true classes.

    Parameters
    ----------
    joint : ndarray of shape (n, n_classes)
        Joint log likelihoods of documents, each under the model without it.
    true_class : int array of shape (n,)
    weight : ndarray of shape (n,)
    factor : ndarray of shape (n,)
        See :func:`length_factor`.
    start : float, default=1.0
        A guess, which changes the time only.
    """
    gaps = temper(joint.copy(), factor)
    true_gap = gaps[np.arange(len(gaps)), true_class]
    usable = np.isfinite(true_gap) & (_largest_of_rows(gaps) < np.inf)
    # Divided by the largest gap, no square overflows.
    scale = np.max(-gaps[usable], where=np.isfinite(gaps[usable]), initial=0.0)
    if scale < np.finfo(np.float64).tiny:
        return 1.0
    if not usable.all():
        gaps, true_class, weight = gaps[usable], true_class[usable], weight[usable]
    gaps /= scale
    gaps, true_class = frozen(gaps, np.float64), frozen(true_class, np.int32)
    total = max(weight.sum(), 1.0)
    weight, penalty = frozen(weight / total, np.float64), 1.0 / total / scale

    def slope(inverse):
        first, second = slope_of_log_loss(gaps, true_class, weight, inverse * scale)
        return first + penalty * (inverse - 1), second * scale + penalty

    lowest = min(1.0, max(_MIN_GAP / scale, _MIN_INVERSE))
    return 1.0 / _increasing_root(slope, lowest, 1.0 / start)


def _increasing_root(function, lowest, start):
    """Return where an increasing function is 0, by Newton's method within a bracket.

    `function(v)` returns value and derivative. If it is ≥ 0 at `lowest`, return that.
    """
    low, high, position = -np.inf, np.inf, max(start, lowest)
    for _ in range(_MAX_STEPS):
        value, derivative = function(position)
        if value < 0:
            low = position
        else:
            high = position
        step = value / max(derivative, np.finfo(np.float64).tiny)
        after = position - step
        # Steps shrink quadratically: the next one would be below the rounding error.
        if abs(step) <= _MAX_LAST_STEP * position and after >= lowest:
            return after
        if after >= high or after <= max(low, lowest) or after > 4 * position:
            if low < lowest:  # evaluated once, and only if the root may be below
                if function(lowest)[0] >= 0:
                    return lowest
                low = lowest
            after = 4 * position if high == np.inf else np.sqrt(low) * np.sqrt(high)
        position = after
    return position
