"""Columns of small integers, counted in one pass without a search for categories."""

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ._batch import label_arrays
from ._column_kernels import count_integers

# Integers 0 … 255 are counted directly.
N_SMALL_INTEGERS = 256
# Above this number of counts (32 MiB) the categories are searched for first.
_MAX_COUNTS = 2**22


def count_small_integers(batch, columns, n_jobs=None):
    """Count the columns that hold only small integers ≥ 0, in one pass over them."""
    # Returns {column: (categories, counts)} of only those of `columns` that hold small
    # integers; categories: (K,) float64, counts: (K, n_classes).
    shape = N_SMALL_INTEGERS, len(columns), batch.n_classes
    if batch.table.is_sparse or not len(columns) or np.prod(shape) > _MAX_COUNTS:
        return {}

    def count_chunk(chunk):
        counts, has_others = np.zeros(shape), np.zeros(len(columns), dtype=bool)
        classes, weight = label_arrays(chunk)
        for rows in chunk.table.block_rows():
            cells = chunk.table.cells(columns, rows)
            block = frozen(cells, cells.dtype)
            count_integers(block, classes[rows], weight[rows], counts, has_others)
            if has_others.all():
                break
        # Most tables hold few values. Only their counts are merged.
        values = np.flatnonzero(counts.max(axis=(1, 2)))
        return values, counts[values], has_others

    results = map_tasks(count_chunk, batch.chunks(np.prod(shape)), n_jobs=n_jobs)
    counts = np.zeros(shape)
    for values, chunk_counts, _ in results:
        counts[values] += chunk_counts
    has_others = np.any([has_others for _, _, has_others in results], axis=0)
    found = {}
    for j in np.flatnonzero(~has_others):
        values = np.flatnonzero(counts[:, j].any(axis=1))
        found[columns[j]] = values.astype(np.float64), counts[values, j]
    return found
