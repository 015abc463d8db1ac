"""Groups of arrays that the kernels take: rows, queries, windows, results.

numba passes a NamedTuple field by field. A kernel unpacks it before its inner loops.
Arrays of length 0 stand for what is not given or not wanted.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ...search import no_exclusions

NONE = np.empty(0)
_NO_ROWS = frozen(NONE, np.int64)


class LocalRows(NamedTuple):
    """Training rows with their targets and weights, all in the same order."""

    X: np.ndarray  # (n, d), features scaled for the distance
    Y: np.ndarray  # (n, V), targets
    # The transposes of X and Y, (d, n) and (V, n); (0, 0) if windows are lists.
    columns: np.ndarray
    target_columns: np.ndarray
    sample_weight: np.ndarray  # (n,), or (0,) if all are 1
    robustness_weights: np.ndarray  # (n,), or (0,) if all are 1


class LeafBoxes(NamedTuple):
    """The leaves of a kd-tree, and the order of the training rows in them."""

    # Consecutive leaves form groups of one size; a group is a node higher in the tree.
    # Bounds: the smallest and the largest values. d is 0 if one leaf holds all rows.
    starts: np.ndarray  # (n_leaves + 1,); leaf b holds rows starts[b]:starts[b + 1]
    leaf_bounds: np.ndarray  # (2, n_groups, d, group_size)
    group_bounds: np.ndarray  # (2, d, n_groups)
    order: np.ndarray  # (n,); order[i] is the training row at position i
    position: np.ndarray  # (n + 1,), the inverse of order, with -1 at the end

    @classmethod
    def none(cls):
        """Return no leaves."""
        bounds = frozen(np.empty((2, 0, 0, 0)), np.float64)
        return cls(_NO_ROWS, bounds, bounds[0], _NO_ROWS, _NO_ROWS)


class Queries(NamedTuple):
    """The points at which polynomials are fitted."""

    points: np.ndarray  # (m, d)
    exclude: np.ndarray  # (m,), the training row that each query is, or -1
    leave_one_out: bool = False  # whether a fit leaves that row out

    @classmethod
    def at(cls, points, exclude=None, *, leave_one_out=False):
        """Return queries; without `exclude` none of them is a training row."""
        exclude = no_exclusions(len(points)) if exclude is None else exclude
        return cls(frozen(points, np.float64), frozen(exclude, np.int64), leave_one_out)

    @property
    def left_out(self):
        """Return the row that each query's fit leaves out, or -1."""
        return self.exclude if self.leave_one_out else no_exclusions(len(self.points))

    def subset(self, mask):
        """Return some of the queries."""
        return Queries.at(
            self.points[mask], self.exclude[mask], leave_one_out=self.leave_one_out
        )


class WindowRule(NamedTuple):
    """Which rows are in the window of a query, and its bandwidth."""

    k: int  # number of nearest rows, or 0; k > 0 needs sample weights of 1
    bandwidth_sq_factor: float  # multiplies the squared distance of the k-th row
    # If k is 0, or the squared bandwidth by the k-th row is smaller than this one, all
    # rows within this one are taken. If infinite, the farthest row defines it.
    min_bandwidth_sq: float
    # Whether the kernel has weight beyond the bandwidth: windows by bandwidth then hold
    # all rows.
    infinite_support: bool


class ListedWindows(NamedTuple):
    """The windows of some queries as lists of rows, one list after the other."""

    starts: np.ndarray  # (m,); window q begins at starts[q] ...
    counts: np.ndarray  # (m,); ... and has counts[q] rows
    indices: np.ndarray  # (size,), training rows
    distances_sq: np.ndarray  # (size,)
    # (size,); rows tied at the end of a window have a share of their weights.
    sample_weight: np.ndarray
    bandwidths_sq: np.ndarray  # (m,)

    @classmethod
    def none(cls):
        """Return no windows."""
        none = frozen(NONE, np.float64)
        return cls(_NO_ROWS, _NO_ROWS, _NO_ROWS, none, none, none)

    def positions(self):
        """Return where the rows of the windows are listed, window after window."""
        shifts = self.starts - (np.cumsum(self.counts) - self.counts)
        return np.arange(self.counts.sum()) + np.repeat(shifts, self.counts)

    def subset(self, mask):
        """Return the windows of some of the queries."""
        return self._replace(
            starts=frozen(self.starts[mask], np.int64),
            counts=frozen(self.counts[mask], np.int64),
            bandwidths_sq=frozen(self.bandwidths_sq[mask], np.float64),
        )


