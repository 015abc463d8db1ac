"""TableCleaner: kinds, encodings by hand, cross-fitted text, frames and errors.

Code under test: `tabular/cleaning/_columns.py`.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from sklearn_bayeslazy import TableCleaner, TextNB
from tests.helpers.sentences import sentences

N = 40
RNG = np.random.default_rng(0)
TEXTS = sentences(N, mood=["great", "boring"])
COLUMNS = {
    "row": np.arange(1, N + 1),
    "code": [f"c{i}{i}" for i in range(N)],
    "patient_id": 7 * np.arange(N) + 1000,
    "same": ["x"] * N,
    "nothing": [None] * N,
    "amount": [f"{i}.{i % 10}00,5" if i else "?" for i in range(N)],
    "age": [str(i % 30) if i != 3 else "unknown" for i in range(N)],
    "colour": [["red", "blue", None][i % 3] for i in range(N)],
    "day": [f"2024-01-{1 + i % 28:02d}" for i in range(N)],
    "time": [f"2024-01-01T{i % 24}:30" for i in range(N)],
    "note": TEXTS,
    "year": [1990 + i % 5 for i in range(N)],
    "height": RNG.normal(size=N),
    "flag": [i % 2 == 0 for i in range(N)],
    "when": pd.date_range("2020-05-01", periods=N, freq="D"),
}
KINDS = {
    "row": "drop",
    "code": "drop",
    "patient_id": "drop",
    "same": "drop",
    "nothing": "drop",
    "amount": "number",
    "age": "number",
    "colour": "category",
    "day": "date",
    "time": "datetime",
    "note": "text",
    "year": "number",
    "height": "number",
    "flag": "category",
    "when": "date",
}
X = pd.DataFrame(COLUMNS)
Y = np.array(["no", "yes"])[np.arange(N) % 2]


def test_the_kind_of_each_column():
    cleaner = TableCleaner().fit(X, Y)
    assert cleaner.kinds_ == KINDS
    assert "unknown" in cleaner.decisions_["age"].reason
    assert cleaner.decisions_["row"].overruled_by == "number"


def test_strings_of_a_file_are_decided_like_their_values():
    text = X.astype(object).where(X.notna(), "").astype(str)
    assert TableCleaner().fit(text, Y).kinds_ == KINDS


def test_kinds_overrule_what_is_recognised():
    kinds = {"row": "number", "note": "drop", "year": "category", "colour": "drop"}
    cleaner = TableCleaner(kinds).fit(X, Y)
    assert {column: cleaner.kinds_[column] for column in kinds} == kinds
    out = cleaner.transform(X)
    assert out["row"].tolist() == list(range(1, N + 1))
    assert out["year"].tolist()[:2] == ["1990", "1991"]
    assert cleaner.kinds_["height"] == "number"
    again = TableCleaner(cleaner.kinds_).fit_transform(X, Y)
    pd.testing.assert_frame_equal(again, TableCleaner(kinds).fit_transform(X, Y))


def test_encodings_by_hand():
    out = TableCleaner().fit(X, Y).transform(X)
    assert np.isnan(out["amount"][0])
    assert out["amount"][12] == 12_200.5
    assert np.isnan(out["age"][3])
    # 1 January 2024 was a Monday, the angle 0; a Thursday is 3 / 7 of the circle.
    assert (out["day_weekday_sin"][0], out["day_weekday_cos"][0]) == (0, 1)
    assert out["day_weekday_sin"][3] == pytest.approx(np.sin(2 * np.pi * 3 / 7))
    assert out["day_days"][10] == 10
    assert "day_month_sin" not in out  # all in January
    assert out["time_hour_cos"][18] == pytest.approx(np.cos(2 * np.pi * 18.5 / 24))
    assert out["time_days"][2] == pytest.approx(2 / 24)
    assert out["when_month_cos"][31] == pytest.approx(np.cos(2 * np.pi * 5 / 12))
    assert out["colour"][:2].tolist() == ["red", "blue"]
    assert pd.isna(out["colour"][2])


def test_rare_and_unseen_categories_share_one():
    words = ["often"] * 6 + ["twice"] * 2 + [f"once {i}" for i in range(4)]
    x = np.array(words, dtype=object)[:, np.newaxis]
    cleaner = TableCleaner(max_categories=3, min_category_count=2).fit(x)
    new = np.array([["often"], ["twice"], ["once 1"], ["new"], [None]], dtype=object)
    out = cleaner.transform(new)[:, 0]
    assert out[:4].tolist() == ["often", "twice", "(rare)", "(rare)"]
    assert np.isnan(out[4])
    all_kept = TableCleaner(max_categories=6).fit(x).transform(new)[:, 0]
    assert all_kept[2:4].tolist() == ["once 1", "new"]


def test_text_becomes_the_log_odds_of_models_without_the_fold():
    texts = sentences(60, mood=["great", "boring", "odd"], seed=3)
    y = np.array(list("aab" * 20))
    x = np.array(texts, dtype=object)[:, np.newaxis]
    cleaner = TableCleaner({0: "text"}, n_folds=3, random_state=5)
    left_out = cleaner.fit_transform(x, y)[:, 0]
    folds = np.random.RandomState(5).permutation(60) % 3
    for fold in range(3):
        rest = folds != fold
        words = CountVectorizer().fit(x[rest, 0])
        nb = TextNB(loo_scoring="log_loss").fit(words.transform(x[rest, 0]), y[rest])
        proba = nb.predict_proba(words.transform(x[~rest, 0]))
        prior = nb.class_count_ / nb.class_count_.sum()
        odds = proba[:, 1] / proba[:, 0] / (prior[1] / prior[0])
        np.testing.assert_allclose(left_out[~rest], np.log(odds), atol=1e-9)
    assert cleaner.get_feature_names_out().tolist() == ["x0_b"]


def test_distinct_random_texts_do_not_look_informative():
    # Each text is unique, so a model that has seen it would know its class.
    rng = np.random.default_rng(1)
    words = np.array([f"w{i}" for i in range(3000)])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(200)]
    y = rng.integers(2, size=200)
    x = np.array(texts, dtype=object)[:, np.newaxis]
    left_out = TableCleaner({0: "text"}, random_state=0).fit_transform(x, y)[:, 0]
    seen = TableCleaner({0: "text"}).fit(x, y).transform(x)[:, 0]
    assert abs(np.corrcoef(left_out, y)[0, 1]) < 0.3
    assert np.corrcoef(seen, y)[0, 1] > 0.6


def test_text_with_a_numeric_target_and_without_one():
    y = np.where(np.arange(N) % 2, 3.5, -1.25)
    x = X[["note"]]
    score = TableCleaner(random_state=0).fit_transform(x, y)["note_score"]
    assert np.corrcoef(score, y)[0, 1] > 0.9
    words = TableCleaner().fit_transform(x)["note_words"]
    assert words.tolist() == [len(text.split()) for text in TEXTS]


@pytest.mark.parametrize(
    ("y", "target_type", "names"),
    [
        (np.arange(N) % 2, "auto", ["note_1"]),
        (np.arange(N) % 2, "continuous", ["note_score"]),
        (np.arange(N) % 3 * 1.0, "auto", ["note_0", "note_1", "note_2"]),
        (np.arange(N) % 2 + 0.5, "auto", ["note_score"]),
        (np.arange(N) % 2 + 0.5, "classes", ["note_1.5"]),
    ],
)
def test_the_type_of_the_target_decides_what_a_text_becomes(y, target_type, names):
    cleaner = TableCleaner(target_type=target_type, random_state=0)
    assert list(cleaner.fit_transform(X[["note"]], y)) == names


def test_many_distinct_whole_numbers_are_a_continuous_target():
    texts = np.array(sentences(204), dtype=object)[:, np.newaxis]
    few, many = (
        TableCleaner({0: "text"}).fit(texts, np.arange(204) % k) for k in (99, 101)
    )
    assert len(few.get_feature_names_out()) == 99
    assert many.get_feature_names_out().tolist() == ["x0_score"]


def test_three_classes_and_a_class_that_a_fold_lacks():
    y = np.array(["a", "b"] * (N // 2))
    y[0] = "c"
    out = TableCleaner(random_state=0).fit_transform(X[["note"]], y)
    assert list(out) == ["note_a", "note_b", "note_c"]
    assert np.isfinite(out.to_numpy()).all()


def test_texts_without_words_become_zeros():
    x = np.array([["1 2 3 4 5 6"]] * 10, dtype=object)
    out = TableCleaner({0: "text"}).fit_transform(x, np.arange(10) % 2)
    assert not out.any()


def test_arrays_and_frames_give_the_same_cells():
    columns = ["amount", "colour", "day", "note"]
    a = TableCleaner(random_state=0)
    frame = a.fit_transform(X[columns], Y)
    array = clone(a).fit_transform(X[columns].to_numpy(dtype=object), Y)
    assert array.dtype == object
    polars = clone(a).fit_transform(pl.from_pandas(X[columns]), Y)
    assert polars.columns == list(frame) == list(a.get_feature_names_out())
    for j, name in enumerate(frame):
        for other in (array[:, j], polars[name].to_numpy()):
            if name == "colour":
                known = frame[name].notna()
                assert (frame[name][known] == other[known.to_numpy()]).all()
            else:
                np.testing.assert_array_equal(frame[name], other.astype(float))


def test_set_output_names_the_columns():
    x = np.column_stack([np.arange(20.0) % 7, np.ones(20)])
    out = TableCleaner().set_output(transform="pandas").fit_transform(x)
    assert list(out) == ["x0"]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"colr": "drop"}, "kinds names the column 'colr', which X does not have"),
        ({"colour": "float"}, r"kinds\['colour'\] is 'float'; it must be one of"),
    ],
)
def test_error_on_invalid_kinds(kinds, message):
    with pytest.raises(ValueError, match=message):
        TableCleaner(kinds).fit(X, Y)


def test_error_if_every_column_would_be_dropped_keeps_the_former_fit():
    cleaner = TableCleaner().fit(X, Y)
    before = vars(cleaner).copy()
    with pytest.raises(ValueError, match=r"would drop every column .same: constant"):
        cleaner.fit(X[["same", "row"]])
    assert vars(cleaner) == before


def test_codes_that_begin_with_a_zero_are_categories():
    X = pd.DataFrame({"zip": ["01234", "90210"] * 30, "n": ["0.5", "0", "-0.5"] * 20})
    cleaner = TableCleaner().fit(X)
    decision = cleaner.decisions_["zip"]
    assert (decision.kind, decision.overruled_by) == ("category", "number")
    assert decision.reason == "codes such as '01234' begin with a zero"
    assert cleaner.decisions_["n"].kind == "number"
    assert cleaner.transform(X)["zip"].tolist() == X["zip"].tolist()
    as_numbers = TableCleaner({"zip": "number"}).fit_transform(X)
    assert as_numbers["zip"].tolist() == [1234, 90210] * 30
