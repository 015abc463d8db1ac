"""A table of any source as columns: numbers with NaN, labels as codes.

Three sources share one interface. A dense numeric array is never copied: its cells
are converted block by block. A table with labels (strings, categories, booleans) is a
list of columns. Sparse rows stay sparse.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy import sparse

from .._core._arrays import canonical_csr
from .._core._kernel import kernel
from .._core._parallel import slices_of
from ._labels import MISSING, Labels, drop_unused, missing_cells, object_array

# Cells per block that is converted: they stay in the cache until they have been used.
# Sums of floats run over these blocks in order, so their size affects the last bits of
# the sums. It depends on the table's shape, type and layout only.
_CELLS_PER_BLOCK = 2**17
# Cells per block that needs no conversion; more, because each block costs a call.
_UNCONVERTED_CELLS_PER_BLOCK = 2**19


class Table(ABC):
    """Columns of a table, the interface of all three sources."""

    # names: of the columns, in messages. labels_of_columns: the user's names: the
    # labels of a frame, or the indices. declared: {column: ndarray, pandas.Index or
    # polars.Series}, the values of columns that are known beforehand, including those
    # that no row has; see `find_categories`. The tables of some of the rows have them
    # too. A source implements `_floats`, `take` and `slice_rows`; `labels` if it has
    # any.

    is_sparse = False

    def __init__(self, names, n_rows, labels_of_columns=None, declared=None):
        self.names = names
        self.labels_of_columns = labels_of_columns or list(range(len(names)))
        self.declared = declared or {}
        self.n_rows = n_rows
        self.n_columns = len(names)

    @property
    def shape(self):
        """Return (n_rows, n_columns), as arrays and frames have it."""
        return self.n_rows, self.n_columns

    def labels(self, column):
        """Return the :class:`Labels` of a column, None where it holds numbers."""
        return None

    def labels_or_numbers(self, column):
        """Return the :class:`Labels` of a column, its numbers if it has none."""
        labels = self.labels(column)
        return self.column(column) if labels is None else labels

    def is_categorical(self, column):
        """Return whether a column holds labels, or numbers that are all declared."""
        # `find_categories` returns its values.
        return self.labels(column) is not None or column in self.declared

    def are_categorical(self):
        """Return whether each column is categorical, a bool array (n_columns,)."""
        return np.array([self.is_categorical(j) for j in range(self.n_columns)], bool)

    def numbers(self, columns, rows, allow_infinity=False):
        """Return the cells of some columns and a slice of rows as float64, C order."""
        # Infinite cells raise a ValueError unless `allow_infinity`; then the caller
        # must check for them.
        block = self._floats(columns, rows)
        if not allow_infinity and (position := _infinite_column(block)) is not None:
            raise infinity_error(self.names[columns[position]])
        return block

    def require_numbers(self, columns):
        """Raise an error if one of the columns, which held numbers, holds labels."""
        for column in columns:
            labels = self.labels(column)
            if labels is not None and labels.kind not in ("bool", "nothing"):
                raise TypeError(
                    f"Column {self.names[column]!r} held numbers at fit and now holds "
                    f"labels (such as {labels.categories[0]!r}): convert it to numbers."
                )

    def read_by_column(self, columns, out):
        """Write all cells of some columns into the rows of `out`, float64."""
        # out: (len(columns), n_rows). Infinite cells are not refused; see
        # `infinity_error`.
        out[:] = self._floats(columns, slice(0, self.n_rows)).T

    @abstractmethod
    def _floats(self, columns, rows):
        """Return the cells of some columns and a slice of rows as float64, C order."""
        # (length of the slice, len(columns)); infinite cells are returned.

    def check_finite(self, columns):
        """Raise an error if some columns have an infinite cell."""
        for rows in self.block_rows():
            self.numbers(columns, rows)

    def cells(self, columns, rows):
        """Return the cells like :meth:`numbers`, but integers as int64."""
        return self.numbers(columns, rows)

    @abstractmethod
    def take(self, rows):
        """Return the table of some rows (a mask or indices)."""

    @abstractmethod
    def slice_rows(self, rows):
        """Return the table of a slice of rows, without a copy and with all labels."""

    def dense(self):
        """Return a table of the same cells that is not sparse."""
        return self

    def block_rows(self, converts=False):
        """Return slices of the rows of a block, in order."""
        # converts: whether the caller makes other numbers of the cells.
        size = Table._block_size(self) if converts else self._block_size()
        return slices_of(range(self.n_rows), size)

    def _block_size(self, cells=_CELLS_PER_BLOCK):
        return max(cells // max(self.n_columns, 1), 64)

    def column(self, column):
        """Return all the numbers of one column, as float64."""
        return self.numbers(np.array([column]), slice(0, self.n_rows))[:, 0]

    def is_missing(self, column):
        """Return which cells of a column are missing, a bool array (n_rows,)."""
        return missing_cells(self.labels_or_numbers(column))

    def has_missing_cells(self):
        """Return whether a cell of any column is missing."""
        return any(self.is_missing(j).any() for j in range(self.n_columns))

    def with_missing_indicators(self, columns):
        """Return the table with one more column for the missing cells of each given."""
        if not len(columns):
            return self
        every, categories = range(self.n_columns), object_array([False, True])
        more = [
            Labels(categories, self.is_missing(j).astype(np.int32)) for j in columns
        ]
        names = [missing_indicator(self.names[j]) for j in columns]
        return ColumnTable(
            [*self.names, *names],
            [*map(self.labels_or_numbers, every), *more],
            self.n_rows,
            [*self.labels_of_columns, *names],
            self.declared,
        )

    def distinct(self, column):
        """Return a list of the values of a column, and the codes of its cells."""
        # Numbers have codes too. Values are ascending, of labels those without a cell
        # included; missing cells have the code `MISSING`.
        if (labels := self.labels(column)) is not None:
            return labels.categories.tolist(), labels.codes
        numbers = self.column(column)
        values, codes = np.unique(numbers, return_inverse=True)
        codes = np.where(np.isnan(numbers), MISSING, codes)
        return values[~np.isnan(values)].tolist(), codes


def missing_indicator(name):
    """Return the name of the column that is the indicator of missing cells."""
    return f"{name} is missing"


class DenseTable(Table):
    """A two-dimensional array of numbers."""

    def __init__(self, names, values, declared=None):
        super().__init__(names, values.shape[0], declared=declared)
        self.values = values

    def _floats(self, columns, rows):
        cells = self.values[rows, _as_slice(columns)]  # no copy where none is needed
        with np.errstate(over="ignore"):  # an extended float may become infinite
            return np.ascontiguousarray(cells, dtype=np.float64)

    def read_by_column(self, columns, out):
        """Write all cells of some columns into the rows of `out`."""
        cells = self.values[:, _as_slice(columns)].view()
        if cells.dtype == np.float64:
            cells.flags.writeable = False  # so that the kernel is compiled for one type
            transpose(cells, out)
        else:
            with np.errstate(over="ignore"):
                out[:] = cells.T

    def take(self, rows):
        """Return the table of some rows."""
        return DenseTable(self.names, self.values[rows], self.declared)

    def cells(self, columns, rows):
        """Return the cells as int64 where they are integers, as float64 otherwise."""
        if self.values.dtype.kind == "f" or self.values.dtype == np.uint64:
            return self.numbers(columns, rows)
        cells = self.values[rows, _as_slice(columns)]
        return np.ascontiguousarray(cells, dtype=np.int64)

    slice_rows = take

    def _block_size(self):
        is_ready = self.values.dtype == np.float64 and self.values.flags.c_contiguous
        return super()._block_size(
            _UNCONVERTED_CELLS_PER_BLOCK if is_ready else _CELLS_PER_BLOCK
        )


@kernel
def transpose(rows, columns):
    """Write rows (n, d), of any layout, into columns (d, n)."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            columns[j, i] = rows[i, j]


