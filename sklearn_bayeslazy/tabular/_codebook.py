"""Cells to codes 0 … K-1: the categories or cut points of some columns of a table."""

import numpy as np

from .._kernel import frozen
from ._labels import LARGEST_INTEGER, MISSING, huge_numbers, kind_of, object_array
from ._tabular_kernels import (
    UNKNOWN,
    WINDOW,
    WINDOW_LOW,
    encode,
    encode_stored,
    mark_integers,
)


class Codebook:
    """What turns the cells of some columns into codes.

    Parameters
    ----------
    columns : array of shape (d,)
        Which columns of the table, in the order of the codes.
    values : list of d arrays
        The sorted categories of a column, or its cut points.
    is_cut : bool array of shape (d,)
        Whether `values` are cut points.

    Attributes
    ----------
    sizes : int array of shape (d,)
        K, the number of codes of each column.
    start : int array of shape (d + 1,)
        Where the codes of each column begin if all are laid end to end.
    numeric : int array
        The places of the columns that hold numbers.
    """

    def __init__(self, columns, values, is_cut):
        self.columns = np.asarray(columns, dtype=np.int64)
        self.values = list(values)
        self.is_cut = np.asarray(is_cut, dtype=bool)
        lengths = np.fromiter(map(len, values), np.int64, len(self.values))
        self.sizes = lengths + self.is_cut
        numeric = [_is_numeric(column) for column in self.values]
        self.numeric = np.flatnonzero(numeric)
        self.start = np.concatenate([[0], np.cumsum(self.sizes)])
        self._lay_out()

    def _lay_out(self):
        """Lay the numbers of all columns end to end, as the kernels read them."""
        values = [self.values[j] for j in self.numeric]
        slots = [
            _slots(v) if not cut else np.empty(0, np.int32)
            for v, cut in zip(values, self.is_cut[self.numeric])
        ]
        low = [v[0] if len(filled) else 0 for v, filled in zip(values, slots)]
        self._arrays = (
            frozen(self.is_cut[self.numeric], np.bool_),
            frozen(_starts(values), np.int64),
            frozen(np.concatenate([*values, np.empty(0)]), np.float64),
            frozen(low, np.int64),
            frozen(_starts(slots), np.int64),
            frozen(np.concatenate([*slots, np.empty(0)]), np.int32),
        )

    def part(self, places):
        """Return the codebook of some of the columns."""
        values = [self.values[j] for j in places]
        return Codebook(self.columns[places], values, self.is_cut[places])

    def union(self, other, names):
        """Return the codebook of this one's categories and the other's.

        Cut points must be the same in both; `names` are the table's, for messages.
        """
        values = [
            _united(mine, theirs, cut, names[column])
            for mine, theirs, cut, column in zip(
                self.values, other.values, self.is_cut, self.columns
            )
        ]
        return Codebook(self.columns, values, self.is_cut)

    def places_in(self, other):
        """Return where each code of this codebook, end to end, stands in the other."""
        places = []
        for j, (mine, theirs) in enumerate(zip(self.values, other.values)):
            same = self.sizes[j] == other.sizes[j]  # the other holds all of these
            place = np.arange(self.sizes[j]) if same else _places_of(mine, theirs)
            places.append(other.start[j] + place)
        return np.concatenate([*places, np.empty(0, dtype=np.int64)]).astype(np.int64)

    def reader(self, table, refuse_unknown=False):
        """Return a function from a slice of rows to their codes.

        The codes are int32 of shape (n_rows, d): 0 … K-1, MISSING or UNKNOWN. With
        `refuse_unknown` a value that has no code raises an error instead.
        """
        no_offset = np.zeros(len(self.columns), dtype=np.int64)
        read = self._reader(table, no_offset, MISSING, UNKNOWN)
        return self._refusing(table, read, UNKNOWN) if refuse_unknown else read

    def place_reader(self, table, refuse_unknown=False):
        """Return a function from a slice of rows to the places of their codes.

        A place is that of the code among the codes of all columns, laid end to end;
        cells without a code have the place after the last.
        """
        after = self.start[-1]
        unknown = after + 1 if refuse_unknown else after
        read = self._reader(table, self.start[:-1], after, unknown)
        return self._refusing(table, read, unknown) if refuse_unknown else read

    def _refusing(self, table, read, unknown):
        """Return `read` with an error where it returns the number `unknown`."""

        def read_or_refuse(rows):
            codes = read(rows)
            if np.any(strange := codes == unknown):
                self._refuse_unknown(table, rows, strange)
            return codes

        return read_or_refuse

    def _reader(self, table, offset, missing, unknown):
        numeric = self._numeric_columns(table)
        arguments = self._encoding(offset, missing, unknown)
        labelled = {}
        for place, values in enumerate(self.values):
            if not _is_numeric(values):
                codes = self._read_labels(table, self.columns[place], values)
                labelled[place] = _moved(codes, offset[place], missing, unknown)

        def read(rows):
            n_rows = len(range(*rows.indices(table.n_rows)))
            codes = np.empty((n_rows, len(self.columns)), dtype=np.int32)
            if len(numeric):
                cells = table.cells(numeric, rows)
                encode(frozen(cells, cells.dtype), *arguments, codes)
            for place, column_codes in labelled.items():
                codes[:, place] = column_codes[rows]
            return codes

        return read

    def _encoding(self, offset, missing, unknown):
        """Return the arguments of `encode` between the block and the codes."""
        *arrays, slots = self._arrays
        offset = offset[self.numeric]
        slots = _moved(slots, np.repeat(offset, np.diff(arrays[-1])), missing, unknown)
        return (
            frozen(self.numeric, np.int64),
            *arrays,
            frozen(slots, np.int32),
            frozen(offset, np.int64),
            missing,
            unknown,
        )

    def _refuse_unknown(self, table, rows, strange):
        i, place = np.argwhere(strange)[0]
        column = self.columns[place]
        labels = table.labels(column)
        if labels is None:
            value = table.numbers(np.array([column]), rows)[i, 0].item()
        else:
            value = labels.categories[labels.codes[rows][i]]
        raise ValueError(
            f"Found the unknown category {value!r} in column {table.names[column]!r}. "
            "With unknown='ignore' it would be passed over like a missing cell."
        )

    def encode_stored(self, table, refuse_unknown=False):
        """Return the codes of the stored cells of a sparse table, in their order."""
        codes = np.full(table.values.nnz, MISSING, dtype=np.int32)
        by_column, order = table.by_column(self.columns)
        of_columns = np.empty(len(order), dtype=np.int32)
        encode_stored(
            frozen(by_column.indptr, np.int64),
            frozen(by_column.data, np.float64),
            frozen(self.numeric, np.int64),
            *self._arrays,
            of_columns,
        )
        codes[order] = of_columns
        if refuse_unknown:
            self._refuse_unknown_stored(table, codes)
        return codes

    def _refuse_unknown_stored(self, table, codes):
        """Find a row with an unknown value, stored or zero, and name it."""
        n_stored = np.bincount(table.values.indices, minlength=table.n_columns)
        no_zero = self.columns[self.code_zero() == UNKNOWN]
        suspect = np.flatnonzero(codes == UNKNOWN)[:1]
        if len(suspect):
            row = np.searchsorted(table.values.indptr, suspect[0], side="right") - 1
        elif np.any(gaps := n_stored[no_zero] < table.n_rows):
            stored = table.values[:, [no_zero[gaps][0]]]
            row = np.flatnonzero(np.diff(stored.indptr) == 0)[0]
        else:
            return
        self.reader(table, refuse_unknown=True)(slice(row, row + 1))

    def code_zero(self):
        """Return the code of the number 0 in each column."""
        codes = np.empty((1, len(self.columns)), dtype=np.int32)
        no_offset = np.zeros(len(self.columns), dtype=np.int64)
        zeros = frozen(np.zeros((1, len(self.columns))), np.float64)
        encode(zeros, *self._encoding(no_offset, MISSING, UNKNOWN), codes)
        return codes[0]

    def _numeric_columns(self, table):
        columns = self.columns[self.numeric]
        table.require_numbers(columns)
        return columns

    def _read_labels(self, table, column, categories):
        """Return the codes of a whole column in this codebook's categories."""
        labels = table.labels(column)
        if labels is None:
            return self._read_numbers_as_labels(table, column, categories)
        if len(categories) and labels.kind not in ("nothing", kind_of(categories)):
            raise TypeError(
                f"Column {table.names[column]!r} held labels of kind "
                f"{kind_of(categories)} at fit and now holds {labels.kind}: convert "
                "it as then."
            )
        place = dict(zip(categories.tolist(), range(len(categories))))
        new = [place.get(label, UNKNOWN) for label in labels.categories.tolist()]
        return np.array([*new, MISSING], dtype=np.int32)[labels.codes]

    def _read_numbers_as_labels(self, table, column, categories):
        cells = table.column(column)
        if kind_of(categories) in ("str", "bytes"):
            known = cells[~np.isnan(cells)]
            if len(known):
                raise TypeError(
                    f"Column {table.names[column]!r} held labels (such as "
                    f"{categories[0]!r}) at fit and now holds numbers (such as "
                    f"{known[0].item()!r}): convert it as then."
                )
        place = dict(zip(categories.tolist(), range(len(categories))))
        distinct, inverse = np.unique(cells, return_inverse=True)
        new = [place.get(x, UNKNOWN) for x in distinct.tolist()]
        codes = np.array(new, dtype=np.int32)[inverse]
        codes[np.isnan(cells)] = MISSING
        return codes


