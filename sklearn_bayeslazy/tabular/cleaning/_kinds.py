"""Decides what a column of a raw table is: its kind, and the reason in words."""

from dataclasses import dataclass

import numpy as np

from .._raw_columns import are_ids, is_free_text, is_id, is_zero_padded
from ._cells import parse_dates, parse_numbers

CATEGORY, NUMBER, DATE, DATETIME, TEXT, DROP = (
    "category",
    "number",
    "date",
    "datetime",
    "text",
    "drop",
)
KINDS = (CATEGORY, NUMBER, DATE, DATETIME, TEXT, DROP)
# A column of numbers may hold some words, such as "unknown", which become missing.
MIN_SHARE_OF_NUMBERS = 0.95
MIN_DISTINCT_NUMBERS = 10


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
    """

    kind: str
    reason: str = ""
    overruled_by: str | None = None


def decide_number(cells, name):
    """Return the decision on a column of numbers."""
    # cells: (n_rows,), NaN for missing.
    known = cells[~np.isnan(cells)]
    if len(known) == 0:
        return Decision(DROP, "no cell is known", NUMBER)
    if len(cells) > 1 and (known == known[0]).all():
        if len(known) == len(cells):
            return Decision(DROP, f"constant: {known[0]:g}", NUMBER)
        return Decision(NUMBER)  # whether the cell is known may be informative
    if is_id(known, len(cells), name):
        return Decision(DROP, "an id: whole numbers, each once", NUMBER)
    return Decision(NUMBER)


def decide_strings(values, counts, n_rows, name):
    """Return the decision on a column of strings."""
    # values: objects (n_values,), the distinct strings of the cells that are not
    # missing; counts: (n_values,), the number of cells of each.
    n_known = counts.sum()
    if n_known == 0:
        return Decision(DROP, "no cell is known", CATEGORY)
    if len(values) == 1 and n_rows > 1 and n_known == n_rows:
        return Decision(DROP, f"constant: {_shorten(values[0])}", CATEGORY)
    days = parse_dates(values)
    if np.isfinite(days).all():
        return date_decision(days, "written as " + _shorten(values[0]))
    padded = [value for value in values if is_zero_padded(value)]
    numbers = np.full(len(values), np.nan) if padded else parse_numbers(values)
    is_number = np.isfinite(numbers)
    if is_number.all():
        decision = decide_number(np.repeat(numbers, counts), name)
        if decision.kind == DROP:
            return decision
        return Decision(NUMBER, f"written as {_shorten(values[0])}", CATEGORY)
    if (
        counts[is_number].sum() >= MIN_SHARE_OF_NUMBERS * n_known
        and len(np.unique(numbers[is_number])) >= MIN_DISTINCT_NUMBERS
    ):
        word = _shorten(values[~is_number][0])
        return Decision(NUMBER, f"cells such as {word} become missing", CATEGORY)
    if is_free_text(np.repeat(values, counts)):
        return Decision(TEXT, "free text: several words a cell", CATEGORY)
    if are_ids(len(values), n_known):
        shares = "each once" if len(values) == n_known else "nearly each once"
        return Decision(DROP, f"an id: strings, {shares}", CATEGORY)
    if padded:
        reason = f"codes such as {_shorten(padded[0])}"
        return Decision(CATEGORY, f"{reason} begin with a zero", NUMBER)
    return Decision(CATEGORY)


def date_decision(days, reason):
    """Return the decision for dates: with the hour if some are not at midnight."""
    known = days[np.isfinite(days)]
    has_hours = bool((known != np.floor(known)).any())
    return Decision(DATETIME if has_hours else DATE, reason, CATEGORY)


def _shorten(text):
    text = repr(str(text))
    return text if len(text) <= 24 else text[:21] + "...'"
