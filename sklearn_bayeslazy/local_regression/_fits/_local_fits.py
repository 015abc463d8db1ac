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
    in_chunks,
    learn_metric,
    wants_tree,
)
from .._smoothing_kernels import INFINITE_SUPPORT, KERNELS, POSITIVE_AT_BANDWIDTH
from ._batched_fits import solve_in_batches
from ._design_kernels import count_terms
from ._kernel_arguments import (
    NONE,
    LeafBoxes,
    ListedWindows,
    LocalFits,
    LocalRows,
    Polynomials,
)
from ._least_squares_kernels import ILL_CONDITIONED, TIED
from ._prediction_kernels import solve_windows
from ._windows import WindowFinder, WindowSize, windows_from_lists


@dataclass(frozen=True)
class LocalFitSettings:
    """Which polynomials are fitted to a window."""

    kernel: str  # a key of `KERNELS`
    polynomials: tuple  # (degree, ridge) of each

    def kernel_arguments(self, n_features):
        """Return the code of the kernel, and the polynomials."""
        degrees, ridges = zip(*self.polynomials)
        terms = [count_terms(n_features, degree) for degree in degrees]
        polynomials = Polynomials(
            int(max(degrees)),
            max(terms),
            frozen(degrees, np.int64),
            frozen(terms, np.int64),
            frozen(ridges, np.float64),
        )
        return KERNELS[self.kernel], polynomials


_NO_LEAVES, _NO_WINDOWS = LeafBoxes.none(), ListedWindows.none()


def _solve_windows(
    rows, queries, rule, settings, fits, *, leaves=_NO_LEAVES, windows=_NO_WINDOWS
):
    """Call `solve_windows` with what it does not need left empty; return outcomes."""
    kernel_code, polynomials = settings.kernel_arguments(rows.X.shape[1])
    outcomes = np.zeros(len(queries.points), dtype=np.int64)
    solve_windows(
        rows, leaves, queries, rule, windows, kernel_code, polynomials, fits, outcomes
    )
    return outcomes


class OrderedRows:
    """Copies of the training rows in the order in which windows are found."""

    # targets: (n, V); order: (n,), the training row at each position; position:
    # (n + 1,), the inverse with -1 at the end: an excluded row of -1, which stands for
    # none, stays -1.

    def __init__(self, finder, targets, order):
        position = np.full(len(order) + 1, -1)
        position[order] = np.arange(len(order))
        weight = NONE if finder.has_unit_weights else finder.sample_weight[order]
        self.order = frozen(order, np.int64)
        self.position = frozen(position, np.int64)
        rows = frozen(finder.take(order), np.float64)
        self._rows = LocalRows(
            X=rows,
            Y=frozen(targets[order], np.float64),
            columns=frozen(rows.T, np.float64),
            target_columns=frozen(targets[order].T, np.float64),
            sample_weight=frozen(weight, np.float64),
            robustness_weights=frozen(NONE, np.float64),
        )

    def with_robustness(self, weights):
        """Return the rows with robustness weights given in the original order."""
        if len(weights):
            weights = weights[self.order]
        return self._rows._replace(robustness_weights=frozen(weights, np.float64))

    def queries(self, queries):
        """Return the queries with excluded rows as positions in this order."""
        positions = self.position[queries.exclude]
        return queries._replace(exclude=frozen(positions, np.int64))


