"""Kernels in the statistician's sense: how a row's weight falls with its distance.

The weight depends on u, the distance over the bandwidth. All but the last two vanish
beyond u = 1. The inverse square has no bandwidth: its weights are reckoned relative to
the nearest row's, and exact hits outweigh all others together.
"""

import math

from .._kernel import inlined, kernel

UNIFORM, EPANECHNIKOV, BIWEIGHT, TRICUBE, GAUSSIAN, INVERSE_SQUARE = range(6)
KERNELS = {
    "uniform": UNIFORM,
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


@inlined
def kernel_weight(ratio, kind):
    """Return the weight at u² = ratio, for all kinds but INVERSE_SQUARE."""
    if kind == GAUSSIAN:
        return math.exp(-0.5 * ratio)
    if kind == UNIFORM:
        return 1.0 if ratio <= 1.0 else 0.0
    if ratio >= 1.0:
        return 0.0
    if kind == EPANECHNIKOV:
        return 1.0 - ratio
    if kind == BIWEIGHT:
        return (1.0 - ratio) ** 2
    rest = 1.0 - ratio * math.sqrt(ratio)
    return rest * rest * rest


@kernel(reorder_sums=True)
def weigh(squared, masses, bandwidth, kind, weights):
    """Write kernel weights times masses of listed rows; return their sum.

    Parameters
    ----------
    squared : (k,) squared distances.
    masses : (k,), or of length 0 where all are 1.
    bandwidth : float; rows at distance 0 have u = 0 whatever it is.
    kind : int
    weights : (k,) out.
    """
    total = 0.0
    alike = len(masses) == 0
    if kind == INVERSE_SQUARE:
        nearest = math.inf
        for c in range(squared.shape[0]):
            if squared[c] > 0.0 and (alike or masses[c] > 0.0):
                nearest = min(nearest, squared[c])
        hits = 0.0
        for c in range(squared.shape[0]):
            weights[c] = 0.0
            if squared[c] > 0.0:
                weights[c] = (1.0 if alike else masses[c]) * (nearest / squared[c])
                total += weights[c]
            else:
                hits += 1.0 if alike else masses[c]
        if hits > 0.0:
            for c in range(squared.shape[0]):
                if squared[c] == 0.0:
                    mass = 1.0 if alike else masses[c]
                    weights[c] = mass / hits * _HIT * max(total, 1.0)
            total += _HIT * max(total, 1.0)
        return total
    for c in range(squared.shape[0]):
        u = math.sqrt(squared[c]) / bandwidth if squared[c] > 0.0 else 0.0
        weights[c] = kernel_weight(u * u, kind)
    for c in range(len(masses)):
        weights[c] *= masses[c]
    for c in range(squared.shape[0]):
        total += weights[c]
    return total
