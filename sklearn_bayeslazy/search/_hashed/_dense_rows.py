"""Dense rows as hashing stores them, floats or small integers, and projections.

Distances are estimated from projections and measured exactly. Queries are stored in the
same way.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks, one_blas_thread
from .._metrics import refuse_overflow
from .._neighbor_lists import empty_lists
from ._dense_kernels import (
    center_rows,
    measure_candidates,
    project_rows,
)
from ._hashed_search import measure_all

# Cells are stored in these types as they are.
STORED_TYPES = [np.dtype(t) for t in ("float64", "float32", "int8", "uint8")]
# A projection keeps this share of the variance of a sample of rows, with a width within
# bounds, which is a multiple of a step.
_KEPT_VARIANCE, _MIN_WIDTH, _MAX_WIDTH, _WIDTH_STEP = 0.995, 16, 64, 8
_SAMPLE_SIZE = 2000
# Rows this many times as large as the median row are left out of the sample.
_OUTLIER_RATIO = 1e6
# Lengths within these bounds have squares that neither overflow nor underflow.
_SAFE = (1e-150, 1e150)
# Cost of measuring a row, and of each of its cells, in nanoseconds.
_COST_PER_ROW, _COST_PER_CELL = 250.0, 0.25


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Dense rows, each times a factor: 1, or one over its length."""

    bound = 0.0  # as in `ProductRows`
    is_product = False  # whether a reduced distance is -q·x, instead of |q - x|²
    X: np.ndarray  # (n, d), of a type of STORED_TYPES
    # (n,), one over the lengths of the rows, 0 for a row of zeros; (0,) if all are 1.
    scales: np.ndarray

    @classmethod
    def transformed(cls, X, metric):
        """Return rows transformed by a metric, euclidean or cosine."""
        X = frozen(X, X.dtype)
        if metric.name == "euclidean":
            if metric.unit != 1.0:
                with np.errstate(over="ignore"):
                    X = frozen(X * metric.unit, X.dtype)
                refuse_overflow(X, metric.name, "X")
            return cls(X, np.empty(0))
        lengths = _lengths(X)
        unsafe = (lengths < _SAFE[0]) | (lengths > _SAFE[1])
        if unsafe.any() and X.dtype.kind == "f":  # these rows are scaled one by one
            sizes = np.abs(X).max(axis=1, initial=0.0)
            sizes = np.where(unsafe & (sizes > 0), sizes, 1.0)
            X = frozen(X / sizes[:, None], X.dtype)
            lengths = _lengths(X)
        with np.errstate(divide="ignore"):
            return cls(X, np.where(lengths > 0, 1 / lengths, 0.0))

    @property
    def shape(self):
        """Return the numbers of rows and columns."""
        return self.X.shape

    @property
    def mean_cells(self):
        """Return the number of cells of a row."""
        return self.X.shape[1]

    @property
    def measure_cost(self):
        """Return the cost of measuring a row, in nanoseconds."""
        return _COST_PER_ROW + _COST_PER_CELL * self.mean_cells

    @property
    def cells(self):
        """Return the cells, without the factors of the rows."""
        return self.X

    def __getitem__(self, rows):
        """Return some of the rows."""
        scales = self.scales[rows] if len(self.scales) else self.scales
        return replace(self, X=self.X[rows], scales=scales)

    def joined(self, other):
        """Return these rows and others."""
        scales = np.concatenate([self.scales, other.scales])
        return replace(self, X=np.concatenate([self.X, other.X]), scales=scales)

    def as_queries(self):
        """Return these rows as queries."""
        if self.X.dtype.kind == "f":
            return self
        return DenseRows(frozen(self.X, np.float32), self.scales)

    def arrays(self):
        """Return X and scales as kernels read them."""
        dtype = self.X.dtype if self.X.dtype in STORED_TYPES else np.float64
        return frozen(self.X, dtype), frozen(self.scales, np.float64)

    def fit_projection(self, rng):
        """Return a projection onto principal axes, learnt from a sample of the rows."""
        n, d = self.shape
        some = self[np.sort(rng.permutation(n)[:_SAMPLE_SIZE])]
        X = some.cells.astype(np.float64)
        if len(some.scales):
            X *= some.scales[:, None]
        sizes = np.abs(X).max(axis=1)
        X = X[sizes <= _OUTLIER_RATIO * np.median(sizes)]  # outliers move the center
        center = X.mean(axis=0)
        X = X - center
        sizes = np.abs(X).max(axis=1)
        median = np.median(sizes[sizes > 0]) if np.any(sizes > 0) else 1.0
        unit = np.ldexp(1.0, -int(np.frexp(median)[1]))
        matrix = np.empty((0, 0), dtype=np.float32)
        if d > _MAX_WIDTH and len(X) > 1:
            X = (X * unit).astype(np.float32)
            n_axes = min(_MAX_WIDTH, len(X))
            with one_blas_thread():  # the same bits for any number of threads
                _, sizes, axes = randomized_svd(X, n_axes, n_iter=2, random_state=0)
            kept = np.cumsum(sizes**2, dtype=np.float64)
            n_kept = np.searchsorted(kept, _KEPT_VARIANCE * np.vdot(X, X)) + 1
            width = max(-(-n_kept // _WIDTH_STEP) * _WIDTH_STEP, _MIN_WIDTH)
            matrix = axes[:width].T
        return PrincipalProjection(center, float(unit), frozen(matrix, np.float32))

    def measure(self, queries, numbers, chosen, sizes, exclude, weighted_k):
        """Return lists of the nearest of the rows chosen for each of some queries."""
        # numbers: (m,), those of the queries; chosen: (m, width); sizes, exclude: (m,).
        lists = empty_lists(len(exclude), weighted_k.width)
        is_single = queries.X.dtype == np.float32 and self.X.dtype != np.float64
        X, scales = queries.arrays()
        if self.is_product:  # unscaled, so that equal products are equal numbers
            scales = np.empty(0)
        measure_candidates(
            chosen,
            sizes,
            (X, frozen(scales, np.float64)),
            numbers,
            frozen(exclude, np.int64),
            self.arrays(),
            self.is_product,
            _slack(self.shape[1]) if is_single and not len(self.scales) else 0.0,
            weighted_k.weight,
            int(weighted_k.k),
            lists.heaps(),
            np.empty(self.shape[1]),
            np.empty(self.shape[1], dtype=np.float32),
        )
        return lists

    def squared_distances(self, queries, reduced):
        """Return the squared distances (m,) of queries as they are projected."""
        return reduced

    def exact_search(self, projection, table):
        """Return a search that finds the exact nearest rows."""
        return ProjectionSearch(self, projection, table)


@dataclass(frozen=True, eq=False)
class ProductRows(DenseRows):
    """Dense rows of one length, so that the nearest have the largest products."""

    # Further columns bring each row x to the length `bound`. With 0 there, a query q of
    # length 1 has |q - x|² = 1 + bound² - 2 q·x (Bachrach et al., "Speeding up the Xbox
    # recommender system", RecSys 2014). There are two columns, the second for what
    # the first lacks: the square of one number in single precision is off by 1e-7.

    is_product = True
    bound: float = 1.0

    @staticmethod
    def unit_of(X):
        """Return the power of two that brings the longest row near length 1."""
        largest = float(np.abs(X).max(initial=0.0)) or 1.0
        exponent = -int(np.frexp(largest * np.sqrt(X.shape[1]))[1])
        return float(np.ldexp(1.0, min(exponent, np.finfo(X.dtype).maxexp - 1)))

    @classmethod
    def transformed(cls, X, metric):
        """Return rows times the unit of the metric."""
        with np.errstate(over="ignore"):
            X = X * X.dtype.type(metric.unit)
        refuse_overflow(X, metric.name, "X")
        return cls._of_length(X, float(_lengths(X).max(initial=0.0)))

    @classmethod
    def _of_length(cls, X, bound):
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        lacking = np.maximum(bound * bound - squares, 0.0)
        first = np.sqrt(lacking).astype(X.dtype)
        first = np.where(
            first.astype(np.float64) ** 2 > lacking,
            np.nextafter(first, X.dtype.type(0)),
            first,
        )
        second = np.sqrt(np.maximum(lacking - first.astype(np.float64) ** 2, 0.0))
        return cls(
            np.column_stack([X, first, second.astype(X.dtype)]), np.empty(0), bound
        )

    def joined(self, other):
        """Return these rows and others, of the larger of both lengths."""
        if self.bound == other.bound:
            return super().joined(other)
        X = np.concatenate([self.X[:, :-2], other.X[:, :-2]])
        return self._of_length(X, max(self.bound, other.bound))

    def as_queries(self):
        """Return these rows as queries, whose scales bring them to length 1."""
        X = self.X.astype(np.float64)
        X[:, -2:] = 0.0
        sizes = np.abs(X).max(axis=1)
        sizes[sizes == 0] = 1.0
        lengths = _lengths(X / sizes[:, None]) * sizes
        with np.errstate(divide="ignore"):
            scales = np.where(lengths > 0, 1 / lengths, 0.0)
        return DenseRows(X, scales)

    def squared_distances(self, queries, reduced):
        """Return the squared distances (m,) of queries of length 1 (or 0)."""
        squares = (queries.scales > 0) + self.bound**2
        # The bound of what rounding takes from the difference.
        margin = 8 * np.finfo(np.float64).eps * squares
        return np.maximum(squares + 2 * reduced * queries.scales, 0.0) + margin


@dataclass(frozen=True, eq=False)
class PrincipalProjection:
    """A projection of centered rows onto their principal axes, in single precision."""

    center: np.ndarray  # (d,)
    unit: float  # a power of two that brings the rows near 1
    # (d, p) float32, the axes as columns; (0, 0) if rows are only centered.
    matrix: np.ndarray

    @property
    def width(self):
        """Return the number of cells of a projection."""
        return self.matrix.shape[1] or len(self.center)

    def transform(self, rows, n_jobs=None):
        """Return projections of shape (n, p), and their residuals."""
        n, d = rows.shape
        center = frozen(self.center, np.float64)
        projections = np.empty((n, self.width), dtype=np.float32)
        if not len(self.matrix):
            center_rows(*rows.arrays(), center, self.unit, projections)
            return projections, np.zeros(n, dtype=np.float32)
        residuals = np.empty(n, dtype=np.float32)

        def project_some(some):
            project_rows(
                *rows[some].arrays(),
                center,
                self.unit,
                frozen(self.matrix, np.float32),
                projections[some],
                residuals[some],
            )

        map_chunks(project_some, n, 8 * d, n_jobs=n_jobs)
        return projections, residuals

    @cached_property
    def error(self):
        """Return the largest increase of a distance, relative to both rows' lengths."""
        d, width = len(self.center), self.width
        rounded = (d + 8) * EPSILON * np.sqrt(width)
        if not len(self.matrix):
            return rounded
        axes = self.matrix.astype(np.float64)
        return rounded + float(np.linalg.norm(axes.T @ axes - np.eye(width)))


def _slack(d):
    """Return a bound of the relative error of squared distances in single precision."""
    # They are sums of d squares, which are not negative.
    return 2 * (d + 8) * EPSILON


def _lengths(X):
    return np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))


