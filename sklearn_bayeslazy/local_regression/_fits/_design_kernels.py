"""Loops that write the design matrix of a local polynomial.

The polynomial is centred at the query and measured in bandwidths: its constant is the
prediction, its linear terms are the slopes. The design matrix is written for one range
of rows at a time, one term after the other, so that sums over rows read consecutive
numbers.
"""

import numpy as np

from ..._core._kernel import inlined, kernel


def count_terms(n_features, degree):
    """Return how many terms a polynomial of a degree (0, 1 or 2) has.

    >>> [count_terms(2, degree) for degree in (0, 1, 2)]  # 1; x, y; x², xy, y²
    [1, 3, 6]
    """
    linear = n_features if degree >= 1 else 0
    return 1 + linear + (n_features * (n_features + 1) // 2 if degree == 2 else 0)


@inlined
def _write_listed(X, Y, indices, query, roots, unit, is_linear, design, n_terms):
    """Write linear terms and targets of listed rows, times the roots of weights."""
    size, d = len(indices), X.shape[1] if is_linear else 0
    for j in range(0, d - d % 4, 4):  # four columns of a row are adjacent in memory
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        for r in range(size):
            row, factor = np.uintp(indices[r]), unit * roots[r]
            design[1 + j, r] = (X[row, j] - x0) * factor
            design[2 + j, r] = (X[row, j + 1] - x1) * factor
            design[3 + j, r] = (X[row, j + 2] - x2) * factor
            design[4 + j, r] = (X[row, j + 3] - x3) * factor
    for j in range(d - d % 4, d):
        x0 = query[j]
        for r in range(size):
            design[1 + j, r] = (X[np.uintp(indices[r]), j] - x0) * (unit * roots[r])
    for v in range(Y.shape[1]):
        for r in range(size):
            design[n_terms + v, r] = Y[np.uintp(indices[r]), v] * roots[r]


@inlined
def _write_range(columns, targets, bounds, query, roots, unit, is_linear, design, p):
    """Write linear terms and targets of a range of rows, times the roots of weights."""
    first, last = bounds
    for j in range(len(columns) if is_linear else 0):
        x0, column = query[j], columns[j, first:last]
        for r in range(len(roots)):
            design[1 + j, r] = (column[r] - x0) * (unit * roots[r])
    for v in range(len(targets)):
        column = targets[v, first:last]
        for r in range(len(roots)):
            design[p + v, r] = column[r] * roots[r]


@kernel(only_in_kernels=True)
def write_design(window, query, all_roots, n_done, c, unit, degree, design):
    """Write terms and targets of range c, times roots of weights; return its size."""
    # query: (d,); all_roots: (k,), of all ranges; n_done: number of rows in the ranges
    # before c; unit: 1 / bandwidth. design: (p + V, at least the size of the range),
    # with a row for each of the p terms and then for each of the V targets.
    X, Y, indices, columns, target_columns, ranges, _ = window
    first, last = bounds = ranges[c]
    roots = all_roots[n_done : n_done + last - first]
    d, p, size, linear = len(query), len(design) - Y.shape[1], last - first, degree > 0
    for r in range(size):
        design[0, r] = roots[r]
    if len(indices):
        listed = indices[first:last]
        _write_listed(X, Y, listed, query, roots, unit, linear, design, p)
    else:
        _write_range(
            columns, target_columns, bounds, query, roots, unit, linear, design, p
        )
    if degree == 2:
        inverse = np.empty(size)
        for r in range(size):
            inverse[r] = 1.0 / roots[r] if roots[r] > 0.0 else 0.0
        t = 1 + d
        for j in range(d):
            for i in range(j, d):
                for r in range(size):
                    design[t, r] = design[1 + j, r] * inverse[r] * design[1 + i, r]
                t += 1
    return size
