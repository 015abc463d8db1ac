"""Decides what one column of a raw table is: its kind, and the reason in words."""

import re
from dataclasses import dataclass, replace

import numpy as np

from .._raw_columns import are_ids, is_free_text, is_id
from ._cells import Cells, is_marker, is_sign, iso_dates, label_of, unread_numbers
from ._dates import (
    DAYS,
    LAYOUTS,
    MIN_DISTINCT_READ,
    MIN_SHARE_READ,
    DateFormat,
    learn_dates,
    learn_numeric_dates,
)
from ._numbers import (
    DATES,
    DURATIONS,
    MAX_CODES,
    MAX_TRIED,
    MIN_MANY,
    NUMBERS,
    STRINGS,
    NumberFormat,
    are_codes,
    are_flags,
    is_code,
    learn_numbers,
    limit_of,
    mixed_units,
    plain_numbers,
    written_twice,
)
from ._spellings import (
    MAX_CATEGORIES,
    MIN_CATEGORY_COUNT,
    RARE,
    CategoryColumn,
    nearly,
    truth_words,
    usual_of,
    usual_spellings,
)
from ._words import TIME

KINDS = ("category", "number", "date", "datetime", "text", "drop")
CATEGORY, NUMBER, DATE, DATETIME, TEXT, DROP = KINDS
# A column with more numbers or dates than this, but less than `MIN_SHARE_READ`, is a
# category and says why.
_MIN_SHARE_TOLD = 0.5
# In a column of few distinct numbers more words such as "none" are a category.
_MAX_SHARE_MARKED = 0.2
_SENTINEL = re.compile(
    r"(-9|-?(99+|88+|77+|9+[678]))(\.[09]+)?|-999\.25|\d.*e\+[23]\d+"
)
_MAX_SENTINELS = 4  # such as -99, -98 and -97
# A note on how cells that are no plain numbers are read.
_ON_READING = re.compile(r"(?!'[\d.]+' is read as [\d.]+$).* is read as ")
# What programs write for no date, or for one before or after all others.
_FIRST_OR_LAST = ["1601-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01"]
_FIRST_OR_LAST += ["1970-01-01", "2099-12-31", "2999-12-31", "3000-01-01"]
# Excel shows long codes as 4.11111E+15.
_ROUNDED = re.compile(r"\d[.,]\d+E\+1[1-9]")
# Cells with numbers in them, in a column of many; not telephone numbers, nor codes.
_HAS_NUMBERS = re.compile(r"(?![-\d() ]*$|\w*$)\W{0,3}\d.*")
# Dates of other years are told.
_YEARS = "1500", "2200"


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


def decide(
    cells, name, kind=None, max_categories=MAX_CATEGORIES, min_count=MIN_CATEGORY_COUNT
):
    """Return the decision on the :class:`Cells` of a column, and the cells as read."""
    # kind: that is given, None if the cells decide. Numbers and dates are read to
    # floats. max_categories, min_count: see `CategoryColumn`.
    if kind is None:
        decision, read = _decide(cells, name)
    else:
        decision, read = _decide_as_given(cells, name, kind)
    if decision.kind == CATEGORY and len(cells.as_labels().categories) > max_categories:
        column = CategoryColumn(max_categories, min_count)
        column.fit(cells, None, None)
        if column.n_rare:
            rare = f"rare categories become {RARE!r} ({column.n_rare})"
            decision = replace(decision, reason=_joined(decision.reason, rare))
    return decision, read


def _decide(cells, name):
    if cells.holds == STRINGS:
        decision, read = _decide_strings(cells, name)
        if cells.is_declared and decision.kind != DROP:
            return Decision(CATEGORY), cells
        return decision, read
    learned = _typed_format(cells)
    numbers, unread = cells.read(learned)
    learned = replace(learned, words=tuple(unread))
    return _decide_floats(numbers, learned, name, _on_unread(unread))


