"""Numba kernels that turn reduced distances into weights.

Weights are relative to that of a near row, which is 1, so that no power of a distance
overflows.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, inlined_late, kernel

# How a reduced distance becomes a weight.
POWER, COSINE, UNIFORM = range(3)


class WeightRule(NamedTuple):
    """How a reduced distance becomes a weight."""

    kind: int  # `POWER`, `COSINE` or `UNIFORM`
    exponent: float  # counts for `POWER` only


@inlined_late
def relative_power(t, exponent):
    """Return t ** exponent; a product where 2 exponent is a whole number."""
    if exponent == 1.0:
        return t
    whole = int(exponent)
    half = exponent - whole
    if whole > 64 or (half != 0.0 and half != 0.5):
        return t**exponent
    power = np.sqrt(t) if half != 0.0 else 1.0
    while whole > 0:
        if whole & 1:
            power *= t
        t *= t
        whole >>= 1
    return power


@inlined
def relate_block(out, reference):
    """Turn the reduced distances of a block into ratios reference / distance."""
    # out: (width,), overwritten. Where the reference is an exact hit, hits get 1 and
    # other rows 0.
    if reference == 0.0:
        for r in range(out.shape[0]):
            out[r] = 1.0 if out[r] == 0.0 else 0.0
    else:
        for r in range(out.shape[0]):
            out[r] = reference / out[r]


@inlined
def weigh_block(out, kind, exponent, weights):
    """Write the weights of a block; `out` holds ratios, for `COSINE` distances."""
    width = out.shape[0]
    if kind == COSINE:
        for r in range(width):
            t = 1.0 - out[r] / 2
            weights[r] = t if t > 0.0 else 0.0
    elif exponent == 0.5:
        for r in range(width):
            weights[r] = np.sqrt(out[r])
    elif exponent in (1.0, 2.0, 4.0, 8.0):
        for r in range(width):
            weights[r] = out[r]
        power = 1.0
        while power < exponent:
            for r in range(width):
                weights[r] *= weights[r]
            power *= 2.0
    else:
        for r in range(width):
            weights[r] = relative_power(out[r], exponent)


@kernel
def weigh_lists(reduced, counts, rule, weights):
    """Write the weights of listed rows; an exact hit has an infinite weight."""
    kind, exponent = rule
    for q in range(reduced.shape[0]):
        nearest = reduced[q, 0] if counts[q] > 0 else np.inf
        for c in range(counts[q]):
            value = reduced[q, c]
            if kind == UNIFORM:
                weights[q, c] = 1.0
            elif kind == COSINE:
                weights[q, c] = max(1.0 - value / 2, 0.0)
            elif value == 0.0:
                weights[q, c] = np.inf
            elif value == np.inf:
                weights[q, c] = 0.0
            else:
                weights[q, c] = relative_power(nearest / value, exponent)


@kernel
def replace_degenerate_weights(counts, weights):
    """Replace infinite weights, and lists of weights that are all 0."""
    # counts: (m,); weights: (m, width), overwritten. Where a list has exact hits, only
    # these count. Where no row has any weight, all have the same.
    for q in range(weights.shape[0]):
        hits = 0
        any_weight = False
        for c in range(counts[q]):
            hits += weights[q, c] == np.inf
            any_weight |= weights[q, c] > 0.0
        for c in range(counts[q]):
            if hits > 0:
                weights[q, c] = 1.0 if weights[q, c] == np.inf else 0.0
            elif not any_weight:
                weights[q, c] = 1.0
