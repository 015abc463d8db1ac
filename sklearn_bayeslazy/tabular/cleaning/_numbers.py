"""Numbers as people write them: signs, thousands, units, currencies, durations.

:func:`learn_numbers` chooses the :class:`NumberFormat` that reads the most cells of a
column. The format then reads each string alone, so a later batch is read row by row as
the whole is.
"""

import functools
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ._words import (
    CALENDAR,
    COUNT,
    CURRENCIES,
    FALSE_WORDS,
    NO_WIDTH,
    SHARE,
    TIME,
    TRUE_WORDS,
    UNITS,
    groups,
)

# What a column holds by its type; dates and durations are in days.
NUMBERS, DATES, DURATIONS, STRINGS = "numbers", "dates", "durations", "strings"
BARE = "bare"
_CODE_OF = {
    word.lower(): code for code, words in groups(CURRENCIES) for word in (code, *words)
}
# {unit: {family: factor}}
_FACTORS = {}
for _family, _words in UNITS.items():
    for _factor, _units in groups(_words):
        for _unit in _units:
            _FACTORS.setdefault(_unit, {})[_family] = float(_factor)
_MULTIPLIERS = {
    unit.lower(): families[COUNT]
    for unit, families in _FACTORS.items()
    if COUNT in families
} | {"t": 1e12, "md": 1e9, "mi": 1e6, "bi": 1e9, "bin": 1e3}  # of a currency only
# "TEUR", "tkr" and "R$ 5 mil" are thousands, and "₹5 L" are lakh.
_MULTIPLIERS_OF = dict.fromkeys(
    ["EUR", "CHF", "crowns", "SEK", "NOK", "DKK"], _MULTIPLIERS | {"t": 1e3}
) | {"BRL": _MULTIPLIERS | {"mil": 1e3}, "INR": _MULTIPLIERS | {"l": 1e5}}
_FACTORS["m"][COUNT] = 1e6  # beside "500k"; the last of its meanings
# {sign: others that are read as it}
_SAME = {
    " ": "\u00a0\u202f\u2009\u2007\u3000",  # wide, thin or fixed blanks
    "-": "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{FIGURE DASH}"
    "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{SMALL HYPHEN-MINUS}",
    "'": "\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}\N{ACUTE ACCENT}"
    "`\N{PRIME}\N{ARABIC THOUSANDS SEPARATOR}",
    '"': "\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE PRIME}",
    ".": "\N{ARABIC DECIMAL SEPARATOR}",
    ",": "\N{ARABIC COMMA}",
    "%": "\N{ARABIC PERCENT SIGN}",
    "\N{DEGREE SIGN}": "\N{MASCULINE ORDINAL INDICATOR}",
    "\N{MICRO SIGN}": "\N{GREEK SMALL LETTER MU}",
    "\N{YEN SIGN}": "\N{FULLWIDTH YEN SIGN}",
    "": NO_WIDTH,
}
SAME_SIGNS = {ord(other): sign for sign, others in _SAME.items() for other in others}
SAME_SIGNS |= {sign + 0xFEE0: chr(sign) for sign in range(0x21, 0x7F)}  # of full width
_MAX_LENGTH = 40
_HAS_DIGIT = re.compile(r"[\d¼½¾⅓⅔]")
_FRACTION_OF_ONE = re.compile(r"(\d*) ?(?:(?<=\d )(\d\d?)/([1-9]\d?)|([¼½¾⅓⅔]))(\D.*)?")
# The sign of a footnote or of an estimate behind a number: 12*, 12[a], 12 (est.), and
# that of no paise: 500/-.
_FOOTNOTE = re.compile(
    r"(?<=[\d%]) ?(?:\*+|/-|[†‡§]+|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\[\w{1,3}\]|"
    r"\((?:e|p|r|est|prov|rev|estimate|estimated|provisional|revised)\.?\)|"
    # an error or an interval
    r"(?:±|\+/-) ?[\d.,]+|[\[(][\d.,]+(?: ?[-;] ?|, | to )[\d.,]+[\])])$",
    re.IGNORECASE,
)
# The sign of a statistics office or a laboratory behind a number: 12.3 b, 5.4H.
_FLAG = re.compile(
    r"(?:(?<=\d) |(?<=[.,]\d)|(?<=[.,]\d\d))([bcdefinprsuz]{1,2}|[A-Z]{1,2})$"
)
_POWER = re.compile(
    "\\s?[x\N{MULTIPLICATION SIGN}·*] ?10"
    r"(?:(?:\^|\*\*)([-+]?\d+)|([-+]\d\d?|[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
)
# The same in another unit behind a number: 103 kW (140 PS).
_CONVERSION = re.compile(r"(?<=[^\W\d]) ?\((?=[^()]*\d)(?=[^()]*[^\W\d])[^()]*\)$")
_FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[-+]\d)")  # 1.5D+03
_PARENTHESES = re.compile(r"([^\d(]*)\(([^()]*)\)( ?[^\d()]*)")
_SHAPE = re.compile(
    r"([-+]?) ?((?:[Rr][sp]|[Ss]?[Ff]r|[Kk]r)\.|[^\d\s.,+-][^\d.,+-]*?)? ?([-+]?) ?"
    r"([.,]?\d(?:[\d.,' ]*\d)?[.,]?)((?:[eE][-+]?\d+)?)(\D.*)?"
)
# Thousands are groups of three digits, in India of two before the last three.
_BODY = {
    ".": re.compile(
        r"(?:[1-9]\d{0,2}([,' ])\d{3}(?:\1\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3}|\d+)?"
        r"(?:\.\d*)?"
    ),
    ",": re.compile(r"(?:[1-9]\d{0,2}([.' ])\d{3}(?:\1\d{3})*|\d+)?(?:,\d*)?"),
}
_TENS_AND_GROUP = re.compile(r"\d\d+[.]\d{3}")
# Currencies of countries that write thousands with points.
_WITH_POINTS = {"EUR", "crowns", "DKK", "BRL", "TRY", "IDR", "VND", "CLP", "COP", "ARS"}
_NO_CENTS = re.compile(r"(?<=\d)([.,])-+(?=[^\d.,-]*$)")  # 49.- francs
# Credit and debit of an account: 12.50 CR, 12.50 DR, in German 12,50 H and 12,50 S.
# The halves of the earth too: 50.1 N, 3.5°W.
_CREDIT_OR_DEBIT = re.compile(
    r"\s*(.*\d\)?)[ °º]*([CDcd](?=[Rr])|[SHNEW])(?:[Rr]\.?)?\s*"
)
_HALVES, _DEGREES = ({"N", "S"}, {"E", "W"}), re.compile("[.,°º]")
_CENTS = re.compile(r"\d[.,]\d\d ?(?:CR|[SH])?\s*$")
_LAST_MINUS = re.compile(r"(.*\d) ?-([^\d-]*)")
# One decimal sign that separates no thousands: a slip where it is in few cells.
_SHORT = re.compile(r"\d*[.,](?!\d{3}$)\d*")
_ONE_SIGN = re.compile(r"\d*[.,]?\d*")
_THOUSANDS = {".": str.maketrans("", "", ",' "), ",": str.maketrans(",", ".", ".' ")}
_MINUTES = re.compile(r"(?P<m>\d+):(?P<s>[0-5]\d[.,]\d+)")
_DURATIONS = [
    re.compile(pattern)
    for pattern in (
        r"(?:(?P<d>-?\d+) d(?:ays?)?,? \+?)?(?P<h>\d{1,4}):(?P<m>[0-5]\d)"
        r"(?::(?P<s>[0-5]\d(?:[.,]\d+)?))?",
        r"(?P<h>\d\d?)(?:[.:](?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?)? ?"
        r"(?:(?P<half>[ap]\.? ?m\.?)|uhr)",
        _MINUTES,
        r"p(?:(?P<y>\d+)y)?(?:(?P<n>\d+)m)?(?:(?P<w>\d+)w)?(?:(?P<d>\d+)d)?"
        r"(?:t(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>[\d.]+)s)?)?",
        r"(?=.*\d.*[^\W\d].*\d)(?:(?P<y>\d+) ?y(?:(?:ea)?rs?)?,? ?)?"
        r"(?:(?P<n>\d+) ?(?:mo(?:n(?:ths?)?|s)?|(?(y)m|(?!))),? ?)?"
        r"(?:(?P<w>\d+) ?w(?:(?:ee)?ks?)?,? ?)?"
        r"(?:(?P<d>\d+) ?(?:d(?:ays?)?|tage?),? ?)?"
        r"(?:(?P<h>\d+) ?(?:h[a-z]*|std|stunden?|ore?|ora|uur|ч)\.?,? ?(?:and |und )?)?"
        # "1h30", but not the code "5D2" or the half-year "2023H1"
        r"(?:(?P<m>\d+) ?(?:(?:m|min[a-z]*|мин(?:ут)?)\.?|(?(h)(?<=\d\d)|(?!))),? ?)?"
        r"(?:(?P<s>\d+) ?s(?:ec(?:ond)?s?)?)?",
    )
]
_FEET = re.compile(
    r"(\d+) ?(?:'|ft\.?|feet) ?((?:1[01]|\d)(?:\.\d+)?) ?(?:\"|''|in\.?|inches)?"
)
_CLOCK = re.compile(r"-?\d+(?::\d\d){1,2}")
_HAS_DURATION_SIGN = re.compile("[:adhmpчADHMP]")
_SECONDS = {"y": 31_557_600, "n": 2_629_800, "w": 604_800, "d": 86_400}
_SECONDS |= {"h": 3600, "m": 60, "s": 1}
# A unit that no table knows: a few words, such as "beds", or a sign such as "°".
_UNKNOWN_UNIT = re.compile(
    r"(?: |(?=[^\w\s]|[^\W\d_]{2}|[\u3005-\u9fff\uac00-\ud7a3]))"
    # also of 100 km
    r"[^\d+<>]{1,20}(?:(?<=\w)[23²³]|(?:(?<=/)|(?<=per )|(?<=pro ))10+ ?[^\W\d]*)?"
)
_OUT_OF = re.compile(r" ?(?:/|out of|von) ?([1-9]\d{0,2})")  # 4.5/5 stars
_SI_PREFIX = re.compile("[mM][A-Z]")  # milli, mega
_ABOUT = r"[~≈約]=? ?|(?:ca|env|approx)(?:\. ?| )|(?:circa|about|around) "
_LIMIT = re.compile(
    rf"^ *(?:[<>≤≥]=? ?|{_ABOUT}|(?:[Ff]rom|[Aa]b|[Dd]ès) )(?=.*\d)|(?<=\d)\+(?= |$)"
)
_PLAIN = frozenset("0123456789.-+eE")
_CODE = re.compile(r"0\d+(?:[.,]\d+)?|\+\d[\d ]{7,}|[-\N{MINUS SIGN}]?\d{16,}")
# Half-years, and numbers with an E, for which programs write 1E+05.
_CODE_WITH_LETTER = re.compile(r"\d+E\d+|[12]H\d\d")
_FRACTION = re.compile(r"\d+\.\d+")
_TWO_DECIMALS = re.compile(r"\.\d\d+$")
# Fewer are not many; of more numbers some are written twice by chance.
MIN_MANY, MAX_CODES = 20, 100
# Fewer cells that contradict all others are slips.
MAX_SHARE_OF_SLIPS = 0.05
MAX_RATIO_OF_SIZES = 5
# A format is learned from so many strings of a column.
MAX_TRIED = 5000


