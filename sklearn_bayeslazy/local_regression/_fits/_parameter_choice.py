"""The parameters of a local regression: those that exclude each other, and "loo"."""

import numpy as np

from ..._core._arrays import weighted_moments
from ...leave_one_out import is_loo
from ...search import refuse_sample_weight
from ._candidates import LOO_PARAMETERS, CandidateSearch, make_candidates
from ._left_out_fits import LeftOutFits
from ._local_fits import LocalFitSettings
from ._local_regression import LocalRegression

# Rows that are left out to compare a coarse grid, and to compare the finer one.
N_COARSE_ROWS, N_FINE_ROWS = 150, 400
# Share of the error by which normal scores must be better than numbers as they are. On
# the 12 tables of the accuracy page shares from .05 to .4 give equal errors; without,
# the few rows choose badly.
_MIN_GAIN = 0.1
# How many scales with gradient weights are compared with the one without.
N_WEIGHTED_SCALES = 2
# Gradient weights are learnt for up to this number of columns: each of their lines
# takes a multiple of its cube in steps.
MAX_WEIGHTED_COLUMNS = 500


def refuse_combinations(regressor, sample_weight):
    """Raise an error for parameters that cannot be used together."""
    has_no_window = regressor.n_neighbors is None and regressor.bandwidth is None
    if has_no_window and regressor.kernel != "inverse_square":
        raise ValueError(
            "n_neighbors=None and bandwidth=None define no window: give at least "
            "one of them."
        )
    names = (*LOO_PARAMETERS, "scale")
    tuned = [name for name in names if is_loo(getattr(regressor, name))]
    if tuned and regressor.robust_iterations:
        raise ValueError(
            f"robust_iterations={regressor.robust_iterations} with {tuned[0]}='loo': a "
            "robust fit has no exact leave-one-out. Give the parameters, for "
            "example degree=1, n_neighbors=30, scale='std' and ridge=0, or those "
            "that a fit with robust_iterations=0 has chosen."
        )
    if isinstance(regressor.algorithm, str):
        return
    refuse_sample_weight(regressor.algorithm, sample_weight)
    if regressor.n_neighbors is None or regressor.bandwidth is not None:
        raise ValueError(
            f"algorithm={type(regressor.algorithm).__name__}() only finds nearest "
            "rows: give n_neighbors, and no bandwidth."
        )


class ParameterChoice:
    """Chooses parameters by leave-one-out."""

    # tuned: names of the parameters that are to be chosen; parameters: dict of
    # those in LOO_PARAMETERS; given: the user's candidates or None.
    # rows_to_leave_out(max_rows) returns a subset of the rows; map_rows(function,
    # n_rows, bytes_per_row) calls function(slice of the rows).

    def __init__(self, tuned, parameters, given, kernel, rows_to_leave_out, map_rows):
        self.tuned, self.parameters, self.given = tuned, parameters, given
        self.kernel, self.map_rows = kernel, map_rows
        self.rows_to_leave_out = rows_to_leave_out
        # One parameter, or candidates that the user gives: all of them are compared.
        self.searches = len(tuned) > 1 and not given
        self._ranked = None
        self.inflation = 1.0  # see `choice_inflation`

    def best_scale(self, scaled_rows, encodings):
        """Return the best encoding of numbers and the best divisors of the columns."""
        # By the best coarse candidates. encodings: names, the usual one first.
        # scaled_rows(encoding, scale) returns the divisors (n_encoded,), by default the
        # first ones of the encoding, a metric and a LocalSolver.
        #
        # The encodings are compared by their first divisors. Then the divisors of the
        # best are compared with the same over gradient weights. If these are better,
        # gradient weights are computed once more, with the better distances; if
        # not, their square roots are tried. The weights have seen all targets. As in
        # generalised cross-validation their errors are therefore divided by (1 - d/n)²,
        # with one degree of freedom for each of the d columns and n rows.
        rows, best = self.rows_to_leave_out(N_COARSE_ROWS), np.inf
        for name in encodings:
            solver = None  # the rows of one solver, and no more, are in memory
            first, _, solver = scaled_rows(name)
            error, ranked = self._rank(solver, rows)
            if self._ranked is None or error < (1 - _MIN_GAIN) * best:
                best, encoding, scale, self._ranked = error, name, first, ranked
        n_rows = len(solver.finder.sample_weight)
        if len(scale) == 1 or len(scale) >= min(MAX_WEIGHTED_COLUMNS + 1, n_rows):
            return encoding, scale
        if encoding != name:  # the solver is that of the last one
            solver = None
            _, _, solver = scaled_rows(encoding, scale)
        optimism = (1 - len(scale) / n_rows) ** 2
        weights, power = self._gradient_weights(solver, rows), 1.0
        for _ in range(N_WEIGHTED_SCALES):
            with np.errstate(over="ignore"):
                weighted = scale / weights**power
            if not np.isfinite(weighted).all():
                break
            solver = None
            _, _, solver = scaled_rows(encoding, weighted)
            error, ranked = self._rank(solver, rows)
            if error < best * optimism:
                best, scale, self._ranked = error, weighted, ranked
                weights = self._gradient_weights(solver, rows)
            else:
                power /= 2
        return encoding, scale

    def _gradient_weights(self, solver, rows):
        with_slopes = [c for c in self._ranked if c.get("degree", 1) > 0]
        best = {**self.parameters, **(with_slopes or self._ranked)[0]}
        return gradient_weights(solver, self.kernel, best, rows, self.map_rows)

    def best_parameters(self, solver):
        """Return the best candidate, and the results of those that were compared."""
        n_rows = None
        if self.searches:
            if self._ranked is None:
                _, self._ranked = self._rank(
                    solver, self.rows_to_leave_out(N_COARSE_ROWS)
                )
            search = CandidateSearch(self.tuned, solver.finder)
            candidates, n_rows = search.fine(self._ranked), N_FINE_ROWS
        else:
            candidates = make_candidates(self.tuned, self.given, solver.finder)
        loo = self._leave_one_out(solver, candidates)
        found = loo.compare(self.rows_to_leave_out(n_rows))
        self.inflation = loo.inflation
        return found

    def _rank(self, solver, rows):
        """Return the error of the best coarse candidate, and all in order."""
        if self.searches:
            candidates = CandidateSearch(self.tuned, solver.finder).coarse()
        else:
            candidates = make_candidates(self.tuned, self.given, solver.finder)
        _, results = self._leave_one_out(solver, candidates).compare(rows)
        order = np.argsort(results["rank"])
        best = results["mean_squared_error"][order[0]]
        return best, [candidates[i] for i in order]

    def _leave_one_out(self, solver, candidates):
        settings = self.kernel, self.parameters, self.map_rows
        return LeftOutFits(solver, *settings, candidates)


