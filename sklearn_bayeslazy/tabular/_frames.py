"""Reads the columns of pandas and polars frames; neither package is required."""

import sys
from collections import Counter

import numpy as np
from scipy import sparse

from .._core._parallel import map_tasks
from ._labels import complex_data, factorize, read_days, recode, unreadable

# Arrow types whose cells are read one by one, as Python objects.
_READ_AS_OBJECTS = (
    "decimal",
    "date",
    "list",
    "large_list",
    "fixed_size_list",
    "struct",
    "map",
)
# The columns of fewer rows (tenths of a millisecond each) are read by one thread.
_MIN_ROWS_FOR_THREADS = 2**14


def import_pandas():
    """Return pandas, for methods that return a DataFrame, or raise an ImportError."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("Frames need pandas: pip install pandas.") from error
    return pandas


def is_pandas(X):
    """Return whether `X` is a pandas frame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_frame(X):
    """Return whether `X` is a frame whose columns can be read one by one."""
    polars = sys.modules.get("polars")
    return is_pandas(X) or (polars is not None and isinstance(X, polars.DataFrame))


def as_frame(X):
    """Return tables and batches of pyarrow as frames of pandas, other rows as given."""
    # NumPy's arrays of them would have neither names nor booleans.
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not isinstance(X, pyarrow.Table | pyarrow.RecordBatch):
        return X
    import_pandas()
    return X.to_pandas()


def with_dense_columns(X):
    """Return a pandas frame without sparse columns, unless all are and omit zeros."""
    # scikit-learn makes sparse rows of the latter. Of others it warns, or it fails.
    if not is_pandas(X) or all(getattr(d, "fill_value", 1) == 0 for d in X.dtypes):
        return X
    columns = X.dtypes.items()
    dense = {name: d.subtype for name, d in columns if hasattr(d, "fill_value")}
    return X.astype(dense) if dense else X


def refuse_repeated_names(frame):
    """Raise an error if two columns of a frame have one name."""
    counts = Counter(frame.columns)
    if repeated := [name for name, n in counts.items() if n > 1]:
        raise ValueError(
            f"X has {counts[repeated[0]]} columns named {repeated[0]!r}: give each "
            "column another name, or pass an array without names."
        )


def is_missing_cell(cell):
    """Return whether a cell is None, NaN, NaT or pandas.NA."""
    # pandas.NA is neither equal nor unequal to itself. Collections are not compared.
    if cell is None or type(cell).__name__ == "NAType":
        return True
    return not hasattr(cell, "__len__") and bool(cell != cell)


def take_rows(X, rows):
    """Return rows, a slice or indices, of a frame, an array or a sparse matrix."""
    return X.iloc[rows] if is_pandas(X) else X[rows]


def take_columns(X, columns):
    """Return some columns of a frame or array, by index, for names may repeat."""
    return X.iloc[:, columns] if is_pandas(X) else X[:, columns]


def concatenate_rows(parts):
    """Return the rows of several frames, arrays or sparse matrices of one kind."""
    if len(parts) == 1:
        return parts[0]
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    if is_pandas(parts[0]):
        return _concatenate_pandas(parts)
    if is_frame(parts[0]):
        return _concatenate_polars(parts)
    return np.concatenate(parts)


def _concatenate_polars(parts):
    """Return polars frames as one; categories of Enums that differ are united."""
    polars = sys.modules["polars"]
    united = {}
    for name in parts[0].columns:
        dtypes = [part.schema[name] for part in parts]
        is_enum = all(isinstance(dtype, polars.Enum) for dtype in dtypes)
        if is_enum and len(set(dtypes)) > 1:
            values = polars.concat([dtype.categories for dtype in dtypes])
            united[name] = polars.Enum(values.unique(maintain_order=True))
    parts = [part.cast(united) for part in parts]
    return polars.concat(parts, how="vertical_relaxed")


