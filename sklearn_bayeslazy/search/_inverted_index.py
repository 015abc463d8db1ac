"""The nearest sparse rows by an inverted index: `InvertedIndexNeighbors`, `ShepardKNN`.

For each column it lists the rows in which the column is not 0, its postings. The lists
of columns that are seldom 0 would be the longest. These frequent columns are kept as a
dense table instead: a matrix product multiplies zeros too, but it reads a cell in a
fraction of the time that a posting takes.
"""

from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .._core._kernel import frozen
from .._core._parallel import slices_of
from ._inverted_index_kernels import (
    CandidateRows,
    SparseSearchArrays,
    add_postings,
    collect_nearest,
    fill_frequent,
)
from ._neighbor_lists import empty_lists

# A column is frequent, and cheaper as a dense one, if more than this share of the rows
# fills it.
_MIN_FREQUENT_SHARE = 0.15
_MAX_FREQUENT = 256
# Products of a block of queries with a tile of rows nearly fit the L2 cache.
_QUERIES_PER_BLOCK, _ROWS_PER_TILE = 256, 4096
# Rounding of a float32, for each term of a sum.
_EPSILON = 2.0**-23
# Candidates that are kept, in addition to k, before they are measured.
_N_SPARE_CANDIDATES = 256


@dataclass
class Tile:
    """Some rows of an index: frequent columns dense, the others as postings."""

    dense: np.ndarray  # (n_rows, n_frequent), float32
    # Column j is filled in the rows positions[starts[j] : starts[j + 1]] of the tile,
    # with the values of the same slice. Frequent columns have no postings.
    starts: np.ndarray  # (n_columns + 1,), int64
    positions: np.ndarray  # (n_postings,), int32
    values: np.ndarray  # (n_postings,), float32

    def postings(self):
        """Return starts, positions and values as kernels read them."""
        return (
            frozen(self.starts, np.int64),
            frozen(self.positions, np.int32),
            frozen(self.values, np.float32),
        )


class InvertedIndex:
    """Finds the exact nearest rows of queries; both are `SparseRows`."""

    by_products = True

    def __init__(self, rows):
        # rows: they are kept, and their indices become int64 in place.
        n_rows, n_columns = rows.shape
        filled = np.bincount(rows.X.indices, minlength=n_columns)
        by_count = np.argsort(-filled, kind="stable")[:_MAX_FREQUENT]
        frequent = by_count[filled[by_count] > _MIN_FREQUENT_SHARE * n_rows]
        slots = np.full(n_columns, -1)
        slots[frequent] = np.arange(len(frequent))
        self.slots = slots
        self.n_frequent = len(frequent)
        self._set_rows([], rows)

    @property
    def n_rows(self):
        """Return the number of rows."""
        return self.rows.shape[0]

    def extended(self, rows):
        """Return an index with more rows, and the same frequent columns."""
        # This index stays as it is. Both share the full tiles.
        other = copy(self)
        full = [tile for tile in self.tiles if len(tile.dense) == _ROWS_PER_TILE]
        other._set_rows(full, self.rows.joined(rows))
        return other

    def _set_rows(self, tiles, rows):
        """Set the rows, the first of which are in tiles."""
        starts = range(len(tiles) * _ROWS_PER_TILE, rows.shape[0], _ROWS_PER_TILE)
        added = [self._tile(rows[i : i + _ROWS_PER_TILE]) for i in starts]
        self.tiles = [*tiles, *added]
        X = rows.X
        X.indptr, X.indices = (
            a.astype(np.int64, copy=False) for a in (X.indptr, X.indices)
        )
        self.rows = rows
        with np.errstate(over="ignore"):
            self.squares = row_norms(X, squared=True).astype(np.float32)

    def _tile(self, rows):
        dense = np.zeros((rows.shape[0], self.n_frequent), dtype=np.float32)
        fill_frequent(rows.arrays(), 0, frozen(self.slots, np.int64), dense)
        X, rare = rows.X, self.slots[rows.X.indices] < 0
        with np.errstate(over="ignore"):  # rows that overflow are always measured
            values = X.data[rare].astype(np.float32)
        starts = np.append(0, np.cumsum(rare))[X.indptr]
        entries = values, X.indices[rare], starts
        postings = sparse.csr_array(entries, shape=rows.shape).tocsc()
        return Tile(
            dense,
            postings.indptr.astype(np.int64, copy=False),
            postings.indices.astype(np.int32, copy=False),
            postings.data,
        )

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        m, query = rows.stop - rows.start, queries.arrays()
        lists = empty_lists(m, weighted_k.width)
        for block in slices_of(range(m), _QUERIES_PER_BLOCK):
            first = rows.start + block.start
            self._nearest_of_block(
                query, first, weighted_k, exclude[block], lists.heaps(block)
            )
        return lists

    def _nearest_of_block(self, query, first, weighted_k, exclude, heaps):
        """Fill the heaps of the queries from first on."""
        m, slots = len(exclude), frozen(self.slots, np.int64)
        dense = np.zeros((m, self.n_frequent), dtype=np.float32)
        fill_frequent(query, first, slots, dense)
        n_terms = np.diff(query[0][first : first + m + 1]) + self.n_frequent + 8
        squares = frozen(self.squares, np.float32)
        rows, kind = self.rows.arrays(), self.rows.kind
        table = SparseSearchArrays(query, first, rows, squares, kind)
        candidates = CandidateRows.empty(m, weighted_k.width + _N_SPARE_CANDIDATES)
        exclude, error = frozen(exclude, np.int64), n_terms * _EPSILON
        base = 0
        for tile in self.tiles:
            with np.errstate(over="ignore", invalid="ignore"):
                products = dense @ tile.dense.T
            add_postings(query, first, slots, tile.postings(), products)
            collect_nearest(
                products,
                base,
                table,
                exclude,
                weighted_k.weight,
                weighted_k.k,
                tile is self.tiles[-1],
                error,
                candidates,
                heaps,
            )
            base += len(tile.dense)
