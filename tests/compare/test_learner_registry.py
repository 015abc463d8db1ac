"""The registry: every learner fits and predicts every kind of table.

Code under test: `compare/_learners/_baselines.py`, `compare/_learners/_learner.py`,
`compare/_learners/_registry.py`.
"""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import ShepardKNN
from sklearn_bayeslazy.compare._dataset import TableError
from sklearn_bayeslazy.compare._evaluate import raw_pipeline
from sklearn_bayeslazy.compare._learners import _registry, chosen_parameters
from sklearn_bayeslazy.compare._learners._baselines import (
    MAX_CATEGORIES,
    NumberedClasses,
    categories_and_bins,
)
from sklearn_bayeslazy.compare._learners._registry import LEARNERS, learners_for
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from tests.helpers.sentences import sentences

WORDS, RARE = ["red", "green", ""], ["once"] + [""] * 39
NUMBERS, EMPTY = [str(i * i % 17) for i in range(40)], [""] * 40
COLUMNS = {
    "mixed": [(WORDS * 14)[:40], NUMBERS],
    "words only": [(WORDS * 14)[:40], RARE],
    "numbers only": [NUMBERS, NUMBERS[::-1]],
    "an empty column": [(WORDS * 14)[:40], EMPTY],
    "names": [[f"name {i}" for i in range(40)], NUMBERS],
}
TEXT = sentences(40, mood=["great", "boring"])
USELESS = {
    "all missing": [EMPTY, EMPTY],
    "constant": [["7"] * 40, ["same"] * 40],
    "distinct words": [[f"word{i}" for i in range(40)]],
}
# scikit-learn's AdaBoost raises an error if no column predicts the class.
ADABOOST_FAILS = {"words only", "an empty column"}
# The text of the first rows is missing; they are not in the training part.
TEXT_WITH_MISSING = [""] * 12 + TEXT[12:30] + [""] * 10
TEXTS = {
    "one text": [TEXT],
    "two texts": [TEXT, sentences(40, seed=1)],
    "text with missing": [TEXT_WITH_MISSING],
    "text among others": [(WORDS * 14)[:40], TEXT, NUMBERS],
    "text and numbers": [NUMBERS, TEXT],
    "text and all missing": [TEXT, EMPTY],
    "quotes, commas, lines": [[f'"{text},"\r\n\n\'s' for text in TEXT]],
    "words and text": [(WORDS * 14)[:40], TEXT, RARE],
    "unknown words": [["ß ŋ 日本語 \x0b\u2028 of it"] * 10 + TEXT[10:]],
}
# Tables most of whose columns, without text and empty ones, are categorical.
MOSTLY_SYMBOLS = {"words only", "an empty column", "words and text"}


def reads(learner, columns):
    """Return whether a learner reads any column of the table with this name."""
    reads_text = learner.reads != "columns"
    reads_others = learner.reads != "documents"
    has_others = columns in COLUMNS or any(
        part in columns for part in ("and numbers", "among", "words and")
    )
    if learner.name.startswith("CaseBased") and columns not in MOSTLY_SYMBOLS:
        return False
    return (columns in TEXTS and reads_text) or (has_others and reads_others)


def table_of(write_table, columns, task):
    target = [
        ["go", "stop"][i % 2] if task == "classification" else i + 0.5
        for i in range(40)
    ]
    header = [f"c{j}" for j in range(len(columns))] + ["t"]
    return read_dataset(write_table(header, list(zip(*columns, target))))


def test_names_are_unique_and_both_tasks_have_a_dummy():
    names = [learner.name for learner in LEARNERS]
    assert len(set(names)) == len(names)
    assert {learner.task for learner in LEARNERS if "Dummy" in learner.name} == {
        "classification",
        "regression",
    }


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory):
    """Return a function that cleans a table once for all learners that read alike."""
    path = tmp_path_factory.mktemp("tables") / "table.csv"

    def write(header, rows):
        pd.DataFrame(rows, columns=header).to_csv(path, index=False)
        return path

    @cache
    def clean(columns, task, reads):
        whole = table_of(write, (COLUMNS | TEXTS)[columns], task)
        first = whole.first_step(reads, 0)
        # The first rows, which hold the rare category, are not in the training part.
        train = first.fit_transform(whole.X[10:], whole.y[10:])
        return whole, train, first.transform(whole.X)

    return clean


