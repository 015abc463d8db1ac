"""Numba kernels of the leave-one-out score: class weights of rows, and their shares."""

import numpy as np

from ..._core._kernel import kernel
from ._left_out_score_kernels import NO_NODE, count_with_class, estimate_without_row

# Class weights of which none is larger are scaled.
MIN_LARGEST_WEIGHT = 1e-100
# This number of shares is multiplied before the logarithm is taken. Each share is at
# least 2e-16, so their product does not underflow.
SHARES_PER_LOGARITHM = 16


@kernel
def multiply_and_scale(factor, class_weights):
    """Multiply rows by factors; divide rows of tiny weights by the largest one."""
    n_classes = class_weights.shape[1]
    for i in range(len(class_weights)):
        largest = 0.0
        for c in range(n_classes):
            class_weights[i, c] *= factor[i, c]
            largest = max(largest, class_weights[i, c])
        if 0 < largest < MIN_LARGEST_WEIGHT:
            for c in range(n_classes):
                class_weights[i, c] /= largest


@kernel(only_in_kernels=True)
def sum_of_logarithms(true, others, rows):
    """Return Σ w ln(share of the true class), each at least `rows.min_log_share`."""
    # true: (n_left_out,), the weight of each row's true class; others: (n_left_out,),
    # the total weight of its other classes.
    classes, weight, log_prior = rows.classes, rows.weight, rows.log_prior
    min_share = np.exp(rows.min_log_share)
    total, product, n_shares = 0.0, 1.0, 0
    for i in range(len(true)):
        # One logarithm serves several rows of the same weight.
        is_new_weight = i > 0 and weight[i] != weight[i - 1]
        if n_shares == SHARES_PER_LOGARITHM or is_new_weight:
            total += weight[i - 1] * np.log(product)
            product, n_shares = 1.0, 0
        row_total = true[i] + others[i]
        log_if_all_0 = log_prior[classes[i]]
        share = true[i] / row_total if row_total > 0 else np.exp(log_if_all_0)
        product *= max(share, min_share)
        n_shares += 1
    if n_shares > 0:
        total += weight[len(true) - 1] * np.log(product)
    return total


@kernel
def log_likelihood(class_weights, rows):
    """Return the score of the class weights; see `sum_of_logarithms`."""
    true, others = np.zeros(len(class_weights)), np.zeros(len(class_weights))
    for i in range(len(class_weights)):
        for c in range(class_weights.shape[1]):
            if c == rows.classes[i]:
                true[i] = class_weights[i, c]
            else:
                others[i] += class_weights[i, c]
    return sum_of_logarithms(true, others, rows)


@kernel
def log_likelihoods(
    family, further_parents, sizes, rows, class_weights, replaced_factor
):
    """Return the score for each parent that is added to a family."""
    # further_parents: (n_candidates,), NO_NODE for none; sizes: (n_nodes,), the number
    # of values of each node. Returns (n_candidates,).
    # class_weights, replaced_factor: (n_left_out, n_classes). The product of the
    # factors of the other families is class_weights / replaced_factor.
    n = len(class_weights)
    true_weight, other_weights = np.empty(n), np.empty(class_weights.shape)
    for i in range(n):
        for c in range(class_weights.shape[1]):
            other_weights[i, c] = class_weights[i, c] / replaced_factor[i, c]
        true_weight[i] = other_weights[i, rows.classes[i]]
        other_weights[i, rows.classes[i]] = 0.0
    cells = np.empty(len(rows.classes), np.int32)
    true, others = np.empty(n), np.empty(n)
    scores = np.empty(len(further_parents))
    for j in range(len(further_parents)):
        more = further_parents[j]
        size = 1 if more == NO_NODE else sizes[more]
        counted = count_with_class(family, more, size, rows, cells)
        if rows.removed_alike and len(counted.counts) < n:
            _weigh_by_tables(
                counted, cells, rows, true_weight, other_weights, true, others
            )
        else:
            _weigh_row_by_row(
                counted, cells, rows, true_weight, other_weights, true, others
            )
        scores[j] = sum_of_logarithms(true, others, rows)
    return scores


@kernel(only_in_kernels=True)
def _weigh_by_tables(family, cells, rows, true_weight, other_weights, true, others):
    """Multiply class weights by estimates that are computed once for each cell."""
    counts, totals, n_values, is_class, m, marginal, p, marginal_total = family
    n_cells, n_classes = counts.shape
    if_true, if_other = np.empty((n_cells, n_classes)), np.empty((n_cells, n_classes))
    classes, removed = rows.classes, rows.removed[0]
    for cell in range(n_cells):
        combination, k = divmod(cell, n_values)
        for c in range(n_classes):
            count, total = counts[cell, c], totals[combination, c]
            in_marginal = marginal[c if is_class else k]
            if_true[cell, c] = estimate_without_row(
                count, total, in_marginal, removed, True, is_class, m, p, marginal_total
            )
            if_other[cell, c] = estimate_without_row(
                count,
                total,
                in_marginal,
                removed,
                False,
                is_class,
                m,
                p,
                marginal_total,
            )
    for i in range(len(true)):
        cell, total = cells[i], 0.0
        if cell >= 0:
            true[i] = true_weight[i] * if_true[cell, classes[i]]
            for c in range(n_classes):
                total += other_weights[i, c] * if_other[cell, c]
        else:
            true[i] = true_weight[i]
            for c in range(n_classes):
                total += other_weights[i, c]
        others[i] = total


@kernel(only_in_kernels=True)
def _weigh_row_by_row(family, cells, rows, true_weight, other_weights, true, others):
    """Multiply class weights by estimates that are computed for each row."""
    counts, totals, n_values, is_class, m, marginal, p, marginal_total = family
    classes, removed = rows.classes, rows.removed
    for i in range(len(true)):
        true[i], cell, others[i] = true_weight[i], cells[i], 0.0
        combination, k = divmod(cell, n_values)
        for c in range(counts.shape[1]):
            estimate = 1.0
            if cell >= 0:
                estimate = estimate_without_row(
                    counts[cell, c],
                    totals[combination, c],
                    marginal[c if is_class else k],
                    removed[i],
                    c == classes[i],
                    is_class,
                    m,
                    p,
                    marginal_total,
                )
            others[i] += other_weights[i, c] * estimate
            if c == classes[i]:
                true[i] *= estimate
