"""Loops over cells: to columns, to codes, and the best cut of a column."""

from typing import NamedTuple

import numpy as np

from .._core._kernel import inlined, kernel
from ._labels import MISSING

UNKNOWN = MISSING - 1
# Integers that lie in a window of this width are looked up in a table.
WINDOW = 4096
# Comparing a number with each of so few cut points takes less time than a search, whose
# branches cannot be predicted.
MAX_EDGES_COMPARED = 16


class LookupTables(NamedTuple):
    """How the numbers of d columns become codes, as kernels take it."""

    # The values of all columns are concatenated, and so are their slots. A column of
    # small integers has a slot for each integer from its first category to its last,
    # which holds the code of that integer. Other columns have no slots; their values
    # are searched.

    is_cut: np.ndarray  # bool (d,): whether the values are cut points
    start: np.ndarray  # int64 (d + 1,): where each column's values begin
    values: np.ndarray  # float64: sorted categories or cut points
    low: np.ndarray  # int64 (d,): the integer of each column's first slot
    slot_start: np.ndarray  # int64 (d + 1,): where each column's slots begin
    slots: np.ndarray  # int32


@kernel
def transpose(rows, columns):
    """Write rows (n, d), of any layout, into columns (d, n)."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            columns[j, i] = rows[i, j]


@kernel
def encode(block, lookup, position, offset, missing, unknown, codes):
    """Write the codes of the numbers of a block into columns `position` of `codes`."""
    # block: (n, d), float64 or int64; reading integers directly takes half the time.
    # The code of x in a column with cut points is how many of them are ≤ x, in other
    # columns the index of x among the sorted categories. `missing` and `unknown` are
    # written for cells without a code. offset: (d,), added to codes that are searched
    # for; the slots of `lookup` hold codes with their offset.
    is_cut, start, values, low, slot_start, slots = lookup
    # For unsigned indices numba omits the test for negative ones.
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            x = block[np.uint64(i), np.uint64(j)]
            first = slot_start[np.uint64(j)]
            n_slots = slot_start[np.uint64(j + 1)] - first
            code = unknown
            if n_slots > 0:
                least = low[np.uint64(j)]
                if x >= least and x < least + n_slots:
                    slot = int(x) - least
                    if slot + least == x:
                        code = slots[np.uint64(first + slot)]
                elif x != x:
                    code = missing
            else:
                found = _search(x, is_cut[j], values, start[j], start[j + 1])
                if found >= 0:
                    code = found + offset[j]
                elif found == MISSING:
                    code = missing
            codes[np.uint64(i), np.uint64(position[np.uint64(j)])] = code


@kernel
def encode_consecutive(block, low, high, offset, missing, unknown, codes):
    """Write the codes of columns whose categories are consecutive integers."""
    # low, high, offset: (d,). x has the code x - low + offset where low ≤ x ≤ high.
    # Without slots to look up the loop vectorises: it takes a half (int64) or a quarter
    # (float64) of the time of `encode`.
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            x = block[np.uint64(i), np.uint64(j)]
            code = unknown if x == x else missing
            if x >= low[np.uint64(j)] and x <= high[np.uint64(j)]:
                # x itself may be too large for 32 bits, with which the loop vectorises.
                gap = x - low[np.uint64(j)]
                slot = np.int32(gap)
                if slot == gap:
                    code = slot + offset[np.uint64(j)]
            codes[np.uint64(i), np.uint64(j)] = code


@kernel
def encode_stored(indptr, data, lookup, codes):
    """Write the code of each stored cell of sparse columns (CSC), as `encode` does."""
    is_cut, start, values, low, slot_start, slots = lookup
    for j in range(low.shape[0]):
        for i in range(indptr[j], indptr[j + 1]):
            x = data[i]
            n_slots = slot_start[j + 1] - slot_start[j]
            code = UNKNOWN
            if n_slots > 0:
                if x >= low[j] and x < low[j] + n_slots:
                    slot = int(x) - low[j]
                    if slot + low[j] == x:
                        code = slots[slot_start[j] + slot]
                elif x != x:
                    code = MISSING
            else:
                code = _search(x, is_cut[j], values, start[j], start[j + 1])
            codes[i] = code


@kernel(only_in_kernels=True)
def _search(x, is_cut, values, first, last):
    """Return the code of x among values[first:last], sorted, possibly cut points."""
    if x != x:
        return MISSING
    if is_cut and last - first <= MAX_EDGES_COMPARED:
        code = 0
        for j in range(first, last):
            code += values[j] <= x
        return code
    a, b = first, last
    while a < b:  # the first value > x
        middle = (a + b) // 2
        if values[middle] <= x:
            a = middle + 1
        else:
            b = middle
    if is_cut:
        return a - first
    return a - 1 - first if a > first and values[a - 1] == x else UNKNOWN


@inlined
def x_log2_x(t):
    """Return t log2 t, 0 where rounding left t at or below 0."""
    return t * np.log2(t) if t > 0 else 0.0


@kernel
def best_cut(x, classes, weight, left, right):
    """Return the row of sorted x before which a cut leaves the least class entropy."""
    # -1 if x holds only one value. Ties go to the lower cut. x, classes, weight: (n,).
    # left (zeros) and right (the class weights): (n_classes,), overwritten.
    #
    # With f(t) = t log2 t, the entropy of a side of total weight N and class weights
    # T_c, times N, is f(N) - Σ f(T_c). Moving a row across the cut changes one class on
    # each side.
    total_left = total_right = sum_left = sum_right = 0.0
    for c in range(right.shape[0]):
        total_right += right[c]
        sum_right += x_log2_x(right[c])
    tolerance = 1e-12 * total_right
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
