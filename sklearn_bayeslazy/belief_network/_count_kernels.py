"""Numba kernel that counts the combinations of values of a few columns."""

import numpy as np

from .._kernel import kernel

# The cell numbers of a block of rows stay in the processor's cache.
ROWS_PER_BLOCK = 1024


@kernel
def count_family(codes, family, strides, weight, is_complete, counts):
    """Add the weight of each row to the cell of its combination of values.

    Parameters
    ----------
    codes : int32 array of shape (n_nodes, n_rows)
        Below 0 where a value is missing. Rows with a missing value are not counted.
    family, strides : int32 arrays
        The nodes, and the number of cells between two consecutive values of each.
    weight : ndarray of shape (n_rows,)
    is_complete : bool
        Whether no value is missing.
    counts : ndarray of shape (n_cells,)
    """
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
