"""Formats a table, a comparison and its progress for the terminal.

`LiveTable` prints the results of each learner as it finishes. `printable`, `shorten`
and `width` make names safe to print, cut them, and measure them.
"""

import shutil
import textwrap
import unicodedata

from tqdm import tqdm

from ._formatting import format_duration, format_mean_std, format_percent, with_count
from ._learners import BAYESLAZY
from ._metrics import TASK_METRICS
from ._summary import (
    describe_decision,
    describe_kind,
    describe_method,
    describe_target,
    describe_ties,
    describe_winner,
    remarks,
    result_cells,
)

MAX_SHOWN_COLUMNS = 40
MAX_NAME_LENGTH = 32
MAX_LINE_WIDTH = 88
MIN_LAST_COLUMN_WIDTH = 24
# The (columns, lines) that are assumed if the output is not a terminal.
PIPED_SIZE = (120, 24)
COLUMN_GAP = "  "
# Of `LiveTable`, after the names: the two metrics of each task, folds, time.
LIVE_COLUMN_WIDTHS = (16, 16, 6, 8)


def describe_table(table):
    """Return the size of the table, its target, and the kind of each column."""
    n_rows, n_columns = table.X.shape
    size = f"{with_count(n_rows, 'row')}, {with_count(n_columns, 'column')}"
    lines = [
        f"table   {printable(table.source)}: {size}",
        f"target  {printable(table.target)}: {printable(describe_target(table))}",
    ]
    lines += [f"note    {printable(note)}" for note in table.notes]
    if table.task_inferred:
        lines.append("        (inferred from the values; set --task to change it)")
    if table.n_dropped:
        were = "was" if table.n_dropped == 1 else "were"
        dropped = with_count(table.n_dropped, "row")
        lines.append(f"        {dropped} without a target {were} left out")
    # Of many columns, those with a decision are shown first.
    columns = list(table.columns)
    if len(columns) > MAX_SHOWN_COLUMNS:
        columns.sort(key=lambda column: not column.reason)
    shown = columns[:MAX_SHOWN_COLUMNS]
    lines += [
        "",
        *_column_lines(shown),
    ]
    if len(table.columns) > len(shown):
        more = with_count(len(columns) - len(shown), "more column")
        lines.append(f"... and {more}")
    return "\n".join(lines)


def _column_lines(columns):
    """Return the table of columns; decisions are shown where there are any."""
    cells = [
        [
            column.name,
            describe_kind(column),
            str(column.n_distinct),
            format_percent(column.missing),
            describe_decision(column),
        ]
        for column in columns
    ]
    header, sides = ["column", "kind", "distinct", "missing", "decision"], "llrrl"
    # The last column, of the decisions, is left out if all its cells are empty.
    n = len(header) if any(row[-1] for row in cells) else len(header) - 1
    return align(header[:n], [row[:n] for row in cells], sides[:n])


def describe_comparison(comparison):
    """Return the ranking and the winner's scores on the held-out part."""
    header, rows = result_cells(comparison)
    ours = [outcome.learner.package == BAYESLAZY for outcome in comparison.outcomes]
    # A star before the name stands for the package, whose column would be wide.
    rows = [
        [("* " if is_ours else "  ") + name, *rest]
        for is_ours, (name, _, *rest) in zip(ours, rows)
    ]
    lines = [
        *_fill(describe_method(comparison), *remarks(comparison)),
        "",
        *align(["  " + header[0], *header[2:]], rows, "llrrrrl"),
        *(["", f"* {BAYESLAZY}"] if any(ours) else []),
        "",
    ]
    warned = [o.learner.name for o in comparison.outcomes if o.warnings]
    if warned:
        names = "; ".join(warned)
        lines += _fill(f"Learners with warnings (--report shows them): {names}.")
    ending = [describe_ties(comparison), describe_winner(comparison)]
    return "\n".join(lines + _fill(*filter(None, ending)))


