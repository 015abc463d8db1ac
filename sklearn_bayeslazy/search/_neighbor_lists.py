"""Lists of the nearest training rows, heaps that fill them, and when a list is full."""

import math
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, inlined_late

# Relative error allowed in sums of fractional weights, which depend on their order.
_SLACK = 1e-6
_NO_ROW = np.iinfo(np.int64).max


class RowsSearch:
    """A search that keeps the training rows as they are, and compares them so."""

    # rows: (n, n_columns), dense or sparse, transformed; queries have the same form.

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.rows.shape[0]

    def transformed_rows(self):
        """Return the training rows, transformed."""
        return self.rows

    def training_queries(self):
        """Return the training rows, transformed as queries."""
        return self.rows


@dataclass
class NeighborLists:
    """The nearest rows of queries."""

    reduced: np.ndarray  # (m, width), reduced distances, ascending
    indices: np.ndarray  # (m, width), training rows
    counts: np.ndarray  # (m,), length of each list; entries after it have no meaning

    @property
    def width(self):
        """Return the largest possible length of a list."""
        return self.reduced.shape[1]

    def padded(self):
        """Return distances and rows, infinite and no row after the end of a list."""
        listed = np.arange(self.width) < self.counts[:, None]
        reduced = np.where(listed, self.reduced, np.inf)
        return reduced, np.where(listed, self.indices, _NO_ROW)

    def heaps(self, queries=slice(None)):
        """Return empty heaps over the lists of a slice of queries."""
        counts = self.counts[queries]
        return NeighborHeaps(
            self.reduced[queries], self.indices[queries], counts, np.zeros(len(counts))
        )

    def without(self, queries, rows):
        """Return the lists of some queries, each without a row, if it is listed."""
        # queries, rows: (n_lists,).
        indices, counts = self.indices[queries], self.counts[queries]
        is_left_out = indices == rows[:, None]
        was_listed = is_left_out & (np.arange(self.width) < counts[:, None])
        order = np.argsort(is_left_out, axis=1, kind="stable")  # it comes last
        return NeighborLists(
            np.take_along_axis(self.reduced[queries], order, axis=1),
            np.take_along_axis(indices, order, axis=1),
            counts - was_listed.any(axis=1),
        )

    def put(self, queries, lists):
        """Replace the lists of some queries by lists of any width."""
        if lists.width > self.width:
            more = (0, 0), (0, lists.width - self.width)
            self.reduced, self.indices = (
                np.pad(values, more) for values in (self.reduced, self.indices)
            )
        self.reduced[queries, : lists.width] = lists.reduced
        self.indices[queries, : lists.width] = lists.indices
        self.counts[queries] = lists.counts


