"""Decides what a column of a raw table is: its kind, and the reason in words."""

from dataclasses import dataclass, replace

import numpy as np

from .._raw_columns import are_ids, is_free_text, is_id
from ._cells import distinct_strings, is_marker, read_cells
from ._dates import DAYS, DIGITS, DateFormat, learn_dates, learn_numeric_dates
from ._numbers import (
    DATES,
    DURATIONS,
    NUMBERS,
    STRINGS,
    NumberFormat,
    are_codes,
    are_flags,
    learn_numbers,
    limit_of,
    mixed_units,
    plain_numbers,
)
from ._spellings import fold, truth_words, usual_spellings
from ._words import TIME

CATEGORY, NUMBER, DATE, DATETIME, TEXT, DROP = (
    "category",
    "number",
    "date",
    "datetime",
    "text",
    "drop",
)
KINDS = (CATEGORY, NUMBER, DATE, DATETIME, TEXT, DROP)
# A column of numbers or dates may hold some words, which become missing.
MIN_SHARE_READ = 0.95
MIN_DISTINCT_READ = 10
PLAIN, DAYS_FORMAT = NumberFormat(), NumberFormat(family=TIME, base=86_400.0)
_COUNTED = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}
_COUNTED = {unit: f"{name} since 1970" for unit, name in _COUNTED.items()} | {
    "ns": "nanoseconds since 1970",
    "Excel": "a date of Excel",
}
# A column with more numbers or dates than this, but fewer than above, is a category and
# says why.
_MIN_SHARE_TOLD = 0.5


@dataclass(frozen=True)
class Decision:
    """The kind of a column, and why.

    Attributes
    ----------
    kind : {"category", "number", "date", "datetime", "text", "drop"}
    reason : str
        "" where the kind needs no explanation.
    overruled_by : str or None
        The kind to give if this one is wrong.
    format : NumberFormat, DateFormat or None
        How the numbers or dates of the column are written.
    """

    kind: str
    reason: str = ""
    overruled_by: str | None = None
    format: object = None

    def __str__(self):
        """Return the kind, the reason, and the kind that overrules it, in one line."""
        reason = f": {self.reason}" if self.reason else ""
        other = f" (if not: {self.overruled_by!r})" if self.overruled_by else ""
        return f"{self.kind}{reason}{other}"


def decide(cells, name):
    """Return the decision on the :class:`Cells` of a column."""
    if cells.holds == STRINGS:
        decision = _decide_strings(cells, name)
        if cells.is_declared and decision.kind != DROP:
            return Decision(CATEGORY)
        return decision
    known = cells.cells[~np.isnan(cells.cells)]
    if len(known) == 0:
        return Decision(DROP, "no cell is known", NUMBER)
    if cells.holds == DATES:
        return _decide_days(known, cells.n_rows, Decision(DATE, "", CATEGORY))
    learned = DAYS_FORMAT if cells.holds == DURATIONS else PLAIN
    learned = replace(learned, is_flag=are_flags(known))
    return _decide_numbers(known, cells.n_rows, name, learned)


def _decide_numbers(known, n_rows, name, learned, reason="", overruled_by=None):
    """Return the decision on the known numbers of a column."""
    if n_rows > 1 and (known == known[0]).all():
        if len(known) == n_rows:
            return Decision(DROP, f"constant: {known[0]:g}", NUMBER)
        return Decision(NUMBER, reason, overruled_by, learned)
    dates = learn_numeric_dates(known, name) if learned == PLAIN else None
    is_digits = dates is not None and dates.number == DIGITS
    if is_id(known, n_rows, name) and not is_digits:
        return Decision(DROP, "an id: whole numbers, each once", NUMBER)
    if dates is None:
        return Decision(NUMBER, reason, overruled_by, learned)
    reason = f"{known[0]:.0f} is read as {_COUNTED.get(dates.number, dates.number)}"
    days = dates.convert(known, NUMBERS)
    return _decide_days(days, n_rows, Decision(DATE, reason, NUMBER, dates))


