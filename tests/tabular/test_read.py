"""Reading tables: every source gives the same columns, every misfit a clear error."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_bayeslazy.tabular import MISSING, check_table, read_table

# One table, column by column. None is missing.
TABLE = {
    "colour": ["red", "blue", None, "red", "green"],
    "ready": [True, False, True, None, True],
    "amount": [1.5, None, -2.0, 0.0, 1e300],
    "count": [3, 1, 2, 3, 1],
}
# What must come out of it: the sorted labels and their codes, or the numbers.
COLOURS = ["blue", "green", "red"]
COLOUR_CODES = [2, 0, MISSING, 2, 1]
READY = [False, True]
READY_CODES = [1, 0, 1, MISSING, 1]
AMOUNT = [1.5, np.nan, -2.0, 0.0, 1e300]
COUNT = [3.0, 1.0, 2.0, 3.0, 1.0]


def named(cases):
    return [pytest.param(case, id=name) for name, case in cases.items()]


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


def arrow(arrow_type):
    return pd.ArrowDtype(arrow_type)


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


def read_cells(cells, dtype=object):
    """Read one column of a NumPy array."""
    column = np.empty((len(cells), 1), dtype=dtype)
    column[:, 0] = cells
    return read_table(column)


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
def test_objects_that_are_numbers_are_numbers(cells):
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
    """A string with a name of its own, as enumerations are."""


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
def test_a_column_without_a_cell_holds_labels_of_no_kind(X):
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


# --- what is refused --------------------------------------------------------------

DAY, HOUR = datetime.date(2020, 1, 31), datetime.timedelta(hours=1)
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
            "NumPy dates": numpy_column(["2020-01-31"], "M8[D]"),
            "NumPy durations": numpy_column([1], "m8[h]"),
            "date objects": numpy_column([DAY]),
            "date-time objects": numpy_column([datetime.datetime(2020, 1, 31)]),
            "time objects": numpy_column([datetime.time(1)]),
            "duration objects": numpy_column([HOUR]),
            "NaT among objects": numpy_column(["a", pd.NaT]),
            "NumPy date objects": numpy_column([np.datetime64("2020-01-31")]),
            "pandas dates": pandas_column([DAY], "datetime64[ns]"),
            "pandas dates and zones": pandas_column([DAY], "datetime64[ns, UTC]"),
            "pandas durations": pandas_column([HOUR], "timedelta64[ns]"),
            "pandas periods": pandas_column(["2020-01"], "period[M]"),
            "pandas NaT only": pandas_column([None], "datetime64[ns]"),
            "pandas date categories": pandas_column([pd.Timestamp(DAY)], "category"),
            "pandas date objects": pandas_column([DAY], object),
            "arrow dates": pandas_column([DAY], arrow(pa.date32())),
            "arrow moments": pandas_column([DAY], arrow(pa.timestamp("ns"))),
            "arrow durations": pandas_column([HOUR], arrow(pa.duration("s"))),
            "polars dates": polars_column([None, DAY]),
            "polars date-times": polars_column([datetime.datetime(2020, 1, 31)]),
            "polars times": polars_column([datetime.time(1)]),
            "polars durations": polars_column([HOUR]),
            "polars date objects": polars_column([DAY], pl.Object),
        }
    ),
)
def test_dates_and_durations_are_refused_by_column(X):
    with pytest.raises(TypeError, match=r"'(0|bad)'.*dates and durations must be"):
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
            "pandas intervals": pandas_column([pd.Interval(0, 1)]),
            "pandas interval categories": pandas_column(pd.cut([1, 2, 3], 2)),
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


def test_a_sum_that_overflows_is_no_infinity():
    X = np.full((4, 2), 1.7e308)
    np.testing.assert_array_equal(
        read_table(X).numbers(np.array([0, 1]), slice(0, 4)), X
    )


def test_integers_beyond_float64_are_refused_by_column():
    with pytest.raises(ValueError, match="'0'"):
        read_cells([1, 10**400])


def test_categories_that_float64_would_merge_are_refused_by_column():
    X = pd.DataFrame({"id": pd.Categorical([2**53, 2**53 + 1])})
    with pytest.raises(ValueError, match=r"'id'.*convert it to strings"):
        read_table(X)


# --- shape and feature names ------------------------------------------------------


class Reader(ClassifierMixin, BaseEstimator):
    """The least estimator that checks tables."""

    def fit(self, X, y="no_validation", **options):
        self.read_ = check_table(self, X, y, reset=True, **options)
        return self

    def read(self, X, **options):
        return check_table(self, X, reset=False, **options)


FRAMES = [pd.DataFrame, pl.DataFrame]
CELLS = {"a": [1.0, 2.0], "b": ["x", None]}


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_kept_and_its_names_are_learnt(frame):
    X = frame(CELLS)
    reader = Reader().fit(X)
    assert reader.read_ is X
    assert reader.read(X) is X
    assert reader.feature_names_in_.tolist() == ["a", "b"]
    assert reader.n_features_in_ == 2


def test_without_names_only_the_number_of_features_is_learnt():
    reader = Reader().fit([["x", 1], [None, 2]])
    assert reader.n_features_in_ == 2
    assert not hasattr(reader, "feature_names_in_")
    assert read_table(reader.read_).labels(0).categories.tolist() == ["x"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("names", [["b", "a"], ["a", "c"], ["a"], ["a", "b", "c"]])
def test_other_names_are_refused(frame, names):
    reader = Reader().fit(frame(CELLS))
    with pytest.raises(ValueError, match="feature names should match"):
        reader.read(frame({name: [1.0] for name in names}))


@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("build", [np.zeros, lambda shape: [["x"] * shape[1]]])
def test_another_number_of_features_is_refused(build, n_features):
    reader = Reader().fit(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=f"X has {n_features} features, but Reader"):
        reader.read(build((1, n_features)))


def test_an_array_after_a_frame_gets_scikit_learns_warning():
    reader = Reader().fit(pd.DataFrame(CELLS))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        reader.read(np.zeros((1, 2)))


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
@pytest.mark.parametrize("build", [np.asarray, *FRAMES])
def test_empty_tables_are_refused(build, shape):
    what = "sample" if shape[0] == 0 else "feature"
    X = np.empty(shape)
    if build is pl.DataFrame:
        X = {f"x{j}": X[:, j] for j in range(shape[1])}
        what = "sample" if not shape[1] else what  # polars knows no rows then
    with pytest.raises(ValueError, match=rf"Found array with 0 {what}\(s\)"):
        Reader().fit(build(X))


@pytest.mark.parametrize("X", [[1, 2], ["a", "b"], 3, np.zeros((1, 1, 1))])
def test_what_is_not_two_dimensional_is_refused(X):
    with pytest.raises(ValueError, match=r"Expected 2D array|dim 3"):
        Reader().fit(X)


def test_sparse_rows_are_refused_unless_accepted():
    X = sparse.coo_array(np.eye(2))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        Reader().fit(X)
    rows = Reader().fit(X, accept_sparse=True).read_
    assert rows.format == "csr"
    np.testing.assert_array_equal(rows.toarray(), np.eye(2))


def test_a_missing_target_is_noticed():
    with pytest.raises(ValueError, match="requires y to be passed"):
        Reader().fit(np.zeros((2, 2)), None)


@pytest.mark.parametrize(
    "X", [np.array([[1.0, np.inf]]), np.array([["a", np.nan]], object)]
)
def test_the_cells_are_not_looked_at_yet(X):
    assert Reader().fit(X).read_ is X