class ColumnTable(Table):
    """Columns of different kinds: arrays of numbers, and :class:`Labels`."""

    def __init__(self, names, columns, n_rows, labels_of_columns=None, declared=None):
        super().__init__(names, n_rows, labels_of_columns, declared)
        self.columns = columns

    def labels(self, column):
        """Return the :class:`Labels` of a column, None where it holds numbers."""
        cells = self.columns[column]
        return cells if isinstance(cells, Labels) else None

    def _floats(self, columns, rows):
        n_rows = len(range(*rows.indices(self.n_rows)))
        block = np.empty((n_rows, len(columns)))
        for position, column in enumerate(columns):
            block[:, position] = self._numbers_of(column, rows)
        return block

    def read_by_column(self, columns, out):
        """Write all cells of some columns into the rows of `out`."""
        for position, column in enumerate(columns):
            out[position] = self._numbers_of(column, slice(0, self.n_rows))

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
        return values[cells.codes[rows]]  # MISSING = -1 indexes the NaN at the end

    def take(self, rows):
        """Return the table of some rows, with those labels that occur in them."""
        some = self.slice_rows(rows)
        columns = [
            drop_unused(cells) if isinstance(cells, Labels) else cells
            for cells in some.columns
        ]
        return self._with_columns(columns, some.n_rows)

    def slice_rows(self, rows):
        """Return the table of some rows, with all labels."""
        columns = [
            Labels(cells.categories, cells.codes[rows])
            if isinstance(cells, Labels)
            else cells[rows]
            for cells in self.columns
        ]
        return self._with_columns(columns, len(np.arange(self.n_rows)[rows]))

    def _with_columns(self, columns, n_rows):
        return ColumnTable(
            self.names, columns, n_rows, self.labels_of_columns, self.declared
        )


