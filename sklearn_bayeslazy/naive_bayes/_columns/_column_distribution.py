"""What the columns of one distribution do in a naive Bayes model: the shared interface.

A model is a list of families: the discrete columns, the Poisson columns and the
Gaussian columns. Each keeps additive statistics of its columns, turns them into
m-estimates, and adds log P(x | class) to the rows that it is shown.
"""

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._parallel import map_tasks
from ...tabular import Table

# Rows whose statistics are summed on their own; a part of the answer's last bits.
PIECE_ROWS = 2**16
# log x! of a larger number, times a few columns, overflows.
LARGEST_COUNT = 1e300
# Bytes that the sums of all pieces may take together.
_LARGEST_SUMS = 2**26


@dataclass
class Batch:
    """Labelled rows: a table, the class code and the weight of each row."""

    table: Table
    classes: np.ndarray  # int32, (n,)
    weight: np.ndarray  # float64, (n,)
    n_classes: int

    @cached_property
    def class_count(self):
        """Return the mass of each class, of shape (n_classes,)."""
        return np.bincount(self.classes, self.weight, self.n_classes)

    def pieces(self, n_sums):
        """Return the batch cut into pieces of `PIECE_ROWS` rows, in order.

        Pieces are summed on their own, by any number of threads, and then in order,
        so that the sums have the same last bits whatever that number is. Where the
        `n_sums` numbers of all pieces would take much memory, there is one piece.
        """
        n_rows = len(self.classes)
        n_pieces = math.ceil(n_rows / PIECE_ROWS)
        if n_pieces <= 1 or 8 * n_sums * n_pieces > _LARGEST_SUMS:
            return [self]
        return [
            Batch(
                self.table.piece(slice(i, i + PIECE_ROWS)),
                self.classes[i : i + PIECE_ROWS],
                self.weight[i : i + PIECE_ROWS],
                self.n_classes,
            )
            for i in range(0, n_rows, PIECE_ROWS)
        ]

    @cached_property
    def _sorted(self):
        order = np.argsort(self.classes, kind="stable")
        masses = np.bincount(self.classes, minlength=self.n_classes)
        return order, np.concatenate([[0], np.cumsum(masses)])

    def rows_of(self, class_code):
        """Return the rows of a class, in order."""
        order, start = self._sorted
        return order[start[class_code] : start[class_code + 1]]


@dataclass
class LeftOutRows:
    """Rows that are left out one by one: where they are, and how much of each goes."""

    batch: Batch
    rows: np.ndarray  # (r,)
    equal_masses: bool  # of all rows that are left out, not only of these

    @cached_property
    def classes(self):
        """Return the class code of each row."""
        return self.batch.classes[self.rows]

    @cached_property
    def removed(self):
        """Return the mass that leaves with each row: one copy of it, min(1, weight)."""
        return np.minimum(1.0, self.batch.weight[self.rows])

    @cached_property
    def table(self):
        """Return the table of these rows."""
        return self.batch.table.take(self.rows)

    def without_row(self, cells, row, removed):
        """Return the known cells of the row's class and their weights, one copy less.

        `cells` (n,) is a column of the batch's table.
        """
        rows = self.batch.rows_of(self.batch.classes[row])
        weight = self.batch.weight[rows]
        weight[rows == row] -= removed
        left = (weight > 0) & ~np.isnan(cells[rows])
        return cells[rows][left], weight[left]


class Family(ABC):
    """The columns of one distribution; `columns` says which of the table.

    Statistics are never changed in place: a failed call leaves the former model.
    """

    columns: np.ndarray

    @abstractmethod
    def sums(self, batch):
        """Return the statistics of the batch, a list of arrays."""

    @abstractmethod
    def add(self, sums, more):
        """Return the statistics of two batches together."""

    @abstractmethod
    def with_statistics(self, sums):
        """Return this family with these statistics."""

    @abstractmethod
    def statistics_size(self, n_classes):
        """Return how many numbers the statistics are."""

    def counted(self, batch, n_jobs=None):
        """Return this family with the statistics of the batch alone."""
        pieces = batch.pieces(self.statistics_size(batch.n_classes))
        sums = map_tasks(self.sums, pieces, n_jobs=n_jobs)
        return self.with_statistics(functools.reduce(self.add, sums))

    @abstractmethod
    def merged(self, other):
        """Return this family with the statistics of both."""

    @abstractmethod
    def spread(self, places, n_classes):
        """Return this family with its classes at `places` among `n_classes`."""

    @abstractmethod
    def estimate(self, m, priors):
        """Set the m-estimates; `m` (d,) and `priors` (d entries) are the table's."""

    @abstractmethod
    def scorer(self, table):
        """Return a function ``prepare(rows)`` of slices of rows of a table.

        What that returns, ``add(out, first, last)``, adds log P(x | class) to `out`
        (n_rows, n_classes), over columns first … last - 1 of this family, by default
        all. On a sparse table both the rows and the columns must be all there are.
        """

    @abstractmethod
    def leave_out(self, left_out):
        """Return a function ``add(m, priors, out)`` for rows left out one by one.

        It adds log P(x | class) to `out` (r, n_classes), each row under the model
        that has not seen it.
        """


def check_counts(low, high, names):
    """Raise an error if numbers from `low` to `high` cannot be Poisson counts."""
    if low < 0:
        raise ValueError(
            "Negative values in data passed to a Poisson distribution, which needs "
            "counts, x ≥ 0. Choose another distribution for the columns among "
            f"{_shorten(names)} that hold numbers below 0."
        )
    if high > LARGEST_COUNT:
        raise ValueError(
            f"Counts above {LARGEST_COUNT:g} are too large for a Poisson distribution: "
            f"rescale the columns among {_shorten(names)} that hold them."
        )


def _shorten(names):
    return str(names if len(names) <= 10 else [*names[:10], "..."])