@pytest.mark.parametrize(
    ("learner", "columns"),
    [
        pytest.param(learner, columns, id=f"{learner.name}-{columns}")
        for learner in LEARNERS
        for columns in COLUMNS | TEXTS
        if reads(learner, columns)
    ],
)
@pytest.mark.filterwarnings("ignore")  # compare() records warnings
def test_learner_predicts_unseen_rows(learner, columns, cleaned):
    whole, train, X = cleaned(columns, learner.task, learner.reads)
    assert learner.applies_to(whole)
    estimator = raw_pipeline(whole, learner, 0)[1:]
    if learner.name == "AdaBoostClassifier" and columns in ADABOOST_FAILS:
        with pytest.raises(ValueError, match="worse than random"):
            estimator.fit(train, whole.y[10:])
        return
    estimator.fit(train, whole.y[10:])
    predicted = estimator.predict(X)
    assert predicted.shape == (40,)
    if learner.task == "classification":
        assert set(predicted) <= {"go", "stop"}
        assert estimator.predict_proba(X).shape == (40, 2)
    else:
        assert np.isfinite(predicted).all()
    last = estimator[0] if len(estimator) == 1 else estimator
    assert isinstance(chosen_parameters(last), str)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("columns", [*COLUMNS, *TEXTS])
def test_a_learner_applies_to_a_table_if_it_reads_some_column(
    columns, task, write_table
):
    table = table_of(write_table, (COLUMNS | TEXTS)[columns], task)
    found = learners_for(table)
    assert {learner.name for learner in found} == {
        learner.name
        for learner in LEARNERS
        if learner.task == task and reads(learner, columns)
    }
    costs = [learner.cost for learner in found]
    assert costs == sorted(costs)


@pytest.mark.parametrize("columns", USELESS)
def test_a_table_of_useless_columns_is_an_error(columns, write_table):
    with pytest.raises(TableError, match="no column is left to predict from"):
        table_of(write_table, USELESS[columns], "classification")


def test_learners_are_selected_by_parts_of_their_names(write_table):
    table = table_of(write_table, COLUMNS["mixed"], "classification")
    names = [one.name for one in learners_for(table, ["forest", " AODE"])]
    assert names == ["RandomForestClassifier", "AODEClassifier, loo"]
    with pytest.raises(ValueError, match="no learner for this table has 'textnb'"):
        learners_for(table, ["TextNB"])


def test_chosen_parameters_of_our_learners(write_table):
    table = table_of(write_table, TEXTS["text among others"], "classification")
    names = ["MEstimateNB, classical", "MEstimateNB, loo", "AODE", "TextNB, loo"]
    names += ["LanguageModelNB, loo", "ShepardKNN"]
    parameters = {}
    for learner in learners_for(table, names):
        X = table.first_step(learner.reads, 0).fit_transform(table.X, table.y)
        fitted = learner.build(table).fit(X, table.y)
        parameters[learner.name] = chosen_parameters(fitted)
    assert parameters["MEstimateNB, classical"] == ""
    assert re.search(r"\bm=[\d.]+", parameters["MEstimateNB, loo"])
    aode = r"\bbinning=\w+, m=.+, n_bins=\d+"
    assert re.search(aode, parameters["AODEClassifier, loo"])
    assert re.search(r"\bm=[\d.e+-]+", parameters["TextNB, loo"])
    assert re.fullmatch(
        r"m=[\d.]+, n_neighbors=(all|\d+), power=\d+", parameters["ShepardKNN, loo"]
    )
    assert "smoothing=absolute_discount" in parameters["LanguageModelNB, loo"]


