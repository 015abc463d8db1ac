"""Tests of the picture of a choice by leave-one-out: what its artists really hold."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_bayeslazy import LeaveOneOutDisplay, MEstimateNB, TextNB
from sklearn_bayeslazy._leave_one_out import rank_candidates
from sklearn_bayeslazy.inspection._candidates import distinct, label_of, lay_out
from sklearn_bayeslazy.inspection._results import parameters_that_take_loo

HIGHER_IS_BETTER = {"accuracy": 1, "log_loss": -1, "squared_error": -1}
EVERY_K = [*range(1, 51), None]


class Chosen(BaseEstimator):
    """A fitted estimator that holds the results of a choice, and nothing else."""

    def __init__(self, loo_scoring=None):
        self.loo_scoring = loo_scoring

    def fit(self, params, means, error=0.01):
        """Keep scores: two rows, as far apart as gives the standard error."""
        decisive = self.loo_scoring or next(iter(means))
        scores = {
            name: np.array([np.array(mean) - error, np.array(mean) + error]).T
            for name, mean in means.items()
        }
        with np.errstate(invalid="ignore"):
            best, self.loo_results_ = rank_candidates(
                params, scores, np.ones(2), [(decisive, HIGHER_IS_BETTER[decisive])]
            )
        self.chosen_ = params[best]
        return self


def grid(**lists):
    return [dict(zip(lists, values)) for values in product(*lists.values())]


def peak_at(k, best=12):
    """Return an accuracy with its peak at one k; None is far to the right of it."""
    return 0.9 - 0.002 * abs((100 if k is None else k) - best)


def over_k(candidates=EVERY_K):
    params = grid(n_neighbors=candidates)
    return Chosen().fit(params, {"accuracy": [peak_at(k) for k in candidates]})


def joint():
    params = grid(n_neighbors=EVERY_K, power=[1.0, 2.0])
    means = [peak_at(p["n_neighbors"]) + 0.01 * p["power"] for p in params]
    return Chosen().fit(params, {"accuracy": means})


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    return rng.poisson(1.0 + y[:, None], size=(60, 4)).astype(float), y


@pytest.fixture
def mixed(counts):
    """Return a frame with a column of words, which leaves no choice, and of numbers."""
    pandas = pytest.importorskip("pandas", reason="columns of two kinds need a frame")
    X, y = counts
    return pandas.DataFrame({"word": np.where(X[:, 0] > 1, "a", "b"), "x": X[:, 1]}), y


def edges_of_band(band, x):
    """Return the lowest and highest point of a band at x."""
    vertices = band.get_paths()[0].vertices
    heights = vertices[np.isclose(vertices[:, 0], x), 1]
    return heights.min(), heights.max()


def tick_labels(display):
    display.figure_.canvas.draw()
    return [tick.get_text() for tick in display.ax_.get_xticklabels()]


@pytest.mark.parametrize("estimator", [MEstimateNB(m="loo"), TextNB(m="loo")], ids=str)
def test_the_line_the_band_and_the_dot_are_the_estimators(estimator, counts, pyplot):
    model = estimator.fit(*counts)
    display = LeaveOneOutDisplay.from_estimator(model)
    results, score = model.loo_results_, model.loo_scoring
    candidates = [candidate["m"] for candidate in results["params"]]
    mean = results[f"mean_{score}"]
    error = results[f"standard_error_{score}"]
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, candidates)
    np.testing.assert_array_equal(y, mean)
    for place in (0, 7, -1):
        low, high = edges_of_band(display.bands_[0], candidates[place])
        assert low == pytest.approx(mean[place] - error[place])
        assert high == pytest.approx(mean[place] + error[place])
    best = candidates.index(model.m_)
    assert display.chosen_.get_xydata().tolist() == [[model.m_, mean[best]]]
    assert display.annotation_.get_text().startswith(f"m = {label_of(model.m_)}\n")
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "m"
    name = score.replace("_", " ")
    assert display.ax_.get_ylabel() == f"{name}, left out (± standard error)"
    assert display.figure_ is display.ax_.figure
    assert display.error_bars_ == [None]


def test_all_training_rows_stand_at_the_right_end(pyplot):
    display = LeaveOneOutDisplay.from_estimator(over_k())
    np.testing.assert_array_equal(display.line_.get_xdata(), np.arange(1, 51))
    assert display.ax_.get_xscale() == "linear"
    labels = tick_labels(display)
    assert labels[-1] == "all"
    assert labels[:-1] == ["10", "20", "30", "40", "50"]
    dot, _, (bars,) = display.error_bars_[0].lines
    ((x, y),) = dot.get_xydata()
    assert 50 < x == display.ax_.get_xticks()[-1]
    assert y == pytest.approx(peak_at(None))
    assert np.ptp(bars.get_segments()[0][:, 1]) == pytest.approx(0.02)


def test_all_training_rows_may_be_the_choice(pyplot):
    params = grid(n_neighbors=[5, 10, None])
    model = Chosen().fit(params, {"accuracy": [0.7, 0.8, 0.9]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.annotation_.get_text() == "n_neighbors = all\n0.900 ± 0.010"
    assert display.chosen_.get_xdata()[0] > 10


def test_a_joint_grid_has_a_line_for_each_value_of_the_other(pyplot):
    display = LeaveOneOutDisplay.from_estimator(joint())
    assert display.parameter == "n_neighbors"  # it has more candidates
    assert display.hue == ["power"]
    assert [line.get_label() for line in display.lines_] == ["1", "2"]
    for line, power in zip(display.lines_, [1, 2]):
        expected = [peak_at(k) + 0.01 * power for k in range(1, 51)]
        np.testing.assert_allclose(line.get_ydata(), expected)
    assert display.line_ is display.lines_[1]
    assert display.chosen_.get_xydata()[0] == pytest.approx([12, peak_at(12) + 0.02])
    assert display.annotation_.get_text().startswith("n_neighbors = 12, power = 2\n")
    assert None not in display.bands_
    assert display.lines_[0].get_color() != display.lines_[1].get_color()
    legend = display.ax_.get_legend()
    assert legend.get_title().get_text() == "power"
    assert [text.get_text() for text in legend.get_texts()] == ["1", "2"]


def test_the_other_parameter_may_be_on_the_axis(pyplot):
    display = LeaveOneOutDisplay.from_estimator(joint(), parameter="power")
    assert len(display.lines_) == len(EVERY_K)
    assert display.lines_[-1].get_label() == "all"
    assert display.line_.get_label() == "12"
    np.testing.assert_array_equal(display.line_.get_xdata(), [1, 2])
    # Fifty bands would hide each other, and fifty names the picture.
    assert [band is not None for band in display.bands_].index(True) == 11
    assert sum(band is not None for band in display.bands_) == 1
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert {"1", "12", "all"} <= set(names)
    assert len(names) <= 13


def test_two_other_parameters_are_told_apart_by_colours_and_dashes(pyplot):
    params = grid(n_neighbors=[1, 2, 5, 9], power=[1, 2, 4], ridge=[0.0, 0.1], n=[7])
    model = Chosen().fit(params, {"accuracy": np.linspace(0.5, 0.6, len(params))})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.hue == ["power", "ridge"]  # n has no choice
    looks = {(str(line.get_color()), line.get_linestyle()) for line in display.lines_}
    assert len(display.lines_) == len(looks) == 6
    assert display.line_.get_label() == "4, 0.1"


def test_words_make_an_axis_of_categories(pyplot):
    params = grid(weights=["uniform", "inverse", "cosine"])
    model = Chosen().fit(params, {"squared_error": [3.0, 1.0, 2.0]}, error=0.5)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["uniform", "inverse", "cosine"]
    assert display.line_.get_linestyle() == "None"  # there is nothing between words
    assert display.line_.get_xydata().tolist() == [[0, 3], [1, 1], [2, 2]]
    assert display.bands_ == [None]
    segments = display.error_bars_[0].lines[2][0].get_segments()
    assert segments[1].tolist() == [[1, 0.5], [1, 1.5]]
    assert display.chosen_.get_xydata().tolist() == [[1, 1]]
    assert display.annotation_.get_text() == "weights = inverse\n1.00 ± 0.50"


def test_several_lines_stand_side_by_side_at_a_word(pyplot):
    params = grid(weights=["uniform", "inverse", "cosine"], power=[1, 2])
    model = Chosen().fit(params, {"accuracy": [0.5, 0.6, 0.7, 0.8, 0.3, 0.4]})
    display = LeaveOneOutDisplay.from_estimator(model)
    one, two = (line.get_xdata() for line in display.lines_)
    np.testing.assert_allclose((one + two) / 2, [0, 1, 2])
    assert np.all(one < two)
    np.testing.assert_allclose(display.chosen_.get_xdata(), two[1])


def test_a_word_among_numbers_stands_apart(pyplot):
    params = grid(m=["laplace", 100.0, 0.01, 1.0])
    model = Chosen().fit(params, {"log_loss": [0.4, 0.7, 0.6, 0.5]})
    display = LeaveOneOutDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_xdata(), [0.01, 1, 100])
    np.testing.assert_array_equal(display.line_.get_ydata(), [0.6, 0.5, 0.7])
    assert tick_labels(display)[-1] == "laplace"
    assert display.chosen_.get_xdata()[0] == display.ax_.get_xticks()[-1] > 100


def test_one_candidate_is_a_dot_with_an_error_bar(pyplot):
    model = Chosen().fit(grid(bandwidth=[3.0]), {"squared_error": [12.25]}, error=0.5)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["3"]
    assert display.line_.get_ydata().tolist() == [12.25]
    assert display.annotation_.get_text() == "bandwidth = 3\n12.25 ± 0.50"


def test_scores_that_are_not_finite_leave_gaps(pyplot):
    values = [0.5, np.inf, 0.7, np.nan, 0.9, 0.8]
    model = Chosen().fit(grid(m=[1, 2, 3, 4, 5, 6]), {"log_loss": values})
    display = LeaveOneOutDisplay.from_estimator(model)
    drawn = np.isfinite(display.line_.get_ydata())
    assert drawn.tolist() == [True, False, True, False, True, True]
    # What has no neighbour has no band either.
    alone = display.error_bars_[0].lines[0].get_xdata()
    assert alone.tolist() == [1, 3]
    edge = [line for line in display.ax_.lines if line.get_marker() == "^"]
    assert [line.get_xdata().tolist() for line in edge] == [[2]]
    low, high = display.ax_.get_ylim()
    assert 0 < low < high < 2
    display.figure_.canvas.draw()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_curve_without_any_finite_score_is_an_empty_picture(value, pyplot):
    model = Chosen().fit(grid(m=[1, 2, 3]), {"log_loss": [value] * 3})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.chosen_ is None
    assert display.annotation_ is None
    low, high = display.ax_.get_xlim()
    assert low <= 1 < 3 <= high
    display.figure_.canvas.draw()


def test_zero_has_a_place_on_a_logarithmic_axis(pyplot):
    model = Chosen().fit(grid(m=[0, 0.01, 1, 100]), {"log_loss": [4, 3, 1, 2]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert display.ax_.get_xscale() == "symlog"
    assert "0" in tick_labels(display)


@pytest.mark.parametrize("error", [np.nan, 0.0, np.inf])
def test_errors_may_be_unknown_or_nothing(error, pyplot):
    model = over_k()
    model.loo_results_["standard_error_accuracy"] = np.full(len(EVERY_K), error)
    display = LeaveOneOutDisplay.from_estimator(model)
    assert (display.bands_[0] is None) == (error != 0)
    assert display.annotation_.get_text() == "n_neighbors = 12\n0.9"
    display.figure_.canvas.draw()


def test_the_score_shown_is_the_one_that_decided_or_was_asked_for(pyplot):
    means = {"log_loss": [0.5, 0.6, 0.7], "accuracy": [0.7, 0.8, 0.9]}
    params = grid(m=[1, 2, 3])
    for scoring, shown in ((None, "log_loss"), ("accuracy", "accuracy")):
        display = LeaveOneOutDisplay.from_estimator(Chosen(scoring).fit(params, means))
        assert display.score == shown
        np.testing.assert_allclose(display.line_.get_ydata(), means[shown])
    display = LeaveOneOutDisplay.from_estimator(
        Chosen("accuracy").fit(params, means), score="log_loss"
    )
    # The dot is what the estimator took, which is not the best by this score.
    assert display.chosen_.get_xydata()[0] == pytest.approx([3, 0.7])


def test_text_stands_above_a_peak_and_below_a_valley(pyplot):
    params = grid(m=[1, 2, 3])
    for name, means in (("accuracy", [0.1, 0.9, 0.1]), ("log_loss", [0.9, 0.1, 0.9])):
        model = Chosen().fit(params, {name: means})
        display = LeaveOneOutDisplay.from_estimator(model)
        display.figure_.canvas.draw()
        box = display.annotation_.get_window_extent()
        dot = display.ax_.transData.transform(display.chosen_.get_xydata()[0])
        frame = display.ax_.get_window_extent()
        assert box.y0 > dot[1] if name == "accuracy" else box.y1 < dot[1]
        assert frame.y0 < box.y0 < box.y1 < frame.y1


def test_text_at_an_end_of_the_axis_is_written_inwards(pyplot):
    for means in ([0.9, 0.2, 0.1], [0.1, 0.2, 0.9]):
        model = Chosen().fit(grid(a_long_name_of_it=[1, 2, 3]), {"accuracy": means})
        display = LeaveOneOutDisplay.from_estimator(model)
        display.figure_.canvas.draw()
        box = display.annotation_.get_window_extent()
        frame = display.ax_.get_window_extent()
        assert frame.x0 < box.x0 < box.x1 < frame.x1


def test_axes_and_keywords_are_the_users(pyplot):
    figure, ax = pyplot.subplots()
    display = LeaveOneOutDisplay.from_estimator(
        over_k(), ax=ax, annotate=False, band_kw={"alpha": 0.5}, c="red", label="k"
    )
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.line_.get_color() == display.chosen_.get_color() == "red"
    assert display.line_.get_label() == "k"
    assert display.bands_[0].get_alpha() == 0.5
    assert display.annotation_ is None
    again = display.plot()
    assert again is display
    assert display.ax_ is not ax
    assert display.line_.get_label() == "Chosen"


def test_it_keeps_to_its_axes(pyplot):
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for ax in axes:
        LeaveOneOutDisplay.from_estimator(joint(), ax=ax)
    figure.canvas.draw()  # which warns where it cannot be laid out
    for ax in axes:
        frame = ax.get_window_extent()
        for artist in [*ax.lines, *ax.texts]:
            box = artist.get_window_extent()
            assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
            assert frame.y0 <= box.y0 <= box.y1 <= frame.y1


def test_a_pipeline_counts_as_its_last_step(counts, pyplot):
    pipeline = make_pipeline(FunctionTransformer(), MEstimateNB(m="loo")).fit(*counts)
    display = LeaveOneOutDisplay.from_estimator(pipeline)
    assert display.chosen_.get_xdata()[0] == pipeline[-1].m_


@pytest.mark.parametrize("column", [1, "x"])
def test_the_distributions_of_a_column_have_a_curve_too(column, mixed, pyplot):
    model = MEstimateNB(m="loo", distribution=["auto", "loo"]).fit(*mixed)
    display = LeaveOneOutDisplay.from_estimator(model, column=column)
    results = model.loo_columns_[1]
    names = [candidate["distribution"] for candidate in results["params"]]
    assert tick_labels(display) == names
    np.testing.assert_array_equal(display.line_.get_ydata(), results["mean_log_loss"])
    assert names[int(display.chosen_.get_xdata()[0])] == model.distributions_[1]
    assert display.ax_.get_xlabel() == "distribution of x"
    # Without a column it is m.
    assert LeaveOneOutDisplay.from_estimator(model).parameter == "m"


def test_the_frame_holds_the_curve_and_keeps_none(pyplot):
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    model = joint()
    frame = LeaveOneOutDisplay.from_estimator(model).frame()
    names = ["n_neighbors", "power", "mean", "standard_error", "rank"]
    assert list(frame.columns) == names
    assert frame["n_neighbors"].tolist() == [k for k in EVERY_K for _ in (1, 2)]
    assert frame["n_neighbors"].iloc[-1] is None
    assert frame["power"].dtype == float
    np.testing.assert_array_equal(frame["mean"], model.loo_results_["mean_accuracy"])
    best = frame.loc[frame["rank"].idxmin()]
    assert {"n_neighbors": best["n_neighbors"], "power": best["power"]} == model.chosen_


def test_candidates_may_be_arrays(pyplot):
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    params = grid(m=[np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    model = Chosen().fit(params, {"log_loss": [0.5, 0.4]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["[1.0, 2.0]", "[3.0, 4.0]"]
    np.testing.assert_array_equal(display.frame()["m"][1], [3.0, 4.0])


def test_an_estimator_must_be_fitted():
    for estimator in (MEstimateNB(m="loo"), make_pipeline(MEstimateNB(m="loo"))):
        with pytest.raises(NotFittedError, match="MEstimateNB"):
            LeaveOneOutDisplay.from_estimator(estimator)


def test_without_a_choice_the_error_says_what_can_be_chosen(counts):
    with pytest.raises(
        ValueError, match=r'MEstimateNB .* Set m or distribution to "loo'
    ):
        LeaveOneOutDisplay.from_estimator(MEstimateNB().fit(*counts))
    with pytest.raises(ValueError, match=r'TextNB .* Set m to "loo" and call fit'):
        LeaveOneOutDisplay.from_estimator(TextNB().fit(*counts))
    with pytest.raises(
        ValueError, match=r"GaussianNB .* none of its parameters can be"
    ):
        LeaveOneOutDisplay.from_estimator(GaussianNB().fit(*counts))
    assert parameters_that_take_loo(MEstimateNB()) == ["m", "distribution"]


def test_wrong_names_are_answered_by_the_right_ones(mixed):
    model = MEstimateNB(m="loo", distribution=["auto", "loo"]).fit(*mixed)
    for wrong, message in (
        ({"parameter": "distribution"}, r"\['m'\], not .* give column="),
        ({"score": "auc"}, r"score='auc' .* are \['log_loss', 'accuracy'\]"),
        ({"column": "word"}, r"column='word' .* are \['x'\]"),
        ({"column": 7}, r"column=7 .* are \['x'\]"),
    ):
        with pytest.raises(ValueError, match=message):
            LeaveOneOutDisplay.from_estimator(model, **wrong)
    model = MEstimateNB(m="loo").fit(*mixed)
    with pytest.raises(ValueError, match=r"column='x': .*distribution=\"loo\""):
        LeaveOneOutDisplay.from_estimator(model, column="x")
    with pytest.raises(
        ValueError, match=r"\['n_neighbors'\], not parameter='power'\.$"
    ):
        LeaveOneOutDisplay.from_estimator(over_k(), parameter="power")


def test_candidates_are_ordered_and_told_apart():
    values = [True, None, np.float64(2), 2, "2", np.inf, 1, "b", "a"]
    assert distinct(values) == [1, np.float64(2), np.inf, None, True, "2", "b", "a"]
    assert [label_of(v) for v in (3, 1e-5, 12345.6, np.inf, np.int64(7), len)] == [
        "3",
        "1e-05",
        "12346",
        "∞",
        "7",
        "len",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_places_keep_the_order_of_candidates(seed):
    """Equal candidates share a place, others never, whatever the scale."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice([0.0, 1e-3, 0.1, 2.0, 30.0, 4e3, -1.0], rng.integers(1, 8))
    others = rng.permutation(np.array([None, np.inf, "word"], dtype=object))
    values = [*numbers.tolist(), *others[: rng.integers(4)]]
    layout = lay_out([values[i] for i in rng.permutation(len(values))])
    assert len(np.unique(layout.x)) == len(distinct(values))
    assert layout.on_scale.any() == (len(np.unique(numbers)) > 1)
    if layout.on_scale.any() and not layout.on_scale.all():
        assert layout.x[layout.on_scale].max() < layout.x[~layout.on_scale].min()
        assert {x for x, _ in layout.ticks} == set(layout.x[~layout.on_scale])


def test_matplotlib_is_imported_to_draw_only():
    code = (
        "import sys; from sklearn_bayeslazy import LeaveOneOutDisplay; "
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sklearn-bayeslazy\[plot\]"):
        LeaveOneOutDisplay.from_estimator(over_k())
