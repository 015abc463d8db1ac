"""Parses cells of tables: missing ones, numbers as people write them, dates."""

import re
import sys
from datetime import UTC, datetime

import numpy as np

from .._frames import as_matrix, is_missing_cell

# Case matters: "none" in lower case is a category ("pain: none"), not missing.
MISSING_WORDS = frozenset(
    {"", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"}
)
_CURRENCY = "$€£¥₹₽₩"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD"
_AFFIX = re.compile(rf"^(?:[{_CURRENCY}]|{_CODES})\s*|\s*(?:[{_CURRENCY}%]|{_CODES})$")
_POINT = re.compile(r"[-+]?(?:\d{1,3}(?:[,' ]\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d+)?")
_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:[.' ]\d{3})+|\d+)?(?:,\d*)?")
_HAS_DIGIT = re.compile(r"[-+]?[.,]?\d")
_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|[-+]\d{2}:?\d{2}))?)?"
)
_SECONDS_PER_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_numbers(strings):
    """Return each string as a number, NaN where it is none.

    A currency sign or code and a percent sign are removed, a percentage is divided by
    100. Thousands may be separated by commas, points, apostrophes or blanks. Whether
    the decimal sign is a point or a comma is decided for all strings together: by what
    most of them can be; where both can be, it is the point.

    Parameters
    ----------
    strings : sequence of str
        Distinct cells of one column.

    Returns
    -------
    numbers : float ndarray of shape (n_strings,)

    Examples
    --------
    >>> parse_numbers(["$1,234.50", "7", "x", "50 %"]).tolist()
    [1234.5, 7.0, nan, 0.5]
    >>> parse_numbers(["1.234,5", "0,25"]).tolist()
    [1234.5, 0.25]
    """
    plain = [_strip_units(string) for string in strings]
    with_point = [_is_number(_POINT, text) for text, _ in plain]
    with_comma = [_is_number(_COMMA, text) for text, _ in plain]
    is_comma = sum(with_comma) > sum(with_point)
    fits = with_comma if is_comma else with_point
    thousands = str.maketrans("", "", ".' " if is_comma else ",' ")
    numbers = np.array(
        [
            factor * _to_float(text, thousands) if fit else np.nan
            for (text, factor), fit in zip(plain, fits)
        ],
        dtype=float,
    )
    return np.where(np.isfinite(numbers), numbers, np.nan)  # 1e999 is infinite


def _to_float(text, thousands):
    return float(text.translate(thousands).replace(",", "."))


def _is_number(pattern, text):
    return _HAS_DIGIT.match(text) is not None and pattern.fullmatch(text) is not None


def _strip_units(string):
    """Return a string without currency and percent signs, and its factor."""
    text = string.strip().replace("\N{NO-BREAK SPACE}", " ")
    text = text.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    sign = "-" if text.startswith("-") and text[1:2] and text[1] in _CURRENCY else ""
    text = text[len(sign) :]
    factor = 0.01 if text.endswith("%") else 1.0
    return sign + _AFFIX.sub("", text), factor


def parse_dates(strings):
    """Return each string as days since 1970-01-01 UTC, NaN where it is no date.

    >>> parse_dates(["1970-01-02", "1970/1/3 12:00", "1970-02-30", "May"])
    array([1. , 2.5, nan, nan])
    """
    # Dates are YYYY-MM-DD or YYYY/MM/DD, with or without a time and an offset from UTC
    # (ISO 8601); a time without an offset counts as UTC.
    return np.array([_days(string.strip()) for string in strings], dtype=float)


def _days(text):
    if not _DATE.fullmatch(text):
        return np.nan
    date, *time = re.split("[T ]", text, maxsplit=1)
    date = "-".join(part.zfill(2) for part in re.split("[-/]", date))
    clock = "T" + time[0].replace(" ", "").rjust(5, "0") if time else ""
    if clock[2:3] == ":":  # one digit for the hour
        clock = "T0" + clock[1:]
    try:
        moment = datetime.fromisoformat(date + clock)
    except ValueError:  # 30 February
        return np.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds() / _SECONDS_PER_DAY


def date_parts(days):
    """Return year, month, weekday (Monday is 0) and hour of days since 1970-01-01.

    >>> date_parts(np.array([0.75, np.nan])).T.tolist()  # Thursday, 18 o'clock
    [[1970.0, 1.0, 3.0, 18.0], [nan, nan, nan, nan]]
    """
    # days: (n,), NaN for missing; returns (4, n).
    parts = np.full((4, len(days)), np.nan)
    known = np.isfinite(days)
    seconds = np.round(days[known] * _SECONDS_PER_DAY).astype("int64")
    moment = seconds.astype("datetime64[s]")
    months = moment.astype("datetime64[M]").astype(int)
    parts[0, known] = 1970 + months // 12
    parts[1, known] = months % 12 + 1
    whole_days = seconds // _SECONDS_PER_DAY
    parts[2, known] = (whole_days + 3) % 7  # 1970-01-01 was a Thursday
    parts[3, known] = seconds % _SECONDS_PER_DAY // 3600
    return parts


# Frames of pandas and polars: which columns are dates, and new frames of columns.


def date_columns(X):
    """Return for each column whether its dtype is that of dates."""
    # A column of objects is one of dates where the first known cell is a date.
    if hasattr(X, "iloc"):  # columns of objects may hold dates
        return [_is_date_dtype(c.dtype) or _holds_dates(c) for _, c in X.items()]
    if hasattr(X, "dtypes"):
        return list(map(_is_date_dtype, X.dtypes))
    kind = getattr(X.dtype, "kind", "f")
    if kind == "O":
        return [_holds_dates(X[:, j]) for j in range(X.shape[1])]
    return [kind == "M"] * X.shape[1]


def _is_date_dtype(dtype):
    return getattr(dtype, "kind", "") == "M" or str(dtype).startswith(("Date", "date"))


def _holds_dates(cells):
    if cells.dtype != object:
        return False
    first = next((cell for cell in cells if not is_missing_cell(cell)), None)
    return isinstance(first, np.datetime64) or hasattr(first, "isoformat")


def make_frame(like, columns, names):
    """Return columns as a frame of the package of `like`, or as an array."""
    # like: what the columns were computed from; columns: floats or objects, (n_rows,).
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(like, pandas.DataFrame):
        return pandas.DataFrame(dict(zip(names, columns)), index=like.index)
    if polars is not None and isinstance(like, polars.DataFrame):
        known = [_none_for_nan(c) if c.dtype == object else c for c in columns]
        return polars.DataFrame(dict(zip(names, known)))
    return as_matrix(columns)


def _none_for_nan(column):
    return [cell if cell == cell else None for cell in column]
