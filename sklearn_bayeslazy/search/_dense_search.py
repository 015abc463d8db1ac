"""Nearest among dense rows: all are read, or the leaves of a kd-tree.

All searches break ties by (distance, index).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._core._kernel import frozen
from .._core._parallel import cache_sized_slices, jobs_for, map_chunks
from ._dense_kernels import SQUARED, UNIT, nearest_in_blocks, nearest_in_tree
from ._kd_tree import build_tree
from ._neighbor_lists import empty_lists
from ._product_search import BlockProducts
from ._ties import merge_ties, sum_ties_in_blocks

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
        # boxes: (2, n_nodes, d), the corners of a tree's nodes; no nodes without one.
        self.metric = metric
        self.boxes = np.empty((2, 0, rows.shape[1]))
        width = width_for(segments)
        if tree:
            nodes = build_tree(rows, LEAF_SIZE)
            self.boxes = np.stack([nodes.lower, nodes.upper])
            leaves = slice(nodes.first_leaf, None)
            starts, stops = nodes.start[leaves], nodes.stop[leaves]
            segments = [nodes.order[i:j] for i, j in zip(starts, stops)]
            width = -(-int((stops - starts).max()) // LANES) * LANES
        self.blocks = in_blocks(rows, segments, width, n_jobs)
        wide = rows.shape[1] >= MIN_PRODUCT_COLUMNS
        self.by_products = not tree and metric.kind in (SQUARED, UNIT) and wide
        if self.by_products:
            unit_length = metric.kind == UNIT
            self.products = BlockProducts(self.blocks, rows, unit_length)
            self.by_products = self.products.precision is not None

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.blocks.n_rows

    @property
    def has_tree(self):
        """Return whether the blocks are the leaves of a kd-tree."""
        return self.boxes.shape[1] > 0

    def transformed_rows(self):
        """Return the training rows, transformed."""
        return self.blocks.rows()

    def training_queries(self):
        """Return the training rows, transformed as queries."""
        return self.metric.as_queries(self.transformed_rows())

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded row."""
        queries = frozen(queries[rows], np.float64)
        lists = self._list(queries, weighted_k, exclude)
        return merge_ties(lists, self.metric.rounding(queries))

    def _list(self, queries, weighted_k, exclude):
        """Return the lists by what is faster, measuring or products."""
        if not self.by_products or self._is_measured_faster(queries, weighted_k):
            return self._measure_rows(queries, weighted_k, exclude)
        lists, is_open = self.products.nearest_or_open(queries, weighted_k, exclude)
        if is_open.any():
            some = self._measure_rows(queries[is_open], weighted_k, exclude[is_open])
            lists.put(is_open, some)
        return lists

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
        if self.has_tree:
            nearest_in_tree(self.blocks.arrays(), *self._corners(), *arrays)
        else:
            nearest_in_blocks(self.blocks.arrays(), *arrays)
        return lists

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query."""
        # queries: (m, n_columns); distances: (m,), reduced, as `nearest` returned them:
        # the least of those that are equal but for rounding.
        # exclude: (m,), the row that is left out, or -1; weight: (n,).
        # row_targets: classes (n,) and (0, n_outputs), or no classes and targets
        # (n, n_outputs).
        # Returns the weight (m,) of the rows at this distance, and (m, n_outputs): the
        # weight of each class, or the weighted sums of the targets.
        m, n_outputs = len(queries), row_targets[1].shape[1]
        totals, sums = np.zeros(m), np.zeros((m, n_outputs))
        farthest = self.metric.rounding(queries).farthest(distances)
        arrays = (
            frozen(queries, np.float64),
            frozen(distances, np.float64),
            frozen(farthest, np.float64),
            frozen(exclude, np.int64),
            frozen(weight, np.float64),
            self.metric.kind,
            self.metric.p,
            row_targets,
            (totals, sums),
        )
        sum_ties_in_blocks(self.blocks.arrays(), self._corners(), *arrays)
        return totals, sums

    def _corners(self):
        """Return the lower and the upper corners of boxes as kernels read them."""
        return frozen(self.boxes[0], np.float64), frozen(self.boxes[1], np.float64)


# Training rows in blocks, column after column, so that loops over rows vectorise.
#
# A sum over the columns of one row cannot be vectorised without changing its rounding.
# The loop over the rows of a block can: for each column, it adds one term to the
# distance of every row. So each distance is summed in the order of the columns, and is
# the same to the last bit in every search.


# Rows of a block: its distances (2 KiB) and eight of its columns fit the L1 cache.
BLOCK = 256
# Small segments get narrower blocks: multiples of the lanes of a vector register.
LANES = 8


@dataclass
class Blocks:
    """Rows cut into blocks of equal width."""

    cells: np.ndarray  # (n_blocks, n_features, width); inf where a block has no row
    indices: np.ndarray  # (n_blocks, width), row numbers; -1 where a block has no row

    @cached_property
    def n_rows(self):
        """Return the number of rows."""
        return int((self.indices >= 0).sum())

    def rows(self):
        """Return the rows in their original order, of shape (n_rows, n_features)."""
        rows = np.empty((self.n_rows, self.cells.shape[1]))
        for some in self.chunks():
            filled = self.indices[some] >= 0
            cells = self.cells[some].transpose(0, 2, 1)
            rows[self.indices[some][filled]] = cells[filled]
        return rows

    def take(self, rows):
        """Return the rows of some numbers, of shape (m, n_features)."""
        blocks, positions = np.divmod(self._positions[rows], self.cells.shape[2])
        return self.cells[blocks, :, positions]

    @cached_property
    def _positions(self):
        """Return where each row is in `indices`, the blocks one after the other."""
        flat = self.indices.ravel()
        filled = np.flatnonzero(flat >= 0)
        positions = np.empty_like(filled)
        positions[flat[filled]] = filled
        return positions

    def __getstate__(self):
        # What is found by a pass over the blocks is found again when needed.
        return {"cells": self.cells, "indices": self.indices}

    def chunks(self):
        """Return slices of the blocks, of few cells each."""
        return cache_sized_slices(range(len(self.cells)), self.cells[0].size)

    def arrays(self):
        """Return cells and indices as kernels read them."""
        return frozen(self.cells, np.float64), frozen(self.indices, np.int64)


def in_blocks(X, segments, width, n_jobs):
    """Cut rows into blocks. Each block holds rows of one segment.

    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> blocks = in_blocks(X, [[0, 2], [1]], width=2, n_jobs=1)
    >>> blocks.indices
    array([[ 0,  2],
           [ 1, -1]])
    >>> blocks.cells[:, 0]
    array([[ 1.,  3.],
           [ 2., inf]])
    """
    # X: (n, n_features); segments: int arrays of row numbers, each row in one of them.
    # n_jobs: number of threads that copy the rows.
    indices = block_indices(segments, width)
    cells = np.empty((len(indices), X.shape[1], width))
    blocks = Blocks(cells, indices)

    def copy(some):
        for few in Blocks(cells[some], indices[some]).chunks():
            cells[some][few] = _rows_of(X, indices[some][few]).transpose(0, 2, 1)
        cells[some].transpose(0, 2, 1)[indices[some] < 0] = np.inf

    n_jobs = jobs_for(cells.size, n_jobs)
    map_chunks(copy, len(indices), 1, n_jobs=n_jobs, min_rows=1)
    return blocks


def _rows_of(X, indices):
    """Return ``X[indices]``; consecutive rows are not copied first."""
    flat = indices.ravel()
    if (flat[1:] - flat[:-1] == 1).all():
        return X[flat[0] : flat[-1] + 1].reshape(*indices.shape, X.shape[1])
    return X[indices]


def width_for(segments):
    """Return a width of blocks that leaves at most about half of their cells empty."""
    mean = sum(map(len, segments)) / len(segments)
    return int(min(BLOCK, LANES * np.ceil(mean / LANES)))


def block_indices(segments, width):
    """Return the row numbers of the blocks of `in_blocks`, -1 for no row."""
    lengths = np.array([len(segment) for segment in segments])
    padded = -(-lengths // width) * width
    indices = np.full(padded.sum(), -1, dtype=np.int64)
    shifts = np.cumsum(padded - lengths) - (padded - lengths)
    indices[np.arange(lengths.sum()) + np.repeat(shifts, lengths)] = np.hstack(segments)
    return indices.reshape(-1, width)
