"""`complete` fills in cells of the dtype of the column, dates as dates."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_bayeslazy import CaseBasedClassifier

DAYS = [dt.datetime(2020, 1, day) for day in (1, 2, 3)]
MEAN = dt.datetime(2020, 1, 2)


def complete(cases, query):
    """Return the query, completed by three cases that all vote with one weight."""
    model = CaseBasedClassifier(3, power=1, weights=None, m=0)
    return model.fit(cases, [0, 1, 0]).complete(query)[0]


@pytest.mark.parametrize("zone", [None, "Europe/Oslo"])
def test_pandas_dates(zone):
    cases = pd.DataFrame({"d": pd.Series(DAYS).dt.tz_localize(zone), "b": "x"})
    query = cases[:2].assign(d=cases["d"].where(cases.index == 0))
    out = complete(cases, query)["d"]
    assert out.dtype == cases["d"].dtype
    assert out[0] == cases["d"][0]
    assert out[1] == pd.Timestamp(MEAN, tz=zone)
    gone = complete(cases, query[1:])["d"]  # without a known cell
    assert gone.tolist() == [pd.Timestamp(MEAN, tz=zone)]


def test_pandas_durations_categories_and_integers():
    hours = pd.to_timedelta([1, 2, 3], unit="h")
    cases = pd.DataFrame({"d": hours, "b": "x"})
    out = complete(cases, cases[:1].assign(d=pd.to_timedelta([None])))["d"]
    assert out.tolist() == [pd.Timedelta(hours=2)]
    cases = pd.DataFrame({"d": pd.Categorical(list("xxy")), "b": "x"})
    query = pd.DataFrame({"d": pd.Categorical([None, "z"]), "b": "x"})
    out = complete(cases, query)["d"]
    assert out.dtype == pd.CategoricalDtype(["z", "x"])
    assert out.tolist() == ["x", "z"]
    cases = pd.DataFrame({"d": pd.array([1, 2, 4], dtype="Int64"), "b": "x"})
    out = complete(cases, cases[:1].assign(d=pd.array([None], dtype="Int64")))["d"]
    assert (out.dtype, out[0]) == ("Float64", pytest.approx(7 / 3))


@pytest.mark.parametrize(
    ("cells", "dtype", "filled", "dtype_out"),
    [
        (DAYS, pl.Datetime("us"), MEAN, pl.Datetime("us")),
        (DAYS, pl.Date, MEAN.date(), pl.Date),
        (
            [dt.timedelta(hours=h) for h in (1, 2, 3)],
            pl.Duration,
            dt.timedelta(hours=2),
            pl.Duration,
        ),
        ([1, 2, 4], pl.Int64, pytest.approx(7 / 3), pl.Float64),
        (list("xxy"), pl.Enum(["x", "y"]), "x", pl.Enum(["x", "y"])),
    ],
    ids=str,
)
def test_polars(cells, dtype, filled, dtype_out):
    cases = pl.DataFrame({"d": pl.Series(cells).cast(dtype), "b": ["x"] * 3})
    query = pl.DataFrame({"d": pl.Series([None, cells[0]]).cast(dtype), "b": ["x"] * 2})
    for rows in (query, query[:1]):
        out = complete(cases, rows)["d"]
        assert out.dtype == dtype_out
        assert out[0] == filled


def test_a_polars_enum_that_lacks_the_value_becomes_strings():
    cases = pl.DataFrame({"d": list("xxy"), "b": ["x"] * 3})
    query = pl.DataFrame({"d": pl.Series([None], dtype=pl.Enum(["y"])), "b": ["x"]})
    assert complete(cases, query)["d"].to_list() == ["x"]


@pytest.mark.parametrize(
    ("cells", "filled"),
    [
        (DAYS, MEAN),
        ([day.date() for day in DAYS], MEAN.date()),
        ([np.datetime64(day) for day in DAYS], np.datetime64(MEAN)),
    ],
    ids=["datetime", "date", "numpy"],
)
def test_objects_in_arrays_and_dicts(cells, filled):
    rows = [[cell, "x"] for cell in cells]
    query = [rows[0], [None, "x"]]
    assert complete(rows, query)[1, 0] == filled
    dicts = [dict(zip("db", row)) for row in rows]
    assert complete(dicts, [dicts[0], {"d": None, "b": "x"}])[1]["d"] == filled
