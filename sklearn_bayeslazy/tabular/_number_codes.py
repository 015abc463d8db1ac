"""Encodes numbers as 0 … K-1 by the sorted categories or cut points of their column."""

from functools import cache
from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, kernel
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


class NumberCodes:
    """The codes of columns of numbers."""

    # values: for each of d columns the sorted categories or the cut points; is_cut:
    # bool (d,), which of the two; position: (d,), the column among those of the array
    # of codes.

    def __init__(self, values, is_cut, position):
        self.values = values
        self.is_cut = is_cut
        self.position = frozen(position, np.int64)
        self.lookup = self._lookup_tables()
        # Whether the categories of each column are integers without gaps.
        has_all = np.array_equal(self.lookup.start, self.lookup.slot_start)
        self._are_consecutive = has_all and not self.lookup.is_cut.any()

    def _lookup_tables(self):
        """Return the concatenated numbers of all columns, as kernels take them."""
        slots = [
            _slots(values) if not cut else np.empty(0, np.int32)
            for values, cut in zip(self.values, self.is_cut)
        ]
        low = [
            values[0] if len(some) else 0 for values, some in zip(self.values, slots)
        ]
        return LookupTables(
            frozen(self.is_cut, np.bool_),
            frozen(_starts(self.values), np.int64),
            frozen(np.concatenate([*self.values, np.empty(0)]), np.float64),
            frozen(low, np.int64),
            frozen(_starts(slots), np.int64),
            frozen(np.concatenate([*slots, np.empty(0)]), np.int32),
        )

    def encoder(self, offset, missing, unknown):
        """Return ``encode(cells, codes)``, which writes a block's codes."""
        # cells: (n_rows, d). offset: (d,), added to the codes of each column. `missing`
        # is written for NaN, and `unknown` for numbers that are no category.

        @cache
        def of_consecutive(dtype):
            low, start = self.lookup.low, self.lookup.start
            bounds = (frozen(ends, dtype) for ends in (low, low + np.diff(start) - 1))
            return *bounds, frozen(offset, np.int64), missing, unknown

        @cache
        def of_any():
            slot_offset = np.repeat(offset, np.diff(self.lookup.slot_start))
            slots = with_offset(self.lookup.slots, slot_offset, missing, unknown)
            lookup = self.lookup._replace(slots=frozen(slots, np.int32))
            return lookup, self.position, frozen(offset, np.int64), missing, unknown

        def encode_numbers(cells, codes):
            cells = frozen(cells, cells.dtype)
            if self._are_consecutive and cells.shape == codes.shape:
                encode_consecutive(cells, *of_consecutive(cells.dtype), codes)
            else:
                encode(cells, *of_any(), codes)

        return encode_numbers

    def encode_stored(self, indptr, data):
        """Return the codes of the stored cells of a sparse matrix by column (CSC)."""
        codes = np.empty(len(data), dtype=np.int32)
        indptr, data = frozen(indptr, np.int64), frozen(data, np.float64)
        encode_stored(indptr, data, self.lookup, codes)
        return codes


def with_offset(codes, offset, missing, unknown):
    """Return codes plus an offset; MISSING and UNKNOWN become the numbers given."""
    shifted = np.where(codes >= 0, codes + offset, missing)
    return np.where(codes == UNKNOWN, unknown, shifted)


def _slots(categories):
    """Return the code of each integer from the first category to the last."""
    # Empty if the categories are not small integers; cells are searched then.
    if not len(categories) or categories[-1] - categories[0] >= WINDOW:
        return np.empty(0, dtype=np.int32)
    if np.any(categories != np.floor(categories)):
        return np.empty(0, dtype=np.int32)
    slot = (categories - categories[0]).astype(np.int64)
    slots = np.full(slot[-1] + 1, UNKNOWN, dtype=np.int32)
    slots[slot] = np.arange(len(categories))
    return slots


def _starts(arrays):
    return np.concatenate([[0], np.cumsum([len(array) for array in arrays])])


# Loops over cells.


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
