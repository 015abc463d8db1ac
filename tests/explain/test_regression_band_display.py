"""RegressionBandDisplay: the curve, its bands, labels and errors."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy import (
    LocallyWeightedRegressor,
    RegressionBandDisplay,
    ShepardKNNRegressor,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + rng.normal(scale=0.2, size=60)


def classical(degree=1, **params):
    defaults = {"n_neighbors": 30, "scale": None, "ridge": 0.0}
    return LocallyWeightedRegressor(degree, **{**defaults, **params})


@pytest.fixture
def model(data):
    return classical().fit(*data)


def edges_of_band(band, x):
    """Return the lower and upper edge of a band at each x."""
    vertices = band.get_paths()[0].vertices
    near = [vertices[np.isclose(vertices[:, 0], at), 1] for at in x]
    return np.array([[heights.min(), heights.max()] for heights in near]).T


def labels_of(legend):
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("feature", [0, 2])
@pytest.mark.parametrize("coverage", [0.5, 0.95])
def test_the_curve_is_predicted_at_the_medians_of_other_columns(
    feature, coverage, data, model, pyplot
):
    X, y = data
    display = RegressionBandDisplay.from_estimator(
        model,
        X,
        y,
        feature=feature,
        coverage=coverage,
        kind="both",
        grid_resolution=7,
    )
    x = np.linspace(X[:, feature].min(), X[:, feature].max(), 7)
    queries = np.tile(np.median(X, axis=0), (7, 1))
    queries[:, feature] = x
    predicted, std = model.predict(queries, return_std=True)
    np.testing.assert_array_equal(display.line_.get_xdata(), x)
    np.testing.assert_allclose(display.line_.get_ydata(), predicted)
    # The probability outside the band is 1 - coverage.
    lower, upper = edges_of_band(display.band_, x)
    outside = 2 * stats.t.sf((upper - predicted) / std, model.residual_dof_)
    np.testing.assert_allclose(outside, 1 - coverage)
    np.testing.assert_allclose((lower + upper) / 2, predicted)
    np.testing.assert_allclose(
        edges_of_band(display.interval_, x),
        model.prediction_interval(queries, coverage, "normal"),
    )
    np.testing.assert_array_equal(
        display.scatter_.get_offsets(), np.column_stack([X[:, feature], y])
    )
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xlabel() == f"x{feature}"
    assert display.ax_.get_ylabel() == "y"
    assert labels_of(display.ax_.get_legend()) == [
        "fit",
        f"{100 * coverage:g} % confidence band",
        f"{100 * coverage:g} % prediction interval",
        "observations",
    ]


FRAMES = {
    "pandas": lambda cells: pd.DataFrame(cells).astype({"kind": "category"}),
    "polars": pl.DataFrame,
    "array": lambda cells: np.array(list(cells.values()), dtype=object).T,
}


@pytest.mark.parametrize("container", FRAMES)
def test_other_columns_are_held_at_their_most_frequent_label(container, pyplot):
    """The median of 1, 2, 7 is 2; "b" occurs twice; and a cell of each is missing."""
    cells = {
        "x": [0.0, 1.0, 2.0, 3.0, None, 4.0, 5.0, 6.0] * 3,
        "other": [1.0, None, 2.0, 7.0, 1.0, 2.0, 7.0, 2.0] * 3,
        "kind": ["a", "b", None, "b", None, None, "c", "b"] * 3,
    }
    y = np.random.default_rng(0).normal(size=24)
    X = FRAMES[container](cells)
    model = LocallyWeightedRegressor(0, n_neighbors=20).fit(X, y)
    display = RegressionBandDisplay.from_estimator(model, X, y, grid_resolution=4)
    np.testing.assert_array_equal(display.x, [0, 2, 4, 6])
    typical = {"x": [0.0, 2.0, 4.0, 6.0], "other": [2.0] * 4, "kind": ["b"] * 4}
    expected = model.predict(FRAMES[container](typical))
    np.testing.assert_allclose(display.answer, expected)
    assert display.observations.shape == (2, 21)
    with pytest.raises(ValueError, match="feature=2 is a column without numbers"):
        RegressionBandDisplay.from_estimator(model, X, feature=2)


def test_integers_do_not_round_the_grid(pyplot):
    X = np.arange(20).reshape(-1, 1)
    model = classical().fit(X, X[:, 0] ** 2.0)
    display = RegressionBandDisplay.from_estimator(model, X, grid_resolution=3)
    np.testing.assert_array_equal(display.x, [0, 9.5, 19])
    np.testing.assert_allclose(display.answer, model.predict([[0.0], [9.5], [19.0]]))


def test_the_bands_of_a_mean_equal_those_of_textbooks(pyplot):
    """The band of a mean is ± t s/√n, the prediction interval ± t s √(1 + 1/n)."""
    y = np.array([3.0, 5.0, 4.0, 8.0])
    mean = classical(0, n_neighbors=2.0, kernel="uniform")
    X = np.arange(4.0)[:, None]
    display = RegressionBandDisplay.from_estimator(
        mean.fit(X, y), X, kind="both", coverage=0.9
    )
    s, t = np.std(y, ddof=1), stats.t.ppf(0.95, 3)
    lower, upper = edges_of_band(display.band_, [0.0, 3.0])
    np.testing.assert_allclose(lower, 5 - t * s / 2)
    np.testing.assert_allclose(upper, 5 + t * s / 2)
    lower, upper = edges_of_band(display.interval_, [0.0, 3.0])
    np.testing.assert_allclose(upper, 5 + t * s * np.sqrt(1 + 1 / 4))
    assert display.scatter_ is None  # there was no y


@pytest.mark.parametrize(
    ("kind", "has_band", "has_interval"),
    [("confidence", True, False), ("prediction", False, True), ("both", True, True)],
)
def test_kind_selects_the_bands(kind, has_band, has_interval, data, model, pyplot):
    display = RegressionBandDisplay.from_estimator(model, data[0], kind=kind)
    assert (display.band_ is not None) == has_band
    assert (display.interval_ is not None) == has_interval
    assert len(display.ax_.collections) == has_band + has_interval
    # Both were computed, so that plot can draw another kind later.
    assert display.plot(kind="both") is display
    assert len(display.ax_.collections) == 2


def test_labels_are_the_names_of_the_frame_and_the_series(data, pyplot):
    pandas = pytest.importorskip("pandas", reason="names come from a frame")
    weight = r"$\weight$"  # not a valid formula
    X = pandas.DataFrame(data[0], columns=["depth", "age", weight])
    y = pandas.Series(data[1], name="yield")
    model = classical().fit(X, y)
    by_name = RegressionBandDisplay.from_estimator(model, X, y, feature=weight)
    by_index = RegressionBandDisplay.from_estimator(model, X, y, feature=2)
    for display in (by_name, by_index):
        assert display.ax_.get_xlabel() == weight
        assert display.ax_.get_ylabel() == "yield"
        display.figure_.canvas.draw()  # dollar signs in a name are literal
    np.testing.assert_array_equal(
        by_name.line_.get_xydata(), by_index.line_.get_xydata()
    )
    assert by_name.line_.get_xdata()[[0, -1]].tolist() == [
        X[weight].min(),
        X[weight].max(),
    ]


def test_polars_frames_have_names(data, pyplot):
    polars = pytest.importorskip("polars", reason="this test reads a polars frame")
    X = polars.DataFrame(data[0], schema=["depth", "age", "weight"])
    model = classical().fit(X, data[1])
    display = RegressionBandDisplay.from_estimator(model, X, feature="age")
    assert display.ax_.get_xlabel() == "age"
    plain = classical().fit(*data)
    expected = RegressionBandDisplay.from_estimator(plain, data[0], feature=1)
    np.testing.assert_array_equal(display.answer, expected.answer)


def test_one_of_several_outputs_is_drawn(data, pyplot):
    X, y = data
    both = np.column_stack([y, -2 * y])
    model = classical().fit(X, both)
    single = classical().fit(X, both[:, 1])
    display = RegressionBandDisplay.from_estimator(model, X, both, target=1)
    expected = RegressionBandDisplay.from_estimator(single, X, both[:, 1])
    for name in ("answer", "confidence", "prediction", "observations"):
        np.testing.assert_allclose(getattr(display, name), getattr(expected, name))
    assert display.ax_.get_ylabel() == "y[1]"


def test_a_column_of_targets_is_one_output(data, model, pyplot):
    X, y = data
    column = classical().fit(X, y[:, None])
    expected = RegressionBandDisplay.from_estimator(model, X, y, target=0)
    display = RegressionBandDisplay.from_estimator(column, X, y[:, None])
    np.testing.assert_array_equal(display.confidence, expected.confidence)
    np.testing.assert_array_equal(display.observations, expected.observations)


def test_without_degrees_of_freedom_there_is_a_line_and_no_band(pyplot):
    X, y = np.arange(3.0)[:, None], [1.0, 5.0, 2.0]
    model = classical(2, n_neighbors=2.0).fit(X, y)
    assert np.isnan(model.residual_scale_)  # a parabola fits three rows exactly
    display = RegressionBandDisplay.from_estimator(
        model, X, y, kind="both", grid_resolution=3
    )
    assert display.band_ is None
    assert display.interval_ is None
    np.testing.assert_allclose(display.line_.get_ydata(), y)
    assert labels_of(display.ax_.get_legend()) == ["fit", "observations"]


def test_axes_and_keywords_are_respected(data, model, pyplot):
    figure, ax = pyplot.subplots()
    display = RegressionBandDisplay.from_estimator(
        model,
        *data,
        ax=ax,
        kind="both",
        legend=False,
        line_kw={"c": "red", "label": "loess"},
        band_kw={"alpha": 0.7},
        interval_kw={"label": "wide"},
        scatter_kw={"s": 5, "zorder": 9},
    )
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.get_legend() is None
    assert display.line_.get_color() == "red"
    assert display.line_.get_label() == "loess"
    assert display.band_.get_alpha() == 0.7
    assert display.interval_.get_label() == "wide"
    # Bands have the colour of the line.
    assert display.interval_.get_facecolor()[0, :3].tolist() == [1, 0, 0]
    assert display.scatter_.get_sizes().tolist() == [5]
    assert display.scatter_.get_zorder() == 9
    assert display.plot().ax_ is not ax


def test_observations_are_above_the_bands_and_below_the_line(data, model, pyplot):
    display = RegressionBandDisplay.from_estimator(model, *data, kind="both")
    bands = display.band_.get_zorder(), display.interval_.get_zorder()
    assert max(bands) < display.scatter_.get_zorder() < display.line_.get_zorder()
    assert display.interval_.get_alpha() < display.band_.get_alpha()


def test_the_frame_has_the_curve(data, model, pyplot):
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    display = RegressionBandDisplay.from_estimator(model, data[0], grid_resolution=5)
    frame = display.frame()
    np.testing.assert_array_equal(frame["x"], display.line_.get_xdata())
    np.testing.assert_array_equal(frame["answer"], display.line_.get_ydata())
    # The prediction interval is wider than the confidence band.
    order = ["prediction_lower", "confidence_lower", "answer"]
    order += ["confidence_upper", "prediction_upper"]
    assert (np.diff(frame[order].to_numpy(), axis=1) > 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"feature": 3}, r"feature=3 .* integer from 0 to 2\.$"),
        ({"feature": -1}, r"feature=-1 .* integer from 0 to 2\.$"),
        ({"feature": "x0"}, r"feature='x0' .* integer from 0 to 2\.$"),
        ({"target": 1}, r"target=1 .* from 0 to 0\.$"),
        ({"coverage": 1}, r"coverage must lie between 0 and 1, got 1\."),
        ({"coverage": "wide"}, r"coverage must lie between 0 and 1, got 'wide'"),
        ({"kind": "band"}, r"kind='band': pass one of \('confidence', 'prediction'"),
        ({"grid_resolution": 1}, r"grid_resolution=1: pass an integer ≥ 2"),
        ({"grid_resolution": 9.5}, r"grid_resolution=9.5: pass an integer ≥ 2"),
        ({"y": np.ones(7)}, r"inconsistent numbers of samples: \[60, 7\]"),
        (
            {"y": np.ones((60, 2))},
            r"y has 2 outputs, but the estimator was fitted to 1",
        ),
    ],
)
def test_invalid_arguments(wrong, message, data, model):
    with pytest.raises(ValueError, match=message):
        RegressionBandDisplay.from_estimator(model, data[0], **wrong)


def test_the_error_for_a_wrong_name_lists_the_valid_names(data):
    pandas = pytest.importorskip("pandas", reason="names come from a frame")
    X = pandas.DataFrame(data[0], columns=["depth", "age", "weight"])
    model = classical().fit(X, data[1])
    with pytest.raises(
        ValueError, match=r"feature='size' .* \['depth', 'age', 'weight'\]"
    ):
        RegressionBandDisplay.from_estimator(model, X, feature="size")


@pytest.mark.parametrize("target", [None, 2, -1, "first"])
def test_one_of_several_outputs_must_be_given(target, data):
    X, y = data
    model = classical().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=rf"target={target!r} .* from 0 to 1\.$"):
        RegressionBandDisplay.from_estimator(model, X, target=target)


def test_other_regressors_have_prediction_intervals_alone(data):
    X, y = data
    model = ShepardKNNRegressor().fit(X, y)
    display = RegressionBandDisplay.from_estimator(model, X, kind="prediction")
    rows = np.repeat(np.median(X, axis=0)[None], 200, axis=0)
    rows[:, 0] = display.x
    assert_allclose(display.answer, model.predict(rows))
    assert_allclose(display.prediction, model.prediction_interval(rows, 0.95))
    assert display.band_ is None
    assert display.interval_ is not None
    assert display.frame()["confidence_lower"].isna().all()
    with pytest.raises(TypeError, match='or kind="prediction"'):
        RegressionBandDisplay.from_estimator(model, X)


def test_the_estimator_must_have_prediction_intervals(data):
    X, y = data
    with pytest.raises(NotFittedError, match="LocallyWeightedRegressor"):
        RegressionBandDisplay.from_estimator(LocallyWeightedRegressor(), X)
    for other in (
        LinearRegression(),
        make_pipeline(StandardScaler(), classical()),
    ):
        name = type(other).__name__
        with pytest.raises(TypeError, match=f"estimator={name} has no standard errors"):
            RegressionBandDisplay.from_estimator(other.fit(X, y), X)
    no_statistics = classical(statistics=None).fit(X, y)
    with pytest.raises(ValueError, match=r"statistics=None .* statistics='auto'"):
        RegressionBandDisplay.from_estimator(no_statistics, X)


def test_without_matplotlib_the_error_says_how_to_install_it(data, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sklearn-bayeslazy\[plot\]"):
        RegressionBandDisplay.from_estimator(model, data[0])


def test_an_extreme_observation_does_not_flatten_the_curve(data, model, pyplot):
    X, y = data
    plain = RegressionBandDisplay.from_estimator(model, X, y)
    assert plain.outside_ is None
    y = y.copy()
    y[7] = 1e4
    display = RegressionBandDisplay.from_estimator(model, X, y)
    assert display.outside_.get_text() == "1 observation outside"
    low, high = display.ax_.get_ylim()
    assert high < 20
    for bounds in (display.answer, *display.confidence):
        assert low < bounds.min() <= bounds.max() < high
    assert len(display.scatter_.get_offsets()) == len(y)
