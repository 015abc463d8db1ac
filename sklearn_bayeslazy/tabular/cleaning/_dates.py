"""Dates as people and programs write them, and the parts that learners read.

:func:`learn_dates` finds whether the day or the month comes first in a column, and what
its numbers without separators count. The :class:`DateFormat` then reads each string
alone. Dates are numbers of days since 1970-01-01 UTC; a time without an offset counts
as UTC.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from unicodedata import normalize

import numpy as np

from ._numbers import DATES, MAX_TRIED, NUMBERS, NumberFormat
from ._words import MONTHS, ROMAN, WEEKDAYS, YEAR, ZONES, groups

# A column of numbers or dates may hold some cells that are none, which become missing.
MIN_SHARE_READ = 0.95
MIN_DISTINCT_READ = 10

DAYS, EXCEL, EPOCHS = "days", "Excel", ("s", "ms", "us", "ns")
# What numbers count: how many a day, the number of 1970-01-01, and in words.
COUNTS = {
    "s": (86_400.0, 0, "seconds since 1970"),
    "ms": (86_400e3, 0, "milliseconds since 1970"),
    "us": (86_400e6, 0, "microseconds since 1970"),
    "ns": (86_400e9, 0, "nanoseconds since 1970"),
    EXCEL: (1, 25_569, "a date of Excel"),
    DAYS: (1, 0, "days since 1970"),
}
# The days that are likely: from 2001-09-09 to 2039, but to today if the name of the
# column does not say so; for Excel, which counts from 1899-12-30, from 1954 to 2064.
_LIKELY = dict.fromkeys(EPOCHS, (1e9 / 86_400, 2.2e9 / 86_400))
_LIKELY[EXCEL] = (-5_569, 34_431)
# How digits without separators are a date. The first needs no further sign.
LAYOUTS = [
    "YYYYMMDD",
    "YYYYMMDDhhmmss",
    "YYYYMMDDhhmm",
    "YYYYMMDDhh",
    "YYYYMM",
    "DDMMYYYY",
    "MMDDYYYY",
    "YYMMDD",
]
_YEARS_OF_DIGITS = range(1900, 2101)
# What programs write for no date, if other numbers are dates.
_NO_DATE = (0, -1, 99_991_231, 99_999_999)
# Dates are of the years 2 to 9998: the first and the last day of all stand for none.
_MIN_DAYS, _MAX_DAYS = -718_797, 2_932_531
_SECONDS_PER_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAME_OF_A_DATE = re.compile(
    r"(?i)date|datum|fecha|(?:^|[_ ])(?:dt|day|tag)$|_(?:at|on)$"
)
_NAME_OF_A_BIRTH = re.compile(r"(?i)birth|geburt|naiss|nacim|(?:^|[_ ])dob(?:$|[_ ])")
# Two digits are years from 1969 to 2068, as in POSIX, if the column does not say so.
_PIVOT = 68
_N_TRIED = 200
# Most columns of numbers hold no dates, which a few cells show.
_N_NUMBERS_TRIED, _MIN_SHARE_TRIED = 20, 0.5


def _fold(word):
    """Return a word without accents, in lower case."""
    return "".join(filter(str.isalpha, normalize("NFKD", word))).lower()


_MONTHS = {
    _fold(word): month
    for month, words in enumerate(MONTHS.split(";"), start=1)
    for word in words.split()
}
# Of two letters and more: "Mo", "Mon", "Monday".
_WEEKDAYS = {day[:n] for day in WEEKDAYS.split() for n in range(2, len(day) + 1)}
_WEEKDAYS |= {word + day for word in ("星期", "周", "週") for day in "一二三四五六日天"}
_WEEKDAYS |= {f"{day}曜日" for day in "月火水木金土日"}
_WEEKDAYS |= {f"{day}요일" for day in "월화수목금토일"}
# Other words behind a date are no zones: "mardi 6 juin 2023" is not in March.
_ZONES = {zone: offset for offset, zones in groups(ZONES) for zone in zones}
_MONTH = r"(?P<month>[^\W\d_]{3,12})\.?"
_YEAR, _SHORT_YEAR = rf"(?P<y>\d{{4}}){YEAR}", rf"(?P<y>\d{{4}}|'?\d\d){YEAR}"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_AT = "(?:à|a las|alle|as|às|at|kl|klo|la|o|ob|om|ora|ore|u|um|v|в)"
_ZONE = (
    rf"(?: ?(?P<zone_name>{'|'.join(_ZONES)})? ?"
    r"(?:(?P<zone>[-+]\d\d:?\d\d|(?<=gmt|utc)[-+]\d\d?(?::\d\d)?)"
    r"(?-i: [A-Z]{3,4})?)?(?: ?[(\uff08\[][\w/ ]+[)\uff09\]])?)?"
)
_CLOCK = (
    rf"(?:(?:T|-| ?[,:] ?| (?:(?:{_AT}\.?|[-@/|]) )?)(?P<H>\d\d?)"
    r"(?:[:.h時时](?P<M>\d\d?)分?"
    r"(?:[:.](?P<S>\d\d)(?:[.,](?P<f>\d+))?)?)?(?(M)| ?(?=[ap]))"
    r" ?(?P<half>[ap]\.? ?m\.?)?(?: uhr)?)?"
)
_TIME = _CLOCK + _ZONE
# Each pattern is a way to write a date; the first that fits reads it. Where two numbers
# a and b stand before the year, the column decides which of them is the day.
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}[-/. ] ?(?P<m>\d\d?)[-/. ] ?(?P<d>\d\d?)\.?{_TIME}",
        rf"{_YEAR}[年년] ?(?P<m>\d\d?)[月월](?: ?(?P<d>\d\d?)[日일]{_TIME})?",
        rf"(?P<d>\d\d?)\. ?(?P<m>\d\d?)\. ?{_YEAR}\.?{_TIME}",
        rf"(?P<d>\d\d)\.(?P<m>\d\d)\.(?P<y>\d\d){_TIME}",
        rf"(?P<a>\d\d?)[-/ ](?P<b>\d\d?)[-/ ]{_YEAR}{_TIME}",
        rf"(?P<a>\d\d?)/(?P<b>\d\d?)/(?P<y>\d\d){_TIME}",
        rf"(?P<a>\d\d)-(?P<b>\d\d)-(?P<y>\d\d){_TIME}",
        rf"(?:week|wk|[kc]?w) ?(?P<week>\d\d?),?[-/ ]{_YEAR}",
        rf"{_YEAR}[-/ ]?(?:week|wk|[kc]?w) ?(?P<week>\d\d?)",
        rf"{_DAY}[-/ ]?(?:of |de )?{_MONTH}[-/, ]*(?:del? )?{_SHORT_YEAR}{_TIME}",
        rf"{_MONTH}[- ]?{_DAY},? {_YEAR}{_TIME}",
        rf"{_YEAR}[-. ]+{_MONTH}[- ](?P<d>\d\d?)\.?{_TIME}",
        rf"(?P<d>\d\d?)[-/. ](?P<month>(?-i:[IVX]{{1,4}}))[-/. ]{_YEAR}",
        rf"{_MONTH} (?P<d>\d\d?){_TIME} {_YEAR}",
        rf"{_MONTH} (?P<d>\d\d?){_CLOCK} {_YEAR}{_ZONE}",
        rf"{_YEAR}[-/](?P<m>\d\d?)",
        rf"(?P<m>\d\d?)/{_YEAR}",
        r"(?P<m>\d\d)[-.](?P<y>(?:19|20)\d\d)",
        rf"{_MONTH}[-/., ]+{_SHORT_YEAR}",
        rf"{_YEAR}-?m(?P<m>\d\d?)",
        rf"(?:fy ?)?{_YEAR}[-/ ]*[qkt](?P<quarter>[1-4])",
        rf"[qkt](?P<quarter>[1-4])[-/, ]*(?:fy ?)?{_YEAR}",
        r"fy ?(?P<y>\d\d)[-/ ]*q(?P<quarter>[1-4])",
        r"q(?P<quarter>[1-4])[-/ ]*fy ?(?P<y>\d\d)",
    )
]
# Python takes any sign before a time: "2024-01-05-12" would be noon.
_ISO = re.compile(r"[\dWw-]{7,10}(?:[Tt ].*)?")
_FIRST_TIME = re.compile(r"(\d\d?:\d\d(?::\d\d)?) ")
# The half of the day stands before the time in some languages: "오후 3:00" is 15:00.
_FIRST_HALF = re.compile(
    r"(?i)(?:(am|a\.m\.|오전|午前|上午|öö|de\.)|pm|p\.m\.|오후|午後|下午|ös|du\.)"
    r" ?(\d[\d:時时分분]*)"
)
# A week of pandas, which is read as its first day.
_WEEK = re.compile(r"(\d{4}-\d\d-\d\d)/\d{4}-\d\d-\d\d")
_JSON = re.compile(r"/Date\((-?\d{1,15})(?:[-+]\d{4})?\)/")  # ms; the zone is for show
_SEASON = re.compile(r"(\d{4})[-/](\d\d)")
_FIRST_WORD = re.compile(r"^([^\W\d_]{2,12})\.?,? ")
_LAST_WORD = re.compile(r",? ?\b([^\W\d_]{2,12})\.?$")
# The year before the first of Japanese eras.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_ERA = re.compile(rf"({'|'.join(_ERAS)}) ?(元|\d\d?)(?=年)")
# Dates without a year, such as "Jan 05", are written as months and years are.
_MONTH_AND_NUMBER = re.compile(rf"{_MONTH}[-/., ]+(?P<y>\d\d)", re.IGNORECASE)
_MAX_DAY = 31
_DAY_AND_POINT = re.compile(r"\d\d?\. ?\d")
# Programs write a date that is not known as 0000-00-00 or 0001-01-01, and "never" as
# 9999-12-31.
_MARKER = re.compile(
    r"[0.:/\- T]*0000[0.:/\- T]*|9999\W?12\W?31.*|(?:12|31)\W(?:12|31)\W9999.*"
    r"|0001\W0?1\W0?1(?!\d).*|0?1\W0?1\W0001.*"
)
# The orders of day, month and year in two digits; each cell is read in all three.
_ORDERS = ("month", "day", "year")
_MIN_LENGTH, _MAX_LENGTH = 6, 80


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written."""

    # What comes first in 01/02/03: "month", "day" or "year"; "" if `fit` did not show
    # it, and such a cell is not read.
    first: str = ""
    # What a number without separators counts: "s", "ms", "us" or "ns" since 1970,
    # "Excel", "days", or one of LAYOUTS; "" if it is no date.
    number: str = ""
    # The last of two digits that are a year from 2000.
    pivot: int = _PIVOT
    # The strings that `fit` has read as missing.
    words: tuple = ()

    def parse(self, strings):
        """Return each string as days since 1970, NaN where it is no date."""
        days = np.array([self._parse(string) for string in strings], dtype=float)
        if self.number:
            numbers = NumberFormat().parse(strings)
            of_numbers = self._days_of_numbers(numbers)
            days = np.where(np.isnan(numbers), days, of_numbers)
        return days

    def _parse(self, string):
        orders = dict(zip(_ORDERS, _read(string, self.pivot)))
        is_same = orders["month"] == orders["day"]
        return orders[self.first or "day"] if self.first or is_same else np.nan

    def convert(self, values, holds):
        """Return typed numbers or dates as days since 1970, NaN for others."""
        if holds == NUMBERS:
            return self._days_of_numbers(values)
        return _bounded(values if holds == DATES else np.full(len(values), np.nan))

    def _days_of_numbers(self, numbers):
        if self.number != DAYS:
            numbers = np.where(np.isin(numbers, _NO_DATE), np.nan, numbers)
        if self.number in COUNTS:
            n_a_day, of_1970, _ = COUNTS[self.number]
            days = numbers / n_a_day - of_1970
            if self.number in EPOCHS[1:]:  # seconds beside milliseconds are none
                days = np.where((days > 0) & (days < _MAX_DAY), np.nan, days)
            return _bounded(days)
        if self.number not in LAYOUTS:
            return np.full(len(numbers), np.nan)
        values, codes = np.unique(numbers, return_inverse=True)
        return np.array([_read_digits(one, self.number) for one in values])[codes]

    @property
    def of_number(self):
        """What a number without separators counts, in words."""
        return COUNTS[self.number][-1] if self.number in COUNTS else self.number


