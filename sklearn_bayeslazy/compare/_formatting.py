"""Formats numbers and errors, the same on the terminal and in the report."""

import csv
import io
from contextlib import contextmanager
from shlex import quote

import numpy as np


def with_count(count, noun):
    """Return a count and its noun, in the plural unless the count is one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def left_out(count, noun, which, example=None):
    """Return a note on lines or rows that are left out, with the text of one."""
    shown = "" if example is None else f": {example.strip()!r:.60}"
    return f"{with_count(count, noun)} {which} left out{shown}"


def listed(names, most):
    """Return the first names in quotes, and dots for more."""
    return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most)


def first_line(message):
    """Return the first line of a message that is not blank, or ""."""
    return next(iter(str(message).strip().splitlines()), "")


def describe_error(error):
    """Return the type of an error and the first line of its message."""
    return f"{type(error).__name__}: {first_line(error)}".rstrip(": ")


@contextmanager
def explained(message, advice=""):
    """Raise an error of the block as a ValueError that says what could not be done."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{message} ({describe_error(error)}){advice}") from error


def format_percent(share):
    """Return a share in per cent: "" for 0, "all" for 1, never a rounded 0 or 100."""
    if share in (0, 1):
        return "" if share == 0 else "all"
    return "<1 %" if share < 0.01 else f"{min(99, round(100 * share))} %"


def format_mean_std(scores):
    """Return mean ± standard deviation over the folds, with the same decimals."""
    mean, deviation = np.mean(scores), np.std(scores, ddof=1)
    if not np.isfinite(mean):
        return "-"
    specification = _format_specification(mean)
    return f"{mean:{specification}} ± {deviation:{specification}}"


def format_number(value):
    """Return a score with about three significant digits."""
    return f"{value:{_format_specification(value)}}" if np.isfinite(value) else "-"


def _format_specification(value):
    size = abs(value)
    if 0 < size < 5e-4 or size >= 1e7:
        return ".2e"
    return ".3f" if size < 10 else ".1f" if size < 1e3 else ".0f"


def format_duration(seconds):
    """Return a time in µs, ms or s."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def option_with_names(option, names):
    """Return an option with names, as a shell reads it.

    >>> print(option_with_names("drop", ["id", "last, first"]))
    --drop 'id,"last, first"'
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(names)
    return f"--{option} {quote(stream.getvalue())}"
