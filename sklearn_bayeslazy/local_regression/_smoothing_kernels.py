"""Kernels in the statistician's sense: how a row's weight falls with its distance.

The weight depends on u, the distance over the bandwidth. All but the last two vanish
beyond u = 1. The inverse square has no bandwidth: its weights are reckoned relative to
the nearest row's, and exact hits outweigh all others together.
"""

import math

import numpy as np

from .._kernel import inlined, kernel

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
# Kernels that give every row some weight, however far.
BOUNDLESS = ("gaussian", "inverse_square")
# Beside a hit, others change no digit of the answer at the hit; slopes are theirs.
_HIT = 2.0**100
_LOG2_E = 1.4426950408889634
# ln 2 = high + low, where the high part has so few digits that n * high is exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# From 2^-1080 (which is 0) to 1.
_LEAST_POWER = 1080
_POWERS_OF_2 = np.array([math.ldexp(1.0, n - _LEAST_POWER) for n in range(1081)])


@inlined
def exp_negative(x):
    """Return exp(x) for x ≤ 0, to a unit in the last place, by steps that vectorise.

    exp(x) = 2ⁿ exp(r) with |r| ≤ ln 2 / 2, and a Taylor polynomial for exp(r).
    """
    x = x if x > -745.0 else -745.0
    n = math.floor(x * _LOG2_E + 0.5)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    total = 1.0 / 479001600.0
    total = total * r + 1.0 / 39916800.0
    total = total * r + 1.0 / 3628800.0
    total = total * r + 1.0 / 362880.0
    total = total * r + 1.0 / 40320.0
    total = total * r + 1.0 / 5040.0
    total = total * r + 1.0 / 720.0
    total = total * r + 1.0 / 120.0
    total = total * r + 1.0 / 24.0
    total = total * r + 1.0 / 6.0
    total = total * r + 0.5
    total = total * r + 1.0
    total = total * r + 1.0
    return total * _POWERS_OF_2[int(n) + _LEAST_POWER]


@inlined
def _write_ratios(squared, reach, kind, weights):
    """Write the weight at u of each row, u² being its squared distance over reach.

    Whether a row is within reach is asked of the distance itself, so that rounding
    cannot let the farthest of the nearest in, nor, where that is wanted, out.
    """
    size = squared.shape[0]
    per_reach = 1.0 / reach
    if kind == UNIFORM:
        for c in range(size):
            weights[c] = 1.0 if squared[c] <= reach else 0.0
    elif kind == GAUSSIAN:
        for c in range(size):
            weights[c] = exp_negative(-0.5 * per_reach * squared[c])
    elif kind == TRICUBE:
        for c in range(size):
            ratio = squared[c] * per_reach
            rest = 1.0 - ratio * math.sqrt(ratio)
            weights[c] = rest * rest * rest if squared[c] < reach else 0.0
    elif kind == TRIANGULAR:
        for c in range(size):
            rest = 1.0 - math.sqrt(squared[c] * per_reach)
            weights[c] = rest if squared[c] < reach else 0.0
    elif kind == BIWEIGHT:
        for c in range(size):
            rest = 1.0 - squared[c] * per_reach
            weights[c] = rest * rest if squared[c] < reach else 0.0
    else:
        for c in range(size):
            rest = 1.0 - squared[c] * per_reach
            weights[c] = rest if squared[c] < reach else 0.0


@inlined
def _write_inverse_squares(squared, masses, weights):
    """Write masses over squared distances, relative to the nearest row that is no hit.

    Hits outweigh all others together.
    """
    size = squared.shape[0]
    nearest, total, hits = math.inf, 0.0, 0.0
    for c in range(size):
        if squared[c] > 0.0 and (len(masses) == 0 or masses[c] > 0.0):
            nearest = min(nearest, squared[c])
    for c in range(size):
        mass = masses[c] if len(masses) else 1.0
        weights[c] = 0.0
        if squared[c] > 0.0:
            weights[c] = mass * (nearest / squared[c])
            total += weights[c]
        else:
            hits += mass
    if hits > 0.0:
        for c in range(size):
            if squared[c] == 0.0:
                mass = masses[c] if len(masses) else 1.0
                weights[c] = mass / hits * _HIT * max(total, 1.0)


@kernel
def weigh(squared, masses, reach, kind, weights):
    """Write kernel weights times masses of the rows of a window.

    Parameters
    ----------
    squared : (k,) squared distances.
    masses : (k,), or of length 0 where all are 1.
    reach : float, the square of the bandwidth; where it is 0, so are the distances.
    kind : int
    weights : (k,) out.
    """
    if kind == INVERSE_SQUARE:
        _write_inverse_squares(squared, masses, weights)
        return
    _write_ratios(squared, reach if reach > 0.0 else 1.0, kind, weights)
    for c in range(len(masses)):
        weights[c] *= masses[c]
