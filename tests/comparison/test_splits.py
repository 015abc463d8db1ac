"""Cutting the rows: nothing lost, classes kept, folds reduced with a reason."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bayeslazy._comparison._splits import hold_out, make_folds


def table(y, task="classification"):
    return SimpleNamespace(y=np.asarray(y), task=task)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_row_is_in_one_part(task):
    train, test = hold_out(table(np.arange(40) % 4, task), seed=3)
    assert sorted([*train, *test]) == list(range(40))
    assert len(test) == 10


def test_classes_keep_their_share():
    y = np.array(["a"] * 36 + ["b"] * 4)
    _, test = hold_out(table(y), seed=0)
    assert Counter(y[test]) == {"a": 9, "b": 1}


@pytest.mark.parametrize("y", [["a"] * 19 + ["b"], list(range(10)) * 2])
def test_parts_are_cut_where_classes_are_too_rare_to_share(y):
    train, test = hold_out(table(y), seed=0)
    assert (len(train), len(test)) == (15, 5)


@pytest.mark.parametrize(
    ("counts", "n_folds", "message"),
    [
        ((20, 20), 10, None),
        ((20, 6), 6, "6 folds instead of 10: of class 'b' the training part has 6."),
        ((20, 1), 3, "3 folds instead of 10: of class 'b' the training part has 1."),
        ((2, 2), 2, "2 folds instead of 10: of class 'a' the training part has 2."),
    ],
)
def test_folds_follow_the_rarest_class_down_to_three(counts, n_folds, message):
    y = np.repeat(["a", "b"], counts)
    folds, said = make_folds(y, "classification", 10, seed=0)
    assert (folds.get_n_splits(), said) == (n_folds, message)


def test_few_folds_asked_still_tell_of_a_class_that_is_too_rare():
    y = np.repeat(["a", "b"], (20, 1))
    _, said = make_folds(y, "classification", 2, seed=0)
    assert said == (
        "Not every fold sees every class: of class 'b' the training part has 1."
    )


def test_regression_folds_have_two_rows_each():
    folds, said = make_folds(np.arange(9.0), "regression", 10, seed=0)
    assert folds.get_n_splits() == 4
    assert said == "4 folds instead of 10: the training part has 9 rows."
    assert min(len(part) for _, part in folds.split(np.arange(9))) == 2
