"""Dates in one cell, their order in a column, and their parts.

Whole columns are in `test_local_formats.py`.
"""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import TableCleaner
from sklearn_bayeslazy.tabular.cleaning._dates import (
    DateFormat,
    date_parts,
    is_date_marker,
    learn_dates,
    learn_numeric_dates,
)


@pytest.mark.parametrize(
    ("string", "days"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("1970/2/1", 31),
        ("1970-01-01T06:00", 0.25),
        ("1970-01-01 6:00:00", 0.25),
        ("1970-01-01T06:00:00Z", 0.25),
        ("1970-01-01T06:00+06:00", 0),
        ("1970-01-01 06:00:00.5 +0600", 0.5 / 86400),
        ("2024-02-30", np.nan),
        ("2024-13-01", np.nan),
        ("20240101", np.nan),
        ("1970-01-01T25:00", np.nan),
        ("x 1970-01-01", np.nan),
    ],
)
def test_dates(string, days):
    np.testing.assert_allclose(DateFormat().parse([string]), [days], rtol=0, atol=1e-9)


@pytest.mark.parametrize("date", ["1899-12-31T23:59", "2024-02-29T00:00"])
def test_parts_of_dates(date):
    moment = np.datetime64(date).item()
    expected = [moment.month, moment.weekday(), moment.hour + moment.minute / 60]
    assert date_parts(DateFormat().parse([date]))[:, 0].tolist() == expected


@pytest.mark.parametrize(
    ("strings", "first", "order"),
    [
        (["01/02/2024", "31/01/2024"], 31, ", day first"),
        (["01/02/2024", "01/31/2024"], 1, ", month first"),
        (["01/02/2024", "03/02/2024"], 1, ", month first, which is a guess"),
        (["01-02-2024", "03-02-2024"], 31, ", day first, which is a guess"),
        (["01.02.2024", "03.02.2024"], 31, ""),
        (["02/02/2024", "03/03/2024"], 32, ""),
        (["24-02-01", "24-02-28"], 31, ", year first, which is a guess"),
        (["24.02.01", "24.02.28"], 31, ", year first, which is a guess"),
        (["24/02/01", "98/02/28"], 31, ", year first"),
        (["01.02.24", "28.02.24"], 31, ""),
        (["Feb 24", "Mar 21"], 31, ", month and year, which is a guess"),
        (["Feb-24", "Mar-98"], 31, ""),
        (["Feb '24", "Mar '21"], 31, ""),
        (["01.02.24", "01.02.48"], 31, ", with years to 2068, which is a guess"),
    ],
)
def test_the_order_of_day_and_month_is_learned(strings, first, order):
    learned, found = learn_dates(strings)
    of_2024 = learned.parse(strings)[0] - DateFormat().parse(["2024-01-01"])[0]
    assert (of_2024, found) == (first, order)


@pytest.mark.parametrize("name", ["date of birth", "dob", "Geburtsdatum"])
def test_births_are_in_the_past(name):
    learned, order = learn_dates(["01.02.48", "28.02.52"], name=name)
    found = learned.parse(["01.02.48"])
    assert found == DateFormat().parse(["1948-02-01"])
    assert "guess" not in order


@pytest.mark.parametrize(
    ("strings", "later", "expected"),
    [
        (["31.12.2023", "01.02.2024"], "02/01/2024", "2024-01-02"),
        (["31/12/2023", "01/02/2024"], "02/01/2024", "2024-01-02"),
        (["12/31/2023", "01/02/2024"], "02/01/2024", "2024-02-01"),
        (["2023-12-31", "2024-02-01"], "31/01/2024", None),
        (["2023-12-31", "2024-02-01"], "02/01/2024", None),
        (["2023-12-31", "2024-02-01"], "02/02/2024", "2024-02-02"),
        (["2023-12-31", "2024-02-01"], "02.01.2024", "2024-01-02"),
    ],
)
def test_the_order_of_later_cells_is_never_guessed(strings, later, expected):
    learned, _ = learn_dates(strings)
    days = DateFormat().parse([expected or "never"])
    np.testing.assert_array_equal(learned.parse([later]), days)


@pytest.mark.parametrize("strings", [["Jan 05", "Dec 31"], ["Feb-29", "Mar-01"]])
def test_days_without_a_year_are_no_dates(strings):
    expected = f"days without a year, such as {strings[0]!r}"
    assert learn_dates(strings) == (None, expected)


@pytest.mark.parametrize(
    ("string", "date"),
    [
        ("Mon 5 Feb 2024", "2024-02-05"),
        ("Mo., 5.2.2024", "2024-02-05"),
        ("martes 6 de febrero de 2024", "2024-02-06"),
        ("Mar 5, 2024", "2024-03-05"),  # March, no martedì
        ("Mar 5 marzo 2024", "2024-03-05"),
        ("Środa, 7.02.2024", "2024-02-07"),
        ("Пн 5.02.2024", "2024-02-05"),
        ("Week 6/2024", "2024-02-05"),
        ("KW 6/2024", "2024-02-05"),
        ("Week 60/2024", None),
        ("Room 12/2024", None),
        ("Batch 2024-05", None),
        ("Lot 12-05-2024", None),
        ("Model 2024-05", None),
    ],
)
def test_only_weekdays_stand_before_a_date(string, date):
    learned = DateFormat(first="day")
    days = learned.parse([string, date or "never"])
    np.testing.assert_array_equal(days[0], days[1])


