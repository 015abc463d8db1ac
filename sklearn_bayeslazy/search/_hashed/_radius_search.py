"""Rows within a radius, among the rows that a search by hashing reads."""

import numpy as np

from ..._core._parallel import map_chunks
from .._neighbor_lists import no_exclusions

# Queries that are worth a separate task.
_MIN_QUERIES_PER_TASK = 128


def rows_within(search, metric, queries, radii, *, exclude_self, n_jobs=None):
    """Return distances, indices and starts of rows within a radius of each query."""
    # search: BucketSearch or ColumnSearch; queries: DenseRows or SparseRows;
    # radii: (m,). exclude_self: query i is training row i, which is then left out of
    # its neighbours.
    # Those of query i are at starts[i] : starts[i + 1], sorted by (distance, row).

    def find(rows):
        numbers = np.arange(rows.start, rows.stop)
        exclude = numbers if exclude_self else no_exclusions(len(numbers))
        reduced, indices, filled = search.read(queries, rows, exclude)
        distances = metric.distances(np.where(filled, reduced, np.inf))
        within = filled & (distances <= radii[rows, None])
        order = np.lexsort((indices, distances), axis=1)
        distances, indices, within = (
            np.take_along_axis(a, order, axis=1) for a in (distances, indices, within)
        )
        return distances[within], indices[within], within.sum(axis=1)

    parts = map_chunks(
        find,
        queries.shape[0],
        search.bytes_to_read(),
        n_jobs=n_jobs,
        min_rows=_MIN_QUERIES_PER_TASK,
    )
    distances, indices, counts = map(np.concatenate, zip(*parts))
    return distances, indices, np.append(0, np.cumsum(counts))
