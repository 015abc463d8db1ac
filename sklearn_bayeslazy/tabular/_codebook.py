"""Encodes cells as 0 … K-1 by the categories or cut points of their column."""

import numpy as np

from .._core._parallel import map_tasks
from ._categories import find_categories
from ._labels import MISSING, Labels, kind_of, object_array
from ._number_codes import UNKNOWN, NumberCodes, with_offset


class Codebook:
    """The categories or cut points by which the cells of some columns are encoded."""

    # columns: (d,), of the table, in the order of the columns of codes; values: for
    # each the sorted categories or the cut points; is_cut: bool (d,), which of the two.
    # sizes: (d,), K, the number of codes of each column. start: (d + 1,), where the
    # codes of each column begin in the concatenation of all columns' codes; the
    # position of a code is its index in that concatenation. numeric: indices, among
    # `columns`, of those that hold numbers.

    def __init__(self, columns, values, is_cut):
        self.columns = np.asarray(columns, dtype=np.int64)
        self.values = list(values)
        self.is_cut = np.asarray(is_cut, dtype=bool)
        lengths = np.fromiter(map(len, values), np.int64, len(self.values))
        self.sizes = lengths + self.is_cut
        numeric = [_is_numeric(column) for column in self.values]
        self.numeric = np.flatnonzero(numeric)
        self.start = np.concatenate([[0], np.cumsum(self.sizes)])
        values = [self.values[j] for j in self.numeric]
        self._numbers = NumberCodes(values, self.is_cut[self.numeric], self.numeric)

    def part(self, indices):
        """Return the codebook of some of the columns, in that order."""
        values = [self.values[j] for j in indices]
        return Codebook(self.columns[indices], values, self.is_cut[indices])

    @property
    def categories(self):
        """The sorted categories of each column, None where it is cut into bins."""
        pairs = zip(self.values, self.is_cut)
        return [None if is_cut else values for values, is_cut in pairs]

    @property
    def edges(self):
        """The cut points of each column, None where it has categories."""
        pairs = zip(self.values, self.is_cut)
        return [values if is_cut else None for values, is_cut in pairs]

    def extended(self, table):
        """Return the codebook with the categories of one more table; bins stay."""
        labelled, values = np.flatnonzero(~self.is_cut), list(self.values)
        found = find_categories(table, self.columns[labelled])
        for j, categories in zip(labelled, found):
            values[j] = categories
        return self.union(Codebook(self.columns, values, self.is_cut), table.names)

    def union(self, other, names):
        """Return the codebook of the categories of both; cut points must be equal."""
        # names: those of the table's columns, for messages.
        values = [
            _union(first, second, cut, names[column])
            for first, second, cut, column in zip(
                self.values, other.values, self.is_cut, self.columns
            )
        ]
        return Codebook(self.columns, values, self.is_cut)

    def positions_in(self, other):
        """Return the position of each concatenated code in another codebook."""
        positions = []
        for j, (first, second) in enumerate(zip(self.values, other.values)):
            same = self.sizes[j] == other.sizes[j]  # the other holds all values of this
            position = (
                np.arange(self.sizes[j]) if same else _positions_of(first, second)
            )
            positions.append(other.start[j] + position)
        return np.concatenate([*positions, np.empty(0, dtype=np.int64)]).astype(
            np.int64
        )

    def reader(self, table, refuse_unknown=False, *, as_positions=False):
        """Return a function from a slice of rows to their codes, or their positions."""
        # int32 of shape (n_rows, d): codes 0 … K-1, MISSING or UNKNOWN; as positions,
        # cells without a code have the one after the last, start[-1]. With
        # `refuse_unknown` a value that has no code raises an error instead.
        offset = np.zeros(len(self.columns), dtype=np.int64)
        missing, unknown = MISSING, UNKNOWN
        if as_positions:
            offset, missing = self.start[:-1], self.start[-1]
            unknown = missing + 1 if refuse_unknown else missing
        numeric = self.columns[self.numeric]
        table.require_numbers(numeric)
        encode_numbers = self._numbers.encoder(offset[self.numeric], missing, unknown)
        labelled = {}
        for j, values in enumerate(self.values):
            if not _is_numeric(values):
                codes = self._read_labels(table, self.columns[j], values)
                labelled[j] = with_offset(codes, offset[j], missing, unknown)

        def read(rows):
            n_rows = len(range(*rows.indices(table.n_rows)))
            codes = np.empty((n_rows, len(self.columns)), dtype=np.int32)
            if len(numeric):
                encode_numbers(table.cells(numeric, rows), codes)
            for j, column_codes in labelled.items():
                codes[:, j] = column_codes[rows]
            if refuse_unknown and np.any(is_unknown := codes == unknown):
                self._refuse_unknown(table, rows, is_unknown)
            return codes

        return read

    def read_by_column(self, table):
        """Yield the index of each column in the table, and the codes of its cells."""
        if len(self.columns):
            codes = self.reader(table)(slice(0, table.n_rows))
            yield from zip(self.columns, codes.T)

    def _refuse_unknown(self, table, rows, is_unknown):
        i, j = np.argwhere(is_unknown)[0]
        column = self.columns[j]
        labels = table.labels(column)
        if labels is None:
            value = table.numbers(np.array([column]), rows)[i, 0].item()
        else:
            value = labels.categories[labels.codes[rows][i]]
        raise ValueError(
            f"Found the unknown category {value!r} in column {table.names[column]!r}. "
            "Set unknown='ignore' to treat it as a missing cell."
        )

    def encode_stored(self, table, refuse_unknown=False):
        """Return the codes of the stored cells of a sparse table, in their order."""
        codes = np.full(table.values.nnz, MISSING, dtype=np.int32)
        by_column, order = table.by_column(self.columns)
        codes[order] = self._numbers.encode_stored(by_column.indptr, by_column.data)
        if refuse_unknown:
            self._refuse_unknown_stored(table, codes)
        return codes

    def _refuse_unknown_stored(self, table, codes):
        """Raise an error if there is an unknown value, stored or zero; name it."""
        n_stored = np.bincount(table.values.indices, minlength=table.n_columns)
        no_zero = self.columns[self.code_zero() == UNKNOWN]
        found = np.flatnonzero(codes == UNKNOWN)[:1]
        if len(found):
            row = np.searchsorted(table.values.indptr, found[0], side="right") - 1
        elif np.any(has_zeros := n_stored[no_zero] < table.n_rows):
            stored = table.values[:, [no_zero[has_zeros][0]]]
            row = np.flatnonzero(np.diff(stored.indptr) == 0)[0]
        else:
            return
        self.reader(table, refuse_unknown=True)(slice(row, row + 1))

    def code_zero(self):
        """Return the code of the number 0 in each column."""
        n = len(self.columns)
        return self._numbers.encode_stored(np.arange(n + 1), np.zeros(n))

    def _read_labels(self, table, column, categories):
        """Return the codes of a whole column in this codebook's categories."""
        labels = table.labels(column)
        if labels is None:
            labels = _numbers_as_labels(table, column, categories)
        elif len(categories) and labels.kind not in ("nothing", kind_of(categories)):
            raise TypeError(
                f"Column {table.names[column]!r} held labels of kind "
                f"{kind_of(categories)} at fit and now holds {labels.kind}: convert "
                "it to the same kind."
            )
        code_of = dict(zip(categories.tolist(), range(len(categories))))
        new = [code_of.get(label, UNKNOWN) for label in labels.categories.tolist()]
        return np.array([*new, MISSING], dtype=np.int32)[labels.codes]


