"""Nearest among dense rows: all are read, or the leaves of a kd-tree.

A search has ``nearest(queries, rows, weighted_k, exclude)``, which returns the
`NeighborLists` of a slice of transformed queries. All searches break ties by (distance,
row). All but `EngineSearch` give the same bits; an engine measures distances itself.
``sum_ties(queries, distances, …)`` sums up all rows at one distance from each query, or
is None where this is not known. `n_rows_beyond` is how many rows more than k are listed
to find those that tie with the last: many where distances take few values and all rows
would have to be measured again.
"""

import numpy as np

from .._core._kernel import frozen
from ._blocks import LANES, in_blocks, width_for
from ._dense_kernels import (
    MANHATTAN,
    RIGHT_ANGLE,
    SQUARED,
    UNIT,
    nearest_in_blocks,
    nearest_in_tree,
)
from ._kd_tree import build_tree
from ._list_kernels import sum_ties_in_blocks, sum_ties_in_tree
from ._neighbor_lists import MAX_ROWS_TO_LIST, can_sort_all, empty_lists, nearest_of_all
from ._product_search import ProductSearch

# Rows of a leaf: larger leaves cost distances, smaller ones cost boxes (measured at 2
# to 10 columns, with k of 10 and 50).
LEAF_SIZE = 128
# A kd-tree is faster than brute force from these rows and up to these columns (measured
# with k = 10).
MIN_TREE_ROWS, MAX_TREE_COLUMNS = 2000, 10
# From this number of columns on, a matrix product finds faster which rows to measure.
MIN_PRODUCT_COLUMNS = 11
# In larger tables it is faster to measure all rows for fewer cells of queries (4
# queries of 64 columns) or fewer rows per neighbor. In smaller ones both take
# milliseconds, and measuring would need another kernel to be compiled.
LARGE_TABLE, MIN_PRODUCT_CELLS, MIN_ROWS_PER_NEIGHBOR = 2**14, 256, 8

# Small tables of more columns are left to the kernels: numpy would take longer.
MAX_SUMMED_COLUMNS = 32


def wants_tree(n_rows, n_columns):
    """Return whether a kd-tree is expected to be faster than reading all rows."""
    return n_rows >= MIN_TREE_ROWS and n_columns <= MAX_TREE_COLUMNS


class DenseSearch:
    """Finds the nearest dense rows by reading all rows, or by a kd-tree."""

    n_rows_beyond = 1

    def __init__(self, metric, rows, segments, tree, n_jobs=None):
        # rows: (n, n_features), as `Metric.transform` returns them.
        # segments: int arrays of row numbers; a block holds rows of one segment, so
        # that a class can vote by blocks. With a tree they are its leaves instead.
        # n_jobs: number of threads that copy the rows.
        self.metric = metric
        self.lower = self.upper = None
        width = width_for(segments)
        if tree:
            boxes = build_tree(rows, LEAF_SIZE)
            self.lower, self.upper = boxes.lower, boxes.upper
            leaves = slice(boxes.first_leaf, None)
            starts, stops = boxes.start[leaves], boxes.stop[leaves]
            segments = [boxes.order[i:j] for i, j in zip(starts, stops)]
            width = -(-int((stops - starts).max()) // LANES) * LANES
        self.blocks = in_blocks(rows, segments, width, n_jobs)
        can_sum = not tree and metric.kind in (SQUARED, MANHATTAN, UNIT)
        is_small = len(rows) <= MAX_ROWS_TO_LIST and rows.shape[1] <= MAX_SUMMED_COLUMNS
        self.has_few_rows = can_sum and is_small
        wide = rows.shape[1] >= MIN_PRODUCT_COLUMNS
        self.by_products = not tree and metric.kind in (SQUARED, UNIT) and wide
        if self.by_products:
            unit_length = metric.kind == UNIT
            self.products = ProductSearch(self.blocks, rows, unit_length)
            self.by_products = self.products.precision is not None

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.blocks.n_rows

    def transformed_rows(self):
        """Return the training rows, transformed."""
        return self.blocks.rows()

    def training_queries(self):
        """Return the training rows, transformed as queries."""
        return self.metric.as_queries(self.transformed_rows())

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less one excluded copy."""
        queries = frozen(queries[rows], np.float64)
        if self.has_few_rows and can_sort_all(self.n_rows, len(queries)):
            reduced = self._sum_columns(queries)
            return nearest_of_all(reduced, weighted_k, exclude)
        if not self.by_products or self._is_measured_faster(queries, weighted_k):
            return self._measure_rows(queries, weighted_k, exclude)
        lists, is_open = self.products.nearest(queries, weighted_k, exclude)
        if is_open.any():
            some = self._measure_rows(queries[is_open], weighted_k, exclude[is_open])
            lists.reduced[is_open], lists.indices[is_open] = some.reduced, some.indices
            lists.counts[is_open] = some.counts
        return lists

    def _sum_columns(self, queries):
        """Return the reduced distances (m, n) to all rows, as kernels sum them up."""
        rows, kind = self.blocks.rows(), self.metric.kind
        reduced = np.zeros((len(queries), len(rows)))
        with np.errstate(over="ignore"):
            for column, x in zip(rows.T, queries.T):
                gap = column - x[:, None]
                reduced += np.abs(gap) if kind == MANHATTAN else gap * gap
        if kind == UNIT:
            reduced[np.abs(reduced - 2.0) < RIGHT_ANGLE] = 2.0
        return reduced

    def _is_measured_faster(self, queries, weighted_k):
        """Return whether to measure all rows is faster than products."""
        n_rows = self.blocks.indices.size
        few_rows = weighted_k.width * MIN_ROWS_PER_NEIGHBOR > n_rows
        return n_rows > LARGE_TABLE and (few_rows or queries.size < MIN_PRODUCT_CELLS)

    def _measure_rows(self, queries, weighted_k, exclude):
        """Return the nearest of all rows, or of those in the leaves that are near."""
        lists = empty_lists(len(queries), weighted_k.width)
        arrays = (
            queries,
            frozen(exclude, np.int64),
            weighted_k.weight,
            weighted_k.k,
            self.metric.kind,
            self.metric.p,
            lists.heaps(),
        )
        if self.lower is None:
            nearest_in_blocks(self.blocks.arrays(), *arrays)
        else:
            boxes = frozen(self.lower, np.float64), frozen(self.upper, np.float64)
            nearest_in_tree(self.blocks.arrays(), *boxes, *arrays)
        return lists

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query."""
        # queries: (m, n_columns); distances: (m,), reduced, as `nearest` returned them.
        # exclude: (m,), the row of which one copy is left out, or -1; weight: (n,).
        # row_targets: classes (n,) and (0, n_outputs), or no classes and targets
        # (n, n_outputs).
        # Returns the weight (m,) of the rows at this distance, and (m, n_outputs): the
        # weight of each class, or the weighted sums of the targets.
        m, n_outputs = len(queries), row_targets[1].shape[1]
        totals, sums = np.zeros(m), np.zeros((m, n_outputs))
        arrays = (
            frozen(queries, np.float64),
            frozen(distances, np.float64),
            frozen(exclude, np.int64),
            frozen(weight, np.float64),
            self.metric.kind,
            self.metric.p,
            row_targets,
        )
        if self.lower is None:
            sum_ties_in_blocks(self.blocks.arrays(), *arrays, totals, sums)
        else:
            boxes = frozen(self.lower, np.float64), frozen(self.upper, np.float64)
            sum_ties_in_tree(self.blocks.arrays(), boxes, *arrays, (totals, sums))
        return totals, sums
