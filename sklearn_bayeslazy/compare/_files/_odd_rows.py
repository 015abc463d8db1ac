"""Finds rows of a file that are no data: repeated headers, units, totals, remarks."""

import re
from functools import partial

import numpy as np
import pandas as pd

from ...tabular.cleaning import MISSING_AMONG_NUMBERS, MISSING_WORDS
from .._formatting import with_count
from ._text_layout import COMMENT, MAX_LINES, is_number

TEXT = pd.StringDtype("pyarrow")
TOTALS = [
    "total",
    "totals",
    "sum",
    "average",
    "mean",
    "gesamt",
    "summe",
    "gesamtergebnis",
    "gesamtsumme",
    "mittelwert",
    "durchschnitt",
    "somme",
    "moyenne",
    "totale",
    "totaal",
    "gemiddelde",
    "media",
    "promedio",
    "grand total",
    "total général",
]
UNIT_SIGNS = ("°", "%", "µ", "€", "$", "£", "‰")
# What tells a remark below the table from a row with one cell.
REMARK = re.compile(r"[(*]|\S.*: ")
BLANKS = " \t\r\n\ufeff"  # the last begins files, also joined ones
MAX_SHARE_OF_COMMENTS = 0.05


def without_odd_rows(frame, n_rows, kind, keeps_all):
    """Return the rows that are data, and sentences on those that are left out."""
    # n_rows: in the file, of which the frame may be a sample. kind: "text", "sheet" or
    # "" for files in which people write no lines. keeps_all: see `read_file`.
    has_more, notes, left_out = kind and not keeps_all, [], set()
    finders = [
        (partial(_rows_where, holds=_are_names), "repeat the names of the columns")
    ]
    if has_more and frame.shape[1] > 1:
        finders.append((partial(_rows_where, holds=_are_blank), "hold no cell"))
    if has_more and kind == "text":
        finders.append((_are_comments, f"begin with {COMMENT!r}"))
    for find, what in finders:
        are_found = find(frame)
        if n_found := int(are_found.sum()):
            notes.append(f"{with_count(n_found, 'row')} that {what}: left out")
            left_out |= set(frame.index[are_found])
            frame = frame[~are_found]
    if keeps_all or frame.empty:
        return frame, notes
    end = _end(n_rows, left_out)
    while has_more and _is_remark(frame, end):
        notes.append(f"the text below the table left out: {frame.iat[-1, 0]!r:.60}")
        frame, end = frame[:-1], _end(end - 1, left_out)
    if _is_total(frame, end):
        notes.append("the last row holds totals: left out")
        frame = frame[:-1]
    if has_more and _has_units(frame):
        shown = ", ".join(map(str, frame.iloc[0].dropna()))
        notes.append(
            f"the row below the header holds no numbers: {shown!r:.60} left out"
        )
        frame = frame[1:]
    return frame, notes


def _end(n_rows, left_out):
    """Return the number of rows up to the last that is not left out."""
    while n_rows - 1 in left_out:
        n_rows -= 1
    return n_rows


def _rows_where(frame, holds):
    """Return the rows of which holds(name, cells) is true in every column."""
    found = np.ones(len(frame), dtype=bool)
    for name, cells in frame.items():
        if not found.any():
            break
        found[found] = holds(name, cells[found])
    return found


def _are_names(name, cells):
    """Return which cells repeat the name of their column, as between joined files."""
    return [isinstance(cell, str) and cell.strip(BLANKS) == name for cell in cells]


def _are_blank(_, cells):
    """Return which cells are empty, as in rows of delimiters alone."""
    if cells.dtype == TEXT:
        cells = cells.where(cells.str.strip(BLANKS) != "")
    return cells.isna()


def _has_units(frame):
    """Return whether the first row of a file holds words above numbers."""
    # Above one column of numbers beside names it may be a row with an odd cell.
    if len(frame) < 3 or frame.index[0] != 0:
        return False
    n_units = n_names = 0
    for _, (first, *cells) in frame[:MAX_LINES].items():
        known = [str(cell) for cell in cells if pd.notna(cell)]
        known = [cell for cell in known if cell not in MISSING_WORDS]
        if pd.isna(first):
            continue
        if known and all(map(is_number, known)):
            if not _is_unit(first):
                return False
            n_units += 1
        elif not isinstance(first, str) or first in known:
            return False
        else:
            n_names += 2 * len(set(known)) > len(known)
    return n_units > (n_names > 0)


def _is_unit(cell):
    """Return whether a cell is a word that stands for no number."""
    if not isinstance(cell, str) or cell in MISSING_WORDS or is_number(cell):
        return False
    word = cell.strip(" ()[]")
    is_word = word[:1].isalpha() or word[:1] in UNIT_SIGNS
    return is_word and word.casefold() not in MISSING_AMONG_NUMBERS


def _is_remark(frame, n_rows):
    """Return whether the last row of a file is a text below the table."""
    if len(frame) < 2 or frame.index[-1] != n_rows - 1:
        return False
    text, *others = frame.iloc[-1]
    if not isinstance(text, str) or pd.notna(others).any() or not others:
        return False
    are_rows = frame.iloc[:, 1:].notna().any(axis=1)
    above = frame.iloc[:, 0][are_rows].dropna().astype(TEXT)
    return bool(REMARK.match(text)) and not above.str.match(REMARK.pattern).any()


def _are_comments(frame):
    """Return which rows are comments with the width of the table, if they are few."""
    first = frame.iloc[:, 0].astype(TEXT).str
    is_comment = first.startswith(f"{COMMENT} ", na=False).to_numpy(dtype=bool)
    n_max = max(1, MAX_SHARE_OF_COMMENTS * len(frame))
    # Otherwise the sign is one of the cells of the column.
    return is_comment & (first.startswith(COMMENT, na=False).sum() <= n_max)


def _is_total(frame, n_rows):
    """Return whether the last row of a file sums up the others."""
    last = frame.iloc[-1].dropna()
    is_last = len(frame) > 1 and frame.index[-1] == n_rows - 1
    if not is_last or last.empty or not isinstance(last.iloc[0], str):
        return False
    if last.iloc[0].strip(" :").casefold() not in TOTALS:
        return False
    words = frame[last.index[0]].iloc[:-1].astype(str).str.strip(" :").str.casefold()
    if words.isin(TOTALS).any():
        return False
    # "Total" may be a category too. Totals leave cells empty, or are sums of several.
    numbers = frame[last.index[1:]].apply(pd.to_numeric, errors="coerce").astype(float)
    above, total = numbers.iloc[:-1], numbers.iloc[-1]
    are_sums = np.isclose(above.sum(), total) & (above.abs().max() < total.abs())
    # Means are rounded.
    are_means = np.isclose(above.mean(), total, rtol=0.01)[total.notna()]
    are_means = are_means.any() and are_means.all()
    return len(last) < frame.shape[1] or bool(are_sums.any() or are_means)
