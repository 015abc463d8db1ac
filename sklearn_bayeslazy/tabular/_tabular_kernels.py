"""Loops over cells: which small integers occur, cells to codes, the best cut."""

import numpy as np

from .._kernel import kernel
from ._labels import MISSING

UNKNOWN = MISSING - 1
# Integers whose presence is marked in a window instead of sorting the column.
WINDOW_LOW = -2048
WINDOW = 4096


@kernel
def mark_integers(block, seen, wide):
    """Mark which integers of the window occur; flag columns that hold other numbers.

    Shapes: block (n, d); seen (d, WINDOW) bool; wide (d,) bool.
    """
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            x = block[i, j]
            place = x - WINDOW_LOW
            if 0 <= place < WINDOW and np.floor(x) == x:
                seen[j, int(place)] = True
            elif x == x:
                wide[j] = True


@kernel
def code_of(x, j, is_cut, start, values, low, slot_start, slots):
    """Return the code of the number x in column j.

    Cut columns: how many edges are ≤ x. Others: the place of x among the sorted
    categories, through a table of slots where they are small integers.
    """
    if x != x:
        return MISSING
    first, last = start[j], start[j + 1]
    n_slots = slot_start[j + 1] - slot_start[j]
    if n_slots > 0:
        place = x - low[j]
        if not (0 <= place < n_slots) or np.floor(place) != place:
            return UNKNOWN
        return slots[slot_start[j] + int(place)]
    a, b = first, last
    while a < b:  # the first value > x
        middle = (a + b) // 2
        if values[middle] <= x:
            a = middle + 1
        else:
            b = middle
    if is_cut[j]:
        return a - first
    return a - 1 - first if a > first and values[a - 1] == x else UNKNOWN


@kernel
def encode(block, place, is_cut, start, values, low, slot_start, slots, codes):
    """Write the codes of the numbers of a block into columns `place` of `codes`."""
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            codes[i, place[j]] = code_of(
                block[i, j], j, is_cut, start, values, low, slot_start, slots
            )


@kernel
def encode_stored(
    data, column, rank, is_cut, start, values, low, slot_start, slots, codes
):
    """Write the code of each stored cell of sparse rows, MISSING for other columns.

    `rank` gives a column of the matrix its place among the coded ones, or -1.
    """
    for i in range(data.shape[0]):
        j = rank[column[i]]
        codes[i] = MISSING
        if j >= 0:
            codes[i] = code_of(
                data[i], j, is_cut, start, values, low, slot_start, slots
            )


@kernel
def best_cut(x, classes, weight, left, right):
    """Return the row i of sorted x before which a cut leaves the least class entropy.

    -1 where x holds one value. With f(t) = t log2 t, the entropy of a side of mass N
    and class masses T_c, times N, is f(N) - Σ f(T_c); moving a row across the cut
    changes one class a side. `left` (zeros) and `right` (the class masses) are used
    up. Ties go to the lower cut.
    """
    total_right = right.sum()
    total_left = 0.0
    tolerance = 1e-12 * total_right
    sum_left = 0.0
    sum_right = 0.0
    for c in range(right.shape[0]):
        sum_right += x_log2_x(right[c])
    best = -1
    least = np.inf
    for i in range(x.shape[0] - 1):
        c = classes[i]
        sum_left -= x_log2_x(left[c])
        sum_right -= x_log2_x(right[c])
        left[c] += weight[i]
        right[c] -= weight[i]
        sum_left += x_log2_x(left[c])
        sum_right += x_log2_x(right[c])
        total_left += weight[i]
        total_right -= weight[i]
        if x[i] < x[i + 1]:
            impurity = (x_log2_x(total_left) - sum_left) + (
                x_log2_x(total_right) - sum_right
            )
            if impurity < least - tolerance:
                least = impurity
                best = i + 1
    return best


@kernel
def x_log2_x(t):
    """Return t log2 t, 0 where rounding left t at or below 0."""
    return t * np.log2(t) if t > 0 else 0.0