class FoundWindow(NamedTuple):
    """Which part of a `ScanScratch` describes the window of a query."""

    n_ranges: int  # number of `ranges` that are used
    # The length of the list, or the number of measured rows; those outside the window
    # have infinite distance.
    size: int
    is_listed: bool
    bandwidth_sq: float  # the squared bandwidth of the kernel
    # Whether no window was found, since rows inside and outside of it are equally far.
    is_tied: bool


class Window(NamedTuple):
    """The rows of one window: listed rows, or ranges of consecutive rows."""

    X: np.ndarray  # X, Y, columns and target_columns are those of `LocalRows`
    Y: np.ndarray
    indices: np.ndarray  # (k,), listed rows; (0,) if the window is ranges of rows
    columns: np.ndarray
    target_columns: np.ndarray
    # (n_ranges, 2), first and one past the last: positions in `indices` if there are
    # any, else rows.
    ranges: np.ndarray
    sample_weight: np.ndarray  # (k,), range after range; (0,) if all are 1


class Polynomials(NamedTuple):
    """The polynomials that are fitted to one window, all with the same weights."""

    # The terms of a lower degree come first among those of a higher one, so that all
    # polynomials share one matrix of normal equations.
    degree: int  # the highest degree: 0, 1 or 2
    n_terms: int  # p, the number of its terms
    degrees: np.ndarray  # (S,), of each polynomial
    terms: np.ndarray  # (S,), number of terms of each polynomial
    ridges: np.ndarray  # (S,)


class Workspace(NamedTuple):
    """Arrays that `solve_window` overwrites."""

    # (p + V, max_range_length), weighted terms and targets of a range of rows, one term
    # after the other.
    design: np.ndarray
    gram: np.ndarray  # (p, p), normal equations without ridge; only the lower half
    moments: np.ndarray  # (p, V), right-hand sides of the normal equations
    # (p, p), Cholesky factor of D (gram + ridge) D, a matrix with unit diagonal.
    factor: np.ndarray
    scale: np.ndarray  # (p,), the diagonal of D
    coef: np.ndarray  # (p, V), of the polynomial that was fitted last
    hat_coef: np.ndarray  # (p, 1), coefficients of the row of the hat matrix


class LocalFits(NamedTuple):
    """The results of the fits at some queries; what is not wanted has length 0."""

    # (m, S * V), of each polynomial for each target; NaN if no row of the window has
    # weight.
    predictions: np.ndarray
    # (m, n_coef, V), the first coefficients of the last polynomial: the constant before
    # it is bounded, the d slopes, and the products of columns; 0 for those it lacks.
    coef: np.ndarray
    # (m, 2): the leverage, the diagonal element of the hat matrix, if the query is a
    # training row. And the variance factor Σ l² / sample weight over a row l of the hat
    # matrix: the variance of the prediction, divided by that of a target.
    hat_statistics: np.ndarray
    # (m, n), rows l of the hat matrix: the prediction is Σ l * target.
    hat_rows: np.ndarray

    @classmethod
    def empty(cls, m, training_shape, n_targets, *, n_coef, hat_statistics, hat_rows):
        """Return arrays to be filled."""
        n = training_shape[0]
        return cls(
            np.empty((m, n_targets)),
            np.empty((m, n_coef, n_targets) if n_coef else (0, 0, 0)),
            np.empty((m, 2) if hat_statistics else (0, 0)),
            np.zeros((m, n) if hat_rows else (0, 0)),
        )

    def subset(self, mask):
        """Return copies for some of the queries."""
        return LocalFits(*(array[mask] if len(array) else array for array in self))

    def put(self, queries, fits):
        """Take over the fits of some of the queries."""
        for array, values in zip(self, fits):
            if len(array):
                array[queries] = values
