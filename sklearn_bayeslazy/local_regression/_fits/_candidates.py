"""Candidates of the parameters of a local regression: complete grids, and a search.

One parameter, or candidates that the user gives: all combinations are compared. Several
parameters: a coarse grid is compared on few rows, then combinations around the best one
on more rows.
"""

from itertools import product
from numbers import Integral, Real

import numpy as np

from ...leave_one_out import candidate_grid, in_rows, whole_in_rows
from ...tabular import row_weight
from ._fit_kernels import count_terms
from ._wide_fits import MIN_TERMS

DEFAULT_KS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)
DEFAULT_RIDGES = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0)
N_DEFAULT_BANDWIDTHS = 12
COARSE_KS = (8, 15, 30, 60, 120, 240, 480)
# A span of which all rows have similar weights, up to this number of rows: beyond, the
# largest of `COARSE_KS` comes close.
GLOBAL_SPAN, MAX_ROWS_FOR_SPAN = 4.0, 960
COARSE_RIDGES = (1e-3, 1e-2, 0.1, 1.0, 10.0)
# A polynomial with `MIN_TERMS` terms is not among the default candidates: the time of a
# fit grows with the square of their number, times the number of rows. But a line with a
# ridge is: it has no more unknowns than its window has rows. The windows at all rows
# together take at most this number of multiplications for the products of these, or of
# the columns: about 20 s.
MAX_WIDE_PRODUCTS = 2**38
_MAX_DIAGONAL = 1e300  # of a table whose diagonal overflows, or nearly does
# The best coarse candidates that are compared again with those around the best.
_N_FINALISTS = 3


def _is_n_neighbors(value):
    if isinstance(value, Integral):
        return value >= 1
    return isinstance(value, Real) and 0 < value < np.inf


# What each candidate must be, as a function and in words for an error.
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
# The parameters that are chosen among lists of candidates. "scale" takes "loo" too, but
# has no list: `ParameterChoice.best_scale` computes what is compared.
LOO_PARAMETERS = tuple(_ALLOWED)


def make_candidates(tuned, given, finder):
    """Return the candidates as dicts of the parameters that are to be chosen."""
    # tuned: names of these parameters; given: dict of the user's lists, or None. The
    # rows of the finder are read only for bandwidths.
    defaults = {
        "n_neighbors": _windows(DEFAULT_KS, finder),
        "bandwidth": None,
        "degree": _degrees(finder.shape[1]),
        "ridge": in_rows(DEFAULT_RIDGES, finder.sample_weight),
    }
    defaults = {name: defaults[name] for name in tuned}
    if "bandwidth" in tuned:
        is_given = "bandwidth" in (given or {})
        defaults["bandwidth"] = (
            [] if is_given else default_bandwidths(finder.rows, finder.unit)
        )
    return candidate_grid(defaults, given, _ALLOWED)


def _max_k(finder):
    """Return the largest window that leaves a row out."""
    weight = finder.sample_weight
    return max(int(np.ceil(weight.sum() - max(row_weight(weight), 1.0))), 1)


def _windows(ks, finder):
    """Return numbers of rows as whole total weights, up to the largest window."""
    n_rows = len(finder.sample_weight)
    ks = [k for k in ks if k < n_rows] or list(range(1, n_rows))
    whole, max_k = whole_in_rows(ks, finder.sample_weight), _max_k(finder)
    return [k for k in whole if k <= max_k] or [max_k]


def _degrees(n_features):
    return [m for m in (0, 1, 2) if m == 0 or count_terms(n_features, m) < MIN_TERMS]


