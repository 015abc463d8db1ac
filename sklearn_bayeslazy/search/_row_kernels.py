"""Numba kernels that transform rows one by one: no row depends on its batch."""

import numpy as np

from .._core._kernel import kernel


@kernel
def project(X, center, matrix):
    """Return (X - center) @ matrix, summed in the order of the columns."""
    n, d = X.shape
    transformed = np.zeros((n, matrix.shape[1]))
    for i in range(n):
        for j in range(d):
            x = X[i, j] - center[j]
            for r in range(matrix.shape[1]):
                transformed[i, r] += x * matrix[j, r]
    return transformed


@kernel
def unit_rows(X, is_query):
    """Return rows divided by their lengths, and two more columns for rows of zeros."""
    # X: (n, d); the result: (n, d + 2). A row of zeros has no direction: its cosine
    # with every row is 0. The two columns, one for training rows and one for queries
    # (is_query = 1), put it at right angles to all rows.
    n, d = X.shape
    transformed = np.zeros((n, d + 2))
    for i in range(n):
        largest = 0.0
        for j in range(d):
            largest = max(largest, abs(X[i, j]))
        if largest == 0.0:
            transformed[i, d + is_query] = 1.0
            continue
        square = 0.0
        for j in range(d):
            transformed[i, j] = X[i, j] / largest
            square += transformed[i, j] * transformed[i, j]
        length = np.sqrt(square)
        for j in range(d):
            transformed[i, j] /= length
    return transformed
