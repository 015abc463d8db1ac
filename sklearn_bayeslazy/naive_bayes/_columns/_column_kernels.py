"""Loops over cells that count, sum moments, and sum log likelihoods; NaN is missing."""

import math

import numpy as np

from ..._core._kernel import kernel

# Rows that are scored together, so that the innermost loop runs over rows.
ROWS_PER_TILE = 64
_LOG_2PI = math.log(2 * math.pi)


@kernel
def count_integers(block, classes, weight, counts, has_others):
    """Count the numbers 0 … K-1 by value; flag columns that hold any other number."""
    # One pass finds categories and counts: for the row "m-estimate fit, 10⁶ × 30
    # categorical" of DESIGN.md, section 5.
    # block: (n, d); counts: (K, d, C); has_others: (d,) bool. Values come first: the
    # counts of few values then lie together in the fastest cache.
    n_values = counts.shape[0]
    for i in range(block.shape[0]):
        c = np.uint64(classes[i])
        w = weight[i]
        for j in range(block.shape[1]):
            x = block[i, j]
            if 0 <= x < n_values and int(x) == x:
                counts[np.uint64(int(x)), np.uint64(j), c] += w
            elif x == x:
                has_others[j] = True


@kernel
def add_deviations(block, classes, weight, shift, n_missing, total, first, second):
    """Sum w, w (x - shift) and w (x - shift)² by (class, column)."""
    # block: (n, d); classes, weight: (n,); shift and the sums total, first, second:
    # (C, d); n_missing: (C,), the number of NaN in `shift` by class.
    # The first value of the class in the column replaces NaN in `shift`, which reduces
    # n_missing. The sums are allocated here: LLVM then knows that they overlap no other
    # array.
    n_classes, n_columns = shift.shape
    origin, linear = np.empty(shift.shape), np.zeros(shift.shape)
    square, weight_of_whole_rows = np.zeros(shift.shape), np.zeros(n_classes)
    for c in range(n_classes):
        for j in range(n_columns):
            origin[c, j] = shift[c, j]
    for i in range(block.shape[0]):
        c = np.uint64(classes[i])
        w = weight[i]
        if n_missing[c] > 0:
            for j in range(n_columns):
                x = block[i, j]
                if origin[c, j] != origin[c, j] and x == x:
                    origin[c, j] = x
                    n_missing[c] -= 1
        n_known = 0
        for j in range(n_columns):
            k = np.uint64(j)
            x = block[np.uint64(i), k]
            known = x == x
            n_known += known
            v = x - origin[c, k] if known else 0.0
            linear[c, k] += w * v
            square[c, k] += w * v * v
        if n_known == n_columns:
            weight_of_whole_rows[c] += w
        else:
            for j in range(n_columns):
                total[c, j] += w if block[i, j] == block[i, j] else 0.0
    for c in range(n_classes):
        for j in range(n_columns):
            shift[c, j] = origin[c, j]
            total[c, j] += weight_of_whole_rows[c]
            first[c, j] += linear[c, j]
            second[c, j] += square[c, j]


@kernel(fuse_products=True)
def add_gaussian(block, mean, scale, constant, first, last, out, column, sums):
    """Add constant - ((x - mean) · scale)² over columns to each row of `out`."""
    # block: (n, d); mean, scale (1 / (σ √2)), constant (-log(σ √2π)): (C, d); out:
    # (n, C). column: (ROWS_PER_TILE,), overwritten; sums: (C, ROWS_PER_TILE), must be
    # zeros.
    # For unsigned indices numba omits the test for negative ones.
    for top in range(0, block.shape[0], ROWS_PER_TILE):
        size = block.shape[0] - top
        size = ROWS_PER_TILE if size > ROWS_PER_TILE else size
        for j in range(first, last):
            for i in range(size):
                column[np.uint64(i)] = block[np.uint64(top + i), np.uint64(j)]
            for c in range(sums.shape[0]):
                mu = mean[c, j]
                s = scale[c, j]
                k = constant[c, j]
                for i in range(ROWS_PER_TILE):
                    x = column[np.uint64(i)]
                    z = (x - mu) * s
                    term = k - z * z if x == x else 0.0
                    sums[np.uint64(c), np.uint64(i)] += term
        for i in range(size):
            for c in range(sums.shape[0]):
                out[np.uint64(top + i), c] += sums[np.uint64(c), np.uint64(i)]
        for c in range(sums.shape[0]):
            for i in range(ROWS_PER_TILE):
                sums[np.uint64(c), np.uint64(i)] = 0.0


@kernel
def leave_gaussian_out(
    x, classes, reduced, now, ms, row_weight, added, floor, terms, before
):
    """Write the log density of numbers that are left out one by one."""
    # The prior is the mean and the variance of the whole column without the number. See
    # `pool_moments` and `gaussian_m_estimate` for the formulas.
    # x, classes: (n,); ms: (n_m,); terms: (n_m, n, C); before: (4,), overwritten.
    # reduced: (4, n), total weight, mean, its compensation and squared deviations of
    # each number's class without it; now: (4, C), the same of each class with all
    # numbers, overwritten and restored. row_weight: the weight of one row. `added` is
    # added to every variance; `floor` replaces a variance of 0.
    n_classes = terms.shape[2]
    for i in range(x.shape[0]):
        true_class = np.uint64(classes[i])
        for k in range(4):
            before[k] = now[k, true_class]
            now[k, true_class] = reduced[k, i]
        n = total = between = within = origin = 0.0
        for c in range(n_classes):
            within += now[3, c]
            if now[0, c] > 0:
                if n == 0:
                    origin = now[1, c]
                n += now[0, c]
                total += now[0, c] * ((now[1, c] - origin) + now[2, c])
        shift = total / n if n > 0 else 0.0
        for c in range(n_classes):
            if now[0, c] > 0:
                gap = (now[1, c] - origin) + now[2, c] - shift
                between += now[0, c] * gap * gap
        pooled = origin + shift
        pooled_compensation = (origin - pooled) + shift
        prior_variance = (between + within) / n
        for k in range(ms.shape[0]):
            m = ms[k]
            for c in range(n_classes):
                observed = now[0, c]
                weight = observed + m
                share = m / weight if weight > 0 else 1.0
                center, variance = pooled, prior_variance
                if observed > 0:
                    gap = (now[1, c] - pooled) + (now[2, c] - pooled_compensation)
                    center = (now[1, c] + now[2, c]) - share * gap
                    variance = now[3, c] + m * prior_variance
                    variance += observed * share * gap * gap
                elif m > 0:
                    variance = m * prior_variance
                if weight > 0:
                    variance /= weight - row_weight if weight > row_weight else weight
                variance += added
                if variance == 0:
                    variance = floor
                z = (x[i] - center) / math.sqrt(variance)
                terms[k, i, c] = -0.5 * (math.log(variance) + _LOG_2PI + z * z)
                if n == 0:
                    terms[k, i, c] = 0.0
        for k in range(4):
            now[k, true_class] = before[k]
