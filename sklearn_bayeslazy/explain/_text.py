"""Explanations as text for the terminal and as HTML for notebooks."""

from html import escape

import numpy as np

from ._bars import NEGATIVE, NEUTRAL, POSITIVE, drawn_lengths, number_text
from ._lines import shown_lines

# More rows are only counted.
MAX_ROWS = 3
MAX_BAR = 10


def render_text(explanation):
    """Return the contributions to the first predictions as lines with bars."""
    lines = [_heading(explanation)]
    for row in range(min(len(explanation), MAX_ROWS)):
        title, labels, values = shown_lines(explanation, row)
        lines.append(f"row {row}: {title}")
        width = max(map(len, labels))
        numbers = [number_text(values[0]), *map(_signed, values[1:])]
        digits = max(map(len, numbers))
        for label, number, bar in zip(labels, numbers, _text_bars(values)):
            lines.append(f"  {label:<{width}}  {number:>{digits}}  {bar}".rstrip())
    return "\n".join([*lines, *_more(explanation)])


def render_html(explanation):
    """Return the same as tables with coloured bars, in the colours of the page."""
    parts = [f"<div><p>{escape(_heading(explanation))}</p>"]
    for row in range(min(len(explanation), MAX_ROWS)):
        title, labels, values = shown_lines(explanation, row)
        lengths, _ = drawn_lengths(values[1:])
        longest = np.max(np.abs(lengths), initial=0.0) or 1.0
        shares = np.append(0.0, np.abs(lengths) / longest)
        lines = [
            _html_line(*line, is_base=position == 0)
            for position, line in enumerate(zip(labels, values, shares))
        ]
        parts.append(
            '<table style="border-collapse:collapse">'
            '<caption style="text-align:left;caption-side:top;white-space:nowrap">'
            f"row {row}: {escape(title)}</caption><tbody>{''.join(lines)}"
            "</tbody></table>"
        )
    parts += [f"<p>{escape(line)}</p>" for line in _more(explanation)]
    return "".join([*parts, "</div>"])


def _heading(explanation):
    n_rows = len(explanation)
    return f"{type(explanation).__name__} of {n_rows} row{'s' if n_rows != 1 else ''}"


def _more(explanation):
    """Yield the lines below the contributions."""
    if len(explanation) > MAX_ROWS:
        n_more = len(explanation) - MAX_ROWS
        yield f"… {n_more} more row{'s' if n_more > 1 else ''}: see frame(row)"
    if explanation.note:
        yield explanation.note


def _signed(value):
    text = number_text(value)
    return f"+{text}" if value > 0 and text != "0" else text


def _text_bars(values):
    """Return a bar of characters for each part; the base has none."""
    lengths, is_cut = drawn_lengths(values[1:])
    longest = np.max(np.abs(lengths), initial=0.0) or 1.0
    bars = [""]
    for length, cut in zip(lengths, is_cut):
        n_marks = round(MAX_BAR * (abs(length) / longest))
        bars.append(("#" if length > 0 else "-") * n_marks + (" …" if cut else ""))
    return bars


def _html_line(label, value, share, is_base):
    color = NEUTRAL if is_base else POSITIVE if value >= 0 else NEGATIVE
    bar = (
        f'<div style="background:{color};height:0.8em;width:{120 * share:.0f}px"></div>'
    )
    number = number_text(value) if is_base else _signed(value)
    return (
        f'<tr><td style="text-align:left;padding:1px 12px 1px 0">{escape(label)}</td>'
        f'<td style="text-align:right;padding:1px 8px">{number}</td>'
        f'<td style="text-align:left;min-width:120px">{bar}</td></tr>'
    )