def find_categories(table, columns):
    """Return the sorted distinct values of each of the columns, as a list of arrays."""
    if table.is_sparse:
        return _find_stored_numbers(table, columns)
    found = [None] * len(columns)
    numeric = []
    for place, column in enumerate(columns):
        labels = table.labels(column)
        if labels is None:
            numeric.append(place)
        else:
            found[place] = labels.categories
    if numeric:
        numbers = np.asarray(columns)[numeric]
        for place, categories in zip(numeric, _find_numbers(table, numbers)):
            found[place] = categories
    return found


def _find_numbers(table, columns):
    seen = np.zeros((len(columns), WINDOW), dtype=bool)
    wide = np.zeros(len(columns), dtype=bool)
    for _, block in table.blocks(columns):
        mark_integers(frozen(block, np.float64), seen, wide)
    found = []
    for column, marks, is_wide in zip(columns, seen, wide):
        if is_wide:
            cells = table.column(column)
            categories = np.unique(cells[~np.isnan(cells)])
            _refuse_huge_integers(categories, table.names[column])
        else:
            categories = (np.flatnonzero(marks) + WINDOW_LOW).astype(np.float64)
        found.append(categories)
    return found


def _find_stored_numbers(table, columns):
    """Return the distinct numbers of columns of a sparse table, zeros included."""
    by_column, _ = table.by_column(columns)
    found = []
    for place, column in enumerate(columns):
        cells = by_column.data[by_column.indptr[place] : by_column.indptr[place + 1]]
        values = cells[~np.isnan(cells)].astype(np.float64)
        if len(cells) < table.n_rows:
            values = np.append(values, 0.0)
        categories = np.unique(values)
        _refuse_huge_integers(categories, table.names[column])
        found.append(categories)
    return found


