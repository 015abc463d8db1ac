"""Groups of arrays that the kernels take: rows, queries, windows, results.

numba passes a NamedTuple field by field. A kernel unpacks it before its inner loops.
Arrays of length 0 stand for what is not given or not wanted.
"""

from typing import NamedTuple

import numpy as np

from ..._kernel import frozen
from ...neighbors._search import no_exclusions

NONE = np.empty(0)
_NO_ROWS = frozen(NONE, np.int64)


class TrainingRows(NamedTuple):
    """Training rows with their targets and weights, all in the same order.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features, scaled for the distance.
    Y : ndarray of shape (n, V)
        Targets.
    columns, target_columns : ndarrays of shape (d, n) and (V, n)
        The transposes of X and Y; or (0, 0), if windows are lists of rows.
    sample_weight : ndarray of shape (n,)
        Of length 0 if all weights are 1.
    robustness_weights : ndarray of shape (n,)
        Of length 0 if all weights are 1.
    """

    X: np.ndarray
    Y: np.ndarray
    columns: np.ndarray
    target_columns: np.ndarray
    sample_weight: np.ndarray
    robustness_weights: np.ndarray


class LeafBoxes(NamedTuple):
    """The leaves of a kd-tree, and the order of the training rows in them.

    Consecutive leaves form groups of one size; a group is a node higher in the tree.

    Attributes
    ----------
    starts : int array of shape (n_leaves + 1,)
        Leaf b holds the rows ``starts[b]:starts[b + 1]``.
    leaf_bounds : ndarray of shape (2, n_groups, d, group_size)
        Smallest and largest values in each leaf; d is 0 if one leaf holds all rows.
    group_bounds : ndarray of shape (2, d, n_groups)
        Smallest and largest values in each group.
    order, position : int arrays of shape (n,) and (n + 1,)
        ``order[i]`` is the training row at position i, and ``position`` the inverse,
        with -1 at the end.
    """

    starts: np.ndarray
    leaf_bounds: np.ndarray
    group_bounds: np.ndarray
    order: np.ndarray
    position: np.ndarray

    @classmethod
    def none(cls):
        """Return no leaves."""
        bounds = frozen(np.empty((2, 0, 0, 0)), np.float64)
        return cls(_NO_ROWS, bounds, bounds[0], _NO_ROWS, _NO_ROWS)


class Queries(NamedTuple):
    """The points at which polynomials are fitted.

    Attributes
    ----------
    points : ndarray of shape (m, d)
    exclude : int array of shape (m,)
        The training row that each query is, or -1.
    leave_one_out : bool
        Whether one copy of that row is left out of the fit.
    """

    points: np.ndarray
    exclude: np.ndarray
    leave_one_out: bool = False

    @classmethod
    def at(cls, points, exclude=None, *, leave_one_out=False):
        """Return queries; without `exclude` none of them is a training row."""
        exclude = no_exclusions(len(points)) if exclude is None else exclude
        return cls(frozen(points, np.float64), frozen(exclude, np.int64), leave_one_out)

    @property
    def left_out(self):
        """Return the row of which each query's fit leaves a copy out, or -1."""
        return self.exclude if self.leave_one_out else no_exclusions(len(self.points))

    def subset(self, mask):
        """Return some of the queries."""
        return Queries.at(
            self.points[mask], self.exclude[mask], leave_one_out=self.leave_one_out
        )


class WindowRule(NamedTuple):
    """Which rows are in the window of a query, and its bandwidth.

    Attributes
    ----------
    k : int
        Number of nearest rows, or 0. A rule with k > 0 needs sample weights of 1.
    bandwidth_sq_factor : float
        Multiplies the squared distance of the k-th row.
    min_bandwidth_sq : float
        If the k-th row is nearer, all rows within this squared bandwidth are taken. If
        infinite, the farthest row defines the bandwidth.
    infinite_support : bool
        Whether the kernel has weight beyond the bandwidth, so that all rows are taken.
    """

    k: int
    bandwidth_sq_factor: float
    min_bandwidth_sq: float
    infinite_support: bool


