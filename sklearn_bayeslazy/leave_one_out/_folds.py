"""Folds of rows, which depend neither on names nor on the order of rows and columns.

The fold of a row is given by the rank of its key, a hash of what it is like. So equal
rows share a fold.
"""

from itertools import pairwise

import numpy as np

from ..tabular import HASH_STEP, mixed_keys, number_keys, row_keys

# Enough to choose among penalties that differ by factors of four.
_N_FOLDS = 4
# What predicts a left-out row has learnt from about as many rows as what predicts a new
# one. With four folds the log loss of ShepardKNN on the 12 tables of symbols of the
# accuracy page is higher by 2 percent. Left-out rows of AODE on tables of 400 rows have
# a log loss 3 percent above that of new rows; with eight folds it is 1 percent below.
LEFT_OUT_FOLDS = 8
_CELLS_PER_BLOCK = 2**17


def cross_fitted(model, table, classes, weight, learn, n_folds=_N_FOLDS):
    """Yield the rows of each fold of a table, and the model for them."""
    # learn(others): the model by the choices that the rows of the other folds make;
    # model: for rows that have no others. What fits the rows that it is chosen by, such
    # as the weights of columns or a graph, would predict left-out rows better than new
    # ones if they had taken part.
    key = _dealt_table_keys(table, classes, weight)
    for fold in folds(key, n_folds=n_folds):
        rows, others = np.flatnonzero(fold), np.flatnonzero(~fold)
        yield rows, learn(others) if len(others) > 1 else model


def folds(key, n_foldings=1, n_folds=_N_FOLDS):
    """Yield the rows of each fold as a mask, those of one folding after the other.

    >>> [fold.astype(int) for fold in folds(np.array([3, 5, 3, 9]))]
    [array([1, 0, 1, 0]), array([0, 1, 0, 0]), array([0, 0, 0, 1])]
    """
    # key: (n,). Several foldings: a choice must not hang on one.
    _, rank = np.unique(key, return_inverse=True)
    for r in range(n_foldings):
        fold = rank // n_folds**r % n_folds
        for k in np.unique(fold):
            yield fold == k


def table_folds(table, classes, targets, weight, n_folds):
    """Return the number of the fold of each row of a table, (n,)."""
    # Rows of equal cells lie in different ones, as in `spread_folds`, which says what
    # classes, targets and weight are.
    key = _dealt_table_keys(table, classes, *targets.T, weight)
    return np.unique(key, return_inverse=True)[1] % n_folds


def _dealt_table_keys(table, classes, *ties):
    """Return the `dealt_keys` of the rows of a table."""
    cells = row_keys(table.values if table.is_sparse else table)
    return dealt_keys(table_fold_keys(table, classes), cells, classes, *ties)


def spread_folds(codes, is_ordered, classes, targets, weight):
    """Yield the folds of rows as masks; rows of equal cells lie in different ones.

    >>> codes, classes = np.zeros((4, 1), int), np.zeros(4, int)
    >>> folds = spread_folds(codes, [False], classes, np.zeros((4, 1)), np.ones(4))
    >>> [int(fold.sum()) for fold in folds]
    [1, 1, 1, 1]
    """
    # codes: int (n, d), of symbols or, in the columns that are ordered, ranks of
    # numbers; classes: int (n,), as `fold_keys` takes them; targets: (n, n_targets);
    # weight: (n,). Rows that are equal in their codes are dealt, those of a class in
    # the order of targets and weights. So it does not matter which of several copies
    # lies in which fold, and no fold has all rows of a symbol that is the only column.
    is_ordered = np.asarray(is_ordered)
    key = cell_keys(codes[:, ~is_ordered], codes[:, is_ordered].T, classes)
    key = dealt_keys(key, row_keys(codes), classes, *targets.T, weight)
    yield from folds(key, n_folds=LEFT_OUT_FOLDS)


def dealt_keys(key, cells, classes, *ties):
    """Return keys of folds by which rows of equal cells, of any class, are dealt.

    >>> cells, classes = np.full(4, 7, np.uint64), np.array([0, 0, 0, 1])
    >>> np.sort(dealt_keys(cells, cells, classes, np.ones(4)))
    array([0, 1, 2, 3])
    """
    # Where copies are merged, other equal rows are alike by chance. If all rows with
    # some cells lay in one fold, nothing that is learnt about these cells would be
    # judged; without all of those of one class, others alone would predict them.
    # key: hashes of rows; cells: hashes of their cells alone; classes: (n,); ties: the
    # order of rows of a class that have equal cells, as `numbers_within` takes it.
    # Of the rows with the same cells those of one class come after those of another, in
    # the order of hashes of all rows of the classes, which do not depend on names.
    of_class = class_keys(key, classes)[classes]
    cell = mixed_keys(cells + HASH_STEP)
    _, pair = np.unique(cell + of_class, return_inverse=True)
    before = np.full(len(key), len(key))
    np.minimum.at(before, pair, numbers_within(cells, of_class))
    within = numbers_within(cell + classes.astype(np.uint64), *ties)
    _, rank = np.unique(key, return_inverse=True)
    return rank + before[pair] + within + _numbers_of_cells(key, cells, of_class)


def _numbers_of_cells(key, cells, of_class):
    """Return 0, 1, ... for the cells of each key that several rows have, by row."""
    # Values of a column with as many rows of each class have one key. Dealt alike, all
    # their rows of a class would lie in one fold, and tell of each other. Which of them
    # comes first does not matter if the column is the only one; cells of one row, as
    # most are in other tables, are dealt alike.
    one, first, row, n_rows = np.unique(
        cells, return_index=True, return_inverse=True, return_counts=True
    )
    classes_of_cell = np.zeros(len(one), dtype=np.uint64)
    np.add.at(classes_of_cell, row, mixed_keys(of_class))
    number = numbers_within(key[first], classes_of_cell, one)
    return np.where(n_rows > 1, number, 0)[row]


