"""Loops of boosted stumps: histograms, the best split, who is wrong, votes."""

import numpy as np

from .._kernel import inlined, kernel
from ..tabular import LANES, MISSING_BYTE, N_BYTES

# Losses this near, as shares of all mass, differ by rounding: the first split stands.
TOLERANCE = 1e-10


@kernel
def add_to_histograms(codes, rows, start, mass, histograms):
    """Add the masses of some rows to their bins, four columns at a time.

    Shapes: codes (n_groups, n_rows, 4); rows and mass (n,); start (n,), where the
    histograms of a row's class begin; histograms (n_groups, n_classes * 4 * 256).
    """
    for group in range(codes.shape[0]):
        code = codes[group]
        histogram = histograms[group]
        for i in range(rows.shape[0]):
            row = np.uintp(rows[i])
            first = np.uintp(start[i])
            histogram[first + np.uintp(code[row, 0])] += mass[i]
            histogram[first + np.uintp(256) + np.uintp(code[row, 1])] += mass[i]
            histogram[first + np.uintp(512) + np.uintp(code[row, 2])] += mass[i]
            histogram[first + np.uintp(768) + np.uintp(code[row, 3])] += mass[i]


@inlined
def side(a, b, gini):
    """Return the mass a + b of a side, and its loss.

    The loss is the mass that errs, or the mass times its Gini impurity.
    """
    total, largest, squares = 0.0, 0.0, 0.0
    for c in range(a.shape[0]):
        mass = a[c] + b[c]
        total += mass
        squares += mass * mass
        largest = max(largest, mass)
    if not gini:
        return total, total - largest
    return total, total - squares / total if total > 0.0 else 0.0


@kernel
def split_numbers(mass, n_bins, gini, before, after):
    """Return the least loss, the bins on the left, and whether missing cells go there.

    Shapes: mass (N_BYTES, n_classes); before and after (N_BYTES + 1, n_classes), sums
    over the codes below and from each on.
    """
    missing = mass[MISSING_BYTE]
    nothing = np.zeros(mass.shape[1])
    n_missing = missing.sum()
    all_mass = before[n_bins].sum() + n_missing
    least, place, missing_left = np.inf, 0, False
    for k in range(1, n_bins + 1):
        left, loss_left = side(before[k], nothing, gini)
        right, loss_right = side(after[k], nothing, gini)
        if left == 0.0:
            continue
        here, goes_left = loss_left + loss_right, left >= right
        if n_missing > 0.0:
            with_left = side(before[k], missing, gini)[1] + loss_right
            with_right = side(after[k], missing, gini)[1] + loss_left
            # Where it makes no difference, missing cells go with the many.
            if abs(with_left - with_right) > TOLERANCE * all_mass:
                goes_left = with_left < with_right
            goes_left = goes_left and right > 0.0
            here = with_left if goes_left else with_right
        elif right == 0.0:
            continue
        if here < (least - TOLERANCE) * all_mass:
            least, place, missing_left = here / all_mass, k, goes_left
    return least, place, missing_left


@kernel
def split_labels(mass, n_bins, gini, before, after):
    """Return the least loss, and the code that is split from all others.

    Shapes: as `split_numbers`.
    """
    nothing = np.zeros(mass.shape[1])
    all_mass = before[N_BYTES].sum()
    least, place = np.inf, 0
    for k in range(N_BYTES):
        if k < n_bins or k == MISSING_BYTE:
            left, loss_left = side(mass[k], nothing, gini)
            right, loss_right = side(before[k], after[k + 1], gini)
            loss = loss_left + loss_right
            if left > 0.0 and right > 0.0 and loss < (least - TOLERANCE) * all_mass:
                least, place = loss / all_mass, k
    return least, place


@kernel
def best_splits(histograms, n_bins, is_label, gini, loss, place, missing_left):
    """Write each column's least loss, as a share of all mass, and its split.

    Shapes: histograms (n_groups, n_classes, LANES, N_BYTES); all others (n_groups *
    LANES,). A split of numbers sends codes below `place` to the left, and missing cells
    to the better side; one of labels sends the code `place` there, and all else to the
    right. The loss is infinite where nothing splits.
    """
    n_classes = histograms.shape[1]
    mass = np.empty((N_BYTES, n_classes))
    before = np.zeros((N_BYTES + 1, n_classes))
    after = np.zeros((N_BYTES + 1, n_classes))
    for j in range(loss.shape[0]):
        mass[:] = histograms[j // LANES, :, j % LANES].T
        top = N_BYTES if is_label[j] else n_bins[j]
        for k in range(top):
            for c in range(n_classes):
                before[k + 1, c] = before[k, c] + mass[k, c]
        # Summed from the right, not subtracted: a small side keeps its digits.
        after[top] = 0.0
        for k in range(top - 1, -1, -1):
            for c in range(n_classes):
                after[k, c] = after[k + 1, c] + mass[k, c]
        missing_left[j] = False
        if is_label[j]:
            loss[j], place[j] = split_labels(mass, n_bins[j], gini, before, after)
        else:
            found = split_numbers(mass, n_bins[j], gini, before, after)
            loss[j], place[j], missing_left[j] = found


@kernel
def find_wrong(codes, said, classes, rows):
    """Write the rows that are not said to be of their class; return how many.

    Shapes: codes and classes (n_rows,); said (N_BYTES,), the class said of each code;
    rows (n_rows,) int32, of which the first are written.
    """
    n_wrong = 0
    for i in range(codes.shape[0]):
        rows[n_wrong] = i  # the next one overwrites a row that is right
        n_wrong += said[codes[i]] != classes[i]
    return n_wrong


@kernel
def mass_of(rows, weight):
    """Return the sum of the weights of some rows."""
    total = 0.0
    for i in range(rows.shape[0]):
        total += weight[rows[i]]
    return total


@kernel
def raise_weights(rows, log_factor, log_weight, weight, added):
    """Multiply the weights of some rows; write what is added to each."""
    gain = np.expm1(log_factor)
    for i in range(rows.shape[0]):
        row = rows[i]
        added[i] = gain * weight[row]
        weight[row] += added[i]
        log_weight[row] += log_factor


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