def test_the_order_of_most_cells_is_learned():
    learned, _ = learn_dates(["31/01/2024", "01/31/2024"], np.array([9.0, 1.0]))
    assert np.isnan(learned.parse(["31/01/2024", "01/31/2024"])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("numbers", "name", "unit"),
    [
        ([20231231, 20240101], "x", "YYYYMMDD"),
        ([20231231, 20240199], "x", None),
        ([45_000, 45_001], "order date", "Excel"),
        ([45_000, 45_001], "price", None),
        (1_700_000_000 + np.arange(20), "x", "s"),
        (1_700_000_000_000 + np.arange(20), "x", "ms"),
        (1_700_000_000 + np.arange(2), "created_at", "s"),
        (1_700_000_000 + np.arange(2), "x", None),
        (1_900_000_000 + np.arange(20), "x", None),  # later than today
        (1_900_000_000 + np.arange(20), "time of the end", "s"),
        (1_900_000_000_000 + np.arange(20), "x", None),
        (2_125_551_234 + np.arange(20), "phone", None),
        (np.arange(11) * 90_000_000 + 1_003_000_000, "provider", None),
        (1_700_000_000 + np.arange(2), "timestamp", "s"),
        ([45_000, 45_001], "response_time", None),
        (np.append(1_700_000_000 + np.arange(20), 9_999_999_999), "x", "s"),
        (np.append(1_700_000_000 + np.arange(20), 5), "x", "s"),
        (np.append(1_700_000_000 + np.arange(9), 5), "x", None),
        (np.append(1_700_000_000 + np.arange(20), [0] * 9), "x", "s"),
        ([*range(20231201, 20231232), 20230230, 99991231], "x", "YYYYMMDD"),
        ([*range(202303, 202313)], "x", "YYYYMM"),
        ([202311, 202402], "x", None),
        ([202311, 202402], "report date", "YYYYMM"),
        ([*range(202303, 202323)], "x", None),
        ([d * 10**6 + 122023 for d in range(1, 32)], "x", "DDMMYYYY"),
        ([d * 10**4 + 12012023 for d in range(20)], "x", "MMDDYYYY"),
        ([*range(231201, 231232)], "x", "YYMMDD"),
        ([d * 100 + 2023120023 for d in range(1, 32)], "x", "YYYYMMDDhh"),
        ([d * 10**6 + 20231200235959 for d in range(1, 32)], "x", "YYYYMMDDhhmmss"),
        (np.arange(10_000, 10_020), "zip", None),
        ([], "date", None),
        ([-5, 45_000], "date", None),
    ],
)
def test_numbers_that_are_dates(numbers, name, unit):
    learned = learn_numeric_dates(np.array(numbers, dtype=float), name)
    assert (learned and learned.number) == unit


@pytest.mark.parametrize(
    ("unit", "number"),
    [("YYYYMMDD", 20240301), ("Excel", 45352), ("s", 1709251200), ("ms", 1709251200e3)],
)
def test_what_numbers_count(unit, number):
    day = DateFormat().parse(["2024-03-01"])
    learned = DateFormat(number=unit)
    assert learned.convert(np.array([float(number)]), "numbers") == day
    assert learned.parse([f"{number:.0f}"]) == day


@pytest.mark.parametrize("odd", ["unknown", "2022-02-30", "31/02/2022"])
@pytest.mark.parametrize("layout", ["%d%m%Y", "%Y%m%d", "%d.%m.%Y"])
def test_one_cell_among_dates_that_is_none(layout, odd):
    cells = pd.date_range("2022-01-03", periods=60).strftime(layout).tolist()
    cells[7] = odd
    X = pd.DataFrame({"since": cells, "k": ["a", "b"] * 30})
    decision = TableCleaner().fit(X).decisions_["since"]
    assert decision.kind == "date"
    assert f"cells such as '{odd}' become missing (1)" in decision.reason


def test_excel_serials_beside_dates():
    learned, _ = learn_dates(["2024-02-29", "45352"])
    assert np.diff(learned.parse(["2024-02-29", "45352"])) == 1


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("0000-00-00", True),
        ("0000-00-00 00:00:00", True),
        ("00/00/0000", True),
        ("9999-12-31", True),
        ("31.12.9999", True),
        ("0001-01-01T00:00:00", True),
        ("1/1/0001 12:00:00 AM", True),
        ("0001-10-01", False),
        ("2022-02-30", False),
        ("never", False),
    ],
)
def test_dates_that_stand_for_none(string, expected):
    assert is_date_marker(string) is expected
    assert np.isnan(DateFormat().parse([string]))
