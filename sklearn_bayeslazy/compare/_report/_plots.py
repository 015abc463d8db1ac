"""Draws choices by leave-one-out by matplotlib, with colours and font of the page."""

import io
import re

import numpy as np
from sklearn.pipeline import Pipeline

from ...explain import LeaveOneOutDisplay, draw_legend
from ._svg import axis_of, without_outliers

# matplotlib draws with placeholder colours, which the page's CSS colours replace.
TEXT_COLOR, MUTED_COLOR, ACCENT_COLOR = "#010203", "#040506", "#070809"
CSS_COLORS = {
    TEXT_COLOR: "currentColor",
    MUTED_COLOR: "var(--muted)",
    ACCENT_COLOR: "var(--accent)",
}
STYLE = {
    "svg.fonttype": "none",
    # Dollar signs in the names of a table do not start a formula.
    "text.parse_math": False,
    "text.color": TEXT_COLOR,
    "axes.labelcolor": TEXT_COLOR,
    "axes.edgecolor": MUTED_COLOR,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": MUTED_COLOR,
    "ytick.color": MUTED_COLOR,
    "xtick.labelcolor": TEXT_COLOR,
    "ytick.labelcolor": TEXT_COLOR,
    "legend.labelcolor": TEXT_COLOR,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 10,
}
WIDTH = 8


def is_available():
    """Return whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def has_loo_choice(estimator):
    """Return whether an estimator chose among several candidates by leave-one-out."""
    # Of a pipeline this is its last step. An attribute `loo_results_` of another form
    # than this package's does not count.
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    results = getattr(estimator, "loo_results_", None)
    candidates = results.get("params") if isinstance(results, dict) else None
    return isinstance(candidates, list) and len(candidates) > 1


def draw_loo_choice(estimator, name):
    """Return an SVG of the candidates' scores and standard errors; mark the choice."""
    # estimator: one for which `has_loo_choice` is true. LeaveOneOutDisplay may raise
    # any error if `loo_results_` is malformed.
    from matplotlib.ticker import LogFormatter

    def draw(figure):
        ax = figure.subplots()
        display = LeaveOneOutDisplay.from_estimator(estimator, ax=ax)
        ax.set_ylabel(f"{display.score.replace('_', ' ')}, leaving one out")
        ax.set_title(name, loc="left", fontsize=10)
        if isinstance(ax.xaxis.get_major_formatter(), LogFormatter):
            _use_plain_labels(ax)
        _leave_out_far_candidates(ax, display.lines_)
        if display.annotation_:
            # The page's CSS draws the halo: matplotlib would turn letters into paths.
            display.annotation_.set(path_effects=[], gid="chosen")
        if display.hue:
            title = ", ".join(display.hue)
            draw_legend(ax, display.lines_, display.line_, title, beside=True)
        elif display.bands_[0]:
            display.bands_[0].set_color(MUTED_COLOR)
        return _line_colors(display.lines_)

    return _to_svg(draw, 3.6, f"loo-{name}")


def _line_colors(lines):
    """Return the CSS colour for each colour that matplotlib gave to the lines."""
    from matplotlib.colors import to_hex

    colors = list(dict.fromkeys(to_hex(line.get_color()) for line in lines))
    if len(colors) == 1:
        return {colors[0]: CSS_COLORS[ACCENT_COLOR]}
    shares = np.linspace(0, 100, len(colors)).round()
    return {
        color: f"color-mix(in oklch, var(--first), var(--last) {share:.0f}%)"
        for color, share in zip(colors, shares)
    }


def _leave_out_far_candidates(ax, lines):
    """Limit the scores to those that are no outliers, so that the others differ."""
    scores = np.concatenate([np.asarray(line.get_ydata(), float) for line in lines])
    scores = scores[np.isfinite(scores)]
    if len(without_outliers(scores)) < len(scores):
        axis = axis_of(scores)
        ax.set_ylim(axis.low, axis.high)


def _use_plain_labels(ax):
    # matplotlib writes the labels of a logarithmic scale as formulas; STYLE disables
    # them.
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")


def _to_svg(draw, height, name):
    """Run `draw` on a figure and return it as an SVG element for the page."""
    # height: in inches. All figures have the same width, so their letters have the same
    # size. name: makes the identifiers unique within the page. draw(figure) may return
    # more colours to replace, {colour: CSS colour}.
    import matplotlib
    from matplotlib.figure import Figure

    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    # matplotlib hashes the content with this salt: equal figures have equal names.
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": prefix}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        colors = CSS_COLORS | (draw(figure) or {})
        buffer = io.StringIO()
        no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=no_metadata)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for placeholder, css in colors.items():
        svg = svg.replace(placeholder, css)
    # The page sets the font family; matplotlib writes it in either of two ways.
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    for start in ('id="', 'href="#', "url(#"):
        svg = svg.replace(start, f"{start}{prefix}-")
    return svg
