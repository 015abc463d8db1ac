"""Folds and held-out shares do not depend on order and repetition of rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from sklearn_bayeslazy import HypothesisClassifier
from sklearn_bayeslazy.ensemble._held_out_rows import (
    folds_of_distinct_rows,
    held_out_shares,
    positions_of_rows,
)
from sklearn_bayeslazy.tabular import code_table, read_table
from sklearn_bayeslazy.tabular._frames import take_rows

CELLS = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
CLASSES = np.random.default_rng(1).integers(0, 2, 60)
TABLES = {
    "floats": CELLS,
    "integers": CELLS.astype(np.int32),
    "strings": np.array(["a", "b", "c"], dtype=object)[CELLS.astype(int)],
    "frame": pd.DataFrame({"x": CELLS[:, 0], "y": CELLS[:, 1].astype(str)}),
    "sparse": sparse.csr_array(CELLS),
    "missing": np.where(CELLS == 1, np.nan, CELLS),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("n_folds", [2, 5])
def test_equal_rows_share_a_fold_and_each_row_is_tested_once(kind, n_folds):
    folds = folds_of_distinct_rows(TABLES[kind], CLASSES, n_folds)
    assert len(folds) == n_folds
    part = np.full(60, -1)
    for k, (train, test) in enumerate(folds):
        assert np.all(part[test] == -1)
        part[test] = k
        assert sorted([*train, *test]) == list(range(60))
    keys = {}
    for row, label, k in zip(CELLS, CLASSES, part):
        assert keys.setdefault((*row, label), k) == k


@pytest.mark.parametrize("kind", TABLES)
def test_order_and_repetition_do_not_change_the_folds(kind):
    X = TABLES[kind]
    rows = np.random.default_rng(2).integers(0, 60, 200)
    rows = np.concatenate([np.arange(60), rows])
    more = X.iloc[rows] if kind == "frame" else X[rows]
    some, others = (
        folds_of_distinct_rows(*table, 3)
        for table in ((X, CLASSES), (more, CLASSES[rows]))
    )
    for (_, test), (_, other) in zip(some, others):
        assert {(*tuple(CELLS[i]), CLASSES[i]) for i in test} == {
            (*tuple(CELLS[rows[i]]), CLASSES[rows[i]]) for i in other
        }


def test_folds_are_stratified():
    X = np.arange(40.0)[:, None]
    classes = np.repeat([0, 1], [10, 30])
    for _, test in folds_of_distinct_rows(X, classes, 5):
        assert np.bincount(classes[test]).tolist() == [2, 6]


def test_zeros_and_nans_of_all_kinds_are_equal():
    X = np.array([[0.0], [-0.0], [np.nan], [-np.nan], [1.0]])
    parts = [set(test) for _, test in folds_of_distinct_rows(X, np.zeros(5, int), 3)]
    assert {0, 1} in parts
    assert {2, 3} in parts


def test_equal_rows_are_one_part_without_others():
    X, y = np.zeros((3, 1)), np.zeros(3, int)
    ((train, test),) = folds_of_distinct_rows(X, y, 2)
    assert_array_equal(train, [])
    assert_array_equal(test, [0, 1, 2])
    learner = HypothesisClassifier([("nb", GaussianNB())], cv=2)
    with pytest.raises(ValueError, match="at least two distinct rows"):
        learner.fit(X, y)


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3, 0.45, 0.5])
def test_distinct_rows_are_held_out_completely_or_not_at_all(fraction):
    X = np.random.default_rng(0).normal(size=(400, 2))
    classes = np.arange(400) % 3
    share = held_out_shares(X, classes, np.ones(400), fraction)
    assert set(share) <= {0.0, 1.0}
    for k in range(3):  # of each class
        n = np.sum(classes == k)
        assert abs(share[classes == k].sum() - fraction * n) <= 1


@pytest.mark.parametrize("kind", TABLES)
def test_order_and_repetition_do_not_change_what_is_held_out(kind):
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 5, 60).astype(float)
    X = TABLES[kind]
    share = held_out_shares(X, CLASSES, weight, 0.3)
    assert np.all((share >= 0) & (share <= 1))
    assert abs(share @ weight - 0.3 * weight.sum()) <= 2
    rows = rng.permutation(np.repeat(np.arange(60), weight.astype(int)))
    repeated = held_out_shares(
        take_rows(X, rows), CLASSES[rows], np.ones(len(rows)), 0.3
    )
    np.testing.assert_allclose(repeated, share[rows], atol=1e-12)


def test_the_dtype_of_sparse_rows_does_not_matter():
    shares = [
        held_out_shares(sparse.csr_array(CELLS.astype(kind)), CLASSES, np.ones(60), 0.2)
        for kind in (np.int8, np.int64, np.float32, np.float64)
    ]
    for other in shares[1:]:
        np.testing.assert_array_equal(shares[0], other)


def test_weights_below_one_are_held_out_alike():
    X = np.arange(100.0)[:, None]
    share = held_out_shares(X, np.zeros(100, int), np.full(100, 1e-9), 0.2)
    np.testing.assert_allclose(share.sum(), 20)
    np.testing.assert_allclose(np.sort(share)[-20:], 1.0, atol=1e-6)


def words_and_numbers():
    """Return a table of words, truth values and small numbers, and three classes."""
    rng = np.random.default_rng(0)
    words, y = rng.choice(["u", "v", "w", "x"], 80), rng.integers(0, 3, 80)
    numbers = rng.integers(0, 3, (2, 80)).astype(float)
    columns = {"word": words, "number": numbers[0], "is": rng.random(80) < 0.5}
    return pd.DataFrame(columns | {"other": numbers[1]}), y


def renamed(table):
    """Return the table with other words, and with the columns in disorder."""
    other = table.replace({"word": {"u": "z", "v": "a", "w": "c", "x": "b"}})
    return other.assign(**{"is": ~other["is"]})[["is", "other", "number", "word"]]


def folds_of_codes(table, y):
    coded = code_table(read_table(table))
    is_label = np.array([cuts is None for cuts in coded.cuts])
    return positions_of_rows(coded.codes, is_label, y) % 4


def folds_of_table(table, y):
    fold = np.empty(len(y), int)
    for k, (_, test) in enumerate(folds_of_distinct_rows(table, y, 4)):
        fold[test] = k
    return fold


def shares_of_table(table, y):
    return held_out_shares(table, y, np.ones(len(y)), 0.25)


@pytest.mark.parametrize("find", [folds_of_codes, folds_of_table, shares_of_table])
def test_what_is_held_out_depends_neither_on_names_nor_on_order(find):
    table, y = words_and_numbers()
    found, order = find(table, y), np.random.default_rng(0).permutation(80)
    np.testing.assert_array_equal(find(renamed(table), y), found)
    np.testing.assert_array_equal(find(table.iloc[order], y[order]), found[order])
    np.testing.assert_array_equal(find(table, np.array([2, 0, 1])[y]), found)
    # Equal rows of a class share a fold, and each class is spread over all folds.
    groups = pd.DataFrame({"fold": found, "y": y}).join(table)
    assert (groups.groupby([*table, "y"])["fold"].nunique() == 1).all()
    if find is not shares_of_table:
        assert (groups.groupby("y")["fold"].nunique() == 4).all()


@pytest.mark.parametrize("find", [folds_of_codes, folds_of_table])
def test_rows_of_as_many_ones_are_not_alike(find):
    """Of a symbol as indicators each row has one."""
    symbols, y = np.random.default_rng(0).integers(0, 4, (80, 3)), np.arange(80) % 2
    rows = np.concatenate([np.eye(4)[column] for column in symbols.T], axis=1)
    size = np.bincount(find(rows, y), minlength=4)
    assert size.min() >= 10
    np.testing.assert_array_equal(find(rows[:, ::-1], y), find(rows, y))


@pytest.mark.parametrize("is_word", [False, True])
@pytest.mark.parametrize("find", [folds_of_codes, folds_of_table])
def test_most_rows_of_a_class_are_never_left_out_together(find, is_word):
    """The class of all cells of 5 binary columns depends on two of them, or on all."""
    cells = np.arange(32)[:, None] >> np.arange(5) & 1
    rows = cells.astype(str).astype(object) if is_word else cells
    for y in cells[:, 0] & cells[:, 1], cells.sum(axis=1) % 2:
        fold = find(rows, y)
        for k in range(2):
            assert np.bincount(fold[y == k]).max() <= np.sum(y == k) / 2
