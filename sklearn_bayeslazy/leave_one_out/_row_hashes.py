"""Hashes of rows of codes."""

import numpy as np

# The hashes of this number of rows stay in the cache.
_ROWS_PER_BLOCK = 8192
# Shifts and factors of the finaliser of SplitMix64 (Steele, Lea & Flood 2014).
_ROUNDS = [
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
]
_LAST_SHIFT = np.uint64(31)


def row_hashes(positions):
    """Return a hash of each row of integers (n, d): equal rows have equal hashes.

    >>> a, b, c = row_hashes(np.array([[0, 1], [1, 0], [0, 1]]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    hashes = np.full(len(positions), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for start in range(0, len(positions), _ROWS_PER_BLOCK):
        rows = slice(start, start + _ROWS_PER_BLOCK)
        h = hashes[rows]
        for column in positions[rows].T:
            h *= np.uint64(0x100000001B3)
            h += (column.astype(np.int64) + 1).view(np.uint64)
            for shift, factor in _ROUNDS:
                h ^= h >> shift
                h *= factor
            h ^= h >> _LAST_SHIFT
    return hashes
