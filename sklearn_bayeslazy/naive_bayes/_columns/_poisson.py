"""Columns of counts: Poisson with an m-estimate of the rate."""

import numpy as np
from scipy.special import gammaln, xlogy

from ..._core._kernel import frozen
from ...tabular import add_counts, add_table_rows, m_estimate
from ._batch import label_arrays, stored_cells, stored_columns
from ._column_distribution import MIN_SAFE_RATIO, NumericColumns
from ._column_kernels import add_poisson, add_weighted_sums
from ._m_estimates import check_shape

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
        if batch.table.is_sparse:
            return self._stored_sums(batch)
        shape = batch.n_classes, len(self.columns)
        observed, total = np.zeros(shape), np.zeros(shape)
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

    def _stored_sums(self, batch):
        n_columns = len(self.columns)
        known, missing = self._stored_cells(batch.table)
        missing_weight, total = np.zeros((2, batch.n_classes, n_columns + 1))
        of_class = batch.classes.astype(np.int64) * (n_columns + 1)
        add_counts(known, of_class, batch.weight, 1, total)
        add_counts(missing, of_class, batch.weight, 1, missing_weight)
        observed = np.maximum(batch.class_count[:, None] - missing_weight, 0.0)
        return [observed[:, :-1], total[:, :-1]]

    def _stored_cells(self, table):
        """Return the numbers stored in a sparse table, and the missing cells."""
        # Cells of other columns, and those that are not meant, are in a last column.
        n_columns, column = len(self.columns), stored_columns(table, self.columns)
        x = table.values.data
        is_known = (column < n_columns) & ~np.isnan(x)
        x = np.where(is_known, x, 0.0)
        _check_counts(x.min(initial=0.0), x.max(initial=0.0), self._column_names())
        return (
            stored_cells(table, np.where(x > 0, column, n_columns), x),
            stored_cells(table, np.where(is_known, n_columns, column)),
        )

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
        if not isinstance(cells, np.ndarray):
            self._add_stored(cells, out)
            return
        rate, log_rate = (
            frozen(values, np.float64) for values in (self.rate, self._log_rate)
        )
        last = len(self.columns) if last is None else last
        limits = add_poisson(cells, rate, log_rate, first, last, out)
        _check_counts(*limits, self._column_names())

    def _add_stored(self, table, out):
        """Add -Σλ of a row of zeros, then what the stored cells change."""
        # A column that was never observed adds nothing, and has the rate NaN.
        unobserved = np.isnan(self.rate)
        rate, log_rate = (
            np.pad(np.where(unobserved, 0.0, values), ((0, 1), (0, 0)))
            for values in (self.rate, self._log_rate)
        )
        known, missing = self._stored_cells(table)
        out -= rate.sum(axis=0)
        add_table_rows(known, log_rate, out)
        add_table_rows(missing, rate, out)
        log_factorials = frozen(gammaln(known.values + 1), np.float64)
        is_used = np.append(unobserved[:, :1] == 0, [[False]], axis=0)
        sums = np.zeros((len(out), 1))
        add_table_rows(known._replace(values=log_factorials), is_used, sums)
        out -= sums

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
        return (m_estimate(total, observed, m, base),)

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
