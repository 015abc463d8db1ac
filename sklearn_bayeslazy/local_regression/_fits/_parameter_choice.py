"""The parameters of a local regression: those that exclude each other, and "loo"."""

import numpy as np

from ...search import refuse_sample_weight
from ._candidates import CandidateSearch, make_candidates
from ._gradient_weights import gradient_weights
from ._left_out_fits import LeaveOneOut

LOO_PARAMETERS = ("n_neighbors", "bandwidth", "degree", "ridge")
# Rows that are left out to compare a coarse grid, and to compare the finer one.
N_COARSE_ROWS, N_FINE_ROWS = 150, 400
# How many scales with gradient weights are compared with the one without.
N_WEIGHTED_SCALES = 2
# Gradient weights are learnt for up to this number of columns: each of their lines
# takes a multiple of its cube in steps.
MAX_WEIGHTED_COLUMNS = 500


def is_loo(value):
    """Return whether a parameter, which may be an array, is "loo"."""
    return isinstance(value, str) and value == "loo"


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
    # n_neighbors, bandwidth, degree and ridge; given: the user's candidates or None.
    # rows_to_leave_out(max_rows) returns a subset of the rows; map_rows(function,
    # n_rows, bytes_per_row) calls function(slice of the rows).

    def __init__(self, tuned, parameters, given, kernel, rows_to_leave_out, map_rows):
        self.tuned, self.parameters, self.given = tuned, parameters, given
        self.kernel, self.map_rows = kernel, map_rows
        self.rows_to_leave_out = rows_to_leave_out
        # One parameter, or candidates that the user gives: all of them are compared.
        self.searches = len(tuned) > 1 and not given
        self._ranked = None

    def best_scale(self, make_fitter, scale):
        """Return the best divisors of the columns, by the best coarse candidates."""
        # scale: (n_encoded,); make_fitter(scale) returns a LocalFitter.
        #
        # The divisors given are compared with those over gradient weights. If these are
        # better, gradient weights are computed once more, with the better distances; if
        # not, their square roots are tried. The weights have seen all targets. As in
        # generalised cross-validation their errors are therefore divided by (1 - d/N)²,
        # with one degree of freedom for each of the d columns and the total weight N of
        # the rows.
        rows = self.rows_to_leave_out(N_COARSE_ROWS)
        fitter = make_fitter(scale)
        best, self._ranked = self._rank(fitter, rows)
        if len(scale) == 1 or len(scale) > MAX_WEIGHTED_COLUMNS:
            return scale
        total_weight = fitter.finder.sample_weight.sum()
        optimism = max(1 - len(scale) / total_weight, 0.0) ** 2
        weights, power = self._gradient_weights(fitter, rows), 1.0
        for _ in range(N_WEIGHTED_SCALES):
            with np.errstate(over="ignore"):
                weighted = scale / weights**power
            if not np.isfinite(weighted).all():
                break
            fitter = None  # the rows of one fitter, and no more, are in memory
            fitter = make_fitter(weighted)
            error, ranked = self._rank(fitter, rows)
            if error < best * optimism:
                best, scale, self._ranked = error, weighted, ranked
                weights = self._gradient_weights(fitter, rows)
            else:
                power /= 2
        return scale

    def _gradient_weights(self, fitter, rows):
        with_slopes = [c for c in self._ranked if c.get("degree", 1) > 0]
        best = {**self.parameters, **(with_slopes or self._ranked)[0]}
        return gradient_weights(fitter, self.kernel, best, rows, self.map_rows)

    def best_parameters(self, fitter):
        """Return the best candidate, and the results of those that were compared."""
        loo = self._leave_one_out(fitter)
        if not self.searches:
            return loo.compare(self._candidates(fitter), self.rows_to_leave_out(None))
        if self._ranked is None:
            _, self._ranked = self._rank(fitter, self.rows_to_leave_out(N_COARSE_ROWS))
        candidates = self._search(fitter).fine(self._ranked)
        return loo.compare(candidates, self.rows_to_leave_out(N_FINE_ROWS))

    def _rank(self, fitter, rows):
        """Return the error of the best coarse candidate, and all in order."""
        candidates = (
            self._search(fitter).coarse() if self.searches else self._candidates(fitter)
        )
        return self._leave_one_out(fitter).rank(candidates, rows)

    def _leave_one_out(self, fitter):
        return LeaveOneOut(fitter, self.kernel, self.parameters, self.map_rows)

    def _search(self, fitter):
        return CandidateSearch(self.tuned, fitter.finder)

    def _candidates(self, fitter):
        return make_candidates(self.tuned, self.given, fitter.finder)
