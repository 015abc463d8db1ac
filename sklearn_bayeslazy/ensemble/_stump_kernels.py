"""Loops of boosted stumps: histograms, the best split, who is wrong, votes."""

import numpy as np

from .._kernel import inlined, kernel
from ..tabular import LANES

# Losses this near, as shares of all mass, differ by rounding: the first split stands.
TOLERANCE = 1e-10


@kernel
def add_to_histograms(codes, rows, start, mass, n_columns, n_codes, histograms):
    """Add the masses of some rows to their bins, four columns at a time.

    Shapes: codes (n_groups, n_rows, 4), of which `n_columns` are used; rows and mass
    (n,); start (n,), where the histograms of a row's class begin; histograms (n_groups,
    n_classes * 4 * n_codes).
    """
    step = np.uintp(n_codes)
    for group in range(codes.shape[0]):
        code = codes[group]
        histogram = histograms[group]
        n_lanes = n_columns - group * LANES
        for i in range(rows.shape[0]):
            row = np.uintp(rows[i])
            a = np.uintp(start[i])
            added = mass[i]
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


@inlined
def sum_up(mass, n, before, after):
    """Write the sums over the first k codes, and over the codes from k on, up to n.

    Shapes: mass (n_classes, n_codes); before and after (n_classes, n_codes + 1). Sums
    from either end, not differences: a small side keeps its digits.
    """
    for c in range(mass.shape[0]):
        total = 0.0
        for k in range(n):
            before[c, k] = total
            total += mass[c, k]
        before[c, n] = total
        total = 0.0
        for k in range(n, 0, -1):
            after[c, k] = total
            total += mass[c, k - 1]
        after[c, 0] = total


@inlined
def lose(a, b, n, gini, total, loss):
    """Write the mass a + b of each of n sides, and what it loses.

    That is the mass that errs where the side says its heaviest class, or the mass times
    its Gini impurity. Shapes: a (n_classes, n or more); b the same, or (n_classes, 1);
    total and loss (n or more,).
    """
    step = 0 if b.shape[1] == 1 else 1
    for k in range(n):
        total[k] = 0.0
        loss[k] = 0.0
    for c in range(a.shape[0]):
        for k in range(n):
            mass = a[c, k] + b[c, step * k]
            total[k] += mass
            loss[k] = loss[k] + mass * mass if gini else max(loss[k], mass)
    for k in range(n):
        if gini and total[k] > 0.0:
            loss[k] /= total[k]
        loss[k] = total[k] - loss[k]


@inlined
def heaviest(a, k, b, counts_b):
    """Return the class of the largest mass a[:, k], with b[:, 0] if that counts.

    Of those that differ by rounding it is the first.
    """
    best, largest = 0, 0.0
    for c in range(a.shape[0]):
        mass = a[c, k] + (b[c, 0] if counts_b else 0.0)
        if mass > largest * (1 + TOLERANCE):
            best, largest = c, mass
    return best


