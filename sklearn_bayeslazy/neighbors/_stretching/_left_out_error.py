"""The error that the search lowers: of the Shepard estimate of rows left out."""

import copy
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ._kernels import Estimate, Gradient, LeftOut, Rows, leave_rows_out

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

    rows: Rows
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
    # X: (n, n_columns), standardised rows; targets: (n, n_targets); weight: (n,): a row
    # of weight w is w rows, of which one is left out. left_out: (m,), indices of the
    # rows that are left out, one by one. n_neighbors: the total weight of the
    # neighbours; None for all rows. column_of: (n_columns,), the axis of each column,
    # from 0 to d - 1; None: each column is one. queries: (n, n_columns), the rows as
    # they are when they are left out; None: X.
    # d: the number of axes. weight: (m,), of the rows left out. error_of_mean: the
    # squared error of the mean of the other rows.

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
        # At most one copy of a row is left out: a weight above k + 1 changes nothing.
        capped = weight if n_neighbors is None else np.minimum(weight, self._k + 1)
        self._X = X
        self._queries = X if queries is None else queries
        self._targets = frozen(targets.T, np.float64)
        self._row_weight = frozen(capped, np.float64)
        self._n_jobs = n_jobs
        self._left_out = frozen(left_out, np.int64)
        self.weight = weight[left_out]
        excluded = targets[left_out]
        removed = np.minimum(self.weight, 1.0)
        rest = weight.sum() - removed
        if not np.all(rest > 0):
            raise ValueError(
                "sample_weight: without one of the rows no weight is left to predict "
                "that row from; leave-one-out needs two rows."
            )
        others = (weight @ targets - removed[:, None] * excluded) / rest[:, None]
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
        rows = Rows(columns, norms, self._targets, self._row_weight)
        return _Stretched(rows, *left_out, axes, axis_of, z[axes], exponent)

    def _leave_out(self, at, powers, softening, *, gradient=False):
        """Return the error at each power; with `gradient` also its slopes."""
        # at: _Stretched; errors: (n_powers,). The slopes are Σ slope of d² ·
        # (distance² along the axis) for each axis of z ≠ 0, that by the power, and the
        # sum of those of d².
        columns = at.rows.columns
        n, m = len(columns), len(self._left_out)
        estimate = Estimate(powers, float(softening * (at.z @ at.z)))
        share = self.weight / self.error_of_mean
        removed = np.minimum(self.weight, 1.0)

        def leave_out(part):
            queries = at.left_out[part]
            left_out = LeftOut(
                self._left_out[part],
                queries,
                at.norms[part],
                removed[part],
                share[part],
            )
            products = queries @ columns.T
            loss = np.empty((len(queries), len(powers)))
            sizes = (len(queries), len(queries), n) if gradient else (0, 0, 0)
            slopes = Gradient(*map(np.zeros, sizes))
            leave_rows_out(at.rows, left_out, estimate, self._k, products, loss, slopes)
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
        tasks = [slice(i, min(i + size, m)) for i in range(0, m, size)]
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
