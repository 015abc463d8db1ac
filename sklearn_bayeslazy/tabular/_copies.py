"""Copies of training rows: which of them leave-one-out leaves out together.

A row that stands in a table several times, with equal cells and an equal target, may be
one observation that was repeated, to oversample a class say, or several observations
that are alike. A repeated observation must not vouch for itself. So all copies of a row
are one row with the sum of their weights, unless equal cells are expected by chance:

- for a row with symbols, since different people have equal symbols, if at least one
  other row would have its numbers too, were the columns independent; so for a row of
  which all cells are missing;
- for a document of one word or none, which is like a symbol;
- for rows of numbers, if most of the distinct rows have the cells of a row with another
  target, as in tables of few small integers; and for rows of equal cells, such as zeros
  in place of missing ones, that more than four targets have, or two more than twice as
  often as rows usually occur. One row of each target in their place would be predicted
  by those of the other targets alone.

Else the rule looks at which rows there are, and not at how often or with which weights.
So a table whose rows are all repeated is treated like the table itself, and an integer
weight of a row of numbers like repetition.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .._core._parallel import cache_sized_slices
from ._read import read_table
from ._table import Table

# More targets than this of rows of equal cells are no single disagreement.
_MAX_TARGETS = 4
# The weight of one row is at least this share of the largest.
_MIN_SHARE = 1e-100


@dataclass(frozen=True)
class MergedRows:
    """Distinct rows in place of all, with the weights of their copies."""

    rows: np.ndarray  # (n_merged,), the first copy of each, ascending
    weight: np.ndarray  # (n_merged,), the sums of the copies' weights
    of_row: np.ndarray  # (n,), the merged row of each row

    @classmethod
    def of(cls, number, weight):
        """Return rows merged by their numbers, which copies share."""
        _, rows, of_row = np.unique(number, return_index=True, return_inverse=True)
        return cls(rows, np.bincount(of_row, weight), of_row)


def merge_copies(X, targets, weight, alike=None):
    """Return the `MergedRows` of a table; None if no row has copies to be merged.

    >>> X = np.array([[0.5, 1.0], [0.5, 1.0], [2.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    >>> merged = merge_copies(X, np.array([0, 0, 0, 1, 0]), np.ones(5))
    >>> merged.rows, merged.weight
    (array([0, 2, 3, 4]), array([2., 1., 1., 1.]))
    """
    # X: a `Table`, an array (n, d) or CSR; NaN equals NaN. targets: classes or numbers,
    # (n,) or (n, n_targets); weight: (n,). alike: bool (n,), rows that are equal by
    # chance where they are, such as documents of one word.
    recurring, cells = _recurring_rows(X)
    if not len(recurring):
        return None
    key, targets = cells, np.asarray(targets, dtype=np.float64)[recurring]
    for column in targets.T if targets.ndim > 1 else [targets]:
        key = mixed_keys(key) + number_keys(column)
    keys, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    if len(keys) == len(key):
        return None
    others = np.setdiff1d(np.arange(len(weight)), recurring, assume_unique=True)
    distinct = np.concatenate([recurring[first], others])
    if len(distinct) == 1:  # no other row would be left
        return None
    _, cell, n_targets = np.unique(
        cells[first], return_inverse=True, return_counts=True
    )
    is_shared = (n_targets > 1)[cell]  # by several targets
    # In an array or a matrix, booleans are numbers.
    table = X if isinstance(X, Table) else read_table(X.astype(float, copy=False))
    has_symbol = _has_symbol(table)
    by_chance = has_symbol[recurring]
    if by_chance.any():
        expected = _expected_rows(table, distinct)[: len(keys)]
        by_chance &= expected[of_row] >= 1
    of_numbers = ~has_symbol[distinct]
    n_shared = np.sum(is_shared & of_numbers[: len(keys)])
    if n_shared > np.sum(of_numbers) / 2:
        by_chance |= ~has_symbol[recurring]
    size = np.bincount(of_row)
    # How often each cell has its second most frequent target, if it has two.
    second = size[np.lexsort((size, cell))][np.cumsum(n_targets) - 2]
    usual = np.median(np.append(size, np.ones(len(others))))
    are_many = (n_targets > 1) & (second > 2 * usual) | (n_targets > _MAX_TARGETS)
    by_chance |= are_many[cell][of_row]
    if alike is not None:
        by_chance |= alike[recurring]
    if by_chance.all():
        return None
    copied_from = np.arange(len(weight))
    copied_from[recurring] = np.where(by_chance, recurring, recurring[first[of_row]])
    return MergedRows.of(copied_from, weight)


def without_copies(X, targets, weight, alike=None):
    """Return rows, targets and weights, one row for copies that are merged."""
    # X, alike: as in `merge_copies`; targets: an array. The fourth result is an index
    # by which the answers for these rows become those for the given ones.
    merged = merge_copies(X, targets, weight, alike)
    if merged is None:
        return X, targets, weight, ...
    rows = merged.rows
    X = X.take(rows) if isinstance(X, Table) else X[rows]
    return X, targets[rows], merged.weight, merged.of_row


def number_copies(X, targets, weight, alike=None):
    """Return a number for each row, the same for copies that are merged.

    >>> X = np.array([[1.5], [1.5], [2.5]])
    >>> number_copies(X, np.array([0, 0, 1]), np.ones(3))
    array([0, 0, 1])
    """
    merged = merge_copies(X, targets, weight, alike)
    return np.arange(len(weight)) if merged is None else merged.of_row


def row_weight(weight):
    """Return the weight of one row, by which numbers of rows are turned into weights.

    >>> row_weight(np.array([3.0, 3.0, 7.0]))
    3.0
    """
    # A common factor of all weights then changes no choice. The median stays 1 where a
    # few rows have copies. No weight overflows if it is divided by the result.
    return float(max(np.median(weight), _MIN_SHARE * np.max(weight)))


def number_of_equal_rows(weight):
    """Return (Σw)² / Σw², as many rows of equal weight as tell as much.

    >>> number_of_equal_rows(np.array([4.0, 1, 1, 1, 1]))  # 8² / 20
    3.2
    """
    share = weight / weight.max()
    return float(share.sum() ** 2 / (share @ share))


def _recurring_rows(X):
    """Return the rows whose cells another row has too, and hashes of their cells."""
    n_rows, n_columns = X.shape
    if sparse.issparse(X) or (isinstance(X, Table) and X.is_sparse):
        return _recurring_sparse_rows(X if sparse.issparse(X) else X.values)
    rows, key = np.arange(n_rows), np.zeros(n_rows, dtype=np.uint64)
    order = np.arange(n_columns)
    if isinstance(X, Table):  # the numbers first, of which few recur
        order = np.argsort(X.are_categorical(), kind="stable")
    for n_read, j in enumerate(order, start=1):
        labels = X.labels(j) if isinstance(X, Table) else None
        if labels is not None:
            codes = labels.codes[rows].astype(np.int64)
            cells = mixed_keys(codes.view(np.uint64))
        else:
            column = X.column(j) if isinstance(X, Table) else X[:, j]
            cells = number_keys(column[rows])
        key = mixed_keys(key) + cells
        # Rows are dropped after 1, 2, 4, … columns, and after the last.
        if n_read & (n_read - 1) == 0 or n_read == n_columns:
            recurs = _recurs(key)
            rows, key = rows[recurs], key[recurs]
            if not len(rows):
                break
    return rows, key


def _recurring_sparse_rows(X):
    """Return the same for sparse rows."""
    rows = np.arange(X.shape[0])
    if X.has_canonical_format and X.data.all():
        # Equal rows have cells in as many columns, of an equal sum of numbers.
        n_stored = np.diff(X.indptr).astype(np.uint64)
        key, filled = mixed_keys(n_stored), n_stored > 0
        if filled.any():
            sums = np.add.reduceat(X.indices, X.indptr[:-1][filled], dtype=np.int64)
            key[filled] += mixed_keys(sums.view(np.uint64))
        rows = rows[_recurs(key)]
    key = sparse_keys(X, rows)
    recurs = _recurs(key)
    return rows[recurs], key[recurs]


def _recurs(keys):
    """Return which keys occur several times."""
    _, index, count = np.unique(keys, return_inverse=True, return_counts=True)
    return (count > 1)[index]


def _has_symbol(table):
    """Return which rows have symbols, or numbers that are declared to be categories."""
    # Rows of which all cells are missing are alike by chance, as if they had.
    has_symbol, has_number = np.zeros((2, table.n_rows), dtype=bool)
    if table.is_sparse:
        return has_symbol
    for j in range(table.n_columns):
        labels = table.labels(j)
        if labels is not None:
            has_symbol |= labels.codes >= 0
        elif table.is_categorical(j):
            has_symbol[:] = True
        else:
            has_number |= ~np.isnan(table.column(j))
    return has_symbol | ~has_number


def _expected_rows(table, distinct):
    """Return how many other rows have the numbers of each distinct row by chance."""
    # distinct: (n_distinct,), the distinct rows. If the columns were independent, the
    # share of rows with all numbers of a row would be the product of the shares of
    # each; a number that no other row has does not come by chance. Rows without any
    # number are alike in their numbers.
    n_others = len(distinct) - 1
    expected = np.full(len(distinct), float(n_others))
    has_number = np.zeros(len(distinct), dtype=bool)
    for j in np.flatnonzero(~table.are_categorical()):
        column = table.column(j)[distinct]
        _, index, count = np.unique(column, return_inverse=True, return_counts=True)
        expected *= (count[index] - 1) / n_others  # NaN counts as a number
        has_number |= ~np.isnan(column)
    return np.where(has_number, expected, n_others)


# Hashes of 64 bits: equal cells have equal ones, and hardly any others.


# The constants of the splitmix64 generator (Steele, Lea and Flood, 2014).
HASH_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def sparse_keys(X, rows=None):
    """Return a hash of the stored cells, but zeros, of some rows or all; X is CSR."""
    rows = np.arange(X.shape[0]) if rows is None else rows
    key = np.empty(len(rows), dtype=np.uint64)
    # By blocks of rows, so that no second matrix is made.
    for some in cache_sized_slices(range(len(rows)), X.nnz // max(X.shape[0], 1)):
        part = X[rows[some]]
        part.sum_duplicates()
        cells = number_keys(part.data) + part.indices.astype(np.uint64) * HASH_STEP
        cells = mixed_keys(cells) * (part.data != 0)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells)])
        key[some] = sums[part.indptr[1:]] - sums[part.indptr[:-1]]
    return key


def number_keys(numbers):
    """Return a hash of each number; all NaN are equal, and so are both zeros."""
    numbers = np.asarray(numbers, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    numbers[np.isnan(numbers)] = np.nan  # of the bits of a NaN, one pattern
    return mixed_keys(numbers.view(np.uint64))


def mixed_keys(key):
    """Return keys in which each bit depends on all bits of the given ones."""
    key = (key ^ (key >> np.uint64(30))) * _FIRST
    key = (key ^ (key >> np.uint64(27))) * _SECOND
    return key ^ (key >> np.uint64(31))
