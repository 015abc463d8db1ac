"""Loops over the stored cells of sparse rows; cells that are not stored are zeros.

The score of a row of zeros is computed once. Each stored cell then replaces the term of
a zero by the term of its value. A code below 0 and NaN are skipped.

In all kernels ``position[column]`` is the position of a column of the table among the
columns that are modelled, or -1.
"""

import math

import numpy as np

from ..._core._kernel import kernel


@kernel
def count_stored(
    indptr, column, codes, classes, weight, position, start, counts, stored
):
    """Count the stored cells of sparse rows as `count_codes` does."""
    # codes: (n_stored,); counts: (S, C). The number and the total weight of the stored
    # cells by column and class are added to `stored` (2, d, C). The cells that are not
    # stored follow from them.
    for i in range(indptr.shape[0] - 1):
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            j = position[column[k]]
            if j >= 0:
                stored[0, j, c] += 1
                stored[1, j, c] += weight[i]
                if codes[k] >= 0:
                    counts[start[j] + codes[k], c] += weight[i]


@kernel
def add_stored_codes(
    indptr, column, codes, position, start, zero, log_prob, empty, out
):
    """Add log P(code | class) to sparse rows, from the score of an empty row."""
    # `empty` (2, C) holds, for a row of zeros, the sum of the finite terms and the
    # number of terms that are -inf. These are counted because -inf cannot be subtracted
    # again. `zero` (d,) is the row of `log_prob` (S, C) of each column's code of 0, or
    # below 0.
    n_classes = out.shape[1]
    finite = np.empty(n_classes)
    infinite = np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        finite[:] = empty[0]
        infinite[:] = empty[1]
        for k in range(indptr[i], indptr[i + 1]):
            j = position[column[k]]
            if j < 0:
                continue
            for c in range(n_classes):
                if zero[j] >= 0:
                    if log_prob[zero[j], c] == -np.inf:
                        infinite[c] -= 1
                    else:
                        finite[c] -= log_prob[zero[j], c]
                if codes[k] >= 0:
                    if log_prob[start[j] + codes[k], c] == -np.inf:
                        infinite[c] += 1
                    else:
                        finite[c] += log_prob[start[j] + codes[k], c]
        for c in range(n_classes):
            out[i, c] += -np.inf if infinite[c] > 0 else finite[c]


@kernel
def add_stored_weighted_sums(
    indptr, column, data, classes, weight, position, missing, total
):
    """Sum w x, and w of the stored NaN, by (class, column) over sparse rows."""
    # missing, total: (C, d). Returns the least and the largest of 0 and all x.
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            j = position[column[k]]
            if j >= 0:
                x = data[k]
                if x == x:
                    total[c, j] += weight[i] * x
                    low, high = min(low, x), max(high, x)
                else:
                    missing[c, j] += weight[i]
    return low, high


@kernel
def add_stored_poisson(indptr, column, data, position, rate, log_rate, empty, out):
    """Add x log λ - λ - log x! to sparse rows, from the score `empty` = -Σλ."""
    # rate, log_rate: (d, C); empty: (C,); out: (n, C). Returns the least and the
    # largest of 0 and all x.
    n_classes = out.shape[1]
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        for c in range(n_classes):
            out[i, c] += empty[c]
        for k in range(indptr[i], indptr[i + 1]):
            j = position[column[k]]
            if j >= 0 and rate[j, 0] == rate[j, 0]:
                x = data[k]
                if x == x:
                    low, high = min(low, x), max(high, x)
                log_factorial = math.lgamma(x + 1) if x > 0 else 0.0
                for c in range(n_classes):
                    if x > 0:
                        out[i, c] += x * log_rate[j, c] - log_factorial
                    elif x != x:  # missing: undo the column's -λ
                        out[i, c] += rate[j, c]
    return low, high
