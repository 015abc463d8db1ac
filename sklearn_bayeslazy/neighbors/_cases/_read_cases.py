"""Reads cases: arrays, frames, or lists of dicts whose cells may be sets or graphs.

A column whose similarity reads objects (sets, texts, graphs) becomes one of labels,
whose categories are hashable objects. The other columns are read as by every estimator
of tables.
"""

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from ...tabular import (
    MISSING,
    ColumnTable,
    Labels,
    check_table,
    is_missing_cell,
    object_array,
    per_column_list,
    read_table,
    take_columns,
)
from ._graphs import GraphSimilarity, is_graph
from ._similarities import (
    CallableSimilarity,
    EqualitySimilarity,
    NumberSimilarity,
    SetSimilarity,
    Similarity,
    ValueDifferenceSimilarity,
)

# The value differences of more symbols, each with each, take over 128 MiB.
_MAX_COMPARED_SYMBOLS = 2**12


class CaseReader:
    """Reads cases into tables, by the similarities that the first table decided."""

    # similarities, names: one Similarity and one str for each attribute. table: the
    # first cases; `CaseBase._learn` takes and deletes it.

    def __init__(self, estimator, X, given):
        X, keys = _rows_of_dicts(X)
        X = check_table(estimator, X, reset=True, warns=False)
        if keys is not None and all(isinstance(k, str) for k in keys):
            estimator.feature_names_in_ = object_array(keys)
        self._keys = labels = keys or _column_labels(X)
        self.names = [str(label) for label in labels]
        declared = _declared(given, self.names, labels)
        self.similarities = list(declared)
        for j, similarity in enumerate(declared):
            if similarity is None and _may_hold_objects(X, j):
                self.similarities[j] = _of_objects(_cells(X, j))
        self.table = self._read(X)
        for j, similarity in enumerate(self.similarities):
            self.similarities[j] = self._decide(j, similarity)
        self._kinds = [self._kind(self.table, j) for j in range(X.shape[1])]

    def read(self, estimator, X):
        """Return new cases as a `Table`; refuse those unlike the first."""
        # A TypeError if a cell cannot be read or is of another kind than the training
        # cells, a ValueError if the attributes are not those of the training cases.
        X, keys = _rows_of_dicts(X, self._keys)
        if keys is None:
            X = check_table(estimator, X, reset=False)
        table = self._read(X)
        for j, similarity in enumerate(self.similarities):
            kinds = {self._kinds[j], self._kind(table, j)} - {"nothing"}
            if isinstance(similarity, NumberSimilarity):
                table.require_numbers([j])
            elif len(kinds) > 1:
                raise TypeError(
                    f"Attribute {self.names[j]!r} held cells of the kind "
                    f"{self._kinds[j]} in the stored cases and now holds "
                    f"{self._kind(table, j)}: convert it to the same kind."
                )
            else:
                similarity.check(table.distinct(j)[0], self.names[j])
        return table

    def _kind(self, table, j):
        """Return the kind of the cells of a column, "nothing" if all are missing."""
        labels = table.labels(j)
        if labels is not None:
            return labels.kind
        return "nothing" if np.isnan(table.column(j)).all() else "number"

    def _read(self, X):
        """Return a `Table` with the columns of objects as labels."""
        objects = [
            j
            for j, similarity in enumerate(self.similarities)
            if similarity is not None and similarity.reads_objects
        ]
        if not objects:
            return read_table(X, self.names)
        plain = [j for j in range(X.shape[1]) if j not in objects]
        columns, declared = [None] * X.shape[1], {}
        if plain:
            part = take_columns(X, plain)
            table = read_table(part, [self.names[j] for j in plain])
            for position, j in enumerate(plain):
                columns[j] = table.labels_or_numbers(position)
            declared = {plain[at]: v for at, v in table.declared.items()}
        for j in objects:
            cells, similarity = _cells(X, j), self.similarities[j]
            columns[j] = _read_objects(cells, similarity, self.names[j])
        return ColumnTable(self.names, columns, X.shape[0], declared=declared)

    def _decide(self, j, similarity):
        """Return the similarity of a column, checked; None becomes the default."""
        if similarity is None:
            if not self.table.is_categorical(j):
                return NumberSimilarity("ranks")
            n_symbols = len(self.table.labels(j).categories)
            many = n_symbols > _MAX_COMPARED_SYMBOLS
            return EqualitySimilarity() if many else ValueDifferenceSimilarity()
        if isinstance(similarity, NumberSimilarity):
            self.table.require_numbers([j])
        else:
            similarity.check(self.table.distinct(j)[0], self.names[j])
        return similarity


def _declared(given, names, labels):
    """Return the similarity of each column as given, None where the default holds."""
    if given is None:
        return [None] * len(names)
    is_list = isinstance(given, dict | list | tuple)
    if not is_list and getattr(given, "ndim", 0) != 1:
        raise ValueError(
            "similarities must be a dict {attribute: similarity}, or a list with an "
            f"entry for each attribute, got {given!r}."
        )
    columns = ColumnTable(names, [None] * len(names), 0, list(labels))
    declared = per_column_list(given, columns, "similarities", None)
    for j, similarity in enumerate(declared):
        if similarity is None or isinstance(similarity, Similarity):
            continue
        if not callable(similarity) or isinstance(similarity, type):
            raise ValueError(
                f"similarities for {names[j]!r} must be a similarity object such as "
                f"EqualitySimilarity(), a callable or None, got {similarity!r}."
            )
        declared[j] = CallableSimilarity(similarity)
    return declared


