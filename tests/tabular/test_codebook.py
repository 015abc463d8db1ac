"""Cells to codes, against a dictionary look-up in plain Python."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_bayeslazy.tabular import MISSING, Codebook, find_categories, read_table

UNKNOWN = -2


def is_missing(cell):
    return cell is None or cell != cell


def code_by_hand(cell, values, is_cut=False):
    """Return the code of one cell: its place, or how many cut points are ≤ it."""
    if is_missing(cell):
        return MISSING
    if is_cut:
        return sum(edge <= cell for edge in values)
    return dict(zip(values, range(len(values)))).get(cell, UNKNOWN)


def learn(X):
    """Return the codebook of all categories of a table."""
    table = read_table(X)
    columns = np.arange(table.n_columns)
    values = find_categories(table, columns)
    return Codebook(columns, values, np.zeros(len(columns), bool))


def encode(codebook, X, **options):
    table = read_table(X)
    return codebook.reader(table, **options)(slice(0, table.n_rows))


def column(cells, dtype=object):
    array = np.empty((len(cells), 1), dtype=dtype)
    array[:, 0] = cells
    return array


# --- numbers ----------------------------------------------------------------------

# What a column may hold, and what it may be asked about later beside that.
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
    "integers, asked about fractions": ([0.0, 1.0, 3.0], [0.5, -0.5, 2.0, 2.9999]),
    "tiny": ([1e-300, 0.0, 5e-324], [1e-299, -1e-300]),
    "tiny beside an integer": ([0.0, 1e-17], [1.0]),
    "rounding errors": ([3.0, 0.1 * 3 * 10], [0.3]),
    "negative zero": ([-0.0, 1.0], [2.0]),
    "nothing": ([], [0.0, 1.0]),
}


@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "float64"])
@pytest.mark.parametrize(("known", "strange"), NUMBERS.values(), ids=NUMBERS)
def test_integers_are_coded_by_their_place(known, strange, dtype):
    cells = known + strange
    if dtype.startswith("int") and max(map(abs, cells)) > np.iinfo(dtype).max:
        dtype = "int64"
    codebook = learn(column(known, dtype))
    (categories,) = codebook.values
    assert categories.tolist() == sorted(set(known))
    codes = encode(codebook, column(cells, dtype))
    assert codes.dtype == np.int32
    expected = [code_by_hand(cell, categories.tolist()) for cell in cells]
    assert codes[:, 0].tolist() == expected


@pytest.mark.parametrize(("known", "strange"), FRACTIONS.values(), ids=FRACTIONS)
def test_fractions_are_coded_by_their_place(known, strange):
    codebook = learn(column([*known, np.nan], float))
    (categories,) = codebook.values
    assert categories.tolist() == sorted(set(known))
    cells = [*known, *strange, np.nan]
    codes = encode(codebook, column(cells, float))[:, 0]
    assert codes.tolist() == [code_by_hand(c, categories.tolist()) for c in cells]


@pytest.mark.parametrize("huge", [2.0**53, -(2.0**53), 1e300])
@pytest.mark.parametrize("source", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_categories_too_large_for_float64_are_refused_by_column(source, huge):
    with pytest.raises(ValueError, match=r"'0' is categorical .* not told apart"):
        learn(source(np.array([[1.0], [huge]])))


def test_the_largest_integers_are_told_apart():
    cells = [2**53 - 1, 2**53 - 2, -(2**53) + 1]
    codes = encode(learn(column(cells, "int64")), column(cells, "int64"))
    assert codes[:, 0].tolist() == [2, 1, 0]


EDGES = [-1.5, 0.0, 2.0]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
def test_numbers_fall_in_the_bin_after_the_cut_points_they_reach(dtype):
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
    ("known", "strange"),
    [
        (["b", "a", None], ["c", "", "A"]),
        ([True, None], [False]),
        ([b"b", b"a", None], [b"c"]),
        ([None, None], ["a", "b"]),
    ],
    ids=["strings", "booleans", "bytes", "nothing"],
)
def test_labels_are_coded_by_their_place(known, strange):
    codebook = learn(column(known))
    values = codebook.values[0].tolist()
    assert values == sorted({cell for cell in known if cell is not None})
    cells = known + strange
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


def mixed_frame():
    return pd.DataFrame(
        {
            "colour": pd.Series(["red", "blue", None, "red"], dtype=object),
            "size": [30.0, 10.0, 20.0, np.nan],
            "ready": [True, False, True, True],
            "id": [7, 9, 7, 7],
        }
    )


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
def test_some_rows_have_the_codes_that_they_have_among_all(source, rows):
    X = source()
    codebook = learn(X)
    read = codebook.reader(read_table(X))
    np.testing.assert_array_equal(read(rows), read(slice(0, 4))[rows])


def test_only_missing_cells_fit_any_codebook():
    nothing = pd.DataFrame({name: [None] for name in mixed_frame()}, dtype=object)
    codes = encode(learn(mixed_frame()), nothing, refuse_unknown=True)
    assert codes.tolist() == [[MISSING] * 4]


# --- unknown cells and changed kinds ----------------------------------------------


@pytest.mark.parametrize(
    ("name", "cell", "shown"),
    [("colour", "pink", "'pink'"), ("size", 15.0, r"15\.0"), ("id", 8, r"8(\.0)?")],
)
def test_an_unknown_category_is_refused_by_name(name, cell, shown):
    codebook = learn(mixed_frame())
    strange = mixed_frame()
    strange.loc[2, name] = cell
    message = f"Found the unknown category {shown} in column '{name}'"
    with pytest.raises(ValueError, match=message):
        encode(codebook, strange, refuse_unknown=True)
    assert encode(codebook, mixed_frame(), refuse_unknown=True).min() == MISSING


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([1.0, 2.0], ["a", "b"], r"held numbers at fit and now holds labels .*'a'"),
        (["a", "b"], [1.0, 2.0], r"held labels .*'a'\) at fit and now holds numbers"),
        (
            [b"a", b"b"],
            [1.0, 2.0],
            r"held labels .*b'a'\) at fit and now holds numbers",
        ),
        (
            ["a", "b"],
            [True, False],
            "held labels of kind str at fit and now holds bool",
        ),
        (
            ["a", "b"],
            [b"a", b"b"],
            "held labels of kind str at fit and now holds bytes",
        ),
        (
            [True, False],
            ["a", "b"],
            "held labels of kind bool at fit and now holds str",
        ),
    ],
)
def test_a_column_that_changes_its_kind_is_refused_by_name(before, after, message):
    codebook = learn(pd.DataFrame({"x": before}))
    with pytest.raises(TypeError, match=f"'x' {message}"):
        encode(codebook, pd.DataFrame({"x": pd.Series(after, dtype=object)}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (pd.Series([True, False, None], dtype="boolean"), pd.Series([1.0, 0.0, None])),
        (pd.Series([1.0, 0.0, None]), pd.Series([True, False, None], dtype="boolean")),
        (pd.Series([7, 5, None], dtype="category"), pd.Series([7, 5, None])),
        (pd.Series(["b", "a", None], dtype="category"), pd.Series(["b", "a", None])),
        (pd.Series(["b", "a", None], dtype="string"), pd.Series(["b", "a", None])),
        (pd.Series([2, 1, None], dtype="Int64"), pd.Series([2.0, 1.0, None])),
    ],
    ids=lambda series: str(series.dtype),
)
def test_a_column_may_change_its_dtype_without_changing_its_kind(before, after):
    codebook = learn(before.to_frame("x"))
    codes = encode(codebook, after.to_frame("x"), refuse_unknown=True)
    assert codes[:, 0].tolist() == [1, 0, MISSING]


@pytest.mark.parametrize("values", [["b", "a"], [True, False], [7.0, 5.0]])
def test_numpys_scalars_are_read_as_pythons(values):
    array = np.array(values).reshape(-1, 1)
    codebook = learn([[cell] for cell in array[:, 0]])
    assert encode(codebook, [[cell] for cell in values]).tolist() == [[1], [0]]


# --- two codebooks ----------------------------------------------------------------


def book(*columns, is_cut=False):
    values = [np.array(c, dtype=object if kind_is_label(c) else float) for c in columns]
    return Codebook(np.arange(len(columns)), values, np.full(len(columns), is_cut))


def kind_is_label(cells):
    return any(isinstance(cell, str | bytes | bool) for cell in cells)


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ([1, 5], [2, 5, 9], [1, 2, 5, 9]),
        (["b"], ["a", "c"], ["a", "b", "c"]),
        (["a", "b"], ["a", "b"], ["a", "b"]),
        ([False], [True], [False, True]),
        ([], ["a"], ["a"]),
        (["a"], [], ["a"]),
        ([], [], []),
    ],
)
def test_the_union_holds_the_categories_of_both(mine, theirs, both):
    # A column before and after it, so that codes end to end move.
    first, second = book([0, 1], mine, ["x"]), book([1, 2], theirs, ["y"])
    union = first.union(second, ["a", "b", "c"])
    assert [v.tolist() for v in union.values] == [[0, 1, 2], both, ["x", "y"]]
    everything = np.concatenate([v.astype(object) for v in union.values])
    for part in (first, second):
        own = np.concatenate([v.astype(object) for v in part.values])
        assert everything[part.places_in(union)].tolist() == own.tolist()


@pytest.mark.parametrize(
    ("mine", "theirs", "message"),
    [
        (["a"], [1], "kind str and now holds number"),
        ([1], ["a"], "kind number and now holds str"),
        ([True], ["a"], "kind bool and now holds str"),
    ],
)
def test_codebooks_of_different_kinds_have_no_union(mine, theirs, message):
    with pytest.raises(TypeError, match=f"'x' held categories of {message}"):
        book(mine).union(book(theirs), ["x"])


def test_only_equal_cut_points_have_a_union():
    names, cut = ["x"], book([1, 2], is_cut=True)
    union = cut.union(book([1, 2], is_cut=True), names)
    assert union.values[0].tolist() == [1, 2]
    assert union.is_cut.tolist() == [True]
    assert cut.places_in(union).tolist() == [0, 1, 2]
    for other in ([1, 3], [1], []):
        with pytest.raises(ValueError, match="'x' is cut into different bins"):
            cut.union(book(other, is_cut=True), names)


# --- sparse rows ------------------------------------------------------------------


def sparse_and_dense(seed, strange=0):
    """Return one table twice: a column of zeros, a full one, wide and small values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3 + strange, (40, 5)) * (rng.random((40, 5)) < 0.4).astype(
        float
    )
    X[:, 1] *= 2500.5
    X[:, 3] = rng.integers(1, 4 + strange, 40)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 4] = 0
    rows = sparse.csr_array(X)
    rows.data[rng.random(rows.nnz) < 0.1] = 0  # zeros that are stored
    return rows, rows.toarray()