class WeightedK:
    """k as a total weight: rows are taken in order of distance until they weigh k."""

    # given: k as it was given; k: the total weight at which a search may stop; weight:
    # (n,), weights of the training rows, cut at k; width: the largest possible
    # length of a list. To make it takes a pass over the rows: whoever answers single
    # queries keeps it.
    # alive: (n,) uint8, 1 for the rows of weight 1, and 0 for those that no list holds;
    # None if weights were given, or all are 1.

    alive = None

    def __init__(self, given, weight):
        # weight: (n,), weights of the training rows.
        self.given = float(given)
        whole = bool(np.all(weight == np.floor(weight)))
        self.k = self.given if whole else given * (1 + _SLACK)
        if np.all(weight == 1.0):
            self.weight, needed = _ones(len(weight)), max(math.ceil(given), 1)
        else:
            self.weight = frozen(np.minimum(weight, self.k), np.float64)
            reached = np.cumsum(np.sort(self.weight))
            limit = self.k if whole else self.k * (1 + _SLACK)
            needed = int(np.searchsorted(reached, limit)) + 1
        # One row at most is excluded, and a row is inserted before another is removed.
        self.width = min(needed + 1, len(weight)) + 1

    @classmethod
    def of_rows(cls, k, n_rows, alive=None):
        """Return k as a number of rows of weight 1, without a pass over the rows.

        >>> WeightedK.of_rows(3, 10).width == WeightedK(3, np.full(10, 2.0)).width + 1
        True
        """
        # alive: as the attribute.
        of_rows = cls.__new__(cls)
        of_rows.given = of_rows.k = float(k)
        of_rows.width = min(max(math.ceil(k), 1) + 1, n_rows) + 1
        of_rows.alive = alive
        if alive is None:
            of_rows.weight = _ones(n_rows)
        return of_rows

    @cached_property
    def weight(self):
        """Return the weights if they are those of rows alive, or not."""
        return frozen(self.alive, np.float64)

    def of_slice(self, rows):
        """Return the `WeightedK` of lists of a slice of the rows, equally long."""
        part = copy(self)
        if self.alive is None:
            part.weight = self.weight[rows]
        else:
            part.alive = self.alive[rows]
        return part

    def of_chosen(self):
        """Return the `WeightedK` of equally long lists of rows known to be alive."""
        if self.alive is None:
            return self
        chosen = copy(self)
        chosen.alive, chosen.weight = None, _ones(len(self.alive))
        return chosen

    def __getstate__(self):
        # What takes a pass over the rows is found again when needed.
        cached = {"with_next", "total"}
        if self.alive is not None:
            cached.add("weight")
        return {name: x for name, x in vars(self).items() if name not in cached}

    @cached_property
    def with_next(self):
        """Return the `WeightedK` of lists with one more row, that may show a tie."""
        return self.beyond(1)

    @cached_property
    def total(self):
        """Return the sum of the weights, each cut at k."""
        return float(np.minimum(self.weight, self.given).sum())

    def beyond(self, n_rows):
        """Return the `WeightedK` of lists with n_rows rows or more beyond k."""
        weight = np.minimum(self.weight, self.given)
        return WeightedK(self.given + n_rows * weight.max(), weight)


_all_ones = np.ones(0)


