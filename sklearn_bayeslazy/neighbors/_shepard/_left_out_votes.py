"""Leave-one-out for Shepard's method: every k, power and m from one list a row.

Without itself, a row has one sorted list of neighbours. For each k the first rows
of this list vote, so that sums of votes for all k are prefix sums. The votes of
all other rows take one more pass over the table, in which distances are measured once
for all powers. Every m has a closed form in the sums of one k and power.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from ...leave_one_out import (
    MAX_LOG_LOSS,
    candidate_grid,
    candidate_order,
    check_rows_remain,
    choice_inflation,
    group_sums,
    in_rows,
    loss_groups,
    mean_scores,
    rank_means,
    rows_to_leave_out,
    tuned_names,
)
from ...tabular import number_of_equal_rows
from ._all_rows import AllRows
from ._training_targets import TrainingTargets
from ._votes import AllRowsVote, k_of_voting_rows, nearest_with_ties, vote_of_each_k
from ._weighting import UNIFORM, Weighting

# Differences of sums of votes lose their digits where the others have a smaller share.
_MIN_OTHER_VOTES = 1e-6
# Larger integers have no float.
MAX_POWER = sys.float_info.max
MAX_M = 1e100
DEFAULT_KS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80)
DEFAULT_POWERS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
DEFAULT_MS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# Smaller m than this share of the rows' number are left out: so few errors cannot be
# foreseen from rows that are all predicted rightly.
MIN_M_TIMES_ROWS = 2.0
# m is chosen by the left-out rows and this number of rows for whose class no row votes:
# where all rows are predicted rightly, as the few of a rare class may be, they cannot
# tell how often that happens. (Half a row is Jeffreys' prior of a share.)
_UNVOTED_ROWS = 0.5
# Larger tables try all rows only if asked to: each row left out reads all others.
MAX_ROWS_FOR_ALL = 10_000


def candidates_of(
    estimator, given, weight, all_rows, max_rows_for_all=MAX_ROWS_FOR_ALL
):
    """Return the candidates as dicts, of the parameters that are to be chosen."""
    # given: n_neighbors, power and m, {name: value}; without a "loo" there is one
    # candidate, {}. weight: (n,). all_rows: whether n_neighbors=None can be among the
    # candidates. It is one by default if there are at most max_rows_for_all rows, or
    # `tol` is given.
    tuned, max_k, defaults = tuned_names(given), max(1, len(weight) - 1), {}
    if not tuned:
        return [{}]
    if "n_neighbors" in tuned:
        ks = [k for k in DEFAULT_KS if k <= max_k]
        defaults["n_neighbors"] = in_rows(ks, weight)
        has_tol = getattr(estimator, "tol", None) is not None
        is_small = len(weight) <= max_rows_for_all or has_tol
        defaults["n_neighbors"] += [None] if all_rows and is_small else []
    if "power" in tuned:
        defaults["power"] = DEFAULT_POWERS
    if "m" in tuned:
        least = min(MIN_M_TIMES_ROWS / len(weight), DEFAULT_MS[-1])
        defaults["m"] = in_rows([m for m in DEFAULT_MS if m >= least], weight)
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
    "m": (
        lambda m: isinstance(m, Real) and 0 <= m <= MAX_M,
        f"numbers from 0 to {MAX_M}",
    ),
}


class _Grid(NamedTuple):
    """The values among the candidates, and the candidates that have them."""

    ks: list  # total weights of neighbours, ascending
    powers: list
    has_all_rows: bool  # whether all rows vote in a candidate
    positions: dict  # {(k, power): indices of the candidates of these values}

    def settings_of(self, pairs):
        """Return the candidates of pairs (k, power), and the position of each pair."""
        found = [self.positions.get(pair, []) for pair in pairs]
        entries = np.repeat(np.arange(len(pairs)), [len(at) for at in found])
        return np.concatenate(found).astype(np.int64), entries


@dataclass
class LeftOutVotes:
    """Scores values of n_neighbors, power and m by leaving the same rows out."""

    targets: TrainingTargets
    search: object  # has `nearest`; of the training rows
    all_rows: AllRows | None  # None where all rows are listed instead
    queries: object  # (n, n_columns), dense or sparse: the training rows as queries
    weights: object  # str or callable: the parameter of the estimator
    _left_out_queries: object = None  # read once, as are their lists of neighbours
    _lists: dict = field(default_factory=dict)

    def groups(self, settings):
        """Return the indices of settings whose scores are in memory together."""
        # They have one power, unless all rows vote: one pass is for all powers then.
        if self.all_rows is not None:
            return [np.arange(len(settings))]
        powers = [setting["power"] for setting in settings]
        distinct = dict.fromkeys(powers)
        return [
            np.array([i for i, one in enumerate(powers) if one == power])
            for power in distinct
        ]

    def scores(self, settings, left_out, map_rows):
        """Return the scores of settings for rows that are left out one by one."""
        # settings: dicts with the keys "n_neighbors" and "power", for classes also "m".
        # left_out: (m,). map_rows(function, n_rows, bytes_per_row) calls function(rows)
        # for slices. Returns {name: (n_settings, m)}.
        grid = self._grid(settings)
        ms = np.array([setting.get("m", 0.0) for setting in settings])
        targets, weighted_k = self.targets, None
        if grid.ks:
            weighted_k = k_of_voting_rows(self.search, grid.ks[-1], targets.weight)
        if self._left_out_queries is None:
            self._left_out_queries = self.queries[left_out]
        queries = self._left_out_queries
        shape = len(settings), len(left_out)
        scores = {name: np.empty(shape) for name in targets.score_names}
        if targets.are_classes and np.ptp(ms) > 0:  # for the choice of m
            scores["unvoted"] = np.empty(shape)

        def score(rows):
            exclude = left_out[rows]
            for pairs, votes in self._votes(queries, rows, exclude, grid, weighted_k):
                at, entries = grid.settings_of(pairs)
                losses = targets.left_out_losses(votes, exclude, entries, ms[at])
                if "unvoted" in scores:
                    losses["unvoted"] = _unvoted_losses(votes, entries, ms[at])
                for name, values in losses.items():
                    scores[name][at, rows] = values

        n_sums = len(grid.ks) + len(grid.powers) * grid.has_all_rows + 4
        n_floats = n_sums * (targets.n_outputs + 3) + len(scores) * len(settings)
        n_floats += 5 * weighted_k.width if weighted_k else 0
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
        """Yield pairs (k, power) and their `VoteSums`, of a slice of left-out rows."""
        metric, targets = self.search.metric, self.targets
        weightings = {
            power: Weighting.from_parameters(self.weights, power, metric)
            for power in grid.powers
        }
        if grid.ks:
            k = grid.ks[-1]
            key = k, rows.start, rows.stop
            if key not in self._lists:
                self._lists[key] = nearest_with_ties(
                    self.search, queries, rows, weighted_k, k, exclude, targets
                )
            tied = self._lists[key]
            for power, weighting in weightings.items():
                votes = vote_of_each_k(tied, metric, weighting, targets, grid.ks)
                yield [(k, power) for k in grid.ks], votes
        if grid.has_all_rows:
            for alike in (True, False):  # equal weights need no pass over the table
                some = {
                    power: weighting
                    for power, weighting in weightings.items()
                    if (weighting.kind == UNIFORM) == alike
                }
                if some:
                    given = list(some.values()), exclude
                    found = self.all_rows.sums(queries, rows, *given)
                    yield [(None, power) for power in some], found


def _unvoted_losses(votes, entries, ms):
    """Return the log loss of a class without votes, beyond that of its prior."""
    n_effective = (votes.totals * (votes.totals / votes.squares))[entries]
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(np.log1p(n_effective / ms[:, None]), MAX_LOG_LOSS)


def choose_votes(parts, given, candidates, left_out, loo_scoring, map_rows):
    """Return the best candidate, the ``loo_results_`` of all, and the inflation."""
    # parts: pairs of rows, None for all, and the `LeftOutVotes` that leave them out.
    # given, candidates: as in `candidates_of`; left_out: (m,), rows that are left out
    # one by one; map_rows: as in `LeftOutVotes.scores`. The inflation is that of
    # `choice_inflation`. Squared errors are those of `targets.numbers`: they can be
    # compared, where in units of y they would overflow; see `rescale_results`.
    settings = [{**given, **candidate} for candidate in candidates]
    votes = parts[0][1]
    targets = votes.targets
    weight, means, groups, sums = targets.score_weight(left_out), {}, None, {}
    for at in votes.groups(settings):
        some = [settings[i] for i in at]
        scores = _scores_of_parts(parts, some, left_out, map_rows)
        for name, values in mean_scores(scores, weight).items():
            means.setdefault(name, np.empty(len(settings)))[at] = values
        losses = scores[targets.score_names[0]]
        groups = loss_groups(losses) if groups is None else groups
        sums |= zip(at.tolist(), group_sums(losses, weight, groups))
        del scores, losses
    scoring = targets.scoring(loo_scoring)
    best, results = rank_means(candidates, means, scoring)
    if "mean_unvoted" in results:
        unvoted = results.pop("mean_unvoted")
        del results["standard_error_unvoted"]
        unvoted *= _UNVOTED_ROWS / number_of_equal_rows(weight)
        best = _with_best_m(best, results, unvoted, scoring)
    return candidates[best], results, choice_inflation(np.array(list(sums.values())))


def _with_best_m(best, results, unvoted, scoring):
    """Return the candidate of the same k and power whose m is best; rank it first."""
    # unvoted: what `_UNVOTED_ROWS` add to the mean log losses.
    params, rank = results["params"], results["rank"]
    others = {**params[best], "m": None}
    same = [i for i, one in enumerate(params) if {**one, "m": None} == others]
    means = {name: results[f"mean_{name}"][same] for name, _ in scoring}
    means["log_loss"] = means["log_loss"] + unvoted[same]
    best = same[candidate_order(means, scoring)[0]]
    rank[rank < rank[best]] += 1
    rank[best] = 1
    return best


def choose_parameters(given, targets, options, leave_out):
    """Return n_neighbors, power and m, ``loo_results_`` or None, and the inflation."""
    # given: as in `candidates_of`; options: with the parameters `loo_max_samples` and
    # `random_state`. leave_out(rows) returns what `choose_votes` does.
    tuned = tuned_names(given)
    if not tuned:
        return given, None, 1.0
    n_rows = len(targets.weight)
    check_rows_remain(n_rows, tuned)
    best, results, inflation = leave_out(
        rows_to_leave_out(n_rows, options.loo_max_samples, options.random_state)
    )
    targets.rescale_results(results)
    return {**given, **best}, results, inflation


def _scores_of_parts(parts, settings, left_out, map_rows):
    """Return the scores of settings, each row left out by the votes of its part."""
    if len(parts) == 1:
        return parts[0][1].scores(settings, left_out, map_rows)
    shape, scores = (len(settings), len(left_out)), {}
    for rows, votes in parts:
        at = np.flatnonzero(np.isin(left_out, rows))
        if len(at):
            of_part = votes.scores(settings, left_out[at], map_rows)
            for name, values in of_part.items():
                scores.setdefault(name, np.empty(shape))[:, at] = values
    return scores


def best_weights(candidates, leave_out, targets, loo_scoring):
    """Return the weights of columns with which the best k, power and m are best."""
    # candidates: weights of columns; leave_out(weights) returns what `choose_votes`
    # does.
    scores = {name: np.empty(len(candidates)) for name in targets.score_names}
    for i, weights in enumerate(candidates):
        _, results, _ = leave_out(weights)
        best = int(np.argmin(results["rank"]))
        for name, values in scores.items():
            values[i] = results[f"mean_{name}"][best]
    return candidates[candidate_order(scores, targets.scoring(loo_scoring))[0]]


def predictions_without(vote, rows, queries, map_rows):
    """Return the predictions of m queries without each of n rows, (m, n, n_outputs)."""
    # Another row than those that vote changes nothing.
    vote = vote.exact()
    m, targets = queries.shape[0], vote.targets
    found = np.repeat(vote.predictions(queries, map_rows)[:, None], len(rows), axis=1)
    n_training = len(targets.weight)
    listed = vote.list_votes(queries, slice(0, m), vote.search_k(None), n_training)
    q, at = np.nonzero(listed.present & (listed.votes > 0))
    row = listed.rows[q, at]
    position = np.minimum(np.searchsorted(rows, row), len(rows) - 1)
    is_known = rows[position] == row
    q, at, row, position = (a[is_known] for a in (q, at, row, position))
    if not isinstance(vote, AllRowsVote):  # another row takes its place
        found[q, position] = vote.predictions_without(queries, q, row, map_rows)
    else:  # the others vote as before
        votes, totals = listed.votes[q, at], listed.totals[q]
        sums = listed.sums[q] - votes[:, None] * targets.numbers[row]
        is_sure = totals - votes > _MIN_OTHER_VOTES * totals
        means = sums[is_sure] / (totals - votes)[is_sure, None]
        found[q[is_sure], position[is_sure]] = targets.in_units_of_y(means)
        q, row, position = (a[~is_sure] for a in (q, row, position))
        if len(q):
            found[q, position] = vote.predictions(queries[q], map_rows, left_out=row)
    return found
