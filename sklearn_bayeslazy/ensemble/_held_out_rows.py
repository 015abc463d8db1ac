"""Rows to hold out, independent of names, orders and repetitions.

Boosting stops early by the error of such rows.
"""

import numpy as np

from ..leave_one_out import cell_keys, class_keys, numbers_within, table_fold_keys
from ..tabular import (
    HASH_STEP,
    MergedRows,
    mixed_keys,
    number_copies,
    read_table,
    row_keys,
)


def folds_of_rows(X, classes, targets, weight, n_folds):
    """Return pairs (train, test) of row indices; each row is in one test part.

    >>> X, classes, one = np.array([[3.0], [1], [1], [2]]), np.zeros(4, int), np.ones(4)
    >>> for train, test in folds_of_rows(X, classes, classes, one, 2):
    ...     print(train, test)
    [1 2] [0 3]
    [0 3] [1 2]
    """
    # Copies that are merged are in the same part: one in the training part would leak
    # the target of another. The rows of a class are dealt to the folds in turn, in the
    # order of their hashes. So the folds do not depend on the order of the rows. Rows
    # that are equal by chance have different hashes: without all of them, their cells
    # would be predicted by rows of other classes alone. X: a frame, an array, CSR or
    # documents, of which all copies are merged; classes: int (n_rows,), each of which
    # is shared out; targets: (n_rows,) or (n_rows, n_targets), classes or numbers;
    # weight: (n_rows,).
    is_text = len(X.shape) == 1
    cells, table = row_keys(X, classes), read_table(X[:, None] if is_text else X)
    number = cells if is_text else number_copies(table, targets, weight)
    merged = MergedRows.of(number, weight)
    key = table_fold_keys(table.take(merged.rows), classes[merged.rows])
    position = _dealt(key, merged, cells, classes, targets)
    fold = position % min(n_folds, int(position.max()) + 1)  # cv may exceed 64 bits
    n_found = int(fold.max()) + 1
    return [
        (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_found)
    ]


def positions_of_rows(codes, is_label, classes, merged, X, targets):
    """Return a number for each row, by whose remainder rows are dealt to folds."""
    # As `folds_of_rows` deals them. codes: (n_groups, n_rows, LANES), of the rows X, as
    # in `CodeTable`; is_label: (n_columns,); merged: `MergedRows`.
    columns = codes.transpose(1, 0, 2).reshape(len(classes), -1)[:, : len(is_label)]
    cells = row_keys(columns, classes)
    some = columns[merged.rows]
    key = cell_keys(some[:, is_label], some[:, ~is_label].T, classes[merged.rows])
    # Numbers of equal codes may differ.
    ties = [row_keys(X)] if len(np.unique(cells)) < len(cells) else []
    return _dealt(key, merged, cells, classes, targets, *ties)


def _dealt(key, merged, cells, classes, targets, *ties):
    """Return the position of each row among those of its class, the same for copies."""
    # key: of each merged row; cells: hashes of all rows and their classes.
    rows, targets = merged.rows, np.reshape(targets, (len(classes), -1)).T
    ties = [column[rows] for column in (*targets, *ties)]
    number = numbers_within(cells[rows], *ties, merged.weight)
    again = number > 0
    # The name of a class must not decide which fold gets one row more of it.
    group = class_keys(mixed_keys(key + HASH_STEP), classes[rows])[classes[rows]]
    key[again] = mixed_keys(key[again] + number[again].astype(np.uint64) * HASH_STEP)
    return _positions(group, key)[merged.of_row]


