"""The report's figures of scores, calibration and residuals."""

import numpy as np
from scipy.stats import binomtest, t

from .._formatting import format_number, with_count
from .._metrics import TASK_METRICS
from . import _svg
from ._html import escape_text, html_table, paragraph
from ._svg import Axis, axis_of, without_outliers

# The coverage of all intervals.
LEVEL = 0.95
# No score is beyond these.
BOUNDS = {"accuracy": (0, 1), "log loss": (0, np.inf), "R²": (-np.inf, 1)}


def corrected_interval(scores, test_ratio):
    """Return the 95 % interval of the mean of scores over folds.

    >>> low, high = corrected_interval([1, 3], 1)
    >>> round(high - 2, 2)
    22.01
    """
    # scores: (k,). test_ratio: n₂/n₁, the size of the scored part over that of the
    # training part. Because the training parts of the folds overlap, the variance of
    # the mean is (1/k + n₂/n₁) s², as in `corrected_p_value`.
    # The doctest: with mean 2, variance 2 and n₂/n₁ = 1 the standard error is
    # √((1/2 + 1) 2) = 1.732; the quantile of t with one degree of freedom is 12.706.
    k = len(scores)
    error = np.sqrt((1 / k + test_ratio) * np.var(scores, ddof=1))
    half_width = t.ppf((1 + LEVEL) / 2, k - 1) * error
    return float(np.mean(scores) - half_width), float(np.mean(scores) + half_width)


def score_figures(comparison):
    """Return a figure for each metric: all learners, in the order of the results."""
    done = [outcome for outcome in comparison.outcomes if not outcome.failure]
    figures = []
    for k, metric in enumerate(TASK_METRICS[comparison.table.task]):
        rows = [(one.learner.name, one.scores[:, k]) for one in done]
        rows = [(name, scores) for name, scores in rows if np.isfinite(scores).all()]
        if rows:
            figures.append(_score_figure(comparison, metric, rows))
    return "\n".join(figures)


def _score_figure(comparison, metric, rows):
    low, high = BOUNDS.get(metric.name, (0, np.inf))
    ratio = 1 / (comparison.n_folds - 1)
    intervals = [
        np.clip(corrected_interval(scores, ratio), low, high) for _, scores in rows
    ]
    means = np.array([scores.mean() for _, scores in rows])
    axis = axis_of(means, log=not metric.higher_is_better)
    if not axis.is_log:
        # The intervals of the learners whose means are no outliers.
        usual = np.isin(means, without_outliers(means))
        axis = axis_of(np.array(intervals)[usual], low=low, high=high)
    cells = [
        [
            name,
            _svg.strip(axis, mean, interval, scores),
            f"{format_number(mean)} [{', '.join(map(format_number, interval))}]",
        ]
        for (name, scores), mean, interval in zip(rows, means, intervals)
    ]
    cells.append(["", _svg.scale(axis), ""])
    better = "higher" if metric.higher_is_better else "lower"
    return (
        f'<div class="strips"><h3>{escape_text(metric.name)}: {better} is better</h3>'
        + (
            html_table(
                ["learner", "", "mean [95 % interval]"],
                cells,
                ["name", "drawing", "number"],
                raw=(1,),
            )
            + "</div>"
        )
    )


def calibration_figure(bins):
    """Return the shares of right predictions by probability, with 95 % intervals."""
    # bins: list of (low, high, n_rows, mean_probability, share_right), see
    # `calibration`.
    axis_x = Axis(min(0.5, bins[0][0]), 1)
    axis_y = Axis(0, 1)
    marks = [_svg.segment(axis_x, axis_y, (axis_x.low,) * 2, (1, 1))]
    for _, _, n, mean, right in bins:
        interval = binomtest(round(right * n), n).proportion_ci(LEVEL, "wilson")
        ends = (mean, interval.low), (mean, interval.high)
        marks.append(_svg.segment(axis_x, axis_y, *ends, name="interval"))
    means, shares = np.array([one[3:] for one in bins]).T
    marks += _svg.points(axis_x, axis_y, means, shares, radius=5)
    return _svg.plot(
        axis_x,
        axis_y,
        marks,
        x_label="mean probability of the predicted class",
        y_label="share of right predictions",
    )


def residual_figures(held_out, seed):
    """Return predicted against true values, and residuals against predicted ones."""
    # Points that are far from the others are outside the frame, and counted in a note.
    y, predicted = held_out.y, held_out.predicted
    residuals = y - predicted
    true_axis = axis_of(y)
    predicted_axis = axis_of(predicted, reference=y)
    residual_axis = axis_of(residuals)
    shown = np.arange(len(y))
    if len(y) > _svg.MAX_POINTS:
        shown = np.random.RandomState(seed).permutation(len(y))[: _svg.MAX_POINTS]
    low = max(true_axis.low, predicted_axis.low)
    high = min(true_axis.high, predicted_axis.high)
    against_true = _svg.points(true_axis, predicted_axis, y[shown], predicted[shown])
    against_predicted = _svg.points(
        predicted_axis, residual_axis, predicted[shown], residuals[shown]
    )
    ends = (predicted_axis.low, 0), (predicted_axis.high, 0)
    if low < high:
        ends_of_diagonal = (low, low), (high, high)
        against_true.append(_svg.segment(true_axis, predicted_axis, *ends_of_diagonal))
    return (
        paragraph(_describe_residuals(residuals))
        + '<div class="plots">'
        + _svg.plot(
            true_axis,
            predicted_axis,
            against_true,
            x_label="true",
            y_label="predicted",
        )
        + _svg.plot(
            predicted_axis,
            residual_axis,
            [*against_predicted, _svg.segment(predicted_axis, residual_axis, *ends)],
            x_label="predicted",
            y_label="residual: true - predicted",
        )
        + "</div>"
        + paragraph(
            _describe_points(
                len(shown),
                len(y),
                ~true_axis.contains(y)
                | ~predicted_axis.contains(predicted)
                | ~residual_axis.contains(residuals),
            )
        )
    )


def _describe_residuals(residuals):
    low, first, median, third, high = np.quantile(
        residuals, [0.05, 0.25, 0.5, 0.75, 0.95]
    )
    return (
        f"Residuals, true minus predicted: median {median:.3g}, half of them from "
        f"{first:.3g} to {third:.3g}, nine tenths from {low:.3g} to {high:.3g}."
    )


def _describe_points(n_shown, n, outside):
    sentences = []
    if n_shown < n:
        sentences.append(f"A random {n_shown} of {n} rows are drawn.")
    if outside.any():
        verb = "lies" if outside.sum() == 1 else "lie"
        sentences.append(
            f"{with_count(outside.sum(), 'row')} of {n} {verb} outside a frame."
        )
    return " ".join(sentences) or f"All {n} rows are drawn."
