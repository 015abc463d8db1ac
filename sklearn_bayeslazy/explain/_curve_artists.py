"""Curves with error bands, legends and annotations on matplotlib axes.

Numbers on a scale are joined by a line with a band. None and infinity at the end of the
scale are joined by a dotted line. Categories are separate. Both have error bars.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._bars import new_axes
from ._candidates import (
    is_finite,
    label_of_number,
    linear_threshold,
    ranks,
    sorted_distinct,
)

# Curves of more points have no markers.
MAX_MARKERS = 30
# The colours of lines whose values have an order, from dark to bright. The brightest
# colours of the map are hard to see on white.
COLORMAP, MAX_COLORMAP_POSITION = "viridis", 0.88
# The line styles and markers of the values of a second parameter.
DASHES_AND_MARKERS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (1, 1)), "D"))
# With more lines only the line of the chosen candidate has a band and markers, because
# the bands would hide the lines.
MAX_LINES_WITH_BANDS = 3
# If the labels of categories have more letters than this in total, they are rotated.
MAX_HORIZONTAL_LETTERS = 70
ROTATION = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
# The range of tick labels that are written as decimals, not as powers of ten.
DECIMAL_RANGE = 1e-3, 1e5
# If there are more lines, the legend names only some; more entries have two columns.
MAX_LEGEND_ENTRIES, MAX_LEGEND_ENTRIES_PER_COLUMN = 12, 6
# Sizes of markers in points.
SMALL_MARKER, LARGE_MARKER, CHOSEN_MARKER = 3.5, 6, 9
# The margin of the y axis for the annotation, as a share of the data range.
TEXT_MARGIN = 0.2
# The approximate width of a letter as a share of the axis: an annotation near an end of
# the axis is aligned inwards.
LETTER_WIDTH = 1 / 75


@dataclass(frozen=True)
class Points:
    """The candidates of one line, sorted along the axis; arrays of equal length."""

    x: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    # Bool, as in `AxisLayout`.
    on_scale: np.ndarray
    at_end: np.ndarray

    @property
    def finite(self):
        """Whether each mean is finite, so that it can be drawn."""
        return np.isfinite(self.mean)


def check_has(estimator, method, example):
    """Raise an error unless an estimator has a method and is fitted."""
    # example: an estimator that has the method, for the error.
    if not hasattr(estimator, method):
        name = type(estimator).__name__
        raise TypeError(f"{name} has no {method}: pass {example}.")
    check_is_fitted(estimator)


def axes_and_keywords(ax, line_kw):
    """Return the axes, new ones for None, and line keywords without abbreviations."""
    ax = new_axes() if ax is None else ax
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return ax, normalize_kwargs(line_kw, Line2D)


def set_up_axis(ax, layout):
    """Give the axis of candidates its scale and its ticks."""
    positions = [x for x, _ in layout.ticks]
    labels = [label for _, label in layout.ticks]
    if layout.scale == "category":
        is_long = sum(map(len, labels)) > MAX_HORIZONTAL_LETTERS
        ax.set_xticks(positions, labels, **(ROTATION if is_long else {}))
        ax.set_xlim(-0.5, len(positions) - 0.5)
        return
    numbers = layout.x[layout.on_scale]
    _set_scale(ax, layout.scale, numbers)
    if positions:
        ticks = ax.xaxis.get_major_locator().tick_values(min(numbers), max(numbers))
        ticks = ticks[(min(numbers) <= ticks) & (ticks <= max(numbers))]
        ax.set_xticks([*ticks, *positions], [*map(label_of_number, ticks), *labels])
        ax.minorticks_off()


def _set_scale(ax, scale, numbers):
    threshold = {"linthresh": linear_threshold(numbers)} if scale == "symlog" else {}
    ax.set_xscale(scale, **threshold)
    if scale == "linear":
        ax.locator_params(axis="x", integer=bool(np.all(numbers == np.round(numbers))))
        return
    size = np.abs(numbers[numbers != 0])
    ax.xaxis.set_minor_formatter("")
    if DECIMAL_RANGE[0] <= min(size) and max(size) <= DECIMAL_RANGE[1]:
        ax.xaxis.set_major_formatter(lambda x, _: label_of_number(x))


def line_styles(values):
    """Return keywords of ``ax.plot`` that distinguish the lines, a dict for each."""
    # values: for each line a tuple, the values of the parameters. That of the first
    # parameter sets the colour, that of the second the line style and the marker. The
    # dict is empty if there is one line, which has matplotlib's next colour.
    if len(values) < 2:
        return [{}] * len(values)
    first, *others = zip(*values)
    styles = [{"color": color} for color in _style_of_each(first, _colors(first))]
    for second in others[:1]:
        dashes_and_markers = _style_of_each(second, DASHES_AND_MARKERS)
        for style, (dashes, marker) in zip(styles, dashes_and_markers):
            style |= {"linestyle": dashes, "marker": marker}
    return styles


def _style_of_each(values, styles):
    """Return a style for each value, the same for equal values."""
    return [styles[rank % len(styles)] for rank in ranks(values)]


def _colors(values):
    """Return colours: a sequential map for three or more values that have an order."""
    ordered = sorted_distinct(values)
    if len(ordered) < 3 or sum(map(is_finite, ordered)) < 2:
        return [f"C{i}" for i in range(10)]
    from matplotlib import colormaps

    return list(
        colormaps[COLORMAP](np.linspace(0, MAX_COLORMAP_POSITION, len(ordered)))
    )


def draw_line(ax, points, style, line_kw, thin=False):
    """Draw the means of one line."""
    # points: Points. style, line_kw: keywords of ax.plot; those of `line_kw` have
    # precedence. thin: whether the line is in the background, without markers. Returns
    # the Line2D through the numbers on a scale; if there are none, markers of all
    # candidates.
    on_scale = points.on_scale
    joined = on_scale if on_scale.any() else np.ones(len(on_scale), bool)
    style = {"marker": "o", "markersize": SMALL_MARKER} | style
    if not on_scale.any():
        style |= {"linestyle": "none", "markersize": LARGE_MARKER}
    elif thin or np.count_nonzero(joined) > MAX_MARKERS:
        style["marker"] = "none"
    if thin:
        style |= {"linewidth": 1.2, "zorder": 1.9}  # below the chosen line
    x, y = points.x, np.where(points.finite, points.mean, np.nan)
    (line,) = ax.plot(x[joined], y[joined], **(style | line_kw))
    # Candidates whose scores cannot be drawn extend the axis, too.
    ax.dataLim.update_from_data_x(x, ignore=False)
    color = line.get_color()
    if on_scale.any() and points.at_end.any():
        tail = [np.flatnonzero(on_scale)[-1], *np.flatnonzero(points.at_end)]
        ax.plot(x[tail], y[tail], linestyle=":", linewidth=1, color=color)
    for infinity, edge, marker in ((np.inf, 1.0, "^"), (-np.inf, 0.0, "v")):
        infinite = x[points.mean == infinity]
        # An artist without points would affect the layout of the figure.
        if len(infinite):
            edges = np.full(len(infinite), edge)
            style = {"color": color, "transform": ax.get_xaxis_transform()}
            ax.plot(infinite, edges, marker, clip_on=False, **style)
    return line


def draw_band(ax, points, line, band_kw):
    """Draw the band of mean ± error of a line; return None if no error is known."""
    known = points.on_scale & points.finite & np.isfinite(points.error)
    if not known.any():
        return None
    low = np.where(known, points.mean - points.error, np.nan)[points.on_scale]
    high = np.where(known, points.mean + points.error, np.nan)[points.on_scale]
    style = {"color": line.get_color(), "alpha": 0.18, "linewidth": 0}
    return ax.fill_between(points.x[points.on_scale], low, high, **(style | band_kw))


def draw_error_bars(ax, points, line):
    """Draw error bars of the points without a band; return None if there are none."""
    alone = points.finite & ~points.on_scale
    alone |= _is_isolated(points.finite & points.on_scale)
    if not alone.any():
        return None
    return ax.errorbar(
        points.x[alone],
        points.mean[alone],
        yerr=np.where(np.isfinite(points.error), points.error, 0.0)[alone],
        linestyle="none",
        marker="o" if line.get_marker() == "none" else line.get_marker(),
        markersize=line.get_markersize(),
        color=line.get_color(),
        elinewidth=1.2,
    )


def _is_isolated(present):
    """Return which points are present while both neighbours are not.

    >>> _is_isolated(np.array([True, False, True, True])).tolist()
    [True, False, False, False]
    """
    padded = np.concatenate([[False], present, [False]])
    return present & ~padded[:-2] & ~padded[2:]


def draw_chosen(ax, x, mean, line):
    """Mark the chosen candidate; return None if its score cannot be drawn."""
    if not np.isfinite(mean):
        return None
    (marker,) = ax.plot(
        [x],
        [mean],
        linestyle="none",
        marker="o",
        markersize=CHOSEN_MARKER,
        color=line.get_color(),
        markeredgecolor=ax.get_facecolor(),
        markeredgewidth=1.5,
        zorder=line.get_zorder() + 1,
    )
    return marker


def draw_legend(ax, lines, chosen, hue, beside):
    """Draw a legend, which names only some lines if there are many."""
    # lines: of Line2D; `chosen` is always named. hue: names of what sets lines apart.
    # beside: whether the legend is beside the axes, where it hides nothing.
    shown = np.linspace(0, len(lines) - 1, min(len(lines), MAX_LEGEND_ENTRIES)).round()
    handles = [line for i, line in enumerate(lines) if i in shown or line is chosen]
    position = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    if not beside:
        position = {"ncols": 1 if len(handles) <= MAX_LEGEND_ENTRIES_PER_COLUMN else 2}
    # Two names in a line: more would leave the axes no room.
    pairs = [", ".join(hue[i : i + 2]) for i in range(0, len(hue), 2)]
    title = ",\n".join(pairs)
    ax.legend(handles=handles, title=title, fontsize="small", **position)


def use_integer_ticks(axis):
    """Put ticks at integers, unless the user has set another kind of scale."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(axis.get_major_locator(), MaxNLocator):
        axis.get_major_locator().set_params(integer=True)


