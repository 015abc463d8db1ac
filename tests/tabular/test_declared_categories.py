"""Declared categories are values of a column, though no cell holds them.

Code under test: `tabular/_categories.py`.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_bayeslazy.tabular._bins import code_table
from sklearn_bayeslazy.tabular._categories import find_categories
from sklearn_bayeslazy.tabular._codebook import Codebook
from sklearn_bayeslazy.tabular._labelled_rows import encode_classes
from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._number_codes import UNKNOWN
from sklearn_bayeslazy.tabular._read import read_table

CELLS = ["s", "s", "r", None]
DECLARED = ["s", "r", "fog"]


def declared_frame(cells=CELLS, values=DECLARED):
    return pd.DataFrame({"sky": pd.Categorical(cells, categories=values)})


def objects(cells=CELLS):
    return np.array(cells, dtype=object)[:, None]


def categories(table, column=0):
    (found,) = find_categories(table, [column])
    return found.tolist()


BY_DTYPE = {
    "pandas": declared_frame,
    "pandas, ordered": lambda: declared_frame().astype(
        pd.CategoricalDtype(DECLARED, ordered=True)
    ),
    "pandas, string dtype": lambda: declared_frame(
        values=pd.Index(DECLARED, dtype="string")
    ),
    "polars": lambda: pl.DataFrame({"sky": CELLS}, schema={"sky": pl.Enum(DECLARED)}),
}
INTERVALS = pd.cut([1.0, 5.0, np.nan, 2.0], [0, 3, 6, 9])


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (INTERVALS, ["(0, 3]", "(3, 6]"]),
        # Where an interval is missing, pandas stores the bounds as floats.
        (pd.arrays.IntervalArray(INTERVALS), ["(0.0, 3.0]", "(3.0, 6.0]"]),
    ],
)
def test_intervals_are_categories(column, expected):
    labels = read_table(pd.DataFrame({"age": column})).labels(0)
    assert labels.categories.tolist() == expected
    assert labels.codes.tolist() == [0, 1, MISSING, 0]


def test_intervals_that_pandas_cut_gives_are_declared():
    table = read_table(pd.DataFrame({"age": INTERVALS}))
    assert categories(table) == ["(0, 3]", "(3, 6]", "(6, 9]"]


BY_PARAMETER = {
    "list of lists": (objects().tolist(), [DECLARED]),
    "objects": (objects(), [np.array(DECLARED)]),
    "by index": (objects(), {0: np.array(DECLARED, dtype=object)}),
    "frame of strings": (pd.DataFrame({"sky": CELLS}), {"sky": pd.Index(DECLARED)}),
    "frame, by index": (pd.DataFrame({"sky": CELLS}, dtype=object), {0: DECLARED}),
    "polars": (pl.DataFrame({"sky": CELLS}), {"sky": pl.Series(DECLARED)}),
    "pandas, fewer declared": (
        declared_frame(values=["s", "r", "sun"]),
        {"sky": DECLARED},
    ),
    "a set": (objects(), [set(DECLARED)]),
}


@pytest.mark.parametrize("source", BY_DTYPE.values(), ids=BY_DTYPE)
def test_a_dtype_declares_values(source):
    table = read_table(source())
    assert table.is_categorical(0)
    assert categories(table) == ["fog", "r", "s"]


@pytest.mark.parametrize(("X", "declared"), BY_PARAMETER.values(), ids=BY_PARAMETER)
def test_the_parameter_declares_values(X, declared):
    table = read_table(X, categories=declared)
    assert table.is_categorical(0)
    assert categories(table) == ["fog", "r", "s"]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(CELLS, dtype=pl.Categorical),
        pd.Series(CELLS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        pd.Series(CELLS, dtype="string"),
        pd.Series(CELLS, dtype="category"),
    ],
    ids=["polars categorical", "arrow dictionary", "string", "pandas category"],
)
def test_an_encoding_declares_nothing(column):
    frames = pl if isinstance(column, pl.Series) else pd
    # The categories of another column may share the list of strings of this one.
    frame = frames.DataFrame({"sky": column, "other": ["fog", "s", "x", "y"]})
    if frames is pl:
        frame = frame.with_columns(pl.col("other").cast(pl.Categorical))
    assert categories(read_table(frame)) == ["r", "s"]


def test_booleans_declare_nothing_by_dtype():
    for X in (np.array([[True]]), [[True]], pd.DataFrame({"x": [True]})):
        assert categories(read_table(X)) == [True]
        assert categories(read_table(X, categories=[[True, False]])) == [False, True]


@pytest.mark.parametrize(
    "rows",
    [np.array([2]), np.array([False, False, False, True]), np.empty(0, int)],
    ids=["index", "mask", "none"],
)
def test_a_part_of_the_rows_has_all_declared_values(rows):
    table = read_table(declared_frame())
    for part in (table.take(rows), table.slice_rows(slice(2, 3))):
        assert categories(part) == ["fog", "r", "s"]
    numbers = read_table(np.array([[1.0], [2.0]]), categories=[[3, 2, 1]])
    for part in (numbers.take(np.array([0])), numbers.slice_rows(slice(1, 1))):
        assert categories(part) == [1, 2, 3]


@pytest.mark.parametrize(
    "lay_out", [np.array, np.asfortranarray, sparse.csr_array, pd.DataFrame]
)
@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64"])
def test_declared_numbers_are_encoded_like_numbers(lay_out, dtype):
    X = np.array([[0, 7], [3, 0], [0, 7]], dtype=dtype)
    table = read_table(lay_out(X), categories=[[3, 0, -5], None])
    assert (table.is_categorical(0), table.is_categorical(1)) == (True, False)
    values = find_categories(table, [0, 1])
    assert [v.tolist() for v in values] == [[-5, 0, 3], [0, 7]]
    assert [v.dtype.kind for v in values] == ["f", "f"]
    codes = Codebook([0, 1], values, [False] * 2).reader(table.dense())(slice(None))
    assert codes.tolist() == [[1, 1], [2, 0], [1, 1]]
    if table.is_sparse:
        parts = [table.take(np.array([0])), table.dense(), table.slice_rows(slice(2))]
        assert [categories(part) for part in parts] == [[-5, 0, 3]] * 3


def test_categories_of_a_frame_that_are_numbers_stay_labels():
    X = declared_frame([30, 4, None], [30, 4, 17])
    (values,) = find_categories(read_table(X), [0])
    assert values.dtype == object
    assert values.tolist() == [4, 17, 30]
    # The same values where the cells come as numbers later.
    codebook = Codebook([0], [values], [False])
    later = read_table(np.array([[17.0], [30.0], [5.0], [np.nan]]))
    codes = codebook.reader(later)(slice(None))[:, 0]
    assert codes.tolist() == [1, 2, UNKNOWN, MISSING]


def test_a_column_without_an_observed_cell_has_its_declared_values():
    for table in (
        read_table(declared_frame([None, None])),
        read_table(objects([None, None]), categories=[DECLARED]),
        read_table(np.full((2, 1), np.nan), categories=[DECLARED]),
    ):
        (values,) = find_categories(table, [0])
        assert values.tolist() == ["fog", "r", "s"]
        codes = Codebook([0], [values], [False]).reader(table)(slice(None))
        assert codes.tolist() == [[MISSING], [MISSING]]
    # A dtype without values declares nothing.
    assert categories(read_table(declared_frame([None], []))) == []


@pytest.mark.parametrize(
    "declared", [["s", "r"], ["haze", "r", "s"], ["r", "s", 5], ["s", "r", 2**60]]
)
def test_unused_categories_of_later_rows_are_not_read(declared):
    codebook = Codebook(
        [0], find_categories(read_table(declared_frame()), [0]), [False]
    )
    later = read_table(declared_frame(["r", None, "s"], declared))
    codes = codebook.reader(later, refuse_unknown=True)(slice(None))
    assert codes[:, 0].tolist() == [1, MISSING, 2]
    without_cells = read_table(declared_frame([None], declared))
    assert codebook.reader(without_cells, True)(slice(None)).tolist() == [[MISSING]]


def test_rows_of_numbers_may_come_later_as_categories_without_a_cell():
    codebook = Codebook([0], [np.array([1.0, 2.0])], [False])
    later = read_table(declared_frame([None], ["a", "b"]))
    assert codebook.reader(later)(slice(None)).tolist() == [[MISSING]]


@pytest.mark.parametrize(
    ("X", "declared", "error", "message"),
    [
        (objects(), [["s"]], ValueError, r"holds \['r'\], not among .* \['s'\]: add"),
        (objects(), [["s", 1]], TypeError, r"of the kinds \['number', 'str'\]"),
        (objects(), [["s", None]], ValueError, "include a missing value"),
        (objects(), [["s", "r", "s"]], ValueError, "list 's' twice"),
        (objects(), [[]], ValueError, "is empty: name the column's values"),
        (objects(), ["sr"], TypeError, "must be an array .* got 'sr'"),
        (objects(), [3], TypeError, "must be an array .* got 3"),
        (objects(), [np.array(3)], TypeError, "must be an array"),
        (objects(), [[["s"], ["r"]]], TypeError, "a list"),
        (objects(), [DECLARED] * 2, ValueError, "categories has 2 entries for 1"),
        (objects(), {"sky": DECLARED}, ValueError, "categories names .* 'sky'"),
        (objects(), {1: DECLARED}, ValueError, "categories names the column 1"),
        (objects(), [[1, 2]], TypeError, "kind number .* cells of kind str"),
        ([[1], [2]], [DECLARED], TypeError, "kind str .* cells of kind number"),
        ([[1], [2]], [[1, 3]], ValueError, r"holds \[2.0\], not among"),
        ([[1], [0]], [[True, False]], TypeError, "kind bool .* cells of kind number"),
        ([[True], [False]], [[0, 1]], TypeError, "kind number .* cells of kind bool"),
        (sparse.csr_array([[1], [0]]), [[1]], ValueError, r"holds \[0.0\]"),
        ([[1], [2]], [[1, 2, 2.0**53]], ValueError, "cannot represent exactly"),
        ([[1], [2]], [[1, 2, np.inf]], ValueError, "cannot represent exactly"),
        ([[1], [2]], [[1, 2, np.nan]], ValueError, "include a missing value"),
        (declared_frame(values=["s", "r", 1]), "auto", TypeError, "of the kinds"),
        (
            declared_frame([1, 2], [1, 2, 2**53]),
            "auto",
            ValueError,
            "cannot represent exactly",
        ),
        (
            declared_frame([None], [pd.Timestamp("2026-01-01")]),
            "auto",
            TypeError,
            "Timestamp",
        ),
    ],
)
def test_useless_declarations_are_refused(X, declared, error, message):
    with pytest.raises(error, match=message):
        find_categories(read_table(X, categories=declared), [0])


def test_unused_categories_of_a_target_are_no_classes():
    for y in (
        pd.Series(pd.Categorical(["s", "r"], categories=DECLARED)),
        pd.Categorical(["s", "r"], categories=DECLARED),
        pl.Series(["s", "r"], dtype=pl.Enum(DECLARED)),
    ):
        classes, codes = encode_classes(y)
        assert classes.tolist() == ["r", "s"]
        assert codes.tolist() == [1, 0]


def test_codes_of_a_table_for_stumps_are_those_of_the_cells():
    coded = code_table(read_table(declared_frame()))
    assert coded.categories[0].tolist() == ["r", "s"]
    assert coded.column(0)[:3].tolist() == [1, 1, 0]
    assert coded.n_bins.tolist() == [2]


def test_many_declared_values_are_read():
    values = [f"v{k:06}" for k in range(50_000)]
    table = read_table(declared_frame(["v049999", "v000000"], values[::-1]))
    (found,) = find_categories(table, [0])
    assert found.tolist() == values
    codes = Codebook([0], [found], [False]).reader(table)(slice(None))
    assert codes.tolist() == [[49_999], [0]]
