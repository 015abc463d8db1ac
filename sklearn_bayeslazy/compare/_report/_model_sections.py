"""The report's sections on the best model: calibration, importances, rows, code."""

import numpy as np

from .._dataset import CLASSIFICATION
from .._evaluate import describe_error
from .._formatting import with_count
from . import _model
from ._code import code_of_winner
from ._figures import calibration_figure
from ._html import bar, escape_text, html_table, paragraph, scrollable, section
from ._model_terms import views_of_winner

MAX_SHOWN_COLUMNS = 30
MAX_SHOWN_EFFECTS = 8
MAX_CELL_LENGTH = 60


def model_sections(comparison):
    """Return the sections; one that fails shows its error, and the others stay."""
    makers = {
        "Calibration": _calibration,
        "What the columns are worth": _importances,
        f"What {comparison.winner.learner.name} has learnt": _views,
        "Three rows explained": _explained_rows,
    }
    return [_guarded(title, make, comparison) for title, make in makers.items()]


def code_section(comparison):
    """Return the section of the code that repeats the scores."""
    return _guarded("Code", _code, comparison)


def _guarded(title, make, comparison):
    try:
        parts = make(comparison)
    except Exception as error:  # a learner of another package may be odd
        parts = [paragraph(f"It cannot be shown: {describe_error(error)}")]
    return section(title, *parts) if parts else ""


def _calibration(comparison):
    bins = _model.calibration(comparison)
    if not bins:
        return []
    rows = [
        [f"{low:.1f} to {high:.1f}", str(n), f"{mean:.3f}", f"{right:.3f}"]
        for low, high, n, mean, right in bins
    ]
    header = ["probability", "rows", "mean", "share right"]
    table = html_table(header, rows, ["", *["number"] * 3])
    return [
        paragraph(
            "Held-out rows by the probability of the predicted class. Of a calibrated "
            "model the points are near the line: the mean probability and the share of "
            "right predictions agree. Bars: 95 % intervals (Wilson)."
        ),
        f'<div class="plots">{calibration_figure(bins)}{scrollable(table)}</div>',
    ]


def _importances(comparison):
    found = _model.importances(comparison)
    if not found:
        return [paragraph("Left out: the model predicts too slowly for permutations.")]
    largest = max(max(one.mean for one in found), 1e-12)
    rows = [
        [
            one.name,
            f"{format_change(one.mean, largest)} ± "
            f"{format_change(one.deviation, largest)}",
            bar(max(one.mean, 0) / largest),
        ]
        for one in found[:MAX_SHOWN_COLUMNS]
    ]
    unit = "absolute error"
    if comparison.table.task == CLASSIFICATION:
        unit = "log loss" if comparison.held_out.proba is not None else "accuracy"
    parts = [
        paragraph(
            f"Permutation importance: how much the mean {unit} of held-out rows gets "
            f"worse if a column is shuffled, mean ± standard deviation over shuffles. "
            f"Columns that carry the same information share their importance."
        ),
        scrollable(
            html_table(["column", unit, ""], rows, ["name", "number", "bar"], raw=(2,))
        ),
    ]
    if len(found) > len(rows):
        more = with_count(len(found) - len(rows), "less important column")
        parts.append(paragraph(f"And {more}."))
    return parts


def _views(comparison):
    views = views_of_winner(comparison)
    small = [_view(view) for view in views if view.shares is None]
    parts = [_view(view) for view in views if view.shares is not None]
    return parts + ([f'<div class="plots">{"".join(small)}</div>'] if small else [])


def _view(view):
    rows, header = view.rows[:MAX_SHOWN_COLUMNS], view.header
    columns = zip(*(row[1:] for row in rows))
    classes = ["name", *("number" if _are_numbers(cells) else "" for cells in columns)]
    raw = ()
    if view.shares is not None:
        rows = [[*row, bar(share)] for row, share in zip(rows, view.shares)]
        header, classes = [*header, ""], [*classes, "bar"]
        raw = (len(header) - 1,)
    parts = [f"<h3>{escape_text(view.title)}</h3>", paragraph(view.method)]
    if rows:
        parts.append(scrollable(html_table(header, rows, classes, raw=raw)))
    if len(view.rows) > len(rows):
        parts.append(paragraph(f"And {len(view.rows) - len(rows)} more."))
    return f"<div>{''.join(parts)}</div>"


def _are_numbers(cells):
    return all(cell[:1] in "+-0123456789" for cell in cells)


def _explained_rows(comparison):
    explained = _model.explained_rows(comparison)
    if not explained:
        return []
    is_class = comparison.table.task == CLASSIFICATION
    parts = [
        paragraph(
            "Effect: how much the cell raises the "
            + ("log odds of the predicted class" if is_class else "prediction")
            + ", compared with the typical cell of its column in the training rows: "
            "the median of numbers and dates, the most common category, no text."
        )
    ]
    rows = "".join(_explained_row(one) for one in explained)
    return [*parts, f'<div class="plots rows">{rows}</div>']


def _explained_row(one):
    proba = "" if one.probability is None else f" (P = {one.probability:.3f})"
    shown = _number_or_label(one.predicted)
    rows = [
        [name, f"{effect:+.3g}", _cell(cell), _cell(typical)]
        for name, cell, typical, effect in one.effects[:MAX_SHOWN_EFFECTS]
        if effect
    ]
    header = ["column", "effect", "cell", "typical cell"]
    return (
        f"<div><h3>{escape_text(one.title)}</h3>"
        + paragraph(f"predicted {shown}{proba}, true {_number_or_label(one.true)}", "")
        + scrollable(html_table(header, rows, ["name", "number", "", ""]))
        + "</div>"
    )


def _code(comparison):
    code = code_of_winner(comparison)
    return [
        paragraph(
            "This program reads the same file, fits the best learner and prints the "
            "scores above. It needs pandas. --save writes the same model."
        ),
        f'<pre class="wide"><code>{escape_text(code)}</code></pre>',
    ]


def format_change(value, largest):
    """Return a change with the decimals that the largest needs; 0 has no sign."""
    decimals = int(np.clip(2 - np.floor(np.log10(largest)), 0, 6))
    return f"{round(value, decimals) + 0:.{decimals}f}"


def _number_or_label(value):
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _cell(cell):
    text = "missing" if cell != cell else _number_or_label(cell)
    if len(text) > MAX_CELL_LENGTH:
        return text[: MAX_CELL_LENGTH - 1] + "…"
    return text
