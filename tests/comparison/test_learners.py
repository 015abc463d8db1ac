"""The registry: every learner survives every shape of table that the reader gives."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from sentences import sentences
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
TEXT = sentences(40, mood=["great", "boring"])
# A peer refuses what says nothing of the class.
REFUSED = {
    "words only",
    "an empty column",
    "nothing known",
    "constant",
    "text and nothing known",
}
# Unseen: each of the first rows, which are held out, and all words of some others.
HOLES = [""] * 12 + TEXT[12:30] + [""] * 10
TEXTS = {
    "one text": [TEXT],
    "two texts": [TEXT, sentences(40, seed=1)],
    "text with holes": [HOLES],
    "text among others": [(WORDS * 14)[:40], TEXT, NUMBERS],
    "text and numbers": [NUMBERS, TEXT],
    "text and nothing known": [TEXT, EMPTY],
    "quotes, commas, lines": [[f'"{text},"\r\n\n\'s' for text in TEXT]],
    "unknown words": [["ß ŋ 日本語 \x0b\u2028 of it"] * 10 + TEXT[10:]],
}


def reads(learner, columns):
    """Tell whether a learner reads anything of a table, by the table's name."""
    reads_text = learner.reads != "columns"
    reads_others = learner.reads != "documents"
    has_others = columns in COLUMNS or "and" in columns or "among" in columns
    return (columns in TEXTS and reads_text) or (has_others and reads_others)


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


@pytest.mark.parametrize(
    ("learner", "columns"),
    [
        pytest.param(learner, columns, id=f"{learner.name}-{columns}")
        for learner in LEARNERS
        for columns in COLUMNS | TEXTS
        if reads(learner, columns)
    ],
)
@pytest.mark.filterwarnings("ignore")  # what compare() holds back
def test_learner_answers_on_rows_it_never_saw(learner, columns, write_table):
    whole = table_of(write_table, (COLUMNS | TEXTS)[columns], learner.task)
    assert learner.suits(whole)
    table = whole.part(learner.reads)
    estimator = learner.build(table)
    # The first rows, which hold the rare category, are seen at prediction only.
    if learner.name == "AdaBoostClassifier" and columns in REFUSED:
        with pytest.raises(ValueError, match="worse than random"):
            estimator.fit(table.X[10:], table.y[10:])
        return  # its row in the table tells that
    estimator.fit(table.X[10:], table.y[10:])
    predicted = estimator.predict(table.X)
    assert predicted.shape == (40,)
    if learner.task == "classification":
        assert set(predicted) <= {"go", "stop"}
        assert estimator.predict_proba(table.X).shape == (40, 2)
    else:
        assert np.isfinite(predicted).all()
    assert isinstance(learner.chosen(estimator), str)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("columns", [*COLUMNS, *TEXTS])
def test_a_learner_suits_a_table_of_which_it_reads_something(
    columns, task, write_table
):
    table = table_of(write_table, (COLUMNS | TEXTS)[columns], task)
    assert [learner.name for learner in suited(table)] == [
        learner.name
        for learner in LEARNERS
        if learner.task == task and reads(learner, columns)
    ]


def test_ours_say_what_they_chose(write_table):
    table = table_of(write_table, TEXTS["text among others"], "classification")
    said = {}
    for learner in suited(table):
        if learner.package == OURS:
            part = table.part(learner.reads)
            fitted = learner.build(part).fit(part.X, part.y)
            said[learner.name] = learner.chosen(fitted)
    assert said["MEstimateNB, m = 1"].startswith("m=1; ")
    assert "1 categorical" in said["MEstimateNB, m = 1"]
    assert "(loo); " in said["MEstimateNB, loo"]
    for name in ("TextNB, loo", "TextNB, complement, loo"):
        assert re.fullmatch(r"m=[\d.e+-]+ \(loo\); 10 words", said[name])
    assert said["LanguageModelNB"] == "order=2, kneser_ney; 10 words"
    assert re.fullmatch(
        r"n_neighbors=(all|\d+) \(loo\), power=\d \(loo\)", said["ShepardKNN, loo"]
    )
    assert re.fullmatch(
        r"order=2, absolute_discount=[\d.]+ \(loo\), "
        r"length_normalization=(None|\d+) \(loo\); 10 words",
        said["LanguageModelNB, loo"],
    )


@pytest.mark.parametrize(
    ("n_neighbors", "power", "text"),
    [
        (None, 2.0, "n_neighbors=all, power=2"),
        (3, 0.73612, "n_neighbors=3, power=0.7361"),
        (15961, 1e7, "n_neighbors=15961, power=1e+07"),
    ],
)
def test_settings_read_well(n_neighbors, power, text):
    given = {"n_neighbors": n_neighbors, "power": power}
    used = {f"{name}_": value for name, value in given.items()}
    estimator = SimpleNamespace(**given, **used)
    (learner,) = [item for item in LEARNERS if item.name == "ShepardKNNRegressor, loo"]
    assert learner.chosen([estimator]) == text


def test_m_estimates_are_given_no_text(write_table):
    table = table_of(write_table, TEXTS["text among others"], "classification")
    (learner,) = [item for item in LEARNERS if item.name == "MEstimateNB, m = 1"]
    part = table.part(learner.reads)
    fitted = learner.build(part).fit(part.X, part.y)
    assert fitted.n_features_in_ == 2


def test_learners_of_text_hear_what_it_says(write_table):
    table = table_of(write_table, TEXTS["one text"], "classification")
    for learner in suited(table):
        part = table.part(learner.reads)
        fitted = learner.build(part).fit(part.X[:30], part.y[:30])
        right = np.mean(fitted.predict(part.X[30:]) == part.y[30:])
        assert (right > 0.7) == (learner.name != "DummyClassifier"), learner.name


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
