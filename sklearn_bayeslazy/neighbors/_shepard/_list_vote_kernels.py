"""Numba kernels that add up the votes of lists of neighbours."""

from typing import NamedTuple

import numpy as np

from ..._kernel import inlined, kernel
from .._search import mass_without

# Ways to count the votes of a list: by weight, exact hits only, or all rows alike.
_BY_WEIGHT, _HITS_ONLY, _ALL_ALIKE = range(3)


class RowTargets(NamedTuple):
    """The targets of the training rows.

    codes (n,) are their classes; or codes is empty, and numbers (n, n_targets) are
    their targets.
    """

    codes: np.ndarray
    numbers: np.ndarray


class WeighedLists(NamedTuple):
    """Lists of neighbours, nearest first, and their weights by distance."""

    indices: np.ndarray
    counts: np.ndarray
    weights: np.ndarray


@inlined
def _add_vote(row, vote, codes, numbers, sums, at):
    """Add one row's vote to sums[at], for its class or its targets."""
    if len(codes):
        sums[at, codes[row]] += vote
    else:
        for v in range(sums.shape[1]):
            sums[at, v] += vote * numbers[row, v]


@kernel
def add_votes(lists, sample_weights, row_targets, sums, totals):
    """Add up the votes of listed rows, for their classes or targets.

    sample_weights (m, width) are what each row counts at its place in the list.
    """
    indices, counts, weights = lists
    codes, numbers = row_targets
    for q in range(indices.shape[0]):
        for c in range(counts[q]):
            vote = weights[q, c] * sample_weights[q, c]
            totals[q] += vote
            _add_vote(indices[q, c], vote, codes, numbers, sums, q)


@inlined
def _way_to_count(is_hit, weight, totals_so_far):
    """Return how a list counts, whose last row has this weight."""
    if totals_so_far[_HITS_ONLY] > 0.0 or is_hit:
        return _HITS_ONLY
    if totals_so_far[_BY_WEIGHT] + weight > 0.0:
        return _BY_WEIGHT
    return _ALL_ALIKE


@inlined
def _vote_by(way, is_hit, weight, sample_weight):
    """Return the vote of a row under a way to count."""
    if way == _BY_WEIGHT:
        return sample_weight * weight
    if way == _HITS_ONLY and not is_hit:
        return 0.0
    return sample_weight


@kernel
def vote_of_prefixes(lists, exclude, sample_weight, ks, row_targets, sums, totals):
    """Add up the votes of the nearest rows of total weight ks[0] < ks[1] < ….

    The weights of the lists are not settled yet: exact hits have infinite ones. Query q
    without one copy of row exclude[q] has its sums for ks[i] in sums[i * m + q],
    of n_ks * m rows, and their total in totals[i, q].
    """
    indices, counts, weights = lists
    codes, numbers = row_targets
    m = indices.shape[0]
    n_outputs = sums.shape[1]
    sums_by_way = np.zeros((3, n_outputs))
    total_by_way = np.zeros(3)
    for q in range(m):
        sums_by_way[:] = 0.0
        total_by_way[:] = 0.0
        reached = 0.0
        at = 0
        for c in range(counts[q]):
            row = indices[q, c]
            whole = mass_without(sample_weight, row, exclude[q])
            is_hit = weights[q, c] == np.inf
            weight = 0.0 if is_hit else weights[q, c]
            last = c == counts[q] - 1
            while at < len(ks) and (last or reached + whole >= ks[at]):
                part = min(whole, ks[at] - reached)
                way = _way_to_count(is_hit, weight * part, total_by_way)
                vote = _vote_by(way, is_hit, weight, part)
                for v in range(n_outputs):
                    sums[at * m + q, v] = sums_by_way[way, v]
                _add_vote(row, vote, codes, numbers, sums, at * m + q)
                totals[at, q] = total_by_way[way] + vote
                at += 1
            for way in range(3):
                vote = _vote_by(way, is_hit, weight, whole)
                total_by_way[way] += vote
                _add_vote(row, vote, codes, numbers, sums_by_way, way)
            reached += whole
