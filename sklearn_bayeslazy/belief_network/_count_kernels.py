"""Numba kernels that count the combinations of values of a few columns.

Rows of weight 1 and small tables are counted by bits. Each value of a column has a bit
for each row. The rows with a combination of values have the bits that all these values
have, and one instruction counts 64 of them.
"""

import numpy as np

from .._core._kernel import inlined, kernel

# The cell numbers of a block of rows stay in the processor's cache.
ROWS_PER_BLOCK = 1024
# So do the bits of a block of rows, in words of 64.
WORDS_PER_BLOCK = 128


@kernel
def count_family(codes, family, strides, weight, is_complete, counts):
    """Add the weight of each row to the cell of its combination of values."""
    # codes: (n_nodes, n_rows), below 0 where a value is missing; rows with a missing
    # value in the family are not counted. weight: (n_rows,); counts: (n_cells,).
    # strides: the number of cells between two consecutive values of each family node.
    # is_complete: whether no value is missing.
    n = codes.shape[1]
    # int32 like the codes: the loops over rows then handle twice as many at a time.
    cell = np.empty(ROWS_PER_BLOCK, np.int32)
    lowest_code = np.zeros(ROWS_PER_BLOCK, np.int32)
    for start in range(0, n, ROWS_PER_BLOCK):
        size = min(ROWS_PER_BLOCK, n - start)
        for i in range(size):
            cell[i] = 0
        for j in range(len(family)):
            column, stride = codes[family[j]][start : start + size], strides[j]
            for i in range(size):
                cell[i] += np.int32(column[i] * stride)
        if not is_complete:
            for i in range(size):
                lowest_code[i] = 0
            for j in range(len(family)):
                column = codes[family[j]][start : start + size]
                for i in range(size):
                    lowest_code[i] = min(lowest_code[i], column[i])
        for i in range(size):
            if lowest_code[i] >= 0:
                counts[cell[i]] += weight[start + i]


@inlined
def _n_bits(word):
    """Return the number of bits of a word that are 1; LLVM makes it one instruction."""
    ones = np.uint64(0x5555555555555555)
    twos = np.uint64(0x3333333333333333)
    fours = np.uint64(0x0F0F0F0F0F0F0F0F)
    word -= (word >> np.uint64(1)) & ones
    word = (word & twos) + ((word >> np.uint64(2)) & twos)
    word = (word + (word >> np.uint64(4))) & fours
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def count_bits(bits, value_starts, nodes, others, starts, counts):
    """Count rows of a few nodes together with each of several other nodes."""
    # bits: (n_values, n_words), whether each row has each value; 0 after the last row.
    # The values of column j are ``bits[value_starts[j] : value_starts[j + 1]]``.
    # starts: (n_tables,), where the table of each of `others` begins in counts
    # (n_cells,). In it the other node varies slowest, and the last of `nodes` fastest.
    # The numbers of rows are added to counts.
    n_combinations = 1
    for node in nodes:
        n_combinations *= value_starts[node + 1] - value_starts[node]
    rows_with = np.empty((n_combinations, WORDS_PER_BLOCK), np.uint64)
    for start in range(0, bits.shape[1], WORDS_PER_BLOCK):
        size, n_known = min(WORDS_PER_BLOCK, bits.shape[1] - start), 1
        for w in range(size):
            rows_with[0, w] = ~np.uint64(0)
        for node in nodes:
            # From the last combination to the first: the row of the first is free
            # when all others have been read.
            first, n_values = value_starts[node], value_starts[node + 1]
            n_values -= first
            for known in range(n_known - 1, -1, -1):
                for k in range(n_values - 1, -1, -1):
                    value, cell = bits[first + k], known * n_values + k
                    for w in range(size):
                        rows_with[cell, w] = rows_with[known, w] & value[start + w]
            n_known *= n_values
        for t in range(len(others)):
            cell = starts[t]
            for v in range(value_starts[others[t]], value_starts[others[t] + 1]):
                value = bits[v][start : start + size]
                for known in range(n_known):
                    n, row = np.uint64(0), rows_with[known]
                    for w in range(size):
                        n += _n_bits(row[w] & value[w])
                    counts[cell] += n
                    cell += 1
