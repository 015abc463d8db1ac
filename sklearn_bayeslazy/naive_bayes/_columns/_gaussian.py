"""Columns of real numbers: Gaussians with m-estimates of mean and variance."""

import copy
import math

import numpy as np

from ..._core._kernel import frozen, kernel
from ._batch import label_arrays
from ._column_distribution import MIN_SAFE_RATIO, NumericColumns
from ._m_estimates import gaussian_m_estimate, gaussian_terms, pool_moments

# This share of the largest variance replaces a variance of zero.
_FLOOR = 1e-9
_LOG_2PI = math.log(2 * math.pi)
# Rows that are scored together, so that the innermost loop runs over rows.
ROWS_PER_TILE = 64


class GaussianColumns(NumericColumns):
    """Real numbers with a normal density in each class."""

    # observed, mean, compensation, ss: (n_classes, n_columns), the total weight of the
    # observed cells, their mean and its rounding error (the compensation, as in Kahan's
    # summation), Σ (x - mean)².
    # theta, variance: (n_classes, n_columns), the m-estimates, after `estimate`; NaN
    # where no cell was ever observed.
    # largest: the largest variance among the columns, of all classes together. Leaving
    # a row out does not change it.

    statistics = ("observed", "mean", "compensation", "ss")
    # _terms: (3, n_classes, n_columns), those of the log density.
    estimates = ("theta", "variance", "_terms")

    def __init__(self, columns, names, var_smoothing=0.0, row_weight=1.0):
        super().__init__(columns, names)
        self.var_smoothing = var_smoothing
        self.row_weight = row_weight  # that of one row

    def sums(self, batch):
        """Return total weight, mean and squared deviations of the batch."""
        shape = batch.n_classes, len(self.columns)
        moments = np.zeros((len(self.statistics), *shape))
        classes, weight = label_arrays(batch)
        for rows in batch.table.block_rows():
            block = batch.table.numbers(self.columns, rows, allow_infinity=True)
            block = frozen(block, np.float64)
            _add_moments(block, classes[rows], weight[rows], moments)
        if not np.isfinite(moments[-1]).all():  # an infinite number, or an overflow
            batch.table.check_finite(self.columns)
        return list(moments)

    def add(self, sums, more):
        """Return the moments of two batches together (Chan, Golub & LeVeque 1983)."""
        return pool_moments(*(np.stack(pair, axis=-1) for pair in zip(sums, more)))

    def with_statistics(self, sums):
        """Refuse variances that overflow, and keep the largest."""
        group = super().with_statistics(sums)
        variances = group._variances()
        overflow = ~np.isfinite(variances)
        if overflow.any():
            name = self.names[self.columns[np.flatnonzero(overflow)[0]]]
            raise ValueError(
                f"The numbers in column {name!r} are too large: their variance "
                "overflows float64. Rescale the column, or choose "
                "distribution='quantized' for it."
            )
        group.largest = np.max(variances, initial=0.0)
        return group

    def apart(self):
        """Return the columns, the largest variance of each being its own."""
        group = copy.copy(self)
        group.largest = self._variances()[:, None]
        return group

    def _variances(self):
        """Return the variance of each column, of all classes together; 0 if unknown."""
        observed, _, _, ss = pool_moments(*(values.T for values in self._values()))
        with np.errstate(invalid="ignore"):
            return np.where(observed > 0, ss / observed, 0.0)

    def with_var_smoothing(self, share):
        """Return a copy that adds another share of the largest variance."""
        group = copy.copy(self)
        group.var_smoothing = share
        return group

    @property
    def added(self):
        """The constant that is added to every variance."""
        return self.var_smoothing * self.largest

    @property
    def floor(self):
        """The number that replaces a variance of zero."""
        return _FLOOR * np.where(self.largest > 0, self.largest, 1.0)

    def estimate(self, m, priors):
        """Set `theta` and `variance` to the m-estimates."""
        self.theta, self.variance = self.estimate_columns(m, priors)
        unobserved = np.isnan(self.theta)
        self.refuse_overflow((unobserved | np.isfinite(self.variance)).all(axis=0))
        # A column that was never observed has NaN estimates; zeros make it add 0.
        self._terms = np.nan_to_num(gaussian_terms(self.theta, self.variance))

    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: the numbers of a slice of rows."""
        return lambda rows: frozen(table.numbers(self.columns, rows), np.float64)

    def add_log_probs(self, cells, out):
        """Add log P(x | class) of cells to `out`."""
        terms = (frozen(term, np.float64) for term in self._terms)
        column = np.full(ROWS_PER_TILE, np.nan)
        sums = np.zeros((out.shape[1], ROWS_PER_TILE))
        add_gaussian(cells, *terms, out, column, sums)

    def _log_densities(self, x, statistics, ms, priors):
        """Return the same as the base class; by a loop for pooled priors."""
        if not all(isinstance(priors[column], str) for column in self.columns):
            return super()._log_densities(x, statistics, ms, priors)
        shape = x.shape[1], 1
        of_column = (np.broadcast_to(v, shape) for v in (self.added, self.floor))
        terms = np.empty((len(ms), *statistics[0].shape))
        leave_gaussian_out(
            frozen(x, np.float64),
            frozen(np.stack(statistics), np.float64),
            frozen(ms, np.float64),
            self.row_weight,
            *(frozen(values.ravel(), np.float64) for values in of_column),
            terms,
        )
        return terms

    def _estimates(self, statistics, m, priors):
        """Return mean and variance from statistics of shape (..., n_classes)."""
        observed, class_mean, compensation, ss = statistics
        n, mean, base_compensation, base_ss = (
            pooled[..., None] for pooled in pool_moments(*statistics)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            base = np.where(n > 0, mean, np.nan), base_compensation, base_ss / n
        meaning = "mean and variance"
        for j, prior in self._given_priors(priors, 2, observed.shape[-1], meaning):
            mean, variance = prior
            if np.any(variance < 0):
                name = self.names[self.columns[j]]
                raise ValueError(f"prior for column {name!r}: a variance must be ≥ 0.")
            base = [np.array(np.broadcast_to(part, observed.shape)) for part in base]
            for part, value in zip(base, (mean, 0.0, variance)):
                part[..., j, :] = value
        gap = (class_mean - base[0]) + (compensation - base[1])
        mean, variance = gaussian_m_estimate(
            observed,
            class_mean + compensation,
            ss,
            m,
            base[0],
            base[2],
            gap,
            self.row_weight,
        )
        variance = variance + self.added
        return mean, np.where(variance == 0, self.floor, variance)

    @staticmethod
    def _log_density(x, mean, variance):
        mean, scale, constant = gaussian_terms(mean, variance)
        z = (x - mean) * scale
        return np.where(np.isnan(mean), 0.0, constant - z * z)

    @staticmethod
    def _subtract(before, x, removed):
        observed, mean, compensation, ss = before
        left = np.maximum(observed - removed, 0.0)
        deviation = (x - mean) - compensation
        with np.errstate(divide="ignore", invalid="ignore"):
            step = removed * deviation / left
            new_ss = ss - removed * deviation * (deviation + step)
        # Where all values are equal (ss = 0), nothing can cancel.
        cancelled = (ss > 0) & ~(new_ss > MIN_SAFE_RATIO * ss)
        unsafe = cancelled | (left < MIN_SAFE_RATIO * observed)
        return [left, mean, compensation - step, new_ss], unsafe

    @staticmethod
    def _sum(x, weight):
        if not len(x):
            return 0.0, 0.0, 0.0, 0.0
        # Deviations from the first value give equal values a variance of exactly 0.
        deviation = x - x[0]
        shift = weight @ deviation / weight.sum()
        return weight.sum(), x[0], shift, weight @ (deviation - shift) ** 2


def _add_moments(block, classes, weight, moments):
    """Merge a block of rows into `moments`, (4, n_classes, n_columns)."""
    # block: (n, n_columns); classes, weight: (n,). Within the block, deviations are
    # taken from the mean so far, at first from the first value. This keeps digits that
    # the textbook's Σx² - (Σx)²/n loses: what cancels is never larger than what the
    # merge (Chan, Golub & LeVeque 1983) adds. The rounding error of the mean is kept;
    # without it the last digits of the variance would depend on where the batches end.
    observed, mean, compensation, ss = moments
    is_new = observed == 0
    shift = np.where(is_new, np.nan, mean)
    sums = np.zeros((3, *shift.shape))
    add_deviations(block, classes, weight, shift, is_new.sum(axis=1), *sums)
    added, first, second = sums
    known = added > 0
    with np.errstate(all="ignore"):
        offset = first / added
        within = np.maximum(second - first * offset, 0.0)
        gap = offset - compensation
        share = added / (observed + added)
        np.add(ss, within + gap * gap * observed * share, out=ss, where=known)
        moved = compensation + gap * share
        np.add(shift, moved, out=mean, where=known)
        np.add(shift - mean, moved, out=compensation, where=known)
        np.add(observed, added, out=observed, where=known)


# Loops over cells; NaN is missing.


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
def add_gaussian(block, mean, scale, constant, out, column, sums):
    """Add constant - ((x - mean) · scale)² over columns to each row of `out`."""
    # block: (n, d); mean, scale (1 / (σ √2)), constant (-log(σ √2π)): (C, d); out:
    # (n, C). column: (ROWS_PER_TILE,), overwritten; sums: (C, ROWS_PER_TILE), must be
    # zeros.
    # For unsigned indices numba omits the test for negative ones.
    for top in range(0, block.shape[0], ROWS_PER_TILE):
        size = block.shape[0] - top
        size = ROWS_PER_TILE if size > ROWS_PER_TILE else size
        for j in range(block.shape[1]):
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
def leave_gaussian_out(x, statistics, ms, row_weight, added, floor, terms):
    """Write the log density of numbers that are left out one by one."""
    # The prior is the mean and the variance of the whole column without the number. See
    # `pool_moments` and `gaussian_m_estimate` for the formulas.
    # x: (n, k); statistics: (4, n, k, C), total weight, mean, its compensation and
    # squared deviations of each class without the number; ms: (n_m, k); terms: (n_m, n,
    # k, C). row_weight: the weight of one row. added, floor: (k,), what is added to
    # every variance, and what replaces a variance of 0.
    n_classes = terms.shape[3]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            observed, mean, compensation, ss = statistics[:, i, j]
            n = total = between = within = origin = 0.0
            for c in range(n_classes):
                within += ss[c]
                if observed[c] > 0:
                    if n == 0:
                        origin = mean[c]
                    n += observed[c]
                    total += observed[c] * ((mean[c] - origin) + compensation[c])
            shift = total / n if n > 0 else 0.0
            for c in range(n_classes):
                if observed[c] > 0:
                    gap = (mean[c] - origin) + compensation[c] - shift
                    between += observed[c] * gap * gap
            pooled = origin + shift
            pooled_compensation = (origin - pooled) + shift
            prior_variance = (between + within) / n
            for k in range(ms.shape[0]):
                m = ms[k, j]
                for c in range(n_classes):
                    weight = observed[c] + m
                    share = m / weight if weight > 0 else 1.0
                    center, variance = pooled, prior_variance
                    if observed[c] > 0:
                        gap = mean[c] - pooled
                        gap += compensation[c] - pooled_compensation
                        center = (mean[c] + compensation[c]) - share * gap
                        variance = ss[c] + m * prior_variance
                        variance += observed[c] * share * gap * gap
                    elif m > 0:
                        variance = m * prior_variance
                    if weight > 0:
                        variance /= (
                            weight - row_weight if weight > row_weight else weight
                        )
                    variance += added[j]
                    if variance == 0:
                        variance = floor[j]
                    z = (x[i, j] - center) / math.sqrt(variance)
                    term = -0.5 * (math.log(variance) + _LOG_2PI + z * z)
                    terms[k, i, j, c] = term if n > 0 else 0.0
