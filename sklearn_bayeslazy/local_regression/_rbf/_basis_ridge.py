"""Ridge regression on radial basis functions, for all ridges at once.

The rows √w (1, φ(x), y) are brought into triangular form piece by piece, so that no
more than a piece of basis values is ever held. The singular values of what is left of
φ once its means are gone give the coefficients for every ridge, and the leverage of a
row, with which its leave-one-out answer is known without refitting: with m copies left
out of a row of leverage h a copy, the residual grows by 1 / (1 - m h).
"""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen
from ._rbf_kernels import basis_values

# So many rows at a time: their order and number decide how sums are rounded.
_PIECE = 4096
# Singular values below this share of the largest count as none.
_RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Basis:
    """Radial basis functions.

    Attributes
    ----------
    centers : ndarray of shape (K, d)
    widths : ndarray of shape (K,)
    """

    centers: np.ndarray
    widths: np.ndarray

    def values(self, rows):
        """Return the values of rows, of shape (m, K)."""
        values = np.empty((len(rows), len(self.centers)))
        with np.errstate(over="ignore"):
            per_width = 0.5 / self.widths**2
        basis_values(
            frozen(rows, np.float64),
            frozen(self.centers.T, np.float64),
            frozen(per_width, np.float64),
            values,
        )
        return values


class BasisRidge:
    """A ridge regression whose ridge is still open.

    Parameters
    ----------
    basis : Basis
    rows : ndarray of shape (n, d)
    targets : ndarray of shape (n, V)
    weight : ndarray of shape (n,)
    """

    def __init__(self, basis, rows, targets, weight):
        self.basis = basis
        k = len(basis.centers)
        R = np.zeros((0, 1 + k + targets.shape[1]))
        for first in range(0, len(rows), _PIECE):
            here = slice(first, first + _PIECE)
            root = np.sqrt(weight[here])[:, None]
            values = basis.values(rows[here])
            design = np.hstack([root, root * values, root * targets[here]])
            R = np.linalg.qr(np.vstack([R, design]), mode="r")
        self._mass = R[0, 0] ** 2
        self._mean = R[0, 1 : 1 + k] / R[0, 0]
        self._target_mean = R[0, 1 + k :] / R[0, 0]
        U, self._singular, self._Vt = np.linalg.svd(R[1:, 1 : 1 + k], False)
        self._rotated = U.T @ R[1:, 1 + k :]

    def _kept(self):
        largest = self._singular.max(initial=0.0)
        return self._singular > _RANK_TOLERANCE * largest

    def coefficients(self, ridge):
        """Return the coefficients (V, K) and the intercept (V,) for a ridge."""
        s = self._singular[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            shrunk = np.where(self._kept()[:, None], s / (s**2 + ridge), 0.0)
        coef = (self._Vt.T @ (shrunk * self._rotated)).T
        return coef, self._target_mean - coef @ self._mean

    def left_out(self, ridges, rows, targets, weight):
        """Return the answers to training rows without a copy of each.

        Parameters
        ----------
        ridges : list of float
        rows, targets, weight : ndarrays of shapes (m, d), (m, V), (m,)

        Returns
        -------
        ndarray of shape (n_ridges, m, V)
            NaN where nothing is left to answer with.
        """
        answers = np.empty((len(ridges), *targets.shape))
        kept = self._kept()
        fits = [self.coefficients(ridge) for ridge in ridges]
        shrinks = [1 / (self._singular[kept] ** 2 + ridge) for ridge in ridges]
        for first in range(0, len(rows), _PIECE):
            here = slice(first, first + _PIECE)
            values = self.basis.values(rows[here])
            along = (values - self._mean) @ self._Vt[kept].T
            mass = np.minimum(weight[here], 1.0)
            for place, ((coef, intercept), shrink) in enumerate(zip(fits, shrinks)):
                fitted = values @ coef.T + intercept
                rest = 1 - mass * (1 / self._mass + along**2 @ shrink)
                rest = np.where(rest > 1e-10, rest, np.nan)[:, None]
                residual = (targets[here] - fitted) / rest
                answers[place, here] = targets[here] - residual
        return answers
