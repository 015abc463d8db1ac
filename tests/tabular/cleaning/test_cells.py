"""Columns of all containers and types: the same cells, row by row as in the whole."""

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bayeslazy import TableCleaner
from tests.tabular.cleaning.test_local_formats import CATEGORIES, DATES, NUMBERS

CONTAINERS = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "array": lambda columns: np.array(list(columns.values()), dtype=object).T,
}
COLUMNS = {
    name: cells
    for table in (NUMBERS, DATES, CATEGORIES)
    for name, (cells, *_) in table.items()
}
every_container = pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)


def frame(**columns):
    return pd.DataFrame({name: pd.Series(cells) for name, cells in columns.items()})


def rows_of(out):
    """Return a frame or an array as lists, missing cells as None."""
    rows = out.rows() if isinstance(out, pl.DataFrame) else np.asarray(out).tolist()
    return [
        [None if cell is None or cell != cell else cell for cell in row] for row in rows
    ]


@every_container
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_batch_is_read_row_by_row_as_the_whole(make, data):
    names = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    columns = {name: (COLUMNS[name] * 30)[:30] for name in names}
    cleaner = TableCleaner().fit(make({**columns, "k": ["a", "b"] * 15}))
    odd = [
        "",
        "?",
        "unknown",
        "1.234",
        "1,5",
        "5 kg",
        "01/02/2024",
        "yes",
        "01234",
        "X",
    ]
    cells = {
        name: data.draw(
            st.lists(st.sampled_from([*COLUMNS[name], *odd]), min_size=3, max_size=3)
        )
        for name in columns
    }
    batch = {**cells, "k": ["a", "b", "a"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = rows_of(cleaner.transform(make(batch)))
        for i, row in enumerate(whole):
            alone = make({name: column[i : i + 1] for name, column in batch.items()})
            assert rows_of(cleaner.transform(alone)) == [row]


@pytest.mark.parametrize("name", COLUMNS)
def test_all_containers_give_the_same(name):
    columns = {"x": (COLUMNS[name] * 30)[:30], "k": ["a", "b"] * 15}
    expected = rows_of(TableCleaner().fit_transform(pd.DataFrame(columns)))
    for make in CONTAINERS.values():
        cleaner = TableCleaner().fit(make(columns))
        assert rows_of(cleaner.transform(make(columns))) == expected


def test_the_decimal_sign_does_not_depend_on_the_batch():
    cleaner = TableCleaner().fit(
        frame(x=["1.234,5", "0,75", "7,5", "12.000", "980"] * 5)
    )
    both = cleaner.transform(frame(x=["12.000", "0,75"]))["x"]
    alone = cleaner.transform(frame(x=["12.000"]))["x"]
    assert (both[0], alone[0]) == (12000, 12000)


@every_container
def test_bytes_are_read_as_the_strings_they_hold(make):
    columns = {"x": [b"1,5", b"2,25", b"7"] * 10, "k": [b"p", b"q"] * 15}
    cleaner = TableCleaner().fit(make(columns))
    assert list(cleaner.kinds_.values()) == ["number", "category"]
    out = cleaner.transform(make({"x": [b"1,5", b"2,25"], "k": [b"p", b"q"]}))
    assert rows_of(out) == [[1.5, "p"], [2.25, "q"]]


def test_numbers_among_strings_have_no_separators():
    cells = ["1.234,50", 1.234, "0,75", decimal.Decimal("-12.5"), 7, "1.000"]
    X = pd.DataFrame({"x": cells * 5, "k": ["a", "b"] * 15})
    for rows in (X, X.to_numpy()):
        out = TableCleaner().fit_transform(rows)
        numbers = np.asarray(out)[:6, 0].tolist()
        assert numbers == [1234.5, 1.234, 0.75, -12.5, 7, 1000]


def test_new_unreadable_cells_are_warned_of_and_those_of_fit_are_not():
    cells = [str(i) for i in range(40)] + ["unclear"]
    cleaner = TableCleaner().fit(frame(x=cells, k=["a"] * 20 + ["b"] * 21))
    assert (
        "cells such as 'unclear' become missing (1)" in cleaner.decisions_["x"].reason
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cleaner.transform(frame(x=["unclear", "NA", "unknown", "5"], k="a"))
    with pytest.warns(UserWarning, match="column 'x': 2 of 3 cells .* example '1,5'"):
        out = cleaner.transform(frame(x=["1,5", "7", "x"], k=["a"] * 3))
    assert out["x"].isna().tolist() == [True, False, True]
    with pytest.warns(UserWarning, match="'x': 1 of 1 cells .* example '2024-02-29'"):
        cleaner.transform(frame(x=[pd.Timestamp("2024-02-29")], k=["a"]))


@every_container
@pytest.mark.parametrize("kind", [int, str, decimal.Decimal])
@pytest.mark.parametrize("sign", [1, -1])
def test_long_codes_stay_apart(make, kind, sign):
    codes = [4111111111111111, 4111111111111112, 12345678901234567, 12345678901234568]
    codes = [sign * code for code in codes]
    cells = [kind(code) for code in codes] * 10
    columns = {"card": cells, "x": list(range(20)) * 2}
    label = "card" if make is not CONTAINERS["array"] else 0
    cleaner = TableCleaner().fit(make(columns))
    decision = cleaner.decisions_[label]
    assert decision.kind == "category", decision
    out = [row[0] for row in rows_of(cleaner.transform(make(columns)))]
    assert out == [str(code) for code in codes] * 10


def test_long_codes_with_a_missing_one_are_floats_in_pandas():
    codes = [4111111111111111, 4111111111111112, None] * 10
    out = TableCleaner().fit_transform(frame(card=codes, x=[1, 2, 2] * 10))
    assert out["card"].tolist()[:2] == ["4111111111111111", "4111111111111112"]
    assert out["card"].isna().sum() == 10


@every_container
def test_durations_are_numbers_in_days_and_so_are_their_strings(make):
    stay = [datetime.timedelta(hours=6 * i) for i in range(20)]
    label = "stay" if make is not CONTAINERS["array"] else 0
    cleaner = TableCleaner().fit(make({"stay": stay, "k": ["a", "b"] * 10}))
    assert cleaner.decisions_[label].kind == "number"
    texts = ["06:00", "1 day, 12:00:00", "2 days 00:00:00", "6 h"]
    found = cleaner.transform(make({"stay": texts, "k": ["a"] * 4}))
    assert [row[0] for row in rows_of(found)] == [0.25, 1.5, 2, 0.25]


def test_written_durations_are_hours_also_for_later_durations():
    cleaner = TableCleaner().fit(frame(x=["01:30", "02:00", "00:45"] * 9))
    later = frame(x=[pd.Timedelta(hours=36)])
    assert cleaner.transform(later)["x"].tolist() == [36]


@pytest.mark.parametrize(
    "declared",
    [
        pd.Categorical(["1", "2", "3"] * 10),
        pd.Categorical([1, 2, 3] * 10),
        pl.Series(["1", "2", "3"] * 10, dtype=pl.Enum(["1", "2", "3"])),
        pl.Series(["1", "2", "3"] * 10, dtype=pl.Categorical),
    ],
    ids=["strings", "integers", "Enum", "polars"],
)
def test_declared_categories_stay_categories(declared):
    make = pl.DataFrame if isinstance(declared, pl.Series) else pd.DataFrame
    cleaner = TableCleaner().fit(make({"x": declared, "k": ["a", "b"] * 15}))
    assert cleaner.decisions_["x"].kind == "category"
    for cells in (["1", "3"], [1, 3], [1.0, 3.0]):
        out = cleaner.transform(pd.DataFrame({"x": cells, "k": "a"}))
        assert out["x"].tolist() == ["1", "3"]


@pytest.mark.parametrize("make", [CONTAINERS["pandas"], CONTAINERS["array"]])
def test_cells_of_mixed_types_are_read_as_strings(make):
    times = [datetime.time(8, 30), datetime.time(12), "7:15"] * 10
    columns = {
        "amount": [1.5, "2,000", 3, None, "n.d."] * 6,
        "day": [datetime.date(2024, 2, 29), "1 March 2024", pd.Timestamp("2024-03-02")]
        * 10,
        "opens": times,
        "grade": [1, "A", True] * 10,
    }
    out = rows_of(TableCleaner().fit_transform(make(columns)))
    assert [row[0] for row in out[:5]] == [1.5, 2000, 3, None, None]
    assert [row[-3] for row in out[:3]] == [0, 1, 2]
    assert [row[-2] for row in out[:3]] == [8.5, 12, 7.25]
    assert [row[-1] for row in out[:3]] == ["1", "A", "True"]


MOMENT, DAY = datetime.datetime(2024, 1, 12, 6), datetime.date(2024, 1, 13)
MIXED = {
    "floats": (
        [1.5, "a", 401.9, "1.5", 0.1 + 0.2],
        ["1.5", "a", "401.9", "1.5", "0.3"],
    ),
    "decimals": ([decimal.Decimal("1.10"), "a", 2], ["1.1", "a", "2"]),
    "dates and strings": ([DAY, "01/02/2024", MOMENT], None),
    "dates": ([DAY, MOMENT.date()], ["2024-01-13", "2024-01-12"]),
    "moments": (
        [MOMENT, MOMENT.replace(hour=0), MOMENT.replace(microsecond=250)],
        ["2024-01-12T06:00:00", "2024-01-12", "2024-01-12T06:00:00.000250"],
    ),
    "time zones": ([MOMENT.replace(tzinfo=datetime.UTC), "x"], None),
    "timestamps": ([pd.Timestamp(MOMENT), "2024"], ["2024-01-12T06:00:00", "2024"]),
    "NumPy": ([np.datetime64("2024-01-12"), "x"], ["2024-01-12", "x"]),
    "durations": ([datetime.timedelta(hours=30), "x"], ["1 day, 6:00:00", "x"]),
    "pandas durations": ([pd.Timedelta(hours=3), "x"], ["3:00:00", "x"]),
    "durations alone": ([datetime.timedelta(hours=h) for h in (3, 30)], None),
    "flags and numbers": ([True, 2, 0, 1.5], ["1", "2", "0", "1.5"]),
    "flags and words": ([True, 1, "a", False], ["True", "1", "a", "False"]),
}


@pytest.mark.parametrize("make", [CONTAINERS["pandas"], CONTAINERS["array"]])
@pytest.mark.parametrize("name", MIXED)
def test_labels_of_any_type_are_those_of_a_row_alone(make, name):
    cells, expected = MIXED[name]
    n = 9 * len(cells)
    columns = {"x": pd.Series(cells * 9, dtype=object), "k": (["a", "b"] * n)[:n]}
    cleaner = TableCleaner({"x" if make is pd.DataFrame else 0: "category"})
    out = rows_of(cleaner.fit_transform(make(columns)))
    found = [row[0] for row in out[: len(cells)]]
    assert found == expected or expected is None
    for cell, label in zip(cells, found):
        alone = make({"x": pd.Series([cell], dtype=object), "k": ["a"]})
        assert rows_of(cleaner.transform(alone))[0][0] == label
        assert isinstance(label, str)


def test_numbers_in_free_text_are_those_of_a_row_alone():
    cells = [12.75, "the 12.75 of a long day", "short"] * 10
    cleaner = TableCleaner({"x": "text"}).fit(frame(x=cells), ["a", "b", "b"] * 10)
    whole, alone = (cleaner.transform(frame(x=cells[:n]))["x_b"][0] for n in (3, 1))
    assert whole == alone


@pytest.mark.parametrize("name", ["dates", "moments", "durations alone"])
def test_labels_of_dates_in_typed_columns(name):
    cells, expected = MIXED[name]
    frames = [pd.DataFrame({"x": cells}), pl.DataFrame({"x": cells})]
    labels = [
        TableCleaner({"x": "category"}).fit_transform(X)["x"].to_list() for X in frames
    ]
    assert labels[0] == labels[1] == (expected or ["3:00:00", "1 day, 6:00:00"])


def test_periods_and_intervals():
    X = frame(
        month=pd.period_range("2024-01", periods=3, freq="M").repeat(10),
        age=pd.cut(np.arange(30), 3),
    )
    cleaner = TableCleaner().fit(X)
    assert cleaner.kinds_ == {"month": "date", "age": "category"}
    assert cleaner.transform(X)["month_days"].unique().tolist() == [0, 31, 60]
    assert cleaner.transform(X)["age"].nunique() == 3


def test_nested_cells_are_refused():
    with pytest.raises(TypeError, match="'x' holds a list"):
        TableCleaner().fit(frame(x=[[1], [2]], y=[1, 2]))
