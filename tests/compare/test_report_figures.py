"""Axes and figures of the report: limits, ticks, intervals and positions of marks.

Code under test: `compare/_report/_figures.py`, `compare/_report/_svg.py`.
"""

import re

import numpy as np
import pytest
from scipy.stats import t

from sklearn_bayeslazy.compare._metrics import corrected_p_value
from sklearn_bayeslazy.compare._outcome import HeldOut
from sklearn_bayeslazy.compare._report import _figures, _svg
from tests.helpers.html_checker import Checker, check


def numbers_of(svg, tag, attribute):
    """Return an attribute of all elements of a name, as numbers."""
    pattern = rf'<{tag} [^>]*\b{attribute}="([-\d.]+)%?"'
    return [float(value) for value in re.findall(pattern, svg)]


class TestAxis:
    """Limits, positions and ticks."""

    def test_positions(self):
        axis = _svg.Axis(10, 30)
        assert axis.position([10, 15, 30, 40]).tolist() == [0, 25, 100, 150]
        assert axis.clipped([0, 15, 40]).tolist() == [0, 25, 100]
        log = _svg.Axis(1, 100, is_log=True)
        np.testing.assert_allclose(log.position([1, 10, 100]), [0, 50, 100])
        assert log.clipped([0, -1]).tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("axis", "labels"),
        [
            (_svg.Axis(0, 1), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (_svg.Axis(-7, 12), ["-5", "0", "5", "10"]),
            (_svg.Axis(0.91, 0.93), ["0.910", "0.915", "0.920", "0.925", "0.930"]),
            (_svg.Axis(0, 4e6), ["0", "1e+06", "2e+06", "3e+06", "4e+06"]),
            (_svg.Axis(0.4, 6, is_log=True), ["0.5", "1", "2", "5"]),
            (_svg.Axis(0.04, 600, is_log=True), ["0.1", "1", "10", "100"]),
        ],
    )
    def test_ticks_are_round(self, axis, labels):
        assert [label for _, label in axis.ticks()] == labels
        for value, label in axis.ticks():
            assert value == pytest.approx(float(label), abs=1e-12)

    @pytest.mark.parametrize("seed", range(20))
    def test_ticks_are_few_and_within_the_limits(self, seed):
        rng = np.random.default_rng(seed)
        low = rng.normal() * 10.0 ** rng.integers(-6, 9)
        axis = _svg.Axis(low, low + rng.random() * 10.0 ** rng.integers(-3, 9))
        ticks = [value for value, _ in axis.ticks()]
        assert 2 <= len(ticks) <= 7
        reach = 1e-9 * (abs(axis.low) + abs(axis.high))
        assert min(ticks) >= axis.low - reach
        assert max(ticks) <= axis.high + reach
        assert len({label for _, label in axis.ticks()}) == len(ticks) or reach > 1e-3

    @pytest.mark.parametrize("outlier", [1e9, -1e9, np.inf, np.nan])
    @pytest.mark.parametrize("kind", ["normal", "mostly 0", "two values"])
    def test_an_outlier_does_not_flatten_the_rest(self, outlier, kind):
        values = {
            "normal": np.random.default_rng(0).normal(size=100),
            "mostly 0": np.r_[np.zeros(90), np.linspace(1, 9, 10)],
            "two values": np.tile([0.0, 1.0], 50),
        }[kind]
        axis = _svg.axis_of([*values, outlier])
        assert axis.high - axis.low < 1.2 * np.ptp(values)

    def test_limits_of_scores_are_not_passed(self):
        axis = _svg.axis_of([0.9, 0.99, 1.0], low=0, high=1)
        assert axis.high == 1
        assert 0.85 < axis.low < 0.9

    @pytest.mark.parametrize("values", [[], [np.nan], [3.0], [0.0] * 9, [-2.0] * 3])
    def test_no_spread(self, values):
        axis = _svg.axis_of(values)
        assert axis.low < axis.high
        assert np.isfinite([axis.low, axis.high]).all()
        assert len(axis.ticks()) >= 2

    def test_values_far_apart_have_a_logarithmic_axis(self):
        assert _svg.axis_of([0.1, 30], log=True).is_log
        assert not _svg.axis_of([0.1, 1], log=True).is_log
        assert not _svg.axis_of([0, 30], log=True).is_log


