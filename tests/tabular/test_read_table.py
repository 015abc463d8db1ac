"""read_table: every source of the same table gives the same columns.

Code under test: `tabular/_labels.py`, `tabular/_read.py`.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.table_sources import arrow, named, read_cells

# One table, column by column. None is missing.
TABLE = {
    "colour": ["red", "blue", None, "red", "green"],
    "ready": [True, False, True, None, True],
    "amount": [1.5, None, -2.0, 0.0, 1e300],
    "count": [3, 1, 2, 3, 1],
}
# The expected columns: the sorted labels and their codes, or the numbers.
COLOURS = ["blue", "green", "red"]
COLOUR_CODES = [2, 0, MISSING, 2, 1]
READY = [False, True]
READY_CODES = [1, 0, 1, MISSING, 1]
AMOUNT = [1.5, np.nan, -2.0, 0.0, 1e300]
COUNT = [3.0, 1.0, 2.0, 3.0, 1.0]


def rows_of_table(missing=None):
    rows = zip(*TABLE.values())
    return [[missing if cell is None else cell for cell in row] for row in rows]


def object_array(missing=None, order="C"):
    return np.array(rows_of_table(missing), dtype=object, order=order)


def pandas_frame(missing=None, **dtypes):
    frame = pd.DataFrame(
        {
            name: pd.Series([missing if c is None else c for c in cells], dtype=object)
            for name, cells in TABLE.items()
        }
    )
    return frame.astype(dtypes)


def polars_frame(**dtypes):
    return pl.DataFrame(TABLE, schema_overrides=dtypes)


SOURCES = {
    "list": lambda: rows_of_table(),
    "list of tuples": lambda: list(map(tuple, rows_of_table())),
    "objects with None": lambda: object_array(),
    "objects with NaN": lambda: object_array(np.nan),
    "objects with pandas.NA": lambda: object_array(pd.NA),
    "objects, F order": lambda: object_array(order="F"),
    "objects, strided": lambda: np.repeat(object_array(), 2, axis=0)[::2],
    "pandas object, None": lambda: pandas_frame(),
    "pandas object, NaN": lambda: pandas_frame(np.nan),
    "pandas object, NA": lambda: pandas_frame(pd.NA),
    "pandas as inferred": lambda: pd.DataFrame(TABLE),
    "pandas string": lambda: pandas_frame(
        colour="string[python]", ready="boolean", amount="float64", count="uint8"
    ),
    "pandas string in arrow": lambda: pandas_frame(
        colour="string[pyarrow]", ready="boolean", amount="Float64", count="Int64"
    ),
    "pandas in arrow": lambda: pandas_frame(
        colour=arrow(pa.string()),
        ready=arrow(pa.bool_()),
        amount=arrow(pa.float64()),
        count=arrow(pa.int16()),
    ),
    "pandas dictionary": lambda: pandas_frame(
        colour=arrow(pa.dictionary(pa.int8(), pa.string()))
    ),
    "pandas category": lambda: pandas_frame(colour="category", ready="category"),
    "pandas category, unused and ordered": lambda: pandas_frame(
        colour=pd.CategoricalDtype(["red", "pink", "green", "blue"], ordered=True),
        ready=pd.CategoricalDtype([True, False]),
    ),
    "pandas, sparse": lambda: pandas_frame(
        np.nan, amount=pd.SparseDtype(float), count=pd.SparseDtype(int)
    ),
    "pandas, shuffled index": lambda: pandas_frame().set_index(
        pd.Index([7, 7, 0, -1, 3])
    ),
    "pandas, a name twice": lambda: pandas_frame().set_axis(["x"] * 4, axis=1),
    "polars": lambda: polars_frame(),
    "polars categorical": lambda: polars_frame(
        colour=pl.Categorical, amount=pl.Float64, count=pl.UInt8
    ),
    "polars enum": lambda: polars_frame(colour=pl.Enum(["red", "pink", *COLOURS[:2]])),
    "polars object": lambda: polars_frame(colour=pl.Object, ready=pl.Object),
    "polars in pieces": lambda: pl.concat(
        [polars_frame()[:2], polars_frame()[2:]], rechunk=False
    ),
}


def assert_labels(labels, categories, codes):
    assert labels.categories.dtype == object
    assert labels.categories.tolist() == categories
    assert [type(c) for c in labels.categories] == [type(c) for c in categories]
    assert labels.codes.dtype == np.int32
    assert labels.codes.tolist() == codes


@pytest.mark.parametrize("source", named(SOURCES))
def test_the_same_table_gives_the_same_columns_from_every_source(source):
    table = read_table(source())
    assert (table.n_rows, table.n_columns, table.is_sparse) == (5, 4, False)
    assert_labels(table.labels(0), COLOURS, COLOUR_CODES)
    assert_labels(table.labels(1), READY, READY_CODES)
    assert [table.labels(0).kind, table.labels(1).kind] == ["str", "bool"]
    for column, expected in [(2, AMOUNT), (3, COUNT)]:
        assert table.labels(column) is None
        assert table.column(column).dtype == np.float64
        np.testing.assert_array_equal(table.column(column), expected)


# --- numbers ----------------------------------------------------------------------

NUMERIC_DTYPES = [
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "longdouble", ">f8", ">i4"),
]


@pytest.mark.parametrize("dtype", NUMERIC_DTYPES)
def test_numbers_of_every_dtype_become_float64(dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    block = read_table(X).numbers(np.array([2, 0]), slice(1, 4))
    assert block.dtype == np.float64
    assert block.flags.c_contiguous
    assert block.tolist() == [[5, 3], [8, 6], [11, 9]]


@pytest.mark.parametrize(
    "lay_out",
    named(
        {
            "F order": np.asfortranarray,
            "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
            "every second": lambda X: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
            "sparse rows": sparse.csr_array,
            "sparse matrix": sparse.csr_matrix,
            "sparse columns": sparse.csc_array,
            "sparse coordinates": sparse.coo_array,
            "pandas": pd.DataFrame,
            "polars": pl.DataFrame,
            "list": np.ndarray.tolist,
        }
    ),
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_numbers_do_not_depend_on_layout_or_source(lay_out, dtype):
    X = np.array([[0, 1, 2], [0, -1, 0], [7, 0, 5], [0, 0, 0]], dtype=dtype)
    if dtype.startswith("float"):
        X[1, 2] = np.nan
    source = lay_out(X)
    for array in (source, getattr(source, "data", None)):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    table = read_table(source)
    block = table.numbers(np.arange(3), slice(0, 4))
    assert [table.labels(column) for column in range(3)] == [None] * 3
    assert table.is_sparse == sparse.issparse(source)
    np.testing.assert_array_equal(block, X)


def test_dense_numbers_are_not_copied():
    X = np.random.default_rng(0).random((6, 4))
    block = read_table(X).numbers(np.array([0, 1, 2, 3]), slice(2, 5))
    assert np.shares_memory(block, X)


@pytest.mark.parametrize(
    "dtype",
    [
        *("object", "float64", "float32", "Int8", "Int64", "UInt8", "Float32"),
        *("Float64", "Sparse[float]", "int64[pyarrow]", "double[pyarrow]"),
        pytest.param(arrow(pa.decimal128(5, 2)), id="decimal[pyarrow]"),
    ],
)
def test_missing_numbers_of_pandas_are_nan(dtype):
    cells = [Decimal(2), None, Decimal(0)] if "decimal" in str(dtype) else [2, None, 0]
    table = read_table(pd.DataFrame({"x": pd.Series(cells, dtype=dtype)}))
    assert table.labels(0) is None
    np.testing.assert_array_equal(table.column(0), [2, np.nan, 0])


POLARS_NUMBERS = [
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64),
    *(pl.Float32, pl.Float64, pl.Decimal(5, 2), pl.Object),
    getattr(pl, "Int128", pl.Int64),  # polars 1.18
]


@pytest.mark.parametrize("dtype", POLARS_NUMBERS, ids=str)
def test_missing_numbers_of_polars_are_nan(dtype):
    table = read_table(pl.DataFrame({"x": pl.Series([2, None, 0], dtype=dtype)}))
    assert table.labels(0) is None
    np.testing.assert_array_equal(table.column(0), [2, np.nan, 0])


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2.5, np.int8(3), np.float32(4), None],
        [Decimal("1.0"), 2.5, 3, 4.0, pd.NA],
        [True, 2.5, 3, 4, np.nan],
    ],
    ids=["NumPy scalars", "decimals", "a boolean among numbers"],
)
def test_numbers_among_objects_are_numbers(cells):
    np.testing.assert_array_equal(
        read_cells(cells).column(0), [1, 2.5, 3, 4, np.nan], strict=True
    )


@pytest.mark.parametrize("cells", [[1, True], [True, 1], [False, 0, True]], ids=str)
def test_the_kind_of_a_column_does_not_depend_on_the_order_of_its_rows(cells):
    # Python's True == 1, so a dictionary of the cells keeps the first of the two only.
    table = read_cells(cells)
    assert table.labels(0) is None, "booleans among numbers are numbers"


# --- labels -----------------------------------------------------------------------


class Colour(str):
    """A subclass of str, as members of an enumeration are."""


@pytest.mark.parametrize(
    ("cells", "dtype", "kind", "categories"),
    [
        (["b", "a", "b"], "U1", "str", ["a", "b"]),
        (["b", "a", "b"], np.dtypes.StringDType(), "str", ["a", "b"]),
        ([b"b", b"a", b"b"], "S1", "bytes", [b"a", b"b"]),
        ([True, False, True], bool, "bool", [False, True]),
        (np.array([True, False, True]), object, "bool", [False, True]),
        (["ß", "Z", "\N{GRINNING FACE}"], object, "str", ["Z", "ß", "😀"]),
        (["", " ", "a"], object, "str", ["", " ", "a"]),
        (["nan", "NaN", "None"], object, "str", ["NaN", "None", "nan"]),
        (list(map(Colour, "ba")), object, "str", ["a", "b"]),
        ([np.str_("b"), np.str_("a")], object, "str", ["a", "b"]),
        ([np.bytes_(b"b"), np.bytes_(b"a")], object, "bytes", [b"a", b"b"]),
    ],
)
def test_strings_bytes_and_booleans_are_labels(cells, dtype, kind, categories):
    labels = read_cells(cells, dtype).labels(0)
    assert labels.kind == kind
    assert labels.categories.tolist() == categories
    assert labels.categories[labels.codes].tolist() == list(cells)


@pytest.mark.parametrize(
    "X",
    [
        [["a", 1.5], ["b", 2]],
        np.array([["a", 1.5], ["b", 2]], dtype=object),
    ],
    ids=["list", "array"],
)
def test_numbers_beside_strings_stay_numbers(X):
    table = read_table(X)
    assert table.labels(0).categories.tolist() == ["a", "b"]
    assert table.column(1).tolist() == [1.5, 2]


@pytest.mark.parametrize(
    "X",
    [
        [[None], [None]],
        np.array([[np.nan], [pd.NA]], dtype=object),
        pd.DataFrame({"x": [None, None]}, dtype=object),
        pd.DataFrame({"x": [None, None]}, dtype="string"),
        pd.DataFrame({"x": [None, None]}, dtype="category"),
        pd.DataFrame({"x": [None, None]}, dtype="boolean"),
        pd.DataFrame({"x": pd.Series([None, None], dtype=arrow(pa.null()))}),
        pl.DataFrame({"x": [None, None]}),
        pl.DataFrame({"x": [None, None]}, schema={"x": pl.String}),
        pl.DataFrame({"x": [None, None]}, schema={"x": pl.Categorical}),
        pl.DataFrame({"x": [None, None]}, schema={"x": pl.Boolean}),
    ],
)
def test_a_column_of_missing_cells_holds_labels_of_no_kind(X):
    labels = read_table(X).labels(0)
    assert_labels(labels, [], [MISSING, MISSING])
    assert labels.kind == "nothing"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([30, 4, None, 30], [4, 30]),
        ([2.5, -1.0, None, 2.5], [-1, 2.5]),
    ],
    ids=["integers", "fractions"],
)
@pytest.mark.parametrize("ordered", [False, True])
def test_categories_that_are_numbers_stay_labels(values, expected, ordered):
    known = dict.fromkeys(v for v in values if v is not None)  # not sorted
    column = pd.Categorical(values, categories=list(known), ordered=ordered)
    labels = read_table(pd.DataFrame({"x": column})).labels(0)
    assert labels.kind == "number"
    assert labels.categories.tolist() == expected
    assert labels.codes.tolist() == [1, 0, MISSING, 1]


@pytest.mark.parametrize(
    ("X", "names"),
    [
        (np.zeros((1, 2)), ["0", "1"]),
        (sparse.csr_array(np.zeros((1, 2))), ["0", "1"]),
        ([["a", 1]], ["0", "1"]),
        (pd.DataFrame({"a": [1], "b": ["x"]}), ["a", "b"]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ["a", "a"]),
        (pd.DataFrame([[1, 2]], columns=[10, 20]), ["10", "20"]),
        (pl.DataFrame({"a": [1], "b": ["x"]}), ["a", "b"]),
    ],
)
def test_columns_are_called_by_name_or_number(X, names):
    assert read_table(X).names == names
    assert read_table(X, names=np.array(["p", "q"])).names == ["p", "q"]
