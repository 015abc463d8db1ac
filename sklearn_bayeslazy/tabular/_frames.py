"""Columns of pandas and polars frames; neither is ever imported here."""

import sys

import numpy as np

from ._labels import MISSING, Labels, factorize, recode, unreadable


def is_pandas(X):
    """Return whether `X` is a pandas frame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_frame(X):
    """Return whether `X` is a frame whose columns can be read one by one."""
    polars = sys.modules.get("polars")
    return is_pandas(X) or (polars is not None and isinstance(X, polars.DataFrame))


def take_rows(X, rows):
    """Return a slice of the rows of a frame, an array or a sparse matrix."""
    return X.iloc[rows] if is_pandas(X) else X[rows]


def read_columns(frame, names):
    """Read the columns of a frame: numbers as arrays, the others as Labels."""
    if is_pandas(frame):  # by place: names may repeat
        series = [frame.iloc[:, j] for j in range(frame.shape[1])]
        return [_pandas_column(one, name) for one, name in zip(series, names)]
    return [_polars_column(one, name) for one, name in zip(frame, names)]


def _pandas_column(series, name):
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype) and kind in "iuf":
        return series.to_numpy()
    if hasattr(series, "cat"):
        categories = factorize(series.cat.categories.tolist(), name)
        return recode(categories, series.cat.codes.to_numpy())
    if kind in "iuf":  # nullable, sparse or arrow-backed numbers
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind in "mMc" or kind not in "bOUT":
        cells = series.dropna()
        raise unreadable(name, cells.iloc[0] if len(cells) else series.iloc[0])
    if isinstance(dtype, np.dtype):
        return factorize(series.tolist(), name)
    codes, uniques = series.factorize()
    return recode(factorize(list(uniques), name), codes)


def _polars_column(series, name):
    dtype = series.dtype
    if dtype.is_numeric():
        values = series.to_numpy()
        return values if values.dtype.kind in "iuf" else values.astype(np.float64)
    kind = str(dtype).partition("(")[0]
    if kind in ("Categorical", "Enum"):
        series = series.cast(str)
    elif kind == "Object":
        return factorize(series.to_list(), name)
    elif kind not in ("String", "Boolean", "Null", "Binary"):
        cells = series.drop_nulls()
        raise unreadable(name, cells[0] if len(cells) else dtype)
    categories = series.unique().drop_nulls()
    if not len(categories):
        return factorize(series.to_list(), name)
    categories = factorize(categories.sort().to_list(), name)
    # The dense rank of a cell is the place of its label among the sorted ones, plus 1.
    codes = series.rank("dense").fill_null(MISSING + 1).to_numpy().astype(np.int32) - 1
    return Labels(categories.categories, codes.astype(np.int32))