def held_out_shares(X, classes, weight, fraction):
    """Return the share of each row's weight that is held out, in [0, 1].

    >>> X, one = np.array([[3.0], [1.0], [2.0], [0.0]]), np.ones(4)
    >>> held_out_shares(X, np.zeros(4, int), one, 0.25)  # one of four
    array([0., 1., 0., 0.])
    >>> held_out_shares(np.ones((4, 1)), np.zeros(4, int), one, 0.25)  # of each copy
    array([0.25, 0.25, 0.25, 0.25])
    """
    # The distinct rows of a class form consecutive intervals, in the order of their
    # hashes, each as long as its total weight. Of each ``1 / fraction`` units one is
    # held out. The unit is 1, or the mean weight of the distinct rows if that is less.
    # Nearly every row is held out completely or not at all. All copies of a row have
    # the same share. classes (int) and weight: (n_rows,).
    _, first, distinct = np.unique(
        row_keys(X, classes), return_index=True, return_inverse=True
    )
    key = table_fold_keys(read_table(X).take(first), classes[first])
    position = _positions(classes[first], key)
    row = position[distinct]
    class_of = classes[first][np.unique(position, return_index=True)[1]]
    total = np.bincount(row, weight)
    ends = np.cumsum(total)
    starts = ends - total
    # The intervals of each class begin at 0.
    is_first = np.append(True, class_of[1:] != class_of[:-1])
    class_start = starts[is_first][np.cumsum(is_first) - 1]
    unit = min(1.0, total.sum() / len(first))
    held_out = _held_out_before((ends - class_start) / unit, fraction)
    held_out -= _held_out_before((starts - class_start) / unit, fraction)
    return np.clip(held_out * unit / total, 0.0, 1.0)[row]


def _held_out_before(position, fraction):
    """Return how many units before a position are held out, parts of units included."""
    whole = np.floor(position)
    before = np.floor(whole * fraction + 0.5)
    after = np.floor((whole + 1) * fraction + 0.5)
    return before + (position - whole) * (after - before)


def _positions(group, key):
    """Return the rank of each distinct row in the order of its group and its key.

    >>> group, key = [1, 1, 1, 1, 1, 0, 0, 0], [7, 5, 7, 9, 5, 4, 4, 3]
    >>> _positions(np.array(group), np.array(key))
    array([4, 3, 4, 5, 3, 1, 2, 0])
    """
    # Rows of equal keys, which differ in names alone, have the same rank. But most rows
    # of a group are never left out together: then their names decide.
    order = np.lexsort((key, group))
    is_new = (np.diff(key[order]) != 0) | (np.diff(group[order]) != 0)
    rank = np.cumsum(np.append(0, is_new))
    _, of_group, n_rows = np.unique(
        group[order], return_inverse=True, return_counts=True
    )
    is_most = 2 * np.bincount(rank)[rank] > n_rows[of_group]
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.cumsum(np.append(0, is_new | is_most[1:]))
    return position


# Early stopping of boosting: rows are held out, and their error ends the rounds.


def split_off_validation_rows(rows, fraction):
    """Return the rows to train on and the rows that are held out, by class."""
    # Both are TrainingRows. A row of which only a share is held out is in both.
    share = held_out_shares(rows.X, rows.codes, rows.weight, fraction)
    parts = []
    for weight, use in (
        (rows.weight * (1.0 - share), "training"),
        (rows.weight * share, "validation"),
    ):
        kept = np.flatnonzero(weight)
        if not len(kept):
            raise ValueError(
                f"validation_fraction={fraction} of {len(share)} rows leaves no row "
                f"for {use}: change it, or set n_iter_no_change=None."
            )
        parts.append(rows.take(kept, weight[kept]))
    return parts


class ErrorsOfRounds:
    """The errors of a growing ensemble on rows that it was not fitted to."""

    temperature = 1.0  # of the ensemble that has the least error

    def __init__(self, n_iter_no_change):
        self._n_iter_no_change = n_iter_no_change
        self.errors = []  # after each round

    def append(self, error):
        """Store the error after a round; return whether boosting should stop."""
        self.errors.append(float(error))
        return len(self.errors) - self.n_best >= self._n_iter_no_change

    @property
    def n_best(self):
        """The number of members with the least error, 0 before the first round."""
        return int(np.argmin(self.errors)) + 1 if self.errors else 0


class ValidationError(ErrorsOfRounds):
    """The weighted error of a growing ensemble on held-out rows."""

    # rows: TrainingRows, held out; member_type: a subclass of BoostedMembers; model:
    # MyAdaBoost.
    def __init__(self, rows, member_type, model):
        super().__init__(model.n_iter_no_change)
        self._rows, self._X = rows, member_type.read(rows.X)
        self._votes_of = member_type.votes_of
        self._classes, self._n_jobs = model.classes_, model.n_jobs
        self._votes = np.zeros((len(rows.codes), model.n_classes_))

    def add(self, member, alpha):
        """Add the votes of a member; return whether boosting should stop."""
        added = self._votes_of(member, self._X, self._classes, self._n_jobs)
        self._votes += alpha * added
        wrong = self._votes.argmax(axis=1) != self._rows.codes
        return self.append(np.average(wrong, weights=self._rows.weight))
