"""A local regression with chosen parameters: predictions, robustness, statistics."""

from dataclasses import dataclass

import numpy as np

from ..._core._parallel import slices_of
from ._kernel_arguments import Queries
from ._local_fits import LocalSolver


@dataclass(frozen=True)
class HatMatrixTraces:
    """Traces of the hat matrix L."""

    total_weight: float  # N, the number of rows that the table stands for
    trace: float  # tr L, the effective degrees of freedom
    squared_norm: float  # tr L Lᵀ, loess's equivalent number of parameters
    delta2: float | None = None  # tr ((I - L)(I - L)ᵀ)²; None if it was not computed

    @property
    def delta1(self):
        """Return tr (I - L)(I - L)ᵀ, the divisor of the sum of squared residuals."""
        return self.total_weight - 2 * self.trace + self.squared_norm

    @property
    def residual_dof(self):
        """Return the degrees of freedom of the residual scale: δ1²/δ2, or δ1."""
        if self.delta2 is None:
            return self.delta1
        with np.errstate(over="ignore"):  # beside weights of 1e300
            ratio = np.float64(self.delta1) / self.delta2 if self.delta2 > 0 else np.nan
            return self.delta1 * ratio


# A residual below this share of the largest target is only a rounding error.
_ROUNDING = 1e-12
# Degrees of freedom below this are treated as 0.
_MIN_DOF = 1e-9


def residual_statistics(traces, mean_squares):
    """Return the residual scale, GCV and AICc of each target."""
    # traces: HatMatrixTraces; mean_squares: (V,), weighted means of squared residuals.
    total, trace = traces.total_weight, traces.trace
    residual_scale = np.full_like(mean_squares, np.nan)
    gcv, aicc = np.full((2, len(mean_squares)), np.inf)
    dof = total - trace
    if traces.delta1 > _MIN_DOF:
        residual_scale = np.sqrt(mean_squares * (total / traces.delta1))
    if dof > _MIN_DOF:
        gcv = mean_squares * (total / dof) ** 2
    if dof > 2:
        with np.errstate(divide="ignore"):  # the residuals of an exact fit are 0
            aicc = np.log(mean_squares)
        aicc = aicc + 1 + 2 * (trace + 1) / (dof - 2)
    return residual_scale, gcv, aicc


