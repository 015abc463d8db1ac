"""Numba kernels of the leave-one-out score: tables and class weights without a row."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel

# A smaller share of a sum of weights is rounding error of a subtraction.
ROUNDING = 1e-12
NO_NODE = -1


class ScoredRows(NamedTuple):
    """Rows in an order in which those that are left out one by one come first."""

    codes: np.ndarray  # (n_nodes, n_rows), int32; below 0 where a value is missing
    classes: np.ndarray  # (n_rows,)
    weight: np.ndarray  # (n_rows,); the rows that are left out are sorted by it
    removed: np.ndarray  # (n_left_out,), the weights of the rows that are left out
    removed_alike: bool  # whether these are all equal
    # (n_classes,), the logarithms of the classes' shares where all class weights of a
    # row are 0.
    log_prior: np.ndarray
    min_log_share: float  # the lowest logarithm of the share of a class


class Family(NamedTuple):
    """A family that contains the class."""

    # (n_rows,), int32: the cell of the values of the parents other than the class.
    # Below 0 where one of the family's values is missing: such rows skip the family.
    parent_cells: np.ndarray
    values: np.ndarray  # (n_rows,), int32: those of the node; 0 if it is the class
    n_cells: int  # the number of combinations of the parents other than the class
    n_values: int  # of the node; 1 if it is the class
    is_class: bool  # whether the node is the class
    m: float  # virtual examples of each combination of the parents' values
    m_is_shared: bool  # whether a further parent divides m by its number of values
    # (K,), the total weight of each of the node's values, by which virtual examples are
    # distributed. If all are 0, each value has the same share.
    marginal: np.ndarray


class FamilyCounts(NamedTuple):
    """The counts of a family, perhaps with one more parent, in all rows."""

    counts: np.ndarray  # (n_cells, n_classes); the node's value varies fastest
    # (n_cells / n_values, n_classes): sums over the node's values. If the node is the
    # class, each row repeats the sum over the classes.
    totals: np.ndarray
    m: float  # as in `Family`


# The kernels below read the fields of a NamedTuple before their loops: to read them in
# the loops takes several times longer.


@inlined
def estimate_without_row(
    count, total, in_marginal, removed, is_true_class, is_class, m, p, marginal_total
):
    """Return the m-estimate of a node's value given its parents', without a row."""
    # count, total, in_marginal: the weights of all rows with the family's values; with
    # the parents' values; and with the node's value.
    # removed: the weight of the row that is removed; it has these values of the
    # columns. is_true_class: whether it also has the class.
    # is_class, m: as in `Family`. marginal_total: the sum of the marginal; p: the share
    # of virtual examples of each value if that is 0.
    if marginal_total - removed > ROUNDING * marginal_total:
        left = in_marginal
        if is_true_class or not is_class:
            left = max(in_marginal - removed, 0.0)
        p = left / (marginal_total - removed)
    left = total - removed if is_true_class or is_class else total
    if left <= ROUNDING * total:
        left = 0.0
    estimate = p
    if left + m > 0:
        seen = max(count - removed, 0.0) if is_true_class else count
        estimate = ((seen if left > 0 else 0.0) + m * p) / (left + m)
    return estimate


@kernel(only_in_kernels=True)
def count_with_class(family, more, size, rows, cells):
    """Return the counts of a family with one more parent, and find each row's cell."""
    # It counts here because its callers need the cell of each row, too: for the row
    # "structure by leave-one-out, 2 500 × 60" of DESIGN.md, section 5.
    # more: the further parent, or NO_NODE; size: its number of values, 1 for none.
    # cells: (n_rows,), int32, is overwritten by the cell of each row, below 0 where a
    # value is missing.
    n_values, n_classes = family.n_values, len(rows.log_prior)
    parent_cells, values = family.parent_cells, family.values
    if more == NO_NODE:
        for i in range(len(cells)):
            cell = np.int32(parent_cells[i] * n_values + values[i])
            cells[i] = cell if parent_cells[i] >= 0 else -1
    else:
        column = rows.codes[more]
        for i in range(len(cells)):
            combination = np.int32(parent_cells[i] * size + column[i])
            cell = np.int32(combination * n_values + values[i])
            cells[i] = cell if parent_cells[i] >= 0 and column[i] >= 0 else -1
    n_combinations = family.n_cells * size
    counts = np.zeros((n_combinations * n_values, n_classes))
    classes, weight = rows.classes, rows.weight
    for i in range(len(cells)):
        if cells[i] >= 0:
            counts[cells[i], classes[i]] += weight[i]
    totals = np.zeros((n_combinations, n_classes))
    for combination in range(n_combinations):
        for k in range(n_values):
            for c in range(n_classes):
                totals[combination, c] += counts[combination * n_values + k, c]
        if family.is_class:
            totals[combination, :] = totals[combination].sum()
    m = family.m / size if family.m_is_shared else family.m
    return FamilyCounts(counts, totals, m)