def _numbers_as_labels(table, column, categories):
    """Return a column of numbers as labels, to be encoded by these categories."""
    cells = table.column(column)
    is_known = ~np.isnan(cells)
    if kind_of(categories) in ("str", "bytes") and is_known.any():
        raise TypeError(
            f"Column {table.names[column]!r} held labels (such as {categories[0]!r}) "
            f"at fit and now holds numbers (such as {cells[is_known][0].item()!r}): "
            "convert it to labels."
        )
    codes = np.full(len(cells), MISSING, dtype=np.int32)
    distinct, codes[is_known] = np.unique(cells[is_known], return_inverse=True)
    return Labels(distinct, codes)


def symbol_codebook(table):
    """Return the codebook of the categorical columns of a table."""
    columns = np.flatnonzero(table.are_categorical())
    return Codebook(columns, find_categories(table, columns), [False] * len(columns))


def learn_codebook(table, cut, n_jobs=None):
    """Return the codebook of all columns: labels by category, numbers by cut points."""
    # ``cut(column)`` returns the cut points of a column of numbers.
    is_cut = ~table.are_categorical()
    labelled, numeric = np.flatnonzero(~is_cut), np.flatnonzero(is_cut)
    values = dict(zip(labelled, find_categories(table, labelled)))
    values.update(zip(numeric, map_tasks(cut, numeric, n_jobs=n_jobs)))
    columns = np.arange(table.n_columns)
    return Codebook(columns, [values[j] for j in columns], is_cut)


def _is_numeric(values):
    return values.dtype.kind == "f"


def _positions_of(first, second):
    position = dict(zip(second.tolist(), range(len(second))))
    return np.array([position[value] for value in first.tolist()], dtype=np.int64)


def _union(first, second, cut, name):
    """Return the sorted values of both, in the kind of the first."""
    if len(first) == len(second) and np.all(first == second):
        return first
    if cut:
        raise ValueError(
            f"Column {name!r} is cut into different bins in the two models. Models can "
            "be merged only if they share their bin edges: start each by "
            "partial_fit on the same batch."
        )
    if not len(first) or not len(second):
        return first if len(first) else second
    if kind_of(first) != kind_of(second):
        raise TypeError(
            f"Column {name!r} held categories of kind {kind_of(first)} and now holds "
            f"{kind_of(second)}: convert it to the same kind."
        )
    if _is_numeric(first):
        return np.union1d(first, second.astype(np.float64))
    return object_array(sorted({*first.tolist(), *second.tolist()}))
