"""Kernels of radial basis functions: values of rows at centres, and weighted sums."""

from ..._kernel import kernel
from .._smoothing_kernels import exp_negative


@kernel
def basis_values(rows, centers, per_width, values):
    """Write exp(-d²/(2 σ²)) for each row and centre.

    Parameters
    ----------
    rows : (m, d)
    centers : (d, K) the centres, column by column.
    per_width : (K,) 1/(2 σ²).
    values : (m, K) out; a row's do not depend on the other rows.
    """
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
            values[i, c] = exp_negative(-per_width[c] * values[i, c])


@kernel
def answers_of(values, coef, intercept, answers):
    """Write intercept + values @ coef.T, each row summed by itself in one order.

    Parameters
    ----------
    values : (m, K)
    coef : (V, K)
    intercept : (V,)
    answers : (m, V) out.
    """
    for i in range(len(values)):
        for v in range(len(coef)):
            total = 0.0
            for c in range(coef.shape[1]):
                total += values[i, c] * coef[v, c]
            answers[i, v] = intercept[v] + total
