"""Codebooks of small tables, and codes by a dictionary look-up in plain Python."""

import numpy as np
import pandas as pd

from sklearn_bayeslazy.tabular._categories import find_categories
from sklearn_bayeslazy.tabular._codebook import Codebook
from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._read import read_table

UNKNOWN = -2


def is_missing(cell):
    return cell is None or cell != cell


def code_by_hand(cell, values, is_cut=False):
    """Return the code of a cell: its index in `values`, or the cut points up to it."""
    if is_missing(cell):
        return MISSING
    if is_cut:
        return sum(edge <= cell for edge in values)
    return dict(zip(values, range(len(values)))).get(cell, UNKNOWN)


def learn(X):
    """Return the codebook of all categories of a table."""
    table = read_table(X)
    columns = np.arange(table.n_columns)
    values = find_categories(table, columns)
    return Codebook(columns, values, np.zeros(len(columns), bool))


def encode(codebook, X, **options):
    table = read_table(X)
    return codebook.reader(table, **options)(slice(0, table.n_rows))


def column(cells, dtype=object):
    array = np.empty((len(cells), 1), dtype=dtype)
    array[:, 0] = cells
    return array


def mixed_frame():
    return pd.DataFrame(
        {
            "colour": pd.Series(["red", "blue", None, "red"], dtype=object),
            "size": [30.0, 10.0, 20.0, np.nan],
            "ready": [True, False, True, True],
            "id": [7, 9, 7, 7],
        }
    )


def book(*columns, is_cut=False):
    values = [np.array(c, dtype=object if kind_is_label(c) else float) for c in columns]
    return Codebook(np.arange(len(columns)), values, np.full(len(columns), is_cut))


def kind_is_label(cells):
    return any(isinstance(cell, str | bytes | bool) for cell in cells)
