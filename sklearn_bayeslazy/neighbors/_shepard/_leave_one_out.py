"""Leave-one-out for Shepard's method: every k and every power from one list a row.

A row's neighbours without itself are the start of one sorted list, whatever k is; their
votes are prefix sums. All rows but one are one more pass over the table.
"""

import sys
from collections import defaultdict
from numbers import Integral, Real

import numpy as np

from ..._leave_one_out import candidate_grid, rank_candidates, rows_to_leave_out
from .._search import WeightedK
from ._votes import vote_of_each_k

LARGEST_DEFAULT_K = 50
# Larger integers are no floats.
LARGEST_POWER = sys.float_info.max
DEFAULT_POWERS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)


def candidates_of(estimator, tuned, mass, all_rows):
    """Return the candidates as dicts, of the parameters that are to be chosen.

    mass is that of all rows; all_rows says whether n_neighbors=None can be among them.
    """
    largest = max(1, min(LARGEST_DEFAULT_K, int(np.ceil(mass)) - 1))
    defaults = {}
    if "n_neighbors" in tuned:
        defaults["n_neighbors"] = list(range(1, largest + 1))
        defaults["n_neighbors"] += [None] if all_rows else []
    if "power" in tuned:
        defaults["power"] = DEFAULT_POWERS
    candidates = candidate_grid(defaults, estimator.loo_candidates, _ALLOWED)
    if not all_rows and any(one.get("n_neighbors", 1) is None for one in candidates):
        raise ValueError(
            "loo_candidates['n_neighbors'] holds None, all rows, for which an "
            "engine is of no use: leave it out, or set algorithm='auto'."
        )
    return candidates


_ALLOWED = {
    "n_neighbors": (
        lambda k: k is None or (isinstance(k, Integral) and k >= 1),
        "integers ≥ 1, or None for all rows",
    ),
    "power": (
        lambda power: isinstance(power, Real) and 0 <= power <= LARGEST_POWER,
        "numbers ≥ 0",
    ),
}


class Tuner:
    """Scores candidates by leaving rows out.

    Parameters
    ----------
    voters : Voters
    search : search with `nearest`
    all_rows : AllRows or None
    queries : the training rows, placed as queries
    weighting : callable
        ``weighting(power)`` returns a `Weighting`.
    losses : callable
        ``losses(sums, totals, own)`` returns a dict of scores, each of shape (m,).
    names : list of str
        Of the scores.
    importance : callable
        ``importance(rows)`` returns what the scores of rows count.
    settled : dict
        Values of n_neighbors and power where they are not to be chosen.
    """

    def __init__(
        self,
        voters,
        search,
        all_rows,
        queries,
        weighting,
        losses,
        names,
        importance,
        settled,
    ):
        self.voters = voters
        self.search = search
        self.all_rows = all_rows
        self.queries = queries
        self.weighting = weighting
        self.losses = losses
        self.names = names
        self.importance = importance
        self.settled = settled

    def choose(self, candidates, scoring, largest, random_state, map_rows):
        """Return the best candidate and the results of all.

        ``map_rows(function, n_rows, bytes_per_row)`` calls a function for slices.
        """
        wanted = [{**self.settled, **candidate} for candidate in candidates]
        everybody = int(np.ceil(self.voters.weight.sum()))
        for one in wanted:
            if one["n_neighbors"] is not None:
                one["n_neighbors"] = min(one["n_neighbors"], everybody)
        if self.all_rows is None:  # a list of all rows serves as well
            for one in wanted:
                one["n_neighbors"] = one["n_neighbors"] or everybody
        left_out = rows_to_leave_out(len(self.voters.weight), largest, random_state)
        queries = self.queries[left_out]
        ks = sorted({c["n_neighbors"] for c in wanted if c["n_neighbors"] is not None})
        powers = dict.fromkeys(c["power"] for c in wanted)
        everything = any(c["n_neighbors"] is None for c in wanted)
        weighted_k = WeightedK(ks[-1], self.voters.weight) if ks else None
        places = defaultdict(list)
        for i, one in enumerate(wanted):
            places[one["n_neighbors"], one["power"]].append(i)
        shape = len(wanted), len(left_out)
        scores = {name: np.empty(shape) for name in self.names}

        def score(rows):
            exclude = left_out[rows]
            for k, power, sums, totals in self._votes(
                queries, rows, exclude, ks, powers, weighted_k, everything
            ):
                if (k, power) in places:
                    for name, values in self.losses(sums, totals, exclude).items():
                        scores[name][places[k, power], rows] = values

        width = weighted_k.width if weighted_k else 0
        bytes_per_row = 8 * (4 * width + (len(ks) + 4) * (self.voters.n_outputs + 2))
        map_rows(score, len(left_out), bytes_per_row)
        importance = self.importance(left_out)
        best, results = rank_candidates(candidates, scores, importance, scoring)
        return candidates[best], results

    def _votes(self, queries, rows, exclude, ks, powers, weighted_k, everything):
        """Yield (k, power, sums, totals) of a slice of rows that are left out."""
        if ks:
            lists = self.search.nearest(queries, rows, weighted_k, exclude)
        for power in powers:
            weighting = self.weighting(power)
            if ks:
                sums, totals = vote_of_each_k(
                    lists,
                    weighting,
                    self.search.metric,
                    self.voters,
                    weighted_k,
                    ks,
                    exclude,
                )
                yield from ((k, power, s, t) for k, s, t in zip(ks, sums, totals))
            if everything:
                sums, totals, _ = self.all_rows.sum(queries, rows, weighting, exclude)
                yield None, power, sums, totals
