"""Dense rows as hashing keeps them, in single or double precision.

They are drawn as sketches, and measured exactly. Queries are kept in the same way.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..._kernel import frozen
from ..._parallel import map_chunks, one_blas_thread
from .._search import empty_lists, refuse_overflow
from ._dense_rows_kernels import (
    center_rows,
    measure_candidates,
    sketch_rows,
    squared_distances,
)
from ._sketch_search import EPSILON, SketchSearch

# A sketch has as many cells as it takes to keep this share of the variance, within
# bounds, learnt from so many rows.
_KEPT, _LEAST_WIDTH, _MOST_WIDTH, _SAMPLE = 0.995, 16, 64, 2000
# Rows so many times as large as others are left out there.
_WILD = 1e6
# Cells that are read together.
_STEP = 8
# Lengths within these bounds have squares that neither overflow nor vanish.
_SAFE = (1e-150, 1e150)
# What it takes to begin with a row, and to measure a cell, in nanoseconds.
_BEGIN, _MEASURE = 250.0, 0.25


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Dense rows.

    Attributes
    ----------
    X : float32 or float64 array of shape (n, d)
    scales : float64 array of shape (n,) or (0,)
        Rows count as multiplied by it: one over their lengths, 0 for a row of zeros.
        Of length 0 where they count as they are.
    """

    X: np.ndarray
    scales: np.ndarray

    @classmethod
    def transformed(cls, X, metric):
        """Return rows where a metric measures them, euclidean or cosine."""
        X = frozen(X, X.dtype)
        if metric.name == "euclidean":
            if metric.unit != 1.0:
                with np.errstate(over="ignore"):
                    X = frozen(X * metric.unit, X.dtype)
                refuse_overflow(X, metric.name, "X")
            return cls(X, np.empty(0))
        lengths = _lengths(X)
        wild = (lengths < _SAFE[0]) | (lengths > _SAFE[1])
        if wild.any():  # brought near 1 one by one
            sizes = np.abs(X).max(axis=1, initial=0.0)
            sizes = np.where(wild & (sizes > 0), sizes, 1.0)
            X = frozen(X / sizes[:, None], X.dtype)
            lengths = _lengths(X)
        with np.errstate(divide="ignore"):
            return cls(X, np.where(lengths > 0, 1 / lengths, 0.0))

    @property
    def shape(self):
        """Return how many rows and columns there are."""
        return self.X.shape

    @property
    def mean_cells(self):
        """Return how many cells a row has."""
        return self.X.shape[1]

    @property
    def measuring(self):
        """Return what it takes to measure a row, in nanoseconds."""
        return _BEGIN + _MEASURE * self.mean_cells

    def __getitem__(self, rows):
        """Return some of the rows."""
        return DenseRows(
            self.X[rows], self.scales[rows] if len(self.scales) else self.scales
        )

    def joined(self, other):
        """Return these rows and others."""
        return DenseRows(
            np.concatenate([self.X, other.X]),
            np.concatenate([self.scales, other.scales]),
        )

    def arrays(self):
        """Return what kernels read."""
        dtype = np.float32 if self.X.dtype == np.float32 else np.float64
        return frozen(self.X, dtype), frozen(self.scales, np.float64)

    def as_queries(self):
        """Return scaled rows in double precision, and which have no direction."""
        X = np.array(self.X, dtype=np.float64)
        empty = np.zeros(len(X), dtype=bool)
        if len(self.scales):
            X *= self.scales[:, None]
            empty = self.scales == 0.0
        return frozen(X, np.float64), frozen(empty, np.bool_)

    def sketcher(self, rng):
        """Learn how to draw sketches of such rows."""
        n, d = self.shape
        some = self[np.sort(rng.permutation(n)[:_SAMPLE])]
        X = some.as_queries()[0]
        sizes = np.abs(X).max(axis=1)
        typical = np.median(sizes)
        X = X[sizes <= _WILD * typical]  # a wild row must not move the center
        center = X.mean(axis=0)
        X = X - center
        sizes = np.abs(X).max(axis=1)
        middle = np.median(sizes[sizes > 0]) if np.any(sizes > 0) else 1.0
        unit = np.ldexp(1.0, -int(np.frexp(middle)[1]))
        matrix = np.empty((0, 0), dtype=np.float32)
        if d > _MOST_WIDTH and len(X) > 1:
            X = (X * unit).astype(np.float32)
            most = min(_MOST_WIDTH, len(X))
            with one_blas_thread():  # the same bits whatever the threads
                _, sizes, axes = randomized_svd(X, most, n_iter=2, random_state=0)
            kept = np.cumsum(sizes**2, dtype=np.float64)
            enough = np.searchsorted(kept, _KEPT * np.vdot(X, X)) + 1
            width = max(-(-enough // _STEP) * _STEP, _LEAST_WIDTH)
            matrix = axes[:width].T
        return Sketcher(center, float(unit), frozen(matrix, np.float32))

    def measure(self, queries, chosen, sizes, sequence, exclude, weighted_k):
        """Return lists of the nearest of the rows that were chosen for each query."""
        lists = empty_lists(len(exclude), weighted_k.width)
        measure_candidates(
            chosen,
            sizes,
            sequence,
            *queries.as_queries(),
            frozen(exclude, np.int64),
            *self.arrays(),
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
        squared_distances(chosen, sizes, *queries.as_queries(), *self.arrays(), reduced)
        return reduced

    def exact_search(self, sketcher, table):
        """Return a search that finds the exact nearest of the rows."""
        return SketchSearch(self, sketcher, table, sketcher.error)


@dataclass(frozen=True, eq=False)
class Sketcher:
    """Draws sketches: where rows lie in the directions of their largest variance.

    Attributes
    ----------
    center : ndarray of shape (d,)
    unit : float
        A power of two that brings rows near 1.
    matrix : float32 array of shape (d, p), or (0, 0) for the centered rows themselves
    """

    center: np.ndarray
    unit: float
    matrix: np.ndarray

    @property
    def width(self):
        """Return how many cells a sketch has."""
        return self.matrix.shape[1] or len(self.center)

    def draw(self, rows, n_jobs=None):
        """Return sketches of shape (n, p), and what each loses of a row's square."""
        n, d = rows.shape
        sketches = np.empty((n, self.width), dtype=np.float32)
        rest = np.empty(n, dtype=np.float32)

        def draw_some(some):
            sketch_rows(
                *rows[some].arrays(),
                frozen(self.center, np.float64),
                self.unit,
                frozen(self.matrix, np.float32),
                sketches[some],
                rest[some],
            )

        map_chunks(draw_some, n, 8 * d, n_jobs=n_jobs)
        return sketches, rest

    @property
    def error(self):
        """Return how much farther apart sketches can be, per length of both rows."""
        d, width = len(self.center), self.width
        rounded = (d + 8) * EPSILON * np.sqrt(width)
        if not len(self.matrix):
            return rounded
        axes = self.matrix.astype(np.float64)
        return rounded + float(np.linalg.norm(axes.T @ axes - np.eye(width)))

    def center_rows(self, rows):
        """Return centered rows in single precision, and their squares."""
        centered = np.empty(rows.shape, dtype=np.float32)
        squares = np.empty(len(centered))
        center = frozen(self.center, np.float64)
        center_rows(*rows.arrays(), center, self.unit, centered, squares)
        return centered, squares


def _lengths(X):
    return np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