def _decide_days(days, n_rows, decision):
    """Return the decision on dates: with the hour if some are not at midnight."""
    known = days[np.isfinite(days)]
    if n_rows > 1 and len(known) == n_rows and (known == known[0]).all():
        return Decision(DROP, "constant: one date", DATE)
    has_hours = bool((known != np.floor(known)).any())
    learned = decision.format or DateFormat()
    return replace(decision, kind=DATETIME if has_hours else DATE, format=learned)


def _decide_strings(cells, name):
    """Return the decision on a column of strings."""
    values, counts = distinct_strings(cells)
    n_known = int(counts.sum())
    if n_known == 0:
        return Decision(DROP, "no cell is known", CATEGORY)
    spelling = usual_spellings(values, counts)
    categories = set(spelling.values())
    if len(categories) == 1 and 1 < cells.n_rows == n_known:
        return Decision(DROP, f"constant: {_shorten(values[0])}", CATEGORY)
    doubts = []
    if truth_words(values, counts) is None:
        for find in (_find_dates, _find_numbers):
            decision = find(values, counts, cells.n_rows, name)
            if decision.kind != CATEGORY:
                return decision
            doubts += [decision] if decision.reason else []
    if is_free_text(np.repeat(np.array(values, dtype=object), counts.astype(int))):
        return Decision(TEXT, "free text: several words a cell", CATEGORY)
    if are_ids(len(categories), n_known):
        shares = "each once" if len(categories) == n_known else "nearly each once"
        return Decision(DROP, f"an id: strings, {shares}", CATEGORY)
    return doubts[0] if doubts else Decision(CATEGORY, _on_spellings(values, spelling))


def _find_dates(values, counts, n_rows, name):
    """Return a decision on dates, or for a category a doubt, if there is one."""
    learned, order = learn_dates(values, counts)
    if learned is None:
        return Decision(CATEGORY)
    days = learned.parse(values)
    doubt = _doubt(values, counts, days, DATE)
    if doubt is not None:
        return doubt
    example = _shorten(values[int(np.argmax(np.isfinite(days)))])
    reason = _join(f"written as {example}{order}", *_on_unread(values, counts, days))
    decision = Decision(DATE, reason, CATEGORY, learned)
    return _decide_days(np.repeat(days, counts.astype(int)), n_rows, decision)


def _find_numbers(values, counts, n_rows, name):
    """Return a decision on numbers, or for a category a doubt, if there is one."""
    codes = are_codes(values)
    if codes is not None:
        dates = _numeric_dates(values, name)
        if dates is None:
            return Decision(CATEGORY, codes, NUMBER)
        numbers = np.array(values, dtype=float)
        return _decide_numbers(numbers, n_rows, name, PLAIN)
    learned, is_guess = learn_numbers(values, counts)
    numbers = learned.parse(values)
    doubt = _doubt(values, counts, numbers, NUMBER)
    if doubt is not None:
        units = mixed_units(values)
        if units:
            reason = f"the units {units[0]!r} and {units[1]!r} do not convert"
            return Decision(CATEGORY, reason, NUMBER)
        return doubt
    notes = []
    if plain_numbers(values) is None or is_guess:
        example = max((v for v, x in zip(values, numbers) if x == x), key=len)
        notes = [f"written as {_shorten(example)}"]
    if is_guess:
        pointed = next(v for v in values if "." in v or "," in v)
        value = learned.parse([pointed])[0]
        notes = [f"{_shorten(pointed)} is read as {value:.10g}, which is a guess"]
    notes += _on_limits(values, counts) + _on_unread(values, counts, numbers)
    known = np.repeat(numbers, counts.astype(int))
    known = known[~np.isnan(known)]
    overruled_by = CATEGORY if notes else None
    return _decide_numbers(known, n_rows, name, learned, _join(*notes), overruled_by)


