"""Columns of a table as nodes: their values, and the codes of cells."""

from itertools import pairwise
from numbers import Integral

import numpy as np

from ..tabular import (
    MISSING,
    UNKNOWN,
    Codebook,
    Labels,
    cut_points,
    factorize,
    find_categories,
)

BINNINGS = ("quantile", "uniform", "mdlp")


def learn_codebook(table, binning, n_bins, classes=None, n_classes=0, weight=None):
    """Return the codebook of all columns: labels are values, numbers are cut in bins.

    Parameters
    ----------
    table : Table
    binning : {"quantile", "uniform", "mdlp"}
    n_bins : int
    classes : int array of shape (n_rows,), default=None
        Codes of the classes, which "mdlp" looks at.
    n_classes : int, default=0
    weight : ndarray of shape (n_rows,), default=None
    """
    columns = range(table.n_columns)
    labelled = [j for j in columns if table.labels(j) is not None]
    values = dict(zip(labelled, find_categories(table, labelled)))
    is_cut = [j not in values for j in columns]
    for j in np.flatnonzero(is_cut):
        cells = table.column(j)
        values[j] = cut_points(cells, binning, n_bins, classes, n_classes, weight)
    return Codebook(columns, [values[j] for j in columns], is_cut)


def extended_codebook(codebook, table):
    """Return a codebook with the labels of a table, too; bins stay as they are."""
    labelled = np.flatnonzero(~codebook.is_cut)
    values = list(codebook.values)
    for j, found in zip(labelled, find_categories(table, labelled)):
        values[j] = found
    new = Codebook(codebook.columns, values, codebook.is_cut)
    return codebook.union(new, table.names)


def value_names(codebook):
    """Return the values of each node, bins in words; a column of holes has one.

    >>> book = Codebook([0, 1], [np.array(["no", "yes"]), np.array([1.5, 4.0])], [0, 1])
    >>> value_names(book)[1]
    array(['< 1.5', '1.5 to 4', '≥ 4'], dtype=object)
    """
    return [
        _bins(values) if cut else (values if len(values) else _NOTHING)
        for values, cut in zip(codebook.values, codebook.is_cut)
    ]


_NOTHING = np.array(["(never seen)"], dtype=object)


def _bins(edges):
    if not len(edges):
        return np.array(["any number"], dtype=object)
    words = [f"{edge:.6g}" for edge in edges]
    if len(set(words)) < len(words):
        words = [repr(float(edge)) for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(words)]
    return np.array([f"< {words[0]}", *between, f"≥ {words[-1]}"], dtype=object)


def read_codes(codebook, table, rows, refuse_unknown=False):
    """Return the codes of a slice of rows, below 0 where a cell is missing or unknown.

    Returns
    -------
    int32 array of shape (n_rows, n_columns)
    """
    return codebook.reader(table, refuse_unknown)(rows)


def code_of_number(value, size):
    """Return the code of a hidden node's value, which is a number below its size."""
    if isinstance(value, Integral):
        return int(value) if 0 <= value < size else UNKNOWN
    cells = factorize([value], "evidence")
    is_missing = isinstance(cells, Labels) and not len(cells.categories)
    return MISSING if is_missing else UNKNOWN
