"""Numba kernels that add up the votes of lists of neighbours."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel
from ...search import remaining_weight

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


class OpenTies(NamedTuple):
    """All rows at the last distance of lists that may lack some of them."""

    position: np.ndarray  # (m,), of a list in totals and sums; -1 for complete lists
    totals: np.ndarray  # (n_open,), weights of the rows
    sums: np.ndarray  # (n_open, n_outputs), weighted targets


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
    lists, ties, exclude, sample_weight, ks, row_targets, sums, totals, squares
):
    """Add up the votes of the nearest rows of total weight ks[0] < ks[1] < …."""
    # Rows at equal distances are taken at once. Where their weights exceed what is left
    # of k, they share it in proportion to their weights. Of row exclude[q] one copy
    # does not vote. sums: (n_ks, m, n_outputs); totals, squares: (n_ks, m), as in
    # `VoteSums`.
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
                    row_weight = remaining_weight(sample_weight, row, exclude[q])
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
