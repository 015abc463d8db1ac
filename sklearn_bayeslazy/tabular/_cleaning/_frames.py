"""Frames of pandas and polars: which columns are dates, and new frames of columns."""

import sys

import numpy as np

from .._frames import is_missing_cell
from .._read_csv import as_matrix


def date_columns(X):
    """Return for each column whether its dtype is that of dates."""
    # A column of objects is one of dates where the first known cell is a date.
    if hasattr(X, "iloc"):  # columns of objects may hold dates
        return [_is_date_dtype(c.dtype) or _holds_dates(c) for _, c in X.items()]
    if hasattr(X, "dtypes"):
        return list(map(_is_date_dtype, X.dtypes))
    kind = getattr(X.dtype, "kind", "f")
    if kind == "O":
        return [_holds_dates(X[:, j]) for j in range(X.shape[1])]
    return [kind == "M"] * X.shape[1]


def _is_date_dtype(dtype):
    return getattr(dtype, "kind", "") == "M" or str(dtype).startswith(("Date", "date"))


def _holds_dates(cells):
    if cells.dtype != object:
        return False
    first = next((cell for cell in cells if not is_missing_cell(cell)), None)
    return isinstance(first, np.datetime64) or hasattr(first, "isoformat")


def make_frame(like, columns, names):
    """Return columns as a frame of the package of `like`, or as an array."""
    # like: what the columns were computed from; columns: floats or objects, (n_rows,).
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(like, pandas.DataFrame):
        return pandas.DataFrame(dict(zip(names, columns)), index=like.index)
    if polars is not None and isinstance(like, polars.DataFrame):
        known = [_none_for_nan(c) if c.dtype == object else c for c in columns]
        return polars.DataFrame(dict(zip(names, known)))
    return as_matrix(columns)


def _none_for_nan(column):
    return [cell if cell == cell else None for cell in column]