def default_bandwidths(rows, unit):
    """Return bandwidths from that of a few rows to that of the whole table."""
    n, d = rows.shape
    half_ranges = rows.max(axis=0) / 2 - rows.min(axis=0) / 2  # ranges may overflow
    _, exponent = np.frexp(half_ranges.max())
    scaled = np.ldexp(half_ranges, -exponent)  # their squares do not overflow
    with np.errstate(over="ignore"):
        diagonal = np.ldexp(np.sqrt(scaled @ scaled), exponent + 1) * unit
    diagonal = min(diagonal, _MAX_DIAGONAL)
    if diagonal == 0:
        return [1.0]
    share = (count_terms(d, 1) + 1) / n  # of the rows that a line needs, and one more
    smallest = diagonal * min(share ** (1 / d), 0.5) / 2
    return np.geomspace(smallest, diagonal, N_DEFAULT_BANDWIDTHS).tolist()


class CandidateSearch:
    """A coarse grid of several parameters, and finer ones around a candidate."""

    # tuned, finder: as in `make_candidates`. Polynomials of too many terms are left
    # out, and quadratic ones with no fewer terms than the window has rows.

    def __init__(self, tuned, finder):
        self._n_rows, self._n_features = finder.shape
        self._max_k = _max_k(finder)
        self._row_weight = row_weight(finder.sample_weight)
        ks, degrees = _windows(COARSE_KS, finder), _degrees(self._n_features)
        n_others = len(finder.sample_weight) - 1
        lists = {
            "n_neighbors": ks + [GLOBAL_SPAN] * (n_others < MAX_ROWS_FOR_SPAN),
            "degree": [0, 1] if "ridge" in tuned and degrees == [0] else degrees,
            "ridge": in_rows(COARSE_RIDGES, finder.sample_weight),
        }
        if "bandwidth" in tuned:
            lists["bandwidth"] = default_bandwidths(finder.rows, finder.unit)[::2]
        self._lists = {name: lists[name] for name in tuned}

    def coarse(self):
        """Return the coarse grid."""
        return self._grid(self._lists)

    def fine(self, ranked):
        """Return candidates around the best, and some of the best coarse ones."""
        # ranked: the coarse candidates, from the best to the worst.
        around = {
            name: self._around(name, value, self._lists[name])
            for name, value in ranked[0].items()
        }
        candidates = self._grid(around) + ranked[:_N_FINALISTS]
        for degree in self._lists.get("degree", ()):
            candidates += [c for c in ranked if c["degree"] == degree][:1]
        unique = {tuple(c.values()): c for c in candidates}
        return [unique[key] for key in sorted(unique)]

    def _around(self, name, value, coarse):
        """Return a value, those half a step away, and one past the end of the list."""
        # Steps are factors: the ratio of the first coarse values; 2 for n_neighbors,
        # whose values are whole numbers of rows, so that their weight does not matter.
        if name == "degree" or len(coarse) < 2:
            return [value]
        if isinstance(value, float) and name == "n_neighbors":  # a span: all rows
            return [value / 2, value]
        factors = [0.5, 0.0, -0.5]
        factors += [1.0] * (value == max(coarse)) + [-1.0] * (value == coarse[0])
        step = coarse[1] / coarse[0] if name != "n_neighbors" else 2.0
        values = [value * step**power for power in factors]
        if name == "n_neighbors":
            one_row = self._row_weight
            rounded = {round(round(k / one_row) * one_row) for k in values}
            values = {min(max(k, 1), self._max_k) for k in rounded}
        return sorted(values)

    def _grid(self, lists):
        candidates = [dict(zip(lists, values)) for values in product(*lists.values())]
        feasible = [c for c in candidates if self._is_feasible(c)]
        return feasible or candidates

    def _is_feasible(self, candidate):
        degree = candidate.get("degree", 0)
        k = candidate.get("n_neighbors", np.inf)
        k = self._max_k if isinstance(k, float) else k
        n_terms, n_rows = count_terms(self._n_features, degree), k / self._row_weight
        if degree == 1 and n_terms >= MIN_TERMS:
            n_products = n_rows * n_terms * min(n_rows, n_terms)
            return n_products * self._n_rows <= MAX_WIDE_PRODUCTS
        return degree < 2 or n_terms < n_rows
