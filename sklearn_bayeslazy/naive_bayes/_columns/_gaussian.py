"""Columns of real numbers: Gaussians with m-estimates of mean and variance."""

import numpy as np

from ..._kernel import frozen
from ._column_kernels import add_gaussian, add_moments
from ._kernel_arrays import frozen_labels
from ._m_estimates import gaussian_m_estimate, gaussian_terms, pool_moments
from ._numeric import SAFE_SHARE, NumericColumns
from ._priors import check_shape


class GaussianColumns(NumericColumns):
    """Real numbers with a normal density in each class.

    Attributes
    ----------
    observed, mean, rest, ss : ndarrays of shape (n_classes, n_columns)
        Mass of the observed cells, their mean (and what rounding took from it),
        Σ (x - mean)².
    theta, variance : ndarrays of shape (n_classes, n_columns)
        The m-estimates, after :meth:`estimate`; NaN where no cell was ever observed.
    floor : float
        What stands in for a variance of zero; part of the statistics, so that rows
        that are left out one by one do not move it.
    """

    statistics = ("observed", "mean", "rest", "ss")

    def __init__(self, columns, names, var_smoothing):
        super().__init__(columns, names)
        self.var_smoothing = var_smoothing

    def sums(self, batch):
        """Return mass, mean and squared deviations of the batch."""
        shape = batch.n_classes, len(self.columns)
        observed, mean, rest, ss = (np.zeros(shape) for _ in self.statistics)
        classes, weight = frozen_labels(batch)
        for rows in batch.table.block_rows():
            block = batch.table.numbers(self.columns, rows, allow_infinity=True)
            block = frozen(block, np.float64)
            add_moments(block, classes[rows], weight[rows], observed, mean, rest, ss)
        if not np.isfinite(ss).all():  # an infinite number, or one that overflows
            batch.table.check_finite(self.columns)
        return [observed, mean, rest, ss]

    def add(self, sums, more):
        """Return the moments of two batches together (Chan, Golub & LeVeque 1983)."""
        return pool_moments(*(np.stack(pair, axis=-1) for pair in zip(sums, more)))

    def with_statistics(self, sums):
        """Refuse variances that overflow, and set the floor of those that are 0."""
        family = super().with_statistics(sums)
        observed, _, _, ss = pool_moments(*(values.T for values in sums))
        overflow = ~np.isfinite(ss)
        if overflow.any():
            name = self.names[self.columns[np.flatnonzero(overflow)[0]]]
            raise ValueError(
                f"The numbers in column {name!r} are too large: their variance "
                "overflows float64. Rescale the column, or choose "
                "distribution='quantized' for it."
            )
        known = observed > 0
        largest = np.max(ss[known] / observed[known], initial=0.0)
        family.floor = self.var_smoothing * (largest if largest > 0 else 1.0)
        return family

    def estimate(self, m, priors):
        """Set `theta` and `variance` to the m-estimates."""
        columns = [
            self._estimates(
                [values[:, j] for values in self._values()],
                m[column],
                priors[column],
                j,
            )
            for j, column in enumerate(self.columns)
        ]
        self.theta, self.variance = np.moveaxis(np.array(columns), 0, -1)
        never = np.isnan(self.theta)  # observed; NaN is what says so
        self.refuse_overflow((never | np.isfinite(self.variance)).all(axis=0))

    def scorer(self, table):
        """Return ``prepare(rows)``."""
        # A column that was never observed has NaN everywhere; with zeros it adds 0.
        terms = np.nan_to_num(gaussian_terms(self.theta, self.variance))
        terms = [frozen(term, np.float64) for term in terms]

        n_columns = len(self.columns)

        def prepare(rows):
            block = frozen(table.numbers(self.columns, rows), np.float64)

            def add(out, first=0, last=n_columns):
                add_gaussian(block, *terms, first, last, out)

            return add

        return prepare

    def _estimates(self, statistics, m, prior, j):
        """Return mean and variance from statistics of shape (..., n_classes)."""
        observed, own_mean, rest, ss = statistics
        if isinstance(prior, str):
            n, mean, base_rest, base_ss = (
                pooled[..., None] for pooled in pool_moments(*statistics)
            )
            gap = (own_mean - mean) + (rest - base_rest)
            with np.errstate(divide="ignore", invalid="ignore"):
                base = np.where(n > 0, mean, np.nan), base_ss / n
        else:
            name = self.names[self.columns[j]]
            n_classes = observed.shape[-1]
            base = check_shape(prior, name, 2, n_classes, "mean and variance").T
            gap = (own_mean - base[0]) + rest
            if np.any(base[1] < 0):
                raise ValueError(f"prior for column {name!r}: a variance must be ≥ 0.")
        mean, variance = gaussian_m_estimate(
            observed, own_mean + rest, ss, m, *base, gap
        )
        return mean, np.where(variance == 0, self.floor, variance)

    @staticmethod
    def _log_density(x, mean, variance):
        mean, scale, constant = gaussian_terms(mean, variance)
        z = (x - mean) * scale
        return np.where(np.isnan(mean), 0.0, constant - 0.5 * z * z)

    @staticmethod
    def _subtract(before, x, removed):
        observed, mean, rest, ss = before
        left = np.maximum(observed - removed, 0.0)
        deviation = (x - mean) - rest
        with np.errstate(divide="ignore", invalid="ignore"):
            step = removed * deviation / left
            new_ss = ss - removed * deviation * (deviation + step)
        # Where all values are equal, nothing can cancel.
        cancelled = (ss > 0) & ~(new_ss > SAFE_SHARE * ss)
        unsafe = cancelled | (left < SAFE_SHARE * observed)
        return [left, mean, rest - step, new_ss], unsafe

    @staticmethod
    def _sum(x, weight):
        if not len(x):
            return 0.0, 0.0, 0.0, 0.0
        # From the first value, so that equal values have a variance of exactly 0.
        deviation = x - x[0]
        shift = weight @ deviation / weight.sum()
        return weight.sum(), x[0], shift, weight @ (deviation - shift) ** 2