# The exact search for the nearest dense rows, by projections (sketches).
#
# `LSHNeighbors` tunes and reports its recall against it. It drops only rows that are
# certainly too far.


# Rows that are measured first, for each neighbour, and the share of the rows that is
# read to choose them: one in this number.
_TRIED_PER_NEIGHBOR, _READ_ONE_IN = 4, 16
# All rows are measured where more than one in this number may be among the nearest.
_MEASURE_ONE_IN = 4
# The rounding of a number in single precision.
EPSILON = 2.0**-24


@dataclass(frozen=True, eq=False)
class ProjectionSearch:
    """Finds the exact nearest rows among those whose projections are near enough."""

    # A projection never increases a distance by more than its error.

    rows: Any  # DenseRows
    projection: Any  # PrincipalProjection
    table: Any  # HashTable, which holds the projections of the rows

    def nearest(self, queries, rows, weighted_k, exclude):
        """Return the nearest rows of a slice of queries, less the excluded rows."""
        queries, n, k = queries[rows], self.rows.shape[0], int(weighted_k.k)
        projections, residuals = self.projection.transform(queries, n_jobs=1)
        n_read = max(n // _READ_ONE_IN, _TRIED_PER_NEIGHBOR * k)
        n_tried = min(_TRIED_PER_NEIGHBOR * k, n)
        homes = self.table.homes(queries, projections)
        arguments = projections, homes, exclude, n_read, n_tried, weighted_k.alive
        tried, numbers = self.table.candidates(*arguments), np.arange(len(exclude))
        found = self.rows.measure(queries, numbers, *tried, exclude, weighted_k)
        limits = self._limits(found, k, queries, projections, residuals)
        width = min(max(n // _MEASURE_ONE_IN, n_tried), n)
        chosen, sizes = self.table.within(
            projections, exclude, np.square(limits), width
        )
        too_many = np.flatnonzero(sizes > width)
        sizes[too_many] = 0
        lists = self.rows.measure(queries, numbers, chosen, sizes, exclude, weighted_k)
        if len(too_many):
            some = queries[too_many], weighted_k, exclude[too_many]
            lists.put(too_many, measure_all(self.rows, *some))
        return lists

    def _limits(self, found, k, queries, projections, residuals):
        """Return how far projections of the k nearest rows can be, at most."""
        squares = self.rows.squared_distances(queries, found.reduced[:, k - 1])
        limits = np.where(found.counts < k, np.inf, np.sqrt(squares))
        limits *= self.projection.unit
        squares = np.einsum("ij,ij->i", projections, projections)
        lengths = np.sqrt(squares + residuals)
        limits += self.projection.error * (2 * lengths + limits)
        return limits