def _concatenate_pandas(parts):
    """Return pandas frames as one; categories that differ are united."""
    pandas = sys.modules["pandas"]
    parts = [part.copy(deep=False) for part in parts]
    for name in parts[0].columns:
        columns = [part[name] for part in parts]
        if all(isinstance(c.dtype, pandas.CategoricalDtype) for c in columns):
            values = [column.cat.categories for column in columns]
            union = values[0].append(values[1:]).unique()
            for part, column in zip(parts, columns):
                part[name] = column.cat.set_categories(union)
    return pandas.concat(parts, ignore_index=True)


def read_columns(frame, names, n_jobs=None):
    """Read the columns of a frame: numbers as arrays, the others as Labels."""
    if is_pandas(frame):  # not by name, because names may repeat
        columns = [(column, name) for (_, column), name in zip(frame.items(), names)]
        n_jobs = n_jobs if len(frame) >= _MIN_ROWS_FOR_THREADS else 1
        return map_tasks(lambda task: _pandas_column(*task), columns, n_jobs=n_jobs)
    return [_polars_column(column, name) for column, name in zip(frame, names)]


def declared_by_dtype(frame):
    """Return the values that dtypes declare, by the index of the column."""
    # {column: pandas.Index or polars.Series}. A polars Categorical declares none: its
    # list of strings may be shared with other columns.
    return {
        j: _categories(dtype)
        for j, dtype in enumerate(frame.dtypes)
        if type(dtype).__name__ in ("CategoricalDtype", "Enum")
    }


def _categories(dtype):
    """Return the categories of a dtype; intervals, as of `pandas.cut`, as strings."""
    categories = dtype.categories
    return categories.astype(str) if _holds_intervals(categories) else categories


def _holds_intervals(column):
    return type(column.dtype).__name__ == "IntervalDtype"


def _pandas_column(series, name):
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype) and kind in "iuf":
        return series.to_numpy()
    if _holds_intervals(series):
        series = series.astype("category")
    if hasattr(series, "cat"):
        codes = series.cat.codes.to_numpy()
        return recode(_categories(series.dtype).tolist(), codes, name)
    if kind == "c":
        raise complex_data(name)
    if kind in "iuf":  # nullable, sparse or arrow-backed numbers
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind in "mM":
        if not hasattr(dtype, "numpy_dtype"):  # not of arrow
            utc = series.dt.tz_convert(None) if hasattr(dtype, "tz") else series
            return read_days(utc.to_numpy(), name)
        return factorize(series.tolist(), name)
    if kind not in "bOUT":
        cells = series.dropna()
        raise unreadable(name, cells.iloc[0] if len(cells) else series.iloc[0])
    if isinstance(dtype, np.dtype) or str(dtype).startswith(_READ_AS_OBJECTS):
        return factorize(series.tolist(), name)
    codes, uniques = series.factorize()
    return recode(uniques.tolist(), codes, name)


def _polars_column(series, name):
    dtype = series.dtype
    if dtype.is_numeric():
        is_plain = dtype.is_float() or (dtype.is_integer() and "128" not in str(dtype))
        return (series if is_plain else series.cast(float)).to_numpy()
    kind = str(dtype).partition("(")[0]
    if kind in ("Categorical", "Enum"):
        series = series.cast(str)
    elif kind in ("Date", "Datetime", "Duration"):
        return read_days(series.to_numpy(), name)
    elif kind == "Object":
        return factorize(series.to_list(), name)
    elif kind not in ("String", "Boolean", "Null", "Binary"):
        cells = series.drop_nulls()
        raise unreadable(name, cells[0] if len(cells) else dtype)
    values = series.unique().drop_nulls().sort()
    if not len(values):
        return factorize(series.to_list(), name)
    # The dense rank of a cell is 1 plus the index of its label among the sorted ones.
    codes = series.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
    return recode(values.to_list(), codes, name)


def as_matrix(columns):
    """Stack columns into a matrix: float if all are numeric, else object."""
    if all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    matrix = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        matrix[:, j] = column
    return matrix
