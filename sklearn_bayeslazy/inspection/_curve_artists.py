"""Draws curves with bands of error on matplotlib's axes.

Numbers on a scale are joined by a line with a band. What lies at the scale's end (None,
infinity) hangs on a dotted line, categories stand alone; both have error bars.
"""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from ._candidates import (
    distinct,
    identity,
    is_finite,
    label_of_number,
    linear_threshold,
)

# Curves of more candidates are smooth enough without a dot for each.
MOST_DOTS = 30
# Lines of values that have an order take their colours from here, dark to bright; the
# brightest of all would be lost on white.
ORDERED_COLOURS, BRIGHTEST = "viridis", 0.88
# And values of a second parameter their dashes and dots.
LOOKS = (("-", "o"), ("--", "s"), ("-.", "^"), ((0, (1, 1)), "D"))
# More lines are thin and have no dots, and only the one with the chosen candidate has
# a band: all bands would hide all lines.
MANY_LINES = 3
# Labels of categories with more letters than this in all are written aslant.
LETTERS_IN_A_ROW = 70
# Beyond these, powers of ten are easier to read than decimals.
EASY_TO_READ = 1e-3, 1e5
# More lines are not all named, and more names not in one column.
MOST_NAMES, MOST_NAMES_IN_A_COLUMN = 12, 6
# In points.
SMALL_DOT, LARGE_DOT, CHOSEN_DOT = 3.5, 6, 9
# Room for the text beside the curve, as a share of its height.
ROOM_FOR_TEXT = 0.2
# Text that would come closer to the end of the axis is written inwards; a letter takes
# about this share of the axis.
LETTER = 1 / 75


@dataclass(frozen=True)
class Points:
    """The candidates of one line, sorted along the axis; arrays of one length.

    Attributes
    ----------
    x, mean, error : ndarrays
    on_scale, at_end : bool arrays
        As in :class:`~._candidates.Layout`.
    """

    x: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    on_scale: np.ndarray
    at_end: np.ndarray

    @property
    def finite(self):
        """Whether the means can be drawn."""
        return np.isfinite(self.mean)

    def without_error(self):
        """Return the same points, their errors unknown."""
        return replace(self, error=np.full(len(self.x), np.nan))


