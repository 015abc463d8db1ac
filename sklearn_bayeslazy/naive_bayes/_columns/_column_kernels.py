"""Loops over cells that count, sum moments, and sum log likelihoods.

A code below 0 is a missing or unknown value, and NaN is a missing number. Counts and
products skip both, cell by cell.
"""

import math

import numpy as np

from ..._kernel import copy_numbers, inlined, kernel

# Rows that are scored together, so that the innermost loop runs over rows.
_ROWS_PER_TILE = 64
_LOG_2PI = math.log(2 * math.pi)


@kernel
def count_codes(codes, classes, weight, start, counts):
    """Add the weight of each cell to the count of its (code, class).

    Shapes: codes (n, d); classes, weight (n,); start (d + 1,); counts (S, C).
    """
    for i in range(codes.shape[0]):
        c = classes[i]
        w = weight[i]
        for j in range(codes.shape[1]):
            if codes[i, j] >= 0:
                counts[start[j] + codes[i, j], c] += w


@kernel
def count_integers(block, classes, weight, counts, has_others):
    """Count the numbers 0 … K-1 by value; flag columns that hold any other number.

    Shapes: block (n, d); counts (K, d, C); has_others (d,) bool. Values come first:
    the counts of few values then lie together in the fastest cache.
    """
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
def add_log_probs(positions, log_prob, first, last, out):
    """Add log P(code | class) over columns first … last - 1 to each row of `out`.

    `positions` (n, d) are the rows of `log_prob` of each cell's code; missing cells
    have a row of zeros. The number of columns of `log_prob` is that of the classes,
    rounded up to a multiple of four: the sums of four classes stay in registers.
    """
    n_classes = out.shape[1]
    for i in range(positions.shape[0]):
        for c in range(0, n_classes, 4):
            c0 = np.uint64(c)
            c1, c2, c3 = np.uint64(c + 1), np.uint64(c + 2), np.uint64(c + 3)
            s0 = s1 = s2 = s3 = 0.0
            for j in range(first, last):
                position = np.uint64(positions[np.uint64(i), np.uint64(j)])
                s0 += log_prob[position, c0]
                s1 += log_prob[position, c1]
                s2 += log_prob[position, c2]
                s3 += log_prob[position, c3]
            out[i, c] += s0
            if c + 1 < n_classes:
                out[i, c + 1] += s1
            if c + 2 < n_classes:
                out[i, c + 2] += s2
            if c + 3 < n_classes:
                out[i, c + 3] += s3


@kernel
def true_class_sums(positions, classes, log_prob):
    """Return the sum of log P(code | class) of each row for its true class only."""
    sums = np.empty(positions.shape[0])
    for i in range(positions.shape[0]):
        c = np.uint64(classes[i])
        total = 0.0
        for j in range(positions.shape[1]):
            total += log_prob[np.uint64(positions[np.uint64(i), np.uint64(j)]), c]
        sums[i] = total
    return sums


@kernel
def add_weighted_sums(block, classes, weight, observed, total):
    """Sum w and w x by (class, column); return the least and the largest x."""
    low, high = 0.0, 0.0
    for i in range(block.shape[0]):
        c = classes[i]
        w = weight[i]
        for j in range(block.shape[1]):
            x = block[i, j]
            if x == x:
                observed[c, j] += w
                total[c, j] += w * x
                low, high = min(low, x), max(high, x)
    return low, high


@kernel
def add_moments(block, classes, weight, observed, mean, compensation, ss):
    """Merge a block into total weight, mean and squared deviations by (class, column).

    Within the block, deviations are taken from the mean so far, at first from the
    first value. This keeps digits that the textbook's Σx² - (Σx)²/n loses: what cancels
    is never larger than what the merge (Chan, Golub & LeVeque 1983) adds. The rounding
    error of the mean is kept in `compensation`; without it the last digits of the
    variance would depend on where the batches end.
    """
    n_classes, n_columns = mean.shape
    shift = mean.copy()
    for c in range(n_classes):
        for j in range(n_columns):
            if observed[c, j] == 0:
                shift[c, j] = np.nan
    _fill_with_first_values(block, classes, shift)
    s0 = np.zeros((n_classes, n_columns))
    s1 = np.zeros((n_classes, n_columns))
    s2 = np.zeros((n_classes, n_columns))
    for i in range(block.shape[0]):
        c = classes[i]
        w = weight[i]
        for j in range(n_columns):
            x = block[i, j]
            known = x == x
            v = x - shift[c, j] if known else 0.0
            u = w if known else 0.0
            s0[c, j] += u
            s1[c, j] += u * v
            s2[c, j] += u * v * v
    for c in range(n_classes):
        for j in range(n_columns):
            n = observed[c, j]
            if s0[c, j] > 0:
                offset = s1[c, j] / s0[c, j]
                within = max(s2[c, j] - s1[c, j] * offset, 0.0)
                gap = offset - compensation[c, j]
                share = s0[c, j] / (n + s0[c, j])
                ss[c, j] += within + gap * gap * n * share
                moved = compensation[c, j] + gap * share
                mean[c, j] = shift[c, j] + moved
                compensation[c, j] = (shift[c, j] - mean[c, j]) + moved
                observed[c, j] = n + s0[c, j]


