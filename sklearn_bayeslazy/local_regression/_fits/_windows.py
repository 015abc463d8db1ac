"""Windows: the training rows that a local fit uses, their distances and weights.

There are three kinds; the first two are those of Mitchell (1997), Machine Learning,
section 8.3.1:

- the k nearest rows, with the distance of the last as bandwidth;
- all rows within a given bandwidth, or all rows if the kernel has infinite support;
- the larger of the two.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._core._kernel import frozen
from ...search import (
    MAX_CELLS_TO_KEEP,
    EngineSearch,
    WeightedK,
    WindowRule,
    Windows,
    WindowSearch,
    build_tree,
    full_lists,
    lists_with_ties,
    share_weights,
)

# A scan of at most this many rows per neighbour is faster than a tree search that keeps
# a heap of neighbours, ...
_MAX_SCANNED_ROWS_PER_NEIGHBOR = 40
# ... if there are at least this many neighbours.
_MIN_NEIGHBORS_TO_SCAN = 32
# An infinite square would mean that there is no bandwidth.
_MAX_BANDWIDTH = 2.0**511
# With a larger span too all rows have equal weights; its products would overflow.
_MAX_SPAN = 1e100


@dataclass(frozen=True)
class WindowSize:
    """How large windows are."""

    # The total weight of the nearest rows; an array (m,) for m queries, or None.
    k: float | None = None
    bandwidth: float | None = None  # in the unit of the transformed rows
    bandwidth_sq_factor: float = 1.0  # for the squared distance of the last neighbour

    @classmethod
    def of(cls, n_neighbors, bandwidth, total_weight):
        """Return the size for an estimator's parameters.

        >>> WindowSize.of(0.5, None, total_weight=9)
        WindowSize(k=4.0, bandwidth=None, bandwidth_sq_factor=1.0)
        >>> WindowSize.of(2.0, None, total_weight=9)
        WindowSize(k=9.0, bandwidth=None, bandwidth_sq_factor=2.0)
        >>> WindowSize.of(30, None, total_weight=9)
        WindowSize(k=9.0, bandwidth=None, bandwidth_sq_factor=1.0)
        """
        # A float `n_neighbors` is a span, the fraction of the total weight. A span
        # above 1 takes all rows and multiplies the squared bandwidth, as in loess.
        # total_weight: a number, or (m,) with one for each query.
        if bandwidth is not None:
            bandwidth = min(float(bandwidth), _MAX_BANDWIDTH)
        if n_neighbors is None:
            return cls(bandwidth=bandwidth)
        k, factor = n_neighbors, 1.0
        if isinstance(n_neighbors, int):
            k = min(n_neighbors, int(np.finfo(np.float64).max))  # else no float
        if isinstance(n_neighbors, float | np.floating):
            span = min(float(n_neighbors), _MAX_SPAN)
            k = np.maximum(np.floor(total_weight * min(span, 2.0) + 1e-5), 1.0)
            factor = max(span, 1.0)
        k = np.minimum(k, np.ceil(total_weight)).astype(np.float64)
        return cls(k if np.ndim(k) else float(k), bandwidth, factor)

    def rule(self, infinite_support):
        """Return the rule by which kernels find windows of this size."""
        bandwidth = 0.0 if self.bandwidth is None else float(self.bandwidth)
        if self.k is None and self.bandwidth is None:
            bandwidth = np.inf
        k = 0 if self.k is None else int(self.k)
        factor = float(self.bandwidth_sq_factor)
        # A product may overflow to infinity; Python's power would raise an error.
        return WindowRule(k, factor, bandwidth * bandwidth, infinite_support)


def windows_from_lists(lists, size, sample_weight):
    """Return the windows that begin sorted lists, up to the weight k, and weights."""
    # Listed rows at the distance where the weights reach k share what is left of k; the
    # weights are those of the numbers in the windows.
    # sample_weight: (n,).
    shared, counts = np.zeros(lists.indices.shape), lists.counts.copy()
    k = frozen(np.broadcast_to(size.k, len(counts)), np.float64)
    sample_weight = frozen(sample_weight, np.float64)
    sorted_lists = (
        frozen(lists.reduced, np.float64),
        frozen(lists.indices, np.int64),
        counts,
    )
    share_weights(sorted_lists, sample_weight, k, shared)
    last = np.maximum(counts - 1, 0)[:, None]
    farthest = np.take_along_axis(lists.reduced, last, axis=1)[:, 0]
    bandwidths_sq = np.where(counts > 0, farthest, 0.0) * size.bandwidth_sq_factor
    windows = Windows.of_lists(counts, lists.indices, lists.reduced, bandwidths_sq)
    return windows, shared.ravel()


class WindowFinder:
    """Finds windows among the rows of a search."""

    # search: DenseSearch or EngineSearch; sample_weight: (n,); infinite_support:
    # whether the kernel gives weight to all rows, whatever the bandwidth; unit:
    # multiplies distances between rows to give distances in the user's unit;
    # weighs_ties: whether the kernel gives weight to rows at the bandwidth. Of several
    # rows at the distance of the last neighbour, all then belong to the window.
    #
    # shape: (n, d); keeps_rows: whether the training rows are kept in the original
    # order, beside the blocks of the search.

    def __init__(
        self, search, sample_weight, infinite_support, unit, weighs_ties=False
    ):
        self.search = search
        self.sample_weight = sample_weight
        self.infinite_support = infinite_support
        self.unit = unit
        self.weighs_ties = weighs_ties
        self.has_unit_weights = bool(np.all(sample_weight == 1))
        self._is_engine = isinstance(search, EngineSearch)
        n_columns = (
            search.rows.shape[1] if self._is_engine else search.blocks.cells.shape[1]
        )
        self.shape = len(sample_weight), n_columns
        # The rows of large tables are not copied out of the search's blocks. To gather
        # the rows of windows from them slows predictions down by a tenth in tables of a
        # million cells, and by a hundredth in those of 20 columns that are large.
        is_large = len(sample_weight) * n_columns > MAX_CELLS_TO_KEEP
        self.keeps_rows = self._is_engine or not is_large

    def __getstate__(self):
        # The rows are left out, and made again from the blocks when needed.
        return {k: v for k, v in vars(self).items() if k not in ("_kept_rows", "scan")}

    @cached_property
    def _kept_rows(self):
        return self.search.transformed_rows()

    @property
    def rows(self):
        """Return all training rows, transformed for the distance."""
        return self._kept_rows if self.keeps_rows else self.search.transformed_rows()

    def take(self, indices):
        """Return some of the training rows, transformed for the distance."""
        if self.keeps_rows:
            return self._kept_rows[indices]
        return self.search.blocks.take(indices)

    @cached_property
    def scan(self):
        """Return the search for windows that need no lists of neighbours."""
        return WindowSearch(self.search)

    @property
    def order(self):
        """Return the training row at each position of windows."""
        return np.arange(self.shape[0]) if self._is_engine else self.scan.order

    def query_order(self, points):
        """Return an order of queries in which consecutive ones are near each other."""
        # Windows are then found with less searching, and their rows are still in the
        # cache. Where there is no tree, all rows are measured in any order.
        if self._is_engine or not self.search.has_tree:
            return np.arange(len(points))
        return build_tree(points, leaf_size=8).order

    def size(self, n_neighbors, bandwidth, total_weight=None):
        """Return the `WindowSize` for an estimator's parameters."""
        # total_weight: by default that of all rows.
        if bandwidth is not None:
            bandwidth = float(bandwidth) / self.unit
        if total_weight is None:
            total_weight = self.sample_weight.sum()
        return WindowSize.of(n_neighbors, bandwidth, total_weight)

    def scans(self, size):
        """Return whether windows of a size are found by a scan, without lists."""
        if size.k is None:
            return True
        if self._is_engine or self.weighs_ties or not self.has_unit_weights:
            return False
        if self.shape[1] == 1:
            return True
        n_scanned = size.k * _MAX_SCANNED_ROWS_PER_NEIGHBOR
        return size.k >= _MIN_NEIGHBORS_TO_SCAN and n_scanned >= len(self.sample_weight)

    def weighted_k(self, size):
        """Return the weight up to which rows are listed; None if they are scanned."""
        return None if self.scans(size) else WeightedK(size.k, self.sample_weight)

    def neighbor_lists(self, points, weighted_k, exclude):
        """Return the nearest rows but the excluded one; None if rows are scanned."""
        # exclude: (m,), -1 for none. Lists are sorted by (distance, row).
        if weighted_k is None:
            return None
        if self.weighs_ties and not self._is_engine:
            return self.lists_with_ties(points, weighted_k, exclude)
        lists = self.search.nearest(points, slice(0, len(points)), weighted_k, exclude)
        if self._is_engine:  # its metric may be another
            gaps = self.take(lists.indices) - points[:, None]
            return full_lists(np.einsum("qcj,qcj->qc", gaps, gaps), lists.indices)
        # Rows at distance 0 have weight whatever the kernel.
        last = lists.reduced[np.arange(len(points)), np.maximum(lists.counts - 1, 0)]
        if len(hits := np.flatnonzero((last == 0) & (lists.counts > 0))):
            longer = self.lists_with_ties(points[hits], weighted_k, exclude[hits])
            lists.put(hits, longer)
        return lists

    def lists_with_ties(self, points, weighted_k, exclude):
        """Return the nearest rows of total weight k, and all as far as the last."""
        return lists_with_ties(
            self.search, points, weighted_k, exclude, self.sample_weight
        )
