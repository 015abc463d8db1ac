"""A table of any source as columns: numbers with NaN, labels as codes.

Three sources share one interface. A dense numeric array is never copied: its cells
are converted block by block. Anything with labels in it (strings, categories,
booleans) is a list of columns. Sparse rows stay sparse.
"""

from abc import ABC, abstractmethod

import numpy as np

from ._labels import Labels, drop_unused

# Rows converted at a time. Sums of floats run over these blocks in order, so the
# number is part of the answer's last bits: it depends on nothing.
BLOCK_ROWS = 4096


class Table(ABC):
    """Columns of a table; see the module's first lines.

    Attributes
    ----------
    names : list of str
        How messages call the columns.
    n_rows, n_columns : int
    is_sparse : bool
    """

    is_sparse = False

    def __init__(self, names, n_rows):
        self.names = names
        self.n_rows = n_rows
        self.n_columns = len(names)

    def labels(self, column):
        """Return the :class:`Labels` of a column, None where it holds numbers."""
        return None

    @abstractmethod
    def numbers(self, columns, rows):
        """Return the cells of some columns and a slice of rows as float64, C order."""

    @abstractmethod
    def take(self, rows):
        """Return the table of some rows (a mask or indices)."""

    def block_rows(self):
        """Yield slices of `BLOCK_ROWS` rows, in order."""
        for i in range(0, self.n_rows, BLOCK_ROWS):
            yield slice(i, min(i + BLOCK_ROWS, self.n_rows))

    def blocks(self, columns):
        """Yield ``(slice, numbers)`` over blocks of `BLOCK_ROWS` rows, in order."""
        for rows in self.block_rows():
            yield rows, self.numbers(columns, rows)

    def column(self, column):
        """Return all the numbers of one column, as float64."""
        return self.numbers(np.array([column]), slice(0, self.n_rows))[:, 0]

    def refuse_infinity(self, column):
        """Raise the error of an infinite cell."""
        raise ValueError(
            f"Input X contains infinity in column {self.names[column]!r}. Replace it "
            "by a finite number, or by NaN if the value is not known."
        )


class DenseTable(Table):
    """A two-dimensional array of numbers."""

    def __init__(self, names, values):
        super().__init__(names, values.shape[0])
        self.values = values

    def numbers(self, columns, rows):
        """Return the cells as float64, without a copy where they already are."""
        cells = self.values[rows, _as_slice(columns)]
        block = np.ascontiguousarray(cells, dtype=np.float64)
        if (place := _infinite_column(block)) is not None:
            self.refuse_infinity(columns[place])
        return block

    def take(self, rows):
        """Return the table of some rows."""
        return DenseTable(self.names, self.values[rows])


class ColumnTable(Table):
    """Columns of different kinds: arrays of numbers, and :class:`Labels`."""

    def __init__(self, names, columns, n_rows):
        super().__init__(names, n_rows)
        self.columns = columns

    def labels(self, column):
        """Return the :class:`Labels` of a column, None where it holds numbers."""
        cells = self.columns[column]
        return cells if isinstance(cells, Labels) else None

    def numbers(self, columns, rows):
        """Return the cells as float64; booleans are 0 and 1, other labels refused."""
        n_rows = len(range(*rows.indices(self.n_rows)))
        block = np.empty((n_rows, len(columns)))
        for place, column in enumerate(columns):
            block[:, place] = self._numbers_of(column, rows)
        if (place := _infinite_column(block)) is not None:
            self.refuse_infinity(columns[place])
        return block

    def _numbers_of(self, column, rows):
        cells = self.columns[column]
        if not isinstance(cells, Labels):
            return cells[rows]
        if not all(isinstance(label, bool | np.bool_) for label in cells.categories):
            raise TypeError(
                f"Column {self.names[column]!r} holds labels (such as "
                f"{cells.categories[0]!r}) where numbers are needed: choose "
                "distribution='categorical' for it, or convert it to numbers."
            )
        values = np.append(cells.categories.astype(np.float64), np.nan)
        return values[cells.codes[rows]]  # MISSING = -1 is the NaN at the end

    def take(self, rows):
        """Return the table of some rows, without the labels that no row has."""
        taken = [
            drop_unused(Labels(cells.categories, cells.codes[rows]))
            if isinstance(cells, Labels)
            else cells[rows]
            for cells in self.columns
        ]
        n_rows = len(np.arange(self.n_rows)[rows])
        return ColumnTable(self.names, taken, n_rows)


class SparseTable(Table):
    """Sparse rows (CSR): a cell that is not stored is the number 0."""

    is_sparse = True

    def __init__(self, names, values):
        super().__init__(names, values.shape[0])
        self.values = values
        if len(infinite := np.flatnonzero(np.isinf(values.data))):
            self.refuse_infinity(values.indices[infinite[0]])

    def numbers(self, columns, rows):
        """Return the cells of a few rows or columns, dense."""
        cells = self.values[rows][:, columns]
        return np.ascontiguousarray(cells.toarray(), dtype=np.float64)

    def take(self, rows):
        """Return the table of some rows."""
        return SparseTable(self.names, self.values[rows])


def _as_slice(columns):
    """Return neighbouring columns as a slice, which indexes without a copy."""
    first, last = columns[0], columns[-1]
    neighbours = last - first + 1 == len(columns) and np.all(np.diff(columns) == 1)
    return slice(first, last + 1) if neighbours else columns


def _infinite_column(block):
    """Return the place of a column with an infinite cell, None if there is none."""
    # One pass at memory speed; a sum that overflows or meets a NaN is looked at again.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return None
    where = np.flatnonzero(np.isinf(block).any(axis=0))
    return int(where[0]) if len(where) else None
