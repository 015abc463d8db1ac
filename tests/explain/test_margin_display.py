"""MarginDisplay: the lines, labels and errors."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError

from sklearn_bayeslazy import MarginDisplay, MyAdaBoost


@pytest.fixture(scope="module")
def table():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def model(table):
    return MyAdaBoost(max_depth=1, n_estimators=27).fit(*table)


def height_at(line, x):
    """Return the height of a step line at some x."""
    steps, height = line.get_data()
    return height[np.searchsorted(steps, x, side="right") - 1]


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_lines_are_cumulative_shares_of_margins(table, model, pyplot):
    display = MarginDisplay.from_estimator(model, *table, rounds=[2, 27])
    staged = list(model.staged_margins(*table))
    x = np.linspace(-1, 1, 41)
    for t, line in zip((2, 27), display.lines_):
        assert line.get_drawstyle() == "steps-post"
        shares = np.mean(staged[t - 1] <= x[:, None], axis=1)
        np.testing.assert_allclose(height_at(line, x), shares)
    assert labels_of(display.ax_) == ["2 rounds", "27 rounds"]
    assert display.ax_.get_xlim() == (-1, 1)
    assert display.ax_.get_xlabel() == "margin"
    assert display.ax_.get_ylabel() == "cumulative share of rows"
    assert list(display.zero_.get_xdata()) == [0, 0]
    assert display.figure_ is display.ax_.figure


def test_the_height_below_zero_is_the_error(table, model, pyplot):
    X, y = table
    display = MarginDisplay.from_estimator(model, X, y, rounds=3)
    (line,) = display.lines_
    error = 1 - list(model.staged_score(X, y))[2]
    below = np.nextafter(0, -1)
    assert height_at(line, below) <= error + 1e-12 <= height_at(line, 0.0) + 2e-12
    assert labels_of(display.ax_) == ["3 rounds"]


@pytest.mark.parametrize(
    ("n_rounds", "expected"), [(1, [1]), (2, [1, 2]), (27, [1, 3, 9, 27])]
)
def test_default_rounds_are_geometrically_spaced(n_rounds, expected, table, pyplot):
    model = MyAdaBoost(max_depth=1, n_estimators=n_rounds).fit(*table)
    display = MarginDisplay.from_estimator(model, *table)
    assert display.rounds == expected
    labels = labels_of(display.ax_)
    assert labels == ["1 round"] + [f"{t} rounds" for t in expected[1:]]
    assert len({str(line.get_color()) for line in display.lines_}) == len(expected)


def test_rounds_keep_their_order_and_are_distinct(table, model, pyplot):
    display = MarginDisplay.from_estimator(
        model, *table, rounds=np.array([9, 1, 9]), lw=3
    )
    assert display.rounds == [9, 1]
    staged = list(model.staged_margins(*table))
    np.testing.assert_array_equal(display.margins, [staged[8], staged[0]])
    assert [line.get_linewidth() for line in display.lines_] == [3, 3]


def test_keywords_are_respected(table, model, pyplot):
    _, ax = pyplot.subplots()
    name = r"$\frac$"  # not a valid formula
    display = MarginDisplay.from_estimator(
        model, *table, rounds=[5], ax=ax, c="red", label=name
    )
    assert display.ax_ is ax
    assert display.lines_[0].get_color() == "red"
    display.figure_.canvas.draw()
    assert labels_of(ax) == [name]
    assert display.plot().ax_ is not ax


@pytest.mark.parametrize("wrong", [0, 28, -1, 2.5, "all"])
def test_invalid_rounds_are_named(wrong, table, model):
    message = re.escape(f"rounds has {wrong!r}, but the estimator has 27 rounds")
    with pytest.raises(ValueError, match=message):
        MarginDisplay.from_estimator(model, *table, rounds=[1, wrong])


def test_empty_rounds_are_refused(table, model):
    with pytest.raises(ValueError, match="rounds is empty: pass integers from 1 to 27"):
        MarginDisplay.from_estimator(model, *table, rounds=[])


def test_other_estimators_are_refused(table):
    other = AdaBoostClassifier(n_estimators=2).fit(*table)
    with pytest.raises(TypeError, match="AdaBoostClassifier has no staged_margins"):
        MarginDisplay.from_estimator(other, *table)
    with pytest.raises(NotFittedError):
        MarginDisplay.from_estimator(MyAdaBoost(), *table)


def test_the_frame_has_a_column_for_each_number_of_rounds(table, model, pyplot):
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    frame = MarginDisplay.from_estimator(model, *table, rounds=[2, 27]).frame()
    assert frame.columns.tolist() == [2, 27]
    np.testing.assert_array_equal(frame[27], model.margins(*table))
