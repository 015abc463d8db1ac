"""Tables of cases that grow: rows of one table appended to another."""

import numpy as np

from ...tabular import MISSING, ColumnTable, Labels, object_array


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


def column_cells(table, column):
    """Return the cells of a column as an object array, None where they are missing."""
    labels = table.labels(column)
    if labels is not None:
        return object_array([*labels.categories.tolist(), None])[labels.codes]
    numbers = table.column(column)
    cells = numbers.astype(object)
    cells[np.isnan(numbers)] = None
    return cells


def _append(first, second, j):
    mine, theirs = first.labels(j), second.labels(j)
    if mine is None and theirs is None:
        return np.concatenate([first.column(j), second.column(j)])
    if mine is None or theirs is None:
        return _append_mixed(first, second, j)
    if len(mine.categories) and len(theirs.categories) and mine.kind != theirs.kind:
        raise TypeError(
            f"Column {first.names[j]!r} held labels of kind {mine.kind} and now holds "
            f"{theirs.kind}: convert it to the same kind."
        )
    values = list(dict.fromkeys([*mine.categories.tolist(), *theirs.categories]))
    if mine.kind != "number":
        values = sorted(values)
    code_of = {value: code for code, value in enumerate(values)}
    codes = [
        np.array([*(code_of[v] for v in one.categories.tolist()), MISSING], np.int32)[
            one.codes
        ]
        for one in (mine, theirs)
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
