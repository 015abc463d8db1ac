"""The error that the search lowers: of the Shepard estimate of rows left out."""

import copy
from typing import NamedTuple

import numpy as np

from ..._core._kernel import copy_numbers, frozen, kernel
from ..._core._parallel import map_tasks, slices_of
from ..._core._vectorized_math import exp_negative, log_positive
from ...search import heap_push


class Points(NamedTuple):
    """The rows, in standardised columns times their stretch."""

    columns: np.ndarray  # (n, d)
    norms: np.ndarray  # (n,), squared norms of the rows
    targets: np.ndarray  # (n_targets, n)
    weight: np.ndarray  # (n,)


# Pairs of a left-out row and a row in a task: few enough for the second cache, and
# enough for a product of matrices, and for a thread.
_PAIRS_PER_TASK = 2**18
_MIN_ROWS_PER_TASK = 8
# Differences of cells that make an evaluation expensive: about a tenth of a second.
_MANY_DIFFERENCES = 1.5e8
# As good as none, but a row at distance 0 has a finite weight, beside which all other
# rows' weights vanish.
NO_SOFTENING = 1e-24


class _Stretched(NamedTuple):
    """The rows at one stretch z, up to a power of two; z without its zeros."""

    rows: Points
    left_out: np.ndarray  # (m, n_used), the used columns of the left-out rows
    norms: np.ndarray  # (m,), their squared norms
    axes: np.ndarray  # (n_axes,), the axes whose z is not 0
    axis_of: np.ndarray  # (n_used,), positions in axes
    z: np.ndarray  # (n_axes,), divided by 2 ** exponent
    exponent: int


