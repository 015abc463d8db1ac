"""The page on speed and memory, and the same numbers for the terminal."""

from itertools import groupby

from benchmarks._machine import describe
from benchmarks._markdown import markdown_table

HEADER = (
    "work",
    "peer",
    "rows",
    "target",
    "measured",
    "ours",
    "peer's",
    "growth",
    "memory",
)

INTRODUCTION = """\
# Speed and memory

<!-- Written by `python -m benchmarks` from benchmarks.json; do not edit. -->

Each row is one task of this package and of a named peer. Both run alternately in one
process, with one thread unless the row names another number. Times are medians, and
*measured* is the peer's time divided by ours. *Growth* is our exponent b in time ~
rows^b, over once, twice and four times the rows. *Memory* is the peak of the memory
that each side allocated besides its input (ours / the peer's), and the size of the
input. *Answers* compares the quality of the results (ours / the peer's): a faster but
worse model would show there.
"""

EMPTY = """
Nothing has been measured yet; run `python -m benchmarks`.
"""


def seconds(value):
    """Return a duration with three significant digits, in ms or s."""
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def mebibytes(value):
    """Return a size in MiB, with one decimal below 10."""
    size = value / 2**20
    return f"{size:.1f}" if size < 10 else f"{size:.0f}"


def cells(row):
    """Return the cells of one row, in the order of `HEADER`."""
    return (
        row["work"],
        row["peer"],
        f"{row['rows']:,}",
        "none" if row["target"] is None else f"{row['target']:g}x",
        f"{row['ratio']:.3g}x" if row["ratio"] < 100 else f"{row['ratio']:.0f}x",
        seconds(row["our_seconds"]),
        seconds(row["peer_seconds"]),
        f"{row['exponent']:.2f}",
        f"{mebibytes(row['our_peak_bytes'])} / {mebibytes(row['peer_peak_bytes'])} MiB "
        f"(input {mebibytes(row['input_bytes'])})",
    )


def answers(row):
    """Return the comparison of the answers of both sides."""
    return row["answers"] + ("" if row["agrees"] else " (ours is worse)")


def format_case(name, row):
    """Return one row for the terminal, one fact a line."""
    facts = [*zip(HEADER, cells(row)), ("answers", answers(row))]
    return "\n".join([name, *(f"  {label:9}{fact}" for label, fact in facts)])


def machine(row):
    """Return the machine of one row as text."""
    return describe(row["machine"])


def render(results):
    """Return the page for `results`, a dict of rows.

    A partial run keeps the other rows, which may be from another machine or other
    versions. So there is one table for each machine.
    """
    header = [*HEADER, "answers", "date"]
    by_machine = sorted(results.values(), key=machine)
    sections = [
        f"\nMeasured on {facts}:\n"
        + markdown_table(
            header, [[*cells(row), answers(row), row["date"]] for row in rows]
        )
        for facts, rows in groupby(by_machine, key=machine)
    ]
    return INTRODUCTION + ("".join(sections) or EMPTY)
