"""Draws the report's figures as SVG that takes its colours and font from the page."""

import io
import re

import numpy as np
from sklearn.pipeline import Pipeline

from ..inspection import LeaveOneOutDisplay
from ..inspection._curve_artists import draw_legend
from ._metrics import METRICS

# More points than this are drawn as a picture: as paths they would fill megabytes.
MOST_PATHS = 2000
# Colours that matplotlib is told and the page's own that take their place.
INK, PALE, ACCENT = "#010203", "#040506", "#070809"
PAGE_COLOURS = {INK: "currentColor", PALE: "var(--muted)", ACCENT: "var(--accent)"}
STYLE = {
    "svg.fonttype": "none",
    # Names from the table may hold dollar signs, which are no formulas here.
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": PALE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": PALE,
    "ytick.color": PALE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.labelcolor": INK,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 10,
}
WIDTH, INCH_PER_LEARNER = 8, 0.42
# Beyond this ratio of largest to smallest a straight axis hides the smaller.
LOG_RATIO = 20


def is_available():
    """Tell whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def draw_scores(comparison):
    """Draw mean ± spread and the single folds of every learner, best on top."""
    done = [outcome for outcome in comparison.outcomes if not outcome.failure]
    height = np.arange(len(done))[::-1]

    def draw(figure):
        axes = figure.subplots(1, 2, sharey=True)
        for k, (ax, metric) in enumerate(zip(axes, METRICS[comparison.table.task])):
            scores = np.array([outcome.scores[:, k] for outcome in done])
            _draw_folds(ax, height, scores)
            better = "more" if metric.higher_is_better else "less"
            ax.set_xlabel(f"{metric.name} ({better} is better)")
            if not metric.higher_is_better and _is_wide(scores.mean(axis=1)):
                ax.set_xscale("log")
                _label_plainly(ax)
        axes[0].set_yticks(height, [outcome.learner.name for outcome in done])

    return _to_svg(draw, 1.2 + INCH_PER_LEARNER * len(done), "scores")


def _draw_folds(ax, height, scores):
    mean, spread = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    below = np.repeat(height - 0.22, scores.shape[1])
    ax.plot(scores.ravel(), below, "|", color=PALE, markersize=6)
    ax.errorbar(mean, height, xerr=spread, fmt="o", color=ACCENT, markersize=5)
    ax.set_ylim(-0.7, len(height) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=PALE, alpha=0.25, linewidth=0.6)


def chose_by_loo(estimator):
    """Tell whether an estimator, of a pipeline the last step, chose by leave-one-out.

    One candidate is no choice, and what is no dict with a list is somebody else's.
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
        One that :func:`chose_by_loo`. Where its ``loo_results_`` are not as
        LeaveOneOutDisplay expects them, whatever error is raised.
    name : str
    """
    from matplotlib.ticker import LogFormatter

    def draw(figure):
        ax = figure.subplots()
        display = LeaveOneOutDisplay.from_estimator(estimator, ax=ax)
        ax.set_ylabel(f"{display.score.replace('_', ' ')}, leaving one out")
        ax.set_title(name, loc="left", fontsize=10)
        if isinstance(ax.xaxis.get_major_formatter(), LogFormatter):
            _label_plainly(ax)
        if display.annotation_:
            # The page draws its halo; matplotlib would turn the letters into paths.
            display.annotation_.set(path_effects=[], gid="chosen")
        if display.hue:
            title = ", ".join(display.hue)
            draw_legend(ax, display.lines_, display.line_, title, beside=True)
        elif display.bands_[0]:
            display.bands_[0].set_color(PALE)
        return _colours_of_lines(display.lines_)

    return _to_svg(draw, 3.6, f"loo-{name}")


def draw_answers(held_out):
    """Draw the predicted against the true numbers of the held-out part."""
    low = min(held_out.y.min(), held_out.predicted.min())
    high = max(held_out.y.max(), held_out.predicted.max())

    def draw(figure):
        ax = figure.subplots()
        ax.plot([low, high], [low, high], "-", color=PALE, linewidth=0.8)
        many = len(held_out.y) > MOST_PATHS
        ax.plot(
            held_out.y,
            held_out.predicted,
            "o",
            color=ACCENT,
            alpha=0.5,
            ms=3,
            rasterized=many,
        )
        ax.set_xlabel("true")
        ax.set_ylabel("predicted")

    return _to_svg(draw, 4, "answers")


def _colours_of_lines(lines):
    """Return the page's colours for those that matplotlib gave to lines, in order."""
    from matplotlib.colors import to_hex

    told = list(dict.fromkeys(to_hex(line.get_color()) for line in lines))
    if len(told) == 1:
        return {told[0]: PAGE_COLOURS[ACCENT]}
    shares = np.linspace(0, 100, len(told)).round()
    return {
        colour: f"color-mix(in oklch, var(--first), var(--last) {share:.0f}%)"
        for colour, share in zip(told, shares)
    }


def _is_wide(values):
    positive = len(values) > 0 and np.min(values) > 0
    return positive and np.max(values) > LOG_RATIO * np.min(values)


def _label_plainly(ax):
    # The labels of a logarithmic scale are formulas, which STYLE switches off.
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")


def _to_svg(draw, height, name):
    """Run `draw` on a figure and return it as an SVG element to stand in a page.

    The height is in inches, the width the same for all, so that letters are too. The
    `name` sets its identifiers apart from those of the page's other figures. `draw` may
    return more colours that the page replaces.
    """
    import matplotlib
    from matplotlib.figure import Figure

    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    # Matplotlib names the parts by their content and this salt: the same page again.
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": prefix}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        colours = PAGE_COLOURS | (draw(figure) or {})
        buffer = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=nothing)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for told, meant in colours.items():
        svg = svg.replace(told, meant)
    # The family is the page's; matplotlib writes it in either of two ways.
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    for start in ('id="', 'href="#', "url(#"):
        svg = svg.replace(start, f"{start}{prefix}-")
    return svg
