"""Numba kernels of the leave-one-out score: tables estimated without each row."""

from typing import NamedTuple

import numpy as np

from ..._kernel import inlined, kernel

# A smaller share of a sum of weights is rounding error of a subtraction.
ROUNDING = 1e-12


class LeftOutRows(NamedTuple):
    """The rows that are left out one by one.

    Attributes
    ----------
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
        The weight that is removed for each row: of a row of weight w, min(1, w).
    """

    classes: np.ndarray
    weight: np.ndarray


class FamilyCounts(NamedTuple):
    """The counts of a family that contains the class.

    Attributes
    ----------
    counts : ndarray of shape (n_cells, n_classes)
    totals : ndarray of shape (n_cells / n_values, n_classes)
        Sums over the node's values; of shape (n_cells, 1) if the node is the class.
    n_values : int
        The number of values of the node; 1 if it is the class.
    is_class : bool
        Whether the node is the class.
    m : float
        The number of virtual examples of each combination of the parents' values.
    marginal : ndarray of shape (K,)
        The total weight of each of the node's values, by which virtual examples are
        distributed. If all are 0, each value has the same share.
    """

    counts: np.ndarray
    totals: np.ndarray
    n_values: int
    is_class: bool
    m: float
    marginal: np.ndarray


@inlined
def _m_estimate_without_row(count, in_cell, total, in_total, m, p):
    """Return the m-estimate of count / total without a row; p without any row."""
    left = total - in_total
    if left <= ROUNDING * total:
        left = 0.0
    estimate = p
    if left + m > 0:
        seen = max(count - in_cell, 0.0) if left > 0 else 0.0
        estimate = (seen + m * p) / (left + m)
    return estimate


@kernel
def multiply_left_out(cells, rows, family, class_weights):
    """Multiply each row's class weights by a table that is estimated without the row.

    Parameters
    ----------
    cells : int array of shape (n_rows,)
        The cell of the values of the family's nodes except the class; the node's value
        varies fastest. Below 0 where a value is missing; such rows stay as they are.
    rows : LeftOutRows
    family : FamilyCounts
    class_weights : ndarray of shape (n_rows, n_classes)
        Is changed.
    """
    classes, removed = rows
    counts, totals, n_values, is_class, m, marginal = family
    n_classes, size = class_weights.shape[1], len(marginal)
    marginal_total = 0.0
    for k in range(size):
        marginal_total += marginal[k]
    for i in range(len(cells)):
        if cells[i] < 0:
            continue
        marginal_left = marginal_total - removed[i]
        by_marginal = marginal_total > 0 and marginal_left > ROUNDING * marginal_total
        for c in range(n_classes):
            # What the row contributed to this cell, to its total, and to the marginal.
            in_cell = removed[i] if c == classes[i] else 0.0
            if is_class:
                k, in_marginal = c, in_cell
                total, in_total = totals[cells[i], 0], removed[i]
            else:
                k, in_marginal = cells[i] % n_values, removed[i]
                total, in_total = totals[cells[i] // n_values, c], in_cell
            p = 1.0 / size
            if by_marginal:
                p = max(marginal[k] - in_marginal, 0.0) / marginal_left
            class_weights[i, c] *= _m_estimate_without_row(
                counts[cells[i], c], in_cell, total, in_total, m, p
            )


@kernel
def multiply_and_scale(factor, class_weights):
    """Multiply rows by factors, then divide each row by its largest entry, unless 0."""
    for i in range(len(class_weights)):
        largest = 0.0
        for c in range(class_weights.shape[1]):
            class_weights[i, c] *= factor[i, c]
            largest = max(largest, class_weights[i, c])
        if largest > 0:
            for c in range(class_weights.shape[1]):
                class_weights[i, c] /= largest


@kernel
def log_likelihood(class_weights, classes, weight, log_prior, min_log_share):
    """Return Σ w ln(share of the true class), each logarithm at least min_log_share.

    The share of a row whose class weights are all 0 is that of the prior, whose
    logarithms are `log_prior`.
    """
    total = 0.0
    for i in range(len(class_weights)):
        row_total = 0.0
        for c in range(class_weights.shape[1]):
            row_total += class_weights[i, c]
        log_share = log_prior[classes[i]]
        if row_total > 0:
            share = class_weights[i, classes[i]] / row_total
            log_share = np.log(share) if share > 0 else min_log_share
        total += weight[i] * max(log_share, min_log_share)
    return total