@pytest.mark.parametrize("seed", range(5))
def test_sparse_rows_are_coded_like_the_same_dense_rows(seed):
    rows, X = sparse_and_dense(seed)
    codebook, of_dense = learn(rows), learn(X)
    for ours, theirs in zip(codebook.values, of_dense.values):
        np.testing.assert_array_equal(ours, theirs)
    rows, X = sparse_and_dense(seed + 100, strange=2)
    expected = encode(of_dense, X)
    assert (expected == UNKNOWN).any()
    np.testing.assert_array_equal(encode(codebook, rows), expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 4], [3, 0]])
def test_stored_codes_and_the_code_of_zero_are_all_codes(seed, columns):
    rows, X = sparse_and_dense(seed)
    codebook = learn(X).part(columns)
    rows, X = sparse_and_dense(seed + 100, strange=2)
    table = read_table(rows)
    codes = np.broadcast_to(codebook.code_zero(), (40, len(columns))).copy()
    stored = codebook.encode_stored(table)
    assert stored.dtype == np.int32
    row_of = np.repeat(np.arange(40), np.diff(table.values.indptr))
    for i, column_, code in zip(row_of, table.values.indices, stored):
        if column_ in columns:
            codes[i, columns.index(column_)] = code
        else:
            assert code == MISSING
    np.testing.assert_array_equal(codes, encode(codebook, X))


