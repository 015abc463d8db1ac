"""Shows a table and a comparison on a terminal."""

import shutil
import textwrap
import unicodedata

from ._learners import OURS
from ._numbers import counted, percent
from ._words import (
    describe_kind,
    describe_target,
    method,
    remarks,
    result_cells,
    verdict,
)

MAX_COLUMNS = 40
MAX_NAME = 32
MAX_LINE = 88
MIN_LAST_COLUMN = 24
# Without a terminal (columns, lines): a file is read in a wide window.
PIPED_SIZE = (120, 24)
GAP = "  "


def describe_table(table):
    """Return what the table holds: rows, target, and the kind of each column."""
    rows, columns = table.X.shape
    size = f"{counted(rows, 'row')}, {counted(columns, 'column')}"
    lines = [
        f"table   {plain(table.source)}: {size}",
        f"target  {plain(table.target)}: {plain(describe_target(table))}",
    ]
    if table.task_guessed:
        lines.append("        (inferred from the values; --task decides otherwise)")
    if table.n_dropped:
        were = "was" if table.n_dropped == 1 else "were"
        dropped = counted(table.n_dropped, "row")
        lines.append(f"        {dropped} without a target {were} left out")
    shown = table.columns[:MAX_COLUMNS]
    lines += [
        "",
        *align(
            ["column", "kind", "distinct", "missing"],
            [
                [c.name, describe_kind(c), str(c.n_distinct), percent(c.missing)]
                for c in shown
            ],
            "llrr",
        ),
    ]
    if len(table.columns) > len(shown):
        more = counted(len(table.columns) - len(shown), "more column")
        lines.append(f"... and {more}")
    return "\n".join(lines)


def describe_comparison(comparison):
    """Return the ranking, then the winner's score on the held-out part."""
    header, rows = result_cells(comparison)
    ours = [outcome.learner.package == OURS for outcome in comparison.outcomes]
    # A star takes less room than a column for the package.
    rows = [
        [("* " if star else "  ") + name, *rest]
        for star, (name, _, *rest) in zip(ours, rows)
    ]
    lines = [
        *_fill(method(comparison), *remarks(comparison)),
        "",
        *align(["  " + header[0], *header[2:]], rows, "lrrrrl"),
        *(["", f"* of {OURS}"] if any(ours) else []),
        "",
    ]
    warned = [o.learner.name for o in comparison.outcomes if o.warnings]
    if warned:
        lines += _fill(f"Warnings held back, see --report: {'; '.join(warned)}.")
    return "\n".join(lines + _fill(verdict(comparison)))


def align(header, rows, sides):
    """Set cells in columns under a rule.

    What is too long for the last column goes on in it line by line, or below the row
    where the terminal leaves no room for a column.

    Parameters
    ----------
    header : list of str
    rows : list of list of str
    sides : str
        One letter a column, "l" or "r".

    Returns
    -------
    lines : list of str
    """
    rows = [[*(shorten(plain(c)) for c in row[:-1]), plain(row[-1])] for row in rows]
    widths = [max(map(width, cells)) for cells in zip(header, *rows)]
    before = sum(widths[:-1]) + len(GAP) * (len(widths) - 1)
    room = _terminal_width() - before
    if widths[-1] > room and room < MIN_LAST_COLUMN:
        return _align_above(header, rows, sides, widths)
    widths[-1] = min(widths[-1], room)
    lines = [_join(header, widths, sides), _rule(widths)]
    for row in rows:
        first, *more = textwrap.wrap(row[-1], widths[-1]) or [""]
        lines.append(_join([*row[:-1], first], widths, sides))
        lines += [" " * before + part for part in more]
    return lines


def _align_above(header, rows, sides, widths):
    lines = [_join(header[:-1], widths, sides), _rule(widths[:-1])]
    for *cells, last in rows:
        lines.append(_join(cells, widths, sides))
        lines += _fill(last, indent="    ") if last else []
    return lines


def _fill(*sentences, indent=""):
    """Break sentences into the lines of a paragraph each."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            plain(sentence),
            min(_terminal_width(), MAX_LINE),
            initial_indent=indent,
            subsequent_indent=indent,
        )
    ]


def _terminal_width():
    return shutil.get_terminal_size(PIPED_SIZE).columns


def _rule(widths):
    return GAP.join("-" * w for w in widths)


def _join(cells, widths, sides):
    padded = []
    for cell, wanted, side in zip(cells, widths, sides):
        blanks = " " * (wanted - width(cell))
        padded.append(blanks + cell if side == "r" else cell + blanks)
    return GAP.join(padded).rstrip()


def plain(text):
    """Replace what could move a terminal's cursor or break a line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shorten(text):
    """Cut a long name."""
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


def width(text):
    """Return the cells that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