# Gradient weights: columns along which the regression is steep count more.
#
# The weight of a column is the mean size of the slope along it, estimated by the local
# polynomials themselves. Distances then hardly see columns that the target does not
# depend on, and windows are long where the function is flat.
#
# Source: S. Kpotufe, A. Boularias, T. Schultz and K. Kim (2016), Gradients weights
# improve regression and classification, JMLR 17.


# The smallest weight of a column, relative to the largest.
MIN_WEIGHT = 0.01
# Ridge of the lines whose slopes are taken where the parameters allow only means.
_RIDGE_OF_LINES = 0.1


def gradient_weights(solver, kernel, parameters, rows, map_rows):
    """Return a weight for each column, between `MIN_WEIGHT` and 1."""
    # parameters: those in LOO_PARAMETERS. Degree 0 has no slopes:
    # degree 1 with `_RIDGE_OF_LINES` replaces it. rows: (m,), the training rows at
    # which slopes are computed. map_rows(function, n_rows, bytes_per_row) calls
    # function(slice of the rows).
    finder = solver.finder
    rows = rows[finder.query_order(finder.take(rows))]
    size = finder.size(parameters["n_neighbors"], parameters["bandwidth"])
    polynomial = int(parameters["degree"]), float(parameters["ridge"])
    if polynomial[0] == 0:
        polynomial = 1, _RIDGE_OF_LINES
    model = LocalRegression(solver, size, LocalFitSettings(kernel, (polynomial,)))
    points, n_coef = finder.take(rows), 1 + finder.shape[1]
    fits = model.fits_at(points, map_rows, may_vanish=True, n_coef=n_coef)
    slopes = fits.coef[:, 1:]
    weight = finder.sample_weight
    variances = weighted_moments(solver.targets, weight)[1] / weight.sum()
    deviations = np.sqrt(np.where(variances > 0, variances, 1.0))
    return _relative_sizes(slopes / deviations, weight[rows])


def _relative_sizes(slopes, sample_weight):
    """Return mean sizes of slopes, summed over the targets; the largest is 1.

    >>> slopes = np.array([[3.0, 1.0], [-1.0, 0.0]])[:, :, None]  # rows, columns
    >>> _relative_sizes(slopes, np.ones(2))  # (3 + 1) / 4, (1 + 0) / 4
    array([1.  , 0.25])
    """
    # slopes: (m, d, V); sample_weight: (m,). Sizes below `MIN_WEIGHT` are raised to it.
    sizes = np.einsum("q,qjv->j", sample_weight, np.abs(slopes))
    largest = sizes.max()
    if not 0 < largest < np.inf:
        return np.ones(len(sizes))
    return np.maximum(sizes / largest, MIN_WEIGHT)