def new_axes(**figure_kw):
    """Return axes of a new figure.

    Raises
    ------
    ImportError
        Where matplotlib is missing.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Displays need matplotlib to draw: pip install 'sklearn-bayeslazy[plot]'."
        ) from error
    return plt.subplots(layout="constrained", **figure_kw)[1]


def axes_and_keywords(ax, line_kw):
    """Return the axes, new ones for None, and keywords of lines by their long names."""
    ax = new_axes() if ax is None else ax
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return ax, normalize_kwargs(line_kw, Line2D)


def set_up_axis(ax, layout):
    """Give the axis of candidates its scale and its ticks."""
    places, labels = [x for x, _ in layout.ticks], [label for _, label in layout.ticks]
    if layout.scale == "category":
        aslant = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        long = sum(map(len, labels)) > LETTERS_IN_A_ROW
        ax.set_xticks(places, labels, **(aslant if long else {}))
        ax.set_xlim(-0.5, len(places) - 0.5)
        return
    numbers = layout.x[layout.on_scale]
    _set_scale(ax, layout.scale, numbers)
    if places:
        found = ax.xaxis.get_major_locator().tick_values(min(numbers), max(numbers))
        found = found[(min(numbers) <= found) & (found <= max(numbers))]
        ax.set_xticks([*found, *places], [*map(label_of_number, found), *labels])
        ax.minorticks_off()


def _set_scale(ax, scale, numbers):
    threshold = {"linthresh": linear_threshold(numbers)} if scale == "symlog" else {}
    ax.set_xscale(scale, **threshold)
    if scale == "linear":
        ax.locator_params(axis="x", integer=bool(np.all(numbers == np.round(numbers))))
        return
    size = np.abs(numbers[numbers != 0])
    ax.xaxis.set_minor_formatter("")
    if EASY_TO_READ[0] <= min(size) and max(size) <= EASY_TO_READ[1]:
        ax.xaxis.set_major_formatter(lambda x, _: label_of_number(x))


def styles_of(values):
    """Return the keywords that tell the lines apart.

    The first of several parameters decides the colour, the second the dashes and dots.

    Parameters
    ----------
    values : list of tuple
        What each line stands for, in their order.

    Returns
    -------
    list of dict
        Empty ones if there is one line, which takes matplotlib's next colour.
    """
    if len(values) < 2:
        return [{}] * len(values)
    styles = [{} for _ in values]
    kinds = zip(*values)
    firsts = list(next(kinds))
    for style, colour in zip(styles, _spread_over(firsts, _colours(firsts))):
        style["color"] = colour
    for seconds in itertools.islice(kinds, 1):
        for style, (dashes, dot) in zip(styles, _spread_over(seconds, LOOKS)):
            style |= {"linestyle": dashes, "marker": dot}
    return styles


def _spread_over(values, looks):
    """Return a look for each value, the same for equal ones."""
    places = {identity(value): i for i, value in enumerate(distinct(values))}
    return [looks[places[identity(value)] % len(looks)] for value in values]


def _colours(values):
    """Return as many colours as values: in an order, if three and more have one."""
    ordered = distinct(values)
    if len(ordered) < 3 or sum(map(is_finite, ordered)) < 2:
        return [f"C{i}" for i in range(10)]
    from matplotlib import colormaps

    return list(colormaps[ORDERED_COLOURS](np.linspace(0, BRIGHTEST, len(ordered))))


def draw_line(ax, points, style, line_kw, thin=False):
    """Draw the means of one line.

    Parameters
    ----------
    ax : Axes
    points : Points
    style, line_kw : dict
        Keywords of ``ax.plot``; the user's `line_kw` come first.
    thin : bool, default=False
        Whether it is one of many.

    Returns
    -------
    Line2D
        Through the numbers on a scale; without any, dots for all candidates.
    """
    on_scale = points.on_scale
    joined = on_scale if on_scale.any() else np.ones(len(on_scale), bool)
    style = {"marker": "o", "markersize": SMALL_DOT} | style
    if not on_scale.any():
        style |= {"linestyle": "none", "markersize": LARGE_DOT}
    elif thin or np.count_nonzero(joined) > MOST_DOTS:
        style["marker"] = "none"
    if thin:
        style |= {"linewidth": 1.2, "zorder": 1.9}  # below the one that is not
    x, y = points.x, np.where(points.finite, points.mean, np.nan)
    (line,) = ax.plot(x[joined], y[joined], **(style | line_kw))
    # Candidates whose scores cannot be drawn have their places nevertheless.
    ax.dataLim.update_from_data_x(x, ignore=False)
    colour = line.get_color()
    if on_scale.any() and points.at_end.any():
        tail = [np.flatnonzero(on_scale)[-1], *np.flatnonzero(points.at_end)]
        ax.plot(x[tail], y[tail], linestyle=":", linewidth=1, color=colour)
    for infinity, edge, marker in ((np.inf, 1.0, "^"), (-np.inf, 0.0, "v")):
        at = x[points.mean == infinity]
        # An artist without points would still take part in the layout of the figure.
        if len(at):
            _mark_at_edge(ax, at, edge, marker, colour)
    return line


def _mark_at_edge(ax, x, edge, marker, colour):
    ax.plot(
        x,
        np.full(len(x), edge),
        marker,
        color=colour,
        transform=ax.get_xaxis_transform(),
        clip_on=False,
    )


def draw_band(ax, points, line, band_kw):
    """Draw what lies within the errors of a line; None if there is nothing."""
    known = points.on_scale & points.finite & np.isfinite(points.error)
    if not known.any():
        return None
    low = np.where(known, points.mean - points.error, np.nan)[points.on_scale]
    high = np.where(known, points.mean + points.error, np.nan)[points.on_scale]
    style = {"color": line.get_color(), "alpha": 0.18, "linewidth": 0}
    return ax.fill_between(points.x[points.on_scale], low, high, **(style | band_kw))


def draw_error_bars(ax, points, line):
    """Draw the candidates that no band can show; None if there are none."""
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
    """Tell which of a row are present without a neighbour on either side.

    >>> _is_isolated(np.array([True, False, True, True])).tolist()
    [True, False, False, False]
    """
    padded = np.concatenate([[False], present, [False]])
    return present & ~padded[:-2] & ~padded[2:]


def draw_chosen(ax, x, mean, line):
    """Mark the chosen candidate; None if its score cannot be drawn."""
    if not np.isfinite(mean):
        return None
    (dot,) = ax.plot(
        [x],
        [mean],
        linestyle="none",
        marker="o",
        markersize=CHOSEN_DOT,
        color=line.get_color(),
        markeredgecolor=ax.get_facecolor(),
        markeredgewidth=1.5,
        zorder=line.get_zorder() + 1,
    )
    return dot


def name_lines(ax, lines, chosen, title, beside):
    """Draw a legend, of some of the lines if there are many.

    Parameters
    ----------
    ax : Axes
    lines : list of Line2D
    chosen : Line2D
        Named in any case.
    title : str
    beside : bool
        Whether it stands beside the axes, where it hides nothing.
    """
    shown = np.linspace(0, len(lines) - 1, min(len(lines), MOST_NAMES)).round()
    handles = [line for i, line in enumerate(lines) if i in shown or line is chosen]
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    if not beside:
        place = {"ncols": 1 if len(handles) <= MOST_NAMES_IN_A_COLUMN else 2}
    ax.legend(handles=handles, title=title, fontsize="small", **place)


def ask_for_integers(axis):
    """Have ticks at integers, unless the user has chosen a scale of other ticks."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(axis.get_major_locator(), MaxNLocator):
        axis.get_major_locator().set_params(integer=True)


def plain_legend(ax):
    """Draw a legend of all that has a name; names are no formulas."""
    if ax.get_legend_handles_labels()[0]:
        for text in ax.legend(fontsize="small").get_texts():
            text.set_parse_math(False)  # a dollar is a dollar


def annotate(ax, text, x, edge, above):
    """Write a text above or below a point, inwards where the axis ends.

    Parameters
    ----------
    ax : Axes
    text : str
    x, edge : float
        The point.
    above : bool

    Returns
    -------
    Annotation
    """
    from matplotlib.patheffects import withStroke

    ax.margins(y=ROOM_FOR_TEXT)
    ax.autoscale_view()  # the transformations below do not wait for it
    place = ax.transAxes.inverted().transform(ax.transData.transform((x, edge)))[0]
    half = LETTER * max(map(len, text.splitlines())) / 2
    at_end = {place < half: "left", place > 1 - half: "right"}
    return ax.annotate(
        text,
        (x, edge),
        xytext=(0, 8 if above else -8),
        textcoords="offset points",
        ha=at_end.get(True, "center"),
        va="bottom" if above else "top",
        fontsize="small",
        parse_math=False,
        # What lies below stays visible, the letters stay legible.
        path_effects=[withStroke(linewidth=3, foreground=ax.get_facecolor())],
        zorder=5,
    )
