"""Rows of a table as points whose Euclidean distance is a mixed distance.

With ``numbers="deviations"`` and ``symbols="value_differences"`` it is HVDM, the
heterogeneous value difference metric, with m-estimates for P(class | value): numbers
add ((a - b) / 4σ)² to the squared distance, symbols Σ_c (P(c | a) - P(c | b))².

Source: D. R. Wilson and T. R. Martinez (1997), Improved heterogeneous distance
functions, JAIR 6.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...tabular import Table, symbol_codebook
from ._columns import (
    Deviations,
    GivenNumbers,
    Indicators,
    NormalScores,
    NumbersAndMissing,
    ValueMeans,
    set_missing_apart,
)

_NUMBER_COLUMNS = {
    "given": GivenNumbers,
    "deviations": Deviations,
    "normal_scores": NormalScores,
}


class TableEmbedding:
    """Maps the rows of tables to points, by what it learnt from the training rows."""

    # The embedding keeps no rows. Its numbers do not depend on the order of the
    # training rows, and integer weights equal repetition.
    #
    # column_of: (n_embedded,), the table's column that each embedded column comes from.
    # suffixes: of each embedded column, "_" and its target or value, "" for the only
    # one of a column. names: the names of the columns in the table, with the suffixes.
    # ms: {column: m} of the columns that became value means.
    # n_values: (n_columns,), number of values of columns of symbols, 0 for numbers.
    # has_symbols: whether there are such columns; is_number: (n_embedded,), bool;
    # tells_missing: (n_embedded,), bool, how far missing numbers are from others.

    def __init__(
        self,
        table,
        targets,
        weight,
        *,
        numbers="deviations",
        missing_apart=False,
        symbols="value_differences",
        m=1.0,
        max_indicators=10,
        target_names=None,
    ):
        # targets: (n, n_targets), indicators of the classes, or standardised numbers.
        # Without targets (None), symbols become indicators. weight: (n,), above 0.
        # numbers: a key of `_NUMBER_COLUMNS`.
        # missing_apart: whether a second column sets missing numbers apart from others
        # if they tell of the targets, which must then be given.
        # symbols: "value_differences" or "indicators", for `ValueMeans` or
        # `Indicators`. A column is one of symbols if the table treats it as
        # categorical.
        # m: weight of the prior in `ValueMeans`, ≥ 0; "loo": chosen for each column.
        # max_indicators: a column of more values becomes value means even if
        # symbols="indicators"; without targets, indicators of its most frequent values.
        # target_names: for the suffixes; by default the targets' indices.
        columns, is_symbol = np.arange(table.n_columns), table.are_categorical()
        self._numeric, self._codebook = columns[~is_symbol], symbol_codebook(table)
        targets = None if targets is None else _without_redundancy(targets)
        self.n_values = np.zeros(table.n_columns, dtype=np.int64)
        self.n_values[is_symbol] = np.maximum(self._codebook.sizes, 1)
        self._columns, self.ms = {}, {}
        for j, cells in self._cells(table):
            if not is_symbol[j]:
                column = _NUMBER_COLUMNS[numbers](cells, weight)
                if missing_apart:
                    column = set_missing_apart(column, cells, weight, targets)
                self._columns[j] = column
                continue
            n_seen = len(np.unique(cells[cells >= 0]))
            few = symbols == "indicators" and n_seen <= max_indicators
            if targets is None or few:
                column = Indicators.fit(cells, self.n_values[j], weight, max_indicators)
            else:
                column = ValueMeans.fit(cells, self.n_values[j], targets, weight, m)
                self.ms[int(j)] = column.m
            self._columns[j] = column
        suffixes = [self._suffixes_of(j, target_names) for j in columns]
        self.suffixes = [suffix for some in suffixes for suffix in some]
        self.column_of = np.repeat(columns, [len(some) for some in suffixes])
        self.has_symbols = bool(is_symbol.any())
        is_first = np.diff(self.column_of, prepend=-1) > 0
        self.tells_missing = ~is_symbol[self.column_of] & ~is_first
        self.is_number = ~is_symbol[self.column_of] & is_first
        self._are_given = numbers == "given" and bool(self.is_number.all())
        self.names = [
            table.names[j] + suffix for j, suffix in zip(self.column_of, self.suffixes)
        ]

    def transform(self, table):
        """Return the points of new rows: a C-ordered array (n, n_embedded)."""
        # Symbols that the training rows do not have are treated as missing cells.
        # Raises a TypeError if a column holds symbols where the training rows held
        # numbers, or numbers where they held strings.
        if self._are_given:
            return self._given_numbers(table)
        points = np.empty((table.n_rows, len(self.column_of)))
        start = np.searchsorted(self.column_of, np.arange(len(self._columns) + 1))
        for j, cells in self._cells(table):
            encoded = points[:, start[j] : start[j + 1]]
            encoded[:] = self._columns[j].transform(cells).reshape(encoded.shape)
        return points

    def _given_numbers(self, table):
        """Return the rows of a table without symbols; no second array is made."""
        table.require_numbers(self._numeric)
        numbers = table.numbers(self._numeric, slice(0, table.n_rows))
        missing = np.isnan(numbers)
        if not missing.any():
            return numbers
        means = [self._columns[j].mean for j in self._numeric]
        return np.where(missing, means, numbers)

    def inverse_scores(self, points):
        """Return points (n, n_embedded) with numbers in place of normal scores."""
        points = points.copy()
        for j, _, scores in self._columns_of_numbers():
            points[:, j] = scores.inverse(points[:, j])
        return points

    def slopes(self, table):
        """Return the slopes of points at the rows along numbers; 1 for symbols."""
        # (n, n_embedded), for numbers as they are or normal scores.
        slopes = np.ones((table.n_rows, len(self.column_of)))
        for j, column, numbers in self._columns_of_numbers():
            if isinstance(numbers, NormalScores):
                cells = table.numbers([column], slice(0, table.n_rows))[:, 0]
                slopes[:, j] = numbers.slope(cells)
        return slopes

    def _columns_of_numbers(self):
        """Yield the embedded column, the column of the table, and the encoding."""
        for j, column in zip(np.flatnonzero(self.is_number), self._numeric):
            numbers = self._columns[column]
            if isinstance(numbers, NumbersAndMissing):
                numbers = numbers.numbers
            yield j, column, numbers

    def training_rows(self, table, targets, weight, points=None):
        """Return the points of the training rows, each encoded without itself."""
        # A symbol of row i becomes (S - wᵢ yᵢ + m ȳ) / (n - wᵢ + m), where S and n are
        # the sums of w y and w over the training rows with this symbol. Numbers, ȳ and
        # m are those of all rows. So a symbol that only one row has becomes ȳ: it does
        # not reveal that row's target.
        # table, targets, weight: as given to the class; points: (n, n_embedded), what
        # `transform` returns for the table, if it is known.
        points = self.transform(table) if points is None else points.copy()
        encode = ValueMeans.left_out
        return self._encode_value_means(points, table, targets, encode, weight)

    def cross_fitted(self, table, targets, weight, folds):
        """Return the points of the training rows, each encoded by other folds' rows."""
        # Rows of one fold that have the same symbol get the same point, so that the
        # points do not reveal the targets of these rows. Numbers, ȳ and m are those of
        # all rows.
        # table, targets, weight: as given to the class; folds: (n,), fold of each row.
        encode, given = ValueMeans.cross_fitted, (weight, folds)
        points = self.transform(table)
        return self._encode_value_means(points, table, targets, encode, *given)

    def _encode_value_means(self, points, table, targets, encode, *given):
        """Replace the points of the columns that depend on the targets."""
        # points: (n, n_embedded), overwritten. encode(column, cells, targets, *given)
        # returns those of a column.
        if targets is None:
            return points
        targets = _without_redundancy(targets)
        for j, cells in self._codebook.read_by_column(table):
            if isinstance(self._columns[j], ValueMeans):
                encoded = encode(self._columns[j], cells, targets, *given)
                points[:, self.column_of == j] = encoded
        return points

    def _cells(self, table):
        """Yield each column's index and its cells: numbers, or codes of symbols."""
        rows = slice(0, table.n_rows)
        if len(self._numeric):
            table.require_numbers(self._numeric)
            yield from zip(self._numeric, table.numbers(self._numeric, rows).T)
        yield from self._codebook.read_by_column(table)

    def _suffixes_of(self, j, target_names):
        """Return the suffixes of the embedded columns of one column."""
        column = self._columns[j]
        parts = [None]
        if isinstance(column, NumbersAndMissing):
            return ["", "_missing"]
        if isinstance(column, ValueMeans):
            parts = range(len(column.prior))
            if target_names is not None and len(parts) == len(target_names):
                parts = target_names
        elif isinstance(column, Indicators) and column.corners.shape[1] > 1:
            values = self._codebook.values[np.searchsorted(self._codebook.columns, j)]
            parts = values[column.listed]
        return [f"_{part}" for part in parts] if len(parts) > 1 else [""]


