"""Windows: which rows a local fit at a query sees, how far they are, what they count.

There are three (SPEC 6, Mitchell's E1 to E3):

- k nearest rows, the bandwidth being the distance of the last (E3; E1 if all count
  alike);
- all rows within a bandwidth, or all of them where the kernel has no end (E2);
- both: the larger of the two.
"""

from dataclasses import dataclass

import numpy as np

from .._kernel import frozen
from ..neighbors._searches import Demand, EngineSearch, full_lists, nobody
from ..neighbors._shepard_kernels import cut_masses
from ._window_kernels import list_within, nearest_by_scan

# A scan of so many rows a neighbour beats the tree's heap of neighbours, ...
_SCAN_ROWS = 40
# ... unless the neighbours are few.
_SCAN_LEAST = 32
_ALIKE = np.empty(0)


@dataclass
class Windows:
    """The windows of some queries, one after the other.

    Attributes
    ----------
    starts, counts : int arrays of shape (m,)
        Window q is at ``starts[q]`` and has ``counts[q]`` rows.
    ids : int array of shape (size,)
    squared : ndarray of shape (size,)
        Squared distances.
    masses : ndarray of shape (size,)
        What each row counts, the kernel aside; of length 0 where all count 1.
    bandwidths : ndarray of shape (m,)
    """

    starts: np.ndarray
    counts: np.ndarray
    ids: np.ndarray
    squared: np.ndarray
    masses: np.ndarray
    bandwidths: np.ndarray


@dataclass(frozen=True)
class Size:
    """How large windows are.

    Attributes
    ----------
    k : float or None
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
        loess, the window that holds all rows.

        Examples
        --------
        >>> Size.of(0.5, None, mass=9)
        Size(k=4.0, bandwidth=None, widening=1.0)
        >>> Size.of(2.0, None, mass=9)
        Size(k=9.0, bandwidth=None, widening=2.0)
        >>> Size.of(30, None, mass=9)
        Size(k=9.0, bandwidth=None, widening=1.0)
        """
        everybody = float(np.ceil(mass))
        if n_neighbors is None:
            return cls(bandwidth=bandwidth)
        if isinstance(n_neighbors, float | np.floating):
            widening = max(float(n_neighbors), 1.0)
            return cls(float(mass_of_span(n_neighbors, mass)), bandwidth, widening)
        return cls(float(min(n_neighbors, everybody)), bandwidth)