@kernel(only_in_kernels=True)
def _fill_with_first_values(block, classes, shift):
    """Replace each NaN of `shift` by the first value of that class and column."""
    n_classes, n_columns = shift.shape
    n_missing = np.zeros(n_classes, dtype=np.int64)
    for c in range(n_classes):
        for j in range(n_columns):
            n_missing[c] += shift[c, j] != shift[c, j]
    for i in range(block.shape[0]):
        c = classes[i]
        if n_missing[c] > 0:
            for j in range(n_columns):
                x = block[i, j]
                if shift[c, j] != shift[c, j] and x == x:
                    shift[c, j] = x
                    n_missing[c] -= 1


@kernel
def add_gaussian(block, mean, scale, constant, first, last, out):
    """Add constant - ((x - mean) · scale)² / 2 over columns to each row of `out`.

    Shapes: block (n, d); mean, scale (1/σ), constant (-log(σ √2π)) (C, d).
    """
    n_classes = out.shape[1]
    column = np.empty(_ROWS_PER_TILE)
    sums = np.empty((n_classes, _ROWS_PER_TILE))
    for top in range(0, block.shape[0], _ROWS_PER_TILE):
        size = min(_ROWS_PER_TILE, block.shape[0] - top)
        sums[:] = 0.0
        column[:] = np.nan
        for j in range(first, last):
            for i in range(size):
                column[i] = block[top + i, j]
            for c in range(n_classes):
                mu = mean[c, j]
                s = scale[c, j]
                k = constant[c, j]
                for i in range(_ROWS_PER_TILE):
                    x = column[i]
                    z = (x - mu) * s
                    sums[c, i] += k - 0.5 * z * z if x == x else 0.0
        for i in range(size):
            for c in range(n_classes):
                out[top + i, c] += sums[c, i]


@kernel
def leave_gaussian_out(x, classes, reduced, statistics, m, added, floor, terms):
    """Write the log density of numbers that are left out one by one.

    The prior is the mean and the variance of the whole column without the number. See
    `pool_moments` and `gaussian_m_estimate` for the formulas.

    Parameters
    ----------
    x, classes : (n,)
    reduced : (4, n)
        Total weight, mean, its compensation and squared deviations of each number's
        class without it.
    statistics : (4, C)
        The same of each class with all numbers.
    m : float
    added, floor : float
        Added to every variance, and the variance in place of 0.
    terms : (n, C)
    """
    now = statistics.copy()
    for i in range(x.shape[0]):
        copy_numbers(reduced[:, i], now[:, classes[i]])
        observed, mean, compensation, ss = now
        n, pooled, pooled_compensation, pooled_ss = _pool(observed, mean, compensation)
        prior_variance = (pooled_ss + ss.sum()) / n
        for c in range(terms.shape[1]):
            weight = observed[c] + m
            share = m / weight if weight > 0 else 1.0
            center, variance = pooled, prior_variance
            if observed[c] > 0:
                gap = (mean[c] - pooled) + (compensation[c] - pooled_compensation)
                center = (mean[c] + compensation[c]) - share * gap
                variance = ss[c] + m * prior_variance + observed[c] * share * gap * gap
                variance /= weight - 1 if weight > 1 else weight
            elif m > 0:
                variance = m * prior_variance / (m - 1 if m > 1 else m)
            variance += added
            if variance == 0:
                variance = floor
            z = (x[i] - center) / math.sqrt(variance)
            terms[i, c] = -0.5 * (math.log(variance) + _LOG_2PI + z * z)
            if n == 0:
                terms[i, c] = 0.0
        copy_numbers(statistics[:, classes[i]], now[:, classes[i]])


@inlined
def _pool(observed, mean, compensation):
    """Return n, the mean, its compensation and Σ n (mean - pooled mean)² of classes."""
    n = total = between = origin = 0.0
    for c in range(observed.shape[0]):
        if observed[c] > 0:
            if n == 0:
                origin = mean[c]
            n += observed[c]
            total += observed[c] * ((mean[c] - origin) + compensation[c])
    shift = total / n if n > 0 else 0.0
    for c in range(observed.shape[0]):
        if observed[c] > 0:
            gap = (mean[c] - origin) + compensation[c] - shift
            between += observed[c] * gap * gap
    pooled = origin + shift
    return n, pooled, (origin - pooled) + shift, between


@kernel
def add_poisson(block, rate, log_rate, first, last, out):
    """Add x log λ - λ - log x! over columns to rows; return the least and largest x.

    Shapes: block (n, d); rate, log_rate (d, C), log_rate -inf where the rate is 0.
    A column whose rate is NaN has never been observed and adds nothing.
    """
    low, high = 0.0, 0.0
    for i in range(block.shape[0]):
        for j in range(first, last):
            x = block[i, j]
            if x == x and rate[j, 0] == rate[j, 0]:
                low, high = min(low, x), max(high, x)
                log_factorial = math.lgamma(x + 1) if x > 0 else 0.0
                for c in range(out.shape[1]):
                    if x > 0:
                        out[i, c] += x * log_rate[j, c] - log_factorial
                    out[i, c] -= rate[j, c]
    return low, high
