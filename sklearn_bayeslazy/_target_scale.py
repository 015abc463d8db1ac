"""Rescaling of very large or small targets, so that squares do not overflow."""

import numpy as np

# Targets are rescaled if the largest is below 2 to minus this, or above 2 to this.
MAX_SAFE_EXPONENT = 200
_MAX_EXPONENT_OF_SUMS = 1000


def rescale_targets(y, total_weight=1.0):
    """Return the targets divided by a power of two, and its exponent.

    They are divided too where sums of targets of this total weight may overflow.

    Examples
    --------
    >>> rescale_targets(np.array([3.0, -4.0]))
    (array([ 3., -4.]), 0)
    >>> rescale_targets(np.array([3.0, -4.0]) * 2.0**900)  # -4 = -0.5 * 2³
    (array([ 0.375, -0.5  ]), 903)
    """
    exponent = int(np.frexp(np.abs(y).max(initial=0.0))[1])
    is_safe = abs(exponent) <= MAX_SAFE_EXPONENT
    if is_safe and exponent + np.frexp(total_weight)[1] <= _MAX_EXPONENT_OF_SUMS:
        exponent = 0
    return np.ldexp(y, -exponent), exponent


def rescale_squares(results, exponent):
    """Convert squared errors in `loo_results_` to the unit of the original targets."""
    for name, values in results.items():
        if name.endswith("squared_error"):
            with np.errstate(over="ignore", under="ignore"):
                results[name] = np.ldexp(values, 2 * exponent)