def _doubt(values, counts, read, kind):
    """Return None if strings are of a kind; else a category, with why if most are."""
    is_read = np.isfinite(read)
    n_read = counts[is_read].sum()
    odd = [v for v, r in zip(values, is_read) if not r]
    if not odd:
        return None
    is_marked = np.array([not r and is_marker(v) for v, r in zip(values, is_read)])
    share = n_read / max(counts[~is_marked].sum(), 1)
    n_distinct = len(np.unique(read[is_read]))
    if share >= MIN_SHARE_READ and n_distinct >= MIN_DISTINCT_READ:
        return None
    if n_read < _MIN_SHARE_TOLD * counts.sum():
        return Decision(CATEGORY)
    reason = f"{kind}s, but also words such as {_shorten(odd[0])}"
    return Decision(CATEGORY, reason, kind)


def _on_unread(values, counts, read):
    """Return a note on the cells that are no numbers or dates, in a list."""
    odd = np.flatnonzero(np.isnan(read))
    if len(odd) == 0:
        return []
    n, word = int(counts[odd].sum()), _shorten(values[odd[0]])
    return [f"cells such as {word} become missing ({n})"]


def _on_limits(values, counts):
    limits = [(v, n) for v, n in zip(values, counts) if limit_of(v) is not None]
    if not limits:
        return []
    n = int(sum(n for _, n in limits))
    return [f"cells such as {_shorten(limits[0][0])} are read as their limit ({n})"]


def _on_spellings(values, spelling):
    """Return which spelling is read as another, or may be meant as it; or ""."""
    for value in values:
        usual = spelling[fold(value)]
        if usual != value:
            return f"{_shorten(value)} is read as {_shorten(usual)}"
    for value in values:
        if value.lower() != value and value.lower() in spelling:
            return f"{value!r} and {value.lower()!r} may be one category"
    return ""


def _join(*notes):
    return "; ".join(filter(None, notes))


def _shorten(text):
    text = repr(str(text))
    return text if len(text) <= 24 else text[:21] + "...'"


def decide_as_given(cells, kind, name):
    """Return the decision on a column whose kind is given, with its format."""
    if kind not in (NUMBER, DATE, DATETIME):
        return Decision(kind, "as given")
    learned = _learn_number(cells) if kind == NUMBER else _learn_date(cells, name)
    numbers, unread = read_cells(cells, learned)
    if unread and np.isnan(numbers).all():
        advice = "" if kind == NUMBER else " Write dates as YYYY-MM-DD."
        raise ValueError(
            f"Column {name!r} is given as {kind!r}, but none of its cells can be read "
            f"as one, for example {next(iter(unread))!r:.40}.{advice}"
        )
    values, counts = list(unread), np.array(list(unread.values()))
    notes = _on_unread(values, counts, np.full(len(values), np.nan))
    return Decision(kind, _join("as given", *notes), format=learned)


def _learn_number(cells):
    if cells.holds == STRINGS:
        return learn_numbers(*distinct_strings(cells))[0]
    formats = {DURATIONS: DAYS_FORMAT, DATES: NumberFormat(family=DATES)}
    return formats.get(cells.holds, PLAIN)


def _learn_date(cells, name):
    if cells.holds != STRINGS:
        known = cells.cells[~np.isnan(cells.cells)]
        learned = learn_numeric_dates(known, name) if cells.holds == NUMBERS else None
        return learned or DateFormat(number=DAYS)
    values, counts = distinct_strings(cells)
    return (
        _numeric_dates(values, name) or learn_dates(values, counts)[0] or DateFormat()
    )


def _numeric_dates(values, name):
    """Return the format of strings of digits that are dates, None if they are none."""
    if not values or not all(map(str.isdecimal, values)):
        return None
    return learn_numeric_dates(np.array(values, dtype=float), name)
