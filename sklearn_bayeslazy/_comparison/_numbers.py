"""Says numbers in words, the same on the terminal and in the report."""

import numpy as np


def counted(count, noun):
    """Return a count with its noun, which takes an s unless there is one of it."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(share):
    """Return a share in per cent; some is never shown as none, nor most as all."""
    if share in (0, 1):
        return "" if share == 0 else "all"
    return "<1 %" if share < 0.01 else f"{min(99, round(100 * share))} %"


def with_spread(scores):
    """Return mean ± standard deviation over the folds, as finely as the mean."""
    mean, spread = np.mean(scores), np.std(scores, ddof=1)
    if not np.isfinite(mean):
        return "-"
    fineness = _fineness(mean)
    return f"{mean:{fineness}} ± {spread:{fineness}}"


def number(value):
    """Return a score with about three digits that count."""
    return f"{value:{_fineness(value)}}" if np.isfinite(value) else "-"


def _fineness(value):
    size = abs(value)
    if 0 < size < 5e-4 or size >= 1e7:
        return ".2e"
    return ".3f" if size < 10 else ".1f" if size < 1e3 else ".0f"


def duration(seconds):
    """Return a time in the unit that suits it."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