def _refuse_huge_integers(categories, name):
    if np.any(np.abs(categories) >= LARGEST_INTEGER):
        raise huge_numbers(name)


def _moved(codes, offset, missing, unknown):
    """Return codes with an offset, MISSING and UNKNOWN as the numbers given."""
    moved = np.where(codes >= 0, codes + offset, missing)
    return np.where(codes == UNKNOWN, unknown, moved)


def _is_numeric(values):
    return values.dtype.kind == "f"


def _slots(categories):
    """Return the code of each integer from the first category to the last.

    Empty where the categories are not small integers: those are searched for.
    """
    if not len(categories) or categories[-1] - categories[0] >= WINDOW:
        return np.empty(0, dtype=np.int32)
    if np.any(categories != np.floor(categories)):
        return np.empty(0, dtype=np.int32)
    place = (categories - categories[0]).astype(np.int64)
    slots = np.full(place[-1] + 1, UNKNOWN, dtype=np.int32)
    slots[place] = np.arange(len(categories))
    return slots


def _places_of(mine, theirs):
    place = dict(zip(theirs.tolist(), range(len(theirs))))
    return np.array([place[value] for value in mine.tolist()], dtype=np.int64)


def _united(mine, theirs, cut, name):
    """Return the sorted values of both, in the kind that the first has."""
    if len(mine) == len(theirs) and np.all(mine == theirs):
        return mine
    if cut:
        raise ValueError(
            f"Column {name!r} is cut into different bins in the two models; models "
            "that are to be merged must share their bin edges: let each begin with "
            "the same batch in partial_fit."
        )
    if not len(mine) or not len(theirs):
        return mine if len(mine) else theirs
    if kind_of(mine) != kind_of(theirs):
        raise TypeError(
            f"Column {name!r} held categories of kind {kind_of(mine)} and now holds "
            f"{kind_of(theirs)}: convert it as at first."
        )
    if _is_numeric(mine):
        return np.union1d(mine, theirs.astype(np.float64))
    return object_array(sorted({*mine.tolist(), *theirs.tolist()}))


def _starts(arrays):
    return np.concatenate([[0], np.cumsum([len(array) for array in arrays])])
