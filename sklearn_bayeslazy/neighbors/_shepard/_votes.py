"""The three ways to predict from weighted training rows.

They are: the nearest rows, all rows, and a treecode. A fitted estimator holds one of
them, a `Vote`. Explanations need the weight of each training row, which ``exact()``
returns a vote for.
"""

from abc import ABC, abstractmethod
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen, inlined, kernel
from ...search import NeighborLists, WeightedK, lack_ties, no_exclusions
from ._all_rows import AllRows
from ._dense_vote_kernels import VoteSums
from ._treecode import weighted_means
from ._weighting import replace_degenerate_weights


class OpenTies(NamedTuple):
    """All rows at the last distance of lists that may lack some of them."""

    position: np.ndarray  # (m,), of a list in totals and sums; -1 for complete lists
    totals: np.ndarray  # (n_open,), weights of the rows
    sums: np.ndarray  # (n_open, n_outputs), weighted targets


class ListedVotes(NamedTuple):
    """The nearest rows of some queries, and how they vote."""

    rows: np.ndarray  # (m, width), training rows; 0 after the end of a list
    present: np.ndarray  # (m, width), False after the end of a list
    reduced: np.ndarray  # (m, width), reduced distances; 0 after the end of a list
    votes: np.ndarray  # (m, width), the weight of each listed row
    # Sums of the weights times targets, of the weights, and of the squared weights as
    # in `VoteSums`, over all voting rows, listed or not.
    sums: np.ndarray  # (m, n_outputs)
    totals: np.ndarray  # (m,)
    squares: np.ndarray  # (m,)


class TiedLists(NamedTuple):
    """The nearest rows of some queries, and all rows at the last distances."""

    lists: NeighborLists
    ties: OpenTies  # of lists that may lack rows where the weights reach k


class Vote(ABC):
    """A way in which training rows answer queries."""

    def __init__(self, search, weighting, targets):
        self.search = search
        self.weighting = weighting
        self.targets = targets

    @abstractmethod
    def predictions(self, queries, map_rows, left_out=None):
        """Return the predictions (n_queries, n_outputs) for transformed queries."""
        # map_rows(function, n_rows, bytes_per_row) calls function(rows) for slices of
        # the queries. left_out: int (n_queries,), the training rows that the queries
        # are, of which none votes for itself.

    @abstractmethod
    def exact(self):
        """Return an `ExactVote` of the same rows and weights."""

    def _predict_by_slices(
        self, votes_of, n_queries, map_rows, bytes_per_query, left_out
    ):
        """Return the predictions from the `VoteSums` ``votes_of(rows, exclude)``."""
        predictions = np.empty((n_queries, self.targets.n_outputs))

        def predict(rows):
            if left_out is not None:
                exclude = left_out[rows]
                votes = votes_of(rows, exclude)
                predictions[rows] = self.targets.left_out_predictions(votes, exclude)
            else:
                votes = votes_of(rows, no_exclusions(rows.stop - rows.start))
                predictions[rows] = self.targets.predictions(votes)

        map_rows(predict, n_queries, bytes_per_query)
        return predictions


class ExactVote(Vote):
    """A way to vote in which single rows have a share of the votes."""

    def exact(self):
        """Return itself."""
        return self

    @abstractmethod
    def search_k(self, n_rows):
        """Return the `WeightedK` with which to search for the n_rows rows to show."""
        # None shows all. `ListVote` ignores n_rows: it computes its sums from the
        # lists, so it must list all rows that vote.

    @abstractmethod
    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""


