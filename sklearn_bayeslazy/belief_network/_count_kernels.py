"""Numba kernel that counts the combinations of values of a few columns."""

import numpy as np

from .._kernel import kernel

# The cell numbers of a block of rows stay in the processor's cache.
ROWS_PER_BLOCK = 1024


@kernel
def count_with_each(codes, nodes, strides, others, starts, weight, is_complete, counts):
    """Count a few nodes together with each of several other nodes.

    Each row's weight is added to the cell of its combination of values. In the table of
    another node, the value of that node varies slowest.

    Parameters
    ----------
    codes : int32 array of shape (n_columns, n_rows)
        Below 0 where a value is missing. Rows with a missing value are not counted.
    nodes : int32 array of shape (n_nodes,)
    strides : int32 array of shape (1 + n_nodes,)
        The number of cells between two consecutive values of the other node, and of
        each of the nodes.
    others : int32 array of shape (n_tables,)
    starts : int64 array of shape (n_tables,)
        Where the table of each other node begins.
    weight : ndarray of shape (n_rows,)
    is_complete : bool
        Whether no value is missing.
    counts : ndarray of shape (n_cells,)
    """
    n, step = codes.shape[1], np.int32(strides[0])
    # int32 like the codes: the loops over rows then handle twice as many at a time.
    cell = np.empty(ROWS_PER_BLOCK, np.int32)
    known = np.empty(ROWS_PER_BLOCK)  # the weight, 0 if one of the nodes is missing
    for start in range(0, n, ROWS_PER_BLOCK):
        size = min(ROWS_PER_BLOCK, n - start)
        for i in range(size):
            cell[i], known[i] = 0, weight[start + i]
        for j in range(len(nodes)):
            column, stride = codes[nodes[j]][start : start + size], strides[j + 1]
            for i in range(size):
                cell[i] += np.int32(column[i] * stride)
            if not is_complete:
                for i in range(size):
                    known[i] = known[i] if column[i] >= 0 else 0.0
        if not is_complete:
            for i in range(size):
                cell[i] = cell[i] if known[i] > 0 else 0
        j = 0
        # An addition waits for the one before if both are to the same cell. So four
        # tables are counted at a time.
        while is_complete and j + 4 <= len(others):
            a = codes[others[j]][start : start + size]
            b = codes[others[j + 1]][start : start + size]
            c = codes[others[j + 2]][start : start + size]
            d = codes[others[j + 3]][start : start + size]
            of_a, of_b = counts[starts[j] :], counts[starts[j + 1] :]
            of_c, of_d = counts[starts[j + 2] :], counts[starts[j + 3] :]
            for i in range(size):
                of_a[np.uint32(a[i] * step + cell[i])] += known[i]
                of_b[np.uint32(b[i] * step + cell[i])] += known[i]
                of_c[np.uint32(c[i] * step + cell[i])] += known[i]
                of_d[np.uint32(d[i] * step + cell[i])] += known[i]
            j += 4
        for k in range(j, len(others)):
            column, table = codes[others[k]][start : start + size], counts[starts[k] :]
            for i in range(size):
                if column[i] >= 0:
                    table[np.uint32(column[i] * step + cell[i])] += known[i]
