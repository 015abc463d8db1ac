"""Draws the figures of the report by matplotlib, in the colours of the page."""

import io
import re

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import (
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
)
from sklearn.pipeline import Pipeline

from ...explain import (
    BeliefNetworkDisplay,
    ImportanceDisplay,
    LeaveOneOutDisplay,
    draw_legend,
)
from .._formatting import format_number
from .._metrics import corrected_interval

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
    "legend.framealpha": 0,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 10,
}
# Inches. Narrow, so that the letters can be read on a telephone.
WIDTH = 5.2
# More points need megabytes and hide each other.
MAX_POINTS = 1500
# Values farther from the quartiles than this multiple of their range are outliers.
OUTLIER_RANGES, MIN_VALUES_FOR_OUTLIERS = 5, 5
N_BINS = 10


def score_figure(outcomes, k, metric, test_ratio):
    """Return a strip for each learner: its mean score, the interval, and the folds."""
    rows = [
        (one.learner.name, one.scores[:, k])
        for one in outcomes
        if np.isfinite(one.scores[:, k]).all()
    ]
    if not rows:
        return ""
    means = np.array([scores.mean() for _, scores in rows])
    ends = np.array([corrected_interval(scores, test_ratio) for _, scores in rows])

    def draw(figure):
        ax = figure.subplots()
        for i, (name, scores) in enumerate(rows):
            ax.plot(ends[i], [i, i], color=ACCENT_COLOR, linewidth=2)
            ax.plot(means[i], i, "o", color=ACCENT_COLOR, markersize=6)
            ax.plot(scores, np.full(len(scores), i), "|", color=MUTED_COLOR)
            text = (
                f"{format_number(means[i])} [{', '.join(map(format_number, ends[i]))}]"
            )
            for x, shown, side in ((0, name, "left"), (1, text, "right")):
                ax.text(x, i - 0.3, shown, ha=side, transform=ax.get_yaxis_transform())
        usual = inliers(means)
        low, high = ends[usual].min(), ends[usual].max()
        margin = 0.03 * (high - low) or 0.1
        ax.set_xlim(low - margin, high + margin)
        ax.set_ylim(len(rows) - 0.5, -0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        better = "higher" if metric.higher_is_better else "lower"
        ax.set_xlabel(f"{metric.name}: {better} is better")

    return to_svg(draw, 0.6 + 0.5 * len(rows), f"scores {metric.name}")


def inliers(values):
    """Return a mask of the values that are no outliers, or of all."""
    # If the quartiles are equal, those of the values that differ from them count.
    finite = reference = values[np.isfinite(values)]
    for _ in range(2):
        if len(reference) < MIN_VALUES_FOR_OUTLIERS:
            return np.isfinite(values)
        first, third = np.quantile(reference, [0.25, 0.75])
        if first < third:
            break
        reference = finite[finite != first]
    limit = OUTLIER_RANGES * (third - first)
    inside = (values >= first - limit) & (values <= third + limit)
    return inside if inside.any() and limit > 0 else np.isfinite(values)


def residual_figures(held_out, seed):
    """Return true against predicted values, and residuals against predicted ones."""
    y, predicted = held_out.y, held_out.predicted
    inside = inliers(y) & inliers(predicted) & inliers(y - predicted)
    n_outside = len(y) - inside.sum()

    def draw(figure):
        kinds = "actual_vs_predicted", "residual_vs_predicted"
        for ax, kind in zip(figure.subplots(2), kinds):
            PredictionErrorDisplay.from_predictions(
                y[inside],
                predicted[inside],
                kind=kind,
                subsample=min(MAX_POINTS, int(inside.sum())),
                random_state=seed,
                ax=ax,
                scatter_kwargs={"alpha": 0.5, "s": 12, "color": ACCENT_COLOR},
                line_kwargs={"color": MUTED_COLOR},
            )

    return to_svg(draw, 7.5, "residuals"), n_outside


def class_figures(held_out, classes):
    """Return the curves of two classes, of the probability of the second."""

    def draw(figure):
        for ax, display in zip(
            figure.subplots(2), (RocCurveDisplay, PrecisionRecallDisplay)
        ):
            ax.set_prop_cycle(color=[ACCENT_COLOR])
            display.from_predictions(
                held_out.y, held_out.proba[:, 1], pos_label=classes[1], ax=ax
            )
            ax.set_aspect("auto")

    return to_svg(draw, 7, "curves")


def calibration_figure(held_out):
    """Return how often predictions of each probability of their class were right."""
    right = held_out.predicted == held_out.y

    def draw(figure):
        ax = figure.subplots()
        probability = held_out.proba.max(axis=1).clip(0, 1)
        CalibrationDisplay.from_predictions(
            right, probability, n_bins=N_BINS, ax=ax, color=ACCENT_COLOR
        )
        ax.set_xlabel("mean probability of the predicted class")
        ax.set_ylabel("share of right predictions")
        ax.set_aspect("auto")
        ax.get_legend().remove()

    return to_svg(draw, 3.4, "calibration")


def importance_figure(names, importances, errors, label):
    """Return bars of importances, the largest first."""

    def draw(figure):
        ImportanceDisplay(
            importances=importances, names=names, label=label, errors=errors
        ).plot(figure.subplots())

    return to_svg(draw, 1.1 + 0.3 * min(20, len(names)), "importances")


def model_figure(estimator, X):
    """Return the display of a fitted estimator, "" if it has none."""
    if hasattr(estimator, "structure_") and hasattr(estimator, "network_"):

        def draw(figure):
            BeliefNetworkDisplay.from_estimator(estimator, ax=figure.subplots())

        return to_svg(draw, 5, "network")
    is_explained = hasattr(estimator, "explain") and not hasattr(estimator, "power_")
    if not is_explained or hasattr(estimator, "retrieve"):
        return ""

    def draw(figure):
        ImportanceDisplay.from_estimator(
            estimator, X, method="contribution", ax=figure.subplots()
        )

    return to_svg(draw, 1.1 + 0.3 * min(20, X.shape[1]), "contributions")


def has_loo_choice(estimator):
    """Return whether an estimator chose among several candidates by leave-one-out."""
    # Of a pipeline this is its last step. An attribute `loo_results_` of another form
    # than this package's does not count.
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    results = getattr(estimator, "loo_results_", None)
    candidates = results.get("params") if isinstance(results, dict) else None
    return isinstance(candidates, list) and len(candidates) > 1


def loo_figure(estimator, name):
    """Return the candidates' scores and standard errors, with a mark at the choice."""
    # estimator: one for which `has_loo_choice` is true. LeaveOneOutDisplay may raise
    # any error if `loo_results_` is malformed.

    def draw(figure):
        ax = figure.subplots()
        display = LeaveOneOutDisplay.from_estimator(estimator, ax=ax)
        ax.set_ylabel(f"{display.score.replace('_', ' ')}, leaving one out")
        ax.set_title(name, loc="left", fontsize=10)
        if isinstance(ax.xaxis.get_major_formatter(), LogFormatter):
            # matplotlib writes the labels of a logarithmic scale as formulas; STYLE
            # disables them.
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter("")
        if display.annotation_:
            # The page's CSS draws the halo: matplotlib would turn letters into paths.
            display.annotation_.set(path_effects=[], gid="chosen")
        if display.hue:
            draw_legend(ax, display.lines_, display.line_, display.hue, beside=True)
        return _line_colors(display.lines_)

    return to_svg(draw, 3.4, f"loo-{name}")


def _line_colors(lines):
    """Return the CSS colour for each colour that matplotlib gave to the lines."""
    colors = list(dict.fromkeys(to_hex(line.get_color()) for line in lines))
    if len(colors) == 1:
        return {colors[0]: CSS_COLORS[ACCENT_COLOR]}
    shares = np.linspace(0, 100, len(colors)).round()
    return {
        color: f"color-mix(in oklch, var(--first), var(--last) {share:.0f}%)"
        for color, share in zip(colors, shares)
    }


def to_svg(draw, height, name):
    """Run `draw` on a figure and return it as an SVG element for the page."""
    # height: in inches. All figures have the same width, so their letters have the same
    # size. name: makes the identifiers unique within the page. draw(figure) may return
    # more colours to replace, {colour: CSS colour}.
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
