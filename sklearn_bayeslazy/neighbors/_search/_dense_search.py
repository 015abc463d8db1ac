"""Nearest among dense rows: all are read, or the leaves of a kd-tree.

A search has ``nearest(queries, rows, weighted_k, exclude)``, which returns the
`NeighborLists` of a slice of transformed queries. All searches break ties by (distance,
row). All but `EngineSearch` give the same bits; an engine measures distances itself.
"""

import numpy as np

from ..._kernel import frozen
from ._blocks import LANES, in_blocks, width_for
from ._dense_kernels import (
    SQUARED,
    UNIT,
    nearest_in_blocks,
    nearest_in_tree,
    sort_heaps,
    take_products,
)
from ._kd_tree import build_tree
from ._neighbor_lists import empty_lists

# Rows in a leaf: more cost distances, fewer cost boxes (measured at 2 to 10 columns).
LEAF = 64
# Where a kd-tree beats reading every row (measured with k = 10).
TREE_LEAST_ROWS, TREE_MOST_COLUMNS = 2000, 10
# From so many columns on, a matrix product tells faster which rows are worth measuring.
PRODUCT_LEAST_COLUMNS = 11
# So many queries at a time: their products with a block stay in the second cache.
PRODUCT_TILE = 512


def wants_tree(n_rows, n_columns):
    """Tell whether a kd-tree finds the nearest of dense rows sooner than a scan."""
    return n_rows >= TREE_LEAST_ROWS and n_columns <= TREE_MOST_COLUMNS


class DenseSearch:
    """Nearest among dense rows: all are read, or the leaves of a kd-tree.

    Parameters
    ----------
    metric : Metric
    rows : ndarray of shape (n, n_features)
        Placed by the metric.
    segments : list of int arrays
        Kept apart in blocks, for votes by class.
    tree : bool
    """

    def __init__(self, metric, rows, segments, tree):
        self.metric = metric
        self.lower = self.upper = None
        width = width_for(segments)
        if tree:
            boxes = build_tree(rows, LEAF)
            self.lower, self.upper = boxes.lower, boxes.upper
            leaves = slice(boxes.first_leaf, None)
            starts, stops = boxes.start[leaves], boxes.stop[leaves]
            segments = [boxes.order[i:j] for i, j in zip(starts, stops)]
            width = -(-int((stops - starts).max()) // LANES) * LANES
        self.blocks = in_blocks(rows, segments, width)
        many = rows.shape[1] >= PRODUCT_LEAST_COLUMNS
        self.by_products = not tree and metric.kind in (SQUARED, UNIT) and many
        if self.by_products:
            squares = np.einsum("ij,ij->i", rows, rows)
            self.row_squares = self.blocks.spread(squares)

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.blocks.n_rows

    def transformed_rows(self):
        """Return the training rows."""
        return self.blocks.rows()

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.metric.as_queries(self.transformed_rows())

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, without one copy of own."""
        queries = frozen(queries[rows], np.float64)
        lists = empty_lists(len(queries), weighted_k.width)
        if self.by_products:
            return self._nearest_by_products(queries, weighted_k, exclude, lists)
        cells = frozen(self.blocks.cells, np.float64)
        ids = frozen(self.blocks.indices, np.int64)
        rest = (
            queries,
            frozen(exclude, np.int64),
            weighted_k.weight,
            weighted_k.k,
            self.metric.kind,
            self.metric.p,
            lists.reduced,
            lists.indices,
            lists.counts,
        )
        if self.lower is None:
            nearest_in_blocks(cells, ids, *rest)
        else:
            boxes = frozen(self.lower, np.float64), frozen(self.upper, np.float64)
            nearest_in_tree(cells, ids, *boxes, *rest)
        return lists

    def _nearest_by_products(self, queries, weighted_k, exclude, lists):
        cells = frozen(self.blocks.cells, np.float64)
        ids = frozen(self.blocks.indices, np.int64)
        row_squares = frozen(self.row_squares, np.float64)
        exclude = frozen(exclude, np.int64)
        # Both squares and the product are sums of d terms, each off by a rounding.
        slack = 4 * (queries.shape[1] + 64) * np.finfo(np.float64).eps
        products = np.empty((min(len(queries), PRODUCT_TILE), cells.shape[2]))
        for first in range(0, len(queries), PRODUCT_TILE):
            tile = slice(first, min(first + PRODUCT_TILE, len(queries)))
            some = queries[tile]
            squares = np.einsum("ij,ij->i", some, some)
            masses = np.zeros(len(some))
            for b, block in enumerate(cells):
                with np.errstate(invalid="ignore", over="ignore"):  # where is no row
                    np.matmul(some, block, out=products[: len(some)])
                take_products(
                    products[: len(some)],
                    slack,
                    cells,
                    ids,
                    b,
                    row_squares,
                    some,
                    squares,
                    exclude[tile],
                    weighted_k.weight,
                    weighted_k.k,
                    self.metric.kind == UNIT,
                    lists.reduced[tile],
                    lists.indices[tile],
                    lists.counts[tile],
                    masses,
                )
        sort_heaps(lists.reduced, lists.indices, lists.counts)
        return lists
