"""The values of categorical columns: declared beforehand, or found in the cells.

Values are declared by the dtype of a frame's column (a pandas Categorical, a polars
Enum), or by the parameter `categories` of an estimator. Declared values count in K, the
number of the column's values, even if no row has them. The dtype of booleans declares
nothing.
"""

import numbers

import numpy as np

from ._labels import EXACT_INTEGER_LIMIT, huge_numbers, kind_of, sorted_values


def find_categories(table, columns):
    """Return the sorted values of each of the columns, as a list of arrays.

    >>> from sklearn_bayeslazy.tabular import read_table
    >>> cells = [["s", 1.0], ["r", 3.0]]
    >>> find_categories(read_table(cells), [0, 1])
    [array(['r', 's'], dtype=object), array([1., 3.])]
    >>> table = read_table(cells, categories=[["s", "r", "fog"], [1, 2, 3]])
    >>> find_categories(table, [0, 1])
    [array(['fog', 'r', 's'], dtype=object), array([1., 2., 3.])]
    """
    # Numbers are float64 arrays, labels arrays of objects. A ValueError if a cell holds
    # none of the declared values of its column, a TypeError if these are of another
    # kind.
    values = _observed(table, columns)
    for j, column in enumerate(columns):
        if column in table.declared:
            values[j] = _declared(table, column, values[j])
    return values


def declared_by_parameter(categories, table):
    """Return {column: sorted values} from the parameter `categories`."""
    # categories: an array of values, or None, for each column; or {column: array}.
    given = per_column_list(categories, table, "categories", None)
    return {
        j: _given_values(values, table.names[j])
        for j, values in enumerate(given)
        if values is not None
    }


def _given_values(given, name):
    try:
        if isinstance(given, str | bytes):
            raise TypeError
        values = list(given.tolist() if hasattr(given, "tolist") else given)
    except TypeError:
        raise TypeError(
            f"categories for column {name!r} must be an array of the column's values, "
            f"got {given!r}."
        ) from None
    if not values:
        raise ValueError(
            f"categories for column {name!r} is empty: name the column's values, or "
            "give None to find them in the cells."
        )
    return sorted_values(values, name)


def _declared(table, column, observed):
    """Return the declared values of a column; check that they include the observed."""
    name = table.names[column]
    declared = np.asarray(table.declared[column], dtype=object).tolist()
    values = sorted_values(declared, name)
    if len(observed) and len(values) and kind_of(observed) != kind_of(values):
        raise TypeError(
            f"The declared categories of column {name!r} are of kind "
            f"{kind_of(values)} (such as {values[0]!r}), and its cells of kind "
            f"{kind_of(observed)} (such as {observed.tolist()[0]!r}): convert one of "
            "them."
        )
    if outside := set(observed.tolist()) - set(values.tolist()):
        raise ValueError(
            f"Column {name!r} holds {sorted(outside)[:5]}, not among its declared "
            f"categories {values.tolist()[:20]}: add them to categories, or replace "
            "those cells by missing values."
        )
    holds_numbers = table.labels(column) is None and kind_of(values) == "number"
    return values.astype(np.float64) if holds_numbers else values


def _observed(table, columns):
    """Return the sorted distinct cells of each of the columns, as a list of arrays."""
    if table.is_sparse:
        return _find_stored_numbers(table, columns)
    found = []
    for column in columns:
        labels = table.labels(column)
        if labels is not None:
            found.append(labels.categories)
            continue
        cells = table.column(column)
        found.append(np.unique(cells[~np.isnan(cells)]) + 0.0)  # -0.0 becomes 0.0
        _refuse_huge_integers(found[-1], table.names[column])
    return found


def _find_stored_numbers(table, columns):
    """Return the distinct numbers of columns of a sparse table, zeros included."""
    by_column, _ = table.by_column(columns)
    found = []
    for j, column in enumerate(columns):
        cells = by_column.data[by_column.indptr[j] : by_column.indptr[j + 1]]
        values = cells[~np.isnan(cells)].astype(np.float64)
        if len(cells) < table.n_rows:
            values = np.append(values, 0.0)
        categories = np.unique(values)
        _refuse_huge_integers(categories, table.names[column])
        found.append(categories)
    return found


def _refuse_huge_integers(categories, name):
    if np.any(np.abs(categories) >= EXACT_INTEGER_LIMIT):
        raise huge_numbers(name)


def per_column_list(given, table, parameter, default):
    """Return a list with an entry per column, from a name, a list or a dictionary."""
    # A dictionary {column: value} names a column by its label in a frame, or by its
    # index. Columns that it does not name get the default.
    names = table.names
    if isinstance(given, str):
        return [given] * len(names)
    if not isinstance(given, dict):
        given = list(given) if np.iterable(given) else [given]  # an array without axes
        if len(given) != len(names):
            raise ValueError(
                f"{parameter} has {len(given)} entries for {len(names)} columns; give "
                "one per column, or a dictionary {column: value}."
            )
        return given
    values = [default] * len(names)
    takes_indices = all(isinstance(label, str) for label in table.labels_of_columns)
    for key, value in given.items():
        if key in table.labels_of_columns:
            values[table.labels_of_columns.index(key)] = value
        elif takes_indices and _is_index(key, len(names)):
            values[key] = value
        else:
            raise ValueError(
                f"{parameter} names the column {key!r}, which X does not have; its "
                f"columns are {table.labels_of_columns[:20]}."
            )
    return values


def _is_index(key, n):
    return isinstance(key, numbers.Integral) and 0 <= key < n
