"""Draws the report's figures as SVG, with colours and font from the page's CSS."""

import io
import re

import numpy as np
from sklearn.pipeline import Pipeline

from ...inspection import LeaveOneOutDisplay
from ...inspection._curve_artists import draw_legend
from .._metrics import METRICS

# More points than this are drawn as a bitmap: as vector paths they need megabytes.
MAX_VECTOR_POINTS = 2000
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
WIDTH, INCH_PER_LEARNER = 8, 0.42
# Above this ratio of the largest to the smallest value the axis is logarithmic.
MIN_LOG_SCALE_RATIO = 20
OUTLIER_RANGES, MIN_VALUES_FOR_OUTLIERS = 5, 5


def is_available():
    """Return whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def draw_scores(comparison):
    """Draw the mean ± standard deviation and the folds of each learner, best on top."""
    done = [outcome for outcome in comparison.outcomes if not outcome.failure]
    height = np.arange(len(done))[::-1]

    def draw(figure):
        axes = figure.subplots(1, 2, sharey=True)
        for k, (ax, metric) in enumerate(zip(axes, METRICS[comparison.table.task])):
            scores = np.array([outcome.scores[:, k] for outcome in done])
            _draw_folds(ax, height, scores)
            better = "higher" if metric.higher_is_better else "lower"
            ax.set_xlabel(f"{metric.name} ({better} is better)")
            if not metric.higher_is_better and _needs_log_scale(scores.mean(axis=1)):
                ax.set_xscale("log")
                _use_plain_labels(ax)
            elif limits := limits_without_outliers(scores.mean(axis=1)):
                ax.set_xlim(*limits)
        axes[0].set_yticks(height, [outcome.learner.name for outcome in done])

    return _to_svg(draw, 1.2 + INCH_PER_LEARNER * len(done), "scores")


def _draw_folds(ax, height, scores):
    mean, deviation = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    below = np.repeat(height - 0.22, scores.shape[1])
    ax.plot(scores.ravel(), below, "|", color=MUTED_COLOR, markersize=6)
    ax.errorbar(mean, height, xerr=deviation, fmt="o", color=ACCENT_COLOR, markersize=5)
    ax.set_ylim(-0.7, len(height) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=MUTED_COLOR, alpha=0.25, linewidth=0.6)


def has_loo_choice(estimator):
    """Return whether an estimator chose among several candidates by leave-one-out.

    Of a pipeline this is its last step. An attribute ``loo_results_`` of another form
    than this package's does not count.
    """
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    results = getattr(estimator, "loo_results_", None)
    candidates = results.get("params") if isinstance(results, dict) else None
    return isinstance(candidates, list) and len(candidates) > 1


def draw_loo_choice(estimator, name):
    """Draw the score of each candidate with its standard error; mark the chosen one.

    Parameters
    ----------
    estimator : object
        One for which :func:`has_loo_choice` is true. LeaveOneOutDisplay may raise any
        error if ``loo_results_`` is malformed.
    name : str
    """
    from matplotlib.ticker import LogFormatter

    def draw(figure):
        ax = figure.subplots()
        display = LeaveOneOutDisplay.from_estimator(estimator, ax=ax)
        ax.set_ylabel(f"{display.score.replace('_', ' ')}, leaving one out")
        ax.set_title(name, loc="left", fontsize=10)
        if isinstance(ax.xaxis.get_major_formatter(), LogFormatter):
            _use_plain_labels(ax)
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


def draw_predictions(held_out):
    """Draw predicted against true values of the held-out part."""
    low = min(held_out.y.min(), held_out.predicted.min())
    high = max(held_out.y.max(), held_out.predicted.max())

    def draw(figure):
        ax = figure.subplots()
        ax.plot([low, high], [low, high], "-", color=MUTED_COLOR, linewidth=0.8)

        ax.plot(
            held_out.y,
            held_out.predicted,
            "o",
            color=ACCENT_COLOR,
            alpha=0.5,
            ms=3,
            rasterized=len(held_out.y) > MAX_VECTOR_POINTS,
        )
        if limits := limits_without_outliers(held_out.predicted, held_out.y):
            ax.set_ylim(*limits)
        if limits := limits_without_outliers(held_out.y):
            ax.set_xlim(*limits)
        ax.set_xlabel("true")
        ax.set_ylabel("predicted")

    return _to_svg(draw, 4, "answers")


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


def limits_without_outliers(values, reference=None):
    """Return limits of an axis that hide outliers, None if there are none.

    Outliers are more than `OUTLIER_RANGES` interquartile ranges of the reference
    values, by default the values themselves, away from the quartiles.
    """
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    reference = values if reference is None else np.asarray(reference, dtype=float)
    if len(values) == 0 or len(reference) < MIN_VALUES_FOR_OUTLIERS:
        return None
    low, high = np.quantile(reference, [0.25, 0.75])
    reach = OUTLIER_RANGES * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    if len(inside) == len(values) or len(inside) == 0 or reach == 0:
        return None
    margin = 0.05 * (inside.max() - inside.min())
    return inside.min() - margin, inside.max() + margin


def _needs_log_scale(values):
    positive = len(values) > 0 and np.min(values) > 0
    return positive and np.max(values) > MIN_LOG_SCALE_RATIO * np.min(values)


def _use_plain_labels(ax):
    # matplotlib writes the labels of a logarithmic scale as formulas; STYLE disables
    # them.
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")


def _to_svg(draw, height, name):
    """Run `draw` on a figure and return the figure as an SVG element for the page.

    The height is in inches. All figures have the same width, so their letters have the
    same size. `name` makes the identifiers unique within the page. `draw` may return
    more colours to replace by CSS colours.
    """
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
