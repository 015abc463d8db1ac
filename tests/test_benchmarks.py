"""The benchmarks: the harness on known functions, and each case on a small table."""

import gc
import json
import runpy
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from benchmarks.__main__ import CASES
from benchmarks._data import read_table, table_path
from benchmarks._markdown import mean_and_error, score_cell
from benchmarks._pages import DOC
from benchmarks._scores import (
    best_model,
    classification_scores,
    regression_scores,
    score_folds,
    significant_sign,
    stratified_folds,
)
from benchmarks.accuracy import out_of_the_box
from benchmarks.accuracy.__main__ import EXPERIMENTS
from benchmarks.accuracy._experiment import QUICK_FOLDS
from benchmarks.accuracy._out_of_the_box_learners import CatBoostOnFrames, make_learner
from benchmarks.speed import (
    _harness,
    aode,
    belief_network,
    boosting,
    case_based,
    hashing,
    inverted_index,
    naive_bayes,
    text,
)
from benchmarks.speed._harness import (
    growth_exponent,
    measure,
    peak_memory,
    time_alternately,
)
from benchmarks.speed._page import render
from sklearn_bayeslazy.compare._learners._baselines import NumberedClasses
from tests.helpers.shared import shared_path


@pytest.fixture(autouse=True)
def quick_collection():
    """Exclude the objects of earlier tests from the harness's garbage collections."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def measure_once(monkeypatch):
    """Return a function that measures a case on small tables, with one call a time."""
    monkeypatch.setattr(_harness, "GROWTH_FACTORS", (1, 2))
    return lambda case: measure(replace(case, repeats=1), quick=True)


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_growth_exponent_is_the_power_of_a_power_law(power):
    sizes = np.array([100, 200, 400])
    assert growth_exponent(sizes, 3e-6 * sizes**power) == pytest.approx(power)


def test_time_alternately_alternates_and_returns_medians():
    calls = []
    ours = lambda: calls.append("ours")  # noqa: E731
    peer = lambda: (calls.append("peer"), time.sleep(0.01))  # noqa: E731
    our_seconds, peer_seconds = time_alternately(ours, peer, 3)
    assert calls == ["ours", "peer"] * 3
    assert peer_seconds >= 0.01 > our_seconds


def test_peak_memory_is_that_of_the_temporary_arrays():
    answer, peak = peak_memory(lambda: float(np.ones(10**6).sum()))
    assert answer == 1e6
    assert 8e6 <= peak < 9e6


# Without the grid searches, whose peer alone takes a quarter of a minute.
QUICK_CASES = [case for case in naive_bayes.CASES if not case.name.startswith("loo")]
# Gradient boosting waits for its threads where other tests keep the cores busy.
QUICK_CASES += [case for case in aode.CASES if case.name == "tuned-fit"]
# The case of hashing that needs no other packages and no other data.
QUICK_CASES += [case for case in hashing.CASES if case.name == "patches-brute"]
QUICK_CASES += case_based.CASES


@pytest.mark.parametrize("case", QUICK_CASES, ids=lambda case: case.name)
def test_case_runs_and_its_answers_agree(case, measure_once, monkeypatch):
    # The recall of 10,000 queries is computed by plain distances.
    monkeypatch.setattr(hashing, "N_QUERIES", 1000)
    row = measure_once(case)
    assert row["agrees"], row["answers"]
    assert row["ratio"] > 0
    assert row["rows"] == case.quick_size


@pytest.mark.parametrize(
    "case", [*text.CASES, inverted_index.CASES[0]], ids=lambda case: case.name
)
def test_case_on_text_runs_and_its_answers_agree(case, measure_once):
    shared_path("scikit_learn_data")
    if case.peer_name == "nltk.lm":
        pytest.importorskip("nltk")
    if case.peer_name == "sparse_dot_topn":
        pytest.importorskip("sparse_dot_topn")
    row = measure_once(case)
    assert row["agrees"], row["answers"]


# pyAgrum 3.3.1 crashes the interpreter if this warning is an error.
@pytest.mark.filterwarnings(
    "ignore:builtin type .* has no __module__:DeprecationWarning"
)
@pytest.mark.parametrize("case", belief_network.CASES, ids=lambda case: case.name)
def test_case_of_belief_networks_runs_and_its_answers_agree(case, measure_once):
    shared_path("bif")
    pytest.importorskip("pyagrum")
    row = measure_once(case)
    assert row["agrees"], row["answers"]


@pytest.mark.parametrize("case", boosting.CASES, ids=lambda case: case.name)
def test_case_of_boosting_runs_and_its_answers_agree(case, measure_once, monkeypatch):
    if "LightGBM" in case.peer_name:
        pytest.importorskip("lightgbm")
    # After ten rounds these two peers still differ from ours in accuracy.
    if case.name not in ("boosting-fit-lightgbm", "boosting-fit-mixed"):
        monkeypatch.setattr(boosting, "N_ROUNDS", 10)
    row = measure_once(case)
    assert row["agrees"], row["answers"]


def test_array_bytes_counts_each_array_once():
    array = np.zeros(10)
    assert text.array_bytes({"a": array, "b": [array, np.zeros(5)]}) == 8 * 15


def test_bic_counts_the_free_parameters():
    table = pd.DataFrame({"a": list("xxyy"), "b": list("xyxy")})
    log_likelihood = 8 * np.log(1 / 2)
    assert belief_network.bic(table, []) == pytest.approx(
        log_likelihood - 2 * np.log(4) / 2
    )
    assert belief_network.bic(table, [("a", "b")]) == pytest.approx(
        log_likelihood - 3 * np.log(4) / 2
    )


class Failing(DummyClassifier):
    """A classifier that cannot be fitted."""

    def fit(self, X, y):
        raise ValueError("no")


def test_score_folds_scores_each_fold_and_records_errors():
    X, y = pd.DataFrame({"a": range(12)}), np.repeat(["u", "v"], [8, 4])
    folds = stratified_folds(y, 4)
    models = {"dummy": DummyClassifier, "failing": Failing}
    score = classification_scores(np.unique(y))
    scores = score_folds(models, X, y, folds, score, record_errors=True)
    assert scores["dummy"]["accuracy"] == [2 / 3] * 4
    # Each test part has two rows of u and one of v, with P(u) = 2/3.
    entropy = -(2 * np.log(2 / 3) + np.log(1 / 3)) / 3
    np.testing.assert_allclose(scores["dummy"]["log loss"], [entropy] * 4)
    # The squared distance is 2 (1/3)² from u and 2 (2/3)² from v.
    brier = (2 * 2 / 9 + 8 / 9) / 3
    np.testing.assert_allclose(scores["dummy"]["Brier score"], [brier] * 4)
    assert scores["failing"] == {"errors": ["ValueError: no"] * 4}
    assert best_model(scores, "accuracy") == "dummy"
    assert score_cell(scores["failing"], "accuracy") == "error: ValueError: no"
    with pytest.raises(ValueError, match="no"):
        score_folds(models, X, y, folds, score)


def test_scores_of_a_class_absent_from_training():
    classes = np.array(["u", "v", "w"])
    model = DummyClassifier().fit([[0], [0]], ["u", "v"])
    scores = classification_scores(classes)(model, [[0]], np.array(["w"]))
    assert scores["log loss"] == pytest.approx(-np.log(np.finfo(float).eps))
    # P(u) = P(v) = 1/2, and 0 instead of 1 for w.
    assert scores["Brier score"] == pytest.approx(1 / 4 + 1 / 4 + 1)


@pytest.mark.parametrize(
    ("losses", "sign"),
    [([0.1, 0.2, 0.1], 1), ([0.9, 0.8, 0.9], -1), ([0.1, 0.9, 0.5], 0)],
)
def test_significant_sign_needs_two_standard_errors(losses, sign):
    first, second = (
        {"log loss": values, "errors": []} for values in (losses, [0.5, 0.5, 0.5])
    )
    assert significant_sign(first, second, "log loss") == sign


def test_mean_and_error_of_one_value_has_no_error():
    assert mean_and_error([0.25]) == "0.250"
    assert mean_and_error([1.0, 2.0, 3.0]) == "2.000 ± 0.577"


PAGES = {"benchmarks": render, **{e.page: e.render for e in EXPERIMENTS.values()}}


@pytest.mark.parametrize("page", PAGES)
def test_page_shows_the_stored_results(page):
    results = json.loads((DOC / f"{page}.json").read_text(encoding="utf-8"))
    assert (DOC / f"{page}.md").read_text(encoding="utf-8") == PAGES[page](results)


def test_stored_results_are_those_of_the_cases():
    results = json.loads((DOC / "benchmarks.json").read_text(encoding="utf-8"))
    assert list(results) == list(CASES)
    for name, row in results.items():
        assert (row["work"], row["peer"]) == (CASES[name].work, CASES[name].peer_name)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_stored_results_are_those_of_the_experiment(name):
    experiment = EXPERIMENTS[name]
    results = json.loads((DOC / f"{experiment.page}.json").read_text(encoding="utf-8"))
    assert results.keys() == {*experiment.parts, "machine"}


@pytest.mark.parametrize(
    ("name", "part", "file"),
    [
        ("naive_bayes", "autos", "autos.csv"),
        ("boosting", "german_credit, encoded", "german_credit.csv"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_quick_run_of_an_experiment_measures_all_models(name, part, file):
    shared_path(file)
    experiment = EXPERIMENTS[name]
    measured = experiment.measure(part, quick=True)
    assert len(experiment.summarize(measured)) == len(measured) >= 5


MEASURED = {"classification": "Brier score", "regression": "relative RMSE"}


OUT_OF_THE_BOX = [
    part for part in out_of_the_box.PARTS if not part.endswith(out_of_the_box.WHOLE)
]
# The packages of learners of the extra `bench`.
PACKAGES = {"LGBM": "lightgbm", "XGB": "xgboost", "CatBoost": "catboost"}


def skip_unless_installed(learner):
    """Skip the test if the package of a learner is not installed."""
    for prefix, package in PACKAGES.items():
        if learner.startswith(prefix):
            pytest.importorskip(package)


@pytest.mark.parametrize("learner", OUT_OF_THE_BOX)
def test_quick_run_of_a_learner_out_of_the_box(learner):
    shared_path("zoo.csv")
    skip_unless_installed(learner)
    measured = out_of_the_box.measure(learner, quick=True)
    assert len(out_of_the_box.summarize(measured)) == len(measured) >= 3
    for scores in measured.values():
        assert scores["errors"] == []
        assert len(scores[MEASURED[out_of_the_box.half_of(learner)]]) == QUICK_FOLDS


def innermost(estimator):
    """Return the learner within a pipeline and other wrappers."""
    while hasattr(estimator, "steps"):
        estimator = estimator[-1]
    if isinstance(estimator, NumberedClasses):
        estimator = estimator.estimator
    return estimator.model if isinstance(estimator, CatBoostOnFrames) else estimator


@pytest.mark.parametrize("learner", OUT_OF_THE_BOX)
def test_learner_out_of_the_box_has_its_default_parameters(learner):
    skip_unless_installed(learner)
    estimator = innermost(make_learner(learner))
    default = type(estimator)().get_params()
    given = {
        name
        for name, value in estimator.get_params().items()
        if name not in default or repr(value) != repr(default[name])  # NaN is one
    }
    assert type(estimator).__name__ == learner
    quiet = {"n_jobs", "thread_count", "verbose", "allow_writing_files"}
    assert given <= {"random_state", "max_iter", "enable_categorical", *quiet}


def test_whole_tables_are_those_of_more_rows():
    for half, tables in out_of_the_box.WHOLE_TABLES.items():
        for table in tables:
            shared_path(table_path(table).name)
            assert len(read_table(table)[0]) > out_of_the_box.MAX_ROWS
            assert table in out_of_the_box.TABLES[half]


@pytest.mark.parametrize(
    ("table", "name", "shape"),
    [("zoo", "animal", (101, 16)), ("cbr_travel", "caseId", (1024, 8))],
)
def test_out_of_the_box_drops_names_of_rows(table, name, shape):
    shared_path(f"{table}.csv")
    X, y, folds = out_of_the_box.load(table)
    assert X.shape == shape
    assert name not in X
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(y)))


def test_scores_of_a_regressor_are_relative_to_the_training_mean():
    X, y = np.zeros((5, 1)), np.array([0.0, 2.0, 4.0, 6.0, 9.0])
    train, test = slice(0, 3), slice(3, 5)
    score = regression_scores(y)
    mean = DummyRegressor().fit(X[train], y[train])  # predicts (0 + 2 + 4) / 3 = 2
    scores = score(mean, X[test], y[test])
    # R² = 1 - ((6 - 2)² + (9 - 2)²) / (1.5² + 1.5²)
    assert scores == {"R²": pytest.approx(1 - 65 / 4.5), "relative RMSE": 1.0}
    seven = DummyRegressor(strategy="constant", constant=7.0).fit(X, y)
    scores = score(seven, X[test], y[test])
    assert scores["relative RMSE"] == pytest.approx(np.sqrt((1 + 4) / 65))


def test_gradient_boosting_gets_positions_of_strings_with_many_values():
    days = [f"day {i:03}" for i in range(300)]
    X = pd.DataFrame({"day": days, "half": ["first"] * 150 + ["second"] * 150})
    model = make_learner("HistGradientBoostingRegressor").fit(X, np.arange(300.0))
    columns = model[0].transform(
        pd.DataFrame({"day": ["day 007", "?"], "half": "first"})
    )
    assert columns["half"].dtype == "category"
    np.testing.assert_array_equal(columns["day"], [7, np.nan])


def folds_of(n_errors=0, **scores):
    """Return the folds of a table as `score_folds` does."""
    return {"errors": ["E: no"] * n_errors, **scores}


def page_of(results):
    """Return the page of some results, on the machine of another page."""
    machine = json.loads((DOC / "accuracy_text.json").read_text())["machine"]
    return out_of_the_box.page({**results, "machine": machine})


def test_page_out_of_the_box_shows_means_ranks_and_failures():
    def folds(accuracy, loss, seconds):
        brier = [loss / 2] * 2
        scores = {"accuracy": accuracy, "log loss": [loss] * 2, "Brier score": brier}
        return folds_of(**scores, seconds=seconds)

    page = page_of(
        {
            "GaussianNB": {
                "a": folds([0.5, 0.7], 0.4, [1.0, 3.0]),
                "b": folds([0.8, 0.8], 0.2, [2.0, 2.0]),
            },
            "MEstimateNB": {
                "a": folds([0.7, 0.7], 0.1, [1.0, 1.0]),
                "b": folds([0.9, 0.9], 0.3, [1.0, 1.0]),
            },
            "ShepardKNN": {"a": folds([1, 1], 0, [1, 1]), "b": folds_of(1)},
        }
    )
    # ShepardKNN is first on table a, where it did not fail, and last on table b.
    assert (
        "| MEstimateNB | **0.800** | **0.200** | **0.100** | **1.000** | **2.000** |"
        in page
    )
    assert "| GaussianNB | 0.700 | 0.300 | 0.150 | 2.000 | **2.000** |" in page
    assert "| ShepardKNN | failed on 1 of 2 tables: E: no |  |  |  |  |" in page
    assert page.index("| MEstimateNB | **") < page.index("| GaussianNB | 0.7")
    assert "| b | **0.900** | error | 0.800 |" in page
    assert "## Regressors" not in page


def test_page_out_of_the_box_shows_whole_tables_apart():
    def folds(loss):
        scores = {key: [0.5, 0.5] for key in ("accuracy", "Brier score", "seconds")}
        return folds_of(**scores, **{"log loss": [loss] * 2})

    results = {
        "LGBMClassifier": {"a": folds(0.25), "b": folds(0.5)},
        "LGBMClassifier, whole": {"b": folds(0.125)},
    }
    page = page_of(results)
    first, whole = page.split("## Whole tables\n")
    assert "| LGBMClassifier | **0.500** | **0.375** |" in first
    assert "| LGBMClassifier | **0.500** | **0.125** |" in whole
    assert "| b | **0.125** |" in whole
    assert "| a |" not in whole


def test_page_out_of_the_box_shows_the_worst_table_of_a_regressor():
    def folds(r2, rmse):
        return folds_of(**{"R²": r2, "relative RMSE": rmse, "seconds": [1.0, 1.0]})

    page = page_of(
        {
            "Ridge": {
                "a": folds([0.9, 0.7], [0.4, 0.6]),
                "b": folds([-0.1, -0.3], [1.1, 1.3]),
            },
            "DummyRegressor": {
                "a": folds([0.0, 0.0], [1.0, 1.0]),
                "b": folds([0.0, 0.0], [1.0, 1.0]),
            },
            "KNeighborsRegressor": {"a": folds([1, 1], [0, 0]), "b": folds_of(1)},
        }
    )
    # Means of R²: (.8 - .2) / 2, of relative RMSE: (.5 + 1.2) / 2; worst R²: table b.
    # Ranks of Ridge: 2 and 2, of DummyRegressor: 3 and 1.
    assert "| Ridge | **0.300** | **0.850** | **1.000** | -0.200 | **2.000** |" in page
    assert (
        "| DummyRegressor | 0.000 | 1.000 | **1.000** | **0.000** | **2.000** |" in page
    )
    assert (
        "| KNeighborsRegressor | failed on 1 of 2 tables: E: no |  |  |  |  |" in page
    )
    assert "| b | error | -0.200 | **0.000** |" in page
    assert "## Classifiers" not in page


def test_command_of_the_benchmark_out_of_the_box(monkeypatch, capsys):
    shared_path("zoo.csv")
    arguments = ["accuracy_out_of_the_box", "--quick", "GaussianNB", "DummyRegressor"]
    monkeypatch.setattr("sys.argv", arguments)
    runpy.run_module("benchmarks.accuracy_out_of_the_box", run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    tables = out_of_the_box.QUICK_TABLES
    assert [line.split()[0] for line in lines] == [
        "GaussianNB",
        *tables["classification"],
        "DummyRegressor",
        *tables["regression"],
    ]
