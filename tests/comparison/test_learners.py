"""The registry: every learner survives every shape of table that the reader gives."""

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_bayeslazy._comparison._learners import LEARNERS, OURS, suited
from sklearn_bayeslazy._comparison._table import read_table
from sklearn_bayeslazy._comparison._yardsticks import MAX_CATEGORIES, categorical_nb

WORDS, RARE = ["red", "green", ""], ["once"] + [""] * 39
NUMBERS, EMPTY = [str(i * i % 17) for i in range(40)], [""] * 40
COLUMNS = {
    "mixed": [(WORDS * 14)[:40], NUMBERS],
    "words only": [(WORDS * 14)[:40], RARE],
    "numbers only": [NUMBERS, NUMBERS[::-1]],
    "an empty column": [(WORDS * 14)[:40], EMPTY],
    "nothing known": [EMPTY, EMPTY],
    "constant": [["7"] * 40, ["same"] * 40],
    "names": [[f"name {i}" for i in range(40)], NUMBERS],
}


def table_of(write_table, columns, task):
    target = [
        ["go", "stop"][i % 2] if task == "classification" else i + 0.5
        for i in range(40)
    ]
    header = [f"c{j}" for j in range(len(columns))] + ["t"]
    return read_table(write_table(header, list(zip(*columns, target))))


def test_names_are_unique_and_both_tasks_have_a_dummy():
    names = [learner.name for learner in LEARNERS]
    assert len(set(names)) == len(names)
    assert {learner.task for learner in LEARNERS if "Dummy" in learner.name} == {
        "classification",
        "regression",
    }


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
@pytest.mark.filterwarnings("ignore")  # what compare() holds back
def test_learner_answers_on_rows_it_never_saw(learner, columns, write_table):
    table = table_of(write_table, columns, learner.task)
    estimator = learner.build(table)
    # The first rows, which hold the rare category, are seen at prediction only.
    estimator.fit(table.X[10:], table.y[10:])
    predicted = estimator.predict(table.X)
    assert predicted.shape == (40,)
    if learner.task == "classification":
        assert set(predicted) <= {"go", "stop"}
        assert estimator.predict_proba(table.X).shape == (40, 2)
    else:
        assert np.isfinite(predicted).all()
    assert isinstance(learner.chosen(estimator), str)


def test_ours_say_what_they_chose(write_table):
    table = table_of(write_table, COLUMNS["mixed"], "classification")
    said = {}
    for learner in suited("classification"):
        if learner.package == OURS:
            fitted = learner.build(table).fit(table.X, table.y)
            said[learner.name] = learner.chosen(fitted)
    assert said["MEstimateNB, m = 1"].startswith("m=1; ")
    assert "1 categorical" in said["MEstimateNB, m = 1"]
    assert "(loo); " in said["MEstimateNB, loo"]


def test_categorical_nb_gives_what_is_unknown_a_code_of_its_own(write_table):
    table = table_of(write_table, COLUMNS["words only"], "classification")
    columns = categorical_nb(table)[0].fit(table.X, table.y)
    rows = np.array([["red", "never seen"], [np.nan, "once"]], dtype=object)
    assert columns.transform(rows).tolist() == [[2, 0], [0, 1]]


def test_one_hot_columns_are_bounded(write_table):
    names = [[f"name {i}" for i in range(4 * MAX_CATEGORIES)]]
    rows = [(name, "xy"[i % 2]) for i, name in enumerate(names[0])]
    table = read_table(write_table(["name", "t"], rows))
    (learner,) = [item for item in LEARNERS if item.name == "GaussianNB"]
    encoded = learner.build(table)[0].fit_transform(table.X)
    assert encoded.shape[1] <= MAX_CATEGORIES


def test_chosen_of_a_pipeline_is_its_last_steps(write_table):
    (learner,) = [item for item in LEARNERS if item.name == "CategoricalNB"]
    pipeline = make_pipeline(FunctionTransformer(), MultinomialNB(alpha=0.25))
    assert learner.chosen(pipeline) == "alpha=0.25"
