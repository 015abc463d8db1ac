"""Dates of every source are days since 1970-01-01 UTC, durations are days."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_bayeslazy import MEstimateNB, ShepardKNN
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.table_sources import arrow, named

MOMENT = datetime.datetime(2020, 1, 31, 6, 0, 0, 1)
# 50 years with 12 leap days, 30 days, 6 hours, a microsecond.
DAYS = 50 * 365 + 12 + 30
MOMENT_IN_DAYS = DAYS + (6 * 3600 + 1e-6) / 86400
EARLY = datetime.datetime(1969, 12, 31, 18)  # a quarter of a day before
IN_BERLIN = MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
SPAN = datetime.timedelta(days=-2, hours=6)


def column(cells, dtype=object):
    array = np.empty((len(cells), 1), dtype=dtype)
    array[:, 0] = cells
    return array


def pandas(cells, dtype=None):
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})


MOMENTS = [MOMENT, EARLY, None]
TOKYO = "Asia/Tokyo"
OF_PANDAS = pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert(TOKYO)
OF_POLARS = pl.Series(MOMENTS).dt.replace_time_zone("UTC").dt.convert_time_zone(TOKYO)


@pytest.mark.parametrize(
    "X",
    named(
        {
            "objects": column(MOMENTS),
            "timestamps": column([*map(pd.Timestamp, MOMENTS[:2]), pd.NaT]),
            "NumPy objects": column([*map(np.datetime64, MOMENTS[:2]), None]),
            "array": column(MOMENTS, "M8[us]"),
            "array of nanoseconds": column(MOMENTS, "M8[ns]"),
            "lists": [[cell] for cell in MOMENTS],
            "pandas": pandas(MOMENTS, "datetime64[ns]"),
            "pandas objects": pandas(MOMENTS, object),
            "pandas with a zone": pd.DataFrame({"a": OF_PANDAS}),
            "arrow": pandas(MOMENTS, arrow(pa.timestamp("us"))),
            "polars": pl.DataFrame({"a": MOMENTS}),
            "polars with a zone": pl.DataFrame({"a": OF_POLARS}),
        }
    ),
)
def test_moments_are_days_since_1970(X):
    np.testing.assert_array_equal(
        read_table(X).column(0), [MOMENT_IN_DAYS, -0.25, np.nan]
    )


def test_a_zone_is_converted_to_utc():
    days = read_table(column([IN_BERLIN, MOMENT.replace(tzinfo=datetime.UTC)]))
    np.testing.assert_allclose(
        days.column(0), [MOMENT_IN_DAYS - 1 / 24, MOMENT_IN_DAYS], rtol=1e-15
    )


DATES = [MOMENT.date(), EARLY.date(), None]


@pytest.mark.parametrize(
    "X",
    named(
        {
            "objects": column(DATES),
            "array": column(DATES, "M8[D]"),
            "arrow": pandas(DATES, arrow(pa.date32())),
            "polars": pl.DataFrame({"a": DATES}),
            "polars objects": pl.DataFrame({"a": pl.Series(DATES, dtype=pl.Object)}),
        }
    ),
)
def test_dates_are_whole_days(X):
    np.testing.assert_array_equal(read_table(X).column(0), [DAYS, -1, np.nan])


def test_months_are_their_first_days():
    days = read_table(column(["1970-02", "1969-12", "NaT"], "M8[M]")).column(0)
    np.testing.assert_array_equal(days, [31, -31, np.nan])


@pytest.mark.parametrize(
    "X",
    named(
        {
            "objects": column([SPAN, None]),
            "NumPy objects": column([np.timedelta64(SPAN), None]),
            "array": column([SPAN, "NaT"], "m8[s]"),
            "pandas": pandas([SPAN, None], "timedelta64[ns]"),
            "arrow": pandas([SPAN, None], arrow(pa.duration("ms"))),
            "polars": pl.DataFrame({"a": [SPAN, None]}),
        }
    ),
)
def test_durations_are_days(X):
    np.testing.assert_array_equal(read_table(X).column(0), [-1.75, np.nan])


def test_dates_only_missing_are_numbers():
    assert read_table(pandas([None, None], "datetime64[ns]")).labels(0) is None


@pytest.mark.parametrize("cells", [[MOMENT, "x"], [MOMENT, 1.5], [MOMENT, SPAN]])
def test_dates_are_not_mixed_with_other_kinds(cells):
    with pytest.raises(TypeError, match=r"'0' mixes cells of the kinds \['da"):
        read_table(column(cells))


def test_declared_categories_are_no_dates():
    with pytest.raises(TypeError, match="must be converted"):
        read_table(column(["a", "b"]), categories=[[MOMENT]])


@pytest.mark.parametrize(
    "model", [MEstimateNB(), ShepardKNN(metric="hvdm"), ShepardKNN(3, metric="gower")]
)
def test_estimators_answer_alike_for_dates_and_days(model):
    rng = np.random.default_rng(0)
    days = rng.integers(0, 900, 60).astype(float)
    kind = rng.choice(["a", "b"], 60)
    y = (days > 500).astype(int)
    dates = pd.DataFrame({"kind": kind, "day": pd.to_datetime(days, unit="D")})
    numbers = pd.DataFrame({"kind": kind, "day": days})
    expected = model.fit(numbers, y).predict_proba(numbers)
    np.testing.assert_array_equal(model.fit(dates, y).predict_proba(dates), expected)
    assert model.score(dates, y) > 0.9
