"""Windows: which rows a local fit at a query sees, how far they are, what they count.

There are three (SPEC 6, Mitchell's E1 to E3):

- k nearest rows, the bandwidth being the distance of the last (E3; E1 if all count
  alike);
- all rows within a bandwidth, or all of them where the kernel has no end (E2);
- both: the larger of the two.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..._kernel import frozen
from ...neighbors._search import (
    EngineSearch,
    WeightedK,
    build_tree,
    cut_weights,
    full_lists,
)

# A scan of so many rows a neighbour beats the tree's heap of neighbours, ...
_SCAN_ROWS = 40
# ... unless the neighbours are few.
_SCAN_LEAST = 32


@dataclass
class Windows:
    """The windows of some queries, one after the other.

    Attributes
    ----------
    starts, counts : int arrays of shape (m,)
        Window q is at ``starts[q]`` and has ``counts[q]`` rows.
    indices : int array of shape (size,)
    squared : ndarray of shape (size,)
        Squared distances.
    masses : ndarray of shape (size,)
        What each row counts, the kernel aside.
    reaches : ndarray of shape (m,)
        Squared bandwidths.
    """

    starts: np.ndarray
    counts: np.ndarray
    indices: np.ndarray
    squared: np.ndarray
    masses: np.ndarray
    reaches: np.ndarray

    def of(self, queries):
        """Return the windows of some of the queries, given by a mask."""
        starts, counts = self.starts[queries], self.counts[queries]
        return replace(
            self, starts=starts, counts=counts, reaches=self.reaches[queries]
        )


@dataclass(frozen=True)
class Size:
    """How large windows are.

    Attributes
    ----------
    k : float, ndarray of shape (m,) for m queries, or None
        The mass of the nearest rows.
    bandwidth : float or None
        The kernel's reach, where distances are measured.
    widening : float
        What the squared distance of the last neighbour is multiplied by.
    """

    k: float | None = None
    bandwidth: float | None = None
    widening: float = 1.0

    @classmethod
    def of(cls, n_neighbors, bandwidth, mass):
        """Return the size for an estimator's parameters.

        A float `n_neighbors` is a span, the part of the mass; above 1 it widens, as in
        loess, the window that holds all rows. mass is a number, or an array of shape
        (m,) where it is another for each query.

        Examples
        --------
        >>> Size.of(0.5, None, mass=9)
        Size(k=4.0, bandwidth=None, widening=1.0)
        >>> Size.of(2.0, None, mass=9)
        Size(k=9.0, bandwidth=None, widening=2.0)
        >>> Size.of(30, None, mass=9)
        Size(k=9.0, bandwidth=None, widening=1.0)
        """
        if n_neighbors is None:
            return cls(bandwidth=bandwidth)
        k, widening = n_neighbors, 1.0
        if isinstance(n_neighbors, float | np.floating):
            k = np.maximum(np.floor(mass * n_neighbors + 1e-5), 1.0)
            widening = max(float(n_neighbors), 1.0)
        k = np.minimum(k, np.ceil(mass)).astype(np.float64)
        return cls(k if np.ndim(k) else float(k), bandwidth, widening)


def nearby_order(queries):
    """Return an order of queries in which those that follow each other lie together.

    Windows are then found with less searching, and rows are still in the cache.
    """
    return build_tree(queries, leaf_size=8).order


def prefixes(lists, size, weight, exclude):
    """Return the windows of the first rows of sorted lists, up to the mass k.

    Parameters
    ----------
    lists : Lists
    size : Size
    weight : ndarray of shape (n,)
    own : int array of shape (m,)
        The row of which one copy is left out, or -1.
    """
    masses, counts = np.zeros(lists.indices.shape), lists.counts.copy()
    k = frozen(np.broadcast_to(size.k, len(counts)), np.float64)
    weight, exclude = frozen(weight, np.float64), frozen(exclude, np.int64)
    cut_weights(lists.indices, counts, exclude, weight, k, masses)
    last = np.maximum(counts - 1, 0)[:, None]
    farthest = np.take_along_axis(lists.reduced, last, axis=1)[:, 0]
    m, width = lists.indices.shape
    return Windows(
        np.arange(m) * width,
        counts,
        lists.indices.ravel(),
        np.ascontiguousarray(lists.reduced).ravel(),
        masses.ravel(),
        np.where(counts > 0, farthest, 0.0) * size.widening,
    )


class WindowFinder:
    """Finds windows among the rows of a search.

    Parameters
    ----------
    search : DenseSearch or EngineSearch
    rows : ndarray of shape (n, d)
        Where distances are measured.
    weight : ndarray of shape (n,)
        Masses.
    endless : bool
        Whether the kernel reaches all rows, whatever the bandwidth.
    unit : float
        What distances are multiplied by to be the user's.

    Attributes
    ----------
    alike : bool
        Whether all masses are 1.
    line : int array of shape (n,) or None
        The rows in the order of their only column, if there is one.
    order : int array of shape (n,)
        The rows box after box.
    starts : int array of shape (n_boxes + 1,)
        How many rows come before each box.
    boxes, coarse : ndarrays of shape (2, n_runs, d, length) and (2, d, n_runs)
        Least and greatest cells of boxes, which form runs of one length, and of those
        runs; of no columns where one box has all rows.
    """

    def __init__(self, search, rows, weight, endless, unit):
        self.search = search
        self.rows = rows
        self.weight = weight
        self.endless = endless
        self.unit = unit
        self.alike = bool(np.all(weight == 1))
        self.line = None
        if rows.shape[1] == 1 and hasattr(search, "blocks"):
            self.line = np.argsort(rows[:, 0], kind="stable")
        if hasattr(search, "blocks"):
            self._sort_into_boxes()

    def _sort_into_boxes(self):
        """Set what depends on boxes: laid out once, not for each slice of queries."""
        search, (n, d) = self.search, self.rows.shape
        order, starts = np.arange(n), np.array([0, n])
        boxes, coarse = np.empty((2, 1, 0, 1)), np.empty((2, 0, 1))
        if search.lower is not None:
            ids = search.blocks.indices
            n_boxes = len(ids)
            order = ids[ids >= 0]
            starts = np.append(0, np.cumsum(np.count_nonzero(ids >= 0, axis=1)))
            n_runs = 1 << (n_boxes.bit_length() // 2)
            nodes = np.stack([search.lower, search.upper])
            runs = nodes[:, n_boxes - 1 :].reshape(2, n_runs, n_boxes // n_runs, d)
            boxes = runs.transpose(0, 1, 3, 2)
            coarse = nodes[:, n_runs - 1 : 2 * n_runs - 1].transpose(0, 2, 1)
        self.order, self.starts = order, starts
        self.boxes, self.coarse = (np.ascontiguousarray(a) for a in (boxes, coarse))

    def scans(self, size):
        """Tell whether windows of a size are found on the way, without lists."""
        if size.k is None:
            return True
        if isinstance(self.search, EngineSearch) or not self.alike:
            return False
        if self.line is not None:
            return True
        return size.k >= _SCAN_LEAST and size.k * _SCAN_ROWS >= len(self.rows)

    def weighted_k(self, size):
        """Return what lists for a size take, None if there are to be none."""
        return None if self.scans(size) else WeightedK(size.k, self.weight)

    def lists(self, queries, weighted_k, exclude):
        """Return lists of the nearest rows, sorted by (distance, row), without own.

        Without a demand there are none.
        """
        if weighted_k is None:
            return None
        lists = self.search.nearest(
            queries, slice(0, len(queries)), weighted_k, exclude
        )
        if isinstance(self.search, EngineSearch):  # which measures in its own way
            gaps = self.rows[lists.indices] - queries[:, None]
            return full_lists(np.einsum("qcj,qcj->qc", gaps, gaps), lists.indices)
        return lists
