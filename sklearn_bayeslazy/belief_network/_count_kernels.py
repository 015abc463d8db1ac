"""Numba kernels that count the values of families of columns."""

import numpy as np

from .._kernel import kernel

# Rows are placed in the cache, then counted.
_BLOCK = 1024


@kernel
def count_family(codes, family, strides, weight, is_whole, counts):
    """Add the weights of rows to the cells that their values name.

    Parameters
    ----------
    codes : int32 array of shape (n_nodes, n_rows)
        Below 0 where a value is missing: such rows are not counted.
    family, strides : int32 arrays
        Columns, and how many cells lie between two neighbouring values of each.
    weight : ndarray of shape (n_rows,)
    is_whole : bool
        Whether no value is missing.
    counts : ndarray of shape (n_cells,)
    """
    n = codes.shape[1]
    # As narrow as the codes: twice as many are placed at a time.
    cell, least = np.empty(_BLOCK, np.int32), np.zeros(_BLOCK, np.int32)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        for i in range(size):
            cell[i] = 0
        for j in range(len(family)):
            column, stride = codes[family[j]][start : start + size], strides[j]
            for i in range(size):
                cell[i] += np.int32(column[i] * stride)
        if not is_whole:
            for i in range(size):
                least[i] = 0
            for j in range(len(family)):
                column = codes[family[j]][start : start + size]
                for i in range(size):
                    least[i] = min(least[i], column[i])
        for i in range(size):
            if least[i] >= 0:
                counts[cell[i]] += weight[start + i]
