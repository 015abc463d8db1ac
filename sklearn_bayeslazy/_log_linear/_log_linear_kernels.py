"""Loops over rows of a log-linear model: log loss, gradient, Hessian products.

The score of a class is a fixed number, its class offset, Σ_f weight_f term_f, and the
value offset of each code. In all kernels `terms` has the shape (n, C, F), `positions`
(n, d) are rows of `value_offset` (S, C), and results are added to `by_term` (F,),
`by_class` (C,) and `by_value` (S, C).
"""

import numpy as np

from .._kernel import inlined, kernel


@inlined
def _score_row(terms, positions, i, weights, class_offset, value_offset, score):
    """Add the parts of the score of row i that depend on the parameters."""
    for c in range(score.shape[0]):
        total = 0.0
        for f in range(weights.shape[0]):
            total += weights[f] * terms[i, c, f]
        score[c] += class_offset[c] + total
    for j in range(positions.shape[1]):
        position = np.uint64(positions[i, j])
        for c in range(score.shape[0]):
            score[c] += value_offset[position, c]


@inlined
def _add_row(terms, positions, i, factor, by_term, by_class, by_value):
    """Add the gradient of Σ_c factor_c · score_c."""
    for c in range(factor.shape[0]):
        by_class[c] += factor[c]
        for f in range(by_term.shape[0]):
            by_term[f] += factor[c] * terms[i, c, f]
    for j in range(positions.shape[1]):
        position = np.uint64(positions[i, j])
        for c in range(factor.shape[0]):
            by_value[position, c] += factor[c]


@kernel(reorder_sums=True, fuse_products=True)
def add_gradient(rows, parameters, first, last, proba, gradient):
    """Write P(class | row), add the gradient of the log loss; return the log loss.

    Parameters
    ----------
    rows : (terms, fixed, positions, classes, weight)
    parameters : (weights, class_offset, value_offset)
    first, last : int
        The rows of the block.
    proba : (n, C)
    gradient : (by_term, by_class, by_value)
    """
    terms, fixed, positions, classes, weight = rows
    weights, class_offset, value_offset = parameters
    by_term, by_class, by_value = gradient
    n_classes = fixed.shape[1]
    score = np.empty(n_classes)
    loss = 0.0
    for i in range(first, last):
        if weight[i] == 0:
            proba[i] = 0.0
            continue
        for c in range(n_classes):
            score[c] = fixed[i, c]
        _score_row(terms, positions, i, weights, class_offset, value_offset, score)
        largest = score[0]
        for c in range(1, n_classes):
            largest = max(largest, score[c])
        total = 0.0
        true_score = score[classes[i]] - largest
        for c in range(n_classes):
            score[c] = np.exp(score[c] - largest)
            total += score[c]
        loss += weight[i] * (np.log(total) - true_score)
        for c in range(n_classes):
            proba[i, c] = score[c] / total
            score[c] = weight[i] * proba[i, c]
        score[classes[i]] -= weight[i]
        _add_row(terms, positions, i, score, by_term, by_class, by_value)
    return loss


@kernel(reorder_sums=True, fuse_products=True)
def add_hessian_product(rows, parameters, first, last, proba, product):
    """Add the product of the Hessian of the log loss and a direction.

    The direction has the form of `parameters` in :func:`add_gradient`, the product that
    of the gradient.
    """
    terms, _, positions, _, weight = rows
    weights, class_offset, value_offset = parameters
    by_term, by_class, by_value = product
    n_classes = proba.shape[1]
    score = np.empty(n_classes)
    for i in range(first, last):
        if weight[i] == 0:
            continue
        for c in range(n_classes):
            score[c] = 0.0
        _score_row(terms, positions, i, weights, class_offset, value_offset, score)
        mean = 0.0
        for c in range(n_classes):
            mean += proba[i, c] * score[c]
        for c in range(n_classes):
            score[c] = weight[i] * proba[i, c] * (score[c] - mean)
        _add_row(terms, positions, i, score, by_term, by_class, by_value)


@kernel
def row_hashes(positions):
    """Return a hash of each row of codes: equal rows have equal hashes."""
    hashes = np.empty(positions.shape[0], dtype=np.uint64)
    for i in range(positions.shape[0]):
        h = np.uint64(0x9E3779B97F4A7C15)
        for j in range(positions.shape[1]):
            # The finaliser of SplitMix64 (Steele, Lea & Flood 2014).
            h = h * np.uint64(0x100000001B3) + np.uint64(positions[i, j] + 1)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h = h ^ (h >> np.uint64(31))
        hashes[i] = h
    return hashes
