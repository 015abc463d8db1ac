"""How far to stretch each axis: search for the least leave-one-out error.

The Shepard estimate for a row is the mean of the other rows' targets with weights
d^-p, where d² = Σ_l z_l² (x_l - x'_l)² over standardised columns. The stretch z is
chosen so that rows left out one by one are predicted best (Moore & Lee, 1994). Three
things keep the choice honest:

- *Softening.* The search adds a constant to the squared distance, whose size is learnt
  too. Without it the estimate has no bandwidth: however noisy the targets, the nearest
  row decides. Useless axes would then be kept, because they hold rows apart and so
  average over more of them.
- *A pull* of strength alpha times (‖z‖₁/‖z‖₂ - 1) / (√d - 1): 1 if all axes are
  stretched alike, 0 if there is but one. Like the estimate, it does not depend on the
  overall scale of z. Being linear where an axis is small, it takes it to exactly 0.
- *Parsimony.* A search among so many z finds some that fit by chance. Axes are
  dropped, the least first, for as long as the error rises by no more than a small
  share of itself.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from .._kernel import frozen
from .._leave_one_out import rows_to_leave_out
from .._parallel import map_tasks
from ._stretching_kernels import leave_rows_out

# Blocks so narrow that the gradient's sums of up to 50 columns stay in the first cache.
_BLOCK = 64
# Differences of cells worth a thread of their own.
_WORTH_A_THREAD = 4e6
# Distance ** -20 is nearly Gaussian once softened: more only fits single rows.
_POWERS = (0.5, 20.0)
# Beside the mean squared distance along an axis, 2 by the standard deviation being 1.
# Less softening lets the nearest row decide, more than the largest changes nothing.
_SOFTENINGS = (0.03, 10.0)
_FIRST_SOFTENINGS = (0.03, 0.3)
# As good as none, but a row at distance 0 has a finite weight, beside which all other
# rows' weights vanish.
_NO_SOFTENING = 1e-24
# Powers of the estimate that is not softened.
_PLAIN_POWERS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
# An axis alone is judged by a smooth estimate: power and softening.
_SINGLE_AXIS = (4.0, 0.05)
# What the least useful axis starts from in that start, beside 1 for the best.
_LEAST_START = 0.1
MOST_CLASSES = 200
# Of the stretch of an axis, beside 1 for the most stretched.
_DIGITS = 3
# Iterations to settle the axes that are left once some have been dropped.
_SETTLING = 20


@dataclass
class Stretch:
    """What the search found.

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
        What to multiply raw columns by.
    power : float
        Of the estimate that is not softened.
    loss, initial_loss : float
        Leave-one-out error of the plain estimate with the stretched, and with the
        standardised columns, each at its power, relative to the mean's.
    n_iter : int
        Iterations of the search that found the scale.
    converged : bool
        Whether it ended before the iterations did.
    """

    scale: np.ndarray
    power: float
    loss: float = math.nan
    initial_loss: float = math.nan
    n_iter: int = 0
    converged: bool = True


@dataclass
class Point:
    """A place in the search; `value` is the error, after a descent with the pull."""

    z: np.ndarray
    power: float
    softening: float
    value: float = math.inf
    n_iter: int = 0
    converged: bool = True


class LeaveOneOutError:
    """Squared error of the estimate of rows left out, relative to the mean's.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Standardised rows.
    targets : ndarray of shape (n, V)
    weight : ndarray of shape (n,)
        A row of weight w is w rows, of which one is left out.
    left_out : int array of shape (m,)
        The rows that are left out, one by one.
    n_neighbors : int or None
        The mass of the neighbours; None for all rows.
    n_jobs : int or None

    Attributes
    ----------
    d : int
        How many axes there are.
    weight : ndarray of shape (m,)
        Of the rows left out.
    unit : float
        The squared error of the mean of the other rows.
    """

    def __init__(self, X, targets, weight, left_out, n_neighbors=None, n_jobs=None):
        n, self.d = X.shape
        n_blocks = -(-n // _BLOCK)
        empty = n_blocks * _BLOCK - n
        rows = np.pad(X, ((0, empty), (0, 0))).reshape(n_blocks, _BLOCK, self.d)
        self._blocks = frozen(rows.transpose(0, 2, 1), np.float64)
        self._targets = frozen(np.pad(targets, ((0, empty), (0, 0))), np.float64)
        self._places = frozen(left_out, np.int64)
        self.weight = weight[left_out]
        self._removed = frozen(np.minimum(self.weight, 1.0), np.float64)
        total = float(np.ceil(weight.sum()))
        self._k = 0.0 if n_neighbors is None else float(min(n_neighbors, total))
        # One copy may be left out of a row: more than the neighbours' mass is no use.
        useful = weight if n_neighbors is None else np.minimum(weight, self._k + 1)
        self._mass = frozen(np.pad(useful, (0, empty)), np.float64)
        self._n_jobs = n_jobs
        size = max(int(_WORTH_A_THREAD / (n * self.d)), 1)
        m = len(left_out)
        self._tasks = [slice(i, min(i + size, m)) for i in range(0, m, size)]
        exclude = targets[left_out]
        rest = weight.sum() - self._removed
        if not np.all(rest > 0):
            raise ValueError(
                "sample_weight: without one row there is no mass left to predict it "
                "from; leave-one-out needs two rows."
            )
        others = (weight @ targets - self._removed[:, None] * exclude) / rest[:, None]
        self.unit = self.weight @ ((others - exclude) ** 2).sum(axis=1)

    def losses(self, s, power, softening, *, gradient=False):
        """Return each row's share in the error, and its gradient (m, d + 2) or None."""
        m = len(self._places)
        loss = np.empty(m)
        slopes = np.empty((m if gradient else 0, self.d + 2))
        s = frozen(s, np.float64)

        def leave_out(rows):
            leave_rows_out(
                self._blocks,
                self._targets,
                self._mass,
                self._places[rows],
                self._removed[rows],
                s,
                float(softening),
                float(power),
                self._k,
                loss[rows],
                slopes[rows],
            )

        map_tasks(leave_out, self._tasks, n_jobs=self._n_jobs)
        share = self.weight / self.unit
        return share * loss, share[:, None] * slopes if gradient else None

    def value(self, s, power, softening=_NO_SOFTENING):
        """Return the error: 1 if it is the mean's."""
        return float(self.losses(s, power, softening)[0].sum())

    def value_and_gradient(self, s, power, softening):
        """Return the error and its gradient by s, power and softening, (d + 2,)."""
        loss, gradient = self.losses(s, power, softening, gradient=True)
        return float(loss.sum()), gradient.sum(axis=0)


