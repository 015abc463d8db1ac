"""Search among rows of a mixed table: numbers, labels and missing values.

The distance is HEOM, the heterogeneous Euclidean-overlap metric: the root of a sum over
the columns. A column adds ((a - b) / scale)² for numbers, 0 for equal labels, 1 for
different labels, and 1 for a missing value.

Source: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
functions, JAIR 6.
"""

import numpy as np

from ..._kernel import frozen
from ._mixed_kernels import measure_mixed
from ._neighbor_lists import empty_lists

# Distances that are held at a time.
_MAX_DISTANCES = 2**22


class MixedSpace:
    """The space in which HEOM measures the rows of a table.

    Parameters
    ----------
    table : Table
        The training rows.
    scale : ndarray of shape (n_features,)
        Divisor of each column of numbers; not read for columns of labels.
    """

    def __init__(self, table, scale):
        labels = [table.labels(j) for j in range(table.n_columns)]
        self.labelled = np.array([column is not None for column in labels])
        self._categories = [column and list(column.categories) for column in labels]
        self._scale = scale

    def transform(self, table):
        """Return the rows: scaled numbers, codes of labels, NaN for missing values.

        Labels that the training rows do not have get the code -1, which equals no code.
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
        """Return the code of each cell's label, -1 for a new label, NaN for missing."""
        labels = table.labels(column)
        if labels is None:
            known = self._categories[column]
            raise ValueError(
                f"Column {table.names[column]!r} held labels in fit, such as "
                f"{known[:2]}, and holds numbers now: convert them to labels."
            )
        code_of = {known: code for code, known in enumerate(self._categories[column])}
        codes = [code_of.get(label, -1) for label in labels.categories]
        return np.array([*codes, np.nan])[labels.codes]


class MixedSearch:
    """Finds the nearest rows by HEOM; all rows are read.

    Parameters
    ----------
    rows : ndarray of shape (n, n_features)
        As `MixedSpace.transform` returns them.
    labelled : bool array of shape (n_features,)
    """

    def __init__(self, rows, labelled):
        self._columns = frozen(rows.T, np.float64)
        self._labelled = frozen(labelled, np.bool_)

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less one excluded copy."""
        queries = frozen(queries[rows], np.float64)
        n = self._columns.shape[1]
        lists = empty_lists(len(queries), weighted_k.width)
        step = max(_MAX_DISTANCES // n, 1)
        for first in range(0, len(queries), step):
            here = queries[first : first + step]
            squared = np.empty((len(here), n))
            measure_mixed(self._columns, self._labelled, here, squared)
            for q, distances in enumerate(squared, start=first):
                nearest = _nearest(
                    distances, weighted_k.width, exclude[q], weighted_k.weight
                )
                lists.counts[q] = len(nearest)
                lists.indices[q, : len(nearest)] = nearest
                lists.reduced[q, : len(nearest)] = distances[nearest]
        return lists


def _nearest(distances, width, exclude, weight):
    """Return the nearest rows, sorted by (distance, row).

    The excluded row is left out if it has one copy only.
    """
    indices = np.arange(len(distances))
    if width < len(distances):
        bound = np.partition(distances, width - 1)[width - 1]
        indices = np.flatnonzero(distances <= bound)
    indices = indices[np.lexsort((indices, distances[indices]))]
    if exclude >= 0 and weight[exclude] <= 1:
        indices = indices[indices != exclude]
    return indices[:width]