def _renumber(windows, queries):
    """Return the rows that windows list, and windows and queries with new numbers."""
    # The rows are sorted; the new number of a row is its position among them. A row
    # that no window lists is no longer excluded.
    used = windows.positions()
    listed, numbers = np.unique(windows.indices[used], return_inverse=True)
    indices = np.zeros_like(windows.indices)
    indices[used] = numbers
    places = np.searchsorted(listed, queries.exclude)
    is_listed = np.append(listed, -1)[places] == queries.exclude
    exclude = np.where(is_listed, places, -1)
    windows = windows._replace(indices=frozen(indices, np.int64))
    return listed, windows, queries._replace(exclude=frozen(exclude, np.int64))


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
    def _by_column(self):
        return OrderedRows(self.finder, self.targets, self.finder.column_order)

    @cached_property
    def _by_leaf(self):
        return OrderedRows(self.finder, self.targets, self.finder.leaf_order)

    def bytes_per_query(self, weighted_k):
        """Return about how much memory a query takes."""
        return 400 if weighted_k is None else 80 * weighted_k.width

    def empty_fits(
        self, m, n_polynomials=1, *, n_coef=0, hat_statistics=False, hat_rows=False
    ):
        """Return what the fits at m queries are written to."""
        return LocalFits.empty(
            m,
            self.finder.shape,
            n_polynomials * self.targets.shape[1],
            n_coef=n_coef,
            hat_statistics=hat_statistics,
            hat_rows=hat_rows,
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

    def _solve_lists(self, lists, queries, size, settings, robustness_weights, fits):
        """Fit to the nearest rows, or to all within the bandwidth if these are more."""
        windows = windows_from_lists(
            lists, size, self.finder.sample_weight, queries.left_out
        )
        arguments = settings, robustness_weights
        if size.bandwidth is None:
            self._solve_listed(windows, queries, *arguments, fits)
            return
        is_wider = windows.bandwidths_sq < size.bandwidth**2
        wider, listed = fits.subset(is_wider), fits.subset(~is_wider)
        self._solve_scanned(
            queries.subset(is_wider),
            WindowSize(bandwidth=size.bandwidth),
            *arguments,
            wider,
        )
        self._solve_listed(
            windows.subset(~is_wider), queries.subset(~is_wider), *arguments, listed
        )
        fits.put(is_wider, wider)
        fits.put(~is_wider, listed)

    def _solve_listed(self, windows, queries, settings, robustness_weights, fits):
        chosen = slice(None)
        if not (self.finder.keeps_rows or len(fits.hat_rows)):  # these have all rows
            chosen, windows, queries = _renumber(windows, queries)
        # Windows have sample weights.
        rows = self._unordered_rows(NONE, robustness_weights, chosen)
        rule = WindowSize(0.0).rule(self.finder.infinite_support)  # not read
        if self.finder.is_small:
            solve_in_batches(rows, queries, rule, windows, settings, fits)
            return
        outcomes = _solve_windows(rows, queries, rule, settings, fits, windows=windows)
        if (is_open := outcomes == ILL_CONDITIONED).any():
            rest, windows = fits.subset(is_open), windows.subset(is_open)
            solve_in_batches(
                rows, queries.subset(is_open), rule, windows, settings, rest
            )
            fits.put(is_open, rest)

    def _unordered_rows(self, sample_weight, robustness_weights, chosen=slice(None)):
        """Return training rows in the original order, without transposes."""
        if len(robustness_weights):
            robustness_weights = robustness_weights[chosen]
        no_columns = frozen(np.empty((0, 0)), np.float64)
        return LocalRows(
            X=frozen(self.finder.take(chosen), np.float64),
            Y=frozen(self.targets[chosen], np.float64),
            columns=no_columns,
            target_columns=no_columns,
            sample_weight=frozen(sample_weight, np.float64),
            robustness_weights=frozen(robustness_weights, np.float64),
        )

    def _solve_scanned(self, queries, size, settings, robustness_weights, fits):
        """Fit to windows that are found by a scan."""
        arguments = size, settings, robustness_weights
        finder = self.finder
        if finder.is_small:
            self._solve_measured(queries, *arguments, fits)
            return
        if finder.column_order is not None and not len(fits.hat_rows):
            outcomes = self._solve_sorted_column(queries, *arguments, fits)
        else:
            outcomes = self._solve_by_leaf(queries, *arguments, fits)
        if (is_open := outcomes == ILL_CONDITIONED).any():
            rest = fits.subset(is_open)
            self._solve_ill_conditioned(queries.subset(is_open), *arguments, rest)
            fits.put(is_open, rest)

    def _solve_ill_conditioned(self, queries, size, *arguments):
        """Fit to windows whose normal equations lose digits."""
        finder = self.finder
        if size.k is None:
            self._solve_measured(queries, size, *arguments)
            return
        weighted_k = WeightedK(size.k, finder.sample_weight)
        lists = finder.neighbor_lists(queries.points, weighted_k, queries.left_out)
        self._solve_lists(lists, queries, size, *arguments)

    def _solve_measured(self, queries, size, settings, robustness_weights, fits):
        """Fit to windows that are found by measuring all rows."""
        weight = NONE if self.finder.has_unit_weights else self.finder.sample_weight
        solve_in_batches(
            self._unordered_rows(weight, robustness_weights),
            queries,
            size.rule(self.finder.infinite_support),
            _NO_WINDOWS,
            settings,
            fits,
        )

    def _solve_sorted_column(self, queries, size, settings, robustness_weights, fits):
        """Fit to ranges of the only column; by leaf where ties make a range unequal."""
        outcomes = _solve_windows(
            self._by_column.with_robustness(robustness_weights),
            self._by_column.queries(queries),
            size.rule(self.finder.infinite_support),
            settings,
            fits,
        )
        if (is_tied := outcomes == TIED).any():
            rest = fits.subset(is_tied)
            outcomes[is_tied] = self._solve_by_leaf(
                queries.subset(is_tied), size, settings, robustness_weights, rest
            )
            fits.put(is_tied, rest)
        return outcomes

    def _solve_by_leaf(self, queries, size, settings, robustness_weights, fits):
        finder, ordered = self.finder, self._by_leaf
        leaves = LeafBoxes(
            starts=frozen(finder.leaf_starts, np.int64),
            leaf_bounds=frozen(finder.leaf_bounds, np.float64),
            group_bounds=frozen(finder.group_bounds, np.float64),
            order=ordered.order,
            position=ordered.position,
        )
        leaf_ordered_fits = fits._replace(hat_rows=np.zeros_like(fits.hat_rows))
        outcomes = _solve_windows(
            ordered.with_robustness(robustness_weights),
            ordered.queries(queries),
            size.rule(finder.infinite_support),
            settings,
            leaf_ordered_fits,
            leaves=leaves,
        )
        if len(fits.hat_rows):
            fits.hat_rows[:, ordered.order] = leaf_ordered_fits.hat_rows
        return outcomes

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
    metric = learn_metric("euclidean", None, 1 / scale, X, sample_weight)
    rows = TransformedRows(X, metric)
    if not all(np.isfinite(some).all() for some in in_chunks(rows)):
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
