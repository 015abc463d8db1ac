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


class ColumnDistribution(ABC):
    """The columns of a table that share a distribution, with their statistics."""

    # Statistics are replaced and never changed in place, so that a failed call leaves
    # the former model intact.

    columns: np.ndarray  # int, their indices in the table

    @abstractmethod
    def sums(self, batch):
        """Return the statistics of the batch, as :meth:`add` takes them."""

    @abstractmethod
    def add(self, sums, more):
        """Return the statistics of two batches together."""

    @abstractmethod
    def with_statistics(self, sums):
        """Return a copy with these statistics, to be followed by :meth:`estimate`."""

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

    @abstractmethod
    def merged(self, other):
        """Return a copy with the statistics of both."""

    @abstractmethod
    def without_rows(self):
        """Return a copy with the statistics of no rows."""

    @abstractmethod
    def expand_classes(self, positions, n_classes):
        """Return a copy with its classes at `positions` among `n_classes` classes."""

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
    def add_log_probs(self, cells, out, first=0, last=None):
        """Add log P(x | class) of cells to `out`, over columns first … last - 1."""
        # out: (n_rows, n_classes); first, last: among this group's columns, by default
        # all, and always all on a sparse table.

    @abstractmethod
    def add_left_out(self, left_out, ms, priors, out):
        """Add log P(x | class) to `out`, each row under the model without it."""
        # left_out: LeftOutRows; ms: (n_m, d), candidates of m; priors: d entries, as in
        # `estimate`; out: (n_m, r, n_classes).
        # Categories, cut points, and variances that are added or replace 0 stay those
        # of all rows.


# Columns of numbers with a parametric density: what Poisson and Gaussian share.


# A difference below this share of the minuend has lost digits; it is summed anew.
MIN_SAFE_RATIO = 1e-3


class NumericColumns(ColumnDistribution):
    """Columns whose statistics are arrays of shape (n_classes, n_columns)."""

    # A subclass names its statistics and defines four hooks: the estimates, the log
    # density under them, the statistics without one row by subtraction, and the
    # statistics summed anew.

    statistics = ()
    # The estimates that :meth:`estimate` sets; their last axis is that of the columns.
    estimates = ()

    def __init__(self, columns, names):
        self._columns = np.asarray(columns, dtype=np.int64)
        self.names = names

    @property
    def columns(self):
        """Return the indices of these columns in the table."""
        return self._columns

    def with_statistics(self, sums):
        """Return a copy with these statistics."""
        group = copy.copy(self)
        for name, value in zip(self.statistics, sums):
            setattr(group, name, value)
        return group

    def without_rows(self):
        """Return a copy with the statistics of no rows."""
        return self.with_statistics(list(map(np.zeros_like, self._values())))

    def expand_classes(self, positions, n_classes):
        """Return a copy with its classes at `positions` among `n_classes` classes."""
        expanded = []
        for values in self._values():
            more = np.zeros((n_classes, values.shape[1]))
            more[positions] = values
            expanded.append(more)
        return self.with_statistics(expanded)

    def part(self, indices):
        """Return some of the columns, with their statistics and estimates."""
        group = copy.copy(self)
        group._columns = self.columns[indices]
        for name in (*self.statistics, *self.estimates):
            if hasattr(self, name):
                setattr(group, name, getattr(self, name)[..., indices])
        return group

    def alone(self, j):
        """Return a column as if there were no others."""
        part = self.part([j])
        return part.with_statistics(part._values())

    def merged(self, other):
        """Return a copy with the statistics of both."""
        return self.with_statistics(self.add(self._values(), other._values()))

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
        of_columns = [
            self._estimates(
                [values[:, j] for values in self._values()],
                m[column],
                priors[column],
                j,
            )
            for j, column in enumerate(self.columns)
        ]
        return np.moveaxis(np.array(of_columns), 0, -1)

    def add_left_out(self, left_out, ms, priors, out):
        """Add log P(x | class) of rows left out one by one to `out`."""
        for j, column in enumerate(self.columns):
            cells = left_out.batch.table.column(column)
            known = np.flatnonzero(~np.isnan(cells[left_out.rows]))
            if not len(known):
                continue
            # The statistics of each row's class without the row.
            reduced = self._statistics_without(left_out, cells, known, j)
            x, classes = cells[left_out.rows[known]], left_out.classes[known]
            of_column = reduced, ms[:, column], priors[column], j
            # Rows that are a slice are added to without a copy.
            is_complete = len(known) == len(left_out.rows)
            to_rows = slice(None) if is_complete else known
            out[:, to_rows] += self._left_out_terms(x, classes, *of_column)

    def _left_out_terms(self, x, classes, reduced, ms, prior, j):
        """Return log P(x | class) of numbers left out, (n_m, n, n_classes)."""
        # x, classes: (n,). `reduced` are the statistics of each number's class, of
        # column j, without it, each (n,). ms: (n_m,), candidates of m.
        statistics = []
        for values, replacement in zip(self._values(), reduced):
            by_row = np.repeat(values[:, j][None], len(x), axis=0)
            by_row[np.arange(len(x)), classes] = replacement
            statistics.append(by_row)
        estimates = [self._estimates(statistics, m, prior, j) for m in ms]
        with np.errstate(over="ignore", invalid="ignore"):
            return [self._log_density(x[:, None], *each) for each in estimates]

    @abstractmethod
    def _estimates(self, statistics, m, prior, j):
        """Return the m-estimates of column j from statistics (..., n_classes)."""

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

    def _statistics_without(self, left_out, cells, known, j):
        """Return the statistics of each known row's class without the row."""
        # cells: (n_rows of the batch,), column j of these columns; known: indices among
        # the left-out rows. Each statistic is (len(known),).
        # Subtraction is exact enough unless the row holds nearly the whole sum, as an
        # outlier or one of the last two rows of a class does. Then the statistics are
        # summed anew from the other rows.
        rows = left_out.rows[known]
        removed = left_out.removed[known]
        before = [values[left_out.classes[known], j] for values in self._values()]
        after, unsafe = self._subtract(before, cells[rows], removed)
        for i in np.flatnonzero(unsafe):
            x, weight = left_out.without_row(cells, rows[i])
            for values, value in zip(after, self._sum(x, weight)):
                values[i] = value
        return after

    def _values(self):
        return [getattr(self, name) for name in self.statistics]
