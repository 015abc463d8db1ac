"""hold_out and make_folds: complete splits, stratified, with reasons for changes.

Code under test: `compare/_cross_validation.py`.
"""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bayeslazy.compare._cross_validation import hold_out, make_folds


def table(y, task="classification"):
    return SimpleNamespace(y=np.asarray(y), task=task)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_hold_out_puts_every_row_in_one_part(task):
    train, test, _ = hold_out(table(np.arange(40) % 4, task), seed=3)
    assert sorted([*train, *test]) == list(range(40))
    assert len(test) == 10


def test_hold_out_is_stratified():
    y = np.array(["a"] * 36 + ["b"] * 4)
    _, test, is_stratified = hold_out(table(y), seed=0)
    assert is_stratified
    assert Counter(y[test]) == {"a": 9, "b": 1}


@pytest.mark.parametrize("y", [["a"] * 19 + ["b"], list(range(10)) * 2])
def test_hold_out_splits_tables_with_rare_classes(y):
    train, test, _ = hold_out(table(y), seed=0)
    assert (len(train), len(test)) == (15, 5)


@pytest.mark.parametrize(
    ("counts", "n_folds", "message"),
    [
        ((20, 20), 10, None),
        (
            (20, 6),
            10,
            "Some folds lack a class: the training part has 6 rows of class 'b'.",
        ),
        (
            (7, 1),
            7,
            "7 folds instead of 10: the training part has 1 row of class 'b'.",
        ),
        (
            (2, 2),
            2,
            "2 folds instead of 10: the training part has 2 rows of class 'a'.",
        ),
    ],
)
def test_folds_are_reduced_to_the_size_of_the_largest_class(counts, n_folds, message):
    y = np.repeat(["a", "b"], counts)
    folds, actual = make_folds(y, "classification", 10, seed=0)
    assert (folds.get_n_splits(), actual) == (n_folds, message)


def test_message_on_a_class_with_fewer_rows_than_folds():
    y = np.repeat(["a", "b"], (20, 1))
    _, message = make_folds(y, "classification", 2, seed=0)
    assert message == (
        "Some folds lack a class: the training part has 1 row of class 'b'."
    )


def test_folds_of_a_regression_have_at_least_two_rows():
    folds, message = make_folds(np.arange(9.0), "regression", 10, seed=0)
    assert folds.get_n_splits() == 4
    assert message == "4 folds instead of 10: the training part has 9 rows."
    assert min(len(part) for _, part in folds.split(np.arange(9))) == 2


def test_folds_of_a_small_sample_in_which_every_class_has_one_row():
    y = np.array(list("abcdef"))
    folds, message = make_folds(y, "classification", 10, seed=0)
    assert message.startswith("2 folds instead of 10")
    assert [len(part) for _, part in folds.split(y, y)] == [3, 3]
