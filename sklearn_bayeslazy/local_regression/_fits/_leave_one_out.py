"""Leave-one-out for local regression: each row is predicted from a window without it.

Whatever the window, the row is taken out of it and the polynomial fitted again: exact
also where the window changes with the row, as that of the k nearest does. Windows of
every k are prefixes of one sorted list.
"""

from collections import defaultdict
from numbers import Integral, Real

import numpy as np

from ..._leave_one_out import candidate_grid, rank_candidates, rows_to_leave_out
from ._local_fit_kernels import count_terms
from ._local_fits import Recipe
from ._windows import Size, nearby_order

DEFAULT_KS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)
DEFAULT_RIDGES = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0)
N_DEFAULT_BANDWIDTHS = 12


def candidates_of(tuned, given, rows, mass, unit):
    """Return the candidates as dicts, of the parameters that are to be chosen.

    Parameters
    ----------
    tuned : list of str
    given : dict or None
        The user's candidates.
    rows : ndarray of shape (n, d)
        Where distances are measured.
    mass : float
        Of all rows.
    unit : float
        What distances there are multiplied by to be the user's.
    """
    most = max(int(np.ceil(mass)) - 1, 1)
    ks = [k for k in DEFAULT_KS if k <= most] or list(range(1, most + 1))
    defaults = {
        "n_neighbors": ks,
        "bandwidth": None,
        "degree": [0, 1, 2],
        "ridge": DEFAULT_RIDGES,
    }
    defaults = {name: defaults[name] for name in tuned}
    if "bandwidth" in tuned:
        wanted = "bandwidth" not in (given or {})
        defaults["bandwidth"] = default_bandwidths(rows, unit) if wanted else []
    return candidate_grid(defaults, given, _ALLOWED)


def default_bandwidths(rows, unit):
    """Return bandwidths from that of a few rows to that of the whole table."""
    n, d = rows.shape
    spread = np.ptp(rows, axis=0)
    whole = np.sqrt(spread @ spread) * unit
    if whole == 0:
        return [1.0]
    few = (count_terms(d, 1) + 1) / n  # of rows evenly spread, this share is near
    least = whole * min(few ** (1 / d), 0.5) / 2
    return np.geomspace(least, whole, N_DEFAULT_BANDWIDTHS).tolist()


def _is_size(value):
    if isinstance(value, Integral):
        return value >= 1
    return isinstance(value, Real) and 0 < value < np.inf


_ALLOWED = {
    "n_neighbors": (_is_size, "integers ≥ 1, or floats > 0 for spans"),
    "bandwidth": (
        lambda width: isinstance(width, Real) and 0 < width < np.inf,
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


def choose(fitter, kernel, settled, candidates, largest, random_state, map_rows):
    """Return the best candidate and the results of all.

    Parameters
    ----------
    fitter : LocalFitter
    kernel : str
    settled : dict
        The parameters n_neighbors, bandwidth, degree, ridge.
    candidates : list of dict
        What to put in their place.
    largest : int or None
        How many rows to leave out at most.
    random_state : int, RandomState instance or None
    map_rows : callable
        ``map_rows(function, n_rows, bytes_per_row)``.
    """
    finder = fitter.finder
    weight = finder.weight
    left_out = rows_to_leave_out(len(weight), largest, random_state)
    left_out = left_out[nearby_order(finder.rows[left_out])]
    queries = finder.rows[left_out]
    wanted = [{**settled, **candidate} for candidate in candidates]
    others = weight.sum() - np.minimum(weight[left_out], 1.0)
    by_size = defaultdict(list)
    for i, one in enumerate(wanted):
        by_size[one["n_neighbors"], one["bandwidth"]].append(i)

    def size_of(n_neighbors, bandwidth, mass):
        reach = None if bandwidth is None else bandwidth / finder.unit
        return Size.of(n_neighbors, reach, mass)

    sizes = {pair: size_of(*pair, weight.sum()) for pair in by_size}
    listed = {pair: size.k for pair, size in sizes.items() if not finder.scans(size)}
    weighted_k = finder.weighted_k(Size(max(listed.values()))) if listed else None
    scores = np.empty((len(wanted), len(left_out)))

    def score(rows):
        at, exclude = queries[rows], left_out[rows]
        lists = finder.lists(at, weighted_k, exclude)
        mass = others[0] if finder.alike else others[rows]
        for pair, places in by_size.items():
            size = size_of(*pair, mass)
            found = {}
            for i in places:
                degree, ridge = wanted[i]["degree"], wanted[i]["ridge"]
                key = degree, ridge if degree else 0.0  # a mean has no slope to shrink
                if key not in found:
                    fits = fitter.fit(
                        at,
                        size,
                        Recipe(kernel, *key),
                        lists=lists if pair in listed else None,
                        exclude=exclude,
                        leave=True,
                        may_vanish=True,
                    )
                    errors = (fits.answers - fitter.targets[exclude]) ** 2
                    found[key] = np.mean(errors, axis=1)
                scores[i, rows] = np.where(np.isnan(found[key]), np.inf, found[key])

    map_rows(score, len(left_out), fitter.bytes_per_query(weighted_k))
    best, results = rank_candidates(
        candidates, {"squared_error": scores}, weight[left_out], [("squared_error", -1)]
    )
    if np.isinf(results["mean_squared_error"][best]):
        raise ValueError(
            "All weights vanish for some row that is left out, under each candidate: "
            "give larger bandwidths, or n_neighbors too."
        )
    return candidates[best], results
