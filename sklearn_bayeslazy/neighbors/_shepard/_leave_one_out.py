"""Leave-one-out for Shepard's method: every k and every power from one list a row.

Without itself, a row has one sorted list of neighbours. For each k the first rows
of this list vote, so that sums of votes for all k are prefix sums. The votes of
all other rows take one more pass over the table.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from ..._leave_one_out import candidate_grid, rank_candidates, rows_to_leave_out
from .._search import WeightedK
from ._all_rows import AllRows
from ._training_targets import TrainingTargets
from ._votes import vote_of_each_k
from ._weighting import Weighting

MAX_DEFAULT_K = 50
# Larger integers have no float.
MAX_POWER = sys.float_info.max
DEFAULT_POWERS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)


def candidates_of(estimator, tuned, total_weight, all_rows):
    """Return the candidates as dicts, of the parameters that are to be chosen.

    total_weight is that of all rows; all_rows says whether n_neighbors=None can be
    among the candidates.
    """
    max_k = max(1, min(MAX_DEFAULT_K, int(np.ceil(total_weight)) - 1))
    defaults = {}
    if "n_neighbors" in tuned:
        defaults["n_neighbors"] = list(range(1, max_k + 1))
        defaults["n_neighbors"] += [None] if all_rows else []
    if "power" in tuned:
        defaults["power"] = DEFAULT_POWERS
    candidates = candidate_grid(defaults, estimator.loo_candidates, _ALLOWED)
    if not all_rows and any(one.get("n_neighbors", 1) is None for one in candidates):
        raise ValueError(
            "loo_candidates['n_neighbors'] holds None, all rows, for which an engine "
            "cannot be used: leave None out, or set algorithm='auto'."
        )
    return candidates


_ALLOWED = {
    "n_neighbors": (
        lambda k: k is None or (isinstance(k, Integral) and k >= 1),
        "integers ≥ 1, or None for all rows",
    ),
    "power": (
        lambda power: isinstance(power, Real) and 0 <= power <= MAX_POWER,
        "numbers ≥ 0",
    ),
}


class _Grid(NamedTuple):
    """The values among the candidates, and the candidates that have them.

    Attributes
    ----------
    ks : list of int
        Total weights of neighbours, ascending.
    powers : list of float
    has_all_rows : bool
        Whether all rows vote in a candidate.
    positions : dict
        ``positions[k, power]`` lists the candidates of these values.
    """

    ks: list
    powers: list
    has_all_rows: bool
    positions: dict


@dataclass
class LeaveOneOut:
    """Scores values of n_neighbors and power by leaving rows out.

    Attributes
    ----------
    targets : TrainingTargets
    search : search with `nearest`
        Of the training rows.
    all_rows : AllRows or None
        None where all rows are listed instead.
    queries : {ndarray, sparse array} of shape (n, n_columns)
        The training rows, transformed as queries.
    weights : str or callable
        The parameter of the estimator.
    """

    targets: TrainingTargets
    search: object
    all_rows: AllRows | None
    queries: object
    weights: object

    def scores(self, settings, left_out, map_rows):
        """Return the scores of settings for rows that are left out one by one.

        Parameters
        ----------
        settings : list of dict
            With the keys "n_neighbors" and "power".
        left_out : int array of shape (m,)
        map_rows : callable
            ``map_rows(function, n_rows, bytes_per_row)`` calls ``function(rows)`` for
            slices.

        Returns
        -------
        dict of {str: ndarray of shape (n_settings, m)}
        """
        grid = self._grid(settings)
        weighted_k = WeightedK(grid.ks[-1], self.targets.weight) if grid.ks else None
        queries = self.queries[left_out]
        shape = len(settings), len(left_out)
        scores = {name: np.empty(shape) for name in self.targets.score_names}

        def score(rows):
            exclude = left_out[rows]
            for setting, sums, totals in self._votes(
                queries, rows, exclude, grid, weighted_k
            ):
                if setting in grid.positions:
                    losses = self.targets.left_out_losses(sums, totals, exclude)
                    for name, values in losses.items():
                        scores[name][grid.positions[setting], rows] = values

        width = weighted_k.width if weighted_k else 0
        n_floats = 4 * width + (len(grid.ks) + 4) * (self.targets.n_outputs + 2)
        map_rows(score, len(left_out), 8 * n_floats)
        return scores

    def _grid(self, settings):
        total = int(np.ceil(self.targets.weight.sum()))
        positions = defaultdict(list)
        for i, setting in enumerate(settings):
            k = setting["n_neighbors"]
            if k is not None:
                k = min(k, total)
            elif self.all_rows is None:  # a list of all rows has the same votes
                k = total
            positions[k, setting["power"]].append(i)
        ks = {k for k, _ in positions}
        return _Grid(
            ks=sorted(ks - {None}),
            powers=list(dict.fromkeys(power for _, power in positions)),
            has_all_rows=None in ks,
            positions=dict(positions),
        )

    def _votes(self, queries, rows, exclude, grid, weighted_k):
        """Yield ((k, power), sums, totals) of a slice of rows that are left out."""
        metric = self.search.metric
        if grid.ks:
            lists = self.search.nearest(queries, rows, weighted_k, exclude)
        for power in grid.powers:
            weighting = Weighting.from_parameters(self.weights, power, metric)
            if grid.ks:
                sums, totals = vote_of_each_k(
                    lists,
                    metric,
                    weighting,
                    self.targets,
                    weighted_k.weight,
                    grid.ks,
                    exclude,
                )
                for i, k in enumerate(grid.ks):
                    yield (k, power), sums[i], totals[i]
            if grid.has_all_rows:
                found = self.all_rows.sums(queries, rows, weighting, exclude)
                yield (None, power), found.sums, found.totals


def choose(leave_one_out, settings, candidates, estimator, map_rows):
    """Return the best candidate, and the ``loo_results_`` of all.

    Parameters
    ----------
    leave_one_out : LeaveOneOut
    settings : list of dict
        n_neighbors and power of each candidate, given or its own.
    candidates : list of dict
        As ``loo_results_`` shows them.
    estimator : ShepardBase
        Of which the parameters are read that begin with loo, and random_state.
    map_rows : callable
        As in `LeaveOneOut.scores`.
    """
    targets = leave_one_out.targets
    left_out = rows_to_leave_out(
        len(targets.weight), estimator.loo_max_samples, estimator.random_state
    )
    scores = leave_one_out.scores(settings, left_out, map_rows)
    best, results = rank_candidates(
        candidates,
        scores,
        targets.score_weight(left_out),
        targets.scoring(estimator.loo_scoring),
    )
    targets.rescale_results(results)
    return candidates[best], results