@pytest.mark.parametrize(
    ("n_neighbors", "power", "text"),
    [
        (None, 2.0, "n_neighbors=all, power=2"),
        (3, 0.73612, "n_neighbors=3, power=0.7361"),
        (15961, 1e7, "n_neighbors=15961, power=1e+07"),
        (3, np.array([0.5, 2, 1]), "n_neighbors=3, power=0.5 to 2"),
    ],
)
def test_format_of_chosen_parameters(n_neighbors, power, text):
    estimator = ShepardKNN()
    estimator.n_neighbors_, estimator.power_ = n_neighbors, power
    assert chosen_parameters(estimator) == text
    assert chosen_parameters(make_pipeline(FunctionTransformer(), estimator)) == text


def test_m_estimate_nb_gets_texts_as_numbers(write_table):
    table = table_of(write_table, TEXTS["text among others"], "classification")
    (learner,) = [item for item in LEARNERS if item.name == "MEstimateNB, classical"]
    fitted = raw_pipeline(table, learner, 0).fit(table.X, table.y)[-1]
    assert fitted.n_features_in_ == 3
    assert list(fitted.distributions_)[1] != "categorical"


def test_text_learners_predict_a_class_that_one_word_gives(write_table):
    table = table_of(write_table, TEXTS["one text"], "classification")
    for learner in learners_for(table):
        fitted = raw_pipeline(table, learner, 0).fit(table.X[:30], table.y[:30])
        right = np.mean(fitted.predict(table.X[30:]) == table.y[30:])
        assert (right > 0.7) == (learner.name != "DummyClassifier"), learner.name


def test_categorical_nb_has_a_code_for_unknown_categories(write_table):
    table = table_of(write_table, COLUMNS["words only"], "classification")
    columns = categories_and_bins().fit(table.cleaner(0).fit_transform(table.X))
    rows = pd.DataFrame([["red", "never seen"], [np.nan, "once"]], columns=["c0", "c1"])
    assert columns.transform(rows).tolist() == [[2, 0], [0, 1]]


def test_number_of_one_hot_columns_is_bounded(write_table):
    names = [[f"name {i}" for i in range(4 * MAX_CATEGORIES)]]
    rows = [(name, "xy"[i % 2]) for i, name in enumerate(names[0])]
    table = read_dataset(write_table(["name", "t"], rows), kinds={"name": "category"})
    (learner,) = [item for item in LEARNERS if item.name == "GaussianNB"]
    encoded = learner.build(table)[0].fit_transform(table.X)
    assert encoded.shape[1] <= MAX_CATEGORIES


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7]])
def test_numbered_classes_are_predicted_as_labels(labels):
    X = np.arange(20.0)[:, np.newaxis] % 2
    y = np.array(labels)[X[:, 0].astype(int)]

    class Column(DecisionTreeClassifier):
        """Refuses labels, as XGBoost does, and predicts a column, as CatBoost does."""

        def fit(self, X, y):
            assert set(y) == {0, 1}
            return super().fit(X, y)

        def predict(self, X):
            return super().predict(X)[:, np.newaxis]

    model = NumberedClasses(Column()).fit(X, y)
    assert model.classes_.tolist() == labels
    assert (model.predict(X) == y).all()
    assert model.predict_proba(X).shape == (20, 2)


@pytest.mark.parametrize("package", ["lightgbm", "xgboost", "catboost"])
@pytest.mark.filterwarnings("ignore")
def test_boosting_of_other_packages_is_compared_if_installed(package, write_table):
    pytest.importorskip(package)
    for task in ("classification", "regression"):
        table = table_of(write_table, COLUMNS["mixed"], task)
        (learner,) = [x for x in learners_for(table) if x.package.lower() == package]
        model = raw_pipeline(table, learner, 0).fit(table.X[10:], table.y[10:])
        assert model.predict(table.X).shape == (40,)


def test_boosting_that_is_not_installed_is_left_out():
    assert _registry._installed("Absent", "absent_package", "AbsentClassifier") == []
