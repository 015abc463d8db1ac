"""read_table names the column that it refuses: periods, nested cells, mixed kinds."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.table_sources import arrow, named, read_cells

DAY = datetime.date(2020, 1, 31)
LIST_TYPE, STRUCT_TYPE = pa.list_(pa.int64()), pa.struct([("a", pa.int64())])


def numpy_column(cells, dtype=object):
    column = np.empty((len(cells), 2), dtype=dtype)
    column[:, 0] = column[:, 1] = cells
    return column


def pandas_column(cells, dtype=None):
    return pd.DataFrame({"good": 1.0, "bad": pd.Series(cells, dtype=dtype)})


def polars_column(cells, dtype=None):
    return pl.DataFrame({"good": 1.0, "bad": pl.Series(cells, dtype=dtype)})


@pytest.mark.parametrize(
    "X",
    named(
        {
            "time objects": numpy_column([datetime.time(1)]),
            "NumPy months": numpy_column([1], "m8[M]"),
            "NumPy month objects": numpy_column([np.timedelta64(1, "M"), None]),
            "pandas periods": pandas_column(["2020-01"], "period[M]"),
            "pandas date categories": pandas_column([pd.Timestamp(DAY)], "category"),
            "polars times": polars_column([datetime.time(1)]),
        }
    ),
)
def test_times_without_a_number_of_days_are_refused_by_column(X):
    with pytest.raises(TypeError, match=r"'(0|bad)'.*must be converted to dates"):
        read_table(X)


@pytest.mark.parametrize(
    "X",
    named(
        {
            "lists": numpy_column([[1, 2], "a"]),
            "dictionaries": numpy_column([{"a": 1}]),
            "tuples": numpy_column([(1, 2), (3, 4)]),
            "arrays": numpy_column([np.zeros(2), None]),
            "records": np.zeros((1, 1), dtype=[("a", int)]),
            "pandas lists": pandas_column([[1], [2]]),
            "objects": numpy_column([pd.Interval(0, 1)]),
            "arrow lists": pandas_column([[1], [2]], arrow(LIST_TYPE)),
            "arrow structures": pandas_column([{"a": 1}], arrow(STRUCT_TYPE)),
            "polars lists": polars_column([[1], [2]]),
            "polars arrays": polars_column([[1]], pl.Array(pl.Int64, 1)),
            "polars structures": polars_column([{"a": 1}]),
            "polars objects": polars_column([object()], pl.Object),
        }
    ),
)
def test_nested_cells_are_refused_by_column(X):
    # Error texts of frames may hold line breaks: (?s).
    with pytest.raises(TypeError, match=r"(?s)'(0|bad)'.*nested objects must be"):
        read_table(X)


@pytest.mark.parametrize(
    "X",
    named(
        {
            "array": numpy_column([1j], complex),
            "objects": numpy_column([1, 1j]),
            "pandas": pandas_column([1j]),
            "pandas objects": pandas_column([1, 1j], object),
            "polars objects": polars_column([1, 1j], pl.Object),
        }
    ),
)
def test_complex_numbers_are_refused_by_column(X):
    with pytest.raises(ValueError, match=r"Complex data not supported.*'(0|bad)'"):
        read_table(X)


@pytest.mark.parametrize(
    ("cells", "kinds"),
    [
        (["a", 1], r"\['number', 'str'\]"),
        (["a", 1.5, None, b"x"], r"\['bytes', 'number', 'str'\]"),
        ([True, "yes"], r"\['bool', 'str'\]"),
    ],
)
@pytest.mark.parametrize(
    "build",
    [
        numpy_column,
        lambda cells: pandas_column(cells, object),
        lambda cells: pandas_column(cells, "category"),
        lambda cells: polars_column(cells, pl.Object),
    ],
    ids=["numpy", "pandas", "pandas category", "polars"],
)
def test_cells_of_mixed_kinds_are_refused_by_column(build, cells, kinds):
    with pytest.raises(TypeError, match=rf"'(0|bad)' mixes .*{kinds}"):
        read_table(build(cells))


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize(
    "build",
    named(
        {
            "array": lambda X: X,
            "float32": lambda X: X.astype(np.float32),
            "objects": lambda X: X.astype(object),
            "sparse": sparse.csr_array,
            "pandas": lambda X: pd.DataFrame(X, columns=list("abc")),
            "pandas Float64": lambda X: pd.DataFrame(
                X, columns=list("abc"), dtype="Float64"
            ),
            "polars": lambda X: pl.DataFrame(X, schema=list("abc")),
        }
    ),
)
def test_infinity_is_refused_by_column(build, infinity):
    X = np.ones((3, 3))
    X[0, 0] = np.nan
    X[1, 1] = infinity
    with pytest.raises(ValueError, match=r"contains infinity in column '[1b]'"):
        read_table(build(X)).check_finite(np.array([0, 1]))


def test_only_the_columns_that_are_read_must_be_finite():
    table = read_table(np.array([[1.0, np.inf]]))
    table.check_finite(np.array([0]))
    assert table.numbers(np.array([0]), slice(0, 1)).tolist() == [[1]]
    both = table.numbers(np.array([0, 1]), slice(0, 1), allow_infinity=True)
    assert both.tolist() == [[1, np.inf]]


def test_finite_numbers_whose_sum_overflows_are_accepted():
    X = np.full((4, 2), 1.7e308)
    np.testing.assert_array_equal(
        read_table(X).numbers(np.array([0, 1]), slice(0, 4)), X
    )


def test_integers_beyond_float64_are_refused_by_column():
    with pytest.raises(ValueError, match="'0'"):
        read_cells([1, 10**400])


def test_categories_that_float64_cannot_represent_are_refused_by_column():
    X = pd.DataFrame({"id": pd.Categorical([2**53, 2**53 + 1])})
    with pytest.raises(ValueError, match=r"'id'.*convert it to strings"):
        read_table(X)
