"""How neighbours vote: weights by distance, masses, and sums for classes or targets."""

from dataclasses import dataclass

import numpy as np

from ..._arrays import as_float_array, csr_arrays
from ..._kernel import frozen
from .._search import SparseSearch, cut_weights
from ._sparse_vote_kernels import sum_all_postings
from ._vote_kernels import (
    COSINE,
    POWER,
    UNIFORM,
    settle_weights,
    sum_all_rows,
    vote,
    vote_of_prefixes,
    weigh_lists,
)


@dataclass
class Voters:
    """What the training rows vote for, and with what mass.

    Attributes
    ----------
    weight : ndarray of shape (n,)
    codes : int array of shape (n,), or (0,)
        The class of each row; empty where the rows vote for targets.
    targets : ndarray of shape (n, n_targets), or (0, n_classes)
    """

    weight: np.ndarray
    codes: np.ndarray
    targets: np.ndarray

    @property
    def n_outputs(self):
        """Return the number of classes or targets."""
        return self.targets.shape[1]

    def segments(self):
        """Return the rows of each class, or all."""
        if not len(self.codes):
            return [np.arange(len(self.weight))]
        order = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.codes, minlength=self.n_outputs))
        return [part for part in np.split(order, ends[:-1]) if len(part)]

    def sums(self, exclude=None):
        """Return the sums and the total of all votes of weight 1, but for own copies.

        Shape (n_outputs,) and a number, or a row for each of own.
        """
        if len(self.codes):
            sums = np.bincount(self.codes, self.weight, self.n_outputs)
        else:
            sums = self.weight @ self.targets
        total = self.weight.sum()
        if exclude is None:
            return sums, total
        copy = np.minimum(self.weight[exclude], 1.0)
        sums = np.tile(sums, (len(exclude), 1))
        if len(self.codes):
            sums[np.arange(len(exclude)), self.codes[exclude]] -= copy
        else:
            sums -= copy[:, None] * self.targets[exclude]
        return sums, total - copy


@dataclass(frozen=True)
class Weighting:
    """How a distance becomes a weight.

    Attributes
    ----------
    kind : int
        Of the kernels; callables of the distance have kind `POWER` and a function.
    exponent : float
        Of the reduced distance.
    function : callable or None
    """

    kind: int
    exponent: float = 1.0
    function: object = None

    @classmethod
    def of(cls, weights, power, metric):
        """Return the weighting for an estimator's parameters."""
        if callable(weights):
            return cls(POWER, function=weights)
        if weights == "cosine":
            return cls(COSINE)
        if weights == "uniform" or power == 0:
            return cls(UNIFORM)
        return cls(POWER, power / metric.root)

    def weigh(self, lists, metric):
        """Return the weights of listed rows; infinite where a row is hit exactly."""
        weights = np.zeros_like(lists.reduced)
        if self.function is None:
            weigh_lists(lists.reduced, lists.counts, self.kind, self.exponent, weights)
            return weights
        return self._call(lists, metric, weights)

    def relative(self, nearest, references):
        """Return the weights of nearest rows relative to those of reference rows."""
        if self.kind != POWER:
            return np.ones(len(nearest))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.where(references > nearest, references / nearest, 1.0)
            return ratios**self.exponent

    def _call(self, lists, metric, weights):
        """Return the function's weights, of lists of equal length at a time."""
        for count in np.unique(lists.counts):
            some = lists.counts == count
            distances = metric.distances(lists.reduced[some, :count])
            with np.errstate(divide="ignore"):
                given = as_float_array(
                    self.function(distances), "What weights returned"
                )
            if given.shape != distances.shape:
                raise ValueError(
                    f"weights returned an array of shape {given.shape} for distances "
                    f"of shape {distances.shape}: it must return one weight for each."
                )
            if not np.all(given >= 0):
                raise ValueError("weights returned a negative weight or NaN.")
            weights[some, :count] = given
        # Relative to the largest that is finite, so that no sum over- or underflows.
        largest = np.max(weights, axis=1, where=weights < np.inf, initial=0.0)
        return weights / np.where(largest > 0, largest, 1.0)[:, None]


