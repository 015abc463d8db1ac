"""An inverted index over sparse rows: for each column, the rows that fill it.

Columns that many rows fill would have the longest lists and tell the least. They are
kept as a dense table instead: a matrix product reads a cell in a fraction of the time
that a posting takes, and multiplies even those that are 0.
"""

from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..._arrays import csr_arrays
from ..._kernel import frozen
from ._inverted_index_kernels import add_postings, spread_frequent, take_near
from ._neighbor_lists import empty_lists

# A column that more than this share of the rows fills is cheaper as a dense one.
_FREQUENT = 0.15
_MOST_FREQUENT = 256
# Products of so many queries with so many rows stay in the second cache, or nearly.
_QUERIES, _ROWS = 256, 4096
# Rounding of a float32, for each term of a sum.
_EPSILON = 2.0**-23
# How many rows that may be near are kept, beside k, before they are measured.
_ROOM = 256


@dataclass
class Tile:
    """Some rows of an index.

    Attributes
    ----------
    n_rows : int
    dense : float32 array of shape (n_rows, n_frequent)
        The cells of the frequent columns.
    ends, places, weights : int64, int32 and float32 arrays
        The postings of column j are ``places[ends[j] : ends[j + 1]]``; frequent columns
        have none.
    """

    n_rows: int
    dense: np.ndarray
    ends: np.ndarray
    places: np.ndarray
    weights: np.ndarray


class InvertedIndex:
    """Finds the rows that are nearest to sparse queries, exactly.

    Parameters
    ----------
    kind : int
        EUCLIDEAN, COSINE (of rows of length one) or DOT.
    rows : csr_array of shape (n, n_columns)
        With sorted columns and no duplicates.
    """

    def __init__(self, kind, rows):
        self.kind = kind
        filled = np.bincount(rows.indices, minlength=rows.shape[1])
        by_count = np.argsort(-filled, kind="stable")[:_MOST_FREQUENT]
        frequent = by_count[filled[by_count] > _FREQUENT * rows.shape[0]]
        slots = np.full(rows.shape[1], -1)
        slots[frequent] = np.arange(len(frequent))
        self.slots = slots
        self.n_frequent = len(frequent)
        self._put([], rows)

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    def extended(self, rows):
        """Return an index with more rows; which columns are frequent stays.

        This one is left as it is. Full tiles are shared, a last one is filled up.
        """
        other = copy(self)
        whole = [tile for tile in self.tiles if tile.n_rows == _ROWS]
        other._put(whole, sparse.vstack([self.rows, rows], format="csr"))
        return other

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.rows

    def _put(self, tiles, rows):
        """Set the rows, whose first are in tiles."""
        fresh = range(len(tiles) * _ROWS, rows.shape[0], _ROWS)
        added = [self._tile(rows[i : i + _ROWS]) for i in fresh]
        self.tiles = [*tiles, *added]
        rows.indptr, rows.indices = (
            a.astype(np.int64, copy=False) for a in (rows.indptr, rows.indices)
        )
        self.rows = rows
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        with np.errstate(over="ignore"):
            self.squares = squares.astype(np.float32)

    def _tile(self, rows):
        dense = np.zeros((rows.shape[0], self.n_frequent), dtype=np.float32)
        spread_frequent(_triple(rows), 0, frozen(self.slots, np.int64), dense)
        rare = sparse.coo_array(rows)
        kept = self.slots[rare.col] < 0
        with np.errstate(over="ignore"):  # what overflows is measured in any case
            weights = rare.data[kept].astype(np.float32)
        entries = weights, (rare.row[kept], rare.col[kept])
        postings = sparse.coo_array(entries, shape=rows.shape).tocsc()
        return Tile(
            rows.shape[0],
            dense,
            postings.indptr.astype(np.int64, copy=False),
            postings.indices.astype(np.int32, copy=False),
            postings.data,
        )

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, leaving out own."""
        lists = empty_lists(rows.stop - rows.start, weighted_k.width)
        query = _triple(queries)
        for start in range(rows.start, rows.stop, _QUERIES):
            stop = min(start + _QUERIES, rows.stop)
            here = slice(start - rows.start, stop - rows.start)
            self._nearest_few(query, start, weighted_k, exclude[here], lists, here)
        return lists

    def _nearest_few(self, query, first, weighted_k, exclude, lists, here):
        m, slots = len(exclude), frozen(self.slots, np.int64)
        dense = np.zeros((m, self.n_frequent), dtype=np.float32)
        spread_frequent(query, first, slots, dense)
        n_terms = np.diff(query[0][first : first + m + 1]) + self.n_frequent + 8
        room = weighted_k.width + _ROOM
        near = (
            np.full(m, np.inf),
            np.empty((m, room)),
            np.empty((m, room)),
            np.empty((m, room), dtype=np.int64),
            np.zeros(m, dtype=np.int64),
            lists.reduced[here],
            lists.indices[here],
            lists.counts[here],
            np.zeros(m),
        )
        rows, squares = _triple(self.rows), frozen(self.squares, np.float32)
        exclude, error = frozen(exclude, np.int64), n_terms * _EPSILON
        base = 0
        for tile in self.tiles:
            with np.errstate(over="ignore", invalid="ignore"):
                products = dense @ tile.dense.T
            postings = (
                frozen(tile.ends, np.int64),
                frozen(tile.places, np.int32),
                frozen(tile.weights, np.float32),
            )
            add_postings(query, first, slots, postings, products)
            take_near(
                products,
                base,
                query,
                first,
                rows,
                squares,
                self.kind,
                exclude,
                weighted_k.weight,
                int(weighted_k.k),
                tile is self.tiles[-1],
                error,
                *near,
            )
            base += tile.n_rows


def _triple(rows):
    return csr_arrays(rows.indptr, rows.indices, rows.data)
