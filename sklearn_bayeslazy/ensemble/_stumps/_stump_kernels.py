"""Kernels of boosted stumps: histograms, best splits, misclassified rows, votes.

A histogram holds the total weight of each class in each bin of a column. The histogram
of class c begins at the index ``c * LANES * n_codes`` of a flat array, the *class
start*; this index stands for the class in the loops over rows.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel
from ...tabular import LANES

# Losses that differ by no more than this share of the total weight differ by rounding:
# of such splits the first is chosen.
TOLERANCE = 1e-10


class WeightedRows(NamedTuple):
    """Some rows, their classes and their weights, arrays of shape (n,)."""

    indices: np.ndarray  # int32
    class_start: np.ndarray  # int32, where the histogram of each row's class begins
    weight: np.ndarray  # float64

    @classmethod
    def empty(cls, n):
        """Return room for n rows."""
        indices, class_start = np.empty((2, n), np.int32)
        return cls(indices, class_start, np.empty(n))

    def first(self, n):
        """Return views of the first n rows."""
        return WeightedRows(*(values[:n] for values in self))


class StumpSplits(NamedTuple):
    """The splits of many stumps, arrays of shape (n_stumps,)."""

    row: np.ndarray  # int64, the row of the cells that the stump reads
    # float64, the threshold, or the code of the category that goes to the left
    threshold: np.ndarray
    is_label: np.ndarray  # bool


@kernel
def add_to_histograms(
    codes, indices, class_start, weight, n_columns, n_codes, histograms
):
    """Add the weights of some rows to their bins, four columns at a time."""
    # Bytes are counted as `code_table` lays them out: for the row "AdaBoost, stumps,
    # 10⁵ × 30, 50 rounds" of DESIGN.md, section 5.
    # codes: (n_groups, n_rows, 4), of which only `n_columns` columns are read; indices,
    # class_start and weight: (n,), as in `WeightedRows`; histograms: (n_groups,
    # n_classes * 4 * n_codes), added to.
    step = np.uintp(n_codes)
    for group in range(codes.shape[0]):
        code = codes[group]
        histogram = histograms[group]
        n_lanes = n_columns - group * LANES
        for i in range(indices.shape[0]):
            row = np.uintp(indices[i])
            a = np.uintp(class_start[i])
            added = weight[i]
            if n_lanes >= LANES:
                b = a + step
                c = b + step
                d = c + step
                histogram[a + np.uintp(code[row, 0])] += added
                histogram[b + np.uintp(code[row, 1])] += added
                histogram[c + np.uintp(code[row, 2])] += added
                histogram[d + np.uintp(code[row, 3])] += added
            else:
                for lane in range(n_lanes):
                    histogram[a + np.uintp(code[row, lane])] += added
                    a += step


@kernel(only_in_kernels=True)
def sum_from_both_ends(weight, n, before, after):
    """Write the sums over the first k codes, and over the codes from k on, up to n."""
    # weight: (n_classes, n_codes); before and after: (n_classes, n_codes + 1). `after`
    # is summed from the last code: as a difference, a small side would lose digits.
    for c in range(weight.shape[0]):
        total = 0.0
        for k in range(n):
            before[c, k] = total
            total += weight[c, k]
        before[c, n] = total
        total = 0.0
        for k in range(n, 0, -1):
            after[c, k] = total
            total += weight[c, k - 1]
        after[c, 0] = total


@inlined
def one_against_the_others(weight, n, before, after):
    """Turn sums before and from each of n codes into those of the others and itself."""
    for s in range(weight.shape[0]):
        for k in range(n):
            before[s, k] += after[s, k + 1]
            after[s, k] = weight[s, k]


@kernel(only_in_kernels=True)
def write_losses(a, b, n, gini, total, loss):
    """Write the total weight a + b of each of n sides, and its loss."""
    # The loss is the weight that is misclassified if the side predicts its class of
    # largest weight, or the weight times the Gini impurity. a: (n_classes, n or more);
    # b: (n_classes, 1); total and loss: (n or more,).
    for k in range(n):
        total[k] = 0.0
        loss[k] = 0.0
    for c in range(a.shape[0]):
        for k in range(n):
            weight = a[c, k] + b[c, 0]
            total[k] += weight
            loss[k] = loss[k] + weight * weight if gini else max(loss[k], weight)
    for k in range(n):
        if gini and total[k] > 0.0:
            loss[k] /= total[k]
        loss[k] = total[k] - loss[k]


@kernel(only_in_kernels=True)
def heaviest_class(a, k, b, add_b):
    """Return the class of the largest weight a[:, k], plus b[:, 0] if `add_b`."""
    # Of weights that differ by rounding the first is chosen. a: (n_classes, k + 1 or
    # more); b: (n_classes, 1).
    best, largest = 0, 0.0
    for c in range(a.shape[0]):
        weight = a[c, k] + (b[c, 0] if add_b else 0.0)
        if weight > largest * (1 + TOLERANCE):
            best, largest = c, weight
    return best


@kernel
def best_splits(
    histograms, n_bins, is_label, gini, loss, code, missing_left, left, right
):
    """Write the best split of each column."""
    # histograms: (n_groups, n_classes, LANES, n_codes); all other arrays: (n_columns,).
    # n_bins: how many codes of a column are bins or categories to split at.
    # Written: loss, a share of the total weight, infinite if no split separates any
    # rows; code, missing_left, left, right. Numbers: codes below `code` go to the left,
    # and missing cells if `missing_left`. Labels: only this code goes to the left; that
    # of missing cells is one of them. `left` and `right` are the classes of largest
    # weight, which the sides predict.
    n_classes, n_codes = histograms.shape[1], histograms.shape[3]
    none = np.zeros((n_classes, 1))
    before = np.empty((n_classes, n_codes + 1))
    after = np.empty((n_classes, n_codes + 1))
    work = np.empty((7, n_codes + 1))
    left_weight, left_loss = work[0], work[1]
    right_weight, right_loss = work[2], work[3]
    # The losses if missing cells go to that side, too.
    left_loss_with_missing, right_loss_with_missing, unused = work[4], work[5], work[6]
    for j in range(loss.shape[0]):
        weight, labels = histograms[j // LANES, :, j % LANES], is_label[j]
        missing, missing_weight = weight[:, n_codes - 1 :], 0.0
        n = n_codes if labels else n_bins[j]
        sum_from_both_ends(weight, n, before, after)
        on_left, on_right, whole = before, after, n
        if labels:
            one_against_the_others(weight, n, before, after)
            on_left, on_right, whole = after, before, np.int64(0)
        else:
            missing_weight = missing.sum()
        write_losses(on_left, none, n + 1, gini, left_weight, left_loss)
        write_losses(on_right, none, n + 1, gini, right_weight, right_loss)
        total = left_weight[whole] + right_weight[whole] + missing_weight
        if missing_weight > 0.0:
            write_losses(on_left, missing, n + 1, gini, unused, left_loss_with_missing)
            write_losses(
                on_right, missing, n + 1, gini, unused, right_loss_with_missing
            )
        least, best, to_left = np.inf, np.int64(0), False
        for k in range(n + 1):
            is_candidate = not labels or k < n_bins[j] or k == n_codes - 1
            has_right = right_weight[k] + missing_weight > 0.0
            if not (is_candidate and left_weight[k] > 0.0 and has_right):
                continue
            here, is_left = left_loss[k] + right_loss[k], False
            if not labels:
                is_left = left_weight[k] >= right_weight[k]
            if missing_weight > 0.0:
                with_left = left_loss_with_missing[k] + right_loss[k]
                with_right = left_loss[k] + right_loss_with_missing[k]
                # If both sides are equally good, missing cells go to the heavier one.
                if abs(with_left - with_right) > TOLERANCE * total:
                    is_left = with_left < with_right
                is_left = is_left and right_weight[k] > 0.0
                here = with_left if is_left else with_right
            if here / total < least - TOLERANCE:
                least, best, to_left = here / total, k, is_left
        loss[j], code[j], missing_left[j] = least, best, to_left
        to_right = not (to_left or labels)
        left[j] = heaviest_class(on_left, best, missing, to_left)
        right[j] = heaviest_class(on_right, best, missing, to_right)


@kernel
def find_misclassified(codes, predicted, class_start, weight, wrong):
    """Write the misclassified rows; return how many there are."""
    # predicted: (n_codes,), where the histogram of the class begins that is predicted
    # for each code; all others: (n_rows,). wrong: WeightedRows, of which the first
    # entries are written.
    wrong_indices, wrong_class_start, wrong_weight = wrong
    n_wrong = 0
    for i in range(codes.shape[0]):
        wrong_indices[n_wrong] = i  # the next row overwrites a row that is right
        wrong_class_start[n_wrong] = class_start[i]
        wrong_weight[n_wrong] = weight[i]
        n_wrong += predicted[codes[i]] != class_start[i]
    return n_wrong


@kernel
def raise_weights(indices, row_weight, log_factor, log_weight, weight):
    """Multiply the weights of some rows, and replace `row_weight` by what is added."""
    # indices and row_weight: (n,); log_weight and weight: (n_rows,), of all rows.
    gain = np.expm1(log_factor)
    for i in range(indices.shape[0]):
        row_weight[i] *= gain
        weight[indices[i]] += row_weight[i]
        log_weight[indices[i]] += log_factor


@kernel
def add_votes(cells, splits, votes, sums):
    """Add the votes of stumps for and against each class, in their order."""
    # cells: (n_read, n_rows), the columns that stumps read, categories as their codes,
    # missing cells NaN; splits: StumpSplits; votes: (n_stumps, 3, n_classes), of the
    # left and the right side and of missing cells; sums: (n_classes, n_rows), added to.
    row, threshold, is_label = splits
    side = np.empty(cells.shape[1], dtype=np.uint8)
    for s in range(row.shape[0]):
        x, cut = cells[row[s]], threshold[s]
        for i in range(x.shape[0]):
            is_left = x[i] == cut if is_label[s] else x[i] < cut
            side[i] = 2 if x[i] != x[i] else np.uint8(not is_left)
        for c in range(sums.shape[0]):
            total = sums[c]
            left, right, missing = votes[s, 0, c], votes[s, 1, c], votes[s, 2, c]
            for i in range(x.shape[0]):
                vote = left if side[i] == 0 else right
                total[i] += missing if side[i] == 2 else vote
