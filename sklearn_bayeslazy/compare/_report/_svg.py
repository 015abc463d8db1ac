"""Draws figures as HTML and SVG whose marks are placed by per cents of the width.

So a figure is as wide as the window, while its letters keep their size. The colours are
those of the style sheet.
"""

import numpy as np

from ._html import escape_text

# More points than this need megabytes and hide each other.
MAX_POINTS = 1500
STRIP_HEIGHT = 20


def strip(axis, mean, interval, scores):
    """Return one row of a figure: an interval, its mean, and single scores as ticks."""
    # A mean outside the axis becomes an arrow at its end. The interval is cut there,
    # and scores outside are left out.
    parts = [
        _line(x, x, STRIP_HEIGHT - 5, STRIP_HEIGHT, "fold")
        for x in axis.position(scores)
        if 0 <= x <= 100
    ]
    low, high = axis.clipped(interval)
    middle = STRIP_HEIGHT / 2 - 1
    parts.append(_line(low, high, middle, middle, "interval"))
    if axis.contains(mean):
        center = axis.position(mean)
        parts.append(f'<circle class="mark" cx="{center:.2f}%" cy="{middle}" r="4"/>')
    else:
        is_high = mean > axis.high
        anchor, x, arrow = ("end", 100, "▸") if is_high else ("start", 0, "◂")
        parts.append(
            f'<text class="arrow" x="{x}%" y="{middle + 4}" text-anchor="{anchor}">'
            f"{arrow}</text>"
        )
    return f'<svg class="strip" height="{STRIP_HEIGHT}">{"".join(parts)}</svg>'


def scale(axis):
    """Return the labels of a horizontal axis."""
    return f'<div class="scale">{_labels(axis, "left")}</div>'


def plot(x_axis, y_axis, marks, *, x_label, y_label):
    """Return a figure with two axes; `marks` are SVG elements."""
    grid = [_line(x, x, 0, "100%", "grid") for x in _positions(x_axis)]
    grid += [
        f'<line class="grid" x1="0" x2="100%" y1="{100 - y:.2f}%" y2="{100 - y:.2f}%"/>'
        for y in _positions(y_axis)
    ]
    return (
        f'<figure class="plot"><figcaption>{escape_text(y_label)}</figcaption>'
        f'<div class="frame"><div class="rise">{_labels(y_axis, "bottom")}</div>'
        f"<svg>{''.join(grid)}{''.join(marks)}</svg>"
        f"<div></div>{scale(x_axis)}</div>"
        f'<figcaption class="below">{escape_text(x_label)}</figcaption></figure>'
    )


def points(x_axis, y_axis, x, y, radius=3):
    """Return the marks of the points within the axes."""
    inside = x_axis.contains(x) & y_axis.contains(y)
    return [
        f'<circle class="point" cx="{a:.2f}%" cy="{100 - b:.2f}%" r="{radius}"/>'
        for a, b in zip(
            x_axis.position(np.asarray(x)[inside]),
            y_axis.position(np.asarray(y)[inside]),
        )
    ]


def segment(x_axis, y_axis, start, end, name="reference"):
    """Return the mark of a straight line between two points within the axes."""
    (x1, y1), (x2, y2) = start, end
    a, b = x_axis.clipped([x1, x2])
    c, d = 100 - y_axis.clipped([y1, y2])
    return _line(a, b, f"{c:.2f}%", f"{d:.2f}%", name)


def _line(x1, x2, y1, y2, name):
    return f'<line class="{name}" x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y1}" y2="{y2}"/>'


def _positions(axis):
    return axis.position([value for value, _ in axis.ticks()])


def _labels(axis, side):
    return "".join(
        f'<span style="{side}: {axis.position(value):.2f}%">{escape_text(label)}</span>'
        for value, label in axis.ticks()
    )