class SparseTable(Table):
    """Sparse rows (CSR, no cell stored twice); cells that are not stored are zeros."""

    is_sparse = True

    def __init__(self, names, values, declared=None):
        super().__init__(names, values.shape[0], declared=declared)
        self.values = values = canonical_csr(values)
        if len(infinite := np.flatnonzero(np.isinf(values.data))):
            raise infinity_error(names[values.indices[infinite[0]]])

    def _floats(self, columns, rows):
        cells = self.values[rows][:, columns]
        return np.ascontiguousarray(cells.toarray(), dtype=np.float64)

    def take(self, rows):
        """Return the table of some rows."""
        return SparseTable(self.names, self.values[rows], self.declared)

    slice_rows = take

    def block_rows(self, converts=False):
        """Return all rows as one slice, because the stored cells are small."""
        return [slice(0, self.n_rows)]

    def dense(self):
        """Return a table of the same cells that is not sparse."""
        return DenseTable(self.names, self.values.toarray(), self.declared)

    def by_column(self, columns):
        """Return some columns as CSC, and the index of each cell in the CSR data."""
        order = self._order[:, columns]
        cells = (self.values.data[order.data], order.indices, order.indptr)
        return sparse.csc_array(cells, shape=order.shape), order.data

    @cached_property
    def _order(self):
        """Return the CSC matrix of each cell's index in the CSR data."""
        values = self.values
        indices = (np.arange(values.nnz), values.indices, values.indptr)
        return sparse.csr_array(indices, shape=values.shape).tocsc()

    def column(self, column):
        """Return all the numbers of one column, as float64."""
        order = self._order
        stored = slice(order.indptr[column], order.indptr[column + 1])
        cells = np.zeros(self.n_rows)
        cells[order.indices[stored]] = self.values.data[order.data[stored]]
        return cells


def infinity_error(name):
    """Return the error of an infinite cell in the column `name`."""
    return ValueError(
        f"Input X contains infinity in column {name!r}. Replace it by a finite number, "
        "or by NaN if the value is not known."
    )


def _as_slice(columns):
    """Return adjacent columns as a slice, which indexes without a copy."""
    first, last = columns[0], columns[-1]
    is_adjacent = last - first + 1 == len(columns) and (
        len(columns) == 1 or bool((columns[1:] > columns[:-1]).all())
    )
    return slice(first, last + 1) if is_adjacent else columns


def _infinite_column(block):
    """Return the index of a column with an infinite cell, None if there is none."""
    # One fast pass; only where the sum overflows or is NaN, every cell is tested.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return None
    where = np.flatnonzero(np.isinf(block).any(axis=0))
    return int(where[0]) if len(where) else None