class LocalRegression:
    """Predicts by local fits."""

    # map_rows(function, n_rows, bytes_per_row) calls function(slice of the rows).
    # robustness_weights: (n, V), or (0, V) if all are 1; row_weight: the weight of one
    # observation, where degrees of freedom and variances are counted.

    def __init__(self, solver, size, settings, row_weight=1.0):
        self.solver = solver
        self.row_weight = row_weight
        self.size = size
        self.settings = settings
        self.weighted_k = solver.finder.weighted_k(size)
        self.robustness_weights = np.empty((0, solver.targets.shape[1]))

    def predict(self, points, map_rows, *, hat_statistics=False, n_coef=0):
        """Return the fits at points."""
        # Hat statistics are those of the fit without robustness weights, as in loess.
        wanted = {"hat_statistics": hat_statistics, "n_coef": n_coef}
        is_robust = len(self.robustness_weights) > 0
        fits = self.fits_at(points, map_rows, is_robust=is_robust, **wanted)
        if hat_statistics:
            with np.errstate(over="ignore"):  # beside weights of 1e-300
                fits.hat_statistics[:, 1] *= self.row_weight
        return fits

    def fits_at(
        self,
        points,
        map_rows,
        exclude=None,
        *,
        is_robust=False,
        may_vanish=False,
        **wanted,
    ):
        """Return the fits at points, robust ones with the weights of each target."""
        # exclude: (m,), the training row that each point is, or -1; by default none
        # is one. may_vanish, wanted: as in `LocalSolver.solve`.
        order = self.solver.finder.query_order(points)
        fits = self.solver.empty_fits(len(points), **wanted)
        targets = self.solver.targets.T[:, :, None] if is_robust else ()
        solvers = [LocalSolver(self.solver.finder, target) for target in targets]
        n_coef = wanted.get("n_coef", 0)

        def solve(rows):
            some = order[rows]
            excluded = None if exclude is None else exclude[some]
            queries, lists = self._queries_and_lists(points[some], excluded)
            arguments = queries, self.size, self.settings, lists
            if wanted.get("hat_statistics") or not is_robust:
                plain = self.solver.solve(*arguments, may_vanish=may_vanish, **wanted)
                fits.put(some, plain)
            for v, solver in enumerate(solvers):
                weights = self.robustness_weights[:, v]
                robust = solver.solve(
                    *arguments, robustness_weights=weights, n_coef=n_coef
                )
                fits.predictions[some, v] = robust.predictions[:, 0]
                if n_coef:
                    fits.coef[some, :, v] = robust.coef[:, :, 0]

        bytes_per_query = self.solver.bytes_per_query(self.weighted_k)
        if wanted.get("hat_rows"):
            bytes_per_query = 8 * len(self.solver.targets)
        map_rows(solve, len(points), bytes_per_query)
        return fits

    def _queries_and_lists(self, points, exclude=None):
        """Return queries that leave no row out, and their nearest rows."""
        queries = Queries.at(points, exclude)
        finder = self.solver.finder
        lists = finder.neighbor_lists(points, self.weighted_k, queries.left_out)
        return queries, lists

    def set_robustness_weights(self, iterations, map_rows):
        """Give rows with large residuals less weight, then use the new residuals."""
        finder, targets = self.solver.finder, self.solver.targets
        rounding = _ROUNDING * np.abs(targets).max(axis=0)
        for _ in range(iterations):
            residuals = targets - self.predict(finder.rows, map_rows).predictions
            self.robustness_weights = np.column_stack(
                [
                    bisquare_weights(residual, finder.sample_weight, threshold)
                    for residual, threshold in zip(residuals.T, rounding)
                ]
            )

    def statistics(self, sample, exact, map_rows):
        """Return the traces, and the `residual_statistics`."""
        # sample: (m,), rows that represent all; exact: compute δ2 too, from all rows.
        finder, solver = self.solver.finder, self.solver
        sample = sample[finder.query_order(finder.take(sample))]
        points, weight = finder.take(sample), finder.sample_weight[sample]
        fits = self.fits_at(points, map_rows, sample, hat_statistics=True)
        delta2 = None
        if exact:
            shares = finder.sample_weight / self.row_weight
            delta2 = compute_delta2(
                lambda rows: self.hat_rows(finder.take(rows), map_rows), shares
            )
        share = weight / self.row_weight
        total_weight = finder.sample_weight.sum() / self.row_weight
        with np.errstate(divide="ignore", over="ignore"):
            ratio = total_weight / share.sum()  # of all rows to those of the sample
        if np.isinf(ratio):  # these weigh nothing beside the others, and tell nothing
            ratio = np.nan
        leverages, variance_factors = fits.hat_statistics.T
        traces = HatMatrixTraces(
            total_weight,
            ratio * leverages.sum(),
            ratio * (weight @ variance_factors),
            delta2,
        )
        residuals = solver.targets[sample] - fits.predictions
        if len(self.robustness_weights):
            residuals = self._robust_residuals(map_rows)[sample]
        mean_squares = weight / weight.sum() @ residuals**2
        return traces, *residual_statistics(traces, mean_squares)

    def _robust_residuals(self, map_rows):
        """Return the residuals of a fit to pseudovalues without robustness weights."""
        finder, targets = self.solver.finder, self.solver.targets
        predictions = self.predict(finder.rows, map_rows).predictions
        columns = zip(targets.T, predictions.T, self.robustness_weights.T)
        pseudo = np.column_stack(
            [pseudovalues(*column, finder.sample_weight) for column in columns]
        )
        solver = LocalSolver(finder, pseudo)
        refit = LocalRegression(solver, self.size, self.settings, self.row_weight)
        return pseudo - refit.predict(finder.rows, map_rows).predictions

    def reads(self, points, map_rows):
        """Return which training rows (m, n) the fits at m points depend on."""
        # The last row of a window determines its width, and may have no weight.
        found = self.hat_rows(points, map_rows) != 0
        order = self.solver.finder.query_order(points)

        def mark_windows(rows):
            queries, lists = self._queries_and_lists(points[order[rows]])
            for q, members in self.solver.members(queries, self.size, lists):
                found[order[rows][q], members] = True

        bytes_per_query = self.solver.bytes_per_query(self.weighted_k)
        map_rows(mark_windows, len(points), bytes_per_query)
        return found

    def hat_rows(self, points, map_rows):
        """Return (m, n), by which the predictions at m points are hat_rows @ targets.

        As in loess, they are those of the fit without robustness weights.
        """
        return self.fits_at(points, map_rows, hat_rows=True).hat_rows


