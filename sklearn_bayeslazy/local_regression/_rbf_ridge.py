"""Ridge regression on radial basis functions, for all ridges at once.

The QR decomposition of the rows √w (1, φ(x), y) is updated block by block, so that only
one block of basis values is held in memory. The singular values of the centred basis
values give the coefficients for every ridge. They also give the leverage of a row, and
with it the leave-one-out prediction without refitting: if a row of weight w is left
out, and a row of weight 1 at its place has the leverage h, the residual is multiplied
by 1 / (1 - w h).
"""

from dataclasses import dataclass

import numpy as np

from .._core._kernel import frozen, kernel
from .._core._parallel import one_blas_thread, slices_of
from .._core._vectorized_math import exp_negative

# Rows per block; their order and number determine how sums are rounded.
_BLOCK_SIZE = 4096
# Leave-one-out predictions are NaN if 1 - w h is at most this.
_MIN_RESIDUAL_SHARE = 1e-10
# Singular values below this share of the largest are treated as 0.
_RANK_TOLERANCE = 1e-12
# So are those below this share of √(Σ w), the norm of a basis function that is 1 at all
# rows: they are rounding errors of basis values at equal rows.
_ROUNDING_TOLERANCE = 1e-14


@dataclass(frozen=True)
class Basis:
    """Radial basis functions."""

    centers: np.ndarray  # (K, d)
    widths: np.ndarray  # (K,)

    def values(self, rows):
        """Return the values of the functions at rows, of shape (m, K)."""
        values = np.empty((len(rows), len(self.centers)))
        with np.errstate(over="ignore", divide="ignore"):
            inverse_two_width_sq = 0.5 / self.widths**2
        basis_values(
            frozen(rows, np.float64),
            frozen(self.centers.T, np.float64),
            frozen(inverse_two_width_sq, np.float64),
            values,
        )
        return values


class BasisRidge:
    """A ridge regression for any ridge."""

    # rows: (n, d), or TransformedRows; targets: (n, V); sample_weight: (n,).

    def __init__(self, basis, rows, targets, sample_weight):
        self.basis = basis
        k = len(basis.centers)
        R = np.zeros((0, 1 + k + targets.shape[1]))
        for here in slices_of(range(len(rows)), _BLOCK_SIZE):
            root = np.sqrt(sample_weight[here])[:, None]
            stacked = np.empty((len(R) + len(root), R.shape[1]))
            stacked[: len(R)] = R
            design = stacked[len(R) :]
            design[:, :1] = root
            np.multiply(root, basis.values(rows[here]), out=design[:, 1 : 1 + k])
            np.multiply(root, targets[here], out=design[:, 1 + k :])
            with one_blas_thread():  # as in the tasks that compare candidates
                R = np.linalg.qr(stacked, mode="r")
        self._total_weight = R[0, 0] ** 2
        self._mean = R[0, 1 : 1 + k] / R[0, 0]
        self._target_mean = R[0, 1 + k :] / R[0, 0]
        U, self._singular, self._Vt = np.linalg.svd(R[1:, 1 : 1 + k], False)
        self._rotated = U.T @ R[1:, 1 + k :]
        largest = self._singular.max(initial=0.0)
        smallest = max(
            _RANK_TOLERANCE * largest, _ROUNDING_TOLERANCE * np.sqrt(self._total_weight)
        )
        self._kept = self._singular > smallest  # others are treated as 0

    def coefficients(self, ridge):
        """Return the coefficients (V, K) and the intercept (V,) for a ridge."""
        s = self._singular[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            shrunk = np.where(self._kept[:, None], s / (s**2 + ridge), 0.0)
        coef = (self._Vt.T @ (shrunk * self._rotated)).T
        return coef, self._target_mean - coef @ self._mean

    def _rotate(self, values):
        """Return values (m, K) of basis functions in the directions that are not 0."""
        return (values - self._mean) @ self._Vt[self._kept].T

    def influence(self, ridge, rows, others):
        """Return by how much a unit error at other rows changes predictions at rows."""
        # rows: (m, d), others: (n, d). (m, n): x_r A⁻¹ x_o, for the matrix A of the
        # normal equations. Without a row o of weight w, of which e is the left-out
        # error, the prediction at r is smaller by w e times it.
        shrink = 1 / (self._singular[self._kept] ** 2 + ridge)
        here, there = (
            self._rotate(self.basis.values(points)) for points in (rows, others)
        )
        return 1 / self._total_weight + (here * shrink) @ there.T

    def left_out(self, ridges, fits, rows, targets, sample_weight, elsewhere):
        """Return the predictions of training rows, each by the other rows."""
        # fits: (coef, intercept) of each ridge, as `coefficients` returns them; rows,
        # targets, sample_weight: (m, d), (m, V), (m,); elsewhere: (h,), (h, d), some of
        # the rows by their position, and the points at which the others predict them.
        # Returned: (n_ridges, m, V); NaN if the other rows determine no prediction.
        predictions = np.empty((len(ridges), *targets.shape))
        curvature = self._singular[self._kept] ** 2
        shrinks = [1 / (curvature + ridge) for ridge in ridges]
        moved, points = elsewhere
        values_elsewhere = self.basis.values(points)
        products = self._rotate(values_elsewhere)
        for here in slices_of(range(len(rows)), _BLOCK_SIZE):
            values = self.basis.values(rows[here])
            rotated = self._rotate(values)
            squares = rotated**2
            inside = (moved >= here.start) & (moved < here.stop)
            products[inside] *= rotated[moved[inside] - here.start]
            for i, ((coef, intercept), shrink) in enumerate(zip(fits, shrinks)):
                fitted = values @ coef.T + intercept
                leverage = 1 / self._total_weight + squares @ shrink
                share = 1 - sample_weight[here] * leverage
                share = np.where(share > _MIN_RESIDUAL_SHARE, share, np.nan)
                residual = (targets[here] - fitted) / share[:, None]
                predictions[i, here] = targets[here] - residual
        for i, ((coef, intercept), shrink) in enumerate(zip(fits, shrinks)):
            influence = 1 / self._total_weight + products @ shrink
            errors = targets[moved] - predictions[i, moved]
            change = (sample_weight[moved] * influence)[:, None] * errors
            predictions[i, moved] = values_elsewhere @ coef.T + intercept - change
        return predictions


# Loops over rows: values of radial basis functions, and their weighted sums.


@kernel
def basis_values(rows, centers, inverse_two_width_sq, values):
    """Write exp(-d²/(2 σ²)) for each row and centre."""
    # rows: (m, d); centers: (d, K), transposed; inverse_two_width_sq: (K,), 1/(2 σ²);
    # values: (m, K) out; those of a row do not depend on the other rows.
    d, n_centers = centers.shape
    for i in range(len(rows)):
        for c in range(n_centers):
            values[i, c] = 0.0
        for j in range(d):
            x = rows[i, j]
            for c in range(n_centers):
                t = centers[j, c] - x
                values[i, c] += t * t
        for c in range(n_centers):
            values[i, c] = exp_negative(-inverse_two_width_sq[c] * values[i, c])


@kernel
def weighted_sums(values, coef, intercept, outputs):
    """Write intercept + values @ coef.T; each row is summed in the same order."""
    # values: (m, K); coef: (V, K); intercept: (V,); outputs: (m, V) out.
    for i in range(len(values)):
        for v in range(len(coef)):
            total = 0.0
            for c in range(coef.shape[1]):
                total += values[i, c] * coef[v, c]
            outputs[i, v] = intercept[v] + total
