"""Draws the report's figures as SVG that takes its colours and font from the page."""

import io
import re

import numpy as np

from ._metrics import METRICS
from ._numbers import setting

# Colours that matplotlib is told and the page's own that take their place.
# More points than this are drawn as a picture: as paths they would fill megabytes.
MOST_PATHS = 2000
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
                _take_logs(ax, "log")
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


def loo_curve(estimator):
    """Return the curve of a leave-one-out choice, if the estimator made one.

    Parameters
    ----------
    estimator : object
        A pipeline counts as its last step. Its ``loo_results_`` maps "params" to a
        list of dicts, "mean_<score>" and, if known, "standard_error_<score>" and "rank"
        to arrays. Its ``loo_scoring`` names the score, else the first is taken.

    Returns
    -------
    curve : tuple (parameter, score, x, mean, error, best) or None
        Names of the first numeric parameter that varies and of the score; then arrays
        along the parameter's values, where other parameters vary too at the best of
        their values; last the position of the best.
    """
    estimator = getattr(estimator, "steps", [(None, estimator)])[-1][1]
    results = getattr(estimator, "loo_results_", None) or {}
    scores = [key[5:] for key in results if key.startswith("mean_")]
    wanted = getattr(estimator, "loo_scoring", None)
    score = wanted if wanted in scores else next(iter(scores), None)
    candidates = results.get("params")
    if score is None or not candidates:
        return None
    mean = np.asarray(results[f"mean_{score}"], dtype=float)
    error = results.get(f"standard_error_{score}", np.zeros_like(mean))
    # The rank knows how ties were broken.
    rank = results.get("rank", -mean if score == "accuracy" else mean)
    for name in candidates[0]:
        best = {}
        for index, candidate in enumerate(candidates):
            x = candidate.get(name)
            if _is_number(x) and np.isfinite(mean[index]):
                rival = best.setdefault(x, index)
                best[x] = min(rival, index, key=lambda i: rank[i])
        if len(best) > 1:
            order = [best[x] for x in sorted(best)]
            return (
                name,
                score,
                np.array(sorted(best)),
                mean[order],
                np.array(error)[order],
                int(np.argmin(np.asarray(rank)[order])),
            )
    return None


def draw_loo_curve(curve, name):
    """Draw the score of each candidate with its standard error; mark the best."""
    parameter, score, x, mean, error, best = curve

    def draw(figure):
        ax = figure.subplots()
        ax.fill_between(x, mean - error, mean + error, color=PALE, alpha=0.2, lw=0)
        ax.plot(x, mean, "-", color=ACCENT)
        ax.plot(x[best], mean[best], "o", color=ACCENT)
        label = f"{parameter} = {setting(x[best])}"
        below = {"xytext": (0, -10), "textcoords": "offset points", "va": "top"}
        ax.annotate(label, (x[best], mean[best]), ha="center", **below)
        ax.margins(y=0.2)
        if _is_wide(x[x > 0]) and x[0] >= 0:
            _take_logs(ax, "symlog", linthresh=x[x > 0][0])
        ax.set_xlabel(parameter)
        ax.set_ylabel(f"{score.replace('_', ' ')}, leaving one out")
        ax.set_title(name, loc="left", fontsize=10)

    return _to_svg(draw, 3, f"loo-{name}")


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


def _is_number(value):
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _is_wide(values):
    positive = len(values) > 0 and np.min(values) > 0
    return positive and np.max(values) > LOG_RATIO * np.min(values)


def _take_logs(ax, scale, **parameters):
    ax.set_xscale(scale, **parameters)
    # The scale's own labels are formulas, which STYLE switches off.
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")


def _to_svg(draw, height, name):
    """Run `draw` on a figure and return it as an SVG element to stand in a page.

    The height is in inches, the width the same for all, so that letters are too. The
    `name` sets its identifiers apart from those of the page's other figures.
    """
    import matplotlib
    from matplotlib.figure import Figure

    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    # Matplotlib names the parts by their content and this salt: the same page again.
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": prefix}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
        buffer = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=nothing)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for told, meant in PAGE_COLOURS.items():
        svg = svg.replace(told, meant)
    # The family is the page's; matplotlib writes it in either of two ways.
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    for start in ('id="', 'href="#', "url(#"):
        svg = svg.replace(start, f"{start}{prefix}-")
    return svg