def pull(z):
    """Return (‖z‖₁/‖z‖₂ - 1) / (√d - 1) and its gradient.

    Examples
    --------
    >>> pull(np.array([1.0, 1.0, 1.0, 1.0]))[0], pull(np.array([0.0, 2.0, 0.0, 0.0]))[0]
    (1.0, 0.0)
    """
    if len(z) == 1:
        return 0.0, np.zeros(1)
    one, two = z.sum(), math.sqrt(z @ z)
    unit = 1 / (math.sqrt(len(z)) - 1)
    return float((one / two - 1) * unit), (1 / two - one * z / two**3) * unit


def descend(error, start, alpha, *, power_range=_POWERS, max_iter=100, tol=1e-3):
    """Return where L-BFGS-B ends, from a starting point.

    The variables are z ≥ 0, log power and log softening.
    """
    d = error.d
    first = start.z / math.sqrt(start.z @ start.z / d)

    def objective(x):
        z, power, softening = x[:d], math.exp(x[d]), math.exp(x[d + 1])
        if not z.any():
            return 2.0 + alpha, np.zeros(d + 2)  # worse than any start
        value, gradient = error.value_and_gradient(z * z, power, softening)
        pulled, pulled_gradient = pull(z)
        gradient[:d] = 2 * z * gradient[:d] + alpha * pulled_gradient
        gradient[d] *= power
        gradient[d + 1] *= softening
        return value + alpha * pulled, gradient

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
        options={"maxiter": max_iter, "ftol": tol, "gtol": tol / 100},
    )
    return Point(
        z=found.x[:d] / found.x[:d].max(),
        power=math.exp(found.x[d]),
        softening=math.exp(found.x[d + 1]),
        value=float(found.fun),
        n_iter=max(int(found.nit), 1),
        converged=found.nit < max_iter,
    )


