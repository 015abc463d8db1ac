"""The sentences and cells that the terminal and the report both show."""

from collections import Counter

import numpy as np

from ..tabular.cleaning import DROP, TEXT
from ._dataset import CLASSIFICATION, COLUMNS
from ._formatting import format_number, option_with_names, with_count
from ._metrics import SIGNIFICANCE

MAX_SHOWN_CLASSES = 6


def describe_target(table):
    """Return the task and, for classes, the most common with their counts."""
    if table.task != CLASSIFICATION:
        low, middle, high = np.quantile(table.y, [0, 0.5, 1])
        return f"{table.task}, {low:.4g} to {high:.4g}, median {middle:.4g}"
    counts = Counter(table.y.tolist())
    shown = [
        f"{label} {count}" for label, count in counts.most_common(MAX_SHOWN_CLASSES)
    ]
    if len(counts) > len(shown):
        shown.append("...")
    return f"{table.task}, {len(counts)} classes ({', '.join(shown)})"


def describe_kind(column):
    """Return the kind of a column."""
    return "dropped" if column.kind == DROP else column.kind


def describe_decision(column):
    """Return why a column has its kind, and the option that overrules it; or ""."""
    if not column.reason or not column.overruled_by:
        return column.reason
    # The option of the command line that gives the kind.
    option = {"datetime": "date"}.get(column.overruled_by, column.overruled_by)
    option = "keep" if column.kind == DROP else option
    return f"{column.reason} (if not: {option_with_names(option, [column.name])})"


def standing(outcome, comparison):
    """Return whether a learner is the best or a tie, and its folds if they are few."""
    is_best, words = outcome is comparison.winner, []
    if is_best or any(outcome is tie for tie in comparison.ties()):
        words.append("best" if is_best else "tie")
    if not outcome.failure and len(outcome.scores) < comparison.n_folds:
        words.append(with_count(len(outcome.scores), "fold"))
    return ", ".join(words)


def describe_winner(comparison):
    """Return the best learner and its scores on the held-out part."""
    # It is a winner only if no other learner is within noise of it, and none with fewer
    # folds is better on those.
    if comparison.winner is None:
        if comparison.interrupted:
            return "Interrupted before the best learner was scored on held-out rows."
        return "No learner could be fitted."
    scores = ", ".join(
        f"{metric.name} {format_number(score)}"
        for metric, score in zip(comparison.metrics, comparison.held_out.scores)
    )
    name = comparison.winner.learner.name
    is_sure = not comparison.ties() and not comparison.better_with_fewer_folds()
    title = "Winner" if is_sure else "Best"
    return (
        f"{title} by {comparison.metrics[0].name}: {name}. "
        f"On the {len(comparison.test)} rows held out: {scores}."
    )


def describe_ties(comparison):
    """Return a sentence on the learners that are within noise of the best, or ""."""
    ties = comparison.ties()
    if not ties:
        return ""
    were = "is" if len(ties) == 1 else "are"
    return (
        f"{with_count(len(ties), 'learner')} marked tie {were} within noise of the "
        f"best: corrected paired t-test over the folds (Nadeau and Bengio), "
        f"p > {SIGNIFICANCE}."
    )


def describe_method(comparison):
    """Return one sentence on how the scores were computed."""
    return (
        f"{comparison.n_folds}-fold cross-validation on {len(comparison.train)} rows: "
        f"mean ± standard deviation of the scores, median times to fit and to predict "
        f"one fold."
    )


def remarks(comparison):
    """Return sentences on changed folds and on text columns."""
    table = comparison.table
    texts = table.names(TEXT)
    if not texts or not table.has_any(COLUMNS):
        return comparison.messages
    scores = "predictions from its words"
    if table.task == CLASSIFICATION:
        scores = "log likelihoods of the classes given its words"
    return [
        *comparison.messages,
        f"Learners of text read only {', '.join(map(repr, texts))}; the others read "
        f"all columns, a text as {scores}, from models without the row.",
    ]