def test_cut_columns_of_sparse_rows():
    X = np.array([[0, -3.0], [5.0, 0], [0, np.nan]])
    codebook = book([-1, 1], [0], is_cut=True)
    assert codebook.code_zero().tolist() == [1, 1]
    table = read_table(sparse.csr_array(X))
    assert codebook.encode_stored(table).tolist() == [0, 2, MISSING]
    assert (
        encode(codebook, sparse.csr_array(X)).tolist() == encode(codebook, X).tolist()
    )


@pytest.mark.parametrize(
    ("known", "strange", "shown"),
    [
        ([[0, 1], [2, 3]], [[0, 1], [5, 3]], r"5\.0 in column '0'"),
        ([[0, 1], [2, 3]], [[0, 1], [2, 0]], r"0\.0 in column '1'"),  # not stored
    ],
)
def test_an_unknown_cell_of_sparse_rows_is_refused_by_name(known, strange, shown):
    codebook = learn(sparse.csr_array(np.array(known, float)))
    table = read_table(sparse.csr_array(np.array(strange, float)))
    with pytest.raises(ValueError, match=f"unknown category {shown}"):
        codebook.encode_stored(table, refuse_unknown=True)
    same = read_table(sparse.csr_array(np.array(known, float)))
    stored = codebook.encode_stored(same, refuse_unknown=True)
    assert stored.tolist() == [0, 1, 1]