class ListVote(ExactVote):
    """The nearest rows vote, listed by a search."""

    def __init__(self, search, weighting, targets, n_neighbors):
        # n_neighbors: the total weight of the rows that vote; None for all rows.
        super().__init__(search, weighting, targets)
        self.n_neighbors = n_neighbors

    def __getstate__(self):
        # What takes a pass over the rows is found again when needed.
        cached = {"k", "_weighted_k"}
        return {name: x for name, x in vars(self).items() if name not in cached}

    @cached_property
    def k(self):
        """Return the total weight of the rows that vote."""
        total = float(np.ceil(self.targets.weight.sum()))
        if self.n_neighbors is None:
            return total
        return float(min(self.n_neighbors, total))

    def predictions(self, queries, map_rows, left_out=None):
        """Return the predictions from the nearest rows."""
        weighted_k = self.search_k()

        def votes_of(rows, exclude):
            tied = self._nearest(queries, rows, weighted_k, exclude)
            return self._votes_of_lists(tied)

        m, bytes_per_query = queries.shape[0], 40 * weighted_k.width
        return self._predict_by_slices(votes_of, m, map_rows, bytes_per_query, left_out)

    def predictions_without(self, queries, at, left_out, map_rows):
        """Return the predictions of the queries `at`, each without a training row."""
        # at, left_out: (n,). A longer list has the rows that take the place of one.
        k = self.k + self.targets.weight.max()
        longer = k_of_voting_rows(self.search, k, self.targets.weight)
        m = queries.shape[0]
        lists = self.search.nearest(queries, slice(0, m), longer, no_exclusions(m))

        def votes_of(rows, exclude):
            some, points = lists.without(at[rows], exclude), queries[at[rows]]
            whole = slice(0, len(exclude))
            of_others = self.k, exclude, self.targets
            tied = with_ties(self.search, points, whole, some, *of_others)
            return self._votes_of_lists(tied)

        size = 40 * longer.width
        return self._predict_by_slices(votes_of, len(at), map_rows, size, left_out)

    def search_k(self, n_rows=None):
        """Return the `WeightedK` of all voting rows."""
        return self._weighted_k

    @cached_property
    def _weighted_k(self):
        return k_of_voting_rows(self.search, self.k, self.targets.weight)

    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""
        exclude = no_exclusions(rows.stop - rows.start)
        tied = self._nearest(queries, rows, weighted_k, exclude)
        votes = self._votes_of_lists(tied)
        if len(tied.ties.totals) and width > tied.lists.counts.min():
            # A list that holds all rows at its last distance weighs less than this.
            k = self.k + tied.ties.totals.max()
            longer = k_of_voting_rows(self.search, k, self.targets.weight)
            lists = self.search.nearest(queries, rows, longer, exclude)
            tied = TiedLists(lists, tied.ties)
        lists = tied.lists
        counted = self._counted_weights(tied)
        lists = NeighborLists(lists.reduced, lists.indices, (counted > 0).sum(axis=1))
        weights = self.weighting.weigh(lists, self.search.metric)
        replace_degenerate_weights(lists.counts, weights)
        listed = np.where(counted > 0, weights, 0.0) * counted
        return ListedVotes(*_first_rows(lists, listed, width), *votes[:3])

    def _nearest(self, queries, rows, weighted_k, exclude):
        return nearest_with_ties(
            self.search, queries, rows, weighted_k, self.k, exclude, self.targets
        )

    def _votes_of_lists(self, tied):
        votes = vote_of_each_k(
            tied, self.search.metric, self.weighting, self.targets, [self.k]
        )
        return votes.entry(0)

    def _counted_weights(self, tied):
        """Return the sample weight with which each listed row (m, width) votes."""
        # Rows at the distance where the weights reach k share what is left of k.
        lists, ties = tied
        m, width = lists.indices.shape
        present = np.arange(width) < lists.counts[:, None]
        weight = np.where(present, self.targets.weight[lists.indices * present], 0.0)
        reached = np.cumsum(weight, axis=1) >= self.k
        last = np.where(reached.any(axis=1), reached.argmax(axis=1), lists.counts - 1)
        distance = lists.reduced[np.arange(m), last][:, None]
        is_near = present & (lists.reduced < distance)
        is_tied = present & (lists.reduced == distance)
        whole = np.sum(weight * is_tied, axis=1)
        is_open = ties.position >= 0
        whole[is_open] = ties.totals[ties.position[is_open]]
        rest = np.minimum(whole, self.k - np.sum(weight * is_near, axis=1))
        return weight * np.where(is_tied, (rest / whole)[:, None], is_near)


class AllRowsVote(ExactVote):
    """All rows vote, and every row is read for each query."""

    def __init__(self, search, weighting, targets):
        super().__init__(search, weighting, targets)
        self.all_rows = AllRows(search, targets)

    def predictions(self, queries, map_rows, left_out=None):
        """Return the predictions from all rows."""
        votes_of, m = partial(self._sums, queries), queries.shape[0]
        return self._predict_by_slices(votes_of, m, map_rows, 64, left_out)

    def search_k(self, n_rows):
        """Return the `WeightedK` of the voting rows to show."""
        n = self.search.n_rows
        return WeightedK.of_rows(n if n_rows is None else min(n_rows, n), n)

    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""
        exclude = no_exclusions(rows.stop - rows.start)
        lists = self.search.nearest(queries, rows, weighted_k, exclude)
        lists.counts = np.minimum(lists.counts, width)
        votes = self.weighting.weigh(lists, self.search.metric)
        replace_degenerate_weights(lists.counts, votes)
        listed, present, reduced, votes = _first_rows(lists, votes, width)
        found = self._sums(queries, rows, exclude)
        # The listed votes are scaled so that the nearest row has weight 1, the sums so
        # that a reference row has. The factor converts the first scale to the second.
        factor = self.weighting.relative_to(found.references, lists.reduced[:, 0])
        # The search used weights of 1: the sample weights are multiplied in here.
        votes = votes * self.targets.weight[listed] * factor[:, None]
        return ListedVotes(listed, present, reduced, votes, *found[:3])

    def _sums(self, queries, rows, exclude):
        return self.all_rows.sums(queries, rows, [self.weighting], exclude).entry(0)