class ListedWindows(NamedTuple):
    """The windows of some queries as lists of rows, one list after the other.

    Attributes
    ----------
    starts, counts : int arrays of shape (m,)
        Window q begins at ``starts[q]`` and has ``counts[q]`` rows.
    indices : int array of shape (size,)
        Training rows.
    distances_sq : ndarray of shape (size,)
        Squared distances.
    sample_weight : ndarray of shape (size,)
        Sample weights; rows tied at the end of a window have a share of theirs.
    bandwidths_sq : ndarray of shape (m,)
        Squared bandwidths.
    """

    starts: np.ndarray
    counts: np.ndarray
    indices: np.ndarray
    distances_sq: np.ndarray
    sample_weight: np.ndarray
    bandwidths_sq: np.ndarray

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
    """Which part of a `ScanScratch` describes the window of a query.

    Attributes
    ----------
    n_ranges : int
        How many ranges are used.
    size : int
        The length of the list, or the number of measured rows; those outside the window
        have infinite distance.
    is_listed : bool
    bandwidth_sq : float
        The squared bandwidth of the kernel.
    is_tied : bool
        Whether the window was not found, since rows inside and outside of it are
        equally far.
    """

    n_ranges: int
    size: int
    is_listed: bool
    bandwidth_sq: float
    is_tied: bool


class Window(NamedTuple):
    """The rows of one window: listed rows, or ranges of consecutive rows.

    Attributes
    ----------
    X, Y, columns, target_columns
        As in `TrainingRows`.
    indices : int array of shape (k,)
        Listed rows; of length 0 if the window is made of ranges of rows.
    ranges : int array of shape (n_ranges, 2)
        First and one past the last: positions in `indices` if there are any, else rows.
    sample_weight : ndarray of shape (k,)
        Of the rows of the window, range after range; of length 0 if all are 1.
    """

    X: np.ndarray
    Y: np.ndarray
    indices: np.ndarray
    columns: np.ndarray
    target_columns: np.ndarray
    ranges: np.ndarray
    sample_weight: np.ndarray


class Polynomials(NamedTuple):
    """The polynomials that are fitted to one window, all with the same weights.

    The terms of a lower degree come first among those of a higher one, so that all
    polynomials share one matrix of normal equations.

    Attributes
    ----------
    degree, n_terms : int
        The highest degree (0, 1 or 2), and the number of its terms, p.
    degrees, terms : int arrays of shape (S,)
        The degree and the number of terms of each polynomial.
    ridges : ndarray of shape (S,)
    """

    degree: int
    n_terms: int
    degrees: np.ndarray
    terms: np.ndarray
    ridges: np.ndarray


class Workspace(NamedTuple):
    """What `fit_window` writes on.

    Attributes
    ----------
    design : ndarray of shape (p + V, max_range_length)
        Weighted terms and targets of a range of rows, one term after the other.
    gram, moments : ndarrays of shape (p, p) and (p, V)
        Normal equations without ridge; of gram only the lower half.
    factor, scale : ndarrays of shape (p, p) and (p,)
        Cholesky factor of the matrix with unit diagonal, and what gives it that.
    coef : ndarray of shape (p, V)
        Coefficients of the polynomial that was fitted last.
    hat_coef : ndarray of shape (p, 1)
        Coefficients of the row of the hat matrix.
    """

    design: np.ndarray
    gram: np.ndarray
    moments: np.ndarray
    factor: np.ndarray
    scale: np.ndarray
    coef: np.ndarray
    hat_coef: np.ndarray


class LocalFits(NamedTuple):
    """The results of the fits at some queries; what is not wanted has length 0.

    Attributes
    ----------
    predictions : ndarray of shape (m, S * V)
        Of each polynomial for each target; NaN if no row of the window has any weight.
    coef : ndarray of shape (m, n_coef, V)
        The first coefficients of each polynomial: the constant, before it is bounded,
        the d slopes, and the products of columns; 0 for those that it lacks.
    hat_statistics : ndarray of shape (m, 2)
        The leverage, the diagonal element of the hat matrix, if the query is a training
        row. And the variance factor Σ l² / sample weight over a row l of the hat
        matrix: the variance of the prediction, divided by that of a target.
    hat_rows : ndarray of shape (m, n)
        Rows of the hat matrix: the prediction is Σ l * target.
    """

    predictions: np.ndarray
    coef: np.ndarray
    hat_statistics: np.ndarray
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
