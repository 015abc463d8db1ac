"""The interface of columns that share a distribution in a naive Bayes model.

A model has up to three groups of columns: discrete, Poisson and Gaussian. Each group
keeps additive statistics of its columns, turns them into m-estimates, and adds
log P(x | class) to the joint log likelihoods of rows.
"""

import copy
import functools
from abc import ABC, abstractmethod

import numpy as np

from ..._core._parallel import map_tasks
from ._m_estimates import check_shape

# Terms of left-out rows that are computed together: they stay in the cache.
_TERMS_AT_ONCE = 2**15


class ColumnDistribution(ABC):
    """The columns of a table that share a distribution, with their statistics."""

    # Statistics are replaced and never changed in place, so that a failed call leaves
    # the former model intact.

    columns: np.ndarray  # int, their indices in the table
    statistics: tuple  # the names of the statistics, which are arrays
    class_axis = 0  # their axis of the classes

    @abstractmethod
    def sums(self, batch):
        """Return the list of the statistics of the batch."""

    def add(self, sums, more):
        """Return the statistics of two batches together."""
        return [a + b for a, b in zip(sums, more)]

    def with_statistics(self, sums):
        """Return a copy with these statistics, to be followed by :meth:`estimate`."""
        group = copy.copy(self)
        for name, value in zip(self.statistics, sums):
            setattr(group, name, value)
        return group

    def _values(self):
        return [getattr(self, name) for name in self.statistics]

    @abstractmethod
    def statistics_size(self, n_classes):
        """Return how many numbers the statistics consist of."""

    def counted(self, batch, n_jobs=None):
        """Return a copy with the statistics of the batch alone."""
        chunks = batch.chunks(self.statistics_size(batch.n_classes))
        sums = map_tasks(self.sums, chunks, n_jobs=n_jobs)
        return self.with_statistics(functools.reduce(self.add, sums))

    @abstractmethod
    def part(self, indices):
        """Return some of the columns, with their statistics and estimates."""

    def merged(self, other):
        """Return a copy with the statistics of both."""
        return self.with_statistics(self.add(self._values(), other._values()))

    def without_rows(self):
        """Return a copy with the statistics of no rows."""
        return self.with_statistics(list(map(np.zeros_like, self._values())))

    def expand_classes(self, positions, n_classes):
        """Return a copy with its classes at `positions` among `n_classes` classes."""
        expanded = []
        for values in self._values():
            shape = list(values.shape)
            shape[self.class_axis] = n_classes
            more = np.zeros(shape)
            of_class = np.moveaxis(more, self.class_axis, 0)
            of_class[positions] = np.moveaxis(values, self.class_axis, 0)
            expanded.append(more)
        return self.with_statistics(expanded)

    def with_var_smoothing(self, share):
        """Return the columns with another `var_smoothing`, which Gaussian ones have."""
        return self

    @abstractmethod
    def estimate(self, m, priors):
        """Set the m-estimates; `m` (d,) and `priors` (d entries) are the table's."""

    @abstractmethod
    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: the cells of a slice of rows, for `add_log_probs`."""
        # On a sparse table the rows must be all of the table's. With `refuse_unknown` a
        # category that was not in the training data raises an error.

    @abstractmethod
    def check(self, table, refuse_unknown=False):
        """Raise an error that :meth:`reader` would, for columns that are not read."""

    @abstractmethod
    def add_log_probs(self, cells, out):
        """Add log P(x | class) of cells to `out`, (n_rows, n_classes)."""

    @abstractmethod
    def left_out_terms(self, left_out, ms, priors):
        """Return log P(x | class) of cells, each row under the model without it."""
        # left_out: LeftOutRows; ms: (n_m, d), candidates of m; priors: d entries, as in
        # `estimate`. The result is (n_m, r, n_columns, n_classes), 0 for missing cells.
        # Categories, cut points, and variances that are added or replace 0 stay those
        # of all rows.

    def held_by_no_other(self, left_out):
        """Return the cells (r, n_columns) whose value no other row of the table has."""
        # Of columns with categories. A new row with such a value has an unknown one.
        return np.zeros((len(left_out.rows), len(self.columns)), dtype=bool)

    def add_left_out(self, left_out, ms, priors, out):
        """Add the sums of the `left_out_terms` of all columns to `out`."""
        # out: (n_m, r, n_classes).
        for part in self.parts(out.size):
            terms = part.left_out_terms(left_out, ms, priors)
            for j in range(len(part.columns)):
                out += terms[:, :, j]

    def parts(self, n_terms):
        """Return the columns in parts, as many at a time as have few terms together."""
        # n_terms: the number of terms of one column.
        n_columns = len(self.columns)
        n_parts = min(max(-(-n_columns * n_terms // _TERMS_AT_ONCE), 1), n_columns)
        indices = np.array_split(np.arange(n_columns), n_parts)
        return [self.part(some) for some in indices]


# Columns of numbers with a parametric density: what Poisson and Gaussian share.


# A difference below this share of the minuend has lost digits; it is summed anew.
MIN_SAFE_RATIO = 1e-3


class NumericColumns(ColumnDistribution):
    """Columns whose statistics are arrays of shape (n_classes, n_columns)."""

    # A subclass names its statistics and defines four hooks: the estimates, the log
    # density under them, the statistics without one row by subtraction, and the
    # statistics summed anew.

    # The estimates that :meth:`estimate` sets; their last axis is that of the columns.
    estimates = ()

    def __init__(self, columns, names):
        self._columns = np.asarray(columns, dtype=np.int64)
        self.names = names

    @property
    def columns(self):
        """Return the indices of these columns in the table."""
        return self._columns

    def part(self, indices):
        """Return some of the columns, with their statistics and estimates."""
        group = copy.copy(self)
        group._columns = self.columns[indices]
        for name in (*self.statistics, *self.estimates):
            if hasattr(self, name):
                setattr(group, name, getattr(self, name)[..., indices])
        return group

    def apart(self):
        """Return the columns, each as if there were no others."""
        return self

    def statistics_size(self, n_classes):
        """Return how many numbers the statistics consist of."""
        return len(self.statistics) * n_classes * len(self.columns)

    def refuse_overflow(self, is_finite):
        """Raise an error that names the first column whose estimates overflow."""
        if not is_finite.all():
            name = self.names[self.columns[np.argmin(is_finite)]]
            raise ValueError(
                f"The estimates of column {name!r} overflow float64: rescale the "
                "column, or use a smaller m or prior."
            )

    def check(self, table, refuse_unknown=False):
        """Raise an error if a column holds labels."""
        table.require_numbers(self.columns)

    def estimate_columns(self, m, priors):
        """Return the m-estimates, (n_estimates, n_classes, n_columns)."""
        statistics = [values.T for values in self._values()]
        estimates = self._estimates(statistics, m[self.columns, None], priors)
        return np.swapaxes(estimates, -1, -2)

    def left_out_terms(self, left_out, ms, priors):
        """Return log P(x | class) of cells, each row under the model without it."""
        columns = [left_out.batch.table.column(column) for column in self.columns]
        x = np.stack([column[left_out.rows] for column in columns], axis=1)
        known = ~np.isnan(x)
        own = np.arange(x.shape[1]), left_out.classes[:, None]
        each = np.arange(len(x))[:, None], *own
        before = [values.T[own] for values in self._values()]
        # The statistics of each cell's class without the cell. Subtraction is exact
        # enough unless the cell holds nearly the whole sum, as an outlier or one of the
        # last two rows of a class does. Then the others are summed anew.
        after, unsafe = self._subtract(before, x, left_out.removed[:, None])
        for i, j in np.argwhere(unsafe & known):
            others = left_out.without_row(columns[j], left_out.rows[i])
            for values, value in zip(after, self._sum(*others)):
                values[i, j] = value
        statistics = []
        for values, replacement in zip(self._values(), after):
            by_class = np.repeat(values.T[None], len(x), axis=0)
            by_class[each] = replacement
            statistics.append(by_class)
        with np.errstate(over="ignore", invalid="ignore"):
            terms = self._log_densities(x, statistics, ms[:, self.columns], priors)
        if not known.all():
            terms[:, ~known] = 0.0
        return terms

    def _log_densities(self, x, statistics, ms, priors):
        """Return log P(x | class) of cells (n, k), each with its own statistics."""
        # statistics: each (n, k, n_classes); ms: (n_m, k); result: (n_m, n, k,
        # n_classes).
        estimates = self._estimates(statistics, ms[:, None, :, None], priors)
        return self._log_density(x[..., None], *estimates)

    @abstractmethod
    def _estimates(self, statistics, m, priors):
        """Return the m-estimates from statistics (..., n_columns, n_classes)."""
        # m: broadcast to them; priors: of all columns of the table.

    def _given_priors(self, priors, n_values, n_classes, meaning):
        """Yield the index of each column whose prior is an array, and the array."""
        for j, column in enumerate(self.columns):
            if not isinstance(priors[column], str):
                of_column = priors[column], self.names[column]
                yield j, check_shape(*of_column, n_values, n_classes, meaning).T

    @staticmethod
    @abstractmethod
    def _log_density(x, *estimates):
        """Return log P(x | class) under the estimates."""

    @staticmethod
    @abstractmethod
    def _subtract(before, x, removed):
        """Return statistics with weight `removed` of x less, and which are unsafe."""

    @staticmethod
    @abstractmethod
    def _sum(x, weight):
        """Return the statistics of the numbers x."""
