"""Builds pieces of HTML; all text is escaped."""

import re
from html import escape


def escape_text(text):
    """Return a text, or anything as text, with HTML's characters escaped."""
    return escape(str(text))


def section(title, *parts):
    """Return a section with a heading."""
    return f"<section><h2>{escape_text(title)}</h2>\n" + "\n".join(parts) + "</section>"


def paragraph(text, kind="muted"):
    """Return a paragraph of a CSS class."""
    return f'<p class="{kind}">{escape_text(text)}</p>'


def scrollable(content):
    """Return content that scrolls if it is wider than the window."""
    return f'<div class="wide">{content}</div>'


def details(summary, *parts):
    """Return parts that are shown when the reader opens them."""
    body = "\n".join(parts)
    return f"<details><summary>{escape_text(summary)}</summary>{body}</details>"


def bar(share):
    """Return a bar of a share from 0 to 1 of the full width."""
    percent = 100 * min(max(share, 0), 1)
    return f'<span class="meter" style="--share: {percent:.1f}%"></span>'


def html_table(header, rows, cell_classes, row_classes=None, raw=()):
    """Return a table; all cells are escaped, except in the columns `raw`."""
    # rows: lists of str. cell_classes: the CSS class of each column; row_classes: that
    # of each row. raw: indices of the columns whose cells are HTML.
    row_classes = row_classes or [""] * len(rows)
    head = "".join(
        f'<th scope="col" class="{name}">{escape_text(cell)}</th>'
        for cell, name in zip(header, cell_classes)
    )
    body = "".join(
        f'<tr class="{row_class}">'
        + "".join(
            f'<td class="{name}">{cell if j in raw else _cell(cell, name)}</td>'
            for j, (cell, name) in enumerate(zip(row, cell_classes))
        )
        + "</tr>\n"
        for row, row_class in zip(rows, row_classes)
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cell(cell, name):
    """Return the text of a cell; a name may break between its words."""
    text = escape_text(cell)
    return (
        re.sub("(?<=[a-z])(?=[A-Z])|(?<=_)", "<wbr>", text) if name == "name" else text
    )