class LiveTable:
    """Prints a line for each learner as it finishes; observes :func:`compare`."""

    def __init__(self, table, learners, show_bar):
        # show_bar: whether a bar shows which learner runs, and the time that is left.
        self._n = len(learners)
        self._metrics = TASK_METRICS[table.task]
        names = [shorten(printable(learner.name)) for learner in learners]
        self._widths = [max(map(width, ["  learner", *("  " + n for n in names)]))]
        self._widths += LIVE_COLUMN_WIDTHS
        self._bar = tqdm(
            total=self._n, disable=not show_bar, leave=False, bar_format="{desc}"
        )
        self._is_first = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._bar.close()

    def started(self, learner, n_left, seconds_left):
        """Show the learner that starts, and the time that the rest may take."""
        time = "" if seconds_left is None else f", at most {seconds_left:.0f} s left"
        done = self._n - n_left
        name = shorten(printable(learner.name))
        self._bar.set_description_str(f"{done}/{self._n} {name}{time}")

    def finished(self, outcome):
        """Print the results of a learner."""
        if self._is_first:
            names = [metric.name for metric in self._metrics]
            self._print(["  learner", *names, "folds", "time"])
            self._is_first = False
        mark = "* " if outcome.learner.package == BAYESLAZY else "  "
        name = mark + shorten(printable(outcome.learner.name))
        if outcome.failure:
            self._write(f"{name}: failed: {printable(outcome.failure)}")
            return
        scores = [format_mean_std(column) for column in outcome.scores.T]
        time = format_duration(outcome.seconds)
        self._print([name, *scores, str(len(outcome.scores)), time])

    def _print(self, cells):
        self._write(_join(cells, self._widths, "lrrrr"))

    def _write(self, line):
        # tqdm moves its bar below the line.
        if self._bar.disable:
            print(line, flush=True)
        else:
            self._bar.write(line)


def align(header, rows, sides):
    """Return the lines of a header, a rule, and rows, with aligned columns."""
    # sides: one letter a column, "l" or "r". A cell that is too long for the last
    # column is wrapped there. If the terminal has no room for the last column, its
    # cells stand below their rows.
    rows = [
        [*(shorten(printable(cell)) for cell in row[:-1]), printable(row[-1])]
        for row in rows
    ]
    widths = [max(map(width, cells)) for cells in zip(header, *rows)]
    indent = sum(widths[:-1]) + len(COLUMN_GAP) * (len(widths) - 1)
    available = _terminal_width() - indent
    if widths[-1] > available and available < MIN_LAST_COLUMN_WIDTH:
        return _align_with_last_column_below(header, rows, sides, widths)
    widths[-1] = min(widths[-1], available)
    lines = [_join(header, widths, sides), _rule(widths)]
    for row in rows:
        first, *more = textwrap.wrap(row[-1], widths[-1]) or [""]
        lines.append(_join([*row[:-1], first], widths, sides))
        lines += [" " * indent + part for part in more]
    return lines


def _align_with_last_column_below(header, rows, sides, widths):
    lines = [_join(header[:-1], widths, sides), _rule(widths[:-1])]
    for *cells, last in rows:
        lines.append(_join(cells, widths, sides))
        lines += _fill(last, indent="    ") if last else []
    return lines


def _fill(*sentences, indent=""):
    """Wrap each sentence to the width of the terminal."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(
            printable(sentence),
            min(_terminal_width(), MAX_LINE_WIDTH),
            initial_indent=indent,
            subsequent_indent=indent,
        )
    ]


def _terminal_width():
    return shutil.get_terminal_size(PIPED_SIZE).columns


def _rule(widths):
    return COLUMN_GAP.join("-" * w for w in widths)


def _join(cells, widths, sides):
    padded = []
    for cell, column_width, side in zip(cells, widths, sides):
        spaces = " " * (column_width - width(cell))
        padded.append(spaces + cell if side == "r" else cell + spaces)
    return COLUMN_GAP.join(padded).rstrip()


def printable(text):
    """Replace control characters, which could move the cursor or break a line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shorten(text):
    """Cut a name to `MAX_NAME_LENGTH` characters."""
    return text if len(text) <= MAX_NAME_LENGTH else text[: MAX_NAME_LENGTH - 1] + "…"


def width(text):
    """Return the number of columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
