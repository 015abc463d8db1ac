"""Loops over the pairs of values of a row, for averaged one-dependence estimators.

`positions` (n, d) are the positions of the codes of all columns; a missing or unknown
cell has the position S after the last. `parents` (n, p) are the positions of the codes
of the super-parents among the codes of super-parents alone; T where missing.
"""

import numpy as np

from ..._core._kernel import inlined, kernel

# Products of probabilities are replaced by their logarithms below this.
_MIN_PRODUCT = 1e-150


@kernel
def add_one_dependence(positions, parents, log_prob, log_parent, naive, out):
    """Write the logarithm of Σ_i P(c, x_i) Π_j P(x_j | c, x_i) for each row."""
    # log_prob: (T + 1, S + 1, C), log P(value | class, super-parent's value), 0 for
    # missing values, C padded to a multiple of four. log_parent: (T + 1, C),
    # log P(class, super-parent's value), NaN where the value is too rare.
    # naive: (n, C), the joint log likelihoods of naive Bayes, for rows without
    # super-parents. out: (n, C).
    n_rows, n_classes = out.shape
    score = np.empty(log_prob.shape[2])
    n_used = np.zeros(n_rows, dtype=np.int64)
    largest = np.empty((n_rows, n_classes))
    total = np.empty((n_rows, n_classes))
    # The estimates of one super-parent stay in the cache while all rows read them.
    for k in range(parents.shape[1]):
        for i in range(n_rows):
            parent = np.uint64(parents[i, k])
            if log_parent[parent, 0] != log_parent[parent, 0]:
                continue
            _sum_columns(positions, i, parent, log_prob, score)
            for c in range(n_classes):
                score[c] += log_parent[parent, c]
            _add_exp(score, n_used[i], largest, total, i)
            n_used[i] += 1
    for i in range(n_rows):
        for c in range(n_classes):
            out[i, c] = naive[i, c]
            if n_used[i] > 0:
                out[i, c] = largest[i, c] + np.log(total[i, c])


@kernel
def leave_rows_out(rows, model, estimate, naive, out):
    """Write the scores of rows left out one by one, by number of super-parents."""
    # rows: (positions, parents, classes, removed). removed: (n,), the weight that is
    # taken from the counts of the row.
    # model: (counts, totals, parent_counts, parent_totals, sizes, columns). counts:
    # (T + 1, S + 1, C), counts of pairs; totals: (T + 1, d, C), their sums over the
    # values of each column; parent_counts: (T + 1, C), counts of the super-parents'
    # values; parent_totals: (p,), the total weight in which each super-parent is
    # observed; sizes: (d,), the number of values of each column; columns: (p,), the
    # column of each super-parent.
    # estimate: (log_prob, m, m_of_value, m_parent, min_count). log_prob:
    # log P(value | class, super-parent's value) with all rows, as in
    # `add_one_dependence`, or empty if it is to be computed from the counts; m,
    # m_of_value: (d,), virtual examples of each column and of each of its values;
    # m_parent: (p,), those of each super-parent; min_count: the least count of a
    # super-parent's value.
    # naive: (n, C), the joint log likelihoods of naive Bayes without the row. out:
    # (n, p, C), those with the first 1 … p super-parents.
    positions, parents, classes, removed = rows
    counts, totals, parent_counts, parent_totals, sizes, columns = model
    log_prob, m, m_of_value, m_parent, min_count = estimate
    n_rows, _, n_classes = out.shape
    score = np.empty(n_classes + 3)
    n_used = np.zeros(n_rows, dtype=np.int64)
    largest = np.empty((n_rows, n_classes))
    total = np.empty((n_rows, n_classes))
    # The counts of one super-parent stay in the cache while all rows read them.
    for k in range(parents.shape[1]):
        for i in range(n_rows):
            true_class = np.uint64(classes[i])
            parent = np.uint64(parents[i, k])
            frequency = -removed[i]
            for c in range(n_classes):
                frequency += parent_counts[parent, c]
            if parents[i, k] < counts.shape[0] - 1 and frequency >= min_count:
                n_values = sizes[columns[k]] * n_classes
                observed = parent_totals[k] - removed[i] + m_parent[k]
                if log_prob.size > 0:
                    _sum_columns(positions, i, parent, log_prob, score)
                for c in range(n_classes):
                    if c == true_class or log_prob.size == 0:
                        score[c] = _left_out_sum(
                            positions, i, parent, columns[k], c,
                            removed[i] if c == true_class else 0.0,
                            counts, totals, sizes, m, m_of_value,
                        )  # fmt: skip
                for c in range(n_classes):
                    count = parent_counts[parent, c]
                    if c == classes[i]:
                        count -= removed[i]
                        count = count if count > 0 else 0.0
                    score[c] += np.log((count + m_parent[k] / n_values) / observed)
                _add_exp(score, n_used[i], largest, total, i)
                n_used[i] += 1
            for c in range(n_classes):
                out[i, k, c] = naive[i, c]
                if n_used[i] > 0:
                    out[i, k, c] = largest[i, c] + np.log(total[i, c])


@inlined
def _sum_columns(positions, i, parent, log_prob, score):
    """Write log P(row | class, super-parent's value) of all classes, four at a time."""
    for c in range(0, log_prob.shape[2], 4):
        c0 = np.uint64(c)
        c1, c2, c3 = np.uint64(c + 1), np.uint64(c + 2), np.uint64(c + 3)
        s0 = s1 = s2 = s3 = 0.0
        for j in range(positions.shape[1]):
            position = np.uint64(positions[np.uint64(i), np.uint64(j)])
            s0 += log_prob[parent, position, c0]
            s1 += log_prob[parent, position, c1]
            s2 += log_prob[parent, position, c2]
            s3 += log_prob[parent, position, c3]
        score[c0], score[c1], score[c2], score[c3] = s0, s1, s2, s3


@inlined
def _left_out_sum(
    positions, i, parent, column, c, removed, counts, totals, sizes, m, m_of_value
):
    """Return log P(row | true class, super-parent's value) without the row."""
    missing = counts.shape[1] - 1
    total = 0.0
    product = 1.0
    for j in range(positions.shape[1]):
        position = positions[np.uint64(i), np.uint64(j)]
        if j != column and position != missing:
            count = counts[parent, np.uint64(position), c] - removed
            count = count if count > 0 else 0.0
            observed = totals[parent, np.uint64(j), c] - removed
            observed = observed if observed > 0 else 0.0
            if observed + m[j] > 0:
                product *= (count + m_of_value[j]) / (observed + m[j])
            else:
                product /= sizes[j]
            if product < _MIN_PRODUCT:
                total += np.log(product)
                product = 1.0
    return total + np.log(product)


@inlined
def _add_exp(score, n_used, largest, total, i):
    """Add e^score to the sums ``total[i] · e^largest[i]`` of each class."""
    for c in range(total.shape[1]):
        if n_used == 0 or largest[i, c] == -np.inf:
            largest[i, c] = score[c]
            total[i, c] = 1.0
        elif score[c] > largest[i, c]:
            total[i, c] = total[i, c] * np.exp(largest[i, c] - score[c]) + 1.0
            largest[i, c] = score[c]
        else:
            total[i, c] += np.exp(score[c] - largest[i, c])