def first_point(error, z, powers):
    """Return a starting point with this z: the best power and softening of a few."""
    candidates = [
        (error.value(z * z, power, softening), power, softening)
        for power in powers
        for softening in _FIRST_SOFTENINGS
    ]
    value, power, softening = min(candidates)
    return Point(z, power, softening, value)


def single_axis_start(error):
    """Return a z by how well each axis predicts alone; None if none does."""
    worth = np.array([1 - error.value(s, *_SINGLE_AXIS) for s in np.eye(error.d)])
    if worth.max() <= 0:
        return None
    return np.maximum(np.sqrt(np.maximum(worth / worth.max(), 0.0)), _LEAST_START)


def starting_stretches(error, n_starts, rng):
    """Yield z to start from: all axes alike, by their worth alone, then random ones."""
    yield np.ones(error.d)
    if n_starts > 1:
        by_worth = single_axis_start(error)
        yield rng.exponential(size=error.d) if by_worth is None else by_worth
    for _ in range(2, n_starts):
        yield rng.exponential(size=error.d)


def drop_axes(error, point, parsimony):
    """Return z without axes that the error can do without, the least tried first.

    In all it may rise by the share `parsimony` of itself.
    """
    z = point.z.copy()
    allowed = (1 + parsimony) * error.value(z * z, point.power, point.softening)
    for axis in np.argsort(z, kind="stable")[:-1]:
        if z[axis] > 0:
            kept, z[axis] = z[axis], 0.0
            if error.value(z * z, point.power, point.softening) > allowed:
                z[axis] = kept
    return z


def plain_power(error, s, n_axes):
    """Return the power of the estimate without softening, and its error.

    From about the number of axes the way down in error is followed over a grid.
    """
    values = {}

    def value(i):
        if i not in values:
            values[i] = error.value(s, _PLAIN_POWERS[i])
        return values[i]

    last = len(_PLAIN_POWERS) - 1
    at = min(int(np.searchsorted(_PLAIN_POWERS, n_axes)), last)
    while True:
        best = min((at, max(at - 1, 0), min(at + 1, last)), key=value)
        if best == at:
            return _PLAIN_POWERS[at], value(at)
        at = best


def search(error, alpha, parsimony, power, n_starts, max_iter, tol, rng):
    """Return the best point of several searches, without the axes it can do without."""
    if error.d == 1:
        return Point(np.ones(1), 1.0, 1.0)
    power_range, powers = (power, power), [power]
    if power == "auto":
        power_range = _POWERS
        powers = np.unique(np.clip([error.d / 2, error.d, 2 * error.d], *_POWERS))

    def descended(start, max_iter):
        return descend(
            error,
            start,
            alpha,
            power_range=power_range,
            max_iter=max_iter,
            tol=tol * min(start.value, 1.0),
        )

    starts = (
        first_point(error, z, powers) for z in starting_stretches(error, n_starts, rng)
    )
    best = min((descended(start, max_iter) for start in starts), key=_value)
    z = drop_axes(error, best, parsimony)
    if np.array_equal(z, best.z):
        return best
    settled = descended(replace(best, z=z), min(_SETTLING, max_iter))
    return replace(best, z=settled.z * (z > 0))


def _value(point):
    return point.value


