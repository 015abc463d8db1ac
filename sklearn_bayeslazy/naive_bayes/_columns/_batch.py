"""Labelled training rows, also as kernels take them, and rows that are left out."""

import functools
from dataclasses import dataclass, replace
from functools import cached_property
from types import EllipsisType

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks, summed_chunks
from ...tabular import (
    CellRows,
    Table,
    cut_points,
    learn_codebook,
    log_prior_without,
    number_of_equal_rows,
    row_weight,
    without_copies,
)

# Where weights differ this many times or more, a bin has room for this number of the
# heaviest rows. With room for one, ten rows of 2 000 that weigh half, of a class that
# three columns tell, are predicted worse than by the prior; with three hardly better.
_MAX_HEAVY_ROWS_OF_BIN = 4
# Ratios of sums of weights are exact to much less.
_ROUNDING = 1e-9


@dataclass
class Batch:
    """Labelled rows: a table, the class code and the weight of each row."""

    table: Table
    classes: np.ndarray  # int32, (n,)
    weight: np.ndarray  # float64, (n,)
    n_classes: int
    n_jobs: int | None = None  # threads that add up the weights of the classes
    # After :meth:`merged`: (n_given,), the row of each row that was given; before it
    # the index that takes all.
    of_given: np.ndarray | EllipsisType = ...
    is_merged: bool = False

    @cached_property
    def class_count(self):
        """Return the total weight of each class, of shape (n_classes,)."""

        def count(rows):
            classes, weight = self.classes[rows], self.weight[rows]
            return np.bincount(classes, weight, self.n_classes)

        chunks = summed_chunks(len(self.classes), self.n_classes)
        return functools.reduce(np.add, map_tasks(count, chunks, n_jobs=self.n_jobs))

    @cached_property
    def row_weight(self):
        """Return the weight of one row, the unit of numbers of examples."""
        return row_weight(self.weight)

    @cached_property
    def n_equal_rows(self):
        """Return the number of rows of equal weight that tell as much."""
        return number_of_equal_rows(self.weight)

    @cached_property
    def likelihood_unit(self):
        """Return Σw² / Σw, the weight of a row where weights of columns are learnt."""
        # The median would count a few rows of large weights as many rows.
        return self.weight.sum() / self.n_equal_rows

    def numbers_of_bins(self, candidates):
        """Return those of ascending numbers of bins with which no row fills a bin."""
        # Without that row its bin would be nearly empty, which tells its class. Where a
        # few rows weigh much more than most, as those of a rare class may, they shape
        # the bins of equal weight: then a bin has room for several.
        n_heavy = min(self.likelihood_unit / self.row_weight, _MAX_HEAVY_ROWS_OF_BIN)
        most = self.weight.sum() / self.weight.max() / max(n_heavy, 1.0)
        most *= 1 + _ROUNDING
        return [n for n in candidates if n <= most] or candidates[:1]

    def merged(self):
        """Return the batch with one row for copies that are left out together."""
        if self.is_merged:
            return self
        *rows, of_given = without_copies(self.table, self.classes, self.weight)
        return Batch(*rows, self.n_classes, self.n_jobs, of_given, is_merged=True)

    def take(self, rows):
        """Return the batch of some rows."""
        of_rows = self.classes[rows], self.weight[rows]
        return Batch(self.table.take(rows), *of_rows, self.n_classes, self.n_jobs)

    def with_missing_indicators(self, columns):
        """Return the batch with one more column for the missing cells of each given."""
        return replace(self, table=self.table.with_missing_indicators(columns))

    def leave_out(self, rows):
        """Return rows that are left out one by one."""
        removed = self.weight[rows]
        return LeftOutRows(self, rows, bool(removed.min() == removed.max()))

    def log_prior_without(self, rows, settings):
        """Return log P(class) without each of some rows, (n_rows, n_classes)."""
        of_rows = self.classes[rows], self.weight[rows]
        given = settings.fit_prior, settings.class_prior
        return log_prior_without(self.class_count, *of_rows, *given)

    def cut_points(self, column, binning, n_bins):
        """Return the cut points of a column of numbers, as `cut_points` names them."""
        of_rows = self.classes, self.n_classes, self.weight
        return cut_points(self.table.column(column), binning, n_bins, *of_rows)

    def codebook(self, binning, n_bins):
        """Return the codebook of all columns: labels by category, numbers by bins."""
        return learn_codebook(
            self.table, lambda column: self.cut_points(column, binning, n_bins)
        )

    def chunks(self, n_sums):
        """Return the batch cut into chunks of rows, in order."""
        # Each chunk yields `n_sums` numbers, which are added in order: see
        # `summed_chunks`.
        slices = summed_chunks(len(self.classes), n_sums)
        if len(slices) == 1:
            return [self]
        return [
            Batch(
                self.table.slice_rows(rows),
                self.classes[rows],
                self.weight[rows],
                self.n_classes,
            )
            for rows in slices
        ]

    @cached_property
    def _rows_by_class(self):
        order = np.argsort(self.classes, kind="stable")
        n_rows = np.bincount(self.classes, minlength=self.n_classes)
        return order, np.concatenate([[0], np.cumsum(n_rows)])

    def rows_of(self, class_code):
        """Return the rows of a class, in order."""
        order, start = self._rows_by_class
        return order[start[class_code] : start[class_code + 1]]


@dataclass
class LeftOutRows:
    """Rows of a batch, left out one at a time."""

    batch: Batch
    rows: np.ndarray  # (r,), a chunk of the left-out rows
    # Whether all left-out rows, in this chunk and the others, have one removed weight.
    equal_weights: bool

    @cached_property
    def classes(self):
        """Return the class code of each row."""
        return self.batch.classes[self.rows]

    @cached_property
    def removed(self):
        """Return the weight of each row, all of which is removed."""
        return self.batch.weight[self.rows]

    @cached_property
    def table(self):
        """Return the table of these rows."""
        return self.batch.table.take(self.rows)

    def part(self, chunk):
        """Return a chunk of these rows."""
        return replace(self, rows=self.rows[chunk])

    def without_row(self, cells, row):
        """Return the other cells of a row's class, and their weights."""
        # cells: (n,), a column of the batch's table; missing cells are omitted.
        rows = self.batch.rows_of(self.batch.classes[row])
        rows = rows[(rows != row) & ~np.isnan(cells[rows])]
        return cells[rows], self.batch.weight[rows]


def label_arrays(batch):
    """Return class codes and weights in the form that kernels take."""
    return frozen(batch.classes, np.int32), frozen(batch.weight, np.float64)


class StoredCells(CellRows):
    """The stored cells of a sparse table; the others are 0."""


def stored_cells(table, positions, values=None):
    """Return the stored cells of a sparse table, as counts and look-ups take them."""
    if values is not None:
        values = frozen(values, np.float64)
    return StoredCells(
        frozen(table.values.indptr, np.int64), frozen(positions, np.int32), values
    )


def stored_columns(table, columns):
    """Return each stored cell's column as an index into `columns`, or their number."""
    index = np.full(table.n_columns, len(columns), dtype=np.int32)
    index[columns] = np.arange(len(columns))
    return index[table.values.indices]
