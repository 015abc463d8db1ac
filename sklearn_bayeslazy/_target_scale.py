"""Rescaling of very large or small targets, so that squares do not overflow."""

import numpy as np

# Targets are rescaled if the largest is below 2 to minus this, or above 2 to this.
MAX_SAFE_EXPONENT = 200


def rescale_targets(y):
    """Return the targets divided by a power of two, and its exponent.

    Examples
    --------
    >>> rescale_targets(np.array([3.0, -4.0]))
    (array([ 3., -4.]), 0)
    >>> rescale_targets(np.array([3.0, -4.0]) * 2.0**900)  # -4 = -0.5 * 2³
    (array([ 0.375, -0.5  ]), 903)
    """
    exponent = int(np.frexp(np.abs(y).max(initial=0.0))[1])
    exponent = exponent if abs(exponent) > MAX_SAFE_EXPONENT else 0
    return np.ldexp(y, -exponent), exponent


def rescale_squares(results, exponent):
    """Convert squared errors in `loo_results_` to the unit of the original targets."""
    for name, values in results.items():
        if name.endswith("squared_error"):
            with np.errstate(over="ignore", under="ignore"):
                results[name] = np.ldexp(values, 2 * exponent)
