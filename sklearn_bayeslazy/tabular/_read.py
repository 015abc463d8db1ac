"""Reads NumPy arrays, pandas and polars frames, lists and sparse rows into a Table.

A column holds *labels* if its cells are strings, categories or booleans, and *numbers*
otherwise. Dates are numbers of days since 1970-01-01 UTC, durations numbers of days.
Missing values are NaN, NaT, None and pandas.NA (null in polars).
"""

from collections.abc import Mapping, Set
from contextlib import contextmanager

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from .._core._arrays import (
    as_numpy,
    canonical_csr,
    refuse_masked_cells,
    refuse_unreadable_targets,
)
from ._categories import declared_by_parameter
from ._frames import (
    as_frame,
    declared_by_dtype,
    is_frame,
    read_columns,
    refuse_repeated_names,
    with_dense_columns,
)
from ._labels import (
    Labels,
    complex_data,
    drop_unused,
    factorize,
    object_array,
    read_days,
)
from ._raw_columns import warn_of_raw_columns
from ._table import ColumnTable, DenseTable, SparseTable

# Half a gigabyte for each number that an estimator stores by column.
_MAX_SPARSE_COLUMNS = 2**26
# Of longer arrays the checks of scikit-learn take a small part of the time.
_MAX_PLAIN_CELLS = 2**14
# They have a length, but no rows.
_NO_TABLES = (str, bytes, Mapping, Set)


def check_table(
    estimator, X, y="no_validation", *, reset, accept_sparse=False, warns=True
):
    """Check the shape and feature names of `X` for an estimator, not the cells."""
    # Returns an ndarray, a CSR matrix or a frame for `read_table`, as a whole or a
    # slice of rows at a time. Of `y` only the presence is checked. warns: whether rows
    # of a fit (`reset`) with columns of ids or free text are warned of.
    X = as_frame(X)
    check_columns(estimator, X)
    refuse_unreadable_targets(y)
    if not is_frame(X):
        with as_numpy():
            X = check_array(
                keep_kinds(X),
                accept_sparse="csr" if accept_sparse else False,
                dtype=None,
                ensure_all_finite=False,
                estimator=estimator,
                input_name="X",
            )
    validate_data(estimator, X, y, reset=reset, skip_check_array=True)
    if reset and warns:
        warn_of_raw_columns(X)
    return X


def check_columns(estimator, X):
    """Raise a ValueError for what is no table, repeated names, too many columns."""
    if X is None:
        raise ValueError(
            "X is None: pass rows. Only the methods whose docstring says so answer for "
            "the rows of fit, each by the model without it."
        )
    refuse_masked_cells(X, "X")
    is_sparse = sparse.issparse(X)  # a "dok" array is a dict too
    has_rows = any(hasattr(X, name) for name in ("__len__", "__array__", "shape"))
    if not has_rows or (isinstance(X, _NO_TABLES) and not is_sparse):
        # LazyFrames of polars have rows only after this method.
        advice = ", for example X.collect()" if hasattr(X, "collect") else ""
        raise ValueError(
            f"Expected 2D array, got a {type(X).__name__} instead: pass rows as an "
            f"array, a frame, a list of rows or a sparse array{advice}."
        )
    if is_sparse and X.ndim != 2:
        raise ValueError(
            f"Expected 2D input, got a sparse array of shape {X.shape}: reshape it, "
            "for example by X.reshape(-1, 1) if X is one column."
        )
    if is_frame(X):
        refuse_repeated_names(X)
        if 0 in X.shape:
            check_array(np.empty(X.shape), estimator=estimator)  # the usual error
    elif is_sparse and X.shape[1] > _MAX_SPARSE_COLUMNS:
        raise ValueError(
            f"X has {X.shape[1]} columns, and {type(estimator).__name__} stores "
            f"numbers for each: at most {_MAX_SPARSE_COLUMNS} are supported. Keep the "
            "columns in use, or hash words to fewer columns, for example by "
            "HashingVectorizer(n_features=2**20)."
        )


def read_table(X, names=None, categories="auto", n_jobs=None):
    """Read a two-dimensional input into a :class:`~._table.Table`.

    >>> table = read_table([["red", 1.5], ["blue", None], [None, 2.5]])
    >>> table.labels(0)
    Labels(categories=array(['blue', 'red'], dtype=object), codes=array([ 1,  0, -1],
        dtype=int32))
    >>> table.column(1)
    array([1.5, nan, 2.5])
    """
    # X: array, sparse matrix, frame or list of shape (n_samples, n_features). names: of
    # the columns in messages; by default the frame's names or the indices. n_jobs:
    # threads, which read the columns of a pandas frame.
    #
    # categories: the values of columns, for `find_categories`. "auto": what the dtype
    # of a frame's column declares (a pandas Categorical, a polars Enum), otherwise the
    # values of the cells. An array, or None for "auto", for each column; or {column:
    # array}. A column of numbers whose values are given is categorical.
    #
    # Raises TypeError, which names the column, for times of day, periods, nested
    # objects and columns of mixed kinds; ValueError for `categories` of other columns,
    # without values or with a missing one.
    X = X if is_frame(X) else keep_kinds(X)
    table = _read(X, names, n_jobs)
    if is_frame(X):
        table.declared.update(declared_by_dtype(X))
    if not (isinstance(categories, str) and categories == "auto"):
        table.declared.update(declared_by_parameter(categories, table))
    return table


