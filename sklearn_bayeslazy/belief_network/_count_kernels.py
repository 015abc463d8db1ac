"""Numba kernels that count the values of families of columns."""

import numpy as np

from .._kernel import kernel

# Rows are placed in the cache, then counted.
_BLOCK = 1024


@kernel
def count_family(codes, family, strides, weight, counts):
    """Add the weights of rows to the cells that their values name.

    Parameters
    ----------
    codes : int32 array of shape (n_nodes, n_rows)
        Below 0 where a value is missing: such rows are not counted.
    family, strides : int arrays
        Columns, and how many cells lie between two neighbouring values of each.
    weight : ndarray of shape (n_rows,)
    counts : ndarray of shape (n_cells,)
    """
    n = codes.shape[1]
    cell = np.empty(_BLOCK, np.int64)
    least = np.empty(_BLOCK, np.int32)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        for i in range(size):
            cell[i], least[i] = 0, 0
        for j in range(len(family)):
            column, stride = codes[family[j]], strides[j]
            for i in range(size):
                code = column[start + i]
                least[i] = min(least[i], code)
                cell[i] += code * stride
        for i in range(size):
            if least[i] >= 0:
                counts[cell[i]] += weight[start + i]
