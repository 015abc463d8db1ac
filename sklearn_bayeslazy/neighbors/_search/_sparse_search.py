"""Nearest among sparse rows, by postings: for each column, the rows that fill it."""

import numpy as np
from scipy import sparse

from ..._arrays import csr_arrays
from ..._kernel import frozen
from ._blocks import block_ids, width_for
from ._neighbor_lists import empty_lists
from ._sparse_kernels import nearest_in_postings


class SparseSearch:
    """Nearest among sparse rows, by postings; parameters as of `DenseSearch`."""

    def __init__(self, metric, rows, segments):
        self.metric = metric
        self.rows = rows = sparse.csr_array(rows)
        self.indices = block_ids(segments, width_for(segments))
        places = self.indices.ravel()
        there = places >= 0
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        self.squares = np.where(there, squares[places], np.inf)
        place_of = np.empty(rows.shape[0], dtype=np.int64)
        place_of[places[there]] = np.flatnonzero(there)
        columns = rows.tocsc()
        places = place_of[columns.indices]
        self.postings = columns.indptr.astype(np.int64), places, columns.data

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return self.rows.shape[0]

    @property
    def apart(self):
        """Tell whether rows of zeros lie apart from all others."""
        return self.metric.name == "cosine"

    def transformed_rows(self):
        """Return the training rows."""
        return self.rows

    def training_queries(self):
        """Return the training rows placed as queries."""
        return self.rows

    def arrays(self):
        """Return what the kernels read: postings, rows, places, squares, apart."""
        rows = self.rows
        return (
            csr_arrays(*self.postings),
            csr_arrays(rows.indptr, rows.indices, rows.data),
            frozen(self.indices.ravel(), np.int64),
            frozen(self.squares, np.float64),
            self.apart,
        )

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, without one copy of own."""
        lists = empty_lists(rows.stop - rows.start, weighted_k.width)
        nearest_in_postings(
            csr_arrays(queries.indptr, queries.indices, queries.data),
            rows.start,
            *self.arrays(),
            frozen(exclude, np.int64),
            weighted_k.weight,
            weighted_k.k,
            lists.reduced,
            lists.indices,
            lists.counts,
        )
        return lists
