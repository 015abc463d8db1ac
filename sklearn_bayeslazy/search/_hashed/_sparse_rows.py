"""Sparse rows as hashing stores them, with the methods of `DenseRows`."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..._core._arrays import csr_arrays
from ..._core._kernel import frozen
from ..._core._parallel import cache_sized_slices
from .._inverted_index import InvertedIndex
from .._inverted_index_kernels import COSINE, DOT, EUCLIDEAN
from .._metrics import refuse_overflow
from .._neighbor_lists import empty_lists
from ._column_kernels import measure_sparse_candidates

_KINDS = {"cosine": COSINE, "euclidean": EUCLIDEAN, "dot": DOT, "inner_product": DOT}
# Cells of a count sketch.
_WIDTH = 128
# Cost of measuring a row, and of each of its cells, in nanoseconds.
_COST_PER_ROW, _COST_PER_CELL = 300.0, 5.0


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse rows."""

    bound = 0.0  # as in `ProductRows`
    X: sparse.csr_array  # (n, n_columns), with sorted columns and no duplicates
    kind: int  # EUCLIDEAN, COSINE or DOT; for COSINE rows have length one

    @classmethod
    def transformed(cls, X, metric):
        """Return rows transformed by a metric: euclidean, cosine or dot."""
        transformed = metric.transform(X)
        transformed.eliminate_zeros()
        refuse_overflow(transformed, metric.name, "X")
        return cls(transformed, _KINDS[metric.name])

    @property
    def shape(self):
        """Return the numbers of rows and columns."""
        return self.X.shape

    @property
    def mean_cells(self):
        """Return the mean number of cells that a row fills, at least 1."""
        return max(self.X.nnz / max(self.X.shape[0], 1), 1.0)

    @property
    def measure_cost(self):
        """Return the cost of measuring a row, in nanoseconds."""
        return _COST_PER_ROW + _COST_PER_CELL * self.mean_cells

    @property
    def cells(self):
        """Return the rows as a sparse array."""
        return self.X

    def __getitem__(self, rows):
        """Return some of the rows."""
        return SparseRows(self.X[rows], self.kind)

    def joined(self, other):
        """Return these rows and others."""
        return SparseRows(sparse.vstack([self.X, other.X], format="csr"), self.kind)

    def as_queries(self):
        """Return these rows as queries."""
        return self

    def arrays(self):
        """Return the CSR arrays that kernels read."""
        return csr_arrays(self.X.indptr, self.X.indices, self.X.data)

    def fit_projection(self, rng):
        """Return a random count sketch for rows of this width."""
        n_columns = self.shape[1]
        cells = rng.randint(_WIDTH, size=n_columns)
        signs = rng.choice([-1.0, 1.0], size=n_columns)
        entries = signs, cells, np.arange(n_columns + 1)
        return CountSketch(sparse.csr_array(entries, shape=(n_columns, _WIDTH)))

    def measure(self, queries, numbers, chosen, sizes, exclude, weighted_k):
        """Return lists of the nearest of the rows chosen for each of some queries."""
        # numbers: (m,), those of the queries; chosen: (m, width); sizes, exclude: (m,).
        lists = empty_lists(len(exclude), weighted_k.width)
        measure_sparse_candidates(
            chosen,
            sizes,
            queries[numbers].arrays(),
            self.arrays(),
            self.kind,
            self.shape[1],
            frozen(exclude, np.int64),
            weighted_k.weight,
            int(weighted_k.k),
            lists.heaps(),
        )
        return lists

    def exact_search(self, projection, table):
        """Return a search that finds the exact nearest rows."""
        return InvertedIndex(self)


@dataclass(frozen=True, eq=False)
class CountSketch:
    """Count sketches: each column is added to one cell, times a random sign."""

    # The expected product of two sketches is the product of the rows (Weinberger et
    # al., "Feature hashing for large scale multitask learning", ICML 2009).

    matrix: sparse.csr_array  # (n_columns, p), with one 1 or -1 for each column

    @property
    def width(self):
        """Return the number of cells of a sketch."""
        return _WIDTH

    def transform(self, rows, n_jobs=None):
        """Return sketches of shape (n, p), and residuals, which are 0."""
        sketches = np.empty((rows.shape[0], _WIDTH), dtype=np.float32)
        with np.errstate(over="ignore"):
            for some in cache_sized_slices(range(len(sketches)), _WIDTH):
                sketches[some] = (rows.X[some] @ self.matrix).toarray()
        return sketches, np.zeros(len(sketches), dtype=np.float32)
