"""LeaveOneOutDisplay: the lines, bands, markers and labels that it draws.

Code under test: `explain/_curve_artists.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import LeaveOneOutDisplay, RBFNetworkRegressor, TextNB
from sklearn_bayeslazy.explain._candidates import label_of
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.leave_one_out_results import (
    EVERY_K,
    StoredChoice,
    accuracy_at,
    choice_of_k,
    choice_of_k_and_power,
    grid,
    tick_labels,
)


def edges_of_band(band, x):
    """Return the lowest and highest point of a band at x."""
    vertices = band.get_paths()[0].vertices
    heights = vertices[np.isclose(vertices[:, 0], x), 1]
    return heights.min(), heights.max()


@pytest.mark.parametrize(
    "estimator", [classical_nb(m="loo"), TextNB(temperature=1)], ids=str
)
def test_line_band_and_marker_have_the_scores_of_the_estimator(
    estimator, counts, pyplot
):
    model = estimator.fit(*counts)
    display = LeaveOneOutDisplay.from_estimator(model)
    results, score = model.loo_results_, model.loo_scoring or "accuracy"
    candidates = [candidate["m"] for candidate in results["params"]]
    mean = results[f"mean_{score}"]
    error = results[f"standard_error_{score}"]
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, candidates)
    np.testing.assert_array_equal(y, mean)
    for i in (0, 7, -1):
        low, high = edges_of_band(display.bands_[0], candidates[i])
        assert low == pytest.approx(mean[i] - error[i])
        assert high == pytest.approx(mean[i] + error[i])
    best = candidates.index(model.m_)
    assert display.chosen_.get_xydata().tolist() == [[model.m_, mean[best]]]
    assert display.annotation_.get_text().startswith(f"m = {label_of(model.m_)}\n")
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "m"
    name = score.replace("_", " ")
    assert display.ax_.get_ylabel() == f"{name}, left out (± standard error)"
    assert display.figure_ is display.ax_.figure
    assert display.error_bars_ == [None]


def test_all_training_rows_are_at_the_right_end(pyplot):
    display = LeaveOneOutDisplay.from_estimator(choice_of_k())
    np.testing.assert_array_equal(display.line_.get_xdata(), np.arange(1, 51))
    assert display.ax_.get_xscale() == "linear"
    labels = tick_labels(display)
    assert labels[-1] == "all"
    assert labels[:-1] == ["10", "20", "30", "40", "50"]
    dot, _, (bars,) = display.error_bars_[0].lines
    ((x, y),) = dot.get_xydata()
    assert 50 < x == display.ax_.get_xticks()[-1]
    assert y == pytest.approx(accuracy_at(None))
    assert np.ptp(bars.get_segments()[0][:, 1]) == pytest.approx(0.02)


def test_all_training_rows_may_be_chosen(pyplot):
    params = grid(n_neighbors=[5, 10, None])
    model = StoredChoice().fit(params, {"accuracy": [0.7, 0.8, 0.9]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.annotation_.get_text() == "n_neighbors = all\n0.900 ± 0.010"
    assert display.chosen_.get_xdata()[0] > 10


def test_a_joint_grid_has_a_line_for_each_value_of_the_other_parameter(pyplot):
    display = LeaveOneOutDisplay.from_estimator(choice_of_k_and_power())
    assert display.parameter == "n_neighbors"  # the parameter with more candidates
    assert display.hue == ["power"]
    assert [line.get_label() for line in display.lines_] == ["1", "2"]
    for line, power in zip(display.lines_, [1, 2]):
        expected = [accuracy_at(k) + 0.01 * power for k in range(1, 51)]
        np.testing.assert_allclose(line.get_ydata(), expected)
    assert display.line_ is display.lines_[1]
    assert display.chosen_.get_xydata()[0] == pytest.approx(
        [12, accuracy_at(12) + 0.02]
    )
    assert display.annotation_.get_text().startswith("n_neighbors = 12, power = 2\n")
    assert None not in display.bands_
    assert display.lines_[0].get_color() != display.lines_[1].get_color()
    legend = display.ax_.get_legend()
    assert legend.get_title().get_text() == "power"
    assert [text.get_text() for text in legend.get_texts()] == ["1", "2"]


@pytest.mark.filterwarnings("error::UserWarning")  # axes without room
def test_five_parameters_leave_room_for_the_curves(pyplot):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = RBFNetworkRegressor().fit(X, np.sin(X[:, 0]) + X[:, 1] / 2)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.parameter == "ridge"
    names = display.ax_.get_legend().get_title().get_text()
    assert names == "scale, feature_weights,\nn_centers, overlap"
    # The legend marks the others.
    first = display.annotation_.get_text().splitlines()[0]
    assert first == f"ridge = {label_of(model.ridge_)}"
    display.figure_.set_size_inches(5.2, 3.4)
    display.figure_.set_layout_engine("constrained")
    display.figure_.canvas.draw()
    assert display.ax_.get_window_extent().width > 0.35 * display.figure_.bbox.width


def test_the_other_parameter_may_be_on_the_axis(pyplot):
    display = LeaveOneOutDisplay.from_estimator(
        choice_of_k_and_power(), parameter="power"
    )
    assert len(display.lines_) == len(EVERY_K)
    assert display.lines_[-1].get_label() == "all"
    assert display.line_.get_label() == "12"
    np.testing.assert_array_equal(display.line_.get_xdata(), [1, 2])
    # Only the chosen line has a band, and the legend does not name all lines.
    assert [band is not None for band in display.bands_].index(True) == 11
    assert sum(band is not None for band in display.bands_) == 1
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert {"1", "12", "all"} <= set(names)
    assert len(names) <= 13


def test_colours_and_line_styles_distinguish_two_other_parameters(pyplot):
    params = grid(n_neighbors=[1, 2, 5, 9], power=[1, 2, 4], ridge=[0.0, 0.1], n=[7])
    model = StoredChoice().fit(params, {"accuracy": np.linspace(0.5, 0.6, len(params))})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.hue == ["power", "ridge"]  # n has one candidate
    styles = {(str(line.get_color()), line.get_linestyle()) for line in display.lines_}
    assert len(display.lines_) == len(styles) == 6
    assert display.line_.get_label() == "4, 0.1"


def test_strings_make_an_axis_of_categories(pyplot):
    params = grid(weights=["uniform", "inverse", "cosine"])
    model = StoredChoice().fit(params, {"squared_error": [3.0, 1.0, 2.0]}, error=0.5)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["uniform", "inverse", "cosine"]
    assert display.line_.get_linestyle() == "None"  # categories are not joined
    assert display.line_.get_xydata().tolist() == [[0, 3], [1, 1], [2, 2]]
    assert display.bands_ == [None]
    segments = display.error_bars_[0].lines[2][0].get_segments()
    assert segments[1].tolist() == [[1, 0.5], [1, 1.5]]
    assert display.chosen_.get_xydata().tolist() == [[1, 1]]
    assert display.annotation_.get_text() == "weights = inverse\n1.00 ± 0.50"


def test_several_lines_are_side_by_side_at_a_category(pyplot):
    params = grid(weights=["uniform", "inverse", "cosine"], power=[1, 2])
    model = StoredChoice().fit(params, {"accuracy": [0.5, 0.6, 0.7, 0.8, 0.3, 0.4]})
    display = LeaveOneOutDisplay.from_estimator(model)
    one, two = (line.get_xdata() for line in display.lines_)
    np.testing.assert_allclose((one + two) / 2, [0, 1, 2])
    assert np.all(one < two)
    np.testing.assert_allclose(display.chosen_.get_xdata(), two[1])


def test_a_category_among_numbers_is_at_the_right(pyplot):
    params = grid(m=["laplace", 100.0, 0.01, 1.0])
    model = StoredChoice().fit(params, {"log_loss": [0.4, 0.7, 0.6, 0.5]})
    display = LeaveOneOutDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_xdata(), [0.01, 1, 100])
    np.testing.assert_array_equal(display.line_.get_ydata(), [0.6, 0.5, 0.7])
    assert tick_labels(display)[-1] == "laplace"
    assert display.chosen_.get_xdata()[0] == display.ax_.get_xticks()[-1] > 100


def test_one_candidate_is_a_marker_with_an_error_bar(pyplot):
    model = StoredChoice().fit(
        grid(bandwidth=[3.0]), {"squared_error": [12.25]}, error=0.5
    )
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["3"]
    assert display.line_.get_ydata().tolist() == [12.25]
    assert display.annotation_.get_text() == "bandwidth = 3\n12.25 ± 0.50"


def test_scores_that_are_not_finite_leave_gaps(pyplot):
    values = [0.5, np.inf, 0.7, np.nan, 0.9, 0.8]
    model = StoredChoice().fit(grid(m=[1, 2, 3, 4, 5, 6]), {"log_loss": values})
    display = LeaveOneOutDisplay.from_estimator(model)
    drawn = np.isfinite(display.line_.get_ydata())
    assert drawn.tolist() == [True, False, True, False, True, True]
    # Isolated points have error bars instead of a band.
    alone = display.error_bars_[0].lines[0].get_xdata()
    assert alone.tolist() == [1, 3]
    edge = [line for line in display.ax_.lines if line.get_marker() == "^"]
    assert [line.get_xdata().tolist() for line in edge] == [[2]]
    low, high = display.ax_.get_ylim()
    assert 0 < low < high < 2
    display.figure_.canvas.draw()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_without_finite_scores_the_axes_are_empty(value, pyplot):
    model = StoredChoice().fit(grid(m=[1, 2, 3]), {"log_loss": [value] * 3})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.chosen_ is None
    assert display.annotation_ is None
    low, high = display.ax_.get_xlim()
    assert low <= 1 < 3 <= high
    display.figure_.canvas.draw()


def test_zero_is_on_a_symlog_axis(pyplot):
    model = StoredChoice().fit(grid(m=[0, 0.01, 1, 100]), {"log_loss": [4, 3, 1, 2]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.ax_.get_xscale() == "symlog"
    assert "0" in tick_labels(display)


@pytest.mark.parametrize("error", [np.nan, 0.0, np.inf])
def test_standard_errors_may_be_unknown_zero_or_infinite(error, pyplot):
    model = choice_of_k()
    model.loo_results_["standard_error_accuracy"] = np.full(len(EVERY_K), error)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert (display.bands_[0] is None) == (error != 0)
    assert display.annotation_.get_text() == "n_neighbors = 12\n0.9"
    display.figure_.canvas.draw()


def test_text_is_above_a_maximum_and_below_a_minimum(pyplot):
    params = grid(m=[1, 2, 3])
    for name, means in (("accuracy", [0.1, 0.9, 0.1]), ("log_loss", [0.9, 0.1, 0.9])):
        model = StoredChoice().fit(params, {name: means})
        display = LeaveOneOutDisplay.from_estimator(model)
        display.figure_.canvas.draw()
        box = display.annotation_.get_window_extent()
        dot = display.ax_.transData.transform(display.chosen_.get_xydata()[0])
        frame = display.ax_.get_window_extent()
        assert box.y0 > dot[1] if name == "accuracy" else box.y1 < dot[1]
        assert frame.y0 < box.y0 < box.y1 < frame.y1


def test_text_at_an_end_of_the_axis_is_aligned_inwards(pyplot):
    for means in ([0.9, 0.2, 0.1], [0.1, 0.2, 0.9]):
        model = StoredChoice().fit(
            grid(a_long_name_of_it=[1, 2, 3]), {"accuracy": means}
        )
        display = LeaveOneOutDisplay.from_estimator(model)
        display.figure_.canvas.draw()
        box = display.annotation_.get_window_extent()
        frame = display.ax_.get_window_extent()
        assert frame.x0 < box.x0 < box.x1 < frame.x1


def test_all_artists_are_inside_the_axes(pyplot):
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for ax in axes:
        LeaveOneOutDisplay.from_estimator(choice_of_k_and_power(), ax=ax)
    figure.canvas.draw()  # which warns if the layout fails
    for ax in axes:
        frame = ax.get_window_extent()
        for artist in [*ax.lines, *ax.texts]:
            box = artist.get_window_extent()
            assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
            assert frame.y0 <= box.y0 <= box.y1 <= frame.y1


def test_a_bad_candidate_does_not_flatten_the_curve(pyplot):
    mean = np.array([0.9, 0.5, 0.6, 0.7, 0.8, 0.65, 90.0, 0.75])
    display = LeaveOneOutDisplay(
        params=[{"m": float(m)} for m in range(1, 9)],
        mean=mean,
        standard_error=np.full(8, 0.05),
        rank=np.argsort(np.argsort(mean)) + 1,
        parameter="m",
        score="log_loss",
    ).plot()
    assert display.outside_.get_text() == "1 candidate outside"
    low, high = display.ax_.get_ylim()
    assert low < 0.45
    assert 0.8 < high < 2
    plain = LeaveOneOutDisplay.from_estimator(choice_of_k())
    assert plain.outside_ is None
