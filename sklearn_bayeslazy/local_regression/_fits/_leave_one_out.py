"""Leave-one-out for local regression: each row is predicted from the other rows.

The row is taken out of its window and the polynomial is fitted again. This is exact
even if the window changes with the row, as that of the k nearest rows does. The windows
of all k are the beginnings of one sorted list.
"""

from collections import defaultdict
from numbers import Integral, Real

import numpy as np

from ..._leave_one_out import candidate_grid, rank_candidates, rows_to_leave_out
from ._design_kernels import count_terms
from ._kernel_arguments import Queries
from ._local_fits import LocalFitSettings
from ._windows import WindowSize, spatial_order

DEFAULT_KS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)
DEFAULT_RIDGES = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0)
N_DEFAULT_BANDWIDTHS = 12


def make_candidates(tuned, given, rows, total_weight, unit):
    """Return the candidates as dicts of the parameters that are to be chosen.

    Parameters
    ----------
    tuned : list of str
    given : dict or None
        The user's candidates.
    rows : ndarray of shape (n, d)
        Training rows, transformed for the distance.
    total_weight : float
        Of all rows.
    unit : float
        Multiplies distances between rows to give distances in the user's unit.
    """
    max_k = max(int(np.ceil(total_weight)) - 1, 1)
    ks = [k for k in DEFAULT_KS if k <= max_k] or list(range(1, max_k + 1))
    defaults = {
        "n_neighbors": ks,
        "bandwidth": None,
        "degree": [0, 1, 2],
        "ridge": DEFAULT_RIDGES,
    }
    defaults = {name: defaults[name] for name in tuned}
    if "bandwidth" in tuned:
        is_given = "bandwidth" in (given or {})
        defaults["bandwidth"] = [] if is_given else default_bandwidths(rows, unit)
    return candidate_grid(defaults, given, _ALLOWED)


def default_bandwidths(rows, unit):
    """Return bandwidths from that of a few rows to that of the whole table."""
    n, d = rows.shape
    ranges = np.ptp(rows, axis=0)
    diagonal = np.sqrt(ranges @ ranges) * unit
    if diagonal == 0:
        return [1.0]
    share = (count_terms(d, 1) + 1) / n  # of the rows that a line needs, and one more
    smallest = diagonal * min(share ** (1 / d), 0.5) / 2
    return np.geomspace(smallest, diagonal, N_DEFAULT_BANDWIDTHS).tolist()


def _is_n_neighbors(value):
    if isinstance(value, Integral):
        return value >= 1
    return isinstance(value, Real) and 0 < value < np.inf


_ALLOWED = {
    "n_neighbors": (_is_n_neighbors, "integers ≥ 1, or floats > 0 for spans"),
    "bandwidth": (
        lambda bandwidth: isinstance(bandwidth, Real) and 0 < bandwidth < np.inf,
        "finite numbers above 0",
    ),
    "degree": (
        lambda degree: isinstance(degree, Integral) and degree in (0, 1, 2),
        "0, 1 or 2",
    ),
    "ridge": (
        lambda ridge: isinstance(ridge, Real) and 0 <= ridge < np.inf,
        "finite numbers ≥ 0",
    ),
}