def _of_objects(cells):
    """Return the similarity of a column of sets or graphs, None for other columns."""
    for cell in cells:
        if isinstance(cell, set | frozenset | list | tuple):
            return SetSimilarity()
        if is_graph(cell):
            return GraphSimilarity()
        if not is_missing_cell(cell):
            return None
    return None


def _read_objects(cells, similarity, name):
    """Return cells as labels, whose categories are what the similarity reads."""
    code_of, codes = {}, np.full(len(cells), MISSING, dtype=np.int32)
    for i, cell in enumerate(cells):
        if is_missing_cell(cell):
            continue
        try:
            value = similarity.read(cell)
            codes[i] = code_of.setdefault(value, len(code_of))
        except TypeError as error:
            raise TypeError(f"Attribute {name!r}, case {i}: {error}.") from None
        except ValueError as error:
            raise ValueError(f"Attribute {name!r}, case {i}: {error}") from None
    return Labels(object_array(list(code_of)), codes)


def _rows_of_dicts(X, keys=None):
    """Return an array of the cells of a list of dicts, and its keys in order."""
    # Other inputs are returned unchanged, with None.
    is_list = isinstance(X, list | tuple) and len(X)
    if not is_list or not isinstance(X[0], Mapping):
        if isinstance(X, Mapping) and not sparse.issparse(X):  # one kind is a dict
            raise ValueError(
                "Cases must be a list of dicts, got one dict: give [case]."
            )
        return X, None
    keys = list(X[0]) if keys is None else keys
    for i, case in enumerate(X):
        if not isinstance(case, Mapping):
            raise TypeError(
                f"Case {i} is a {type(case).__name__}, the first one a dict: give all "
                "cases as dicts."
            )
        if unknown := [key for key in case if key not in keys]:
            raise ValueError(
                f"Case {i} has the attribute {unknown[0]!r}, which the first training "
                f"case does not have; the attributes are {keys}."
            )
        if absent := [key for key in keys if key not in case]:
            raise ValueError(
                f"Case {i} lacks the attribute {absent[0]!r}: all cases need the same "
                "attributes; give None for an unknown value."
            )
    if not keys:
        check_array(np.empty((len(X), 0)))  # raises the usual error
    cells = np.empty((len(X), len(keys)), dtype=object)
    for i, case in enumerate(X):
        for j, key in enumerate(keys):
            cells[i, j] = case[key]
    return cells, keys


def _column_labels(X):
    return list(getattr(X, "columns", range(X.shape[1])))


def _cells(X, j):
    """Return the cells of a column as a list."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j].tolist()
    return X[:, j].to_list() if hasattr(X, "columns") else X[:, j].tolist()


def _may_hold_objects(X, j):
    """Return whether the dtype of a column allows sets and graphs."""
    if hasattr(X, "columns"):
        dtype = X.iloc[:, j].dtype if hasattr(X, "iloc") else X[:, j].dtype
        return str(dtype).startswith(("object", "Object", "List"))
    return X.dtype == object


# Tables of cases that grow: rows of one table appended to another.


def append_cases(first, second):
    """Return the table of the rows of both tables, of the same columns.

    >>> from sklearn_bayeslazy.tabular import read_table
    >>> both = append_cases(read_table([["a", 1.0]]), read_table([["b", 2.0]]))
    >>> both.labels(0).codes, both.column(1)
    (array([0, 1], dtype=int32), array([1., 2.]))
    """
    columns = [_append(first, second, j) for j in range(first.n_columns)]
    n_rows = first.n_rows + second.n_rows
    names = first.names, first.labels_of_columns
    return ColumnTable(names[0], columns, n_rows, names[1], first.declared)


def _append(first, second, j):
    """Return column j of both tables, labels with the categories of both."""
    stored, added = first.labels(j), second.labels(j)
    if stored is None and added is None:
        return np.concatenate([first.column(j), second.column(j)])
    if stored is None or added is None:
        return _append_mixed(first, second, j)
    if len(stored.categories) and len(added.categories) and stored.kind != added.kind:
        raise TypeError(
            f"Column {first.names[j]!r} held labels of kind {stored.kind} and now "
            f"holds {added.kind}: convert it to the same kind."
        )
    values = list(dict.fromkeys([*stored.categories.tolist(), *added.categories]))
    if stored.kind != "number":
        values = sorted(values)
    code_of = {value: code for code, value in enumerate(values)}
    codes = [
        np.array([*(code_of[v] for v in one.categories.tolist()), MISSING], np.int32)[
            one.codes
        ]
        for one in (stored, added)
    ]
    return Labels(object_array(values), np.concatenate(codes))


def _append_mixed(first, second, j):
    """Append a column of numbers and one of labels, if one of them is all missing."""
    for one in (first, second):
        labels = one.labels(j)
        if labels is not None and labels.kind not in ("nothing", "bool"):
            raise TypeError(
                f"Column {first.names[j]!r} holds labels (such as "
                f"{labels.categories[0]!r}) in some cases and numbers in others: "
                "convert it to one kind."
            )
    return np.concatenate([first.column(j), second.column(j)])
