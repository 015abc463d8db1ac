"""Search among rows of a mixed table: numbers, labels and missing cells side by side.

The distance is HEOM, the heterogeneous Euclidean-overlap metric: the root of a sum over
the columns, of ((a - b) / scale)² for numbers, of 0 or 1 for labels that are alike or
not, and of 1 where a cell is missing.

Source: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
functions, JAIR 6.
"""

import numpy as np

from ..._kernel import frozen
from ._mixed_kernels import measure_mixed
from ._neighbor_lists import empty_lists

# Queries whose distances are held at a time, in cells.
_CELLS = 2**22


class MixedSpace:
    """Where the rows of a table are measured.

    Parameters
    ----------
    table : Table
        The training rows.
    scale : ndarray of shape (n_features,)
        What numbers are divided by; not read for columns of labels.
    """

    def __init__(self, table, scale):
        labels = [table.labels(j) for j in range(table.n_columns)]
        self.labelled = np.array([column is not None for column in labels])
        self._categories = [column and list(column.categories) for column in labels]
        self._scale = scale

    def transform(self, table):
        """Return the rows: numbers over their scale, codes of labels, NaN for missing.

        Labels that the training rows do not have get the code -1, which is like none.
        """
        rows = slice(0, table.n_rows)
        transformed = np.empty((table.n_rows, table.n_columns))
        numbers = np.flatnonzero(~self.labelled)
        if len(numbers):
            transformed[:, numbers] = (
                table.numbers(numbers, rows) / self._scale[numbers]
            )
        for j in np.flatnonzero(self.labelled):
            transformed[:, j] = self._codes(table, j)
        return transformed

    def _codes(self, table, column):
        """Return the place of each cell in the categories, -1 if elsewhere, or NaN."""
        labels = table.labels(column)
        if labels is None:
            known = self._categories[column]
            raise ValueError(
                f"Column {table.names[column]!r} held labels in fit, such as "
                f"{known[:2]}, and holds numbers now: convert them."
            )
        place = {known: code for code, known in enumerate(self._categories[column])}
        codes = [place.get(label, -1) for label in labels.categories]
        return np.array([*codes, np.nan])[labels.codes]


class MixedSearch:
    """Nearest rows by HEOM; all rows are read.

    Parameters
    ----------
    rows : ndarray of shape (n, n_features)
        Placed by `MixedSpace`.
    labelled : bool array of shape (n_features,)
    """

    def __init__(self, rows, labelled):
        self._columns = frozen(rows.T, np.float64)
        self._labelled = frozen(labelled, np.bool_)

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, without one copy of own."""
        queries = frozen(queries[rows], np.float64)
        n = self._columns.shape[1]
        lists = empty_lists(len(queries), weighted_k.width)
        step = max(_CELLS // n, 1)
        for first in range(0, len(queries), step):
            here = queries[first : first + step]
            squared = np.empty((len(here), n))
            measure_mixed(self._columns, self._labelled, here, squared)
            for q, distances in enumerate(squared, start=first):
                ids = _nearest(
                    distances, weighted_k.width, exclude[q], weighted_k.weight
                )
                lists.counts[q] = len(ids)
                lists.indices[q, : len(ids)] = ids
                lists.reduced[q, : len(ids)] = distances[ids]
        return lists


def _nearest(distances, width, exclude, weight):
    """Return the nearest rows, sorted by (distance, row), but own if it is the last."""
    ids = np.arange(len(distances))
    if width < len(distances):
        bound = np.partition(distances, width - 1)[width - 1]
        ids = np.flatnonzero(distances <= bound)
    ids = ids[np.lexsort((ids, distances[ids]))]
    if exclude >= 0 and weight[exclude] <= 1:
        ids = ids[ids != exclude]
    return ids[:width]