def _typed_format(cells):
    if cells.holds == DATES:
        return DateFormat()
    if cells.holds == DURATIONS:
        return NumberFormat(family=TIME, base=86_400.0)
    is_whole = bool((cells.cells % 1 == 0).any()) and not (cells.cells % 1 > 0).any()
    return NumberFormat(is_flag=are_flags(cells.cells), is_whole=is_whole)


def _decide_floats(numbers, learned, name, reason="", overruled_by=None):
    """Return the decision on a column that is read, and its cells."""
    # numbers: (n_rows,), dates in days, NaN for missing.
    known = numbers[~np.isnan(numbers)]
    is_date = isinstance(learned, DateFormat)
    if len(known) == 0:
        return Decision(DROP, "no cell is known", NUMBER), None
    if len(numbers) > 1 and (known == known[0]).all() and len(known) == len(numbers):
        what = "one date" if is_date else f"{known[0]:g}"
        return Decision(DROP, f"constant: {what}", DATE if is_date else NUMBER), None
    is_plain = (
        not is_date and replace(learned, words=(), is_whole=False) == NumberFormat()
    )
    dates = learn_numeric_dates(known, name) if is_plain else None
    is_counter = not is_date and is_id(known, len(numbers), name)
    if is_counter and (dates is None or dates.number not in LAYOUTS):
        return Decision(DROP, "an id: whole numbers, each once", NUMBER), None
    if dates is not None:
        days = dates.convert(numbers, NUMBERS)
        unread = unread_numbers(numbers, days, NUMBERS)
        example = numbers[~np.isnan(days)][0]
        count = f"{example:.0f} is read as {dates.of_number}"
        reason = _joined(count, reason, _on_unread(unread))
        dates = replace(dates, words=(*learned.words, *unread))
        return _decide_floats(days, dates, name, reason, NUMBER)
    if not is_date:
        reason = _joined(reason, _on_sentinel(known))
        decision = Decision(NUMBER, reason, overruled_by, learned)
        return decision, Cells(numbers, NUMBERS)
    kind = DATE if (known == np.floor(known)).all() else DATETIME
    reason = _joined(reason, _on_odd_date(known))
    decision = Decision(kind, reason, overruled_by or CATEGORY, learned)
    return decision, Cells(numbers, DATES)


def _on_sentinel(known):
    """Return a note on -99, 9999, 1e+20, ... if no other number is near, or ""."""
    values, counts = np.unique(known, return_counts=True)
    for sign in (-1, 1):
        numbers, n_cells = (sign * values)[::sign], counts[::sign]
        for n in range(min(_MAX_SENTINELS, len(values) - 1), 0, -1):
            others, odd, total = numbers[:-n], numbers[-n:], int(n_cells[-n:].sum())
            shown = [f"{one:.15g}" for one in sorted(sign * odd)]
            # Only negative numbers beside positive ones need not repeat.
            is_far = sign < 0 and others[-1] <= 0 < odd[0]
            if total > n:
                is_far |= sign > 0 and 0 <= others[0] <= 3 * others[-1] < odd[0]
                has_gap = odd[0] - others[-1] > np.ptp(others)
                is_far |= has_gap and len(others) >= MIN_DISTINCT_READ
            if is_far and all(map(_SENTINEL.fullmatch, shown)):
                few = "a missing cell" if n == 1 else "missing cells"
                shown = ", ".join(f"{float(one):g}" for one in shown)
                return f"{shown} may stand for {few} ({total})"
    return ""


def _on_odd_date(known):
    """Return a note on a date such as 1900-01-01 if it is frequent or far, or ""."""
    values, counts = np.unique(np.floor(known), return_counts=True)
    dates = iso_dates(values)
    for k, others in ((0, values[1:]), (-1, values[:-1])):
        if dates[k] in _FIRST_OR_LAST and len(others) > 1:
            is_far = np.abs(others - values[k]).min() > np.ptp(others)
            if is_far or counts[k] > 2 * np.median(counts):
                return f"{dates[k]} may stand for a missing cell ({counts[k]})"
    return ""


