"""Exact searches for the nearest dense rows, by projections (sketches) or by products.

`LSHNeighbors` tunes and reports its recall against them. They drop only rows that are
certainly too far.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core._kernel import frozen
from .._heap_kernels import sort_heaps
from .._neighbor_lists import empty_lists
from ._dense_kernels import push_by_products

# Rows that are measured first, for each neighbour, and the share of the rows that is
# read to choose them: one in this number.
_TRIED_PER_NEIGHBOR, _READ_ONE_IN = 4, 16
# Products with all rows are cheaper than measuring more than one row in this number.
_MEASURE_ONE_IN = 4
# Rows that are multiplied at a time.
_ROWS_PER_TILE = 4096
# The rounding of a number in single precision.
EPSILON = 2.0**-24


@dataclass(frozen=True, eq=False)
class ProjectionSearch:
    """Finds the exact nearest rows among those whose projections are near enough."""

    # A projection never increases a distance by more than its error.

    rows: Any  # DenseRows
    projection: Any  # PrincipalProjection
    table: Any  # HashTable, which holds the projections of the rows
    error: float  # that of the projection

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        queries, n, k = queries[rows], self.rows.shape[0], int(weighted_k.k)
        projections, residuals = self.projection.transform(queries, n_jobs=1)
        n_read = max(n // _READ_ONE_IN, _TRIED_PER_NEIGHBOR * k)
        n_tried = min(_TRIED_PER_NEIGHBOR * k, n)
        homes = self.table.homes(queries, projections)
        tried = self.table.candidates(projections, homes, exclude, n_read, n_tried)
        numbers = np.arange(len(exclude))
        found = self.rows.measure(queries, numbers, *tried, exclude, weighted_k)
        limits = self._limits(found, k, projections, residuals)
        width = min(max(n // _MEASURE_ONE_IN, n_tried), n)
        chosen, sizes = self.table.within(
            projections, exclude, np.square(limits), width
        )
        too_many = np.flatnonzero(sizes > width)
        sizes[too_many] = 0
        lists = self.rows.measure(queries, numbers, chosen, sizes, exclude, weighted_k)
        if len(too_many):
            search = ProductSearch(self.rows, self.projection)
            found = search.nearest(
                queries[too_many], slice(None), weighted_k, exclude[too_many]
            )
            lists.put(too_many, found)
        return lists

    def _limits(self, found, k, projections, residuals):
        """Return how far projections of the k nearest rows can be, at most."""
        limits = np.where(found.counts < k, np.inf, np.sqrt(found.reduced[:, k - 1]))
        limits *= self.projection.unit
        squares = np.einsum("ij,ij->i", projections, projections)
        lengths = np.sqrt(squares + residuals)
        limits += self.error * (2 * lengths + limits)
        return limits


@dataclass(frozen=True, eq=False)
class ProductSearch:
    """Finds the exact nearest rows by products of centered rows in single precision."""

    # Rows that may be among the nearest, within the error of products, are measured.

    rows: Any  # DenseRows
    projection: Any  # PrincipalProjection, which has the center

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        queries = queries[rows]
        lists = empty_lists(len(exclude), weighted_k.width)
        heaps = lists.heaps()
        centered, squares = self.projection.center_rows(queries)
        n, d = self.rows.shape
        for base in range(0, n, _ROWS_PER_TILE):
            some = self.rows[base : base + _ROWS_PER_TILE]
            tile, tile_squares = self.projection.center_rows(some)
            push_by_products(
                centered @ tile.T,
                base,
                tile_squares,
                squares,
                (d + 8) * EPSILON,
                self.projection.unit,
                queries.arrays(),
                frozen(exclude, np.int64),
                self.rows.arrays(),
                weighted_k.weight,
                int(weighted_k.k),
                heaps,
            )
        sort_heaps(heaps)
        return lists
