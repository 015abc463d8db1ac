"""StagedErrorDisplay: the lines, bounds, labels and errors."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score

from sklearn_bayeslazy import MyAdaBoost, StagedErrorDisplay

BOUND = "bound on training rows"


@pytest.fixture(scope="module")
def table():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def model(table):
    return MyAdaBoost(max_depth=1, n_estimators=12).fit(*table[:2])


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_line_has_the_errors(table, model, pyplot):
    *_, X, y = table
    weight = np.random.default_rng(0).uniform(size=len(y))
    display = StagedErrorDisplay.from_estimator(model, X, y, sample_weight=weight)
    errors = [
        1 - accuracy_score(y, predicted, sample_weight=weight)
        for predicted in model.staged_predict(X)
    ]
    np.testing.assert_array_equal(display.line_.get_xdata(), np.arange(1, 13))
    np.testing.assert_allclose(display.line_.get_ydata(), errors)
    scores = list(model.staged_score(X, y, weight))
    np.testing.assert_allclose(display.errors, 1 - np.array(scores))
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xlabel() == "rounds"
    assert display.ax_.get_ylabel() == "error"
    ticks = display.ax_.get_xticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))


def test_the_bound_is_above_the_training_error(table, model, pyplot):
    display = StagedErrorDisplay.from_estimator(model, *table[:2])
    bounds = display.bound_.get_ydata()
    errors = model.estimator_errors_
    np.testing.assert_allclose(bounds, np.cumprod(2 * np.sqrt(errors * (1 - errors))))
    assert np.all(bounds >= display.line_.get_ydata())
    assert display.bound_.get_linestyle() == "--"
    assert display.bound_.get_color() == display.line_.get_color()
    assert labels_of(display.ax_) == ["MyAdaBoost", BOUND]


def test_two_sets_of_rows_share_axes_and_the_bound(table, model, pyplot):
    train = StagedErrorDisplay.from_estimator(model, *table[:2], name="training")
    test = StagedErrorDisplay.from_estimator(
        model, *table[2:], name="new", ax=train.ax_
    )
    assert test.ax_ is train.ax_
    assert test.bound_ is train.bound_
    assert len(train.ax_.lines) == 3
    assert labels_of(train.ax_) == ["training", BOUND, "new"]
    assert train.line_.get_color() != test.line_.get_color()
    # Another model has another bound.
    other = MyAdaBoost(max_depth=1, n_estimators=5).fit(*table[2:])
    display = StagedErrorDisplay.from_estimator(other, *table[:2], ax=train.ax_)
    assert display.bound_ is not train.bound_
    assert len(train.ax_.lines) == 5


def test_after_a_reset_there_is_no_bound(pyplot):
    display = StagedErrorDisplay(
        errors=np.array([0.4, 0.3, 0.35]), bounds=np.array([0.9, 0.8, np.nan])
    ).plot()
    np.testing.assert_array_equal(display.bound_.get_ydata(), [0.9, 0.8, np.nan])
    unknown = np.full(3, np.nan)
    display = StagedErrorDisplay(errors=display.errors, bounds=unknown).plot()
    assert display.bound_ is None
    assert display.ax_.get_legend() is None  # no line has a label


def test_bounds_above_one_are_not_drawn(pyplot):
    display = StagedErrorDisplay(errors=[0.4, 0.3, 0.2], bounds=[1.2, 1.0, 0.9]).plot()
    np.testing.assert_array_equal(display.bound_.get_ydata(), [np.nan, 1.0, 0.9])


def test_keywords_are_respected(table, model, pyplot):
    figure, ax = pyplot.subplots()
    ax.set_xscale("log")
    display = StagedErrorDisplay.from_estimator(
        model, *table[:2], ax=ax, c="red", label="train", bound_kw={"ls": ":"}
    )
    assert display.figure_ is figure
    assert display.line_.get_color() == display.bound_.get_color() == "red"
    assert display.bound_.get_linestyle() == ":"
    assert labels_of(ax) == ["train", BOUND]
    assert display.plot(bound=False).bound_ is None
    assert display.ax_ is not ax


def test_dollar_signs_in_a_name_are_literal(table, model, pyplot):
    name = r"$\frac$"  # not a valid formula
    display = StagedErrorDisplay.from_estimator(model, *table[:2], name=name)
    display.figure_.canvas.draw()
    assert labels_of(display.ax_)[0] == name


def test_other_estimators_with_staged_scores_have_no_bound(table, pyplot):
    X, y = table[:2]
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    display = StagedErrorDisplay.from_estimator(model, X, y)
    assert display.bound_ is None
    assert len(display.line_.get_ydata()) == 3


def test_estimators_without_rounds_are_refused(table):
    X, y = table[:2]
    with pytest.raises(TypeError, match="LinearRegression has no staged_score"):
        StagedErrorDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        StagedErrorDisplay.from_estimator(MyAdaBoost(), X, y)


def test_predictions_of_any_ensemble_are_drawn(table, model, pyplot):
    pd = pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    *_, X, y = table
    staged = model.staged_predict(X)
    display = StagedErrorDisplay.from_predictions(y, staged, name="ensemble", color="k")
    expected = StagedErrorDisplay.from_estimator(model, X, y)
    np.testing.assert_allclose(display.errors, expected.errors)
    assert display.line_.get_label() == "ensemble"
    assert display.line_.get_color() == "k"
    frame = expected.frame()
    assert frame.index.equals(pd.RangeIndex(1, 13, name="round"))
    np.testing.assert_array_equal(frame["bound"], model.error_bounds_)
    assert display.frame().columns.tolist() == ["error"]
    with pytest.raises(ValueError, match="y_staged has no predictions"):
        StagedErrorDisplay.from_predictions(y, [])