def vote_of_lists(lists, weighting, metric, voters, weighted_k, k, exclude):
    """Return the sums and totals of the votes of listed rows, and their shares.

    Returns
    -------
    sums : ndarray of shape (m, n_outputs)
    totals : ndarray of shape (m,)
    votes : ndarray of shape (m, width)
        What each listed row brought in, 0 after the end of a list.
    """
    m, width = lists.indices.shape
    masses = np.zeros((m, width))
    ks = frozen(np.full(m, k), np.float64)
    cut_weights(lists.indices, lists.counts, exclude, weighted_k.weight, ks, masses)
    weights = weighting.weigh(lists, metric)
    settle_weights(lists.counts, weights)
    sums, totals = np.zeros((m, voters.n_outputs)), np.zeros(m)
    codes, targets = frozen(voters.codes, np.int64), frozen(voters.targets, np.float64)
    vote(lists.indices, lists.counts, weights, masses, codes, targets, sums, totals)
    return sums, totals, weights * masses


def vote_of_each_k(lists, weighting, metric, voters, weighted_k, ks, exclude):
    """Return the sums (n_ks, m, n_outputs) and totals for each of ascending ks."""
    weights = weighting.weigh(lists, metric)
    m = len(lists.indices)
    sums, totals = np.zeros((len(ks), m, voters.n_outputs)), np.zeros((len(ks), m))
    vote_of_prefixes(
        lists.indices,
        lists.counts,
        weights,
        frozen(exclude, np.int64),
        weighted_k.weight,
        frozen(ks, np.float64),
        frozen(voters.codes, np.int64),
        frozen(voters.targets, np.float64),
        sums,
        totals,
    )
    return sums, totals


class AllRows:
    """The votes of all rows, laid out like the blocks of a search."""

    def __init__(self, search, voters):
        self.search = search
        sparse = isinstance(search, SparseSearch)
        ids = search.indices if sparse else search.blocks.indices
        there = ids >= 0
        self.mass = np.where(there, voters.weight[ids], 0.0)
        self.block_class = np.full(len(ids), -1)
        self.targets = np.zeros((len(ids), 0, ids.shape[1]))
        if len(voters.codes):
            self.block_class = voters.codes[ids[:, 0]]
        else:
            targets = np.where(there[:, :, None], voters.targets[ids], 0.0)
            self.targets = np.ascontiguousarray(targets.transpose(0, 2, 1))
        self.n_outputs = voters.n_outputs
        self.position = np.empty(search.n_rows, dtype=np.int64)
        self.position[ids[there]] = np.flatnonzero(there.ravel())

    def sum(self, queries, rows, weighting, exclude):
        """Return sums, totals and reference distances for a slice of queries."""
        search, m = self.search, rows.stop - rows.start
        width = self.mass.shape[1]
        own_place = np.where(exclude >= 0, self.position[exclude], -1)
        votes = (
            frozen(np.where(exclude >= 0, own_place // width, -1), np.int64),
            frozen(own_place % width, np.int64),
            frozen(self.mass, np.float64),
            frozen(self.block_class, np.int64),
            frozen(self.targets, np.float64),
        )
        sums, totals = np.zeros((m, self.n_outputs)), np.zeros(m)
        references = np.empty(m)
        rest = weighting.kind, weighting.exponent, sums, totals, references
        if isinstance(search, SparseSearch):
            query = csr_arrays(queries.indptr, queries.indices, queries.data)
            sum_all_postings(query, rows.start, *search.arrays(), *votes, *rest)
        else:
            sum_all_rows(
                frozen(search.blocks.cells, np.float64),
                frozen(queries[rows], np.float64),
                *votes,
                search.metric.kind,
                search.metric.p,
                *rest,
            )
        return sums, totals, references
