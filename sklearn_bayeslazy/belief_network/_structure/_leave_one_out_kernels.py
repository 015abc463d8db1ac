"""Numba kernels of the leave-one-out score: tables without each of the rows."""

import numpy as np

from ..._kernel import kernel

# What a sum of weights may keep of rows that were taken from it.
_ROUNDING = 1e-12


@kernel
def multiply_left_out(
    cell, classes, removed, counts, totals, size, is_class, m, marginal, q
):
    """Multiply the class weights of rows by a family's table, the row left out.

    Parameters
    ----------
    cell : int array of shape (n_rows,)
        A number for the values of the family's nodes but the class, the node's own
        value varying fastest; below 0 where one is missing: such rows stay.
    classes : int array of shape (n_rows,)
    removed : ndarray of shape (n_rows,)
        The mass of each row that goes.
    counts : ndarray of shape (n_cells, n_classes)
    totals : ndarray of shape (n_cells / size, n_classes)
        Sums over the node's values. Where the node is the class, of shape (n_cells, 1).
    size : int
        How many values the node has; 1 where it is the class.
    is_class : bool
        Whether the node is the class.
    m : float
        Virtual examples of each combination.
    marginal : ndarray of shape (K,)
        The masses they are drawn by, those of the node's values; all 0: uniformly.
    q : ndarray of shape (n_rows, n_classes)
    """
    n_classes, n_values = q.shape[1], len(marginal)
    whole = 0.0
    for k in range(n_values):
        whole += marginal[k]
    for i in range(len(cell)):
        if cell[i] < 0:
            continue
        left = whole - removed[i]
        by_marginal = whole > 0 and left > _ROUNDING * whole
        for c in range(n_classes):
            mine = removed[i] if c == classes[i] else 0.0
            if is_class:
                k, gone = c, mine
                before, less = totals[cell[i], 0], removed[i]
            else:
                k, gone = cell[i] % size, removed[i]
                before, less = totals[cell[i] // size, c], mine
            p = 1.0 / n_values
            if by_marginal:
                p = max(marginal[k] - gone, 0.0) / left
            total = before - less
            if total <= _ROUNDING * before:
                total = 0.0
            if total + m > 0:
                seen = max(counts[cell[i], c] - mine, 0.0) if total > 0 else 0.0
                p = (seen + m * p) / (total + m)
            q[i, c] *= p


@kernel
def multiply_scaled(factor, q):
    """Multiply rows by others; the largest of each is then 1, or 0."""
    for i in range(len(q)):
        largest = 0.0
        for c in range(q.shape[1]):
            q[i, c] *= factor[i, c]
            largest = max(largest, q[i, c])
        if largest > 0:
            for c in range(q.shape[1]):
                q[i, c] /= largest


@kernel
def log_likelihood(q, classes, weight, otherwise, least):
    """Return Σ w ln(share of the row's class), each at least so much.

    Rows of weights that are all 0 say nothing: the share is that of `otherwise`, the
    logarithms of class shares.
    """
    total = 0.0
    for i in range(len(q)):
        mass = 0.0
        for c in range(q.shape[1]):
            mass += q[i, c]
        own = otherwise[classes[i]]
        if mass > 0:
            share = q[i, classes[i]] / mass
            own = np.log(share) if share > 0 else least
        total += weight[i] * max(own, least)
    return total
