"""Folds and held-out shares do not depend on order and repetition of rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from sklearn_bayeslazy import HypothesisClassifier
from sklearn_bayeslazy.ensemble._held_out_rows import (
    folds_of_rows,
    held_out_shares,
    positions_of_rows,
)
from sklearn_bayeslazy.tabular import MergedRows, code_table, number_copies, read_table
from sklearn_bayeslazy.tabular._frames import take_rows

CELLS = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
CLASSES = np.random.default_rng(1).integers(0, 2, 60)


def tables_of(cells):
    """Return small whole numbers as tables of several types."""
    words = np.array(["a", "b", "c"], dtype=object)[cells.astype(int)]
    return {
        "floats": cells,
        "integers": cells.astype(np.int32),
        "strings": words,
        "frame": pd.DataFrame({"x": cells[:, 0], "y": words[:, 1]}),
        "sparse": sparse.csr_array(cells),
        "missing": np.where(cells == 1, np.nan, cells),
    }


TABLES = tables_of(CELLS)


def folds_of(X, classes, n_folds, weight=None):
    weight = np.ones(len(classes)) if weight is None else weight
    return folds_of_rows(X, classes, classes, weight, n_folds)


def fold_of_rows(*args, **options):
    fold = np.full(len(args[1]), -1)
    for k, (train, test) in enumerate(folds_of(*args, **options)):
        assert np.all(fold[test] == -1)
        fold[test] = k
        np.testing.assert_array_equal(np.sort([*train, *test]), np.arange(len(fold)))
    return fold


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("n_folds", [2, 5])
def test_rows_that_are_equal_by_chance_are_dealt_at_random(kind, n_folds):
    rng = np.random.default_rng(3)
    cells, y = rng.integers(0, 3, (3000, 2)).astype(float), rng.integers(0, 2, 3000)
    fold = fold_of_rows(tables_of(cells)[kind], y, n_folds)
    for k in range(n_folds):
        sizes = np.bincount(y[fold == k])
        assert np.abs(sizes - np.bincount(y) / n_folds).max() <= 1
    groups = pd.DataFrame({"fold": fold == 0, "y": y}).join(pd.DataFrame(cells))
    found = groups.groupby(["y", 0, 1])["fold"].agg(["sum", "size"])
    n, p = found["size"], 1 / n_folds
    z = (found["sum"] - n * p) / np.sqrt(n * p * (1 - p))
    assert np.abs(z).max() < 5  # of 18 groups
    assert z.std() > 0.4  # not in turn: a fold would be like the others by design


def test_merged_copies_share_a_fold_and_repetition_does_not_change_the_folds():
    rng = np.random.default_rng(2)
    X = CELLS + rng.normal(size=(60, 2))
    rows = np.concatenate([np.arange(60), rng.integers(0, 60, 200)])
    fold = fold_of_rows(X, CLASSES, 3)
    np.testing.assert_array_equal(fold_of_rows(X[rows], CLASSES[rows], 3), fold[rows])
    weight = np.bincount(rows).astype(float)
    np.testing.assert_array_equal(fold_of_rows(X, CLASSES, 3, weight), fold)


def test_rows_that_differ_in_targets_or_weights_do_not_change_places():
    rng = np.random.default_rng(0)
    X, y = np.zeros((40, 1)), np.zeros(40, int)
    targets, weight = rng.permutation(40) // 2.0, rng.permutation(40) + 1.0
    fold, order = np.empty((2, 40), int), rng.permutation(40)
    for rows, found in ((np.arange(40), fold[0]), (order, fold[1])):
        parts = folds_of_rows(X, y, targets[rows], weight[rows], 3)
        for k, (_, test) in enumerate(parts):
            found[rows[test]] = k
    np.testing.assert_array_equal(fold[0], fold[1])
    assert np.ptp(np.bincount(fold[0])) <= 1


def test_copies_of_documents_share_a_fold():
    documents = np.array(["a b", "c", "a b", "d"], dtype=object)
    fold = fold_of_rows(documents, np.zeros(4, int), 2)
    assert fold[0] == fold[2]


def test_folds_are_stratified():
    X = np.arange(40.0)[:, None]
    classes = np.repeat([0, 1], [10, 30])
    for _, test in folds_of(X, classes, 5):
        assert np.bincount(classes[test]).tolist() == [2, 6]


def test_zeros_and_nans_of_all_kinds_are_equal():
    X = np.array([[0.0, 5], [-0.0, 5], [np.nan, 6], [-np.nan, 6], [1.0, 7]])
    parts = [set(test) for _, test in folds_of(X, np.zeros(5, int), 3)]
    assert {0, 1} in parts
    assert {2, 3} in parts


def test_one_row_has_no_others():
    X, y = np.zeros((1, 1)), np.zeros(1, int)
    ((train, test),) = folds_of(X, y, 2)
    assert_array_equal(train, [])
    assert_array_equal(test, [0])
    learner = HypothesisClassifier([("nb", GaussianNB())], cv=2)
    with pytest.raises(ValueError, match="at least two rows"):
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
    """Return distinct rows of words, truth values and small numbers, and 3 classes."""
    rng = np.random.default_rng(0)
    words, y = rng.choice(["u", "v", "w", "x"], 120), rng.integers(0, 3, 120)
    numbers = rng.integers(0, 3, (2, 120)).astype(float)
    columns = {"word": words, "number": numbers[0], "is": rng.random(120) < 0.5}
    table = pd.DataFrame(columns | {"other": numbers[1], "y": y}).drop_duplicates()
    table = table.iloc[:80].reset_index(drop=True)
    return table.drop(columns="y"), table["y"].to_numpy()


def renamed(table):
    """Return the table with other words, and with the columns in disorder."""
    other = table.replace({"word": {"u": "z", "v": "a", "w": "c", "x": "b"}})
    return other.assign(**{"is": ~other["is"]})[["is", "other", "number", "word"]]


def folds_of_codes(table, y):
    coded, one = code_table(read_table(table)), np.ones(len(y))
    is_label = np.array([cuts is None for cuts in coded.cuts])
    merged = MergedRows.of(number_copies(read_table(table), y, one), one)
    given = coded.codes, is_label, y, merged, table, y
    return positions_of_rows(*given) % 4


def folds_of_table(table, y):
    return fold_of_rows(table, y, 4)


def shares_of_table(table, y):
    return held_out_shares(table, y, np.ones(len(y)), 0.25)


@pytest.mark.parametrize("find", [folds_of_codes, folds_of_table, shares_of_table])
def test_what_is_held_out_depends_neither_on_names_nor_on_order(find):
    table, y = words_and_numbers()
    found, order = find(table, y), np.random.default_rng(0).permutation(80)
    np.testing.assert_array_equal(find(renamed(table), y), found)
    np.testing.assert_array_equal(find(table.iloc[order], y[order]), found[order])
    np.testing.assert_array_equal(find(table, np.array([2, 0, 1])[y]), found)
    if find is not shares_of_table:  # each class is spread over all folds
        assert all(len(np.unique(found[y == k])) == 4 for k in range(3))


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
