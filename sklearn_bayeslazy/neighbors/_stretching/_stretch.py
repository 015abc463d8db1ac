"""Learn the stretch of the axes of a table, from raw rows to factors of the columns."""

import math
from dataclasses import dataclass

import numpy as np

from ..._core._fit_tasks import Iterations
from ..._core._parallel import one_blas_thread
from ...leave_one_out import rows_to_leave_out
from ...tabular import standardize
from ._axis_search import plain_power, search
from ._left_out_error import LeaveOneOutError

# Decimals kept of the stretch of an axis, where the largest is 1.
_DECIMALS = 3


@dataclass
class Stretch:
    """The stretch that was found."""

    # (n_columns,), the factor of each raw column, the same for all columns of a group.
    scale: np.ndarray
    power: float  # of the estimate that is not softened
    # Leave-one-out error of the estimate that is not softened, relative to that of the
    # mean: with the stretched columns, and with the standardised ones, each at its best
    # power.
    loss: float = math.nan
    initial_loss: float = math.nan
    n_iter: int = 0  # iterations of the search that found the scale
    converged: bool = True  # whether it ended before its last iteration


# Over twelve arguments: one for each parameter of AxisStretcher.
def stretch(
    X,
    targets,
    weight,
    *,
    column_of=None,
    queries=None,
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
    iterations=None,
):
    """Return the stretch of the axes that predicts the targets best."""
    # X: (n, n_columns), raw rows, finite, at least two; else ValueError. weight: (n,),
    # above 0. iterations has a Stretch as the result.
    # targets: (n, n_targets), on scales that make squared errors comparable: indicators
    # of the classes, or standardised numbers. Constant columns are ignored.
    # column_of: (n_columns,), the group of each column, from 0: columns that encode one
    # column of the user's. A group is one axis, and gets one factor. None: each column
    # is an axis.
    # queries: (n, n_columns), the rows as they are encoded when they are left out:
    # without their targets. The other rows are then still those of X. None: X, which no
    # target has encoded.
    # n_neighbors: the total weight of the rows in an estimate; None for all.
    # power="auto": learnt with the stretch. alpha: strength of the penalty on many
    # axes. parsimony: the share by which the error may rise for fewer axes.
    # n_starts, max_iter, tol: the number of descents, and the largest number of
    # iterations of each. A descent ends when an iteration lowers the error by less than
    # tol times that of the start.
    # loo_max_samples, max_samples: the largest numbers of rows to leave out one by one,
    # and to learn from; None for all.
    if len(X) == 1:
        raise ValueError(
            "n_samples=1 of weight above 0: leave-one-out needs at least 2."
        )
    columns, factor = standardize(X, weight, column_of)
    varies = np.flatnonzero(factor)
    targets = targets[:, np.ptp(targets, axis=0) > 0]
    if targets.shape[1] == 2 and np.ptp(targets.sum(axis=1)) == 0:
        targets = targets[:, 1:]  # the errors of two classes are equal
    plain = Stretch(factor, 2.0 if power == "auto" else float(power))
    if not len(varies) or not targets.shape[1]:
        return plain
    if queries is not None:
        queries = (columns + (queries - X) * factor)[:, varies]
    groups = varies if column_of is None else column_of[varies]
    axis_of = np.unique(groups, return_inverse=True)[1]
    columns = columns[:, varies]
    rng = np.random.RandomState() if rng is None else rng
    if len(columns) > (max_samples or np.inf):
        rows = rows_to_leave_out(len(columns), max_samples, rng)
        columns, targets, weight = columns[rows], targets[rows], weight[rows]
        queries = None if queries is None else queries[rows]
    left_out = rows_to_leave_out(len(columns), loo_max_samples, rng)
    table = columns, targets, weight, left_out
    error = LeaveOneOutError(
        *table, n_neighbors, n_jobs, column_of=axis_of, queries=queries
    )
    if error.error_of_mean == 0:  # the rows drawn have equal targets
        return plain
    # BLAS on several threads would round differently.
    with one_blas_thread():
        return _search_axes(
            error,
            plain,
            varies,
            axis_of,
            power,
            (alpha, parsimony, power, n_starts, max_iter, tol, rng),
            iterations or Iterations(),
        )


def _search_axes(error, plain, varies, axis_of, power, options, iterations):
    """Return the stretch that the search finds, in factors of all columns."""

    def best_power_and_loss(z):
        if power == "auto":
            return plain_power(error, z, np.count_nonzero(z))
        return float(power), error.value(z, power)

    def stretch_at(point):
        # More decimals mean nothing, and would depend on how sums were rounded.
        z = np.round(point.z / point.z.max(), _DECIMALS)
        _, initial_loss = best_power_and_loss(np.ones(error.d))
        best_power, loss = best_power_and_loss(z)
        scale = plain.scale.copy()
        scale[varies] *= z[axis_of]
        return Stretch(
            scale, best_power, loss, initial_loss, point.n_iter, point.converged
        )

    return stretch_at(search(error, *options, iterations.for_part(stretch_at)))
