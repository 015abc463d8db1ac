"""Builds the report: one HTML page that needs nothing besides itself.

Every word that comes from the user's file or from a learner goes through ``_safe``.
"""

import platform
from html import escape

import numpy as np
import sklearn
from sklearn.metrics import confusion_matrix

from .. import __version__
from . import _plots
from ._evaluate import reason
from ._numbers import counted, percent
from ._style import STYLE
from ._table import CLASSIFICATION
from ._words import (
    describe_kind,
    describe_target,
    method,
    remarks,
    result_cells,
    verdict,
)

NO_PLOT = (
    '<p class="absent muted">A plot stands here where matplotlib is installed: '
    "<code>pip install matplotlib</code></p>"
)
MAX_CONFUSED = 30


def render(comparison):
    """Return the page of a comparison as a string."""
    title = f"Learners compared on {comparison.table.name}"
    sections = [
        _facts(comparison),
        _results(comparison),
        _scores(comparison),
        _loo_curves(comparison),
        _answers(comparison),
        _columns(comparison.table),
        _warnings(comparison),
        _colophon(comparison),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header><h1>{_safe(title)}</h1>"
        f'<p class="lead">{_safe(verdict(comparison))}</p></header>\n'
        + "\n".join(filter(None, sections))
        + "\n</body>\n</html>\n"
    )


def _safe(text):
    return escape(str(text))


def _section(title, *parts):
    return f"<section><h2>{_safe(title)}</h2>\n" + "\n".join(parts) + "</section>"


def _paragraph(text, kind="muted"):
    return f'<p class="{kind}">{_safe(text)}</p>'


def _wide(content):
    """Let what is wider than the window scroll by itself."""
    return f'<div class="wide">{content}</div>'


def _facts(comparison):
    table = comparison.table
    rows, columns = table.X.shape
    missing = np.mean([column.missing for column in table.columns])
    facts = {
        "Table": table.source,
        "Size": ", ".join(
            [
                counted(rows, "row"),
                counted(columns, "column"),
                f"{percent(missing) or 'none'} missing",
            ]
        ),
        "Target": f"{table.target}: {describe_target(table)}",
        "Rows": f"{comparison.n_train} to learn from, {comparison.n_test} held out",
    }
    if table.n_dropped:
        facts["Left out"] = f"{counted(table.n_dropped, 'row')} without a target"
    items = [f"<dt>{_safe(k)}</dt><dd>{_safe(v)}</dd>" for k, v in facts.items()]
    return _section("The table", f"<dl>{''.join(items)}</dl>")


def _results(comparison):
    header, rows = result_cells(comparison)
    kinds = ["name", "", "number", "number", "number", "number", "last"]
    marks = [
        "failed"
        if outcome.failure
        else "winner"
        if outcome is comparison.winner
        else ""
        for outcome in comparison.outcomes
    ]
    return _section(
        "Results",
        _paragraph(method(comparison)),
        *map(_paragraph, remarks(comparison)),
        _wide(_html_table(header, rows, kinds, marks)),
    )


def _html_table(header, rows, kinds, marks):
    head = "".join(
        f'<th scope="col" class="{kind}">{_safe(cell)}</th>'
        for cell, kind in zip(header, kinds)
    )
    body = "".join(
        f'<tr class="{mark}">'
        + "".join(
            f'<td class="{kind}">{_safe(cell)}</td>' for cell, kind in zip(row, kinds)
        )
        + "</tr>\n"
        for row, mark in zip(rows, marks)
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _scores(comparison):
    if comparison.winner is None:
        return ""
    drawn = _plots.is_available()
    return _section(
        "Scores over the folds",
        _paragraph("Dots and bars: mean ± standard deviation. Ticks: single folds."),
        _wide(_plots.draw_scores(comparison)) if drawn else NO_PLOT,
    )


def _loo_curves(comparison):
    chose = [o for o in comparison.outcomes if _plots.chose_by_loo(o.estimator)]
    if not chose:
        return ""
    if not _plots.is_available():
        return _section("Choice by leave-one-out", NO_PLOT)
    return _section(
        "Choice by leave-one-out",
        _paragraph("Bands and bars: one standard error. Large dot: the one chosen."),
        *map(_loo_curve, chose),
    )


def _loo_curve(outcome):
    name = outcome.learner.name
    try:
        return _wide(_plots.draw_loo_choice(outcome.estimator, name))
    except Exception as error:  # others' learners may leave anything behind
        return _paragraph(f"{name} cannot be drawn: {reason(error)}")


def _answers(comparison):
    if comparison.winner is None:
        return ""
    title = f"{comparison.winner.learner.name} on the held-out part"
    if comparison.table.task == CLASSIFICATION:
        return _section(title, _confusion(comparison.held_out))
    drawn = _plots.is_available()
    plot = _wide(_plots.draw_answers(comparison.held_out)) if drawn else NO_PLOT
    return _section(title, plot)


def _confusion(held_out):
    labels = np.union1d(held_out.y, held_out.predicted)
    if len(labels) > MAX_CONFUSED:
        return _paragraph(f"{len(labels)} classes are too many for a table.")
    counts = confusion_matrix(held_out.y, held_out.predicted, labels=labels)
    # Each row is shaded by its own total, so that rare classes are seen as well.
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    head = "".join(f'<th scope="col">{_safe(label)}</th>' for label in labels)
    body = "".join(
        f'<tr><th scope="row">{_safe(label)}</th>'
        + "".join(map(_confusion_cell, row, share))
        + "</tr>\n"
        for label, row, share in zip(labels, counts, shares)
    )
    return _paragraph("Rows: the true class. Columns: the predicted class.") + _wide(
        f'<table class="confusion"><thead><tr><td></td>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>"
    )


def _confusion_cell(count, share):
    kind = "" if count else ' class="zero"'
    return f'<td{kind} style="--share: {70 * share:.0f}%">{count}</td>'


def _columns(table):
    rows = [
        [c.name, describe_kind(c), c.n_distinct, percent(c.missing)]
        for c in table.columns
    ]
    kinds = ["name", "", "number", "number"]
    header = ["column", "kind", "distinct values", "missing"]
    return _section(
        "Columns", _wide(_html_table(header, rows, kinds, [""] * len(rows)))
    )


def _warnings(comparison):
    items = "".join(
        f"<li>{_safe(outcome.learner.name)}: {_safe(line)}</li>"
        for outcome in comparison.outcomes
        for line in outcome.warnings
    )
    return _section("Warnings of the learners", f"<ul>{items}</ul>") if items else ""


def _colophon(comparison):
    return (
        f"<footer>sklearn_bayeslazy {_safe(__version__)}, scikit-learn "
        f"{_safe(sklearn.__version__)}, NumPy {_safe(np.__version__)}, Python "
        f"{_safe(platform.python_version())}; seed {comparison.seed}.</footer>"
    )
