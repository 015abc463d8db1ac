"""Kernels of AdaBoost.MH: the split with the least Z of each column, and the votes.

For each class there are two sums of weights: W- of the rows of other classes, and W+ of
the rows of that class.
"""

import numpy as np

from ..._core._kernel import inlined, kernel
from ...tabular import LANES
from ._stump_kernels import TOLERANCE, sum_from_both_ends


@inlined
def add_sides(sums, n, z, total):
    """Add Σ √(W- W+) over the classes, and the total weight, of each of n sides."""
    # sums: (2 n_classes, n or more), W- and W+ of each class in turn; z and total: (n
    # or more,), added to.
    for t in range(sums.shape[0] // 2):
        for k in range(n):
            z[k] += np.sqrt(sums[2 * t, k] * sums[2 * t + 1, k])
            total[k] += sums[2 * t, k] + sums[2 * t + 1, k]


@inlined
def one_against_the_others(weight, n, before, after):
    """Turn sums before and from each of n codes into those of the others and itself."""
    for s in range(weight.shape[0]):
        for k in range(n):
            before[s, k] += after[s, k + 1]
            after[s, k] = weight[s, k]


@kernel
def best_mh_splits(histograms, n_bins, is_label, loss, code):
    """Write the split of each column with the least Z, the sum of 2 √(W- W+)."""
    # histograms: (n_groups, 2 n_classes, LANES, n_codes), of W- and W+ of each class in
    # turn; all others: (n_columns,). n_bins: how many codes of a column are bins or
    # categories to split at. Missing cells are a third side.
    # Written: loss, Z as a share of the total weight, infinite if no split separates
    # any rows; and code. Numbers: codes below `code` go to the left. Labels: only this
    # code goes to the left. The code n_codes - 1 separates missing cells only.
    n_sums, n_codes = histograms.shape[1], histograms.shape[3]
    missing = n_codes - 1
    before = np.empty((n_sums, n_codes + 1))
    after = np.empty((n_sums, n_codes + 1))
    z = np.empty(n_codes + 1)
    sides = np.empty((2, n_codes + 1))
    missing_z, missing_weight = np.empty(1), np.empty(1)
    for j in range(loss.shape[0]):
        weight = histograms[j // LANES, :, j % LANES]
        n = missing if is_label[j] else n_bins[j]
        sum_from_both_ends(weight, n, before, after)
        if is_label[j]:
            one_against_the_others(weight, n, before, after)
        missing_z[0], missing_weight[0] = 0.0, 0.0
        add_sides(weight[:, missing:], 1, missing_z, missing_weight)
        for k in range(n + 1):
            z[k], sides[0, k], sides[1, k] = missing_z[0], 0.0, 0.0
        add_sides(before, n + 1, z, sides[0])
        add_sides(after, n + 1, z, sides[1])
        # At n all cells that are not missing are on one side.
        total = sides[0, n] + missing_weight[0]
        least, best = np.inf, missing
        for k in range(n_bins[j]):
            both = sides[0, k] > 0.0 and sides[1, k] > 0.0
            if both and z[k] < least - TOLERANCE * total:
                least, best = z[k], k
        both = sides[0, n] > 0.0 and missing_weight[0] > 0.0
        if both and z[n] < least - TOLERANCE * total:
            least, best = z[n], missing
        loss[j], code[j] = 2.0 * least / total, best


@kernel
def sum_sides(is_class, side, weight, sums):
    """Add the weights of rows to those of their class, or not of it, by side."""
    # is_class, side and weight: (n_rows,); sums: (2, 3), added to.
    for i in range(weight.shape[0]):
        sums[is_class[i], side[i]] += weight[i]


@kernel
def add_signed_votes(is_class, side, votes, log_weight):
    """Add to each row's log weight the vote for its side, signed by its class."""
    # is_class, side and log_weight: (n_rows,); votes: (2, 3), by whether a row is of
    # the class and by side.
    for i in range(log_weight.shape[0]):
        log_weight[i] += votes[is_class[i], side[i]]


@kernel
def add_mh_votes(cells, splits, votes, scores):
    """Add the votes of stumps for and against each class, in their order."""
    # cells: (n_read, n_rows), the columns that stumps read, categories as their codes,
    # missing cells NaN; splits: StumpSplits; votes: (n_stumps, 3, n_classes), of the
    # left and the right side and of missing cells; scores: (n_classes, n_rows), added
    # to.
    row, threshold, is_label = splits
    side = np.empty(cells.shape[1], dtype=np.uint8)
    for s in range(row.shape[0]):
        x, cut = cells[row[s]], threshold[s]
        for i in range(x.shape[0]):
            is_left = x[i] == cut if is_label[s] else x[i] < cut
            side[i] = 2 if x[i] != x[i] else np.uint8(not is_left)
        for c in range(scores.shape[0]):
            score = scores[c]
            left, right, missing = votes[s, 0, c], votes[s, 1, c], votes[s, 2, c]
            for i in range(x.shape[0]):
                vote = left if side[i] == 0 else right
                score[i] += missing if side[i] == 2 else vote
