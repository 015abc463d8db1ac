"""Builds the report: one HTML page that loads no other file.

All text from the user's file or from a learner is escaped by ``escape_text``.
"""

import platform

import numpy as np
import sklearn
from sklearn.metrics import confusion_matrix

from ... import __version__
from .._dataset import CLASSIFICATION
from .._evaluate import describe_error
from .._formatting import format_percent, with_count
from .._summary import (
    describe_decision,
    describe_kind,
    describe_method,
    describe_target,
    describe_ties,
    describe_winner,
    remarks,
    result_cells,
)
from . import _plots
from ._figures import residual_figures, score_figures
from ._html import (
    STYLE_SHEET,
    details,
    escape_text,
    html_table,
    paragraph,
    scrollable,
    section,
)
from ._model_sections import code_section, model_sections

NO_PLOT = (
    '<p class="absent muted">These plots need matplotlib: '
    "<code>pip install 'sklearn-bayeslazy[plot]'</code></p>"
)
MAX_CONFUSION_CLASSES = 30
# A longer list of columns is shown when the reader opens it.
MAX_OPEN_COLUMNS = 30


def render(comparison):
    """Return the page of a comparison as a string."""
    title = f"Learners compared on {comparison.table.name}"
    sections = [
        _facts(comparison),
        _columns(comparison.table),
        _results(comparison),
        _scores(comparison),
        _predictions(comparison),
        *(model_sections(comparison) if comparison.winner else []),
        *([code_section(comparison)] if comparison.winner else []),
        _loo_curves(comparison),
        _warnings(comparison),
        _footer(comparison),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_text(title)}</title>\n<style>{STYLE_SHEET}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape_text(title)}</h1>"
        f'<p class="lead">{escape_text(describe_winner(comparison))}</p></header>\n'
        + "\n".join(filter(None, sections))
        + "\n</body>\n</html>\n"
    )


def _facts(comparison):
    table = comparison.table
    rows, columns = table.X.shape
    missing = np.mean([column.missing for column in table.columns])
    facts = {
        "Table": table.source,
        "Size": ", ".join(
            [
                with_count(rows, "row"),
                with_count(columns, "column"),
                f"{format_percent(missing) or 'none'} missing",
            ]
        ),
        "Target": f"{table.target}: {describe_target(table)}",
        "Rows": f"{comparison.n_train} for training, {comparison.n_test} held out",
    }
    if table.n_dropped:
        facts["Dropped"] = f"{with_count(table.n_dropped, 'row')} without a target"
    items = [
        f"<dt>{escape_text(k)}</dt><dd>{escape_text(v)}</dd>" for k, v in facts.items()
    ]
    return section("The table", f"<dl>{''.join(items)}</dl>")


def _results(comparison):
    cells, rows = result_cells(comparison)
    # The scores beside the names: a narrow window shows only these.
    order = [0, 2, 3, 4, 5, 6, 1, 7]
    header, *rows = [[cells[k] for k in order] for cells in [cells, *rows]]
    cell_classes = ["name", "standing", *["number"] * 4, "", "last"]
    row_classes = [
        "failed"
        if outcome.failure
        else "winner"
        if outcome is comparison.winner
        else ""
        for outcome in comparison.outcomes
    ]
    return section(
        "Results",
        paragraph(describe_method(comparison)),
        *map(paragraph, filter(None, [describe_ties(comparison)])),
        *map(paragraph, remarks(comparison)),
        scrollable(html_table(header, rows, cell_classes, row_classes)),
    )


def _scores(comparison):
    if comparison.winner is None:
        return ""
    return section(
        "Scores over the folds",
        paragraph(
            "Dot: mean over the folds. Bar: its 95 % interval, corrected for training "
            "parts that overlap (Nadeau and Bengio). Ticks: single folds."
        ),
        score_figures(comparison),
    )


def _loo_curves(comparison):
    outcomes = [o for o in comparison.outcomes if _plots.has_loo_choice(o.estimator)]
    if not outcomes:
        return ""
    if _plots.is_available():
        figures = [
            paragraph("Bands and bars: one standard error. Large dot: the choice."),
            *map(_loo_curve, outcomes),
        ]
    else:
        figures = [NO_PLOT]
    summary = f"Parameters that {with_count(len(outcomes), 'learner')} chose"
    return section("Choice by leave-one-out", details(summary, *figures))


def _loo_curve(outcome):
    name = outcome.learner.name
    try:
        return scrollable(_plots.draw_loo_choice(outcome.estimator, name))
    except Exception as error:  # a learner of another package may have odd results
        return paragraph(f"{name} cannot be drawn: {describe_error(error)}")


def _predictions(comparison):
    if comparison.winner is None:
        return ""
    title = f"{comparison.winner.learner.name} on the held-out part"
    if comparison.table.task == CLASSIFICATION:
        return section(title, _confusion(comparison.held_out))
    return section(title, residual_figures(comparison.held_out, comparison.seed))


def _confusion(held_out):
    labels = np.union1d(held_out.y, held_out.predicted)
    if len(labels) > MAX_CONFUSION_CLASSES:
        return paragraph(
            f"The confusion matrix is left out: {len(labels)} classes are too many "
            f"for a table."
        )
    counts = confusion_matrix(held_out.y, held_out.predicted, labels=labels)
    # The shade is the share of the row's total, so that rare classes are visible.
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    head = "".join(f'<th scope="col">{escape_text(label)}</th>' for label in labels)
    body = "".join(
        f'<tr><th scope="row">{escape_text(label)}</th>'
        + "".join(map(_confusion_cell, row, share))
        + "</tr>\n"
        for label, row, share in zip(labels, counts, shares)
    )
    caption = paragraph("Rows: the true class. Columns: the predicted class.")
    return caption + scrollable(
        f'<table class="confusion"><thead><tr><td></td>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>"
    )


def _confusion_cell(count, share):
    zero = "" if count else ' class="zero"'
    return f'<td{zero} style="--share: {70 * share:.0f}%">{count}</td>'


def _columns(table):
    rows = [
        [
            c.name,
            describe_kind(c),
            c.n_distinct,
            format_percent(c.missing),
            describe_decision(c),
        ]
        for c in table.columns
    ]
    header = ["column", "kind", "distinct values", "missing", "decision"]
    cell_classes = ["name", "", "number", "number", "last"]
    # A column of the list without any entry is left out.
    shown = [k for k in range(len(header)) if any(row[k] != "" for row in rows)]
    header, cell_classes, *rows = (
        [cells[k] for k in shown] for cells in (header, cell_classes, *rows)
    )
    html = scrollable(html_table(header, rows, cell_classes))
    if len(rows) > MAX_OPEN_COLUMNS:
        html = details(f"All {len(rows)} columns", html)
    return section("Columns", *map(paragraph, table.notes), html)


def _warnings(comparison):
    items = "".join(
        f"<li>{escape_text(outcome.learner.name)}: {escape_text(line)}</li>"
        for outcome in comparison.outcomes
        for line in outcome.warnings
    )
    return section("Warnings of the learners", f"<ul>{items}</ul>") if items else ""


def _footer(comparison):
    versions = {
        "sklearn_bayeslazy": __version__,
        "scikit-learn": sklearn.__version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
    }
    text = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"<footer>{escape_text(text)}; seed {comparison.seed}.</footer>"
