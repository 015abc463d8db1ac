"""Neighbourhoods of queries in tables of numbers and labels: rows and their weights."""

from functools import partial

import numpy as np

from .._core._parallel import row_chunks
from ..search import (
    DenseSearch,
    MeanRanks,
    OverlapRows,
    WeightedK,
    learn_metric,
    lists_with_ties,
    no_exclusions,
    wants_tree,
)
from ..tabular import ColumnTable, read_table, take_rows
from ._fits import WindowSize, windows_from_lists
from ._scales import column_scales
from ._smoothing_kernels import weigh


class Neighborhoods:
    """Finds the nearest training rows of queries, and weights them by a kernel."""

    # The distance is Euclidean if all columns hold numbers, else HEOM. allow_nan:
    # whether values may be missing. scale: as in `column_scales`, or "ranks", which are
    # then divided by their range. The attribute is "ranks", or (n_features,) and 1 for
    # columns that hold no numbers.

    def __init__(self, table, scale, sample_weight, allow_nan):
        self.sample_weight, self._ranks = sample_weight, {}
        n, d = table.n_rows, table.n_columns
        has_labels = [table.labels(j) is not None for j in range(d)]
        numeric = np.flatnonzero(~np.array(has_labels))
        by_ranks = isinstance(scale, str) and scale == "ranks"
        if by_ranks:
            columns = {int(j): table.column(j) for j in numeric}
            self._ranks = {j: MeanRanks(x, sample_weight) for j, x in columns.items()}
            table = self._ranked(table)
        values = np.zeros((n, d))
        values[:, numeric] = table.numbers(numeric, slice(0, n))
        divisors = column_scales("range" if by_ranks else scale, values, sample_weight)
        self.scale = "ranks" if by_ranks else divisors
        if any(has_labels) or allow_nan:
            stored = OverlapRows(table, "heom", divisors)
            self._transform, self._search = stored.queries, stored.search()
            return
        metric = learn_metric("euclidean", None, 1 / divisors, values, sample_weight)
        rows = metric.transform(values)
        self._transform = partial(_transform_numbers, metric)
        self._search = DenseSearch(metric, rows, [np.arange(n)], wants_tree(n, d))

    def around(self, X, n_neighbors, kernel):
        """Yield (indices, weights) of the rows around each query."""
        # n_neighbors, kernel: as in `LocallyWeightedEstimator`. All rows at the
        # distance of the last neighbour belong to the window, and share the weight that
        # is left of k: which rows are used does not depend on their order.
        total_weight = self.sample_weight.sum()
        if n_neighbors is None:
            n_neighbors = int(np.ceil(total_weight))
        size = WindowSize.of(n_neighbors, None, total_weight)
        # Sample weights can sum to far more than there are rows.
        weighted_k = WeightedK(size.k, self.sample_weight)
        most_listed = min(int(np.ceil(size.k)) + 1, len(self.sample_weight))
        for rows in row_chunks(X.shape[0], 80 * most_listed):
            table = self._ranked(read_table(take_rows(X, rows)))
            queries = self._transform(table)
            exclude = no_exclusions(queries.shape[0])
            lists = lists_with_ties(
                self._search, queries, weighted_k, exclude, self.sample_weight
            )
            windows, given = windows_from_lists(lists, size, self.sample_weight)
            weights = weigh(windows.frozen(), given, kernel)
            for q, start in enumerate(windows.starts):
                here = slice(start, start + windows.counts[q])
                yield _weighted_rows(windows.indices[here], given[here], weights[here])

    def _ranked(self, table):
        """Return a table with ranks for numbers where `scale` is "ranks"."""
        if not self._ranks:
            return table
        columns = [
            self._ranks[j].transform(table.column(j))
            if j in self._ranks
            else table.labels_or_numbers(j)
            for j in range(table.n_columns)
        ]
        names = table.names, table.labels_of_columns
        return ColumnTable(names[0], columns, table.n_rows, names[1], table.declared)


def _weighted_rows(indices, sample_weight, weights):
    """Return the rows of a window with weight above 0, and their weights."""
    # The weights are multiplied so that their sum is that of the sample weights of the
    # same rows. If all kernel weights are 0, the sample weights are returned.
    is_used = weights > 0
    if not is_used.any():
        weights, is_used = sample_weight, sample_weight > 0
    indices, weights = indices[is_used], weights[is_used]
    return indices, weights * (sample_weight[is_used].sum() / weights.sum())


def _transform_numbers(metric, table):
    rows = table.numbers(np.arange(table.n_columns), slice(0, table.n_rows))
    return metric.transform(rows, query=True)
