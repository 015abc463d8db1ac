"""The sentences and cells that the terminal and the report both show."""

from collections import Counter

import numpy as np

from ._formatting import format_duration, format_mean_std, format_number
from ._learners import BAYESLAZY
from ._metrics import METRICS
from ._table import CLASSIFICATION, DOCUMENTS, TEXT

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
    """Return the kind of a column, and for text the mean number of words."""
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
        "predict",
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
        *(format_mean_std(column) for column in outcome.scores.T),
        format_duration(outcome.fit_seconds),
        format_duration(outcome.predict_seconds),
        outcome.chosen_parameters,
    ]


def describe_winner(comparison):
    """Return the winner and its scores on the held-out part in one sentence."""
    if comparison.winner is None:
        return "No learner could be fitted."
    scores = ", ".join(
        f"{metric.name} {format_number(score)}"
        for metric, score in zip(
            METRICS[comparison.table.task], comparison.held_out.scores
        )
    )
    return (
        f"Winner by {METRICS[comparison.table.task][0].name}: "
        f"{comparison.winner.learner.name}. On the {comparison.n_test} rows held out: "
        f"{scores}."
    )


def describe_method(comparison):
    """Return one sentence on how the scores were computed."""
    return (
        f"{comparison.n_folds}-fold cross-validation on {comparison.n_train} rows: "
        f"mean ± standard deviation of the scores, median times to fit and to predict "
        f"one fold."
    )


def remarks(comparison):
    """Return sentences on changed folds, on text columns and on missing learners."""
    sentences = [*comparison.messages, *_text_columns_remark(comparison)]
    packages = {outcome.learner.package for outcome in comparison.outcomes}
    if BAYESLAZY not in packages:
        task = comparison.table.task
        sentences.append(f"{BAYESLAZY} has no learner for {task} yet.")
    return sentences


def _text_columns_remark(comparison):
    """Yield a sentence if only some learners read text, or if texts are joined."""
    table = comparison.table
    text_names = [table.columns[j].name for j in table.indices(TEXT)]
    if not text_names:
        return
    n_others = len(table.columns) - len(text_names)
    text = f"the text column {text_names[0]!r}"
    if len(text_names) > 1:
        text = f"the {len(text_names)} text columns, joined to one document a row"
    if n_others:
        readers = [
            outcome.learner.name
            for outcome in comparison.outcomes
            if outcome.learner.reads == DOCUMENTS
        ]
        others = f"the other {n_others} columns" if n_others > 1 else "the other column"
        yield (
            f"These learners read only {text}: {'; '.join(readers)}. The rest read "
            f"only {others}."
        )
    elif len(text_names) > 1:
        yield f"All learners read {text}."
