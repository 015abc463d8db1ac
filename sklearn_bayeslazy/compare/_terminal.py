"""Prints a table, a comparison and its progress on the terminal, by rich.

`LiveTable` prints the results of each learner as it finishes.
"""

import os
import sys

from rich.cells import set_cell_size
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from ._formatting import format_duration, format_mean_std, format_percent, with_count
from ._learners import BAYESLAZY
from ._summary import (
    describe_decision,
    describe_kind,
    describe_method,
    describe_target,
    describe_ties,
    describe_winner,
    remarks,
    standing,
)

MAX_SHOWN_COLUMNS = 40
MAX_NAME_LENGTH = 32
MAX_LINE_WIDTH = 88
# The columns that are assumed if the output is not a terminal.
PIPED_WIDTH = 120
# Of `LiveTable`, after the names: two metrics, folds, time.
LIVE_COLUMN_WIDTHS = (20, 16, 6, 8)


def make_console():
    """Return a console for the standard output, which prints text as it is."""
    is_piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(
        width=PIPED_WIDTH if is_piped else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _render(*parts):
    console = make_console()
    with console.capture() as capture:
        for part in parts:
            is_text = isinstance(part, str)
            width = min(MAX_LINE_WIDTH, console.width) if is_text else None
            console.print(printable(part) if is_text else part, width=width)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def describe_table(table):
    """Return the size of the table, its target, and the kind of each column."""
    n_rows, n_columns = table.X.shape
    size = f"{with_count(n_rows, 'row')}, {with_count(n_columns, 'column')}"
    facts = [
        ("table", f"{table.source}: {size}"),
        ("target", f"{table.target}: {describe_target(table)}"),
    ]
    if table.task_inferred:
        facts.append(("", "(inferred from the values; set --task to change it)"))
    if table.n_dropped:
        were = "was" if table.n_dropped == 1 else "were"
        dropped = with_count(table.n_dropped, "row")
        facts.append(("", f"{dropped} without a target {were} left out"))
    facts += [("note", note) for note in table.notes]
    lines = Table.grid(padding=(0, 2))
    for cells in facts:
        lines.add_row(*map(_text, cells))
    # Of many columns, those with a decision are shown first.
    columns = list(table.columns)
    if len(columns) > MAX_SHOWN_COLUMNS:
        columns.sort(key=lambda column: not column.reason)
    shown = _columns(columns[:MAX_SHOWN_COLUMNS])
    n_more = len(columns) - MAX_SHOWN_COLUMNS
    more = [f"... and {with_count(n_more, 'more column')}"] if n_more > 0 else []
    return _render(lines, "", shown, *more)


def _columns(columns):
    table = _table("column", "kind", ">distinct", ">missing", "decision")
    for column in columns:
        table.add_row(
            _text(shorten(column.name)),
            describe_kind(column),
            str(column.n_distinct),
            format_percent(column.missing),
            _text(describe_decision(column)),
        )
    return table


def _table(*header):
    """Return a table without a frame; a name that begins with > is a right column."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        side = "right" if name.startswith(">") else "left"
        is_last = name == header[-1]
        table.add_column(name.removeprefix(">"), justify=side, no_wrap=not is_last)
    return table


def _text(text):
    return Text(printable(text), overflow="fold")


def describe_comparison(comparison):
    """Return the ranking and the winner's scores on the held-out part."""
    names = [f">{metric.name}" for metric in comparison.metrics]
    table = _table("  learner", "", *names, ">fit", ">predict", "chosen parameters")
    for outcome in comparison.outcomes:
        name = _marked(outcome)
        if outcome.failure:
            none = ["-"] * (len(names) + 2)
            table.add_row(name, "", *none, _text(f"failed: {outcome.failure}"))
            continue
        table.add_row(
            name,
            standing(outcome, comparison),
            *map(format_mean_std, outcome.scores.T),
            format_duration(outcome.fit_seconds),
            format_duration(outcome.predict_seconds),
            _text(outcome.chosen_parameters),
            style="bold" if outcome is comparison.winner else None,
        )
    ours = any(one.learner.package == BAYESLAZY for one in comparison.outcomes)
    warned = "; ".join(o.learner.name for o in comparison.outcomes if o.warnings)
    ending = [
        f"Learners with warnings (--report shows them): {warned}." if warned else "",
        describe_ties(comparison),
        describe_winner(comparison),
    ]
    return _render(
        describe_method(comparison),
        *remarks(comparison),
        "",
        table,
        *(["", f"* {BAYESLAZY}"] if ours else []),
        "",
        *filter(None, ending),
    )


def _marked(outcome):
    """Return the name of a learner, with a star if it is of this package."""
    mark = "* " if outcome.learner.package == BAYESLAZY else "  "
    return _text(mark + shorten(outcome.learner.name))


class LiveTable:
    """Prints a line for each learner as it finishes; observes :func:`compare`."""

    def __init__(self, metrics, learners, show_bar, console=None):
        # show_bar: whether a line shows which learner runs, and the time that is left.
        self._n, self._metrics = len(learners), metrics
        self._console = console or make_console()
        names = [Text(shorten(printable(learner.name))) for learner in learners]
        self._name_width = max(9, *(2 + name.cell_len for name in names))
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=not show_bar,
        )
        self._task = self._progress.add_task("", total=self._n)
        self._is_first = True

    def __enter__(self):
        self._progress.start()
        return self

    def __exit__(self, *error):
        self._progress.stop()

    def started(self, learner, n_left, seconds_left):
        """Show the learner that starts, and the time that the rest may take."""
        time = "" if seconds_left is None else f", at most {seconds_left:.0f} s left"
        done = self._n - n_left
        name = shorten(printable(learner.name))
        shown = f"{done}/{self._n} {name}{time}"
        self._progress.update(self._task, description=shown, refresh=True)

    def finished(self, outcome):
        """Print the results of a learner."""
        if self._is_first:
            names = [metric.name for metric in self._metrics]
            self._print(["  learner", *names, "folds", "time"])
            self._is_first = False
        name = _marked(outcome)
        if outcome.failure:
            self._console.print(name + printable(f": failed: {outcome.failure}"))
            return
        scores = [format_mean_std(column) for column in outcome.scores.T]
        time = format_duration(outcome.seconds)
        self._print([name, *scores, str(len(outcome.scores)), time])

    def _print(self, cells):
        name, *others = cells
        row = [set_cell_size(str(name), self._name_width)]
        row += [cell.rjust(width) for cell, width in zip(others, LIVE_COLUMN_WIDTHS)]
        self._console.print("  ".join(row))
        self._console.file.flush()


def printable(text):
    """Replace control characters, which could move the cursor or break a line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shorten(text):
    """Cut a name to `MAX_NAME_LENGTH` characters."""
    return text if len(text) <= MAX_NAME_LENGTH else text[: MAX_NAME_LENGTH - 1] + "…"
