"""Numbers and dates as people write them."""

import numpy as np
import pytest

from sklearn_bayeslazy.tabular.cleaning._cells import (
    date_parts,
    parse_dates,
    parse_numbers,
)


@pytest.mark.parametrize(
    ("strings", "numbers"),
    [
        (["1", "-2.5", "+3", "1e3", ".5", "7."], [1, -2.5, 3, 1000, 0.5, 7]),
        (["1,234", "12,345.6"], [1234, 12345.6]),
        (["1,5", "12,25"], [1.5, 12.25]),
        (["1.234,5", "1 234 567", "3"], [1234.5, 1234567, 3]),
        (["1'234.5", "2"], [1234.5, 2]),
        (["$5", "€ 1.5", "7 USD", "-$3", "$-4", "EUR 8"], [5, 1.5, 7, -3, -4, 8]),
        (["50%", "2.5 %"], [0.5, 0.025]),
        (["\N{MINUS SIGN}3", "1\N{NO-BREAK SPACE}000"], [-3, 1000]),
        (["1_000", "abc", "", "1,2,3", "--1", "e5", ".", "0x1", "inf"], [np.nan] * 9),
        (["1e999", "2"], [np.nan, 2]),
    ],
)
def test_numbers(strings, numbers):
    np.testing.assert_allclose(parse_numbers(strings), numbers, rtol=1e-15)


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
    np.testing.assert_allclose(parse_dates([string]), [days], rtol=0, atol=1e-9)


@pytest.mark.parametrize("date", ["1899-12-31T23:59", "2024-02-29T00:00"])
def test_parts_of_dates(date):
    moment = np.datetime64(date).item()
    expected = [moment.year, moment.month, moment.weekday(), moment.hour]
    assert date_parts(parse_dates([date]))[:, 0].tolist() == expected