def learn_dates(strings, counts=None, name=""):
    """Return the format of dates, and words on the order of day and month."""
    # strings: distinct cells; counts: of the cells of each; name: of the column. None
    # if none of the strings that are tried first is a date.
    counts = np.ones(len(strings)) if counts is None else counts
    step = len(strings) // MAX_TRIED + 1
    strings, counts = strings[::step], counts[::step]
    some = strings[:: len(strings) // _N_TRIED + 1]
    if not any(day == day for string in some for day in _read(string)):
        return None, ""
    days = np.array([_read(string) for string in strings])
    known = ~np.isnan(days)
    total = counts @ known
    differ = known[:, :2].all(axis=1) & (days[:, 0] != days[:, 1])
    numbers = _numbers_after_months(strings)
    if _are_days(numbers):
        return None, f"days without a year, such as {strings[0]!r:.40}"
    if _are_seasons(strings):
        return None, f"seasons of two years, such as {strings[0]!r:.40}"
    is_guess = bool(total[0] == total[1] and differ.any())
    first = "day" if total[1] > total[0] else "month"
    if total[0] == total[1] and not is_guess:
        first = "day" if any(map(_DAY_AND_POINT.match, strings)) else ""
    if is_guess and "-" in strings[int(np.argmax(differ))]:
        first = "day"  # a slash as in the United States, a dash as elsewhere
    other = _ORDERS.index(first or "day")
    # Years vary less than days.
    varies_less = _n_years(days[:, 2]) < _n_years(days[:, other])
    if total[2] > total[other] or (total[2] == total[other] and varies_less):
        first, is_guess = "year", bool(total[2] == total[other])
    is_told = is_guess or first == "year" or total[0] != total[1]
    order = f", {first} first" if is_told else ""
    if numbers and max(numbers) <= _MAX_DAY:
        order, is_guess = ", month and year", True
    pivot = _find_pivot(strings, days, _ORDERS.index(first or "day"), name)
    if pivot is not None:
        order += f", with years to {2000 + pivot}"
        is_guess |= pivot == _PIVOT
    order += ", which is a guess" if is_guess else ""
    # Numbers are serials of Excel only where most cells are dates.
    digits = np.array([float(string) for string in strings if string.isdecimal()])
    are_most = 2 * total.max() >= counts.sum()
    units = [*LAYOUTS[:3], EXCEL] if are_most else LAYOUTS[:3]
    found = (unit for unit in units if _are_mostly(_are_of_dates(digits, unit), digits))
    pivot = _PIVOT if pivot is None else pivot
    return DateFormat(first, next(found, ""), pivot), order


def _find_pivot(strings, days, order, name):
    """Return the last of two digits that are a year from 2000, None if all may be."""
    # days: of the strings in all orders, as in POSIX. Two digits after this year are of
    # the past if the column is one of births, or spans less time then.
    days, now = days[:, order], datetime.now(UTC)
    if not (days > (now - _EPOCH).days).any():
        return None
    this_year = now.year % 100
    past = np.array([_read(string, this_year)[order] for string in strings])
    if not (past < days).any():
        return None
    is_birth = _NAME_OF_A_BIRTH.search(name) is not None
    is_shorter = np.ptp(past[past == past]) < np.ptp(days[days == days])
    return this_year if is_birth or is_shorter else _PIVOT


def _numbers_after_months(strings):
    """Return the numbers of cells such as "Jan 05", which may be years or days."""
    found = map(_MONTH_AND_NUMBER.fullmatch, strings)
    return [int(match["y"]) for match in found if match]


def _are_days(numbers):
    """Return whether two digits are days, for the year would lie in the future."""
    this_year = datetime.now(UTC).year % 100
    return bool(numbers) and this_year + 1 < max(numbers) <= _MAX_DAY


def _are_seasons(strings):
    """Return whether a second number is always the next year, as in 2010/11."""
    found = [match for match in map(_SEASON.fullmatch, strings) if match]
    is_next = [(int(match[1]) + 1) % 100 == int(match[2]) for match in found]
    return len(found) > 1 and all(is_next)


def _n_years(days):
    years = days[~np.isnan(days)].astype("datetime64[D]").astype("datetime64[Y]")
    return len(np.unique(years))


def learn_numeric_dates(numbers, name):
    """Return the format if numbers are dates, None if nothing says so."""
    # numbers: floats (n,), without NaN. name: of the column.
    numbers = numbers[~np.isin(numbers, _NO_DATE)]
    few = numbers[:: len(numbers) // _N_NUMBERS_TRIED + 1]
    is_named = _NAME_OF_A_DATE.search(name) is not None
    is_timed = is_named or re.search("(?i)time|stamp", name) is not None
    today = np.inf if is_timed else _days(datetime.now(UTC))
    for unit in (*LAYOUTS, *([EXCEL] * is_named), *EPOCHS):
        if unit in EPOCHS:
            later = numbers[numbers / COUNTS[unit][0] >= today]
            if _are_of_dates(later, unit).any():
                continue  # ten digits may be an id
        if _are_of_dates(few, unit).sum() < _MIN_SHARE_TRIED * len(few):
            continue
        is_sure = unit == LAYOUTS[0] or (is_timed if unit in EPOCHS else is_named)
        is_sure = is_sure or len(np.unique(numbers)) >= MIN_DISTINCT_READ
        if is_sure and _are_mostly(_are_of_dates(numbers, unit), numbers):
            return DateFormat(number=unit)
    return None


def _are_of_dates(numbers, unit):
    """Return which numbers are dates that are likely in a unit."""
    days = DateFormat(number=unit).convert(numbers, NUMBERS)
    low, high = _LIKELY.get(unit, (-np.inf, np.inf))
    return (low <= days) & (days < high)


def _are_mostly(mask, numbers):
    """Return whether all of some numbers are of a kind, or nearly all of many."""
    if mask.all():
        return len(mask) > 0
    is_most = mask.mean() >= MIN_SHARE_READ
    return bool(is_most and len(np.unique(numbers[mask])) >= MIN_DISTINCT_READ)


def is_date_marker(string):
    """Return whether a string stands for no date, such as 0000-00-00 or 9999-12-31."""
    return _MARKER.fullmatch(string.strip()) is not None


def _read_digits(number, layout):
    """Return a number such as 20240229 as days, NaN where it is no date."""
    size = len(layout)
    if number % 1 or not 10 ** (size - 2) <= number < 10**size:  # one zero is left out
        return np.nan
    digits = dict.fromkeys("YMDhms", "")
    for digit, letter in zip(f"{number:0{size}.0f}", layout):
        digits[letter] += digit
    year, month, day, *clock = digits.values()
    if len(year) == 4 and int(year) not in _YEARS_OF_DIGITS:
        return np.nan
    clock = dict(zip("HMS", (part or 0 for part in clock)))
    return _from_parts({"y": year} | clock, month, day or 1)


def _read(string, pivot=_PIVOT):
    """Return a string as days, in the three orders."""
    text = string.strip()
    if found := _JSON.fullmatch(text):
        days = int(found[1]) / COUNTS["ms"][0]
        return (_known_days(days),) * 3
    if text.isdecimal() or not _MIN_LENGTH <= len(text) <= _MAX_LENGTH:
        return (np.nan,) * 3
    try:  # ISO 8601, also a week
        days = _days(datetime.fromisoformat(text if _ISO.fullmatch(text) else ""))
    except ValueError:
        text = " ".join(text.split())
        text = _FIRST_HALF.sub(lambda m: f"{m[2]} {'am' if m[1] else 'pm'}", text)
        text = _ERA.sub(_year_of_era, _WEEK.sub(r"\1", text))
        orders = _read_by_patterns(text, pivot)
        for word in (_FIRST_WORD.search(text), _LAST_WORD.search(text)):
            if all(map(np.isnan, orders)) and word and word[1].lower() in _WEEKDAYS:
                rest = text[: word.start()] + text[word.end() :]
                orders = _read_by_patterns(rest, pivot)
        if clock := _FIRST_TIME.match(text):
            orders = _read_by_patterns(f"{text[clock.end() :]} {clock[1]}", pivot)
        return orders
    return (days,) * 3


def _year_of_era(match):
    """Return a year of a Japanese era as that of the calendar."""
    return str(_ERAS[match[1]] + int(match[2].replace("元", "1")))


def _read_by_patterns(text, pivot):
    for pattern in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        found = {key: value for key, value in match.groupdict().items() if value}
        a, b = found.get("a", found.get("d", "1")), found.get("b", found.get("m"))
        day_first = _from_parts(found, b, a, pivot)
        month_first = _from_parts(found, a, b, pivot) if "a" in found else day_first
        if len(found["y"]) > 2 or {"month", "quarter"} & found.keys():
            return month_first, day_first, np.nan if "a" in found else day_first
        year_first = _from_parts(found | {"y": a}, b, found["y"], pivot)
        return month_first, day_first, year_first
    return (np.nan,) * 3


def _from_parts(found, month, day, pivot=_PIVOT):
    """Return the days of the parts of a date; NaN if there is no such date."""
    year = found["y"].lstrip("'")
    is_short, year = len(year) == 2, int(year)
    if is_short:
        year += 1900 if year > pivot else 2000
    if "week" in found:
        try:
            return _days(datetime.fromisocalendar(year, int(found["week"]), 1))
        except ValueError:
            return np.nan
    if "quarter" in found:
        month = 3 * int(found["quarter"]) - 2
    if "month" in found:
        word = _fold(found["month"])
        starts = (word[:n] for n in range(len(word), 2, -1))
        month = next(filter(None, map(_MONTHS.get, starts)), 0)
        month = ROMAN.index(word) + 1 if word in ROMAN else month
    hour = int(found.get("H", 0))
    if "half" in found:
        hour = hour % 12 + 12 * (found["half"][0].lower() == "p")
    fraction = found.get("f", "0")[:6].ljust(6, "0")
    clock = (int(found.get("M", 0)), int(found.get("S", 0)), int(fraction))
    is_midnight = hour == 24 and not any(clock)  # of the day after
    named = _ZONES.get(found.get("zone_name", "").lower(), "+0000")
    zone = found.get("zone", named).replace(":", "")
    zone += "00" * (len(zone) < 4)  # hours alone, as in GMT+1
    zone = zone[0] + zone[1:].zfill(4)
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
    offset = offset if zone[0] == "+" else -offset
    if "H" not in found:  # a date with a zone, as in XML, is that date
        offset = timedelta()
    if is_midnight:
        hour, offset = 0, offset - timedelta(days=1)
    try:
        moment = datetime(year, int(month), int(day), hour, *clock, tzinfo=UTC)
        return _days(moment - offset)
    except (ValueError, OverflowError):  # 30 February
        return np.nan


def _bounded(days):
    return np.where((days >= _MIN_DAYS) & (days < _MAX_DAYS + 1), days, np.nan)


def _days(moment):
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _known_days((moment - _EPOCH).total_seconds() / _SECONDS_PER_DAY)


def _known_days(days):
    """Return a number of days, NaN for one that stands for none."""
    return days if _MIN_DAYS <= days < _MAX_DAYS + 1 else np.nan


# The parts of dates that learners read.


def date_parts(days):
    """Return month, weekday (Monday is 0) and hour of days since 1970-01-01.

    >>> date_parts(np.array([0.75, np.nan])).T.tolist()  # Thursday, 18 o'clock
    [[1.0, 3.0, 18.0], [nan, nan, nan]]
    """
    # days: (n,), NaN for missing; returns (3, n). The hour has fractions.
    parts = np.full((3, len(days)), np.nan)
    known = np.isfinite(days)
    seconds = np.round(days[known] * _SECONDS_PER_DAY).astype("int64")
    months = seconds.astype("datetime64[s]").astype("datetime64[M]").astype(int)
    parts[0, known] = months % 12 + 1
    parts[1, known] = (seconds // _SECONDS_PER_DAY + 3) % 7  # 1970 began on a Thursday
    parts[2, known] = seconds % _SECONDS_PER_DAY / 3600
    return parts