def _decide_strings(cells, name):
    """Return the decision on a column of strings, and its cells."""
    values, counts = cells.distinct_strings()
    n_known = int(counts.sum())
    if n_known == 0:
        return Decision(DROP, "no cell is known", CATEGORY), None
    labels = map(label_of, values)
    first = next(labels).split()
    is_constant = all(label.split() == first for label in labels)
    if is_constant and 1 < len(cells.cells.codes) == n_known:
        return Decision(DROP, f"constant: {_shorten(values[0])}", CATEGORY), None
    numbers, learned, notes, doubts = _read_strings(cells, values, counts, name)
    if learned is not None:
        other = CATEGORY if notes else None
        return _decide_floats(numbers, learned, name, _joined(*notes), other)
    if is_free_text(np.repeat(np.array(values, dtype=object), counts.astype(int))):
        return Decision(TEXT, "free text: several words a cell", CATEGORY), cells
    # Words among dates or measured numbers do not make them ids.
    is_measured = any(doubt.overruled_by == DATE for doubt in doubts)
    is_measured |= numbers is not None and bool(
        (numbers % 1 > 0).any() or 2 * sum(map(str.isdecimal, values)) < len(values)
    )
    spelling = usual_spellings(map(label_of, values), counts)
    n_categories = len(set(spelling.values()))
    if are_ids(n_categories, n_known) and not is_measured:
        shares = "each once" if n_categories == n_known else "nearly each once"
        reason = _joined(f"an id: strings, {shares}", _on_numbers_within(values))
        return Decision(DROP, reason, CATEGORY), None
    if doubts:
        return doubts[0], cells
    spelt = _on_spellings(map(label_of, values), spelling)
    return Decision(CATEGORY, spelt or _on_numbers_within(values)), cells


def _on_numbers_within(values):
    """Return a note on cells such as "120/80", whose numbers are not read, or ""."""
    found = list(filter(_HAS_NUMBERS.fullmatch, values))
    if len(values) < MIN_MANY or len(found) < MIN_SHARE_READ * len(values):
        return ""
    return f"the numbers in cells such as {_shorten(found[0])} are not read"


def _read_strings(cells, values, counts, name):
    """Return numbers or days, their format (None in doubt), notes and doubts."""
    doubts, doubtful = [], None
    if truth_words(values, counts) is not None:
        return None, None, [], doubts
    beside = {DATE: name, NUMBER: cells.decimal}
    for learn, kind in ((_learn_dates, DATE), (_learn_numbers, NUMBER)):
        learned, notes = learn(values, counts, beside[kind])
        if learned is None:
            doubts += [Decision(CATEGORY, note, kind) for note in notes]
            continue
        numbers, unread = cells.read(learned)
        if _is_of_the_kind(numbers, unread):
            learned = replace(learned, words=tuple(unread))
            notes = list(filter(None, [*notes, _on_unread(unread)]))
            return numbers, learned, notes, doubts
        found = _doubt(values, numbers, unread, kind)
        doubtful = numbers if found else doubtful
        doubts += found
    return doubtful, None, [], doubts


def decide_target(cells, name):
    """Return the decision on the column to predict, and its cells as read."""
    # It may be constant, or distinct in all rows. Dates are left as strings.
    learned, doubts = None, []
    if cells.holds != STRINGS:
        learned = _typed_format(cells)
        numbers, notes = cells.read(learned)[0], []
    elif not cells.is_declared:
        values, counts = cells.distinct_strings()
        if values:
            found = _read_strings(cells, values, counts, name)
            numbers, learned, notes, doubts = found
    if isinstance(learned, DateFormat):
        reason = _joined("its cells are dates", *notes)
        doubts = [Decision(CATEGORY, reason, DATE)]
    elif learned is not None:
        sentinel = _on_sentinel(numbers[~np.isnan(numbers)])
        reason = _joined(*filter(_ON_READING.match, notes), sentinel)
        return Decision(NUMBER, reason, format=learned), numbers
    labels = CategoryColumn(np.inf, 1)
    strings = labels.fit(cells, None, None)[0]
    if learned is not None:
        strings[np.isnan(numbers)] = np.nan  # "unknown" beside dates
    usual = _on_spellings(map(label_of, cells.distinct_strings()[0]), labels.spelling)
    reason = doubts[0].reason if doubts else usual
    return Decision(CATEGORY, reason), strings