def standardise(columns, weight):
    """Return columns of weighted mean 0 and standard deviation 1, and 1 / deviation.

    A constant column, or one whose deviation has no finite inverse, is all 0, and so
    is its factor.

    Examples
    --------
    >>> standardise(np.array([[1.0, 5.0], [3.0, 5.0]]), np.ones(2))
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([1., 0.]))
    """
    largest = np.abs(columns).max(axis=0)
    scaled = columns / np.where(largest > 0, largest, 1.0)  # squares do not overflow
    share = weight / weight.sum()
    centred = scaled - share @ scaled
    deviation = np.sqrt(share @ centred**2)
    constant = columns.max(axis=0) == columns.min(axis=0)
    with np.errstate(divide="ignore", over="ignore"):
        factor = 1 / (deviation * largest)
        constant |= (deviation == 0) | ~np.isfinite(factor)
        deviation[constant] = np.inf
        return centred / deviation, np.where(constant, 0.0, factor)


def indicators(codes, n_classes):
    """Return a column for each class with 1 for its rows.

    Each prediction of one row from another costs one step a class: more than
    `MOST_CLASSES` are refused.

    Examples
    --------
    >>> indicators(np.array([0, 1, 0]), 2)
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"y has {n_classes} classes; {MOST_CLASSES} at most can be told. "
            "Numbers are for AxisStretcher(task='regression')."
        )
    return (codes[:, None] == np.arange(n_classes)).astype(np.float64)


def stretch(
    X,
    targets,
    weight,
    *,
    n_neighbors=None,
    power="auto",
    alpha=0.2,
    parsimony=0.05,
    n_starts=2,
    max_iter=100,
    tol=1e-3,
    loo_max_samples=1000,
    max_samples=10_000,
    rng=None,
    n_jobs=None,
):
    """Return the stretch of the axes that predicts the targets best.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Raw rows, finite.
    targets : ndarray of shape (n, V)
        What is predicted, on scales that make squared errors comparable: one column a
        class with 1 for its rows, or standardised numbers. Constant columns are
        passed over.
    weight : ndarray of shape (n,)
        Above 0.
    n_neighbors : int or None
        How many rows, by mass, an estimate takes; None for all.
    power : float or "auto"
        "auto": learnt with the axes.
    alpha : float
        Strength of the pull towards few axes.
    parsimony : float
        By what share the error may rise for fewer axes.
    n_starts, max_iter, tol
        How many searches, of how many iterations at most, which end where an iteration
        lowers the error by less than the part `tol` of the start's.
    loo_max_samples, max_samples : int or None
        How many rows at most are left out one by one, and learnt from.
    rng : RandomState or None
    n_jobs : int or None

    Returns
    -------
    Stretch

    Raises
    ------
    ValueError
        If there is but one row.
    """
    if len(X) == 1 and weight[0] <= 1:
        raise ValueError(
            "n_samples=1 of weight above 0: leave-one-out needs at least 2."
        )
    columns, factor = standardise(X, weight)
    varies = np.flatnonzero(factor)
    targets = targets[:, np.ptp(targets, axis=0) > 0]
    plain = Stretch(factor, 2.0 if power == "auto" else float(power))
    if not len(varies) or not targets.shape[1]:
        return plain
    columns = columns[:, varies]
    rng = np.random.RandomState() if rng is None else rng
    if len(columns) > (max_samples or np.inf):
        rows = rows_to_leave_out(len(columns), max_samples, rng)
        columns, targets, weight = columns[rows], targets[rows], weight[rows]
    left_out = rows_to_leave_out(len(columns), loo_max_samples, rng)
    error = LeaveOneOutError(columns, targets, weight, left_out, n_neighbors, n_jobs)
    if error.unit == 0:  # the rows drawn are all alike
        return plain
    point = search(error, alpha, parsimony, power, n_starts, max_iter, tol, rng)
    # More digits mean nothing, and would depend on how sums were rounded on the way.
    z = np.round(point.z / point.z.max(), _DIGITS)

    def judge(z):
        if power == "auto":
            return plain_power(error, z * z, np.count_nonzero(z))
        return float(power), error.value(z * z, power)

    _, initial_loss = judge(np.ones(len(varies)))
    best_power, loss = judge(z)
    scale = factor.copy()
    scale[varies] *= z
    return Stretch(scale, best_power, loss, initial_loss, point.n_iter, point.converged)