@kernel
def best_splits(
    histograms, n_bins, is_label, gini, loss, place, missing_left, says_left, says_right
):
    """Write the best split of each column: what it loses, where it is, what it says.

    Shapes: histograms (n_groups, n_classes, LANES, n_codes); all others (n_columns,),
    the last five are written. A split of numbers sends codes below `place` to the left,
    and missing cells to the better side; one of labels sends the code `place` there,
    and all else to the right. Each side says its heaviest class. The loss is a share of
    all mass, infinite where nothing splits.
    """
    n_classes, n_codes = histograms.shape[1], histograms.shape[3]
    nothing = np.zeros((n_classes, 1))
    before = np.empty((n_classes, n_codes + 1))
    after = np.empty((n_classes, n_codes + 1))
    left, lost_left = np.empty(n_codes + 1), np.empty(n_codes + 1)
    right, lost_right = np.empty(n_codes + 1), np.empty(n_codes + 1)
    unused, lost_with_left = np.empty(n_codes + 1), np.empty(n_codes + 1)
    lost_with_right = np.empty(n_codes + 1)
    for j in range(loss.shape[0]):
        mass = histograms[j // LANES, :, j % LANES]
        missing = mass[:, n_codes - 1 :]
        n_missing = missing.sum()
        least, best, goes_left = np.inf, 0, False
        if is_label[j]:
            sum_up(mass, n_codes, before, after)
            lose(mass, nothing, n_codes, gini, left, lost_left)
            lose(before, after[:, 1:], n_codes, gini, right, lost_right)
            total = left[0] + right[0]
            for k in range(n_codes):
                is_choice = k < n_bins[j] or k == n_codes - 1
                if is_choice and left[k] > 0.0 and right[k] > 0.0:
                    share = (lost_left[k] + lost_right[k]) / total
                    if share < least - TOLERANCE:
                        least, best = share, k
        else:
            n = n_bins[j]
            sum_up(mass, n, before, after)
            lose(before, nothing, n + 1, gini, left, lost_left)
            lose(after, nothing, n + 1, gini, right, lost_right)
            total = left[n] + n_missing
            if n_missing > 0.0:
                lose(before, missing, n + 1, gini, unused, lost_with_left)
                lose(after, missing, n + 1, gini, unused, lost_with_right)
            for k in range(1, n + 1):
                if left[k] == 0.0 or right[k] + n_missing == 0.0:
                    continue
                here, to_left = lost_left[k] + lost_right[k], left[k] >= right[k]
                if n_missing > 0.0:
                    with_left = lost_with_left[k] + lost_right[k]
                    with_right = lost_left[k] + lost_with_right[k]
                    # Where it makes no difference, missing cells go with the many.
                    if abs(with_left - with_right) > TOLERANCE * total:
                        to_left = with_left < with_right
                    to_left = to_left and right[k] > 0.0
                    here = with_left if to_left else with_right
                if here / total < least - TOLERANCE:
                    least, best, goes_left = here / total, k, to_left
        loss[j], place[j], missing_left[j] = least, best, goes_left
        if is_label[j]:
            says_left[j] = heaviest(mass, best, nothing, False)
            for c in range(n_classes):
                before[c, best] += after[c, best + 1]
            says_right[j] = heaviest(before, best, nothing, False)
        else:
            says_left[j] = heaviest(before, best, missing, goes_left)
            says_right[j] = heaviest(after, best, missing, not goes_left)


@kernel
def find_wrong(codes, said, start_of_row, weight, rows, start, mass):
    """Write the rows that are not said to be of their class; return how many.

    Shapes: codes, start_of_row and weight (n_rows,); said (n_codes,), where the class
    begins that is said of each code. Of rows, start and mass, (n_rows,), the first are
    written: the row, where its class begins, and its weight.
    """
    n_wrong = 0
    for i in range(codes.shape[0]):
        rows[n_wrong] = i  # the next one overwrites a row that is right
        start[n_wrong] = start_of_row[i]
        mass[n_wrong] = weight[i]
        n_wrong += said[codes[i]] != start_of_row[i]
    return n_wrong


@kernel
def raise_weights(rows, mass, log_factor, log_weight, weight):
    """Multiply the weights of some rows; let `mass`, their weights, be what is added.

    Shapes: rows and mass (n,); log_weight and weight (n_rows,).
    """
    gain = np.expm1(log_factor)
    for i in range(rows.shape[0]):
        mass[i] *= gain
        weight[rows[i]] += mass[i]
        log_weight[rows[i]] += log_factor


@kernel
def add_votes(
    cells, place, threshold, is_label, missing_left, left, right, alpha, votes
):
    """Add the votes of stumps, in their order.

    Shapes: cells (n_places, n_rows), categories as their codes; votes (n_classes,
    n_rows); all others (n_stumps,), left and right the classes that are said there.
    """
    for t in range(place.shape[0]):
        x = cells[place[t]]
        for_left = votes[left[t]]
        for_right = votes[right[t]]
        cut, a = threshold[t], alpha[t]
        for i in range(x.shape[0]):
            if is_label[t]:
                is_left = x[i] == cut
            elif missing_left[t]:
                is_left = not x[i] >= cut
            else:
                is_left = x[i] < cut
            for_left[i] += a if is_left else 0.0
            for_right[i] += 0.0 if is_left else a