def numbers_within(group, *ties):
    """Return 0, 1, ... for the rows of each group, in the order of the ties.

    >>> numbers_within(np.array([7, 5, 7, 7]), np.array([2.0, 0.0, 3.0, 1.0]))
    array([1, 0, 2, 0])
    """
    # The first of the ties, each (n,), is the most important.
    order = np.lexsort((*ties[::-1], group))
    _, first, size = np.unique(group[order], return_index=True, return_counts=True)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order)) - np.repeat(first, size)
    return number


def fold_keys(codes, classes):
    """Return a hash of each row of codes: equal rows have equal hashes.

    >>> a, b, c, d = fold_keys(np.array([[0], [5], [0], [7]]), np.array([0, 0, 1, 0]))
    >>> bool(a == c), bool(a == b), bool(b == d)
    (True, False, True)
    """
    # codes: int (n, d); classes: int (n,). Other codes for the values, another order of
    # the columns, of the classes or of the rows give the same hashes. For that, a value
    # is known by how many rows of each class have it: values that do not differ in this
    # have one hash. Sums of integers modulo 2⁶⁴ do not depend on their order. A column
    # in which all rows are equal adds nothing.
    keys = np.zeros(len(codes), dtype=np.uint64)
    n_classes = int(classes.max(initial=0)) + 1
    for column in codes.T.astype(np.int64):
        pairs, pair, count = np.unique(
            column * n_classes + classes, return_inverse=True, return_counts=True
        )
        values, value = np.unique(pairs // n_classes, return_inverse=True)
        if len(values) == 1:
            continue
        count, value_key = count.astype(np.uint64), np.zeros(len(pairs), np.uint64)
        np.add.at(value_key, value, mixed_keys(count + HASH_STEP))
        keys += mixed_keys(value_key + HASH_STEP)[value][pair]
    return mixed_keys(keys + HASH_STEP)


def table_fold_keys(table, classes):
    """Return a hash of each row of a table, as `fold_keys`; numbers by their ranks."""
    # So the unit and the zero of a column do not matter.
    if table.is_sparse:
        return sparse_fold_keys(table.values, classes)
    labels = [table.labels(j) for j in range(table.n_columns)]
    codes = [one.codes for one in labels if one is not None]
    codes = np.reshape(codes, (len(codes), table.n_rows)).T
    numbers = (table.column(j) for j, one in enumerate(labels) if one is None)
    ranks = (np.unique(column, return_inverse=True)[1] for column in numbers)
    return cell_keys(codes, ranks, classes)


def cell_keys(codes, numbers, classes):
    """Return a hash of the codes (n, d) and of columns of numbers of each row."""
    # A column of numbers is known by those that the rows of each class have. Else all
    # rows of indicators would be equal that have as many ones.
    key = fold_keys(codes, classes)
    for column in numbers:
        cells = number_keys(column)
        if (cells != cells[:1]).any():
            key += mixed_keys(cells + class_keys(cells, classes).sum())
    return mixed_keys(key)


def class_keys(keys, classes):
    """Return a hash of the keys of all rows of each class, (n_classes,)."""
    of_class = np.zeros(int(classes.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(of_class, classes, keys)
    return mixed_keys(of_class + HASH_STEP)


def sparse_fold_keys(X, classes):
    """Return the `table_fold_keys` of the numbers of a CSR matrix."""
    # First as if all cells were zeros. Then the keys of the stored cells replace those
    # of zeros; sums are modulo 2⁶⁴.
    X = X.tocsc(copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    sizes = np.bincount(classes).astype(np.uint64)
    key = fold_keys(np.empty((X.shape[0], 0)), classes)
    block = X.indptr // _CELLS_PER_BLOCK  # of columns, to bound the memory
    starts = np.flatnonzero(np.diff(block, prepend=-1)[:-1])
    for start, stop in pairwise([*starts, X.shape[1]]):
        row, column, rank, zero_rank, varies = _sparse_ranks(X[:, start:stop])
        zero, stored = number_keys(zero_rank), number_keys(rank)
        of_class = sizes[:, None] * zero
        np.add.at(of_class, (classes[row], column), stored - zero[column])
        column_key = sum(mixed_keys(keys + HASH_STEP) for keys in of_class)
        without = mixed_keys(zero + column_key) * varies
        key += without.sum()
        stored = mixed_keys(stored + column_key[column]) * varies[column]
        np.add.at(key, row, stored - without[column])
    return mixed_keys(key)


def _sparse_ranks(X):
    """Return row, column and rank of the cells of CSC, and facts about the columns."""
    # Ranks among the distinct numbers of the column, from 0. By column: the rank of 0,
    # and whether rows differ, 1 or 0.
    n_stored = np.diff(X.indptr)
    column = np.repeat(np.arange(X.shape[1]), n_stored)
    order = np.lexsort((X.data, column))  # X.data is sorted within each column
    data = X.data[order]
    is_new = np.ones(len(data), dtype=bool)
    is_new[1:] = (data[1:] != data[:-1]) & ~np.isnan(data[:-1])
    is_new[X.indptr[:-1][n_stored > 0]] = True
    n_new = np.append(0, np.cumsum(is_new))
    has_zero, is_negative = n_stored < X.shape[0], data < 0
    rank = n_new[1:] - 1 - n_new[X.indptr[column]] + (has_zero[column] & ~is_negative)
    zero_rank = np.bincount(column, is_new & is_negative, X.shape[1])
    varies = np.bincount(column, is_new, X.shape[1]) + has_zero > 1
    return X.indices[order], column, rank, zero_rank, varies.astype(np.uint64)
