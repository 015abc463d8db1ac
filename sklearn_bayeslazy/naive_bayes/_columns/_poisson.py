"""Columns of counts: Poisson with an m-estimate of the rate."""

import numpy as np
from scipy.special import gammaln, xlogy

from ..._core._kernel import frozen
from ._batch import column_positions, csr_structure, label_arrays
from ._column_distribution import MIN_SAFE_RATIO, NumericColumns
from ._column_kernels import (
    add_poisson,
    add_stored_poisson,
    add_stored_weighted_sums,
    add_weighted_sums,
)
from ._m_estimates import check_shape, poisson_m_estimate

# log x! of a larger number, times a few columns, overflows.
_MAX_COUNT = 1e300


class PoissonColumns(NumericColumns):
    """Counts x ≥ 0 with P(x | class) = λ^x e^-λ / x!."""

    # observed, total: (n_classes, n_columns), the total weight of the observed cells,
    # and Σ x. rate: (n_columns, n_classes), λ, after `estimate`; NaN where no cell was
    # ever observed.

    statistics = ("observed", "total")
    estimates = (("rate", 0), ("_log_rate", 0))

    def sums(self, batch):
        """Return total weight and Σ x of the batch."""
        shape = batch.n_classes, len(self.columns)
        observed, total = np.zeros(shape), np.zeros(shape)
        if batch.table.is_sparse:
            missing = np.zeros(shape)
            low, high = add_stored_weighted_sums(
                *csr_structure(batch.table),
                frozen(batch.table.values.data, np.float64),
                *label_arrays(batch),
                column_positions(batch.table, self.columns),
                missing,
                total,
            )
            observed = np.maximum(batch.class_count[:, None] - missing, 0.0)
        else:
            low, high = 0.0, 0.0
            classes, weight = label_arrays(batch)
            for rows, block in batch.table.blocks(self.columns):
                block = frozen(block, np.float64)
                least, largest = add_weighted_sums(
                    block, classes[rows], weight[rows], observed, total
                )
                low, high = min(low, least), max(high, largest)
        _check_counts(low, high, self._column_names())
        return [observed, total]

    def _column_names(self):
        return [self.names[column] for column in self.columns]

    def add(self, sums, more):
        """Return the sums of two batches together."""
        return [a + b for a, b in zip(sums, more)]

    def estimate(self, m, priors):
        """Set `rate` to the m-estimates."""
        rates = [
            self._estimates(
                (self.observed[:, j], self.total[:, j]), m[column], priors[column], j
            )[0]
            for j, column in enumerate(self.columns)
        ]
        self.rate = np.array(rates).reshape(len(self.columns), -1)
        with np.errstate(divide="ignore"):
            self._log_rate = np.log(self.rate)
        self.refuse_overflow(~np.isinf(self.rate).any(axis=1))

    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: numbers, or the whole table if it is sparse."""
        if table.is_sparse:
            return lambda rows: table
        return lambda rows: frozen(table.numbers(self.columns, rows), np.float64)

    def add_log_probs(self, cells, out, first=0, last=None):
        """Add log P(x | class) of cells to `out`, over columns first … last - 1."""
        rate, log_rate = (
            frozen(values, np.float64) for values in (self.rate, self._log_rate)
        )
        if isinstance(cells, np.ndarray):
            last = len(self.columns) if last is None else last
            limits = add_poisson(cells, rate, log_rate, first, last, out)
        else:
            limits = add_stored_poisson(
                *csr_structure(cells),
                frozen(cells.values.data, np.float64),
                column_positions(cells, self.columns),
                rate,
                log_rate,
                frozen(-np.nansum(self.rate, axis=0), np.float64),
                out,
            )
        _check_counts(*limits, self._column_names())

    def _estimates(self, statistics, m, prior, j):
        observed, total = statistics
        if isinstance(prior, str):
            n = observed.sum(axis=-1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                base = np.where(n > 0, total.sum(axis=-1, keepdims=True) / n, np.nan)
        else:
            name = self.names[self.columns[j]]
            base = check_shape(prior, name, 1, observed.shape[-1], "the rate λ₀")[:, 0]
            if np.any(base < 0):
                raise ValueError(f"prior for column {name!r}: a rate must be ≥ 0.")
        return (poisson_m_estimate(observed, total, m, base),)

    @staticmethod
    def _log_density(x, rate):
        terms = xlogy(x, rate) - rate - gammaln(x + 1)
        return np.where(np.isnan(rate), 0.0, terms)

    @staticmethod
    def _subtract(before, x, removed):
        observed, total = before
        after = [np.maximum(observed - removed, 0.0), total - removed * x]
        unsafe = (after[1] < MIN_SAFE_RATIO * total) | (
            after[0] < MIN_SAFE_RATIO * observed
        )
        return after, unsafe

    @staticmethod
    def _sum(x, weight):
        return weight.sum(), weight @ x


def _check_counts(low, high, names):
    """Raise an error if numbers from `low` to `high` cannot be Poisson counts."""
    if low < 0:
        raise ValueError(
            "Negative values in data passed to a Poisson distribution, which needs "
            "counts, x ≥ 0. Choose another distribution for the columns among "
            f"{_shorten(names)} that hold numbers below 0."
        )
    if high > _MAX_COUNT:
        raise ValueError(
            f"Counts above {_MAX_COUNT:g} are too large for a Poisson distribution: "
            f"rescale the columns among {_shorten(names)} that hold them."
        )


def _shorten(names):
    return str(names if len(names) <= 10 else [*names[:10], "..."])
