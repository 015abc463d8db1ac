"""A local regression with chosen parameters: predictions, robustness, statistics."""

from dataclasses import dataclass

import numpy as np

from ._hat_matrix import HatMatrixTraces, compute_delta2, estimate_traces
from ._kernel_arguments import Queries
from ._local_fits import LocalFitter
from ._robustness import bisquare_weights, pseudovalues

# A residual below this share of the largest target is only a rounding error.
_ROUNDING = 1e-12
# Degrees of freedom below this are treated as 0.
_MIN_DOF = 1e-9


@dataclass(frozen=True)
class FitStatistics:
    """Degrees of freedom, and statistics of the residuals of each target.

    Attributes
    ----------
    traces : HatMatrixTraces
    residual_scale, gcv, aicc : ndarrays of shape (V,)
    """

    traces: HatMatrixTraces
    residual_scale: np.ndarray
    gcv: np.ndarray
    aicc: np.ndarray

    @classmethod
    def of(cls, traces, mean_squares):
        """Return the statistics from the weighted means of squared residuals."""
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
        return cls(traces, residual_scale, gcv, aicc)


class LocalRegression:
    """Predicts by local fits."""

    # map_rows(function, n_rows, bytes_per_row) calls function(slice of the rows).
    # robustness_weights: (n, V), or (0, V) if all are 1.

    def __init__(self, fitter, size, settings):
        self.fitter = fitter
        self.size = size
        self.settings = settings
        self.weighted_k = fitter.finder.weighted_k(size)
        self.robustness_weights = np.empty((0, fitter.targets.shape[1]))

    def predict(self, points, map_rows, *, hat_statistics=False, n_coef=0):
        """Return the fits at points."""
        # Hat statistics are those of the fit without robustness weights, as in loess.
        order = self.fitter.finder.query_order(points)
        points = points[order]
        wanted = {"n_coef": n_coef, "hat_statistics": hat_statistics}
        fits = self.fitter.empty_fits(len(points), **wanted)
        is_robust = len(self.robustness_weights) > 0
        targets = self.fitter.targets.T[:, :, None] if is_robust else ()
        fitters = [LocalFitter(self.fitter.finder, target) for target in targets]

        def fit(rows):
            queries, lists = self._queries_and_lists(points[rows])
            if hat_statistics or not is_robust:
                fits.put(order[rows], self._fit(queries, lists, **wanted))
            for v, fitter in enumerate(fitters):
                robust = fitter.fit(
                    queries,
                    self.size,
                    self.settings,
                    lists,
                    robustness_weights=self.robustness_weights[:, v],
                    n_coef=n_coef,
                )
                fits.predictions[order[rows], v] = robust.predictions[:, 0]
                if n_coef:
                    fits.coef[order[rows], :, v] = robust.coef[:, :, 0]

        map_rows(fit, len(points), self.fitter.bytes_per_query(self.weighted_k))
        return fits

    def _queries_and_lists(self, points, exclude=None):
        """Return queries that leave no row out, and their nearest rows."""
        queries = Queries.at(points, exclude)
        finder = self.fitter.finder
        lists = finder.neighbor_lists(points, self.weighted_k, queries.left_out)
        return queries, lists

    def _fit(self, queries, lists, **wanted):
        return self.fitter.fit(queries, self.size, self.settings, lists, **wanted)

    def set_robustness_weights(self, iterations, map_rows):
        """Give rows with large residuals less weight, then use the new residuals."""
        finder, targets = self.fitter.finder, self.fitter.targets
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
        """Return the `FitStatistics` of the residuals."""
        # sample: (m,), rows that represent all; exact: compute δ2 too, from all rows.
        finder, fitter = self.fitter.finder, self.fitter
        sample = sample[finder.query_order(finder.take(sample))]
        points, weight = finder.take(sample), finder.sample_weight[sample]
        fits = fitter.empty_fits(len(sample), hat_statistics=True)

        def fit(rows):
            queries, lists = self._queries_and_lists(points[rows], sample[rows])
            fits.put(rows, self._fit(queries, lists, hat_statistics=True))

        map_rows(fit, len(sample), fitter.bytes_per_query(self.weighted_k))
        total = finder.sample_weight.sum()
        delta2 = None
        if exact:
            delta2 = compute_delta2(self._hat_rows, finder.sample_weight)
        traces = estimate_traces(*fits.hat_statistics.T, weight, total, delta2)
        residuals = fitter.targets[sample] - fits.predictions
        if len(self.robustness_weights):
            residuals = self._robust_residuals(map_rows)[sample]
        mean_squares = weight / weight.sum() @ residuals**2
        return FitStatistics.of(traces, mean_squares)

    def _robust_residuals(self, map_rows):
        """Return the residuals of a fit to pseudovalues without robustness weights."""
        finder, targets = self.fitter.finder, self.fitter.targets
        predictions = self.predict(finder.rows, map_rows).predictions
        columns = zip(targets.T, predictions.T, self.robustness_weights.T)
        pseudo = np.column_stack(
            [pseudovalues(*column, finder.sample_weight) for column in columns]
        )
        fitter = LocalFitter(finder, pseudo)
        refit = LocalRegression(fitter, self.size, self.settings)
        return pseudo - refit.predict(finder.rows, map_rows).predictions

    def _hat_rows(self, rows):
        """Return a slice of rows of the hat matrix, dense."""
        queries, lists = self._queries_and_lists(self.fitter.finder.take(rows))
        return self._fit(queries, lists, hat_rows=True).hat_rows
