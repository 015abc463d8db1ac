"""Neighbourhoods of queries in tables of numbers and labels: rows and their weights."""

from functools import partial

import numpy as np

from .._kernel import frozen
from .._parallel import row_chunks
from ..neighbors._mixed_metric import MixedSearch, MixedSpace
from ..neighbors._search import (
    DenseSearch,
    WeightedK,
    learn_metric,
    no_exclusions,
    wants_tree,
)
from ..tabular import read_table, take_rows
from ._fits import WindowSize
from ._scales import column_scales
from ._smoothing_kernels import KERNELS, weigh

# Relative error allowed in sums of fractional weights, which depend on their order.
_SLACK = 1e-9


class Neighborhoods:
    """Finds the nearest training rows of queries, and weights them by a kernel.

    The distance is Euclidean if all columns hold numbers, else HEOM.

    Parameters
    ----------
    table : Table
        Training rows.
    scale : str, array-like or None
        As in `column_scales`.
    sample_weight : ndarray of shape (n,)
    allow_nan : bool
        Whether values may be missing.

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
        Divisors of the columns; 1 for those that hold no numbers.
    """

    def __init__(self, table, scale, sample_weight, allow_nan):
        self.sample_weight = sample_weight
        n, d = table.n_rows, table.n_columns
        has_labels = [table.labels(j) is not None for j in range(d)]
        numeric = np.flatnonzero(~np.array(has_labels))
        values = np.zeros((n, d))
        values[:, numeric] = table.numbers(numeric, slice(0, n))
        self.scale = column_scales(scale, values, sample_weight)
        if any(has_labels) or allow_nan:
            space = MixedSpace(table, self.scale)
            self._transform = space.transform
            self._search = MixedSearch(space.transform(table), space.is_symbol)
            return
        metric = learn_metric("euclidean", None, 1 / self.scale, values, sample_weight)
        rows = metric.transform(values)
        self._transform = partial(_transform_numbers, metric)
        self._search = DenseSearch(metric, rows, [np.arange(n)], wants_tree(n, d))

    def around(self, X, n_neighbors, kernel):
        """Yield (indices, weights) of the rows around each query.

        All rows at the distance of the last neighbour belong to the window, and share
        the weight that is left of k: which rows are used does not depend on their
        order.

        Parameters
        ----------
        X : table-like
            Queries.
        n_neighbors : int, float or None
            As in `LocallyWeightedEstimator`.
        kernel : str
        """
        total_weight = self.sample_weight.sum()
        if n_neighbors is None:
            n_neighbors = int(np.ceil(total_weight))
        size = WindowSize.of(n_neighbors, None, total_weight)
        # One row more than k rows of mean weight: it shows whether a tie ends there.
        n = len(self.sample_weight)
        n_listed = min(int(np.ceil(size.k * n / total_weight)) + 1, n)
        for rows in row_chunks(X.shape[0], 80 * n_listed):
            queries = self._transform(read_table(take_rows(X, rows)))
            for q, window in enumerate(zip(*self._nearest(queries, n_listed))):
                # Only queries with many ties or light rows need longer lists.
                while not self._has_all_ties(*window, size.k):
                    longer = self._nearest(queries[q : q + 1], 2 * len(window[0]))
                    window = longer[0][0], longer[1][0]
                yield self._weighted_rows(*window, size, KERNELS[kernel])

    def _nearest(self, queries, n_listed):
        """Return reduced distances and indices (m, n_listed), ignoring weights."""
        n = len(self.sample_weight)
        n_listed = min(n_listed, n)
        one_each = WeightedK(n_listed, np.ones(n))
        exclude = no_exclusions(len(queries))
        every = slice(0, len(queries))
        lists = self._search.nearest(queries, every, one_each, exclude)
        return lists.reduced[:, :n_listed], lists.indices[:, :n_listed]

    def _has_all_ties(self, reduced, indices, k):
        """Return whether a list has all rows up to the distance at which k is full."""
        if len(indices) == len(self.sample_weight):
            return True
        last = _last_neighbor(self.sample_weight[indices], k)
        return last < len(indices) and reduced[last] < reduced[-1]

    def _weighted_rows(self, reduced, indices, size, kernel_code):
        """Return the rows of a window with weight above 0, and their weights.

        The weights are multiplied so that their sum is that of the sample weights of
        the same rows. If all kernel weights are 0, the sample weights are returned.
        """
        sample_weight = self.sample_weight[indices]
        last = min(_last_neighbor(sample_weight, size.k), len(indices) - 1)
        first_tie = np.searchsorted(reduced, reduced[last])
        end = np.searchsorted(reduced, reduced[last], side="right")
        reduced, indices = reduced[:end], indices[:end]
        sample_weight = sample_weight[:end]
        left = size.k - sample_weight[:first_tie].sum()
        ties = sample_weight[first_tie:].sum()
        sample_weight[first_tie:] *= min(left / ties, 1.0)
        weights = np.empty(end)
        weigh(
            frozen(reduced, np.float64),
            frozen(sample_weight, np.float64),
            reduced[-1] * size.bandwidth_sq_factor,
            kernel_code,
            weights,
        )
        is_used = weights > 0
        if not is_used.any():
            weights, is_used = sample_weight, sample_weight > 0
        indices, weights = indices[is_used], weights[is_used]
        return indices, weights * (sample_weight[is_used].sum() / weights.sum())


def _last_neighbor(sample_weight, k):
    """Return the position of the row at which k is full; the length if it is not.

    Examples
    --------
    >>> _last_neighbor(np.array([1.0, 2.0, 2.0]), 3)
    1
    """
    return int(np.searchsorted(np.cumsum(sample_weight), k * (1 - _SLACK)))


def _transform_numbers(metric, table):
    rows = table.numbers(np.arange(table.n_columns), slice(0, table.n_rows))
    return metric.transform(rows, query=True)
