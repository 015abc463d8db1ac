"""Labelled rows as the columns learn from them, and rows that are left out of them."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...tabular import Table

# Statistics are summed chunk by chunk. The size is part of the answer's last bits.
ROWS_PER_CHUNK = 2**16
# Bytes that the sums of all chunks may take together.
_MAX_SUM_BYTES = 2**26


@dataclass
class Batch:
    """Labelled rows: a table, the class code and the weight of each row."""

    table: Table
    classes: np.ndarray  # int32, (n,)
    weight: np.ndarray  # float64, (n,)
    n_classes: int

    @cached_property
    def class_count(self):
        """Return the total weight of each class, of shape (n_classes,)."""
        return np.bincount(self.classes, self.weight, self.n_classes)

    def chunks(self, n_sums):
        """Return the batch cut into chunks of `ROWS_PER_CHUNK` rows, in order.

        Each chunk is summed separately, by any number of threads. The sums are then
        added in order, so their last bits do not depend on the number of threads.
        There is one chunk if the `n_sums` numbers of all chunks would take too much
        memory.
        """
        n_rows = len(self.classes)
        n_chunks = math.ceil(n_rows / ROWS_PER_CHUNK)
        if n_chunks <= 1 or 8 * n_sums * n_chunks > _MAX_SUM_BYTES:
            return [self]
        return [
            Batch(
                self.table.slice_rows(slice(i, i + ROWS_PER_CHUNK)),
                self.classes[i : i + ROWS_PER_CHUNK],
                self.weight[i : i + ROWS_PER_CHUNK],
                self.n_classes,
            )
            for i in range(0, n_rows, ROWS_PER_CHUNK)
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
    """Rows of a batch that are left out one by one, and the weight each one loses."""

    batch: Batch
    rows: np.ndarray  # (r,)
    equal_weights: bool  # whether all rows left out, not only these, lose the same

    @cached_property
    def classes(self):
        """Return the class code of each row."""
        return self.batch.classes[self.rows]

    @cached_property
    def removed(self):
        """Return the weight that each row loses: that of one copy, min(1, weight)."""
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
