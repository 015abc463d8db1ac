"""Says numbers and outcomes in words, the same on the terminal and in the report."""

from collections import Counter

import numpy as np

from ._learners import OURS
from ._metrics import METRICS
from ._table import CLASSIFICATION

SHOWN_CLASSES = 6


def describe_target(table):
    """Return the task and, for classes, the most common with their counts."""
    if table.task != CLASSIFICATION:
        low, middle, high = np.quantile(table.y, [0, 0.5, 1])
        return f"{table.task}, {low:.4g} to {high:.4g}, median {middle:.4g}"
    counts = Counter(table.y.tolist())
    shown = [f"{label} {count}" for label, count in counts.most_common(SHOWN_CLASSES)]
    if len(counts) > len(shown):
        shown.append("...")
    return f"{table.task}, {len(counts)} classes ({', '.join(shown)})"


def result_cells(comparison):
    """Return the ranking as a header and rows of strings."""
    first, second = METRICS[comparison.table.task]
    header = [
        "learner",
        "package",
        first.name,
        second.name,
        "fit",
        "query",
        "chosen parameters",
    ]
    return header, [_result_row(outcome) for outcome in comparison.outcomes]


def _result_row(outcome):
    learner = outcome.learner
    if outcome.failure:
        missing = ["-"] * 4
        return [learner.name, learner.package, *missing, f"failed: {outcome.failure}"]
    return [
        learner.name,
        learner.package,
        *(with_spread(column) for column in outcome.scores.T),
        duration(outcome.fit_seconds),
        duration(outcome.query_seconds),
        outcome.chosen,
    ]


def verdict(comparison):
    """Return the winner and its scores on the held-out part in one sentence."""
    if comparison.winner is None:
        return "No learner could be fitted."
    scores = ", ".join(
        f"{metric.name} {number(score)}"
        for metric, score in zip(
            METRICS[comparison.table.task], comparison.held_out.scores
        )
    )
    return (
        f"Winner by {METRICS[comparison.table.task][0].name}: "
        f"{comparison.winner.learner.name}. On the {comparison.n_test} rows held out: "
        f"{scores}."
    )


def method(comparison):
    """Return in one sentence how the scores were come by."""
    return (
        f"{comparison.n_folds}-fold cross-validation on {comparison.n_train} rows: "
        f"mean ± standard deviation of the scores, median times to fit and to query a "
        f"fold."
    )


def remarks(comparison):
    """Return sentences on what the reader should know besides."""
    packages = {outcome.learner.package for outcome in comparison.outcomes}
    if OURS in packages:
        return comparison.messages
    none = f"{OURS} has no learner for {comparison.table.task} yet."
    return [*comparison.messages, none]


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
