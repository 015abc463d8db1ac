"""The search for the stretch of axes: starts, descents, axes that are dropped.

The Shepard estimate for a row is the mean of the other rows' targets with weights
d^-p, where d² = Σ_l z_l² (x_l - x'_l)² over standardised columns. The search lowers the
leave-one-out error of this estimate over the stretch z (Moore and Lee, 1994). Three
measures keep it from fitting chance:

- *Softening.* The search adds a constant to the squared distance, and learns its size.
  Without it the estimate has no bandwidth: however noisy the targets are, the nearest
  row decides. Useless axes would then be kept, because they set rows apart, so that
  more rows are averaged.
- *A penalty* of strength alpha times (‖z‖₁/‖z‖₂ - 1) / (√d - 1): 1 if all axes are
  stretched equally, 0 if only one is left. Like the estimate, it does not depend on the
  overall scale of z. It is linear in an axis near 0, and so takes it to exactly 0.
- *Parsimony.* Among many z some fit by chance. Axes are dropped, those stretched least
  first, as long as the error rises by no more than a small share of itself.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np
from scipy.optimize import minimize

# Distance ** -20 is nearly Gaussian once softened: more only fits single rows.
_POWERS = (0.5, 20.0)
# Added to squared differences, whose mean along a standardised axis is 2. Less lets the
# nearest row decide, more changes nothing.
_SOFTENINGS = (0.03, 10.0)
_FIRST_SOFTENINGS = (0.03, 0.3)
# Powers of the estimate that is not softened.
PLAIN_POWERS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
# Power and softening of the smooth estimate that scores a single axis.
_SINGLE_AXIS_ESTIMATE = (4.0, 0.05)
# The least stretch in the start by single axes, where the largest is 1.
_MIN_START = 0.1
# Of a random subset of left-out rows, the search compares its starts on about this
# number of rows, after few iterations. More would fit those rows alone.
_COARSE_ROWS = 500
_COARSE_ITER = 5
# Steeper slopes come from differences that overflow. L-BFGS-B squares them.
_MAX_SLOPE = 1e100
# Bits of errors and slopes that a descent reads. The others depend on how sums were
# rounded: on the order of rows, on weights in place of repetitions, on the processor. A
# descent that follows them can end in another optimum.
_SIGNIFICANT_BITS = 33
_LEAST_ERROR = 1e-3
# This number of refusals in a row ends the dropping of axes: larger ones matter more.
_MAX_REFUSALS = 8
# Iterations of the descent after axes have been dropped.
_MAX_ITER_AFTER_DROPS = 20


@dataclass
class Point:
    """A point of the search; after a descent, `value` includes the penalty."""

    z: np.ndarray  # (d,)
    power: float
    softening: float
    value: float = math.inf
    n_iter: int = 0
    converged: bool = True


def penalty(z):
    """Return (‖z‖₁/‖z‖₂ - 1) / (√d - 1) and its gradient.

    >>> penalty(np.array([1.0, 1.0, 1.0, 1.0]))[0]
    1.0
    >>> penalty(np.array([0.0, 2.0, 0.0, 0.0]))[0]
    0.0
    """
    if len(z) == 1:
        return 0.0, np.zeros(1)
    one, two = z.sum(), math.sqrt(z @ z)
    unit = 1 / (math.sqrt(len(z)) - 1)
    return float((one / two - 1) * unit), (1 / two - one * z / two**3) * unit


def descend(
    error, start, alpha, *, power_range=_POWERS, max_iter=100, tol=1e-3, iterations
):
    """Return the point where L-BFGS-B ends, from a starting point."""
    # error: LeaveOneOutError; start: Point. The variables, (d + 2,), are z ≥ 0, log
    # power and log softening. The result of `iterations` is a Point.
    d = error.d
    first = start.z / math.sqrt(start.z @ start.z / d)

    def objective(x):
        iterations.begin()
        z = np.maximum(x[:d], 0.0)  # L-BFGS-B may round beyond its bounds
        power, softening = math.exp(x[d]), math.exp(x[d + 1])
        if not z.any():
            return 2.0 + alpha, np.zeros(d + 2)  # larger than at any start
        value, gradient = error.value_and_gradient(z, power, softening)
        if not np.abs([value, *gradient]).max() < _MAX_SLOPE:  # or NaN
            return 2.0 + alpha, np.zeros(d + 2)  # the descent ends
        value, gradient = float(_significant(value)), _significant(gradient)
        penalized, penalty_gradient = penalty(z)
        gradient[:d] += alpha * penalty_gradient
        gradient[d] *= power
        gradient[d + 1] *= softening
        return value + alpha * penalized, gradient

    n_iter = count(1)

    def after_iteration(intermediate_result):
        x, value = intermediate_result.x.copy(), float(intermediate_result.fun)
        if iterations.end(partial(_point_at, x, value, next(n_iter))):
            raise StopIteration

    bounds = [
        *[(0.0, None)] * d,
        tuple(np.log(power_range)),
        tuple(np.log(_SOFTENINGS)),
    ]
    found = minimize(
        objective,
        np.concatenate([first, np.log([start.power, start.softening])]),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=after_iteration,
        options={"maxiter": max_iter, "ftol": tol, "gtol": tol / 100},
    )
    iterations.end()  # evaluations that led to no iteration
    point = _point_at(found.x, float(found.fun), max(int(found.nit), 1))
    return replace(point, converged=iterations.stopped or found.nit < max_iter)


def _significant(x):
    """Return numbers rounded to `_SIGNIFICANT_BITS` bits of the largest.

    >>> _significant(np.array([1.0, 1 / 3, 1e-12])) * 2**29
    array([5.36870912e+08, 1.78956971e+08, 0.00000000e+00])
    """
    # Errors are relative to that of the mean: far below 1 they hold rounding only.
    largest = max(np.max(np.abs(x)), _LEAST_ERROR)
    shift = _SIGNIFICANT_BITS - np.frexp(largest)[1]
    return np.ldexp(np.round(np.ldexp(x, shift)), -shift)


def _point_at(x, value, n_iter):
    """Return the point of the variables of a descent."""
    z = np.maximum(x[:-2], 0.0) / x[:-2].max()
    return Point(z, math.exp(x[-2]), math.exp(x[-1]), value, n_iter)


def first_point(error, z, powers):
    """Return the point of stretch z, with the best of a few powers and softenings."""
    candidates = [
        (float(_significant(value)), power, softening)
        for softening in _FIRST_SOFTENINGS
        for value, power in zip(error.values(z, powers, softening), powers, strict=True)
    ]
    value, power, softening = min(candidates)
    return Point(z, power, softening, value)


def single_axis_start(error):
    """Return a stretch by how well each axis predicts alone; None if none does."""
    gain = _significant(
        [1 - error.value(s, *_SINGLE_AXIS_ESTIMATE) for s in np.eye(error.d)]
    )
    if gain.max() <= 0:
        return None
    return np.maximum(np.sqrt(np.maximum(gain / gain.max(), 0.0)), _MIN_START)


def starting_stretches(error, n_starts, rng):
    """Yield starts: all axes equal, by what each predicts alone, then random ones."""
    yield np.ones(error.d)
    if n_starts > 1:
        by_gain = single_axis_start(error)
        yield rng.exponential(size=error.d) if by_gain is None else by_gain
    for _ in range(2, n_starts):
        yield rng.exponential(size=error.d)


def drop_axes(error, point, parsimony):
    """Return z without axes that barely lower the error, the smallest tried first."""
    # z: (d,). In all the error may rise by the share `parsimony` of itself.
    z = point.z.copy()
    allowed = (1 + parsimony) * error.value(z, point.power, point.softening)
    refusals = 0
    for axis in np.argsort(z, kind="stable")[:-1]:
        if z[axis] > 0 and refusals < _MAX_REFUSALS:
            kept, z[axis] = z[axis], 0.0
            refusals += 1
            if error.value(z, point.power, point.softening) > allowed:
                z[axis] = kept
            else:
                refusals = 0
    return z


def plain_power(error, z, n_axes):
    """Return the power of the estimate without softening, and its error."""
    # From about the number of axes, the grid of powers is followed downhill. An
    # evaluation takes three neighbouring powers, at little more than the cost of one.
    values = {}
    last = len(PLAIN_POWERS) - 1
    at = min(int(np.searchsorted(PLAIN_POWERS, n_axes)), last)
    while True:
        near = range(max(at - 1, 0), min(at + 1, last) + 1)
        if missing := [i for i in near if i not in values]:
            found = error.values(z, [PLAIN_POWERS[i] for i in missing])
            values.update(zip(missing, map(float, found), strict=True))
        best = min((at, *near), key=values.get)
        if best == at:
            return PLAIN_POWERS[at], values[at]
        at = best


def search(error, alpha, parsimony, power, n_starts, max_iter, tol, rng, iterations):
    """Return the best point of several descents, without axes that barely help."""
    # error: LeaveOneOutError. The result of `iterations` is the best point so far.
    if error.d == 1:
        return Point(np.ones(1), 1.0, 1.0)
    power_range, powers = (power, power), [power]
    if power == "auto":
        power_range = _POWERS
        powers = np.unique(np.clip([error.d / 2, error.d, 2 * error.d], *_POWERS))

    def descend_from(error, start, max_iter, of_descent):
        return descend(
            error,
            start,
            alpha,
            power_range=power_range,
            max_iter=max_iter,
            tol=tol * min(start.value, 1.0),
            iterations=of_descent,
        )

    coarse = error.thinned(_COARSE_ROWS)
    starts = (
        first_point(coarse, z, powers)
        for z in starting_stretches(coarse, n_starts, rng)
    )
    n_first = max_iter if coarse is error else min(_COARSE_ITER, max_iter)
    best = None
    for start in starts:
        of_descent = iterations.for_part(partial(_better, best))
        best = _better(best, descend_from(coarse, start, n_first, of_descent))
        if iterations.stopped:
            return best
    if coarse is not error:
        n_first = best.n_iter
        best = descend_from(error, best, max(max_iter - n_first, 1), iterations)
        best.n_iter += n_first
        if iterations.stopped:
            return best
    z = drop_axes(error, best, parsimony)
    if np.array_equal(z, best.z):
        return best

    def without_dropped(point):
        return replace(best, z=point.z * (z > 0))

    n_last = min(_MAX_ITER_AFTER_DROPS, max_iter)
    of_descent = iterations.for_part(without_dropped)
    return without_dropped(descend_from(error, replace(best, z=z), n_last, of_descent))


def _better(best, point):
    """Return the point of the smaller value, the first if equal; it may be None."""
    return point if best is None or point.value < best.value else best