def _learn_dates(values, counts, name):
    """Return the format of dates, None if there is none, and notes on it."""
    # Digits that are no codes may be ids too, so they are decided as numbers.
    may_be = any(map(is_code, values))
    if may_be:
        words = [one for one in values if not one.isdecimal() and not is_marker(one)]
        may_be = len(words) <= (1 - MIN_SHARE_READ) * len(values)
    learned = _numeric_dates(values, name) if may_be else None
    if learned is not None:
        example = next(v for v in values if learned.parse([v])[0] < np.inf)
        return learned, [f"{example} is read as {learned.of_number}"]
    learned, order = learn_dates(values, counts, name)
    if learned is None:
        return None, [order] if order else []
    example = next((v for v in values if learned.parse([v])[0] < np.inf), values[0])
    (date,) = iso_dates(learned.parse([example]))
    if not _YEARS[0] <= date < _YEARS[1]:
        order += ", which may be of another calendar"
    if example.replace(" ", "T") == date and not order:
        return learned, []
    return learned, [f"{_shorten(example)} is read as {date}{order}"]


def _learn_numbers(values, counts, usual):
    """Return the format of numbers, None for codes, and notes on it."""
    codes = are_codes(values, counts)
    if codes is not None:
        return None, [codes]
    learned, guess = learn_numbers(values, counts, usual)
    limits = [(value, n) for value, n in zip(values, counts) if limit_of(value)]
    n_limits = int(sum(n for _, n in limits))
    signs = {value[0] if value[0] in "<>≤≥" else "+" for value, _ in limits}
    if len(signs) > 1 and 2 * n_limits > counts.sum():
        return None, []  # "<50" and "50+" are two categories
    if "+" in signs and any(value[-1:] == "-" for value in values):
        return None, []  # the grades "2+" and "2-"
    notes = []
    if guess:
        notes = [f"{_on_number(guess, learned)}, which is a guess"]
    else:
        some = [value for value in values[:1000] if plain_numbers([value]) is None]
        some += filter(is_code, values)
        read = [
            value
            for value in some
            if not limit_of(value) and not np.isnan(learned.parse([value])[0])
        ]
        notes = [_on_number(max(read, key=len), learned)] if read else []
        notes += _on_zeros(values, learned)
    rounded = list(filter(_ROUNDED.fullmatch, values))
    if 2 * len(rounded) > len(values):
        notes = [f"{rounded[0]!r} may be a code that a spreadsheet has rounded"]
    if limits:
        word = _shorten(limits[0][0])
        notes += [f"cells such as {word} are read as the limit ({n_limits})"]
    return learned, notes


def _on_zeros(values, learned):
    """Return a note on numbers such as "1.10" beside "1.2", which may be versions."""
    if len(values) > MAX_CODES and written_twice(values) is None:
        return []
    few = [value for value in values[:MAX_TRIED] if value.isascii()]
    sizes = {len(value.partition(".")[2]) for value in few}
    padded = [value for value in few if re.fullmatch(r"\d+\.\d+0", value)]
    if learned.decimal == "." and padded and len(sizes - {0}) > 1:
        return [f"{padded[0]!r} is read as {float(padded[0]):g}"]
    return []


def _on_number(string, learned):
    return f"{_shorten(string)} is read as {learned.parse([string])[0]:.10g}"


def _numeric_dates(values, name):
    """Return the format of strings that are dates as numbers, None if none are."""
    numbers = NumberFormat().parse(values)
    return learn_numeric_dates(numbers[~np.isnan(numbers)], name)