# Robustness weights of loess, and the targets by which its residual scale is computed.
#
# Sources: W. S. Cleveland (1979), Robust locally weighted regression and smoothing
# scatterplots, JASA 74; W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local
# regression models, ch. 8 of Statistical Models in S.


def weighted_median(values, sample_weight):
    """Return the median of values, each repeated as often as its weight.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    1.5
    """
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    half = cumulative[-1] / 2
    positions = [np.searchsorted(cumulative, half, side) for side in ("left", "right")]
    low, high = values[order[np.minimum(positions, len(values) - 1)]]
    return float((low + high) / 2)


def bisquare_weights(residuals, sample_weight, rounding=0.0):
    """Return Cleveland's robustness weights: (1 - (r / 6 median|r|)²)²."""
    # As in loess, residuals within a thousandth of the bound 6 median|r| have weight 1,
    # and those beyond .999 of it have weight 0. All have weight 1 if the median is not
    # above `rounding`, the size of residuals that are only rounding errors.
    size = np.abs(residuals)
    bound = 6 * weighted_median(size, sample_weight)
    if bound <= 6 * rounding:
        return np.ones(len(size))
    with np.errstate(over="ignore"):
        weights = (1 - (size / bound) ** 2) ** 2
    weights[size <= 0.001 * bound] = 1.0
    weights[size > 0.999 * bound] = 0.0
    return weights


def pseudovalues(y, fitted, robustness_weights, sample_weight):
    """Return targets that replace y to estimate the residual scale of a robust fit."""
    # The scale is that of a fit to them without robustness weights.
    residuals = y - fitted
    scale = (6 * weighted_median(np.abs(residuals), sample_weight)) ** 2 / 5
    if scale == 0:
        return y
    slope = sample_weight @ ((1 - residuals**2 / scale) * np.sqrt(robustness_weights))
    return fitted + sample_weight.sum() / slope * robustness_weights * residuals


# Traces of the hat matrix of a local regression: degrees of freedom, delta statistics.
#
# The predictions at the training rows are L y with a hat matrix L that does not depend
# on y. A row of weight m stands for m equal rows; all traces are those of the table in
# which rows are repeated, and are computed from one copy of each.
#
# Source: W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local regression models, ch.
# 8 of Statistical Models in S.


# Numbers of the hat matrix that are held at a time, for δ2.
_MAX_HAT_CELLS = 2**21


def compute_delta2(hat_rows, sample_weight):
    """Return δ2, by blocks of the hat matrix."""
    # hat_rows(rows) returns a slice of rows of the hat matrix, dense: (len(rows), n).
    # sample_weight: (n,).
    n = len(sample_weight)
    root = np.sqrt(sample_weight)
    size = max(_MAX_HAT_CELLS // n, 1)
    blocks = slices_of(range(n), size)

    # A weight that is 0 beside the others has no part in any fit.
    inverse_root = np.divide(1, root, out=np.zeros(n), where=root > 0)

    def residual_operator(rows):
        A = -hat_rows(rows) * root[rows, None] * inverse_root
        A[np.arange(len(A)), np.arange(rows.start, rows.stop)] += 1
        return A

    # Differences between copies of a row: N - n residuals that no fit changes.
    total = sample_weight.sum() - n
    for i, rows in enumerate(blocks):
        A = residual_operator(rows)
        total += np.sum((A @ A.T) ** 2)
        for others in blocks[i + 1 :]:
            total += 2 * np.sum((A @ residual_operator(others).T) ** 2)
    return float(total)
