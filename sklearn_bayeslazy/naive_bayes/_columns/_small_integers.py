"""Columns of small integers, counted in one pass with no search for categories."""

import functools

import numpy as np

from ..._kernel import frozen
from ..._parallel import map_tasks
from ._column_kernels import count_integers
from ._kernel_arrays import frozen_labels

# Integers 0 … 255 are counted without looking for the categories first.
SMALL_INTEGERS = 256
# Where that would take more numbers than this (32 MiB), they are looked for.
_LARGEST_CENSUS = 2**22


def count_small_integers(batch, columns, n_jobs=None):
    """Count columns that hold nothing but small integers ≥ 0, in one pass over them.

    Returns
    -------
    dict of {column: (categories, counts)}
        Of those of `columns` that are such; counts have shape (K, n_classes).
    """
    shape = len(columns), SMALL_INTEGERS, batch.n_classes
    if batch.table.is_sparse or not shape[0] or np.prod(shape) > _LARGEST_CENSUS:
        return {}

    def census(piece):
        counts, wide = np.zeros(shape), np.zeros(shape[0], dtype=bool)
        classes, weight = frozen_labels(piece)
        for rows in piece.table.block_rows():
            cells = piece.table.cells(columns, rows)
            block = frozen(cells, cells.dtype)
            count_integers(block, classes[rows], weight[rows], counts, wide)
            if wide.all():
                break
        return counts, wide

    done = map_tasks(census, batch.pieces(np.prod(shape)), n_jobs=n_jobs)
    counts = functools.reduce(np.add, [counts for counts, _ in done])
    wide = np.any([wide for _, wide in done], axis=0)
    found = {}
    for column, of_column in zip(columns[~wide], counts[~wide]):
        values = np.flatnonzero(of_column.any(axis=1))
        found[column] = values.astype(np.float64), of_column[values]
    return found
