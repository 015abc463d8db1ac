"""Codebook: numbers and labels to codes, against a dictionary look-up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_bayeslazy.tabular._categories import find_categories
from sklearn_bayeslazy.tabular._codebook import Codebook
from sklearn_bayeslazy.tabular._labels import MISSING
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.codebooks import code_by_hand, column, encode, learn, mixed_frame

# --- numbers ----------------------------------------------------------------------

# The numbers that a column is learnt from, and other numbers that are encoded later.
NUMBERS = {
    "small integers": ([3, 0, 7, 3], [1, 8, -1, 10**6]),
    "negative": ([-3, -700, 2], [-2, 0, -701, 3]),
    "the ends of the window": ([-2048, 2047], [-2049, 2048, 0]),
    "beyond the window": ([-2049, 2048], [-2048, 2047, 0]),
    "far but close together": ([10**9, 10**9 + 2], [10**9 + 1, 0, 10**9 - 1]),
    "wide": ([0, 10**12, -(10**12), 5], [10**12 + 1, 4, -(10**12) - 1]),
    "one": ([6], [5, 7]),
}
FRACTIONS = {
    "halves": ([0.5, -0.5, 2.0], [0.0, 1.0, 0.25, -1.0, 3.5]),
    "fractions and integers": ([1.0, 2.0, 1.5], [1.25, 0.0, 3.0, 1e300]),
    "integers, then fractions": ([0.0, 1.0, 3.0], [0.5, -0.5, 2.0, 2.9999]),
    "tiny": ([1e-300, 0.0, 5e-324], [1e-299, -1e-300]),
    "tiny beside an integer": ([0.0, 1e-17], [1.0]),
    "rounding errors": ([3.0, 0.1 * 3 * 10], [0.3]),
    "negative zero": ([-0.0, 1.0], [2.0]),
    "nothing": ([], [0.0, 1.0]),
}


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "float64"])
@pytest.mark.parametrize(("known", "unknown"), NUMBERS.values(), ids=NUMBERS)
def test_integers_are_encoded_by_their_rank(known, unknown, dtype):
    cells = known + unknown
    if dtype.startswith("int") and max(map(abs, cells)) > np.iinfo(dtype).max:
        dtype = "int64"
    codebook = learn(column(known, dtype))
    (categories,) = codebook.values
    assert categories.tolist() == sorted(set(known))
    codes = encode(codebook, column(cells, dtype))
    assert codes.dtype == np.int32
    expected = [code_by_hand(cell, categories.tolist()) for cell in cells]
    assert codes[:, 0].tolist() == expected


@pytest.mark.parametrize(("known", "unknown"), FRACTIONS.values(), ids=FRACTIONS)
def test_fractions_are_encoded_by_their_rank(known, unknown):
    codebook = learn(column([*known, np.nan], float))
    (categories,) = codebook.values
    assert categories.tolist() == sorted(set(known))
    cells = [*known, *unknown, np.nan]
    codes = encode(codebook, column(cells, float))[:, 0]
    assert codes.tolist() == [code_by_hand(c, categories.tolist()) for c in cells]


@pytest.mark.parametrize("huge", [2.0**53, -(2.0**53), 1e300])
@pytest.mark.parametrize("source", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_categories_too_large_for_float64_are_refused_by_column(source, huge):
    with pytest.raises(
        ValueError,
        match=r"'0' is categorical .* which float64 cannot represent exactly",
    ):
        learn(source(np.array([[1.0], [huge]])))


def test_the_largest_exact_integers_have_different_codes():
    cells = [2**53 - 1, 2**53 - 2, -(2**53) + 1]
    codes = encode(learn(column(cells, "int64")), column(cells, "int64"))
    assert codes[:, 0].tolist() == [2, 1, 0]


EDGES = [-1.5, 0.0, 2.0]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
def test_the_bin_of_a_number_is_the_count_of_cut_points_up_to_it(dtype):
    cells = [-100, -2, -1, 0, 1, 2, 3, 100]
    if dtype.startswith("float"):
        cells += [-1.5, -1.25, 1.75, np.nan, 3e38, 1e-30]
    codebook = Codebook([0], [np.array(EDGES)], [True])
    codes = encode(codebook, column(cells, dtype))[:, 0]
    assert codes.tolist() == [code_by_hand(c, EDGES, is_cut=True) for c in cells]
    assert codebook.sizes.tolist() == [4]


def test_a_column_without_cut_points_is_one_bin():
    codebook = Codebook([0], [np.empty(0)], [True])
    assert encode(codebook, [[5.0], [np.nan]]).tolist() == [[0], [MISSING]]


# --- labels and tables ------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        (["b", "a", None], ["c", "", "A"]),
        ([True, None], [False]),
        ([b"b", b"a", None], [b"c"]),
        ([None, None], ["a", "b"]),
    ],
    ids=["strings", "booleans", "bytes", "nothing"],
)
def test_labels_are_encoded_by_their_rank(known, unknown):
    codebook = learn(column(known))
    values = codebook.values[0].tolist()
    assert values == sorted({cell for cell in known if cell is not None})
    cells = known + unknown
    codes = encode(codebook, column(cells))
    assert codes.dtype == np.int32
    assert codes[:, 0].tolist() == [code_by_hand(cell, values) for cell in cells]


KINDS = {
    "digit": st.integers(0, 4),
    "wide": st.sampled_from([-(10**9), -5000, 0, 3, 4000, 10**9]),
    "fraction": st.floats(-100, 100),
    "string": st.text("abé", max_size=2),
    "boolean": st.booleans(),
}


@st.composite
def tables(draw):
    """Return a table of mixed columns, the number of rows to learn from, and cuts."""
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    n_rows = draw(st.integers(2, 12))
    cells = [
        draw(st.lists(st.none() | KINDS[kind], min_size=n_rows, max_size=n_rows))
        for kind in kinds
    ]
    is_cut = [
        kind not in ("string", "boolean") and draw(st.booleans()) for kind in kinds
    ]
    edges = st.lists(st.floats(-100, 100), max_size=4, unique=True).map(sorted)
    cuts = [draw(edges) if cut else None for cut in is_cut]
    return cells, draw(st.integers(1, n_rows)), cuts


@given(tables())
@example(([[0.0, 1e-17, 1.0]], 2, [None]))
def test_codes_are_those_of_a_dictionary(drawn):
    cells, n_known, cuts = drawn
    frame = pd.DataFrame(
        {str(j): pd.Series(c, dtype=object) for j, c in enumerate(cells)}
    )
    for j, c in enumerate(cells):
        if not any(isinstance(cell, str | bool) for cell in c):
            frame[str(j)] = frame[str(j)].astype(float)
    table = read_table(frame[:n_known])
    columns = np.arange(len(cells))
    values = [
        found if cut is None else np.array(cut, dtype=float)
        for found, cut in zip(find_categories(table, columns), cuts)
    ]
    codebook = Codebook(columns, values, [cut is not None for cut in cuts])
    codes = encode(codebook, frame)
    for j, c in enumerate(cells):
        known = sorted({cell for cell in c[:n_known] if cell is not None})
        values_by_hand = known if cuts[j] is None else cuts[j]
        expected = [code_by_hand(x, values_by_hand, cuts[j] is not None) for x in c]
        assert codes[:, j].tolist() == expected


def test_any_columns_in_any_order():
    table = read_table(mixed_frame())
    columns = np.array([3, 0, 1])
    codebook = Codebook(columns, find_categories(table, columns), np.zeros(3, bool))
    assert codebook.sizes.tolist() == [2, 2, 3]
    assert codebook.start.tolist() == [0, 2, 4, 7]
    assert codebook.numeric.tolist() == [0, 2]
    codes = codebook.reader(table)(slice(0, 4))
    assert codes.tolist() == [[0, 1, 2], [1, 0, 0], [0, MISSING, 1], [0, 1, MISSING]]
    assert codebook.part([2, 1]).columns.tolist() == [1, 0]
    some = codebook.part([2, 1]).reader(table)(slice(0, 4))
    np.testing.assert_array_equal(some, codes[:, [2, 1]])


@pytest.mark.parametrize("rows", [slice(0, 0), slice(0, 1), slice(1, 3), slice(2, 99)])
@pytest.mark.parametrize("source", [mixed_frame, lambda: np.arange(8).reshape(4, 2)])
def test_a_slice_of_rows_has_the_same_codes_as_in_the_whole_table(source, rows):
    X = source()
    codebook = learn(X)
    read = codebook.reader(read_table(X))
    np.testing.assert_array_equal(read(rows), read(slice(0, 4))[rows])


def test_only_missing_cells_fit_any_codebook():
    nothing = pd.DataFrame({name: [None] for name in mixed_frame()}, dtype=object)
    codes = encode(learn(mixed_frame()), nothing, refuse_unknown=True)
    assert codes.tolist() == [[MISSING] * 4]