def _without_redundancy(targets):
    """Return targets at the same distances in one column if two sum to 1."""
    # The indicators of two classes do: |Δp|² + |Δ(1 - p)|² = (√2 Δp)².
    if targets.shape[1] == 2 and np.all(targets.sum(axis=1) == 1):
        return np.sqrt(2) * targets[:, 1:]
    return targets


# Rows that are transformed when they are read, so that no copy is kept.

# Tables of more cells, above 128 MiB, are transformed each time they are read: this
# more than doubles the time of a fit, and saves one of two copies.
MAX_CELLS_TO_KEEP = 2**24


@dataclass(frozen=True, eq=False)
class TransformedRows:
    """Rows that are transformed whenever they are read."""

    rows: object  # n of them: a Table, an ndarray, a sparse array, or TransformedRows
    transform: Callable  # returns the points (n_rows, n_columns) of some of them

    @property
    def shape(self):
        """Return the numbers of rows and of transformed columns."""
        return len(self), self[:0].shape[1]

    def __len__(self):
        return self.rows.shape[0]

    def __getitem__(self, rows):
        """Return some rows: a slice, or indices in an array of any number of axes."""
        is_slice = isinstance(rows, slice)
        flat = rows if is_slice else rows.ravel()
        is_table = isinstance(self.rows, Table)
        points = self.transform(
            self.rows.slice_rows(flat) if is_table else self.rows[flat]
        )
        if is_slice or rows.ndim == 1:
            return points
        return points.reshape(*rows.shape, points.shape[1])

    def kept_if_small(self):
        """Return the points of all rows if they may be kept, or these rows."""
        return self[:] if np.prod(self.shape) <= MAX_CELLS_TO_KEEP else self

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[:], dtype=dtype)
