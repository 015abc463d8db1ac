"""Loops over rows: values of radial basis functions, and their weighted sums."""

from .._core._kernel import kernel
from .._core._vectorized_math import exp_negative


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