def _read(X, names, n_jobs):
    if names is None:
        names = list(map(str, X.columns)) if is_frame(X) else range(X.shape[1])
    names = [name if isinstance(name, str) else str(name) for name in names]
    if sparse.issparse(X):
        return SparseTable(names, X.tocsr())
    if is_frame(X):
        columns = read_columns(X, names, n_jobs)
        return ColumnTable(names, columns, X.shape[0], list(X.columns))
    if X.dtype.kind in "iuf":
        return DenseTable(names, X)
    columns = [_array_column(X[:, j], name) for j, name in enumerate(names)]
    return ColumnTable(names, columns, X.shape[0])


def _array_column(cells, name):
    """Read a one-dimensional array whose dtype is not a real number."""
    if cells.dtype.kind in "mM":
        return read_days(cells, name)
    if cells.dtype.kind == "c":
        raise complex_data(name)
    if cells.dtype.kind == "b":
        categories = object_array([False, True])
        return drop_unused(Labels(categories, cells.astype(np.int32)))
    return factorize(cells.tolist(), name)


def keep_kinds(X):
    """Turn lists into arrays without converting numbers in them to strings."""
    if sparse.issparse(X) or isinstance(X, np.ndarray):
        return X
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(
            "The rows of X differ in length or hold arrays: X must be two-dimensional, "
            "with one cell for each column in every row."
        ) from None
    mixed = array.dtype.kind in "US" or (array.ndim == 2 and _has_booleans(X))
    return np.asarray(X, dtype=object) if mixed else array


def _has_booleans(X):
    is_list = isinstance(X, list | tuple)
    return is_list and any(isinstance(x, bool | np.bool_) for row in X for x in row)


# Check of rows of numbers; the error names the column that holds anything else.


def check_rows(estimator, X, y="no_validation", *, canonical=True, **options):
    """Check rows of numbers for an estimator, as scikit-learn's validate_data does."""
    # Returns X, an ndarray or CSR, and y if it was given. canonical: whether sparse
    # rows must be sorted and without duplicates; sorting takes longer than counting
    # words. options: those of `validate_data`. A ValueError or TypeError names the
    # column that does not hold numbers, and the remedy.
    if isinstance(y, str) and _is_plain_query(estimator, X, **options):
        return X
    X = as_frame(X)
    check_columns(estimator, X)
    X = with_dense_columns(X)
    refuse_unreadable_targets(y)
    try:
        # Infinity is refused.
        with as_numpy(), np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(estimator, X, y, **options)
            if not _are_numbers(checked[0] if isinstance(checked, tuple) else checked):
                options["dtype"] = np.float64
                checked = validate_data(estimator, X, y, **options)
    except TypeError:
        _refuse_cells(X)
        _refuse_cells(X, as_objects=True)  # such as pandas.NA beside categories
        raise
    except Exception:  # of any package that holds cells
        _refuse_cells(X)
        raise
    if not canonical:
        return checked
    if isinstance(checked, tuple):
        return canonical_csr(checked[0]), *checked[1:]
    return canonical_csr(checked)


@contextmanager
def naming_unreadable_cells(X):
    """Name the column if cells make another estimator fail in an unusual way."""
    # The estimator may accept labels. Cells that are no labels, and that numpy cannot
    # convert to float64, raise a ValueError: integers beyond float64 or of 128 bits.
    try:
        yield
    except (ValueError, TypeError, LookupError):  # of something else
        raise
    except Exception:  # of any package that holds cells
        _refuse_cells(X, accept_labels=True)
        raise


def _is_plain_query(
    estimator, X, *, reset=True, dtype="numeric", accept_sparse=None, **others
):
    """Return whether X is a short array that `validate_data` would return as it is."""
    # For a single row its checks take longer than most searches.
    dtypes = dtype if isinstance(dtype, list) else [dtype]
    return (
        not reset
        and not others.keys() - {"ensure_all_finite"}
        and type(X) is np.ndarray
        and X.ndim == 2
        and 0 < X.size <= _MAX_PLAIN_CELLS
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
        and X.dtype.kind == "f"
        and X.dtype in dtypes
        and bool(np.isfinite(X).all())
    )


def _are_numbers(X):
    """Return whether X has a type of real numbers of at most 64 bits."""
    return X.dtype.kind in "biuf" and X.dtype.itemsize <= 8


def _refuse_cells(X, accept_labels=False, as_objects=False):
    """Raise an error if a column cannot be converted to numbers."""
    # as_objects: whether each cell must be convertible alone.
    if sparse.issparse(X):
        return
    if not is_frame(X):
        X = keep_kinds(X)
        if X.ndim != 2 or X.dtype.kind in "biufc":
            return
    table = read_table(X)  # raises an error of cells that no estimator takes
    for j, name in enumerate(table.names):
        if accept_labels and table.labels(j) is not None:
            continue
        cells = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        if as_objects and hasattr(X, "iloc"):
            cells = cells.astype(object)
        if _can_be_numbers(cells):
            continue
        raise ValueError(
            f"Column {name!r} holds {_example(cells)} where numbers are needed: "
            "convert it to numbers of at most 64 bits, for example labels by "
            "ValueDifferenceEncoder, or drop it."
        )


def _can_be_numbers(cells):
    """Return whether numpy converts cells to numbers that are no dates."""
    try:
        array = np.asarray(cells)
        array.astype(np.float64)
    except Exception:  # of any package that holds cells
        return False
    return array.dtype.kind not in "mM"


def _example(cells):
    """Return the first cell that is no number, or the type of the column."""
    for cell in cells:
        try:
            float(cell)
        except Exception:
            return repr(cell)
    return f"cells of type {cells.dtype}"
