"""Turn measured rows into the report on the terminal and the page in ``doc/``."""

from itertools import groupby

from benchmarks._machine import describe

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

Each row is one piece of work done by this package and by a named peer, in turns, in one
process and with one job each, unless the row says otherwise. Times are medians, and
*measured* is the peer's time over ours. *Growth* is the exponent b of time ~ rows to
the power b on our side, over once, twice and four times the rows. *Memory* is the peak
each side held above its input (ours / the peer's), beside the size of that input.
*Answers* puts the quality of both side by side (ours / the peer's), so that no speed is
bought with a worse model.
"""

EMPTY = """
Nothing has been measured yet: `python -m benchmarks` fills this page.
"""


def seconds(value):
    """Return a duration with three significant digits and a unit that suits it."""
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def mebibytes(value):
    """Return a size in MiB; fractions only where they matter."""
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


def verdict(row):
    """Return the sentence on the answers of both sides."""
    return row["answers"] + ("" if row["agrees"] else " (ours is worse)")


def terminal(name, row):
    """Return one row for the terminal, a line a fact."""
    facts = [*zip(HEADER, cells(row)), ("answers", verdict(row))]
    return "\n".join([name, *(f"  {label:9}{fact}" for label, fact in facts)])


def markdown_table(rows):
    """Return the Markdown table of some rows."""
    header = [*HEADER, "answers", "date"]
    lines = [header, ["---"] * len(header)]
    lines += [[*cells(row), verdict(row), row["date"]] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def machine(row):
    """Return the machine of one row as text."""
    return describe(row["machine"])


def page(results):
    """Return the page for `results`: rows by name.

    A partial run leaves the other rows as they were, so rows may come from different
    machines or versions: there is one table for each.
    """
    by_machine = sorted(results.values(), key=machine)
    sections = [
        f"\nMeasured on {facts}:\n\n{markdown_table(rows)}"
        for facts, rows in groupby(by_machine, key=machine)
    ]
    return INTRODUCTION + ("".join(sections) or EMPTY)
