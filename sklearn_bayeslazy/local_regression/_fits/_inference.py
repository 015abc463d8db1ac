"""How sure a local regression is: traces of its hat matrix, residual scale, robustness.

The answers at the training rows are L y with a hat matrix L that does not depend on y.
A row of mass m stands for m rows; L and all traces are those of the table with the rows
repeated, and are reckoned from one row each.

Source: W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local regression models.
"""

from dataclasses import dataclass

import numpy as np

# So many rows of the hat matrix are held at a time, for δ2.
_HAT_ROWS = 256


@dataclass(frozen=True)
class HatMatrix:
    """What is known of the hat matrix.

    Attributes
    ----------
    mass : float
        N, how many rows the table stands for.
    trace : float
        tr L, the effective degrees of freedom.
    square : float
        tr L Lᵀ, loess's equivalent number of parameters.
    delta2 : float or None
        tr ((I - L)(I - L)ᵀ)²; None where it was not computed.
    """

    mass: float
    trace: float
    square: float
    delta2: float | None = None

    @property
    def delta1(self):
        """Return tr (I - L)(I - L)ᵀ, what residual squares are divided by."""
        return self.mass - 2 * self.trace + self.square

    @property
    def residual_dof(self):
        """Return the degrees of freedom of the residual scale: δ1²/δ2, or δ1."""
        if self.delta2 is None:
            return self.delta1
        return self.delta1**2 / self.delta2 if self.delta2 > 0 else np.nan


def hat_matrix(own_hat, hat_square, weight, mass, delta2=None):
    """Return the traces from a sample of the rows, or all.

    Parameters
    ----------
    own_hat, hat_square : ndarrays of shape (m,)
        Of the rows of the sample: l_ii, and Σ_j l_ij² / mass_j.
    weight : ndarray of shape (m,)
        Their masses.
    mass : float
        Of all rows.
    """
    share = mass / weight.sum()
    return HatMatrix(mass, share * own_hat.sum(), share * (weight @ hat_square), delta2)


def second_delta(hat_rows, weight):
    """Return δ2, by blocks of the hat matrix.

    Parameters
    ----------
    hat_rows : callable
        ``hat_rows(rows)`` returns a slice of rows of the hat matrix, dense.
    weight : ndarray of shape (n,)
    """
    n = len(weight)
    root = np.sqrt(weight)
    slices = [slice(i, min(i + _HAT_ROWS, n)) for i in range(0, n, _HAT_ROWS)]

    def residual_operator(rows):
        A = -hat_rows(rows) * (root[rows, None] / root)
        A[np.arange(len(A)), np.arange(rows.start, rows.stop)] += 1
        return A

    total = weight.sum() - n  # copies of a row differ in ways that no fit sees
    for i, rows in enumerate(slices):
        A = residual_operator(rows)
        total += np.sum((A @ A.T) ** 2)
        for others in slices[i + 1 :]:
            total += 2 * np.sum((A @ residual_operator(others).T) ** 2)
    return float(total)


def weighted_median(values, weight):
    """Return the median of values, each as often as it weighs.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    1.5
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    half = reached[-1] / 2
    places = [np.searchsorted(reached, half, side) for side in ("left", "right")]
    low, high = values[order[np.minimum(places, len(values) - 1)]]
    return float((low + high) / 2)


def bisquare(residuals, weight, rounding=0.0):
    """Return Cleveland's robustness weights: (1 - (r / 6 median|r|)²)².

    As in loess, residuals within a thousandth of the bound count in full, and from
    .999 of it on nothing. All count in full where the median is not above `rounding`,
    how far rounding may take a residual from 0.
    """
    size = np.abs(residuals)
    bound = 6 * weighted_median(size, weight)
    if bound <= 6 * rounding:
        return np.ones(len(size))
    with np.errstate(over="ignore"):
        factors = (1 - (size / bound) ** 2) ** 2
    factors[size <= 0.001 * bound] = 1.0
    factors[size > 0.999 * bound] = 0.0
    return factors


def pseudovalues(y, fitted, robustness, weight):
    """Return targets that a plain fit would treat as the robust fit treats y.

    Their residual scale is that of the robust fit.
    """
    residuals = y - fitted
    scale = (6 * weighted_median(np.abs(residuals), weight)) ** 2 / 5
    if scale == 0:
        return y
    moved = weight @ ((1 - residuals**2 / scale) * np.sqrt(robustness))
    return fitted + weight.sum() / moved * robustness * residuals
