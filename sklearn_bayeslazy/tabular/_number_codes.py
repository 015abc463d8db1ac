"""Encodes numbers as 0 … K-1 by the sorted categories or cut points of their column."""

from functools import cache

import numpy as np

from .._core._kernel import frozen
from ._tabular_kernels import (
    UNKNOWN,
    WINDOW,
    LookupTables,
    encode,
    encode_consecutive,
    encode_stored,
)


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
