"""Sparse rows as hashing keeps them, with the methods of dense ones."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..._arrays import csr_arrays
from ..._kernel import frozen
from .._search import COSINE, EUCLIDEAN, InvertedIndex, empty_lists, transform_sparse
from ._column_hash_kernels import (
    measure_sparse_candidates,
    sketch_sparse_rows,
    sparse_distances_to,
)

_KINDS = {"cosine": COSINE, "euclidean": EUCLIDEAN}
# Cells of a sketch.
_WIDTH = 128
# What it takes to begin with a row, and to merge a cell, in nanoseconds.
_BEGIN, _MEASURE = 300.0, 5.0


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse rows.

    Attributes
    ----------
    X : csr_array of shape (n, n_columns)
        With sorted columns and no duplicates.
    kind : int
        EUCLIDEAN, or COSINE, for which rows are of length one.
    """

    X: sparse.csr_array
    kind: int

    @classmethod
    def transformed(cls, X, metric):
        """Return rows where a metric measures them, euclidean or cosine."""
        return cls(transform_sparse(X, metric), _KINDS[metric.name])

    @property
    def shape(self):
        """Return how many rows and columns there are."""
        return self.X.shape

    @property
    def mean_cells(self):
        """Return how many cells a row fills on average, at least 1."""
        return max(self.X.nnz / max(self.X.shape[0], 1), 1.0)

    @property
    def measuring(self):
        """Return what it takes to measure a row, in nanoseconds."""
        return _BEGIN + _MEASURE * self.mean_cells

    def __getitem__(self, rows):
        """Return some of the rows."""
        return SparseRows(self.X[rows], self.kind)

    def joined(self, other):
        """Return these rows and others."""
        return SparseRows(sparse.vstack([self.X, other.X], format="csr"), self.kind)

    def triple(self):
        """Return what kernels read."""
        return csr_arrays(self.X.indptr, self.X.indices, self.X.data)

    def sketcher(self, rng):
        """Return how sketches of such rows are drawn."""
        n_columns = self.shape[1]
        return SparseSketcher(
            rng.randint(_WIDTH, size=n_columns), rng.choice([-1.0, 1.0], size=n_columns)
        )

    def measure(self, queries, chosen, sizes, sequence, exclude, weighted_k):
        """Return lists of the nearest of the rows that were chosen for each query."""
        lists = empty_lists(len(exclude), weighted_k.width)
        measure_sparse_candidates(
            chosen,
            sizes,
            sequence,
            queries.triple(),
            self.triple(),
            self.kind,
            self.shape[1],
            frozen(exclude, np.int64),
            weighted_k.weight,
            int(weighted_k.k),
            lists.reduced,
            lists.indices,
            lists.counts,
        )
        return lists

    def distances_to(self, queries, chosen, sizes):
        """Return the squared distances of queries to the rows chosen for each."""
        reduced = np.empty(chosen.shape)
        sparse_distances_to(
            chosen, sizes, queries.triple(), self.triple(), self.kind, reduced
        )
        return reduced

    def exact_search(self, sketcher=None, table=None):
        """Return a search that finds the exact nearest of the rows."""
        return ExactSparseSearch(InvertedIndex(self.kind, self.X))


@dataclass(frozen=True, eq=False)
class ExactSparseSearch:
    """Asks an inverted index for the nearest of queries that are `SparseRows`."""

    index: InvertedIndex

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, leaving out own."""
        return self.index.nearest(queries.X, rows, weighted_k, exclude)


@dataclass(frozen=True, eq=False)
class SparseSketcher:
    """Draws sketches: each column is added to one cell, or taken from it.

    The product of two sketches is that of the rows on average (Weinberger et al.,
    "Feature hashing for large scale multitask learning", *ICML* 2009).

    Attributes
    ----------
    cells : int array of shape (n_columns,)
    signs : ndarray of shape (n_columns,)
    """

    cells: np.ndarray
    signs: np.ndarray

    @property
    def width(self):
        """Return how many cells a sketch has."""
        return _WIDTH

    def draw(self, rows, n_jobs=None):
        """Return sketches of shape (n, p), and what each loses, which is nothing."""
        sketches = np.zeros((rows.shape[0], _WIDTH), dtype=np.float32)
        sketch_sparse_rows(
            rows.triple(),
            frozen(self.cells, np.int64),
            frozen(self.signs, np.float64),
            sketches,
        )
        return sketches, np.zeros(len(sketches), dtype=np.float32)