def _ones(n_rows):
    """Return weights of 1: a part of one array, which grows with the largest table."""
    global _all_ones  # two threads may both replace it, by equal arrays
    ones = _all_ones
    if len(ones) < n_rows:
        ones = _all_ones = frozen(np.ones(n_rows + n_rows // 4), np.float64)
    return ones[:n_rows]


def count_alive(alive):
    """Return how many rows are alive, of uint8 numbers 1 and 0."""
    return int(np.count_nonzero(alive.view(np.bool_)))


def empty_lists(m, width):
    """Return lists to be filled, of counts 0."""
    return NeighborLists(
        np.empty((m, width)),
        np.empty((m, width), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
    )


def nearest_of_all(reduced, weighted_k, exclude):
    """Return the nearest of all rows but the excluded one, sorted by (distance, row).

    >>> weighted_k = WeightedK(2, np.ones(3))
    >>> lists = nearest_of_all(np.array([[5.0, 4.0, 4.0]]), weighted_k, np.array([-1]))
    >>> lists.indices[:, :2]
    array([[1, 2]])
    """
    # reduced: (m, n), the distance of each query to each row.
    # exclude: (m,), the row that is left out, or -1.
    lists = empty_lists(len(reduced), weighted_k.width)
    for q, distances in enumerate(reduced):
        nearest = _nearest(distances, weighted_k.width, exclude[q])
        lists.counts[q] = len(nearest)
        lists.indices[q, : len(nearest)] = nearest
        lists.reduced[q, : len(nearest)] = distances[nearest]
    return lists


def _nearest(distances, width, exclude):
    """Return the nearest rows but the excluded one, sorted by (distance, row)."""
    # distances: (n,).
    indices = np.arange(len(distances))
    if width < len(distances):
        bound = np.partition(distances, width - 1)[width - 1]
        indices = np.flatnonzero(distances <= bound)
    indices = indices[np.argsort(distances[indices], kind="stable")]
    if exclude >= 0:
        indices = indices[indices != exclude]
    return indices[:width]


def full_lists(reduced, indices):
    """Return lists without empty entries, sorted by (distance, row)."""
    m, width = indices.shape
    lists = merged_lists([(reduced, indices)], width)
    return NeighborLists(*lists, np.full(m, width, dtype=np.int64))


def merged_lists(parts, width):
    """Return the nearest of several lists of each query, by (distance, row)."""
    # parts: distances and rows, both (m, k). Returned are both of them, (m, width).
    near, rows = (np.hstack(values) for values in zip(*parts))
    order = np.lexsort((rows, near), axis=-1)[:, :width]
    return tuple(np.take_along_axis(values, order, axis=1) for values in (near, rows))


def drop_excluded(distances, indices, exclude):
    """Return lists less the excluded row, or less the last row if it is not listed."""
    kept = indices != exclude[:, None]
    kept[kept.all(axis=1), -1] = False
    shape = len(indices), indices.shape[1] - 1
    return distances[kept].reshape(shape), indices[kept].reshape(shape)


def no_exclusions(n_queries):
    """Return the excluded row of each query: -1, for none."""
    return np.full(n_queries, -1)


# Max-heaps of the nearest rows, as numba kernels keep them.
#
# The nearest rows of query q stand in row q of the arrays of `NeighborHeaps`. The root
# of a heap is its farthest row, by (distance, row). k is a total weight: a row stays in
# the heap while the rows nearer than it weigh less than k. With weights of 1 this is k
# rows.


class NeighborHeaps(NamedTuple):
    """Heaps of the nearest rows of m queries."""

    reduced: np.ndarray  # (m, width), reduced distances
    indices: np.ndarray  # (m, width), training rows
    counts: np.ndarray  # (m,), number of rows in each heap
    totals: np.ndarray  # (m,), total weight of the rows in each heap


@inlined
def sift_down(reduced, indices, q, value, row, size):
    """Put an entry at the root of a heap of a size, and restore the heap's order."""
    c = 0
    while True:
        child = 2 * c + 1
        if child >= size:
            break
        if child + 1 < size:
            v, w = reduced[q, child], reduced[q, child + 1]
            if w > v or (w == v and indices[q, child + 1] > indices[q, child]):
                child += 1
        v, i = reduced[q, child], indices[q, child]
        if value > v or (value == v and row > i):
            break
        reduced[q, c], indices[q, c] = v, i
        c = child
    reduced[q, c], indices[q, c] = value, row


@inlined_late
def insert(reduced, indices, counts, totals, q, value, row, weight, k):
    """Insert a row into a heap, and remove the rows that are no longer needed."""
    # The arrays of the heaps come one by one: to unpack a tuple here would count
    # references for every row. The weight of the row is above 0.
    c = counts[q]
    full = c > 0 and totals[q] >= k  # the row is then nearer than the root
    farthest = weight[indices[q, 0]] if full else 0.0
    totals[q] += weight[row]
    size = 0  # of the heap into which the row is sifted down, 0 if it was sifted up
    if full and totals[q] - farthest >= k:  # the row replaces the root
        totals[q] -= farthest
        size = c
    else:
        while c > 0:  # sift up
            parent = (c - 1) // 2
            v, i = reduced[q, parent], indices[q, parent]
            if v > value or (v == value and i > row):
                break
            reduced[q, c], indices[q, c] = v, i
            c = parent
        reduced[q, c], indices[q, c] = value, row
        counts[q] += 1
    while True:
        if size > 0:  # in one place: the code is copied into every search
            sift_down(reduced, indices, q, value, row, size)
        if counts[q] <= 1:
            return
        farthest = weight[indices[q, 0]]
        if totals[q] - farthest < k:
            return
        totals[q] -= farthest
        counts[q] -= 1
        size = counts[q]
        value, row = reduced[q, size], indices[q, size]


@inlined
def heap_push(reduced, indices, counts, totals, q, value, row, weight, k, worst):
    """Insert a row if it is among the nearest; return the new worst distance."""
    # worst: the distance of the root, or infinite while the total weight is below k.
    if value > worst or (totals[q] >= k and value == worst and row > indices[q, 0]):
        return worst
    if weight[row] > 0.0:
        insert(reduced, indices, counts, totals, q, value, row, weight, k)
    return reduced[q, 0] if totals[q] >= k else np.inf


@inlined_late
def sort_heap(reduced, indices, counts, q):
    """Turn a query's heap into a list, nearest first."""
    for last in range(counts[q] - 1, 0, -1):
        value, row = reduced[q, last], indices[q, last]
        reduced[q, last], indices[q, last] = reduced[q, 0], indices[q, 0]
        sift_down(reduced, indices, q, value, row, last)
