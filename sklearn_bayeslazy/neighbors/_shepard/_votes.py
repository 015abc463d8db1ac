"""The four ways to predict from weighted training rows.

They are: the nearest rows, all rows, a treecode, and equal weights. A fitted estimator
holds one of them, a `Vote`. Explanations need the weight of each training row, which
``exact()`` returns a vote for.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ..._kernel import frozen
from .._search import WeightedK, cut_weights, no_exclusions
from ._all_rows import AllRows
from ._list_vote_kernels import RowTargets, WeighedLists, add_votes, vote_of_prefixes
from ._treecode import weighted_means
from ._weight_kernels import replace_degenerate_weights

# The treecode reads the same nodes for queries that lie together: large tasks are best.
MIN_QUERIES_PER_TREECODE_TASK = 1024


class ListedVotes(NamedTuple):
    """The nearest rows of some queries, and how they vote.

    Attributes
    ----------
    rows : int array of shape (m, width)
        Indices of the training rows; 0 after the end of a list.
    present : bool array of shape (m, width)
        False after the end of a list.
    reduced : ndarray of shape (m, width)
        Reduced distances; 0 after the end of a list.
    votes : ndarray of shape (m, width)
        The weight of each listed row.
    sums : ndarray of shape (m, n_outputs)
        Weighted sums of the targets over all voting rows, listed or not.
    totals : ndarray of shape (m,)
        Sums of the weights over the same rows.
    """

    rows: np.ndarray
    present: np.ndarray
    reduced: np.ndarray
    votes: np.ndarray
    sums: np.ndarray
    totals: np.ndarray


class Vote(ABC):
    """A way in which training rows answer queries.

    Parameters
    ----------
    search : DenseSearch, SparseSearch or EngineSearch
    weighting : Weighting
    targets : TrainingTargets
    """

    def __init__(self, search, weighting, targets):
        self.search = search
        self.weighting = weighting
        self.targets = targets

    @abstractmethod
    def predictions(self, queries, map_rows):
        """Return the predictions (n_queries, n_outputs) for transformed queries.

        ``map_rows(function, n_rows, bytes_per_row, min_queries=...)`` calls
        ``function(rows)`` for slices of the queries, of at least min_queries rows if
        that is given.
        """

    @abstractmethod
    def exact(self):
        """Return an `ExactVote` of the same rows and weights."""

    def _predict_by_slices(self, sums_of, n_queries, map_rows, bytes_per_query):
        """Return the predictions from ``sums_of(rows)``: sums of votes, and totals."""
        predictions = np.empty((n_queries, self.targets.n_outputs))

        def predict(rows):
            sums, totals = sums_of(rows)
            no_votes = totals == 0
            if no_votes.any():  # no training row has any weight: use equal weights
                sums[no_votes], totals[no_votes] = self.targets.sums()
            predictions[rows] = self.targets.predictions(sums, totals)

        map_rows(predict, n_queries, bytes_per_query)
        return predictions


class ExactVote(Vote):
    """A way to vote in which single rows have a share of the votes."""

    def exact(self):
        """Return itself."""
        return self

    @abstractmethod
    def search_k(self, n_rows):
        """Return the `WeightedK` with which to search for the n_rows rows to show.

        None shows all. `ListVote` ignores n_rows: it computes its sums from the lists,
        so it must list all rows that vote.
        """

    @abstractmethod
    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""


class ListVote(ExactVote):
    """The nearest rows vote, listed by a search.

    n_neighbors is the total weight of the rows that vote; None for all rows.
    """

    def __init__(self, search, weighting, targets, n_neighbors):
        super().__init__(search, weighting, targets)
        self.n_neighbors = n_neighbors

    @property
    def k(self):
        """Return the total weight of the rows that vote."""
        total = float(np.ceil(self.targets.weight.sum()))
        if self.n_neighbors is None:
            return total
        return float(min(self.n_neighbors, total))

    def predictions(self, queries, map_rows):
        """Return the predictions from the nearest rows."""
        weighted_k = self.search_k()

        def sums_of(rows):
            exclude = no_exclusions(rows.stop - rows.start)
            lists = self.search.nearest(queries, rows, weighted_k, exclude)
            return self._sums_of_lists(lists, weighted_k, exclude)[:2]

        m = queries.shape[0]
        return self._predict_by_slices(sums_of, m, map_rows, 40 * weighted_k.width)

    def search_k(self, n_rows=None):
        """Return the `WeightedK` of all voting rows."""
        return WeightedK(self.k, self.targets.weight)

    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""
        exclude = no_exclusions(rows.stop - rows.start)
        lists = self.search.nearest(queries, rows, weighted_k, exclude)
        sums, totals, votes = self._sums_of_lists(lists, weighted_k, exclude)
        return ListedVotes(*_first_rows(lists, votes, width), sums, totals)

    def _sums_of_lists(self, lists, weighted_k, exclude):
        return vote_of_lists(
            lists,
            self.search.metric,
            self.weighting,
            self.targets,
            weighted_k.weight,
            self.k,
            exclude,
        )


class AllRowsVote(ExactVote):
    """All rows vote, and every row is read for each query."""

    def __init__(self, search, weighting, targets):
        super().__init__(search, weighting, targets)
        self.all_rows = AllRows(search, targets)

    def predictions(self, queries, map_rows):
        """Return the predictions from all rows."""

        def sums_of(rows):
            exclude = no_exclusions(rows.stop - rows.start)
            found = self.all_rows.sums(queries, rows, self.weighting, exclude)
            return found.sums, found.totals

        return self._predict_by_slices(sums_of, queries.shape[0], map_rows, 64)

    def search_k(self, n_rows):
        """Return the `WeightedK` of the voting rows to show."""
        n = self.search.n_rows
        return WeightedK(n if n_rows is None else min(n_rows, n), np.ones(n))

    def list_votes(self, queries, rows, weighted_k, width):
        """Return the `ListedVotes` of a slice of queries, `width` rows at most."""
        exclude = no_exclusions(rows.stop - rows.start)
        lists = self.search.nearest(queries, rows, weighted_k, exclude)
        votes = vote_of_lists(
            lists,
            self.search.metric,
            self.weighting,
            self.targets,
            weighted_k.weight,
            width,
            exclude,
        )[2]
        listed, present, reduced, votes = _first_rows(lists, votes, width)
        found = self.all_rows.sums(queries, rows, self.weighting, exclude)
        sums, totals = found.sums, found.totals
        # The listed votes are scaled so that the nearest row has weight 1, the sums so
        # that a reference row has. The factor converts the first scale to the second.
        factor = self.weighting.relative_to(found.references, lists.reduced[:, 0])
        # The search used weights of 1: the sample weights are multiplied in here.
        votes = votes * self.targets.weight[listed] * factor[:, None]
        no_votes = totals == 0
        sums[no_votes], totals[no_votes] = self.targets.sums()
        return ListedVotes(listed, present, reduced, votes, sums, totals)


class TreecodeVote(Vote):
    """All rows vote, and predictions are within an error of tol.

    Parameters
    ----------
    search, weighting, targets : as of `Vote`
    treecode : Treecode
        Of the rows of the search.
    power : float
        The exponent p in the weight 1 / distance^p.
    tol : float
        The largest error allowed, as a share of the range of a target.
    """

    def __init__(self, search, weighting, targets, treecode, power, tol):
        super().__init__(search, weighting, targets)
        self.treecode = treecode
        self.power = power
        self.tol = tol

    def predictions(self, queries, map_rows):
        """Return the predictions from all rows, within the error."""
        predictions = np.empty((queries.shape[0], self.targets.n_outputs))

        def predict(rows):
            means, _ = weighted_means(
                self.treecode, queries[rows], self.power, self.tol
            )
            predictions[rows] = self.targets.in_units_of_y(means)

        map_rows(
            predict, len(predictions), 64, min_queries=MIN_QUERIES_PER_TREECODE_TASK
        )
        return predictions

    def exact(self):
        """Return the vote of all rows without an error."""
        return AllRowsVote(self.search, self.weighting, self.targets)


class UniformVote(Vote):
    """All rows vote with equal weights: every query has the same prediction."""

    def predictions(self, queries, map_rows):
        """Return the prediction, once for each query."""
        sums, total = self.targets.sums()
        prediction = self.targets.predictions(sums[None], np.array([total]))
        return np.repeat(prediction, queries.shape[0], axis=0)

    def exact(self):
        """Return a vote of all rows that reads each."""
        return AllRowsVote(self.search, self.weighting, self.targets)


def vote_of_lists(lists, metric, weighting, targets, row_weights, k, exclude):
    """Return the sums and totals of the votes of listed rows, and the votes.

    Parameters
    ----------
    lists : NeighborLists
        Changed in place: each list is shortened to the rows whose weights sum to k.
    metric : Metric
    weighting : Weighting
    targets : TrainingTargets
    row_weights : ndarray of shape (n,)
        Sample weights of the training rows.
    k : float
        The total weight of the rows that vote.
    exclude : int array of shape (m,)
        The training row that each query is, one copy of which does not vote; -1 for
        none.

    Returns
    -------
    sums : ndarray of shape (m, n_outputs)
    totals : ndarray of shape (m,)
    votes : ndarray of shape (m, width)
        The vote of each listed row, 0 after the end of a list.
    """
    m, width = lists.indices.shape
    cut = np.zeros((m, width))
    ks = frozen(np.full(m, k), np.float64)
    cut_weights(lists.indices, lists.counts, exclude, row_weights, ks, cut)
    weights = weighting.weigh(lists, metric)
    replace_degenerate_weights(lists.counts, weights)
    sums, totals = np.zeros((m, targets.n_outputs)), np.zeros(m)
    weighed = WeighedLists(lists.indices, lists.counts, weights)
    add_votes(weighed, cut, _row_targets(targets), sums, totals)
    return sums, totals, weights * cut


def vote_of_each_k(lists, metric, weighting, targets, row_weights, ks, exclude):
    """Return the sums (n_ks, m, n_outputs) and totals (n_ks, m) for ascending ks."""
    weights = weighting.weigh(lists, metric)
    m = len(lists.indices)
    sums, totals = np.zeros((len(ks), m, targets.n_outputs)), np.zeros((len(ks), m))
    vote_of_prefixes(
        WeighedLists(lists.indices, lists.counts, weights),
        frozen(exclude, np.int64),
        row_weights,
        frozen(ks, np.float64),
        _row_targets(targets),
        sums,
        totals,
    )
    return sums, totals


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
