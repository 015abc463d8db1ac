"""exp and log in steps that the compiler vectorises, for the inner loops of kernels.

The calls of `math.exp` and `math.log` stay one call a number. Both functions here are
as exact, to about a unit in the last place, and several times faster in a loop.
"""

import math

import numpy as np

from ._kernel import inlined

_LOG2_E = 1.4426950408889634
# ln 2 = high + low; the high part has so few digits that n * high is exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# exp of less is 0.
_MIN_EXPONENT = -746.0
# The bits of a float64: 52 of the mantissa, and an exponent that is stored plus 1023.
_MANTISSA_BITS, _EXPONENT_OFFSET = 52, 1023
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD


@inlined
def exp_negative(x):
    """Return exp(x) for x ≤ 0, to a unit in the last place, by steps that vectorise."""
    # exp(x) = 2ⁿ exp(r) with |r| ≤ ln 2 / 2, and a Taylor polynomial for exp(r). 2ⁿ is
    # multiplied in two halves, because it is not a normal float below 2^-1022.
    x = x if x > _MIN_EXPONENT else _MIN_EXPONENT
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
    whole = np.int64(n)
    half = whole >> 1
    total *= np.int64((half + _EXPONENT_OFFSET) << _MANTISSA_BITS).view(np.float64)
    half = whole - half
    return total * np.int64((half + _EXPONENT_OFFSET) << _MANTISSA_BITS).view(
        np.float64
    )


@inlined
def log_positive(x):
    """Return log(x) for a normal x > 0, by steps that vectorise."""
    # x = 2ⁿ u with √½ ≤ u < √2, and log u = 2 artanh(s) with s = (u - 1) / (u + 1).
    bits = np.float64(x).view(np.int64)
    n = (bits - _SQRT_HALF_BITS) >> _MANTISSA_BITS
    u = np.int64(bits - (n << _MANTISSA_BITS)).view(np.float64)
    s = (u - 1.0) / (u + 1.0)
    square = s * s
    total = 1.0 / 21.0
    total = total * square + 1.0 / 19.0
    total = total * square + 1.0 / 17.0
    total = total * square + 1.0 / 15.0
    total = total * square + 1.0 / 13.0
    total = total * square + 1.0 / 11.0
    total = total * square + 1.0 / 9.0
    total = total * square + 1.0 / 7.0
    total = total * square + 1.0 / 5.0
    total = total * square + 1.0 / 3.0
    rest = 2.0 * s * square * total + n * _LN2_LOW
    return n * _LN2_HIGH + (2.0 * s + rest)
