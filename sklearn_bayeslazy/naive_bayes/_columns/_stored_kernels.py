"""Loops over the stored cells of sparse rows; those not stored are zeros.

What a row of zeros would score is computed once; each stored cell then takes the term
of the zero back and adds its own. A code below 0 and a NaN are passed over.
"""

import math

import numpy as np

from ..._kernel import kernel


@kernel
def count_stored(indptr, column, codes, classes, weight, rank, start, counts, stored):
    """Count the stored cells of sparse rows as `count_codes` does.

    `stored` (2, d, C) gathers the number and the mass of the stored cells by column
    and class, so that the cells that are not stored can be counted afterwards.
    """
    for i in range(indptr.shape[0] - 1):
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            j = rank[column[k]]
            if j >= 0:
                stored[0, j, c] += 1
                stored[1, j, c] += weight[i]
                if codes[k] >= 0:
                    counts[start[j] + codes[k], c] += weight[i]


@kernel
def add_stored_codes(indptr, column, codes, rank, start, zero, log_prob, empty, out):
    """Add log P(code | class) to sparse rows, from the score of an empty row.

    `empty` (2, C) holds, for a row of zeros, the sum of the finite terms and how many
    terms are -inf; -inf cannot be subtracted again, so they are counted apart.
    `zero` (d,) is where the code of 0 of each column stands in `log_prob` (S, C).
    """
    n_classes = out.shape[1]
    finite = np.empty(n_classes)
    infinite = np.empty(n_classes)
    for i in range(indptr.shape[0] - 1):
        finite[:] = empty[0]
        infinite[:] = empty[1]
        for k in range(indptr[i], indptr[i + 1]):
            j = rank[column[k]]
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
def add_stored_sums(indptr, column, data, classes, weight, rank, missing, total):
    """Add up w x, and w of the stored NaN, by (class, column) over sparse rows."""
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            j = rank[column[k]]
            if j >= 0:
                x = data[k]
                if x == x:
                    total[c, j] += weight[i] * x
                    low, high = min(low, x), max(high, x)
                else:
                    missing[c, j] += weight[i]
    return low, high


@kernel
def add_stored_poisson(indptr, column, data, rank, rate, log_rate, empty, out):
    """Add x log λ - λ - log x! to sparse rows, from the score `empty` = -Σλ."""
    n_classes = out.shape[1]
    low, high = 0.0, 0.0
    for i in range(indptr.shape[0] - 1):
        for c in range(n_classes):
            out[i, c] += empty[c]
        for k in range(indptr[i], indptr[i + 1]):
            j = rank[column[k]]
            if j >= 0 and rate[j, 0] == rate[j, 0]:
                x = data[k]
                if x == x:
                    low, high = min(low, x), max(high, x)
                log_factorial = math.lgamma(x + 1) if x > 0 else 0.0
                for c in range(n_classes):
                    if x > 0:
                        out[i, c] += x * log_rate[j, c] - log_factorial
                    elif x != x:  # missing: take the column's -λ back
                        out[i, c] += rate[j, c]
    return low, high