class TreecodeVote(Vote):
    """All rows vote, and predictions are within an error of tol."""

    def __init__(self, search, weighting, targets, treecode, power, tol):
        # treecode: of the rows of the search; power: the p of the weights 1 /
        # distance^p.
        # tol: the largest error allowed, as a share of the range of a target.
        super().__init__(search, weighting, targets)
        self.treecode = treecode
        self.power = power
        self.tol = tol

    def predictions(self, queries, map_rows, left_out=None):
        """Return the predictions from all rows, within the error; exact if left out."""
        if left_out is not None:
            return self.exact().predictions(queries, map_rows, left_out)
        predictions = np.empty((queries.shape[0], self.targets.n_outputs))

        def predict(rows):
            means, _ = weighted_means(
                self.treecode, queries[rows], self.power, self.tol
            )
            predictions[rows] = self.targets.in_units_of_y(means)

        map_rows(predict, len(predictions), 64)
        return predictions

    def exact(self):
        """Return the vote of all rows without an error."""
        return AllRowsVote(self.search, self.weighting, self.targets)


def k_of_voting_rows(search, k, weight):
    """Return the `WeightedK` with which to search for rows of total weight k."""
    if search.sum_ties is None:
        return WeightedK(k, weight)
    return WeightedK(k, weight).beyond(search.n_rows_beyond)


def nearest_with_ties(search, queries, rows, weighted_k, k, exclude, targets):
    """Return the `TiedLists` of a slice of queries."""
    # queries: (n_queries, n_columns), dense or sparse; rows: the slice of m to answer.
    # weighted_k: as `k_of_voting_rows` returns it; k: the largest total weight of rows
    # that vote. exclude: (m,), the training row that each query is, which does not
    # vote, or -1.
    lists = search.nearest(queries, rows, weighted_k, exclude)
    return with_ties(search, queries, rows, lists, k, exclude, targets)


def with_ties(search, queries, rows, lists, k, exclude, targets):
    """Return the `TiedLists` of lists of a total weight of at least k."""
    # lists: those of the slice of queries; the rest as above.
    is_open = np.zeros(len(exclude), dtype=bool)
    if search.sum_ties is not None:
        is_open = lack_ties(lists, exclude, targets.weight, k)
    open_lists = np.flatnonzero(is_open)
    position = np.where(is_open, np.cumsum(is_open) - 1, -1)
    totals, sums = np.zeros(0), np.zeros((0, targets.n_outputs))
    if len(open_lists):
        totals, sums = search.sum_ties(
            queries[rows.start + open_lists],
            lists.reduced[open_lists, lists.counts[open_lists] - 1],
            exclude[open_lists],
            targets.weight,
            _row_targets(targets),
        )
    return TiedLists(lists, OpenTies(frozen(position, np.int64), totals, sums))


def vote_of_each_k(tied, metric, weighting, targets, ks):
    """Return the `VoteSums` of `TiedLists` for ascending ks, an array for each k."""
    lists, ties = tied
    weights = weighting.weigh(lists, metric)
    m, n_ks = len(lists.indices), len(ks)
    sums = np.zeros((n_ks, m, targets.n_outputs))
    totals, squares = np.zeros((2, n_ks, m))
    vote_of_prefixes(
        WeighedLists(lists.reduced, lists.indices, lists.counts, weights),
        ties,
        frozen(targets.weight, np.float64),
        frozen(ks, np.float64),
        _row_targets(targets),
        sums,
        totals,
        squares,
    )
    return VoteSums(sums, totals, squares, lists.reduced[:, 0])


def _row_targets(targets):
    return RowTargets(
        frozen(targets.codes, np.int64), frozen(targets.numbers, np.float64)
    )


def _first_rows(lists, votes, width):
    """Return rows, whether they are present, reduced distances and votes of lists."""
    width = min(width, lists.indices.shape[1])
    present = np.arange(width) < lists.counts[:, None]
    return (
        np.where(present, lists.indices[:, :width], 0),
        present,
        np.where(present, lists.reduced[:, :width], 0),
        votes[:, :width],
    )


# Numba kernels that add up the votes of lists of neighbours.


# Ways to count the votes of a list: by weight, exact hits only, or all rows alike.
_BY_WEIGHT, _HITS_ONLY, _ALL_ALIKE = range(3)


