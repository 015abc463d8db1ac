"""Draws figures as HTML and SVG whose marks are placed by per cents of the width.

So a figure is as wide as the window, while its letters keep their size. The colours are
those of the style sheet.
"""

from dataclasses import dataclass

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


# Axes of figures: limits that an outlier cannot stretch, positions, and ticks.


# Values farther from the quartiles than this multiple of their range are outliers.
OUTLIER_RANGES, MIN_VALUES_FOR_OUTLIERS = 5, 5
# Above this ratio of the largest to the smallest value the axis is logarithmic.
MIN_LOG_SCALE_RATIO = 20
N_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """Limits of an axis; positions on it are per cents of its length."""

    low: float
    high: float
    is_log: bool = False

    def position(self, values):
        """Return the positions; those outside the limits are below 0 or above 100."""
        low, high = self._scale(np.array([self.low, self.high]))
        return 100 * (self._scale(np.asarray(values, dtype=float)) - low) / (high - low)

    def clipped(self, values):
        """Return the positions, moved to the nearest end where they are outside."""
        return self.position(values).clip(0, 100)

    def contains(self, values):
        """Return a mask of the values within the limits."""
        values = np.asarray(values, dtype=float)
        return (values >= self.low) & (values <= self.high)

    def ticks(self):
        """Return the round values on the axis, with their labels."""
        if self.is_log:
            powers = np.arange(np.floor(np.log10(self.low)), np.log10(self.high) + 1)
            values = np.outer(10**powers, [1, 2, 5]).ravel()
            inside = values[self.contains(values)]
            # Powers of ten alone, if there are enough.
            whole = inside[np.isin(inside, 10**powers)]
            inside = whole if len(whole) >= 3 else inside
            return [(value, f"{value:g}") for value in inside]
        step = _round_up((self.high - self.low) / N_TICKS)
        first = np.ceil(self.low / step - 1e-9)
        count = int(self.high / step - first + 1e-9) + 1
        decimals = max(0, -int(np.floor(np.log10(step) + 1e-9)))
        values = (first + np.arange(count)) * step
        if max(map(abs, (self.low, self.high))) >= 1e6 or decimals > 5:
            return [(value, f"{value:.3g}") for value in values]
        return [(value, f"{value + 0.0:.{decimals}f}") for value in values]

    def _scale(self, values):
        if not self.is_log:
            return values
        return np.log10(np.maximum(values, np.finfo(float).tiny))


def axis_of(values, *, reference=None, log=False, low=-np.inf, high=np.inf):
    """Return an axis on which values that are no outliers spread over the length."""
    # Values that are not finite do not count. reference: values whose quartiles define
    # the outliers; by default `values`. log: whether the axis is logarithmic if the
    # values are positive and far apart. low, high: a linear axis does not pass these,
    # as no score does.
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return Axis(0, 1)
    if log and values.min() > 0 and values.max() > MIN_LOG_SCALE_RATIO * values.min():
        return Axis(values.min() / 1.2, values.max() * 1.2, is_log=True)
    values = without_outliers(values, reference)
    margin = 0.04 * (values.max() - values.min())
    if margin == 0:
        margin = abs(values[0]) / 10 or 1
    return Axis(
        max(values.min() - margin, low), min(values.max() + margin, high), is_log=False
    )


def without_outliers(values, reference=None):
    """Return the values that are no outliers of the reference; all, if none is left."""
    # Outliers are more than `OUTLIER_RANGES` interquartile ranges away from the
    # quartiles of the reference, by default the values themselves. If the quartiles are
    # equal, they are those of the values that differ from them.
    reference = values if reference is None else np.asarray(reference, dtype=float)
    for _ in range(2):
        if len(reference) < MIN_VALUES_FOR_OUTLIERS:
            return values
        first, third = np.quantile(reference, [0.25, 0.75])
        if first < third:
            break
        reference = reference[reference != first]
    limit = OUTLIER_RANGES * (third - first)
    inside = (values >= first - limit) & (values <= third + limit)
    return values[inside] if inside.any() and limit > 0 else values


def _round_up(step):
    """Return the next of 1, 2, 5, 10, 20, ... and of 0.5, 0.2, ..."""
    power = 10.0 ** np.floor(np.log10(step))
    return power * next(n for n in (1, 2, 5, 10) if step <= n * power * (1 + 1e-9))
