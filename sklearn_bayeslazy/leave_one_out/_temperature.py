r"""The temperature of class scores, by the likelihood of left-out rows.

Models that count evidence several times are too certain. With a temperature T,

.. math:: P(c \mid x) \propto e^{s_c(x) / T}.

v = 1 / T minimises

.. math:: \sum_i w_i \Bigl(\log \sum_c e^{v s_{ic}} - v s_{iy}\Bigr) + (v - 1)^2 / 2,

with the scores s of row i under the model without it, and y its class. This is convex
in v. The second term keeps T near 1 if the rows are few or not informative. Source:
Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, ICML,
here with leave-one-out in place of a validation set.
"""

import math

import numpy as np

from .._core._kernel import frozen, kernel
from .._core._vectorized_math import exp_negative
from ._log_linear import share_of_other_classes

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
# The search starts from the best temperature of about this number of rows.
_N_ROWS_TO_START = 1000
# Rows whose sums stay in the fastest cache.
_ROWS_AT_ONCE = 256


def best_temperature(gaps, true_class, weight):
    """Return the T of the largest likelihood of the classes."""
    one = np.ones(len(true_class))
    return best_temperatures(gaps, true_class, weight, [one])[0]


def best_temperatures(gaps, true_class, weight, factors):
    """Return for each factor the T of the largest likelihood of the classes."""
    # gaps: (n_classes, n), scores of rows, each under the model without it, less the
    # largest of the row; true_class: (n,); weight: (n,), 0 for rows that are not
    # counted; factors: a list of arrays (n,), which multiply the gaps.
    true_gap = gaps[true_class, np.arange(gaps.shape[1])]
    weight = np.where(np.isfinite(true_gap), weight, 0.0)
    is_possible = np.isfinite(gaps)
    finite_gaps = np.where(is_possible, gaps, 0.0)
    largest_gap = -finite_gaps.min(axis=0, initial=0.0)
    largest_gap[weight == 0] = 0.0
    mean_gap = finite_gaps.sum(axis=0) / np.maximum(is_possible.sum(axis=0), 1)
    share = share_of_other_classes(weight)
    true_gap = np.where(weight > 0, true_gap, 0.0)
    true_gap = (1.0 - share) * true_gap + share * mean_gap
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


# The loop over rows.


@kernel(reorder_sums=True)
def slope_of_log_loss(gaps, true_gap, weight, factor, inverse):
    """Return three derivatives of a log loss in the inverse temperature."""
    # The loss is Σ_i weight_i (log Σ_c e^(inverse · g_ic) - inverse · g_iy), with y the
    # true class and g_ic = factor_i · gap_ic. Its derivatives are Σ weight
    # (E[g] - g_y), Σ weight Var[g] and Σ weight E[(g - E[g])³] under the
    # probabilities ∝ e^(inverse · g).
    # gaps: (C, n), ≤ 0, and 0 for the most probable class of a row; -inf is a class of
    # probability 0. true_gap: (n,), finite. weight, factor: (n,).
    n_classes, n = gaps.shape
    sums = np.empty((4, _ROWS_AT_ONCE))
    first, second, third = 0.0, 0.0, 0.0
    for start in range(0, n, _ROWS_AT_ONCE):
        size = min(_ROWS_AT_ONCE, n - start)
        row_factor = factor[start : start + size]
        total, total_1, total_2, total_3 = sums[0], sums[1], sums[2], sums[3]
        for j in range(size):
            total[j], total_1[j], total_2[j], total_3[j] = 0.0, 0.0, 0.0, 0.0
        for c in range(n_classes):
            gaps_of_class = gaps[c, start : start + size]
            for j in range(size):
                is_possible = gaps_of_class[j] > -np.inf
                gap = row_factor[j] * gaps_of_class[j] if is_possible else 0.0
                share = exp_negative(inverse * gap) if is_possible else 0.0
                total[j] += share
                share *= gap
                total_1[j] += share
                share *= gap
                total_2[j] += share
                total_3[j] += share * gap
        for j in range(size):
            mean = total_1[j] / total[j]
            square = total_2[j] / total[j]
            cube = total_3[j] / total[j]
            i = start + j
            first += weight[i] * (mean - row_factor[j] * true_gap[i])
            second += weight[i] * max(square - mean * mean, 0.0)
            third += weight[i] * (cube - 3 * mean * square + 2 * mean * mean * mean)
    return first, second, third
