"""ReliabilityDisplay: its curve, its scores, and what is drawn.

Code under test: `explain/_reliability_display.py`.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss

from sklearn_bayeslazy import MEstimateNB, ReliabilityDisplay, ShepardKNN


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def forecasts(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 1.0, n)
    return p, (rng.random(n) < p).astype(float), rng


def test_neighbours_that_decrease_are_pooled():
    """.4 had 1, .6 had 0: both get one half; .1 had 0 and .9 had 1."""
    display = ReliabilityDisplay(
        probabilities=[0.1, 0.4, 0.6, 0.9], events=[0, 1, 0, 1]
    )
    assert_allclose(display.recalibrated, [0, 0.5, 0.5, 1])
    # Brier: (.01 + .36 + .36 + .01) / 4; recalibrated: (1/4 + 1/4) / 4.
    assert_allclose(display.brier, 0.185)
    assert_allclose(display.miscalibration, 0.185 - 0.125)
    assert_allclose(display.discrimination, 0.25 - 0.125)
    assert_allclose(display.expected_calibration_error, 0.1)


@pytest.mark.parametrize("distortion", [1.0, 3.0])
def test_scores_add_up_and_show_what_is_wrong(distortion):
    p, events, rng = forecasts()
    weight = rng.uniform(0.5, 2.0, len(p))
    display = ReliabilityDisplay(
        probabilities=p**distortion, events=events, sample_weight=weight
    )
    parts = display.miscalibration - display.discrimination + display.uncertainty
    assert_allclose(parts, display.brier)
    assert_allclose(
        display.brier, brier_score_loss(events, p**distortion, sample_weight=weight)
    )
    # What increases with the probability recalibrates to the same values.
    original = ReliabilityDisplay(probabilities=p, events=events, sample_weight=weight)
    assert_allclose(display.recalibrated, original.recalibrated)
    is_reliable = distortion == 1.0
    assert (display.expected_calibration_error < 0.03) == is_reliable
    display.plot()
    positions, low, high = display._band(0.9)
    curve = np.interp(positions, np.sort(p**distortion), np.sort(display.recalibrated))
    inside = np.mean((low <= curve + 1e-12) & (curve <= high + 1e-12))
    assert (inside > 0.75) == is_reliable


def test_weights_count_as_repetition():
    p, events, rng = forecasts(200)
    weight = rng.integers(1, 4, 200)
    weighted = ReliabilityDisplay(probabilities=p, events=events, sample_weight=weight)
    repeated = ReliabilityDisplay(
        probabilities=np.repeat(p, weight), events=np.repeat(events, weight)
    )
    for name in ("brier", "miscalibration", "uncertainty", "discrimination"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name))
    assert weighted.frame()["weight"].sum() == weight.sum()


def test_training_rows_are_left_out():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], np.array(["no", "yes"])[y[50:] - 1]
    model = MEstimateNB(m=1.0, distribution="gaussian", feature_weights=None)
    display = ReliabilityDisplay.from_estimator(model.fit(X, y))
    assert_array_equal(display.probabilities, model.predict_proba(None)[:, 1])
    assert_array_equal(display.events, y == "yes")
    assert display.line_.get_label() == "MEstimateNB"
    other = ReliabilityDisplay.from_estimator(
        model, pos_label="no", ax=display.ax_, name="no"
    )
    assert_allclose(other.probabilities, 1 - display.probabilities, atol=1e-12)
    assert_allclose(other.brier, display.brier)
    assert len(display.ax_.get_legend().get_texts()) == 2


def test_of_three_classes_the_most_probable_is_judged():
    X, y = load_iris(return_X_y=True)
    model = ShepardKNN().fit(X[::2], y[::2])
    display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2])
    assert_allclose(display.probabilities, model.predict_proba(X[1::2]).max(axis=1))
    assert_array_equal(display.events, model.predict(X[1::2]) == y[1::2])
    one = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2], pos_label=2)
    assert_array_equal(one.events, y[1::2] == 2)


def test_what_is_drawn():
    p, events, _ = forecasts(300)
    display = ReliabilityDisplay.from_predictions(events, p, name="$p$ ")
    assert display.figure_ is display.ax_.figure
    x, values = display.line_.get_data()
    assert np.all(np.diff(x) >= 0)
    assert np.all(np.diff(values) >= 0)
    texts = " ".join(text.get_text() for text in display.ax_.texts)
    assert "Brier score" in texts
    assert "miscalibration" in texts
    frame = display.frame()
    assert list(frame) == ["probability", "recalibrated", "weight"]
    assert frame["probability"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: d.from_estimator(LinearRegression()), TypeError, "predict_proba"),
        (lambda d: d.from_estimator(MEstimateNB()), NotFittedError, "not fitted"),
        (
            lambda d: d.from_estimator(
                LogisticRegression().fit([[0.0], [1.0]], [0, 1])
            ),
            TypeError,
            "give X and y",
        ),
        (
            lambda d: d.from_estimator(
                MEstimateNB().fit([["a"], ["b"]] * 9, [0, 1] * 9), [["a"]]
            ),
            ValueError,
            "y is missing",
        ),
        (lambda d: d.from_predictions([0, 1], [0.2, 1.2]), ValueError, "from 0 to 1"),
        (
            lambda d: d.from_predictions([0, 1], [[0.2, 0.3, 0.5]] * 2),
            ValueError,
            "there are 2 classes",
        ),
        (
            lambda d: d.from_predictions([0, 1], [0.2, 0.7], classes=["no", "yes"]),
            ValueError,
            "y_true holds 0, which is none of the classes",
        ),
        (
            lambda d: d.from_predictions([0, 1], [[0.9, 0.9], [0.1, 0.1]]),
            ValueError,
            "sum to 1 in a row",
        ),
        (
            lambda d: d.from_predictions([0, 1], [0.2, 0.7], pos_label=3),
            ValueError,
            "none of the classes",
        ),
        (
            lambda d: d.from_predictions([0, 1], [0.2, 0.7], coverage=90),
            ValueError,
            "coverage must lie",
        ),
        (
            lambda d: d.from_predictions([0, 1, 1], [0.2, 0.7]),
            ValueError,
            "inconsistent numbers",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(ReliabilityDisplay)
