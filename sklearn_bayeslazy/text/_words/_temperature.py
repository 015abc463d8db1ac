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

import math

import numpy as np

from ..._core._kernel import frozen
from ._left_out_kernels import slope_of_log_loss

# Lengths above it would make powers overflow.
_MAX_LENGTH = 1e300
# The largest T is the one at which no gap between classes exceeds this.
_MIN_GAP = 1e-6
_MIN_INVERSE = 1e-300
_MAX_STEPS = 2000
_TINY = float(np.finfo(np.float64).tiny)
# The search ends if the error that is expected is this part of the inverse temperature,
# or after a step of that part.
_MAX_ERROR, _MAX_LAST_STEP = 1e-14, 1e-8
# Halley's divisor of Newton's step is within these bounds, or left out.
_MIN_DIVISOR, _MAX_DIVISOR = 0.25, 4.0
# The search starts from the best temperature of about this number of documents.
_N_ROWS_TO_START = 1000


def document_lengths(cells, binary):
    """Return the number of words of each document, with `binary` of distinct words."""
    # Cells are added in order, so that a row's length does not depend on the block.
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
    """Multiply joint log likelihoods by a factor for each row, in place."""
    # joint: (n, n_classes); factor: (n,). The largest of a row is subtracted first,
    # which keeps the digits of the gaps.

    # Where rows are short, several times faster than ``joint.max(axis=1)``.
    largest = np.ascontiguousarray(joint.T).max(axis=0)[:, None]
    joint -= np.where(np.isfinite(largest), largest, 0.0)
    joint *= positive(factor)[:, None]
    return joint


def positive(factor):
    """Return a factor that is not 0, whose product with -inf is undefined."""
    return np.maximum(factor, _TINY)


def best_temperatures(gaps, true_class, weight, factors):
    """Return for each length factor the T of the largest likelihood of the classes."""
    # gaps: (n_classes, n), joint log likelihoods of documents, each under the model
    # without it, less the largest of the document; true_class: (n,); weight: (n,), 0
    # for documents that are not counted; factors: a list of arrays (n,), see
    # `length_factor`.
    true_gap = gaps[true_class, np.arange(gaps.shape[1])]
    weight = np.where(np.isfinite(true_gap), weight, 0.0)
    true_gap = np.where(weight > 0, true_gap, 0.0)
    largest_gap = -np.where(np.isfinite(gaps), gaps, 0.0).min(axis=0, initial=0.0)
    largest_gap[weight == 0] = 0.0
    step = max(gaps.shape[1] // _N_ROWS_TO_START, 1)
    temperatures = []
    for factor in factors:
        rows = gaps, true_gap, weight, factor, largest_gap
        start = 1.0
        if step > 1:  # a search among few rows is short
            start = _best_inverse(*(each[..., ::step] for each in rows), start)
        temperatures.append(1.0 / _best_inverse(*rows, start))
    return temperatures


def _best_inverse(gaps, true_gap, weight, factor, largest_gap, start):
    """Return the best inverse temperature; the guess `start` changes the time only."""
    # Divided by the largest gap, no power overflows.
    scale = float(np.max(factor * largest_gap, initial=0.0))
    if scale < _TINY:
        return 1.0
    total = max(float(weight.sum()), 1.0)
    penalty = 1.0 / total / scale
    factor = np.where(weight > 0, factor / scale, 0.0)
    rows = [
        frozen(each, np.float64) for each in (gaps, true_gap, weight / total, factor)
    ]

    def slope(inverse):
        first, second, third = slope_of_log_loss(*rows, inverse * scale)
        first += penalty * (inverse - 1.0)
        return first, second * scale + penalty, third * scale * scale

    lowest = min(1.0, max(_MIN_GAP / scale, _MIN_INVERSE))
    return _increasing_root(slope, lowest, start)


def _increasing_root(function, lowest, start):
    """Return where an increasing function is 0, by Halley's method within a bracket."""
    # `function(v)` returns the value and two derivatives. If the value is ≥ 0 at
    # `lowest`, return that.
    low, high, position = -np.inf, np.inf, max(start, lowest)
    step_before = _TINY
    for _ in range(_MAX_STEPS):
        value, first, second = function(position)
        if value < 0:
            low = position
        else:
            high = position
        first = max(first, _TINY)
        step = value / first
        divisor = 1.0 - 0.5 * step * second / first
        is_corrected = _MIN_DIVISOR < divisor < _MAX_DIVISOR  # nor NaN
        if is_corrected:
            step /= divisor
        after = position - step
        # Each error is about K times the cube of the one before. So after the steps s
        # and t the error is about t (t / s)³.
        size = abs(step)
        error = size
        if is_corrected:
            error *= min(size / step_before, 1.0) ** 3
        is_last = error <= _MAX_ERROR * position or size <= _MAX_LAST_STEP * position
        if is_last and after >= lowest:
            return after
        step_before = size if is_corrected else _TINY
        if after >= high or after <= max(low, lowest) or after > 4 * position:
            if low < lowest:  # evaluated once, and only if the root may be below
                if function(lowest)[0] >= 0:
                    return lowest
                low = lowest
            after = 4 * position
            if high < np.inf:
                after = math.sqrt(low) * math.sqrt(high)
                if not low < after < high:  # no number is between
                    return position
            step_before = _TINY
        position = after
    return position