class _CandidateErrors:
    """Computes the leave-one-out errors of candidates, window by window.

    Parameters
    ----------
    fitter : LocalFitter
    kernel : str
    candidates : list of dict
        Each with n_neighbors, bandwidth, degree and ridge.

    Attributes
    ----------
    weighted_k : WeightedK or None
        How long the lists of neighbours have to be; None if no window needs a list.
    """

    def __init__(self, fitter, kernel, candidates):
        self.fitter, self.kernel, self.candidates = fitter, kernel, candidates
        self._by_window = defaultdict(list)
        for i, candidate in enumerate(candidates):
            window = candidate["n_neighbors"], candidate["bandwidth"]
            self._by_window[window].append(i)
        finder = fitter.finder
        self._total_weight = finder.sample_weight.sum()
        sizes = {w: self._size(*w, self._total_weight) for w in self._by_window}
        self._listed = {w for w, size in sizes.items() if not finder.scans(size)}
        self.weighted_k = None
        if self._listed:
            max_k = max(sizes[window].k for window in self._listed)
            self.weighted_k = finder.weighted_k(WindowSize(max_k))

    def _size(self, n_neighbors, bandwidth, total_weight):
        if bandwidth is not None:
            bandwidth = bandwidth / self.fitter.finder.unit
        return WindowSize.of(n_neighbors, bandwidth, total_weight)

    def squared(self, left_out):
        """Return the squared errors of rows, of shape (n_candidates, m)."""
        finder = self.fitter.finder
        queries = Queries.at(finder.rows[left_out], left_out, leave_one_out=True)
        lists = finder.neighbor_lists(queries.points, self.weighted_k, left_out)
        removed = np.minimum(finder.sample_weight[left_out], 1.0)
        remaining = self._total_weight - removed
        if finder.has_unit_weights:
            remaining = remaining[0]
        errors = np.empty((len(self.candidates), len(left_out)))
        for window, numbers in self._by_window.items():
            size = self._size(*window, remaining)
            window_lists = lists if window in self._listed else None
            polynomials = [self._polynomial(i) for i in numbers]
            distinct = tuple(sorted(set(polynomials)))
            squared = self._squared(queries, size, distinct, window_lists)
            errors[numbers] = squared[[distinct.index(p) for p in polynomials]]
        return errors

    def _polynomial(self, i):
        """Return degree and ridge of a candidate; a mean has no slopes to shrink."""
        degree, ridge = self.candidates[i]["degree"], self.candidates[i]["ridge"]
        return int(degree), float(ridge) if degree else 0.0

    def _squared(self, queries, size, polynomials, lists):
        """Return mean squared errors over the targets; inf if all weights vanish."""
        settings = LocalFitSettings(self.kernel, polynomials)
        fits = self.fitter.fit(queries, size, settings, lists, may_vanish=True)
        targets = self.fitter.targets[queries.exclude]
        predictions = fits.predictions.reshape(
            len(targets), len(polynomials), targets.shape[1]
        )
        errors = np.mean((predictions - targets[:, None]) ** 2, axis=2).T
        return np.where(np.isnan(errors), np.inf, errors)


def choose_by_leave_one_out(
    fitter, kernel, parameters, candidates, max_samples, random_state, map_rows
):
    """Return the best candidate and the results of all.

    Parameters
    ----------
    fitter : LocalFitter
    kernel : str
    parameters : dict
        n_neighbors, bandwidth, degree and ridge.
    candidates : list of dict
        The values that replace those of `parameters`.
    max_samples : int or None
        Maximum number of rows that are left out.
    random_state : int, RandomState instance or None
    map_rows : callable
        ``map_rows(function, n_rows, bytes_per_row)``.
    """
    finder = fitter.finder
    left_out = rows_to_leave_out(len(finder.sample_weight), max_samples, random_state)
    left_out = left_out[spatial_order(finder.rows[left_out])]
    errors = _CandidateErrors(
        fitter, kernel, [{**parameters, **candidate} for candidate in candidates]
    )
    scores = np.empty((len(candidates), len(left_out)))

    def score(rows):
        scores[:, rows] = errors.squared(left_out[rows])

    map_rows(score, len(left_out), fitter.bytes_per_query(errors.weighted_k))
    best, results = rank_candidates(
        candidates,
        {"squared_error": scores},
        finder.sample_weight[left_out],
        [("squared_error", -1)],
    )
    if np.isinf(results["mean_squared_error"][best]):
        raise ValueError(
            "Under every candidate all weights underflow for some row that is left "
            "out: give larger bandwidths in loo_candidates, or n_neighbors too."
        )
    return candidates[best], results
