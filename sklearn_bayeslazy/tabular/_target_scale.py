"""Rescaling of very large or small targets, so that squares do not overflow."""

import numpy as np

# Targets are rescaled if the largest is below 2 to minus this, or above 2 to this.
MAX_SAFE_EXPONENT = 200


def rescale_targets(y, total_weight=1.0):
    """Return the targets divided by a power of two, and its exponent.

    >>> rescale_targets(np.array([3.0, -4.0]))
    (array([ 3., -4.]), 0)
    >>> rescale_targets(np.array([3.0, -4.0]) * 2.0**900)  # -4 = -0.5 * 2³
    (array([ 0.375, -0.5  ]), 903)
    """
    # The exponent is 0 unless the largest target or the total weight is unsafe, see
    # `MAX_SAFE_EXPONENT`. Otherwise the largest target becomes 0.5 to 1, so that
    # weighted sums do not overflow.
    exponent = int(np.frexp(np.abs(y).max(initial=0.0))[1])
    is_safe = max(abs(exponent), np.log2(total_weight)) <= MAX_SAFE_EXPONENT
    exponent = 0 if is_safe else exponent
    return np.ldexp(y, -exponent), exponent


def restore_targets(predictions, exponent):
    """Return predictions in the unit of the original targets, as finite numbers.

    >>> restore_targets(np.array([0.5, 3.0]), 1)
    array([1., 6.])
    >>> restore_targets(np.array([-4.0]), 1023)
    array([-1.79769313e+308])
    """
    # Those that float64 cannot hold become its largest number.
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.ldexp(predictions, exponent), -largest, largest)


def rescale_squares(results, exponent):
    """Convert squared errors in `loo_results_` to the unit of the original targets."""
    for name, values in results.items():
        if name.endswith("squared_error"):
            with np.errstate(over="ignore", under="ignore"):
                results[name] = np.ldexp(values, 2 * exponent)
