"""Says in words what came out, the same on the terminal and in the report."""

from collections import Counter

import numpy as np

from ._learners import OURS
from ._metrics import METRICS
from ._numbers import duration, number, with_spread
from ._table import CLASSIFICATION, DOCUMENTS, TEXT

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


def describe_kind(column):
    """Return what a column holds, and of text how much."""
    if column.kind != TEXT:
        return column.kind
    return f"{column.kind}, {column.n_words:.0f} words a cell"


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
    said = [*comparison.messages, *_who_reads_what(comparison)]
    packages = {outcome.learner.package for outcome in comparison.outcomes}
    if OURS not in packages:
        said.append(f"{OURS} has no learner for {comparison.table.task} yet.")
    return said


def _who_reads_what(comparison):
    """Yield a sentence where not all learners read the same, or texts are joined."""
    table = comparison.table
    texts = [table.columns[j].name for j in table.indices(TEXT)]
    if not texts:
        return
    others = len(table.columns) - len(texts)
    text = f"the text column {texts[0]!r}"
    if len(texts) > 1:
        text = f"the {len(texts)} text columns, joined to one document a row"
    if others:
        names = [o.learner.name for o in comparison.outcomes if _reads_text(o)]
        other = "the other column" if others == 1 else f"the other {others} columns"
        yield (
            f"These learners read only {text}: {'; '.join(names)}. The rest read only "
            f"{other}."
        )
    elif len(texts) > 1:
        yield f"All learners read {text}."


def _reads_text(outcome):
    return outcome.learner.reads == DOCUMENTS
