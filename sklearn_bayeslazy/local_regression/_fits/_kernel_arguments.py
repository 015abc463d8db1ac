"""Groups of arrays that the kernels take: rows, queries, windows, results.

numba passes a NamedTuple field by field. A kernel unpacks it before its inner loops.
Arrays of length 0 stand for what is not given or not wanted.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ...search import no_exclusions

NONE = np.empty(0)


class LocalRows(NamedTuple):
    """Training rows and their targets, in one order, transposed."""

    columns: np.ndarray  # (d, n), scaled for the distance
    targets: np.ndarray  # (V, n)


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


class Polynomials(NamedTuple):
    """The polynomials that are fitted to one window, all with the same weights."""

    # The terms of a lower degree come first among those of a higher one, so that all
    # polynomials share one matrix of normal equations.
    degree: int  # the highest degree: 0, 1 or 2
    degrees: np.ndarray  # (S,), of each polynomial
    terms: np.ndarray  # (S,), number of terms of each polynomial
    ridges: np.ndarray  # (S,)


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

    def subset(self, queries):
        """Return the fits of some of the queries: views for a slice, else copies."""
        return LocalFits(*(array[queries] if len(array) else array for array in self))

    def put(self, queries, fits):
        """Take over the fits of some of the queries."""
        for array, values in zip(self, fits):
            if len(array):
                array[queries] = values
