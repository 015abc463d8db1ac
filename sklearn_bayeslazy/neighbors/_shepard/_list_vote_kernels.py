"""Numba kernels that add up the votes of lists of neighbours."""

from typing import NamedTuple

import numpy as np

from ..._kernel import inlined, kernel
from .._search import remaining_weight

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
            if len(codes):
                sums[q, codes[indices[q, c]]] += vote
            else:
                for v in range(sums.shape[1]):
                    sums[q, v] += vote * numbers[indices[q, c], v]


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

    The weights of the lists are not settled yet: exact hits have infinite ones. Of row
    exclude[q] one copy does not vote. sums is of shape (n_ks, m, n_outputs), totals
    (n_ks, m).

    The loop is in one piece: a part of it that takes arrays, even if it is inlined,
    counts references, which takes ten times as long as the sums.
    """
    indices, counts, weights = lists
    codes, numbers = row_targets
    n_outputs = sums.shape[2]
    sums_by_way = np.zeros((3, n_outputs))
    total_by_way = np.zeros(3)
    for q in range(indices.shape[0]):
        sums_by_way[:] = 0.0
        total_by_way[:] = 0.0
        reached = 0.0
        at = 0
        for c in range(counts[q]):
            row = indices[q, c]
            whole = remaining_weight(sample_weight, row, exclude[q])
            is_hit = weights[q, c] == np.inf
            weight = 0.0 if is_hit else weights[q, c]
            last = c == counts[q] - 1
            while at < len(ks) and (last or reached + whole >= ks[at]):
                part = min(whole, ks[at] - reached)
                way = _ALL_ALIKE
                if total_by_way[_HITS_ONLY] > 0.0 or is_hit:
                    way = _HITS_ONLY
                elif total_by_way[_BY_WEIGHT] + weight * part > 0.0:
                    way = _BY_WEIGHT
                vote = _vote_by(way, is_hit, weight, part)
                for v in range(n_outputs):
                    sums[at, q, v] = sums_by_way[way, v]
                    if not len(codes):
                        sums[at, q, v] += vote * numbers[row, v]
                if len(codes):
                    sums[at, q, codes[row]] += vote
                totals[at, q] = total_by_way[way] + vote
                at += 1
            for way in range(3):
                vote = _vote_by(way, is_hit, weight, whole)
                total_by_way[way] += vote
                if len(codes):
                    sums_by_way[way, codes[row]] += vote
                else:
                    for v in range(n_outputs):
                        sums_by_way[way, v] += vote * numbers[row, v]
            reached += whole