class LeaveOneOutError:
    """Squared error of the estimate of rows left out, relative to the mean's."""

    # The estimate stretches each axis, which is a column or a group of columns, by its
    # z ≥ 0: d² = Σ_g z_g² (Σ_{l in g} (x_l - x'_l)² + softening).
    # X: (n, n_columns), standardised rows; targets: (n, n_targets); weight: (n,).
    # left_out: (m,), indices of the rows that are left out, one by one. n_neighbors:
    # the total weight of the neighbours; None for all rows. column_of: (n_columns,),
    # the axis of each column, from 0 to d - 1; None: each column is one. queries:
    # (n, n_columns), the rows as they are when they are left out; None: X.

    def __init__(
        self,
        X,
        targets,
        weight,
        left_out,
        n_neighbors=None,
        n_jobs=None,
        column_of=None,
        queries=None,
    ):
        self._column_of = np.arange(X.shape[1]) if column_of is None else column_of
        self.d = int(self._column_of.max()) + 1
        total = float(np.ceil(weight.sum()))
        self._k = None if n_neighbors is None else float(min(n_neighbors, total))
        # A weight above k changes nothing.
        capped = weight if n_neighbors is None else np.minimum(weight, self._k)
        self._X = X
        self._queries = X if queries is None else queries
        self._targets = frozen(targets.T, np.float64)
        self._row_weight = frozen(capped, np.float64)
        self._n_jobs = n_jobs
        self._left_out = frozen(left_out, np.int64)
        self.weight = weight[left_out]
        excluded = targets[left_out]
        rest = weight.sum() - self.weight
        if not np.all(rest > 0):
            raise ValueError(
                "sample_weight: without one of the rows no weight is left to predict "
                "that row from; leave-one-out needs two rows."
            )
        others = (weight @ targets - self.weight[:, None] * excluded) / rest[:, None]
        self._losses_of_mean = ((others - excluded) ** 2).sum(axis=1)
        self.error_of_mean = _weighted_error(self.weight, self._losses_of_mean)

    def thinned(self, n_rows):
        """Return the error of about `n_rows` of the rows left out, evenly spaced."""
        # Where an evaluation is cheap, this is the error itself. So it is if every row
        # is left out: the answer must not depend on the order of the rows.
        m, n_cells = len(self._left_out), self._X.size
        step = m // n_rows
        if step <= 1 or m == len(self._X) or m * n_cells < _MANY_DIFFERENCES:
            return self
        part = slice(None, None, step)
        error = copy.copy(self)
        error._left_out = frozen(self._left_out[part], np.int64)
        error.weight = self.weight[part]
        error._losses_of_mean = self._losses_of_mean[part]
        error.error_of_mean = _weighted_error(error.weight, error._losses_of_mean)
        return error

    def values(self, z, powers, softening=NO_SOFTENING):
        """Return the error at each power: 1 if it is the mean's."""
        powers = frozen(powers, np.float64)
        return self._leave_out(self._stretch(z), powers, softening)[0]

    def value(self, z, power, softening=NO_SOFTENING):
        """Return the error: 1 if it is the mean's."""
        return float(self.values(z, [power], softening)[0])

    def value_and_gradient(self, z, power, softening):
        """Return the error and its gradient by z, power and softening, (d + 2,)."""
        # z: (d,). An axis of stretch 0 has slope 0.
        at = self._stretch(z)
        powers = frozen([power], np.float64)
        loss, by_axis, by_power, by_square = self._leave_out(
            at, powers, softening, gradient=True
        )
        gradient = np.zeros(self.d + 2)
        gradient[at.axes] = 2 * (by_axis / at.z + softening * by_square * at.z)
        gradient[at.axes] = np.ldexp(gradient[at.axes], -at.exponent)
        gradient[self.d] = by_power
        gradient[self.d + 1] = by_square * (at.z @ at.z)
        return float(loss[0]), gradient

    def _stretch(self, z):
        """Multiply the columns of axes that are not 0."""
        axes = np.flatnonzero(z)
        exponent = int(np.frexp(z.max())[1])  # the error does not depend on the scale
        z = np.ldexp(z, -exponent)
        used = np.flatnonzero(z[self._column_of])
        axes = axes[z[axes] > 0]
        axis_of = np.searchsorted(axes, self._column_of[used])
        columns, norms = _with_norms(self._X[:, used] * z[axes][axis_of])
        if self._queries is self._X:
            left_out = _with_norms(columns[self._left_out])
        else:
            queries = self._queries[np.ix_(self._left_out, used)]
            left_out = _with_norms(queries * z[axes][axis_of])
        rows = Points(columns, norms, self._targets, self._row_weight)
        return _Stretched(rows, *left_out, axes, axis_of, z[axes], exponent)

    def _leave_out(self, at, powers, softening, *, gradient=False):
        """Return the error at each power; with `gradient` also its slopes."""
        # at: _Stretched; errors: (n_powers,). The slopes are Σ slope of d² ·
        # (distance² along the axis) for each axis of z ≠ 0, that by the power, and the
        # sum of those of d².
        columns = at.rows.columns
        n, m = len(columns), len(self._left_out)
        softening = float(softening * (at.z @ at.z))
        share = self.weight / self.error_of_mean

        def leave_out(part):
            queries = at.left_out[part]
            left_out = LeftOutPoints(
                self._left_out[part], queries, at.norms[part], share[part]
            )
            products = queries @ columns.T
            loss = np.empty((len(queries), len(powers)))
            sizes = (len(queries), len(queries), n) if gradient else (0, 0, 0)
            slopes = Gradient(*map(np.zeros, sizes))
            leave_points_out(
                at.rows, left_out, powers, softening, self._k, products, loss, slopes
            )
            if not gradient:
                return (share[part] @ loss,)
            by_column = (
                slopes.by_row @ queries**2
                + slopes.by_column @ columns**2
                - 2 * ((products @ columns) * queries).sum(axis=0)
            )
            by_axis = np.bincount(at.axis_of, by_column, len(at.z))
            return (
                share[part] @ loss,
                by_axis,
                slopes.by_power.sum(),
                slopes.by_row.sum(),
            )

        size = max(_PAIRS_PER_TASK // n, _MIN_ROWS_PER_TASK)
        tasks = slices_of(range(m), size)
        parts = map_tasks(leave_out, tasks, n_jobs=self._n_jobs)
        return [sum(part) for part in zip(*parts, strict=True)]


def _with_norms(columns):
    """Return the columns and the squared norms of their rows, as kernels read them."""
    columns = frozen(columns, np.float64)
    return columns, frozen(np.einsum("ij,ij->i", columns, columns), np.float64)


def _weighted_error(weight, losses):
    """Return Σ weight · loss; 0 where weights divided by it would overflow."""
    error = float(weight @ losses)
    with np.errstate(over="ignore", divide="ignore"):
        return error if np.isfinite(weight.max() / np.float64(error)) else 0.0


# Numba kernels that leave rows out: the Shepard estimate without a row, its gradient.
#
# Every loop over rows either treats each row alone or adds up one sum, so that it is
# vectorised. Loops that add up are separate, because sums may be reordered there; the
# vectorised exp and log must keep the order of their steps.


# Weights below exp(this) times the largest are 0: too small to change any sum.
_NEGLIGIBLE = -50.0
# A squared distance below this share of the two squared norms it is the difference of
# is measured again, from the columns: it has lost 9 of its 53 bits.
_CANCELLATION = 2.0**-9
_INFINITY_BITS = 0x7FF0000000000000


class LeftOutPoints(NamedTuple):
    """The rows to leave out one by one, with the columns that they then have."""

    rows: np.ndarray  # (m,), indices of the rows
    columns: np.ndarray  # (m, d)
    norms: np.ndarray  # (m,), squared norms
    share: np.ndarray  # (m,), factors of the gradients of their losses


class Gradient(NamedTuple):
    """The gradient of the sum of losses by the last power and by squared distances."""

    # All arrays are of size 0 if no gradient is wanted.

    by_power: np.ndarray  # (m,)
    by_row: np.ndarray  # (m,), by the squared distances of a left-out row to all rows
    by_column: np.ndarray  # (n,), by those of all left-out rows to a row


@kernel
def keep_nearest(squared, k, weight):
    """Set the weight of all but the nearest rows to 0, so that the rest sum to k."""
    # squared: (n,); weight: (n,), changed in place. Rows are taken in order of
    # (distance, index); the last weight is cut.
    n = squared.shape[0]
    near, rows = np.empty((1, n)), np.empty((1, n), dtype=np.int64)
    counts, totals = np.zeros(1, dtype=np.int64), np.zeros(1)
    worst = np.inf
    for row in range(n):
        worst = heap_push(
            near, rows, counts, totals, 0, squared[row], row, weight, k, worst
        )
    rows = rows[0, : counts[0]]  # the farthest first
    kept = np.empty(len(rows))
    total = 0.0
    for i in range(len(rows)):
        kept[i] = weight[rows[i]]
        total += kept[i]
    kept[0] -= max(total - k, 0.0)
    weight[:] = 0.0
    for i in range(len(rows)):
        weight[rows[i]] = kept[i]


@kernel(fuse_products=True, only_in_kernels=True)
def _subtract_products(products, norms, norm, softening, squared):
    """Write softened distances² = |x|² + |x'|² - 2 x·x'; count those that cancel."""
    n_cancelled = 0
    for j in range(norms.shape[0]):
        both = norm + norms[j]
        difference = both - 2.0 * products[j]
        squared[j] = (difference if difference > 0.0 else 0.0) + softening
        n_cancelled += squared[j] < _CANCELLATION * both
    return n_cancelled


@kernel(only_in_kernels=True)
def _measure_again(columns, norms, x, norm, softening, squared):
    """Measure from the columns what cancelled in the difference of norms."""
    for j in range(norms.shape[0]):
        if squared[j] < _CANCELLATION * (norm + norms[j]):
            total = 0.0
            for f in range(columns.shape[1]):
                gap = columns[j, f] - x[f]
                total += gap * gap
            squared[j] = total + softening


@kernel
def _nearest(squared, present):
    """Return the least squared distance of a row that is present."""
    # squared: (n,); present: (n,), weights, 0 for a row that is not present. Positive
    # floats have the order of their bits, whose minimum is vectorised.
    least = _INFINITY_BITS
    for j in range(squared.shape[0]):
        bits = np.float64(squared[j]).view(np.int64)
        bits = bits if present[j] > 0.0 else _INFINITY_BITS
        least = min(least, bits)
    return np.int64(least).view(np.float64)


@kernel(fuse_products=True, only_in_kernels=True)
def _write_log_ratios(squared, nearest, log_ratio):
    log_nearest = log_positive(nearest)
    for j in range(squared.shape[0]):
        log_ratio[j] = log_positive(squared[j]) - log_nearest


@kernel(fuse_products=True, only_in_kernels=True)
def _write_weights(log_ratio, present, power, weight):
    """Write distance ** -power relative to the nearest row's: no power overflows."""
    for j in range(log_ratio.shape[0]):
        exponent = -0.5 * power * log_ratio[j]
        # Only rows that are not present are nearer than the nearest one.
        relative = exp_negative(exponent if exponent < 0.0 else 0.0)
        weight[j] = present[j] * relative if exponent > _NEGLIGIBLE else 0.0


@kernel(reorder_sums=True, fuse_products=True, only_in_kernels=True)
def _sum_targets(weight, targets, sums):
    """Write the weighted sum of each target; return the sum of the weights."""
    total = 0.0
    for j in range(weight.shape[0]):
        total += weight[j]
    for v in range(targets.shape[0]):
        by_target = 0.0
        for j in range(weight.shape[0]):
            by_target += weight[j] * targets[v, j]
        sums[v] = by_target
    return total


@kernel(reorder_sums=True, fuse_products=True, only_in_kernels=True)
def _write_slopes(scratch, factor, power, slopes, by_column):
    """Write slopes of a loss by squared distances; return that by power, their sum."""
    # scratch: four (n,) arrays; slopes: (n,), overwritten; by_column: (n,), to which
    # the slopes are added.
    # With a_j the share of row j in the answer, the loss changes with log a_j by
    # pull_j = 2 a_j error·(y_j - answer), and log a_j is -p/2 log d²_j + constant. On
    # entry `slopes` holds error·(y_j - answer), and factor is 2 share / total weight,
    # with the share of `LeftOutPoints`.
    squared, _, log_ratio, weight = scratch
    by_power = 0.0
    by_square = 0.0
    for j in range(squared.shape[0]):
        pull = factor * weight[j] * slopes[j]
        by_power -= 0.5 * pull * log_ratio[j]
        slope = -0.5 * power * pull / squared[j]
        by_square += slope
        by_column[j] += slope
        slopes[j] = slope
    return by_power, by_square


@kernel(fuse_products=True, only_in_kernels=True)
def _write_pulls(targets, error, shift, pulls):
    """Write error·(y_j - answer) for each row j."""
    pulls[:] = -shift
    for v in range(targets.shape[0]):
        for j in range(pulls.shape[0]):
            pulls[j] += error[v] * targets[v, j]


@kernel
def leave_points_out(rows, left_out, powers, softening, k, products, loss, gradient):
    """Write each left-out row's squared error and the gradient of it."""
    # Rows weigh distance ** -power, once for each of the powers, (n_powers,); softening
    # is added to each squared distance.
    # k: the total weight of the neighbours. None, all rows, is compiled by itself: that
    # takes two thirds of the time.
    # products: (m, n), on entry the products x·x' of left-out rows and all rows; at the
    # end, if the gradient is wanted, the slope of the losses by each squared distance.
    # Written: loss: (m, n_powers), and gradient.
    columns, norms, targets, row_weight = rows
    n_targets, n = targets.shape
    scratch = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    squared, present, log_ratio, weight = scratch
    error = np.empty(n_targets)
    for i in range(left_out.rows.shape[0]):
        row, norm = left_out.rows[i], left_out.norms[i]
        if _subtract_products(products[i], norms, norm, softening, squared):
            x = left_out.columns[i]
            _measure_again(columns, norms, x, norm, softening, squared)
        copy_numbers(row_weight, present)
        present[row] = 0.0
        if k is not None:
            keep_nearest(squared, k, present)
        _write_log_ratios(squared, _nearest(squared, present), log_ratio)
        for p in range(powers.shape[0]):
            _write_weights(log_ratio, present, powers[p], weight)
            total = _sum_targets(weight, targets, error)
            loss[i, p] = 0.0
            shift = 0.0
            for v in range(n_targets):
                answer = error[v] / total
                error[v] = answer - targets[v, row]
                loss[i, p] += error[v] * error[v]
                shift += error[v] * answer
        if gradient.by_row.shape[0]:
            _write_pulls(targets, error, shift, products[i])
            gradient.by_power[i], gradient.by_row[i] = _write_slopes(
                scratch,
                2.0 * left_out.share[i] / total,
                powers[-1],
                products[i],
                gradient.by_column,
            )
