"""Estimators warn once of columns that look like ids, dates or free text."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import MEstimateNB, TableCleaner
from sklearn_bayeslazy.tabular import _raw_columns
from sklearn_bayeslazy.tabular._raw_columns import are_ids, is_id, warn_of_raw_columns
from tests.helpers.sentences import sentences

N = 120
Y = np.arange(N) % 2
PLAIN = {
    "age": np.arange(N) % 50,
    "height": np.arange(N) + 0.5,
    "colour": ["red", "green", "blue"] * (N // 3),
}
RAW = {
    "customer_id": np.arange(N) * 7919 % 100_003,
    "code": [f"c{i}" for i in range(N)],
    "day": [f"2024-{1 + i % 12:02d}-{1 + i // 12:02d}" for i in range(N)],
    "note": sentences(N, mood=["great", "boring"]),
}
WHAT = dict(zip(RAW, ["an id", "an id", "a date", "free text"]))


@pytest.fixture(autouse=True)
def nothing_was_warned_of(monkeypatch):
    monkeypatch.setattr(_raw_columns, "_warned", set())


def messages(X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_raw_columns(X)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", RAW)
def test_each_raw_column_is_named(name, frame):
    (message,) = messages(frame({**PLAIN, name: RAW[name]}))
    assert message.startswith(f"column '{name}' looks like {WHAT[name]}. Put TableCl")


def test_all_raw_columns_are_named_in_one_warning():
    (message,) = messages(pd.DataFrame({**PLAIN, **RAW}))
    assert message.startswith(
        "each of the columns 'customer_id', 'code' looks like an id, and column 'day' "
        "looks like a date, and column 'note' looks like free text. "
    )


def test_columns_of_an_array_are_named_by_index_and_its_numbers_are_not_checked():
    X = np.array([RAW["customer_id"], RAW["code"]], dtype=object).T
    (message,) = messages(X)
    assert message.startswith("column '1' looks like an id.")
    assert messages(np.arange(float(N))[:, np.newaxis]) == []


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_plain_columns_and_few_rows_give_no_warning(frame):
    assert messages(frame(PLAIN)) == []
    few = frame({**PLAIN, **RAW})[:99]
    assert messages(few) == []


def test_an_estimator_warns_once_and_a_pipeline_with_the_cleaner_does_not():
    X = pd.DataFrame({**PLAIN, **RAW})
    with pytest.warns(UserWarning, match="'customer_id', 'code' looks like an id"):
        model = MEstimateNB().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        _raw_columns._warned.clear()
        make_pipeline(TableCleaner(random_state=0), MEstimateNB()).fit(X, Y).predict(X)


def test_the_same_warning_is_shown_once():
    X = pd.DataFrame({**PLAIN, **RAW})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            MEstimateNB().fit(X, Y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("known", "n_rows", "name", "expected"),
    [
        (np.arange(30.0), 30, "a", True),
        (np.arange(1.0, 31)[::-1], 30, "a", True),
        (np.arange(0.0, 90, 3), 30, "a", True),  # a random part of a counter
        (np.arange(30.0), 31, "a", False),  # a cell is missing
        (np.arange(19.0), 19, "id", False),  # too few rows
        (np.arange(30.0) + 0.5, 30, "id", False),
        (np.repeat(np.arange(15.0), 2), 30, "id", False),
        (np.arange(30.0) + 1900, 30, "year", False),
        (np.arange(30.0) + 1900, 30, "PatientId", True),
        (np.arange(30.0) + 1900, 30, "row no", True),
        (np.arange(30.0) + 1900, 30, "paid", False),
        (np.arange(-5.0, 25), 30, "a", False),
    ],
)
def test_numbers_that_are_ids(known, n_rows, name, expected):
    assert is_id(known, n_rows, name) is expected


@pytest.mark.parametrize(
    ("n_distinct", "n_known", "expected"),
    [(20, 20, True), (19, 19, False), (90, 100, True), (89, 100, False), (0, 0, False)],
)
def test_strings_that_are_ids(n_distinct, n_known, expected):
    assert are_ids(n_distinct, n_known) is expected
