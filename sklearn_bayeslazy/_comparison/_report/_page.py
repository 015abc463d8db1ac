"""Builds the report: one HTML page that loads no other file.

All text from the user's file or from a learner is escaped by ``_escape``.
"""

import platform
from html import escape

import numpy as np
import sklearn
from sklearn.metrics import confusion_matrix

from ... import __version__
from .._evaluate import describe_error
from .._formatting import format_percent, with_count
from .._summary import (
    describe_kind,
    describe_method,
    describe_target,
    describe_winner,
    remarks,
    result_cells,
)
from .._table import CLASSIFICATION
from . import _plots
from ._style_sheet import STYLE_SHEET

NO_PLOT = (
    '<p class="absent muted">This plot needs matplotlib: '
    "<code>pip install matplotlib</code></p>"
)
MAX_CONFUSION_CLASSES = 30


def render(comparison):
    """Return the page of a comparison as a string."""
    title = f"Learners compared on {comparison.table.name}"
    sections = [
        _facts(comparison),
        _results(comparison),
        _scores(comparison),
        _loo_curves(comparison),
        _predictions(comparison),
        _columns(comparison.table),
        _warnings(comparison),
        _footer(comparison),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escape(title)}</title>\n<style>{STYLE_SHEET}</style>\n</head>\n<body>\n"
        f"<header><h1>{_escape(title)}</h1>"
        f'<p class="lead">{_escape(describe_winner(comparison))}</p></header>\n'
        + "\n".join(filter(None, sections))
        + "\n</body>\n</html>\n"
    )


def _escape(text):
    return escape(str(text))


def _section(title, *parts):
    return f"<section><h2>{_escape(title)}</h2>\n" + "\n".join(parts) + "</section>"


def _paragraph(text, kind="muted"):
    return f'<p class="{kind}">{_escape(text)}</p>'


def _scrollable(content):
    """Return content that scrolls if it is wider than the window."""
    return f'<div class="wide">{content}</div>'


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
    items = [f"<dt>{_escape(k)}</dt><dd>{_escape(v)}</dd>" for k, v in facts.items()]
    return _section("The table", f"<dl>{''.join(items)}</dl>")


def _results(comparison):
    header, rows = result_cells(comparison)
    cell_classes = ["name", "", "number", "number", "number", "number", "last"]
    row_classes = [
        "failed"
        if outcome.failure
        else "winner"
        if outcome is comparison.winner
        else ""
        for outcome in comparison.outcomes
    ]
    return _section(
        "Results",
        _paragraph(describe_method(comparison)),
        *map(_paragraph, remarks(comparison)),
        _scrollable(_html_table(header, rows, cell_classes, row_classes)),
    )


def _html_table(header, rows, cell_classes, row_classes):
    head = "".join(
        f'<th scope="col" class="{name}">{_escape(cell)}</th>'
        for cell, name in zip(header, cell_classes)
    )
    body = "".join(
        f'<tr class="{row_class}">'
        + "".join(
            f'<td class="{name}">{_escape(cell)}</td>'
            for cell, name in zip(row, cell_classes)
        )
        + "</tr>\n"
        for row, row_class in zip(rows, row_classes)
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _scores(comparison):
    if comparison.winner is None:
        return ""
    return _section(
        "Scores over the folds",
        _paragraph("Dots and bars: mean ± standard deviation. Ticks: single folds."),
        _plot(_plots.draw_scores, comparison),
    )


def _plot(draw, argument):
    return _scrollable(draw(argument)) if _plots.is_available() else NO_PLOT


def _loo_curves(comparison):
    outcomes = [o for o in comparison.outcomes if _plots.has_loo_choice(o.estimator)]
    if not outcomes:
        return ""
    if not _plots.is_available():
        return _section("Choice by leave-one-out", NO_PLOT)
    return _section(
        "Choice by leave-one-out",
        _paragraph("Bands and bars: one standard error. Large dot: the choice."),
        *map(_loo_curve, outcomes),
    )


def _loo_curve(outcome):
    name = outcome.learner.name
    try:
        return _scrollable(_plots.draw_loo_choice(outcome.estimator, name))
    except Exception as error:  # a learner of another package may have odd results
        return _paragraph(f"{name} cannot be drawn: {describe_error(error)}")


def _predictions(comparison):
    if comparison.winner is None:
        return ""
    title = f"{comparison.winner.learner.name} on the held-out part"
    if comparison.table.task == CLASSIFICATION:
        return _section(title, _confusion(comparison.held_out))
    return _section(title, _plot(_plots.draw_predictions, comparison.held_out))


def _confusion(held_out):
    labels = np.union1d(held_out.y, held_out.predicted)
    if len(labels) > MAX_CONFUSION_CLASSES:
        return _paragraph(
            f"The confusion matrix is left out: {len(labels)} classes are too many "
            f"for a table."
        )
    counts = confusion_matrix(held_out.y, held_out.predicted, labels=labels)
    # The shade is the share of the row's total, so that rare classes are visible.
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    head = "".join(f'<th scope="col">{_escape(label)}</th>' for label in labels)
    body = "".join(
        f'<tr><th scope="row">{_escape(label)}</th>'
        + "".join(map(_confusion_cell, row, share))
        + "</tr>\n"
        for label, row, share in zip(labels, counts, shares)
    )
    caption = _paragraph("Rows: the true class. Columns: the predicted class.")
    return caption + _scrollable(
        f'<table class="confusion"><thead><tr><td></td>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>"
    )


def _confusion_cell(count, share):
    zero = "" if count else ' class="zero"'
    return f'<td{zero} style="--share: {70 * share:.0f}%">{count}</td>'


def _columns(table):
    rows = [
        [c.name, describe_kind(c), c.n_distinct, format_percent(c.missing)]
        for c in table.columns
    ]
    header = ["column", "kind", "distinct values", "missing"]
    cell_classes = ["name", "", "number", "number"]
    html = _html_table(header, rows, cell_classes, [""] * len(rows))
    return _section("Columns", _scrollable(html))


def _warnings(comparison):
    items = "".join(
        f"<li>{_escape(outcome.learner.name)}: {_escape(line)}</li>"
        for outcome in comparison.outcomes
        for line in outcome.warnings
    )
    return _section("Warnings of the learners", f"<ul>{items}</ul>") if items else ""


def _footer(comparison):
    return (
        f"<footer>sklearn_bayeslazy {_escape(__version__)}, scikit-learn "
        f"{_escape(sklearn.__version__)}, NumPy {_escape(np.__version__)}, Python "
        f"{_escape(platform.python_version())}; seed {comparison.seed}.</footer>"
    )
