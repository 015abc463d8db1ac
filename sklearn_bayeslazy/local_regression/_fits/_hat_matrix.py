"""Traces of the hat matrix of a local regression: degrees of freedom, delta statistics.

The predictions at the training rows are L y with a hat matrix L that does not depend on
y. A row of weight m stands for m equal rows; all traces are those of the table in which
rows are repeated, and are computed from one copy of each.

Source: W. S. Cleveland, E. Grosse and W. M. Shyu (1992), Local regression models, ch. 8
of Statistical Models in S.
"""

from dataclasses import dataclass

import numpy as np

# Rows of the hat matrix that are held at a time, for δ2.
_ROWS_PER_BLOCK = 256


@dataclass(frozen=True)
class HatMatrixTraces:
    """Traces of the hat matrix L."""

    total_weight: float  # N, the number of rows that the table stands for
    trace: float  # tr L, the effective degrees of freedom
    squared_norm: float  # tr L Lᵀ, loess's equivalent number of parameters
    delta2: float | None = None  # tr ((I - L)(I - L)ᵀ)²; None if it was not computed

    @property
    def delta1(self):
        """Return tr (I - L)(I - L)ᵀ, the divisor of the sum of squared residuals."""
        return self.total_weight - 2 * self.trace + self.squared_norm

    @property
    def residual_dof(self):
        """Return the degrees of freedom of the residual scale: δ1²/δ2, or δ1."""
        if self.delta2 is None:
            return self.delta1
        return self.delta1 * (self.delta1 / self.delta2) if self.delta2 > 0 else np.nan


def estimate_traces(
    leverages, variance_factors, sample_weight, total_weight, delta2=None
):
    """Return the traces from a sample of the rows, or from all."""
    # Of the m rows of the sample, (m,) each: leverages l_ii, variance_factors
    # Σ_j l_ij² / weight_j, and sample_weight. total_weight is that of all rows.
    ratio = total_weight / sample_weight.sum()
    return HatMatrixTraces(
        total_weight,
        ratio * leverages.sum(),
        ratio * (sample_weight @ variance_factors),
        delta2,
    )


def compute_delta2(hat_rows, sample_weight):
    """Return δ2, by blocks of the hat matrix."""
    # hat_rows(rows) returns a slice of rows of the hat matrix, dense: (len(rows), n).
    # sample_weight: (n,).
    n = len(sample_weight)
    root = np.sqrt(sample_weight)
    blocks = [
        slice(i, min(i + _ROWS_PER_BLOCK, n)) for i in range(0, n, _ROWS_PER_BLOCK)
    ]

    def residual_operator(rows):
        A = -hat_rows(rows) * (root[rows, None] / root)
        A[np.arange(len(A)), np.arange(rows.start, rows.stop)] += 1
        return A

    # Differences between copies of a row: N - n residuals that no fit changes.
    total = sample_weight.sum() - n
    for i, rows in enumerate(blocks):
        A = residual_operator(rows)
        total += np.sum((A @ A.T) ** 2)
        for others in blocks[i + 1 :]:
            total += 2 * np.sum((A @ residual_operator(others).T) ** 2)
    return float(total)
