"""Rows of a table that are encoded when they are read, so that no copy is kept."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Rows of a table as points, encoded whenever they are read."""

    table: object  # Table
    encode: Callable  # returns the points (n_rows, n_encoded) of a table

    @property
    def shape(self):
        """Return the numbers of rows and of encoded columns."""
        return len(self), self[:0].shape[1]

    def __len__(self):
        return self.table.n_rows

    def __getitem__(self, rows):
        """Return some rows: a slice, or indices in an array of any number of axes."""
        if isinstance(rows, slice):
            return self.encode(self.table.slice_rows(rows))
        points = self.encode(self.table.slice_rows(rows.ravel()))
        return points.reshape(*rows.shape, points.shape[1])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[:], dtype=dtype)