def mass_of_span(span, mass):
    """Return the mass of the neighbours that a part of the mass means, as in loess."""
    return np.minimum(np.maximum(np.floor(mass * span + 1e-5), 1.0), np.ceil(mass))


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
    """

    def __init__(self, search, rows, weight, endless):
        self.search = search
        self.rows = rows
        self.weight = weight
        self.endless = endless
        self._alike = bool(np.all(weight == 1))

    def demand(self, size):
        """Return what the nearest rows of a size take, None if there is no such."""
        return None if size.k is None else Demand(size.k, self.weight)

    def bytes_per_query(self, demand):
        """Return about how much memory the window of one query takes."""
        return 80 * (len(self.rows) if demand is None else demand.width)

    def find(self, queries, rows, size, demand, own=None):
        """Return the windows of a slice of queries, without one copy of own.

        demand is that of the size, which is not reckoned anew for each slice.
        """
        own = nobody(rows) if own is None else own
        if size.k is None:
            reach = np.inf if size.bandwidth is None else size.bandwidth
            return self._within(queries[rows], np.full(len(own), reach), own)
        near = self.nearest(queries, rows, size, demand, own)
        if size.bandwidth is None:
            return near
        return self.larger(near, queries[rows], size.bandwidth, own)

    def nearest(self, queries, rows, size, demand, own):
        """Return the windows of the k nearest rows."""
        k, n = int(size.k), len(self.rows)
        left_out = bool(np.any(own >= 0))
        engine = isinstance(self.search, EngineSearch)
        scan = _SCAN_LEAST <= k < n - left_out and n <= _SCAN_ROWS * k
        if self._alike and scan and not engine:
            ids = np.empty((len(own), k), dtype=np.int64)
            squared = np.empty((len(own), k))
            blocks = self.search.blocks
            nearest_by_scan(
                frozen(blocks.cells, np.float64),
                frozen(blocks.ids, np.int64),
                frozen(queries[rows], np.float64),
                frozen(own, np.int64),
                k,
                ids,
                squared,
            )
            bandwidths = np.sqrt(squared.max(axis=1) * size.widening)
            return _as_windows(ids, squared, _ALIKE, k, bandwidths)
        lists = self.sorted_lists(queries, rows, demand, own)
        return self.prefixes(lists, size.k, size.widening, own)

    def sorted_lists(self, queries, rows, demand, own):
        """Return lists of the nearest rows, sorted by (distance, row)."""
        lists = self.search.nearest(queries, rows, demand, own)
        if isinstance(self.search, EngineSearch):  # which measures in its own way
            gaps = self.rows[lists.ids] - queries[rows][:, None]
            return full_lists(np.einsum("qcj,qcj->qc", gaps, gaps), lists.ids)
        return lists

    def prefixes(self, lists, k, widening, own):
        """Return the windows of the first rows of sorted lists, up to the mass k.

        k is a number, or an array of shape (m,).
        """
        masses, counts = np.zeros(lists.ids.shape), lists.counts.copy()
        k = frozen(np.broadcast_to(k, len(counts)), np.float64)
        weight = frozen(self.weight, np.float64)
        cut_masses(lists.ids, counts, frozen(own, np.int64), weight, k, masses)
        last = np.maximum(counts - 1, 0)[:, None]
        farthest = np.take_along_axis(lists.reduced, last, axis=1)[:, 0]
        bandwidths = np.sqrt(np.where(counts > 0, farthest, 0.0) * widening)
        return _as_windows(lists.ids, lists.reduced, masses, counts, bandwidths)

    def larger(self, near, queries, bandwidth, own):
        """Return windows of the bandwidth where it is larger than that of the k."""
        reach = np.where(near.bandwidths < bandwidth, bandwidth, -1.0)
        wide = self._within(queries, reach, own)
        use_wide = reach > 0
        starts = np.where(use_wide, wide.starts + len(near.ids), near.starts)
        if not len(near.masses):
            near.masses = np.ones(len(near.ids))
        return Windows(
            starts,
            np.where(use_wide, wide.counts, near.counts),
            np.concatenate([near.ids, wide.ids]),
            np.concatenate([near.squared, wide.squared]),
            np.concatenate([near.masses, wide.masses]),
            np.where(use_wide, bandwidth, near.bandwidths),
        )

    def _within(self, queries, bandwidths, own):
        """Return windows of the rows within bandwidths; of none where it is below 0."""
        m = len(queries)
        reach = np.where(bandwidths < 0, -1.0, np.square(bandwidths))
        if self.endless:
            reach[bandwidths >= 0] = np.inf
        blocks = self.search.blocks
        d = queries.shape[1]
        boxes = self.search.lower, self.search.upper
        lower, upper = (np.empty((0, d)) if box is None else box for box in boxes)
        starts, counts = np.zeros((2, m), dtype=np.int64)
        ids, squared = np.empty(0, dtype=np.int64), np.empty(0)
        for _ in range(2):  # first to count, then to list
            list_within(
                frozen(blocks.cells, np.float64),
                frozen(blocks.ids, np.int64),
                frozen(lower, np.float64),
                frozen(upper, np.float64),
                frozen(queries, np.float64),
                frozen(reach, np.float64),
                frozen(starts, np.int64),
                counts,
                ids,
                squared,
            )
            starts = np.cumsum(counts) - counts
            if not len(ids):
                ids = np.empty(counts.sum(), dtype=np.int64)
                squared = np.empty(len(ids))
        masses = self.weight[ids]
        left_out = ids == np.repeat(own, counts)
        masses[left_out] -= np.minimum(masses[left_out], 1.0)
        kept = Windows(starts, counts, ids, squared, masses, bandwidths.copy())
        endless = np.isinf(bandwidths)
        for q in np.flatnonzero(endless):  # the farthest row gives the unit
            mine = squared[starts[q] : starts[q] + counts[q]]
            kept.bandwidths[q] = np.sqrt(mine.max(initial=0.0))
        return kept


def _as_windows(ids, squared, masses, counts, bandwidths):
    m, width = ids.shape
    return Windows(
        np.arange(m) * width,
        np.broadcast_to(counts, m).astype(np.int64),
        ids.ravel(),
        np.ascontiguousarray(squared).ravel(),
        masses.ravel(),
        bandwidths,
    )