@pytest.mark.parametrize("seed", range(10))
def test_an_interval_ends_where_the_paired_test_has_p_of_5_per_cent(seed):
    rng = np.random.default_rng(seed)
    scores, ratio = rng.normal(size=rng.integers(2, 12)), rng.random()
    low, high = _figures.corrected_interval(scores, ratio)
    assert low + high == pytest.approx(2 * scores.mean())
    for end in (low, high):
        assert corrected_p_value(scores - end, ratio) == pytest.approx(0.05)


def test_an_interval_without_overlap_is_that_of_students_t():
    scores = np.array([0.7, 0.8, 0.9, 0.65])
    expected = t.interval(0.95, 3, scores.mean(), scores.std(ddof=1) / 2)
    assert _figures.corrected_interval(scores, 0) == pytest.approx(expected)


def test_a_strip_has_its_marks_at_the_scores():
    axis = _svg.Axis(0, 1)
    svg = _svg.strip(axis, 0.5, (0.25, 0.75), [0.5, 1.5])
    assert numbers_of(svg, "circle", "cx") == [50]
    assert numbers_of(svg, "line", "x1") == [50, 25]  # one fold, then the interval
    assert numbers_of(svg, "line", "x2") == [50, 75]
    for mean, arrow in ((7, "▸"), (-7, "◂")):
        svg = _svg.strip(axis, mean, (mean - 1, mean + 1), [mean])
        assert "<circle" not in svg
        assert Checker(svg).text == [arrow]


def test_calibration_has_a_point_and_an_interval_for_each_bin():
    svg = _figures.calibration_figure([(0.5, 0.6, 4, 0.5, 0.5), (0.9, 1, 10, 1.0, 0.9)])
    check(svg)
    assert numbers_of(svg, "circle", "cx") == [0, 100]
    assert numbers_of(svg, "circle", "cy") == [50, 10]
    # Wilson: center (p + z²/2n) / (1 + z²/n); with n = 4 and p = 1/2 it is 1/2.
    first = re.search(r'<line class="interval".*?>', svg).group()
    ends = numbers_of(first, "line", "y1") + numbers_of(first, "line", "y2")
    assert sum(ends) == pytest.approx(100, abs=0.02)


def test_residuals_leave_out_what_is_far_away_and_say_so():
    y = np.arange(100.0)
    predicted = y + np.tile([1.0, -1.0], 50)
    predicted[7] = 1e8
    scores = np.zeros(2)
    figures = _figures.residual_figures(HeldOut(y, predicted, scores), seed=0)
    text = " ".join(check(figures).text)
    assert "1 row of 100 lies outside a frame." in text
    assert "half of them from -1 to 1" in text
    assert figures.count("<circle") == 2 * 99
    heights = numbers_of(figures, "circle", "cy")[:99]
    assert np.ptp(heights) > 80


def test_many_points_are_sampled():
    y = np.linspace(0, 1, 4000)
    held_out = HeldOut(y, y + 0.01 * np.sin(1e4 * y), np.zeros(2))
    figures = _figures.residual_figures(held_out, seed=0)
    assert figures.count("<circle") == 2 * _svg.MAX_POINTS
    assert f"A random {_svg.MAX_POINTS} of 4000 rows are drawn." in figures


@pytest.mark.parametrize("predicted", [0.5, 1e9, -1e9])
def test_constant_predictions_are_drawn(predicted):
    y = np.linspace(0, 1, 30)
    held_out = HeldOut(y, np.full(30, predicted), np.zeros(2))
    check(_figures.residual_figures(held_out, seed=0))
