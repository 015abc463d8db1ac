"""The loop over rows of a log-linear model: log loss, gradient, Hessian products.

The score of a class is a fixed number, its class offset, Σ_f weight_f term_f, and the
value offset of each code.
"""

import numpy as np

from .._core._kernel import kernel


@kernel(reorder_sums=True, fuse_products=True)
def add_derivatives(rows, parameters, is_gradient, first, last, proba, sums, score):
    """Add the gradient of the log loss, or a Hessian product; return the loss."""
    # One kernel does both, because two would take twice as long to compile.
    # terms: (n, C, F); fixed: (n, C); positions: (n, d), rows of value_offset; classes,
    # weight: (n,). parameters, and sums with the same shapes: (F,), (C,), (S, C); for a
    # product the parameters are the direction. first, last: the rows of the block.
    # proba: (n, C), P(class | row), written with the gradient and read for a product.
    # score: (C,), overwritten.
    terms, fixed, positions, classes, weight = rows
    weights, class_offset, value_offset = parameters
    by_term, by_class, by_value = sums
    n_classes = score.shape[0]
    loss = 0.0
    for i in range(first, last):
        if weight[i] == 0:
            for c in range(n_classes):
                proba[i, c] = 0.0
            continue
        for c in range(n_classes):
            score[c] = fixed[i, c] if is_gradient else 0.0
        for c in range(n_classes):
            total = 0.0
            for f in range(weights.shape[0]):
                total += weights[f] * terms[i, c, f]
            score[c] += class_offset[c] + total
        for j in range(positions.shape[1]):
            position = np.uint64(positions[i, j])
            for c in range(n_classes):
                score[c] += value_offset[position, c]
        # From here on `score` is the derivative of the loss with respect to the scores.
        if is_gradient:
            largest = score[0]
            for c in range(1, n_classes):
                largest = score[c] if score[c] > largest else largest
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
        else:
            mean = 0.0
            for c in range(n_classes):
                mean += proba[i, c] * score[c]
            for c in range(n_classes):
                score[c] = weight[i] * proba[i, c] * (score[c] - mean)
        for c in range(n_classes):
            by_class[c] += score[c]
            for f in range(by_term.shape[0]):
                by_term[f] += score[c] * terms[i, c, f]
        for j in range(positions.shape[1]):
            position = np.uint64(positions[i, j])
            for c in range(n_classes):
                by_value[position, c] += score[c]
    return loss
