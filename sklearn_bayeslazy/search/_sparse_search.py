"""The nearest sparse rows, exactly, with weights and left-out rows: `ShepardKNN`."""

import numpy as np
from scipy import sparse

from .._core._arrays import csr_arrays
from .._core._kernel import frozen
from ._dense_search import block_indices, width_for
from ._hashed import SparseRows
from ._inverted_index import InvertedIndex
from ._inverted_index_kernels import COSINE, EUCLIDEAN
from ._metrics import longest_row
from ._neighbor_lists import RowsSearch
from ._ties import merge_ties, sum_ties_in_postings


class SparseSearch(RowsSearch):
    """Finds the nearest sparse rows by an inverted index, and sums up those at ties."""

    # The parameters are those of `DenseSearch`. Ties, and the votes of all rows, are
    # summed up by postings in double precision.

    n_rows_beyond = 1
    by_products = True

    def __init__(self, metric, rows, segments):
        self.metric = metric
        self.rows = rows = sparse.csr_array(rows)
        self._kind = COSINE if self.apart else EUCLIDEAN
        self._index = InvertedIndex(SparseRows(rows, self._kind))
        self._longest = longest_row(rows)
        self.indices = block_indices(segments, width_for(segments))
        row_at = self.indices.ravel()
        filled = row_at >= 0
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        self.squares = np.where(filled, squares[row_at], np.inf)
        position_of = np.empty(rows.shape[0], dtype=np.int64)
        position_of[row_at[filled]] = np.flatnonzero(filled)
        columns = rows.tocsc()
        positions = position_of[columns.indices]
        self.postings = columns.indptr.astype(np.int64), positions, columns.data

    @property
    def apart(self):
        """Return whether rows of zeros are at distance 2 from all others (cosine)."""
        return self.metric.name == "cosine"

    def arrays(self):
        """Return what kernels read: postings, rows, row numbers, squares, apart."""
        rows = self.rows
        return (
            csr_arrays(*self.postings),
            csr_arrays(rows.indptr, rows.indices, rows.data),
            frozen(self.indices.ravel(), np.int64),
            frozen(self.squares, np.float64),
            self.apart,
        )

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded row."""
        given = SparseRows(queries, self._kind)
        lists = self._index.nearest(given, rows, weighted_k, exclude)
        return merge_ties(lists, self.metric.rounding(queries[rows], self._longest))

    def sum_ties(self, queries, distances, exclude, weight, row_targets):
        """Sum up the rows at one reduced distance from each query (`DenseSearch`)."""
        m, n_outputs = queries.shape[0], row_targets[1].shape[1]
        totals, sums = np.zeros(m), np.zeros((m, n_outputs))
        farthest = self.metric.rounding(queries, self._longest).farthest(distances)
        sum_ties_in_postings(
            csr_arrays(queries.indptr, queries.indices, queries.data),
            self.arrays(),
            frozen(distances, np.float64),
            frozen(farthest, np.float64),
            frozen(exclude, np.int64),
            frozen(weight, np.float64),
            row_targets,
            (totals, sums),
        )
        return totals, sums