class RowTargets(NamedTuple):
    """The targets of the training rows."""

    codes: np.ndarray  # (n,), the classes; empty where the targets are numbers
    numbers: np.ndarray  # (n, n_targets); (0, n_classes) where the targets are classes


class WeighedLists(NamedTuple):
    """Lists of neighbours, nearest first, and their weights by distance."""

    reduced: np.ndarray  # (m, width)
    indices: np.ndarray  # (m, width)
    counts: np.ndarray  # (m,)
    weights: np.ndarray  # (m, width), infinite for an exact hit


@inlined
def _weight_by(way, is_hit, weight):
    """Return the weight by distance of a row under a way to count."""
    if way == _BY_WEIGHT:
        return weight
    return 0.0 if way == _HITS_ONLY and not is_hit else 1.0


# The loop is in one piece: a part of it that takes arrays, even if it is inlined,
# counts references, which takes ten times as long as the sums.
@kernel
def vote_of_prefixes(
    lists, ties, sample_weight, ks, row_targets, sums, totals, squares
):
    """Add up the votes of the nearest rows of total weight ks[0] < ks[1] < …."""
    # Rows at equal distances are taken at once. Where their weights exceed what is left
    # of k, they share it in proportion to their weights.
    # sums: (n_ks, m, n_outputs); totals, squares: (n_ks, m), as in `VoteSums`.
    reduced, indices, counts, weights = lists
    codes, numbers = row_targets
    n_outputs = sums.shape[2]
    group, sums_by_way = np.empty(n_outputs), np.empty((3, n_outputs))
    total_by_way, square_by_way = np.empty(3), np.empty(3)
    for q in range(indices.shape[0]):
        # Loops over the three ways would be unrolled, each with a loop over v.
        total_by_way[0] = total_by_way[1] = total_by_way[2] = 0.0
        square_by_way[0] = square_by_way[1] = square_by_way[2] = 0.0
        for v in range(n_outputs):
            sums_by_way[0, v] = sums_by_way[1, v] = sums_by_way[2, v] = 0.0
        reached = 0.0
        at = c = 0
        while c < counts[q] and at < len(ks):
            stop = c + 1
            while stop < counts[q] and reduced[q, stop] == reduced[q, c]:
                stop += 1
            is_last = stop == counts[q]
            tie = ties.position[q] if is_last else -1
            # Weights of equal rows are summed first: equal votes then stay equal.
            whole = 0.0
            if tie >= 0:
                whole = ties.totals[tie]
                for v in range(n_outputs):
                    group[v] = ties.sums[tie, v]
            else:
                for v in range(n_outputs):
                    group[v] = 0.0
                for i in range(c, stop):
                    row = indices[q, i]
                    row_weight = sample_weight[row]
                    whole += row_weight
                    if len(codes):
                        group[codes[row]] += row_weight
                    else:
                        for v in range(n_outputs):
                            group[v] += row_weight * numbers[row, v]
            is_hit = weights[q, c] == np.inf
            weight = 0.0 if is_hit else weights[q, c]
            while at < len(ks) and (is_last or reached + whole >= ks[at]):
                part = min(whole, ks[at] - reached)
                way = _ALL_ALIKE
                if total_by_way[_HITS_ONLY] > 0.0 or is_hit:
                    way = _HITS_ONLY
                elif total_by_way[_BY_WEIGHT] + weight * part > 0.0:
                    way = _BY_WEIGHT
                near = _weight_by(way, is_hit, weight)
                share = near * (part / whole)
                for v in range(n_outputs):
                    sums[at, q, v] = sums_by_way[way, v] + share * group[v]
                totals[at, q] = total_by_way[way] + near * part
                squares[at, q] = square_by_way[way] + near * near * part
                at += 1
            only_hit = 1.0 if is_hit else 0.0
            total_by_way[_BY_WEIGHT] += weight * whole
            total_by_way[_HITS_ONLY] += only_hit * whole
            total_by_way[_ALL_ALIKE] += whole
            square_by_way[_BY_WEIGHT] += weight * weight * whole
            square_by_way[_HITS_ONLY] += only_hit * whole
            square_by_way[_ALL_ALIKE] += whole
            if len(codes) and stop == c + 1:
                v = codes[indices[q, c]]
                sums_by_way[_BY_WEIGHT, v] += weight * whole
                sums_by_way[_HITS_ONLY, v] += only_hit * whole
                sums_by_way[_ALL_ALIKE, v] += whole
            else:
                for v in range(n_outputs):
                    sums_by_way[_BY_WEIGHT, v] += weight * group[v]
                    sums_by_way[_HITS_ONLY, v] += only_hit * group[v]
                    sums_by_way[_ALL_ALIKE, v] += group[v]
            reached += whole
            c = stop
