"""Numbers as people write them, and codes that are none.

Code under test: `tabular/cleaning/_words.py` too. Whole columns are in
`test_local_formats.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.tabular.cleaning._numbers import (
    are_codes,
    learn_numbers,
    limit_of,
    mixed_units,
)


def parse(strings):
    """Return numbers in the format that reads the most strings."""
    return learn_numbers(strings)[0].parse(strings)


@pytest.mark.parametrize(
    ("strings", "numbers"),
    [
        (["1", "-2.5", "+3", "1e3", ".5", "7."], [1, -2.5, 3, 1000, 0.5, 7]),
        (["1,234", "12,345.6"], [1234, 12345.6]),
        (["1,5", "12,25"], [1.5, 12.25]),
        (["1.234,5", "1 234 567", "3"], [1234.5, 1234567, 3]),
        (["1'234.5", "2"], [1234.5, 2]),
        (["$5", "7 USD", "-$3", "$-4", "(US$ 2)", "2€"], [5, 7, -3, -4, -2, np.nan]),
        (["€ 1.5", "EUR 8", "2 Euro"], [1.5, 8, 2]),
        (["50%", "2.5 %"], [0.5, 0.025]),
        (["\N{MINUS SIGN}3", "1\N{NO-BREAK SPACE}000"], [-3, 1000]),
        (["1_000", "abc", "", "1,2,3", "--1", "e5", ".", "0x1", "inf"], [np.nan] * 9),
        (["1e999", "2"], [np.nan, 2]),
        (["1,5e3", "1.5e3", "2,5"], [1500, 1500, 2.5]),
        (["1.234e0", "2,5", "7,25"], [1.234, 2.5, 7.25]),
        (["\N{ARABIC-INDIC DIGIT TWO}\N{ARABIC DECIMAL SEPARATOR}5", "1"], [2.5, 1]),
        (["\N{FULLWIDTH DIGIT TWO}\N{FULLWIDTH FULL STOP}5", "1"], [2.5, 1]),
        (["\ufeff12", "1\u200b", "2.5"], [12, 1, 2.5]),
        (["<0.5", "2"], [0.5, 2]),
        (["0,750", "1,250"], [0.75, 1.25]),  # no group of three begins with a zero
        (["4 CR", "₹ 1,200.50 DR", "7", "5 Dr."], [4, -1200.5, 7, -5]),
        (["4.50 CR", "1,200.00", "7.25CR"], [-4.5, 1200, -7.25]),
        (["4.5 CR", "12.75 CR", "7"], [4.5e7, 12.75e7, 7]),
        (["12a", "14z", "5 kg 3"], [np.nan] * 3),
    ],
)
def test_numbers(strings, numbers):
    np.testing.assert_allclose(parse(strings), numbers, rtol=1e-15)


@pytest.mark.parametrize(
    ("string", "hours"),
    [
        ("01:30", 1.5),
        ("-01:30", -1.5),
        ("01:30:36", 1.51),
        ("100:30", 100.5),
        ("12:30 a.m.", 0.5),
        ("9 PM", 21),
        ("2 days 01:30:00", 49.5),
        ("-1 days +23:30:00", -0.5),
        ("1:30.6", 0.0251666667),  # minutes
        ("1h30", 1.5),
        ("1 h 30 min", 1.5),
        ("1d 2h", 26),
        ("PT1H30M", 1.5),
        ("P2DT1H", 49),
        ("1:70", np.nan),
        ("16:9", np.nan),
    ],
)
def test_durations(string, hours):
    learned, _ = learn_numbers(["01:00", "02:00"])
    np.testing.assert_allclose(learned.parse([string]), [hours], rtol=1e-7)


@pytest.mark.parametrize(
    ("strings", "value", "is_guess"),
    [
        (["1.234", "2.5"], 1.234, False),
        (["1.234", "2345.678"], 1.234, False),
        (["1.234", "0.678"], 1.234, False),
        (["1.234", "5.678"], 1.234, True),
        (["1.234", "5.678", "9.000", "980"], 1234, True),
        (["1.234", "5.678", "9.000", "980,5"], 1234, False),
        (["1,234", "980"], 1234, False),
        (["1,234", "5,678"], 1234, True),
        (["1,234", "0,5"], 1.234, False),
        (["1,234.5"], 1234.5, False),
    ],
)
def test_the_decimal_sign_is_learned_or_guessed(strings, value, is_guess):
    learned, guess = learn_numbers(strings)
    assert learned.parse(strings[:1])[0] == value
    assert guess == (strings[0] if is_guess else None)


def test_numbers_without_a_unit_are_of_the_only_unit():
    assert parse(["5 kg", "7"]).tolist() == [5, 7]
    assert np.isnan(parse(["5 kg", "500 g", "7"])[2])
    assert parse(["20 %", "15"]).tolist() == [0.2, 0.15]
    assert parse(["20 %", "0.15"]).tolist() == [0.2, 0.15]
    assert parse(["20 %", "15", "7"]).tolist() == [20, 15, 7]


def test_later_numbers_without_a_unit():
    def later(strings, number):
        learned, _ = learn_numbers(strings)
        typed = learned.convert(np.array([float(number)]), "numbers")
        np.testing.assert_array_equal(learned.parse([str(number)]), typed)
        return typed[0]

    assert later(["20 %", "15 %", "3"], 15) == 0.15
    assert later(["20 %", "15 %"], 0.15) == 0.15
    assert np.isnan(later(["20 %", "15 %"], 15))  # or 1500 %?
    assert later(["5 kg", "7 kg"], 15) == 15
    assert later(["1.5 h", "2 h"], 15) == 15
    assert later(["1:02.5", "0:59.3"], 15) == 15  # seconds
    assert np.isnan(later(["1:30", "2:05"], 45))
    assert later(["1:30", "2:05"], 0) == later(["5 kg", "700 g"], 0) == 0
    assert np.isnan(later(["1h 30m", "2h 05m"], 45))
    assert np.isnan(later(["5 kg", "700 g"], 15))


def test_few_cells_with_units_do_not_make_the_others_unreadable():
    numbers = parse([*map(str, range(50)), "5 kg", "500 g", "7 or so"])
    assert numbers[:50].tolist() == list(range(50))
    assert np.isnan(numbers[50:]).all()


def test_the_unit_of_most_cells_is_that_of_the_column():
    learned, _ = learn_numbers(["5 kg", "700 g"], [1, 9])
    assert learned.parse(["5 kg", "700 g", "7 cm"]).tolist()[:2] == [5000, 700]


@pytest.mark.parametrize(
    ("string", "limit"),
    [
        ("<0.5", "0.5"),
        (">= 100", "100"),
        ("≤ 5", "5"),
        ("90+", "90"),
        ("10+ years", "10 years"),
        ("ca. 5", "5"),
        ("5", None),
        ("+5", None),
        ("<b>", None),
    ],
)
def test_limits(string, limit):
    assert limit_of(string) == limit


CHAPTERS = [f"{a}.{b}" for a in range(1, 16) for b in (1, 10, 2, 20, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("strings", "reason"),
    [
        (["10", "01"], "'01' begin with a zero"),
        (["10.5", "00.5"], "'00.5' begin with a zero"),
        (["+49 170 1234567"], "begin with a plus sign"),
        (["1234567890123456"], "have sixteen digits or more"),
        (["1.1", "1.10"], "'1.1' differ in the zeros"),
        (["250.0", "250.00"], "'250.0' differ in the zeros"),
        (CHAPTERS, "'1.1' differ in the zeros"),
        (["-4111111111111111"], "have sixteen digits or more"),
        (["192.168.100.101", "10.0.0.1"], "are addresses"),
    ],
)
def test_codes(strings, reason):
    assert reason in are_codes(strings)


def test_amounts_are_no_codes():
    amounts = ["0", "0.5", "-0.5", "10", "1.5", "+5", "1", "1.0", "123456789012345"]
    assert are_codes(amounts) is None
    assert are_codes([*map(str, range(100)), "1.1", "1.10"]) is None  # many numbers
    assert are_codes([*CHAPTERS, "1.05"]) is None  # measured
    assert are_codes(["1.234.567.890", "1.100.200.190"]) is None


def test_units_that_do_not_convert():
    assert mixed_units(["5 kg", "3 °C"]) == ["kg", "°C"]
    assert mixed_units(["5 kg", "300 g"]) is None
    assert mixed_units(["5 kg", "3"]) is None
