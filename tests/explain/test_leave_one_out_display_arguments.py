"""LeaveOneOutDisplay: arguments, frames, kinds of estimators, and errors."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_bayeslazy import LeaveOneOutDisplay, TextNB
from sklearn_bayeslazy.explain._candidates import parameters_that_take_loo
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.leave_one_out_results import (
    EVERY_K,
    StoredChoice,
    choice_of_k,
    choice_of_k_and_power,
    grid,
    tick_labels,
)


def test_the_score_is_the_decisive_one_or_the_given_one(pyplot):
    means = {"log_loss": [0.5, 0.6, 0.7], "accuracy": [0.7, 0.8, 0.9]}
    params = grid(m=[1, 2, 3])
    for scoring, drawn in ((None, "log_loss"), ("accuracy", "accuracy")):
        display = LeaveOneOutDisplay.from_estimator(
            StoredChoice(scoring).fit(params, means)
        )
        assert display.score == drawn
        np.testing.assert_allclose(display.line_.get_ydata(), means[drawn])
    display = LeaveOneOutDisplay.from_estimator(
        StoredChoice("accuracy").fit(params, means), score="log_loss"
    )
    # The marker is at the choice of the estimator, which is not the best by this score.
    assert display.chosen_.get_xydata()[0] == pytest.approx([3, 0.7])


def test_axes_and_keywords_are_respected(pyplot):
    figure, ax = pyplot.subplots()
    display = LeaveOneOutDisplay.from_estimator(
        choice_of_k(), ax=ax, annotate=False, band_kw={"alpha": 0.5}, c="red", label="k"
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
    assert display.line_.get_label() == "StoredChoice"


def test_a_pipeline_is_replaced_by_its_last_step(counts, pyplot):
    pipeline = make_pipeline(FunctionTransformer(), classical_nb(m="loo")).fit(*counts)
    display = LeaveOneOutDisplay.from_estimator(pipeline)
    assert display.chosen_.get_xdata()[0] == pipeline[-1].m_


@pytest.mark.parametrize("column", [1, "x"])
def test_the_scores_of_the_distributions_of_a_column(column, mixed, pyplot):
    model = classical_nb(m="loo", distribution=["auto", "loo"]).fit(*mixed)
    display = LeaveOneOutDisplay.from_estimator(model, column=column)
    results = model.loo_columns_[1]
    names = [candidate["distribution"] for candidate in results["params"]]
    assert tick_labels(display) == names
    np.testing.assert_array_equal(display.line_.get_ydata(), results["mean_log_loss"])
    assert names[int(display.chosen_.get_xdata()[0])] == model.distributions_[1]
    assert display.ax_.get_xlabel() == "distribution of x"
    # Without a column the parameter is m.
    assert LeaveOneOutDisplay.from_estimator(model).parameter == "m"


def test_the_frame_has_the_scores_and_keeps_none(pyplot):
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    model = choice_of_k_and_power()
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
    model = StoredChoice().fit(params, {"log_loss": [0.5, 0.4]})
    display = LeaveOneOutDisplay.from_estimator(model)
    assert tick_labels(display) == ["[1.0, 2.0]", "[3.0, 4.0]"]
    np.testing.assert_array_equal(display.frame()["m"][1], [3.0, 4.0])


def test_an_estimator_must_be_fitted():
    for estimator in (classical_nb(m="loo"), make_pipeline(classical_nb(m="loo"))):
        with pytest.raises(NotFittedError, match="MEstimateNB"):
            LeaveOneOutDisplay.from_estimator(estimator)


def test_without_a_choice_the_error_names_the_parameters(counts):
    with pytest.raises(
        ValueError,
        match=r'MEstimateNB .* Set m or distribution or feature_weights or .* to "loo',
    ):
        LeaveOneOutDisplay.from_estimator(classical_nb().fit(*counts))
    with pytest.raises(
        ValueError, match=r'TextNB .* Set m or .* to "loo" and call fit'
    ):
        LeaveOneOutDisplay.from_estimator(TextNB("laplace", temperature=1).fit(*counts))
    with pytest.raises(
        ValueError, match=r"GaussianNB .* none of its parameters can be"
    ):
        LeaveOneOutDisplay.from_estimator(GaussianNB().fit(*counts))
    assert parameters_that_take_loo(classical_nb()) == [
        "m",
        "distribution",
        "feature_weights",
        "n_bins",
        "binning",
        "var_smoothing",
    ]


def test_errors_for_wrong_names_list_the_valid_names(mixed):
    model = classical_nb(m="loo", distribution=["auto", "loo"]).fit(*mixed)
    for wrong, message in (
        ({"parameter": "distribution"}, r"\['m'\], not .* pass column="),
        ({"score": "auc"}, r"score='auc' .* are \['log_loss', 'accuracy'\]"),
        ({"column": "string"}, r"column='string' .* are \['x'\]"),
        ({"column": 7}, r"column=7 .* are \['x'\]"),
    ):
        with pytest.raises(ValueError, match=message):
            LeaveOneOutDisplay.from_estimator(model, **wrong)
    model = classical_nb(m="loo").fit(*mixed)
    with pytest.raises(ValueError, match=r"column='x': .*distribution=\"loo\""):
        LeaveOneOutDisplay.from_estimator(model, column="x")
    with pytest.raises(
        ValueError, match=r"\['n_neighbors'\], not parameter='power'\.$"
    ):
        LeaveOneOutDisplay.from_estimator(choice_of_k(), parameter="power")


def test_the_import_of_the_displays_does_not_import_matplotlib():
    code = (
        "import sys; "
        "from sklearn_bayeslazy import LeaveOneOutDisplay, RegressionBandDisplay; "
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sklearn-bayeslazy\[plot\]"):
        LeaveOneOutDisplay.from_estimator(choice_of_k())