def _is_of_the_kind(numbers, unread):
    """Return whether a column is one of numbers or dates, apart from some words."""
    known = numbers[~np.isnan(numbers)]
    n_words = sum(n for word, n in unread.items() if not is_marker(word))
    are_few = sum(unread.values()) <= _MAX_SHARE_MARKED * len(numbers)
    odd = [word for word in unread if not (is_marker if are_few else is_sign)(word)]
    # Single letters stand beside measured numbers: T for a trace, x for a secret.
    are_letters = are_few and max(map(len, odd), default=0) <= 1 and (known % 1).any()
    if len(known) == 0 or not odd or are_letters:
        return len(known) > 0
    is_most = len(known) >= MIN_SHARE_READ * (len(known) + n_words)
    return is_most and len(np.unique(known)) >= MIN_DISTINCT_READ


def _doubt(values, numbers, unread, kind):
    """Return why a column is none of numbers or dates, if many cells are, in a list."""
    units = mixed_units(values[:MAX_TRIED]) if kind == NUMBER else None
    if units:
        reason = f"the units {units[0]!r} and {units[1]!r} do not convert"
        return [Decision(CATEGORY, reason, NUMBER)]
    if (~np.isnan(numbers)).mean() < _MIN_SHARE_TOLD:
        return []
    word = _shorten(next(iter(unread)))
    n = sum(unread.values())
    return [Decision(CATEGORY, f"{kind}s, but also words such as {word} ({n})", kind)]


def _on_unread(unread):
    """Return a note on the cells that are no numbers or dates, or ""."""
    if not unread:
        return ""
    word = _shorten(next(iter(unread)))
    return f"cells such as {word} become missing ({sum(unread.values())})"


def _on_spellings(values, spelling):
    """Return which spelling is read as another, or may be meant as it; or ""."""
    values = list(values)
    for value in values:
        usual = usual_of(value, spelling)
        if usual != value:
            return f"{_shorten(value)} is read as {_shorten(usual)}"
    first = {}
    for value in values:
        other = first.setdefault(nearly(value), value)
        if other != value:
            return f"{_shorten(other)} and {_shorten(value)} may be one category"
    return ""


def _joined(*notes):
    return "; ".join(filter(None, notes))


def _shorten(text):
    text = repr(label_of(str(text)))
    return text if len(text) <= 24 else text[:21] + "...'"


def _decide_as_given(cells, name, kind):
    """Return the decision on a column whose kind is given, and its cells."""
    if kind not in (NUMBER, DATE, DATETIME):
        return Decision(kind, "as given"), cells
    learned = _learn_number(cells) if kind == NUMBER else _learn_date(cells, name)
    numbers, unread = cells.read(learned)
    if unread and np.isnan(numbers).all():
        advice = "" if kind == NUMBER else " Write dates as YYYY-MM-DD."
        raise ValueError(
            f"Column {name!r} is given as {kind!r}, but none of its cells can be read "
            f"as one, for example {next(iter(unread))!r:.40}.{advice}"
        )
    learned = replace(learned, words=tuple(unread))
    reason = _joined("as given", _on_unread(unread))
    read = Cells(numbers, NUMBERS if kind == NUMBER else DATES)
    return Decision(kind, reason, format=learned), read


def _learn_number(cells):
    if cells.holds == STRINGS:
        return learn_numbers(*cells.distinct_strings(), cells.decimal)[0]
    return NumberFormat(family=DATES) if cells.holds == DATES else _typed_format(cells)


def _learn_date(cells, name):
    if cells.holds == STRINGS:
        values, counts = cells.distinct_strings()
        found = learn_dates(values, counts, name)[0], _numeric_dates(values, name)
        return max(
            filter(None, [*found, DateFormat()]),
            key=lambda learned: counts @ ~np.isnan(learned.parse(values)),
        )
    known = cells.cells[~np.isnan(cells.cells)]
    learned = learn_numeric_dates(known, name) if cells.holds == NUMBERS else None
    return learned or DateFormat(number=DAYS)