@kernel
def family_factor(family, rows):
    """Return the factor of each row's class weights by a table without the row."""
    # Returns (n_left_out, n_classes); 1 where a value of the family is missing.
    cells = np.empty(len(rows.classes), np.int32)
    counted = count_with_class(family, np.int64(NO_NODE), np.int64(1), rows, cells)
    factor = np.empty((len(rows.removed), counted.counts.shape[1]))
    _estimate_by_row(family, counted, cells, rows, factor)
    return factor


@kernel(only_in_kernels=True)
def _estimate_by_row(family, counted, cells, rows, factor):
    """Write the estimates without each row; 1 where a value is missing."""
    counts, totals, m = counted
    n_values, is_class, marginal = family.n_values, family.is_class, family.marginal
    p, marginal_total = 1.0 / len(marginal), marginal.sum()
    classes, removed = rows.classes, rows.removed
    for i in range(len(factor)):
        combination, k = divmod(cells[i], n_values)
        for c in range(factor.shape[1]):
            factor[i, c] = 1.0
            if cells[i] >= 0:
                factor[i, c] = estimate_without_row(
                    counts[cells[i], c],
                    totals[combination, c],
                    marginal[c if is_class else k],
                    removed[i],
                    c == classes[i],
                    is_class,
                    m,
                    p,
                    marginal_total,
                )


# Numba kernels of the leave-one-out score: class weights of rows, and their shares.


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
    true, others, factor = np.empty(n), np.empty(n), np.empty(class_weights.shape)
    scores = np.empty(len(further_parents))
    for j in range(len(further_parents)):
        more = further_parents[j]
        size = 1 if more == NO_NODE else sizes[more]
        counted = count_with_class(family, more, size, rows, cells)
        if rows.removed_alike and len(counted.counts) < n:
            _weigh_by_tables(
                family, counted, cells, rows, true_weight, other_weights, true, others
            )
        else:
            _estimate_by_row(family, counted, cells, rows, factor)
            for i in range(n):
                true[i], others[i] = true_weight[i] * factor[i, rows.classes[i]], 0.0
                for c in range(factor.shape[1]):
                    others[i] += other_weights[i, c] * factor[i, c]
        scores[j] = sum_of_logarithms(true, others, rows)
    return scores


@kernel(only_in_kernels=True)
def _weigh_by_tables(
    family, counted, cells, rows, true_weight, other_weights, true, others
):
    """Multiply class weights by estimates that are computed once for each cell."""
    # By row it takes 2.5 times as long: for the row "hill climbing by the leave-one-out
    # log loss of the class" of doc/benchmarks.md. Both give the same bits.
    counts, totals, m = counted
    n_values, is_class, marginal = family.n_values, family.is_class, family.marginal
    p, marginal_total = 1.0 / len(marginal), marginal.sum()
    n_cells, n_classes = counts.shape
    # By whether the row has the class. The last row is of rows without a value.
    estimates = np.ones((2, n_cells + 1, n_classes))
    classes, removed = rows.classes, rows.removed[0]
    for cell in range(n_cells):
        combination, k = divmod(cell, n_values)
        for c in range(n_classes):
            for is_true_class in range(2):
                estimates[is_true_class, cell, c] = estimate_without_row(
                    counts[cell, c],
                    totals[combination, c],
                    marginal[c if is_class else k],
                    removed,
                    is_true_class == 1,
                    is_class,
                    m,
                    p,
                    marginal_total,
                )
    if_other, if_true = estimates[0], estimates[1]
    for i in range(len(true)):
        cell, total = cells[i] if cells[i] >= 0 else n_cells, 0.0
        true[i] = true_weight[i] * if_true[cell, classes[i]]
        for c in range(n_classes):
            total += other_weights[i, c] * if_other[cell, c]
        others[i] = total
