"""Columns of counts: Poisson with an m-estimate of the rate."""

import numpy as np
from scipy.special import gammaln, xlogy

from ..._core._kernel import frozen
from ...tabular import CellRows, add_counts, add_table_rows, m_estimate
from ._batch import StoredCells, stored_cells, stored_columns
from ._column_distribution import MIN_SAFE_RATIO, NumericColumns

# log x! of a larger number, times a few columns, overflows.
_MAX_COUNT = 1e300


class PoissonColumns(NumericColumns):
    """Counts x ≥ 0 with P(x | class) = λ^x e^-λ / x!."""

    # observed, total: (n_classes, n_columns), the total weight of the observed cells,
    # and Σ x. rate: (n_classes, n_columns), λ, after `estimate`; NaN where no cell was
    # ever observed.

    statistics = ("observed", "total")
    estimates = ("rate", "_log_rate")

    def __init__(self, columns, names, *, is_chosen=False):
        # is_chosen: whether leave-one-out has chosen this distribution. Numbers in new
        # rows that are no counts then tell nothing, as an unknown category does.
        super().__init__(columns, names)
        self.is_chosen = is_chosen

    def sums(self, batch):
        """Return total weight and Σ x of the batch."""
        # Counted by class and column; what does not count is in a last column.
        n_columns, table = len(self.columns), batch.table
        total, observed, missing_weight = np.zeros((3, batch.n_classes, n_columns + 1))
        of_class = batch.classes.astype(np.int64) * (n_columns + 1)
        read, is_used = self.reader(table), np.arange(n_columns + 1) < n_columns
        for rows in table.block_rows(converts=True):
            of_rows = of_class[rows], batch.weight[rows], 1
            positive, present, missing = self._split(read(rows), is_used)
            add_counts(positive, *of_rows, total)
            if table.is_sparse:
                add_counts(missing, *of_rows, missing_weight)
            else:
                add_counts(present, *of_rows, observed)
        if table.is_sparse:
            observed = np.maximum(batch.class_count[:, None] - missing_weight, 0.0)
        return [observed[:, :-1], total[:, :-1]]

    def _split(self, cells, is_used):
        """Return the numbers above 0, the known and the missing cells."""
        # cells: numbers at the positions of their columns, NaN where missing, and cells
        # of other columns at a last position, which also takes what is not meant.
        # is_used: (n_columns + 1,), of each column, False for the others.
        n_columns, column, x = len(self.columns), cells.positions, cells.values
        is_known = is_used[column] & ~np.isnan(x)
        x = np.where(is_known, x, 0.0)
        _check_counts(x.min(initial=0.0), x.max(initial=0.0), self._column_names())
        positions = (
            frozen(np.where(is_meant, column, n_columns), np.int32)
            for is_meant in (x > 0, is_known, ~is_known)
        )
        values = frozen(x, np.float64), None, None
        return [CellRows(cells.starts, *part) for part in zip(positions, values)]

    def _column_names(self):
        return [self.names[column] for column in self.columns]

    def estimate(self, m, priors):
        """Set `rate` to the m-estimates."""
        (self.rate,) = self.estimate_columns(m, priors)
        with np.errstate(divide="ignore"):
            self._log_rate = np.log(self.rate)
        self.refuse_overflow(~np.isinf(self.rate).any(axis=0))

    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: numbers at the positions of their columns."""
        if table.is_sparse:
            column = stored_columns(table, self.columns)
            return lambda rows: stored_cells(table, column, table.values.data)
        column = np.arange(len(self.columns), dtype=np.int32)

        def read(rows):
            x = table.numbers(self.columns, rows)
            return CellRows.of(np.broadcast_to(column, x.shape), x)

        return read

    def add_log_probs(self, cells, out):
        """Add log P(x | class) of cells to `out`."""
        # A column that was never observed has the rate NaN, and adds nothing.
        is_used = np.append(~np.isnan(self.rate[0]), False)
        used = np.flatnonzero(is_used)
        rate, log_rate = np.zeros((2, len(is_used), out.shape[1]))
        rate[used], log_rate[used] = self.rate.T[used], self._log_rate.T[used]
        if self.is_chosen:
            x = cells.values
            cells = cells._replace(
                values=np.where((x < 0) | (x > _MAX_COUNT), np.nan, x)
            )
        positive, present, missing = self._split(cells, is_used)
        log_factorial = frozen(gammaln(positive.values + 1), np.float64)
        add_table_rows(positive, log_rate, out)
        add_table_rows(
            positive._replace(values=log_factorial), -np.ones(rate.shape), out
        )
        if isinstance(cells, StoredCells):
            out -= rate.sum(axis=0)
            add_table_rows(missing, rate, out)
        else:
            add_table_rows(present, -rate, out)

    def _estimates(self, statistics, m, priors):
        observed, total = statistics
        n = observed.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            base = np.where(n > 0, total.sum(axis=-1, keepdims=True) / n, np.nan)
        meaning = "the rate λ₀"
        for j, (rate,) in self._given_priors(priors, 1, observed.shape[-1], meaning):
            if np.any(rate < 0):
                name = self.names[self.columns[j]]
                raise ValueError(f"prior for column {name!r}: a rate must be ≥ 0.")
            base = np.array(np.broadcast_to(base, observed.shape))
            base[..., j, :] = rate
        return (m_estimate(total, observed, m, base),)

    @staticmethod
    def _log_density(x, rate):
        terms = xlogy(x, rate) - rate - gammaln(x + 1)
        return np.where(np.isnan(rate), 0.0, terms)

    @staticmethod
    def _subtract(before, x, removed):
        observed, total = before
        with np.errstate(over="ignore", invalid="ignore"):  # if the total overflowed
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
