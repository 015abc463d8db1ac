"""Finds rows of a file that are no data: repeated headers, units, totals, remarks."""

import re
from functools import partial
from itertools import takewhile

import numpy as np
import pandas as pd

from ...tabular.cleaning import MISSING_AMONG_NUMBERS, MISSING_WORDS, learn_numbers
from .._formatting import left_out
from ._text_layout import COMMENT, MAX_LINES, is_number

TEXT = pd.StringDtype("pyarrow")
# The star is of SAP.
TOTALS = re.compile(
    r"\*|(?:grand )?totals?(?:: .*)?|total général|totale|totaal|total general|sum"
    r"|summe|summa|overall|insgesamt|gesamt(?:ergebnis|summe)?|somme|suma|razem|celkem|toplam|итого|всего|σύνολο|合計"
    r"|总计|average|mean|mittelwert|durchschnitt|moyenne|gemiddelde|media|promedio",
    re.IGNORECASE,
)
# Excel writes "Oslo Total", "Oslo Ergebnis" and "Total Oslo" below the rows of Oslo.
_OF_CATEGORIES = r"(?i)^totale? (?:for )?| (?:totale?|ergebnis|итог|suma|somme)$"
MAX_TOTALS = 3  # rows, such as a sum above a mean
UNIT_SIGNS = ("°", "%", "µ", "€", "$", "£", "‰", "#", "/", "10^", "x10")
# What tells a remark below the table from a row with one cell: a colon, or three words.
REMARK = re.compile(r"[(*]|\S.*: |\S+ \S+ \S")
# What databases print below a table; blanks between cells divide it too.
N_ROWS = re.compile(
    r"\(?\d+ (?:rows?|records?(?:\(s\))?) (?:selected|affected|in set)"
    r"|(?:SQL|mysql|sqlite|hive)> |Elapsed: "
)
_UNDERLINE = "-{2,}|={2,}"
_BEGINS_DATE = re.compile(r"\d+[-/.:]\d")
BLANKS = " \t\r\n\ufeff"  # the last begins files, also joined ones
MAX_SHARE_OF_COMMENTS = 0.05


def without_odd_rows(frame, n_rows, kind, keeps_all):
    """Return the rows that are data, and sentences on those that are left out."""
    # n_rows: in the file, of which the frame may be a sample. kind: "text", "sheet" or
    # "" for files in which people write no lines. keeps_all: see `read_file`.
    has_more, notes, gone = kind and not keeps_all, [], set()
    finders = [
        (partial(_rows_where, holds=_are_names), "with the names of the columns")
    ]
    if has_more and frame.shape[1] > 1:
        finders.append((partial(_rows_where, holds=_are_blank), "without a cell"))
    if has_more:
        finders.append((_are_subtotals, "of totals of a category"))
    if has_more and kind == "text":
        finders.append((_are_comments, f"that begin with {COMMENT!r}"))
    for find, what in finders:
        are_found = find(frame)
        if n_found := int(are_found.sum()):
            notes.append(left_out(n_found, "row", what))
            gone |= set(frame.index[are_found])
            frame = frame[~are_found]
    if keeps_all or frame.empty:
        return frame, notes
    end = _end(n_rows, gone)
    while has_more and _is_remark(frame, end):
        shown = ", ".join(str(cell).strip() for cell in frame.iloc[-1].dropna())
        notes.append(left_out(1, "row", "below the table", shown))
        frame, end = frame[:-1], _end(end - 1, gone)
    if n_totals := _count_totals(frame, end):
        notes.append(left_out(n_totals, "row", "of totals at the end"))
        frame = frame[:-n_totals]
    if frame.index[0] == 0 and _is_total(_known(frame[:1]), frame[1:]):
        notes.append(left_out(1, "row", "of totals at the top"))
        frame = frame[1:]
    if has_more and (n_units := _count_units(frame)):
        shown = ", ".join(map(str, frame.iloc[0].dropna()))
        notes.append(
            left_out(n_units, "row", "without numbers below the header", shown)
        )
        frame = frame[n_units:]
    return frame, notes


def _end(n_rows, gone):
    """Return the number of rows up to the last that is not left out."""
    while n_rows - 1 in gone:
        n_rows -= 1
    return n_rows


def _rows_where(frame, holds):
    """Return the rows of which holds(name, cells) is true in every column."""
    found = np.ones(len(frame), dtype=bool)
    for name, cells in frame.items():
        found[found] = holds(name, cells[found])
    return found


def _are_names(name, cells):
    """Return which cells repeat the name of their column, or underline it."""
    # As between joined files, and on each page of a listing.
    if cells.dtype == TEXT:
        cells = cells.str.strip(BLANKS)
        are_lines = cells.str.fullmatch(_UNDERLINE)
        return ((cells == name) | are_lines).fillna(False)
    return [isinstance(cell, str) and cell.strip(BLANKS) == name for cell in cells]


def _are_blank(_, cells):
    """Return which cells are empty, as in rows of delimiters alone."""
    if cells.dtype == TEXT:
        cells = cells.where(cells.str.strip(BLANKS) != "")
    return cells.isna()


def _count_units(frame):
    """Return how many of the first two rows of a file hold words above numbers."""
    # Units, or what names mean: surveys have a row of questions, and one of keys. The
    # frame may be a sample.
    for n in (2, 1):
        n_first = int((frame.index < n).sum())
        below = frame[n_first:MAX_LINES]
        rows = [row for _, row in frame[:n_first].iterrows()]
        if rows and len(below) > 1 and all(_are_units(row, below) for row in rows):
            return n_first
    return 0


