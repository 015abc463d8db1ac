"""Local fits at many queries, with empty windows fitted again."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._core._kernel import frozen
from ...search import (
    DenseSearch,
    EngineSearch,
    Metric,
    TransformedRows,
    WeightedK,
    learn_metric,
    wants_tree,
)
from .._smoothing_kernels import INFINITE_SUPPORT, POSITIVE_AT_BANDWIDTH, weigh
from ._fit_kernels import LEFT_TO_LAPACK, Workspace, count_terms, fit_windows
from ._ill_conditioned import fit_by_lapack
from ._kernel_arguments import NONE, LocalFits, LocalRows, Polynomials
from ._wide_fits import are_wide, fit_wide_windows
from ._windows import WindowFinder, WindowSize, windows_from_lists


@dataclass(frozen=True)
class LocalFitSettings:
    """Which polynomials are fitted to a window."""

    kernel: str  # a key of `KERNELS`
    polynomials: tuple  # (degree, ridge) of each

    def kernel_argument(self, n_features):
        """Return the polynomials as the kernel takes them."""
        degrees, ridges = zip(*self.polynomials)
        terms = [count_terms(n_features, degree) for degree in degrees]
        return Polynomials(
            int(max(degrees)),
            frozen(degrees, np.int64),
            frozen(terms, np.int64),
            frozen(ridges, np.float64),
        )


class LocalSolver:
    """Fits polynomials to windows of training rows."""

    # targets: (n, V), in the order of the rows of the finder.

    def __init__(self, finder, targets):
        self.finder = finder
        self.targets = targets

    def __getstate__(self):
        # The ordered copies of the rows are left out, and made again when needed.
        return {"finder": self.finder, "targets": self.targets}

    @cached_property
    def _rows(self):
        return self._rows_at(self.finder.order)

    @cached_property
    def _position(self):
        """Return the position of each training row, and -1 for row -1, no row."""
        position = np.full(len(self.targets) + 1, -1)
        position[self.finder.order] = np.arange(len(self.targets))
        return position

    def _rows_at(self, order):
        columns = frozen(self.finder.take(order).T, np.float64)
        return LocalRows(columns, frozen(self.targets[order].T, np.float64))

    def bytes_per_query(self, weighted_k):
        """Return about how much memory a query takes."""
        if weighted_k is None:
            return 400
        copied = 0 if self.finder.keeps_rows else 8 * self.finder.shape[1]
        return (80 + copied) * weighted_k.width

    def empty_fits(
        self, m, n_polynomials=1, *, n_coef=0, hat_statistics=False, hat_rows=False
    ):
        """Return what the fits at m queries are written to."""
        n_targets = self.targets.shape[1]
        return LocalFits(
            np.empty((m, n_polynomials * n_targets)),
            np.empty((m, n_coef, n_targets) if n_coef else (0, 0, 0)),
            np.empty((m, 2) if hat_statistics else (0, 0)),
            np.zeros((m, len(self.targets)) if hat_rows else (0, 0)),
        )

    def solve(
        self,
        queries,
        size,
        settings,
        lists=None,
        *,
        robustness_weights=NONE,
        may_vanish=False,
        **wanted,
    ):
        """Return the `LocalFits` at queries; nearest rows replace an empty window."""
        # queries: fastest if consecutive ones are near each other. lists: NeighborLists
        # of the nearest rows, None if the finder scans for them. robustness_weights:
        # (n,), or (0,) if all are 1. may_vanish: predictions are NaN, instead of an
        # error, if all weights underflow. wanted: results beside the predictions, as in
        # `empty_fits`; only for a single polynomial.
        n_polynomials = len(settings.polynomials)
        fits = self.empty_fits(len(queries.points), n_polynomials, **wanted)
        arguments = queries, size, settings, robustness_weights, fits
        if lists is None:
            self._solve_scanned(*arguments)
        else:
            self._solve_lists(lists, *arguments)
        is_empty = np.isnan(fits.predictions[:, 0])
        if is_empty.any():
            if settings.kernel != "gaussian":
                self._solve_empty_windows(is_empty, queries, settings, fits)
            elif not may_vanish:
                self._raise_vanishing_weights(is_empty, queries, size)
        return fits

    def members(self, queries, size, lists):
        """Yield queries and training rows, in pairs: the rows are in the windows."""
        # lists: as in `solve`. A window of lists that a bandwidth widens is left out.
        if lists is not None:
            yield windows_from_lists(lists, size, self.finder.sample_weight)[0].pairs()
            return
        for part, windows in self._scanned(queries, size):
            q, positions = windows.pairs()
            yield part.start + q, self.finder.order[positions]

    def _solve_lists(self, lists, queries, size, settings, robustness_weights, fits):
        """Fit to the nearest rows, or to all within the bandwidth if these are more."""
        windows, given = windows_from_lists(lists, size, self.finder.sample_weight)
        arguments = settings, robustness_weights
        if size.bandwidth is None:
            self._solve_listed(windows, given, queries, *arguments, fits)
            return
        is_wider = windows.bandwidths_sq < size.bandwidth**2
        wider, listed = fits.subset(is_wider), fits.subset(~is_wider)
        within = WindowSize(bandwidth=size.bandwidth)
        self._solve_scanned(queries.subset(is_wider), within, *arguments, wider)
        nearest, queries = windows.part(~is_wider), queries.subset(~is_wider)
        self._solve_listed(nearest, given, queries, *arguments, listed)
        fits.put(is_wider, wider)
        fits.put(~is_wider, listed)

    def _solve_listed(self, windows, given, queries, *arguments):
        """Fit to listed training rows; given: the weights that their lists share."""
        fits, weight = arguments[-1], NONE
        if not self.finder.has_unit_weights:
            weight = self.finder.sample_weight.take(windows.indices, mode="clip")
        if self.finder.keeps_rows or len(fits.hat_rows):  # these have all rows
            rows, order, position = self._rows, self.finder.order, self._position
        else:  # copies of the listed rows only
            order = np.unique(windows.indices[windows.positions()])
            rows, position = self._rows_at(order), np.full(len(self._position), -1)
            position[order] = np.arange(len(order))
        # Beyond its count a list may hold any number.
        indices = position.take(windows.indices, mode="clip")
        queries = queries.points, frozen(position[queries.exclude], np.int64)
        windows = windows._replace(indices=indices)
        self._fit(rows, order, windows, (given, weight), queries, *arguments)

    def _solve_scanned(self, queries, size, settings, robustness_weights, fits):
        """Fit to windows that are found by a scan."""
        finder, rows, order = self.finder, self._rows, self.finder.order
        exclude = frozen(self._position[queries.exclude], np.int64)
        weights = None
        for part, windows in self._scanned(queries, size):
            if weights is None:
                weights = np.empty(len(windows.distances_sq))
            given = NONE
            if not finder.has_unit_weights:
                weight = finder.sample_weight[order]
                given = weight.take(windows.with_rows().indices, mode="clip")
            here = queries.points[part], exclude[part]
            arguments = settings, robustness_weights, fits.subset(part)
            self._fit(rows, order, windows, (given, given), here, *arguments, weights)

    def _scanned(self, queries, size):
        """Yield slices of the queries and their windows, of positions in the scan."""
        removed = self._position[queries.left_out]
        rule = size.rule(self.finder.infinite_support)
        columns = self._rows.columns
        yield from self.finder.scan.find(columns, queries.points, removed, rule)

    def _fit(
        self,
        rows,
        order,
        windows,
        given,
        queries,
        settings,
        robustness_weights,
        fits,
        weights=None,
    ):
        """Weigh the rows of windows, and fit."""
        # order: the training row at each position of rows; given: two arrays for the
        # numbers in windows, each (0,) if all are 1: the parts of the sample weights
        # that the windows have, and the sample weights, by which the noise of rows is
        # averaged; queries: points, and the positions of the training rows that they
        # are; weights: overwritten, if given.
        windows = windows.frozen()
        shares, given = (frozen(each, np.float64) for each in given)
        weights = weigh(windows, shares, settings.kernel, weights)
        if len(robustness_weights):
            used = windows.positions()
            weights[used] *= robustness_weights[order][
                windows.with_rows().indices[used]
            ]
        polynomials = settings.kernel_argument(len(rows.columns))
        outcomes = np.zeros(len(queries[0]), dtype=np.int64)
        by_position = fits
        if len(fits.hat_rows):
            shape = len(outcomes), len(order)
            by_position = fits._replace(hat_rows=np.zeros(shape))
        arguments = (
            rows,
            queries,
            windows,
            frozen(weights, np.float64),
            given,
            polynomials,
        )
        if are_wide(settings.polynomials, len(rows.columns)):
            fit_wide_windows(*arguments, by_position, outcomes)
        else:
            workspace = Workspace.of(int(polynomials.terms.max()), len(rows.targets))
            fit_windows(*arguments, workspace, by_position, outcomes)
        if (is_open := outcomes == LEFT_TO_LAPACK).any():
            rest = by_position.subset(is_open)
            some = tuple(part[is_open] for part in queries)
            fit_by_lapack(
                rows, some, windows.part(is_open), weights, given, polynomials, rest
            )
            by_position.put(is_open, rest)
        if len(fits.hat_rows):
            fits.hat_rows[:, order] = by_position.hat_rows

    def _solve_empty_windows(self, is_empty, queries, settings, fits):
        """Replace empty windows by the nearest rows, all with the same weight."""
        queries, refits = queries.subset(is_empty), fits.subset(is_empty)
        refits.hat_rows[:] = 0.0
        n_targets = self.targets.shape[1]
        for s, polynomial in enumerate(settings.polynomials):
            here = slice(s * n_targets, (s + 1) * n_targets)
            part = refits._replace(predictions=refits.predictions[:, here].copy())
            self._solve_nearest(queries, polynomial, part)
            refits.predictions[:, here] = part.predictions
        fits.put(is_empty, refits)

    def _solve_nearest(self, queries, polynomial, fits):
        """Fit a polynomial to as many nearest rows as it has terms, with ties."""
        # The rows have equal weights; those at the last distance share what is left.
        n_terms = count_terms(queries.points.shape[1], polynomial[0])
        finder = self.finder
        size = WindowSize(float(min(n_terms, np.ceil(finder.sample_weight.sum()))))
        settings = LocalFitSettings("uniform", (polynomial,))
        if isinstance(finder.search, EngineSearch):
            weighted_k = finder.weighted_k(size)
            lists = finder.neighbor_lists(queries.points, weighted_k, queries.left_out)
        else:
            weighted_k = WeightedK(size.k, finder.sample_weight)
            lists = finder.lists_with_ties(queries.points, weighted_k, queries.left_out)
        self._solve_lists(lists, queries, size, settings, NONE, fits)

    def _raise_vanishing_weights(self, is_empty, queries, size):
        first_empty = np.flatnonzero(is_empty)[0]
        gaps, unit = self.finder.rows - queries.points[first_empty], self.finder.unit
        nearest = np.sqrt(np.einsum("ij,ij->i", gaps, gaps).min())
        raise ValueError(
            f"All weights underflow: the nearest row is {nearest * unit:.3g} away, "
            f"which is {nearest / size.bandwidth:.3g} times bandwidth="
            f"{size.bandwidth * unit:.3g}. Increase bandwidth, give n_neighbors too, "
            "or choose a kernel that vanishes beyond the bandwidth."
        )


# The rows of a local regression in scaled columns, ready to be searched and fitted.


def scaled_solver(X, targets, sample_weight, regressor, scale):
    """Return the metric of scaled columns, and a LocalSolver to their rows."""
    # X: (n, d), encoded rows; targets: (n, V); scale: (d,), divisors of the columns. Of
    # the regressor, a LocallyWeightedRegressor, `algorithm` and `kernel` are read.
    with np.errstate(over="ignore"):
        inverse = 1 / scale
    metric = learn_metric("euclidean", None, inverse, X, sample_weight)
    rows = TransformedRows(X, metric.transform)
    if not np.isfinite([metric.largest, *metric.scale]).all():
        raise ValueError("Rows overflow once divided by scale: give a larger scale.")
    algorithm, kernel = regressor.algorithm, regressor.kernel
    if isinstance(algorithm, str):
        tree = algorithm == "kd_tree"
        if algorithm == "auto":
            tree = wants_tree(*rows.shape)
        search = DenseSearch(metric, rows, [np.arange(len(rows))], tree)
    else:
        search = EngineSearch(algorithm, Metric("engine", root=1.0), rows[:])
    finder = WindowFinder(
        search,
        sample_weight,
        infinite_support=kernel in INFINITE_SUPPORT,
        unit=1 / metric.unit,
        weighs_ties=kernel in POSITIVE_AT_BANDWIDTH,
    )
    return metric, LocalSolver(finder, targets)
