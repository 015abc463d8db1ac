"""Numba kernels of distances between rows of numbers, codes and missing values.

The rows are stored column by column: numbers, or codes of symbols; NaN where a value is
missing. Missing values differ from every code and from each other. -1 is the code of
symbols that no training row has.
"""

import numpy as np

from .._core._kernel import kernel


@kernel
def measure_heom(columns, is_symbol, weights, queries, squared):
    """Write the squared HEOM distances of all rows from each query."""
    # columns: (d, n), the rows; is_symbol: (d,), whether a column holds codes.
    # weights: (d,), factors of the squared differences.
    # queries: (m, d); squared: (m, n), output.
    d, n = columns.shape
    for q in range(len(queries)):
        for r in range(n):
            squared[q, r] = 0.0
        for j in range(d):
            x, w = queries[q, j], weights[j]
            if is_symbol[j]:
                for r in range(n):
                    squared[q, r] += 0.0 if columns[j, r] == x else w
            else:
                for r in range(n):
                    t = columns[j, r] - x
                    squared[q, r] += w * (t * t) if t == t else w


@kernel
def measure_gower(columns, is_symbol, weights, queries, distances):
    """Write Gower's distances of all rows from each query."""
    # They are weighted means over the columns that are present in both; infinite if
    # there is none. distances: (m, n), output; the others as in `measure_heom`.
    d, n = columns.shape
    total = np.empty(n)
    for q in range(len(queries)):
        for r in range(n):
            distances[q, r] = 0.0
            total[r] = 0.0
        for j in range(d):
            x, w = queries[q, j], weights[j]
            if x != x:
                continue
            for r in range(n):
                t = columns[j, r]
                if t == t:
                    total[r] += w
                    if is_symbol[j]:
                        distances[q, r] += 0.0 if t == x else w
                    else:
                        distances[q, r] += w * abs(t - x)
        for r in range(n):
            distances[q, r] = distances[q, r] / total[r] if total[r] > 0.0 else np.inf