class _Parts(NamedTuple):
    """A number: its sign, its digits, and (family, factor) of what its unit may be."""

    sign: float
    digits: str
    exponent: str
    units: tuple
    value: float | None = None  # of several units together, which have no digits
    n_of_clock: int = 0  # 2 for 59:30, 3 for 1:02:03


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written."""

    decimal: str = "."
    # What the unit measures, or the currency; a cell of another one is no number.
    family: str = COUNT
    # The factor of the unit that all cells are converted to.
    base: float = 1.0
    # The factor of a number without a unit; NaN if it may be of several.
    bare: float = 1.0
    # Whether all numbers are 0 and 1, so that "yes" and "False" are numbers too.
    is_flag: bool = False
    # Whether 59:30 is minutes and seconds, since 1:02:03 stands beside it.
    has_minutes: bool = False
    # "D" if CR and DR behind a number are its sign, "C" if CR is a minus, "S" if H and
    # S, or N and S, are its sign, "W" if E and W are; else "".
    negative: str = ""
    # Whether letters behind a number without a unit, as in 12.3 b, are left out.
    has_flags: bool = False
    # Whether no number of `fit` had a sign, so that 1.200 may be a thousand.
    is_whole: bool = False
    # The strings that `fit` has read as missing.
    words: tuple = ()

    def parse(self, strings):
        """Return each string as a number, NaN where it is none."""
        if (self.decimal, self.family) == (".", COUNT):
            numbers = plain_numbers(strings)
            if numbers is not None:
                return numbers
        numbers = np.array([self._parse(string) for string in strings], dtype=float)
        return np.where(np.isfinite(numbers), numbers, np.nan)  # 1e999 is infinite

    def convert(self, values, holds):
        """Return typed numbers, or dates or durations in days, as numbers."""
        if holds == DURATIONS and self.family in (TIME, CALENDAR):
            return values * (_SECONDS["d"] / self.base)
        if holds == NUMBERS:
            return self._of_bare(values)
        is_read = (holds, self.family) == (DATES, DATES)
        return values if is_read else np.full(len(values), np.nan)

    def _of_bare(self, number):
        """Return a number without a unit in the unit of the column, or NaN."""
        if (self.family, self.base, self.bare) == (SHARE, 1.0, 1.0):
            number = np.where(np.abs(number) > 1, np.nan, number)  # 12 or 1200 %?
        return np.where(number == 0, 0.0, number * self.bare)  # 0 is of any unit

    def _parse(self, string):
        parts = _split(_bare(string, self.negative, self.has_flags))
        if parts is None:
            word = string.strip().lower() if self.is_flag else ""
            return 1.0 if word in TRUE_WORDS else 0.0 if word in FALSE_WORDS else np.nan
        for family, factor in parts.units:
            if family in (self.family, BARE):
                amount = _amount(parts, self.decimal)
                if family == BARE:
                    return self._of_bare(amount)
                if self.has_minutes and parts.n_of_clock == 2:
                    amount /= 60
                return factor / self.base * amount
        return np.nan


def learn_numbers(strings, counts=None, usual=""):
    """Return the format that reads the most cells, and an example of a guess.

    >>> def parse(*strings):
    ...     return learn_numbers(strings)[0].parse(strings).tolist()
    >>> parse("$1,234.50", "7", "x", "(5.00)")
    [1234.5, 7.0, nan, -5.0]
    >>> parse("1.234,5", "0,25")
    [1234.5, 0.25]
    >>> parse("20.5 kg", "500 g", "7 kg")
    [20.5, 0.5, 7.0]
    """
    # strings: distinct cells; counts: of the cells of each, by default 1. It is a guess
    # whether 1.234 is more than a thousand if nothing in the column decides; else None.
    # usual: the decimal sign of other columns, "" for none.
    plain = plain_numbers(strings)
    if plain is not None and not may_be_groups(strings):
        is_whole = not any("." in string or "e" in string.lower() for string in strings)
        return NumberFormat(is_flag=are_flags(plain), is_whole=is_whole), None
    counts = [1] * len(strings) if counts is None else counts
    step = len(strings) // MAX_TRIED + 1
    strings, counts = strings[::step], counts[::step]
    negative = _find_negative(strings)
    unflagged = [_bare(string, negative, False) for string in strings]
    has_flags = _have_flags(unflagged, counts)
    strings = [_bare(string, negative, has_flags) for string in strings]
    known = [(_split(string), count) for string, count in zip(strings, counts)]
    known = [(parts, count) for parts, count in known if parts and parts.units]
    decimal, guess = _find_decimal(known, usual)
    family, base, bare = _find_units(known, decimal)
    are_words = {s.lower() for s in strings} <= TRUE_WORDS | FALSE_WORDS
    if not known and strings and are_words:
        return NumberFormat(is_flag=True), None
    has_minutes = _have_minutes([parts for parts, _ in known])
    if has_minutes is False:
        guess = next(s for s in strings if (p := _split(s)) and p.n_of_clock == 2)
    elif guess:
        guess = next(s for s in strings if (p := _split(s)) and p.digits == guess)
    learned = NumberFormat(
        decimal,
        family,
        base,
        bare,
        has_minutes=bool(has_minutes),
        negative=negative,
        has_flags=has_flags,
    )
    if family == COUNT and are_flags(learned.parse(strings)):
        learned = NumberFormat(is_flag=True)
    return learned, guess


def are_codes(strings, counts=None):
    """Return why a column of digits holds codes, None if nothing shows it."""
    # strings: distinct cells; counts: of the cells of each, by default 1.
    codes = list(filter(_CODE.fullmatch, strings))
    if codes and not _are_slips(codes, strings, counts):
        string = codes[0]
        signs = {"0": "begin with a zero", "+": "begin with a plus sign"}
        why = signs.get(string[0], "have sixteen digits or more")
        return f"codes such as {string[:24]!r} {why}"
    if strings and all(map(_CODE_WITH_LETTER.fullmatch, strings)):
        letter = "H" if "H" in strings[0] else "E"
        return f"codes such as {strings[0]!r} have a letter {letter}"
    if sum(map(_is_address, strings)) > (1 - MAX_SHARE_OF_SLIPS) * len(strings):
        return f"codes such as {strings[0]!r} are addresses"
    string = written_twice(strings)
    if string is None or (len(strings) > MAX_CODES and not _are_chapters(strings)):
        return None
    return f"codes such as {string!r} differ in the zeros at the end"


def is_code(string):
    """Return whether a string begins with a zero or plus sign, or is very long."""
    return _CODE.fullmatch(string) is not None


def _are_slips(codes, strings, counts):
    """Return whether the codes are few, and the others are of other lengths."""
    n_cells = dict(zip(strings, [1] * len(strings) if counts is None else counts))
    most = MAX_SHARE_OF_SLIPS * sum(n_cells.values())
    sizes = set(map(len, codes))
    alike = [one for one in strings if one.isdecimal() and len(one) in sizes]
    return sum(map(n_cells.get, {*codes, *alike})) <= most


def _is_address(string):
    """Return whether a string is an address on the internet, such as 10.0.0.1."""
    octets = string.split(".") if string.count(".") == 3 else []
    return bool(octets) and all(one.isdecimal() and int(one) < 256 for one in octets)


def _are_chapters(strings):
    """Return whether numbers behind the points count from 1, as in 1.9 and 1.10."""
    # Of measured numbers, a tenth has a zero behind the point.
    long = [string for string in strings[:MAX_TRIED] if _TWO_DECIMALS.search(string)]
    return len(long) >= MIN_MANY and not any(".0" in string for string in long)


def written_twice(strings):
    """Return a fraction that is written with more zeros too, None if there is none."""
    fractions = list(filter(_FRACTION.fullmatch, strings[:MAX_TRIED]))
    values = Counter(map(float, fractions))
    return next((string for string in fractions if values[float(string)] > 1), None)


def limit_of(string):
    """Return the number in a string such as "<0.5" or "90+", None in others."""
    match = _LIMIT.search(string)
    return string[: match.start()] + string[match.end() :] if match else None


def is_bound(string):
    """Return whether a string is a limit that is no approximate number."""
    return limit_of(string) is not None and not re.match(_ABOUT, string)


def _have_flags(strings, counts):
    """Return whether letters stand behind some numbers, and most numbers are alone."""
    n_alone = sum(n for s, n in zip(strings, counts) if not re.search(r"[^\W\d]", s))
    flags = {match[1].lower() for match in map(_FLAG.search, strings) if match}
    return 2 * n_alone > sum(counts) and not flags <= _MULTIPLIERS.keys()


def _find_negative(strings):
    """Return which of "C" and "D" before an R behind a number is a minus, or ""."""
    found = [_CREDIT_OR_DEBIT.fullmatch(string) for string in strings]
    signs = {match[2].upper() for match in found if match}
    if "D" in signs:
        return "D"
    # Wards such as 4N and 4S have neither fractions nor degrees.
    if signs in _HALVES and None not in found and any(map(_DEGREES.search, strings)):
        return max(signs)
    # Otherwise CR is ten million, and H an hour, unless all amounts have cents.
    is_credit = signs == {"C"} and None in found
    sign = "C" * is_credit or "S" * (signs == {"S", "H"})
    return sign if all(map(_CENTS.search, strings)) else ""


def _bare(string, negative, has_flags):
    """Return a number without what `NumberFormat` and `limit_of` leave out."""
    match = _CREDIT_OR_DEBIT.fullmatch(string) if negative else None
    if match:
        string = "-" * (match[2].upper() == negative) + match[1]
    string = limit_of(string) or string
    return _FLAG.sub("", string) if has_flags else string


def mixed_units(strings):
    """Return two units that do not convert, if all numbers have known units."""
    units = {}
    for string in strings:
        parts = _split(string)
        if parts is not None and parts.units:
            family = parts.units[0][0]
            if family == BARE or family.startswith("unit "):
                return None
            sign = string.strip(" \t()-+.,'0123456789")
            units.setdefault(family, sign)
    return list(units.values())[:2] if len(units) > 1 else None


def plain_numbers(strings):
    """Return strings such as "-1.5e3" as floats at once, None if some are others."""
    if max(map(len, strings), default=0) > _MAX_LENGTH:
        return None
    if not set("".join(strings[:100])) <= _PLAIN >= set("".join(strings)):
        return None
    try:
        numbers = np.array(strings, dtype=str).astype(float)
    except ValueError:
        return None
    return np.where(np.isfinite(numbers), numbers, np.nan)


def are_flags(numbers):
    """Return whether numbers are 0 and 1, both of them."""
    known = numbers[~np.isnan(numbers)]
    return bool(((known == 0) | (known == 1)).all() and 0 < known.sum() < len(known))


def may_be_groups(strings):
    """Return whether all points may separate thousands."""
    groups = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+")
    pointed = [string for string in strings if "." in string]
    return bool(pointed) and all(map(groups.fullmatch, pointed))


def _split(string):
    """Return the parts of a number, None where a string is none."""
    text = string.translate(SAME_SIGNS).strip()
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(sign, sign)) for sign in text)
    text = _CONVERSION.sub("", text)
    if len(text) > _MAX_LENGTH or not _HAS_DIGIT.search(text):
        return None
    if (found := _duration(text)) is not None:
        seconds, unit = found
        size = text.count(":") + 1 if _CLOCK.fullmatch(text) else 0
        return _Parts(1.0, "", "", ((TIME, unit),), seconds / unit, size)
    if fraction := _FRACTION_OF_ONE.fullmatch(text):
        whole, over, under, sign, unit = fraction.groups()
        part = unicodedata.numeric(sign) if sign else int(over) / int(under)
        units = _units("", unit or "")
        return _Parts(1.0, "", "", units, int(whole or 0) + part)
    if feet := _FEET.fullmatch(text):
        value = float(feet[1]) + float(feet[2]) / 12
        return _Parts(1.0, "", "", (("length", 304.8),), value)
    text = _FOOTNOTE.sub("", _FORTRAN.sub("e", _POWER.sub(_exponent, text)))
    text = _NO_CENTS.sub(r"\g<1>0", text.replace(":-", ",-"))
    sign = 1.0
    minus = _LAST_MINUS.fullmatch(text)
    if minus and (not minus[2] or _currency(minus[2].strip())):
        text, sign = minus[1] + minus[2], -1.0
    elif "(" in text and (parentheses := _PARENTHESES.fullmatch(text)):
        text, sign = "".join(parentheses.groups()), -1.0
    match = _SHAPE.fullmatch(text)
    if match is None:
        return None
    first, before, second, digits, exponent, after = match.groups(default="")
    if (first and second) or (sign < 0 and (first or second)):
        return None
    sign = -1.0 if "-" in (first, second) else sign
    if len(after) == 1 and not digits.isdecimal():
        after = f" {after}"  # one letter is a unit in 36.6C, but not in 12a
    return _Parts(sign, digits, exponent, _units(before.strip(), after))


def _exponent(match):
    """Return e-3 for a power of ten such as x 10^-3."""
    digits = unicodedata.normalize("NFKC", match[1] or match[2])
    return "e" + digits.replace("\N{MINUS SIGN}", "-")


def _have_minutes(known):
    """Return whether 59:30 is minutes and seconds, None if no 1:02:03 is beside it."""
    short = [abs(parts.value) for parts in known if parts.n_of_clock == 2]
    long = [abs(parts.value) for parts in known if parts.n_of_clock == 3]
    return max(short) > 24 > max(long) if short and long else None


def _duration(text):
    """Return the seconds of a duration or a time of day, and its unit; or None."""
    if not _HAS_DURATION_SIGN.search(text):
        return None
    # "-1 days +23:30" is half an hour before zero.
    is_negative = text.startswith("-") and "day" not in text
    sign, text = (-1, text[1:]) if is_negative else (1, text)
    for pattern in _DURATIONS:
        match = pattern.fullmatch(text.lower())
        if match and any(match.groups()):
            found = match.groupdict()
            found = {k: part.replace(",", ".") for k, part in found.items() if part}
            seconds = sum(float(found.get(k, 0)) * n for k, n in _SECONDS.items())
            half = found.get("half")
            if half:
                hours = (float(found["h"]) % 12 + 12 * (half[0] == "p")) * 3600
                seconds += hours - float(found["h"]) * 3600
            unit = "s" if pattern is _MINUTES else "h"
            unit = next((one for one in "yw" if one in found), unit)
            return sign * seconds, float(_SECONDS[unit])
    return None


@functools.lru_cache(maxsize=2**12)
def _units(before, after):
    """Return (family, factor) of what the words around a number may mean."""
    word = after.strip()
    if before == "%" and not word:  # %12 in Turkey
        before, word = "", "%"
    if before:
        code = _currency(before)
        if code and word.startswith(("/", "per ")):  # $5/month
            return ((f"unit {code}{word}", 1.0),)
        factor = _multiplier(word, code)
        return ((code, factor),) if code and factor else ()
    if not word:
        return ((BARE, 1.0),)
    money, found = {}, {}
    for start in range(len(word)):  # "Mio. €", "k€"
        code, more = _currency(word[start:].strip()), word[:start].strip()
        factor = _multiplier(more, code)
        if code and factor:
            money = {code: factor}
            break
    lower = word.rstrip(".").lower()
    for unit in (word, word.rstrip("."), lower, lower.removesuffix("s")):
        more = _FACTORS.get(unit, {})
        found |= {family: more[family] for family in more if family not in found}
    # "ft" is feet unless beside forints, "sek" seconds unless beside crowns.
    is_money = word.isupper() or word == "Ft"
    found = money | found if is_money else found | money
    if found:
        return tuple(found.items())
    if most := _OUT_OF.fullmatch(after):
        return ((f"unit of {most[1]}", 1.0),)
    if not _UNKNOWN_UNIT.fullmatch(after) or not re.search(r"[^\W\d_]|°", word):
        return ()
    if _SI_PREFIX.match(word):
        lower = word[0] + lower[1:]
    return ((f"unit {lower.removesuffix('s')}", 1.0),)


def _currency(word):
    """Return the code of a currency, or a sign such as ₱ itself; None for others."""
    is_sign = len(word) == 1 and unicodedata.category(word) == "Sc"
    codes = map(_CODE_OF.get, (word.lower(), word.lower().removesuffix("s")))
    return next(filter(None, codes), word if is_sign else None)


def _multiplier(word, code):
    word = word.rstrip(".").lower()
    multipliers = _MULTIPLIERS_OF.get(code, _MULTIPLIERS)
    of_singular = multipliers.get(word.removesuffix("s"))
    return multipliers.get(word, of_singular) if word else 1.0


def _amount(parts, decimal):
    """Return a number without its unit, NaN if the decimal sign does not fit."""
    if parts.value is not None:
        return parts.value
    # With an exponent the only sign is that of decimals.
    if parts.exponent and _ONE_SIGN.fullmatch(parts.digits):
        return parts.sign * float(parts.digits.replace(",", ".") + parts.exponent)
    if not _BODY[decimal].fullmatch(parts.digits):
        return np.nan
    digits = parts.digits.translate(_THOUSANDS[decimal])
    return parts.sign * float(digits + parts.exponent)


def _find_decimal(known, usual=""):
    """Return the decimal sign by which most cells are numbers, and a guess."""
    # known: pairs of parts and number of cells. Where each can be: the point groups
    # thousands if shorter numbers have none, such as 1.200 beside 980.
    known = [(parts, n) for parts, n in known if not parts.exponent] or known
    signed = [(p, n) for p, n in known if "." in p.digits or "," in p.digits]
    n_short = sum(n for parts, n in signed if _SHORT.fullmatch(parts.digits))
    if n_short < MAX_SHARE_OF_SLIPS * sum(n for _, n in signed):
        known = [(p, n) for p, n in known if not _SHORT.fullmatch(p.digits)]
    total = {
        sign: sum(n for parts, n in known if _BODY[sign].fullmatch(parts.digits))
        for sign in ".,"
    }
    if total["."] != total[","]:
        return max(total, key=total.get), None
    bodies = {parts.digits for parts, _ in known if parts.digits}
    grouped = {body for body in bodies if "." in body or "," in body}
    others = bodies - grouped
    are_short = bool(others) and max(map(len, others)) <= 3
    # Nor does 10.900 € have tenths of a cent.
    are_short |= (
        any(map(_TENS_AND_GROUP.match, grouped))
        and not others
        and all(parts.units[0][0] in _WITH_POINTS for parts, _ in known)
    )
    if usual == ",":
        return usual, min(grouped, default=None)
    if any("," in body for body in grouped):
        return ".", None if are_short else min(grouped)
    return "," if are_short and len(grouped) >= 3 else ".", min(grouped, default=None)


def _find_units(known, decimal):
    """Return the family that most cells are of, its base, and the factor of no unit."""
    cells, totals, amounts, has_clock = Counter(), Counter(), {BARE: []}, False
    for parts, n in known:
        has_clock |= parts.value is not None and parts.units[0] == (TIME, 3600.0)
        amount = _amount(parts, decimal)
        for family, factor in parts.units if amount == amount else ():
            cells[family, factor] += n
            totals[family] += n
            amounts.setdefault(family, []).append(abs(amount))
    n_bare, bare = totals.pop(BARE, 0), list(filter(None, amounts[BARE]))
    family = max(totals, key=totals.get, default=COUNT)
    if family == COUNT or family in _CODE_OF.values():
        return family, 1.0, 1.0
    if family == TIME and totals[CALENDAR] == totals[TIME] and cells[TIME, 60.0]:
        family = CALENDAR  # the only minutes are "m", which stands beside days or years
    factors = {factor: n for (name, factor), n in cells.items() if name == family}
    base = max(factors, key=factors.get)
    if family == SHARE:  # "0.5" beside "20 %" is a share, "15" is 15 %
        if max(bare, default=0.0) <= 1:
            return family, 1.0, 1.0
        return (family, base, 1.0) if n_bare > totals[family] else (family, 1.0, base)
    # 45 beside 1:30 may be minutes or hours; beside 1:02.5 it is seconds.
    is_clock = family == TIME and has_clock
    if len(factors) == 1 and not is_clock and not family.startswith("unit "):
        # 150 beside 1.51 m is of another unit.
        sizes = [np.median(some) for some in (amounts[family], bare) if some]
        if max(sizes) <= MAX_RATIO_OF_SIZES * min(sizes):
            return family, base, 1.0
    # Numbers without a unit are of none of the units; if they are more, only they are
    # numbers.
    is_most = totals[family] >= n_bare
    return (family, base, np.nan) if is_most else (BARE, 1.0, 1.0)