def _are_units(row, below):
    """Return whether a row holds words above numbers."""
    # Above one column of numbers beside names it may be a row with an odd cell.
    n_units = n_names = 0
    for first, (_, cells) in zip(row, below.items()):
        known = [str(cell) for cell in cells if pd.notna(cell)]
        known = [cell for cell in known if cell not in MISSING_WORDS]
        if pd.isna(first) or str(first) == "1":  # of a share
            continue
        if known and all(is_number(cell) or _BEGINS_DATE.match(cell) for cell in known):
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
    word = cell.strip(' ()[]{}"')
    is_word = word[:1].isalpha() or word.startswith(UNIT_SIGNS)
    return is_word and word.casefold() not in MISSING_AMONG_NUMBERS


def _is_remark(frame, n_rows):
    """Return whether the last row of a file is a text below the table."""
    if len(frame) < 2 or frame.index[-1] != n_rows - 1 or frame.shape[1] == 1:
        return False
    text, *others = frame.iloc[-1]
    if N_ROWS.match(" ".join(map(str, frame.iloc[-1].dropna()))):
        return True
    if not isinstance(text, str) or not REMARK.match(text):
        return False
    are_rows = frame.iloc[:-1, 1:].notna().any(axis=1)
    above = frame.iloc[:-1, 0][are_rows].dropna().astype(TEXT)
    if above.str.match(REMARK.pattern).any():
        return False
    # Delimiters within the text have cut it: few of the cells fit the columns.
    some = frame.iloc[-1 - MAX_LINES : -1, 1:]
    fits = [
        pd.notna(cell) and (_is_of_numbers(cell) or not all(map(_is_of_numbers, cells)))
        for cell, (_, cells) in zip(others, some.items())
    ]
    return 2 * sum(fits) < len(fits)


def _is_of_numbers(cell):
    """Return whether a column of numbers may hold a cell."""
    return pd.isna(cell) or str(cell) in MISSING_WORDS or is_number(str(cell))


def _are_comments(frame):
    """Return which rows are comments with the width of the table, if they are few."""
    first = frame.iloc[:, 0].astype(TEXT).str
    is_comment = first.startswith(f"{COMMENT} ", na=False).to_numpy(dtype=bool)
    n_max = max(1, MAX_SHARE_OF_COMMENTS * len(frame))
    # Otherwise the sign is one of the cells of the column.
    return is_comment & (first.startswith(COMMENT, na=False).sum() <= n_max)


def _are_subtotals(frame):
    """Return which rows begin with a category and a word for totals, as of pivots."""
    cells = frame.iloc[:, 0].astype(TEXT).str.strip(BLANKS)
    found = cells.str.contains(_OF_CATEGORIES, na=False).to_numpy(dtype=bool)
    if found.any():
        names = cells[found].str.replace(_OF_CATEGORIES, "", regex=True)
        found[found] = names.isin(cells) & (frame.shape[1] > 1)
    return found


def _count_totals(frame, n_rows):
    """Return how many of the last rows of a file sum up the others."""
    if frame.index[-1] != n_rows - 1:
        return 0
    last = [_known(frame.iloc[[-k]]) for k in range(1, min(MAX_TOTALS, len(frame)) + 1)]
    of_totals = list(takewhile(_begins_with_total, last))
    table = frame[: len(frame) - len(of_totals)]
    if not of_totals:
        return int(len(frame) > MAX_TOTALS and _are_sums(last[0], frame[:-1]))
    return len(of_totals) * all(_is_total(row, table) for row in of_totals)


def _known(row):
    """Return the cells of a frame of one row that are not blank."""
    return row.astype(object).replace(r"^\s*$", np.nan, regex=True).iloc[0].dropna()


def _are_sums(row, table):
    """Return whether all cells of a row that has no name are sums of the others."""
    if not 0 < len(row) < table.shape[1] or row.index[0] == table.columns[0]:
        return False
    above, total = _numbers(row, table)
    are_large = above.abs().max() < total.abs()
    return bool(np.isclose(above.sum(), total).all() and are_large.all())


def _numbers(row, table):
    """Return the numbers of a table in the columns of a row, and those of the row."""
    above, total = {}, {}
    for name, cell in row.items():
        strings = table[name].dropna().astype(str).tolist()
        learned, _ = learn_numbers(list(dict.fromkeys(strings)))
        above[name] = pd.Series(learned.parse(strings))
        total[name] = learned.parse([str(cell)])[0]
    return pd.DataFrame(above), pd.Series(total, dtype=float)


def _begins_with_total(row):
    first = row.iloc[0] if len(row) else None
    return isinstance(first, str) and TOTALS.fullmatch(first.strip(" :")) is not None


def _is_total(row, table):
    """Return whether a row begins with a word for totals, and sums up a table."""
    if table.empty or not _begins_with_total(row):
        return False
    names = table[row.index[0]].dropna().astype(str).str.strip(" :")
    if any(map(TOTALS.fullmatch, names)):
        return False
    # "Total" may be a category too. Totals leave cells empty, or are sums of several.
    above, total = _numbers(row[1:], table)
    are_sums = np.isclose(above.sum(), total) & (above.abs().max() < total.abs())
    # Means are rounded.
    are_means = np.isclose(above.mean(), total, rtol=0.01)[total.notna()]
    are_means = are_means.any() and are_means.all()
    return len(row) < table.shape[1] or bool(are_sums.any() or are_means)