def draw_plain_legend(ax):
    """Draw a legend whose labels are not parsed as formulas."""
    if ax.get_legend_handles_labels()[0]:
        for text in ax.legend(fontsize="small").get_texts():
            text.set_parse_math(False)  # dollar signs are literal


def annotate(ax, text, x, edge, above):
    """Write a text above or below a point, aligned inwards at the ends of the axis."""
    # (x, edge): the point. Returns the matplotlib Annotation.
    from matplotlib.patheffects import withStroke

    ax.margins(y=TEXT_MARGIN)
    ax.autoscale_view()  # the transformations below need the final limits
    position = ax.transAxes.inverted().transform(ax.transData.transform((x, edge)))[0]
    half = LETTER_WIDTH * max(map(len, text.splitlines())) / 2
    alignment = {position < half: "left", position > 1 - half: "right"}
    return ax.annotate(
        text,
        (x, edge),
        xytext=(0, 8 if above else -8),
        textcoords="offset points",
        ha=alignment.get(True, "center"),
        va="bottom" if above else "top",
        fontsize="small",
        parse_math=False,
        # An outline keeps the letters legible on the curve.
        path_effects=[withStroke(linewidth=3, foreground=ax.get_facecolor())],
        zorder=5,
    )


# Limits of the y axis that leave out a few extreme points, and count them.


def leave_out_extremes(ax, points, kept, max_ratio, noun):
    """Limit the y axis to some values if the points would flatten them."""
    # points: (n_points,), heights of all points; those that are not finite are not
    # counted. kept: (n_kept,), heights that must stay visible, among them curves and
    # bands; NaN is ignored. max_ratio: the axis is limited if the range of the points
    # exceeds that of `kept` by this factor. noun: what a point is. Returns the Text
    # that counts the points outside, or None if the axis is unchanged.
    points, kept = points[np.isfinite(points)], kept[np.isfinite(kept)]
    low, high = np.min(kept), np.max(kept)
    if low == high or np.ptp(points) <= max_ratio * (high - low):
        return None
    margin = 0.2 * (high - low)
    low, high = low - margin, high + margin
    ax.set_ylim(low, high)
    n_outside = int(np.sum((points < low) | (points > high)))
    return ax.text(
        0.98,
        0.02,
        f"{n_outside} {noun}{'s' if n_outside > 1 else ''} outside",
        transform=ax.transAxes,
        ha="right",
        fontsize="small",
    )
