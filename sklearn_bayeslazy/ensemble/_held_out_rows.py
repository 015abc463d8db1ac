"""Rows to hold out, independent of the order of the rows and of repetitions.

Boosting stops early by the error of such rows.
"""

import numpy as np
from scipy import sparse

from ..leave_one_out import fold_keys
from ..tabular import HASH_STEP, LANES, mixed_keys, read_table


def folds_of_distinct_rows(X, classes, n_folds):
    """Return pairs (train, test) of row indices; each row is in one test part.

    >>> X = np.array([["c"], ["a"], ["a"], ["b"]])
    >>> for train, test in folds_of_distinct_rows(X, np.zeros(4, int), 2):
    ...     print(train, test)
    [3] [0 1 2]
    [0 1 2] [3]
    """
    # Equal rows of the same class are in the same part: a copy in the training part
    # would leak the class. The distinct rows of a class are assigned to the folds in
    # turn, in the order of their cells. So the folds do not depend on the order of the
    # rows, and a row of weight 2 equals two rows. classes: int (n_rows,).
    _, distinct = _distinct_rows(X, classes)
    if distinct.max() == 0:
        raise ValueError(
            "cv needs at least two distinct rows, but without duplicates "
            'n_samples = 1: add rows, or pass fitted classifiers and cv="prefit".'
        )
    fold = distinct % min(n_folds, int(distinct.max()) + 1)  # cv may exceed 64 bits
    parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in set(fold)]
    return sorted(parts, key=lambda part: fold[part[1][0]])


def folds_of_rows(codes, is_label, classes, n_folds):
    """Return the fold of each row; equal rows of a class have the same."""
    # codes: (n_groups, n_rows, LANES), as in `CodeTable`; is_label: (n_columns,);
    # classes: int (n_rows,). The distinct rows of a class are dealt to the folds in
    # turn, in the order of hashes that depend neither on how labels are named nor on
    # the order of rows and columns.
    columns = [codes[j // LANES, :, j % LANES] for j in range(len(is_label))]
    row = mixed_keys(classes.astype(np.uint64) + HASH_STEP)
    for j, column in enumerate(columns):
        row += mixed_keys(column + np.uint64(2**16 * (j + 1)))
    _, first, distinct = np.unique(row, return_index=True, return_inverse=True)
    classes = classes[first]
    labels = [columns[j][first] for j in np.flatnonzero(is_label)]
    key = fold_keys(np.reshape(labels, (len(labels), len(first))).T, classes)
    for j in np.flatnonzero(~is_label):
        key += mixed_keys(columns[j][first] + HASH_STEP)
    order = np.lexsort((key, classes))
    is_new = (np.diff(key[order]) != 0) | (np.diff(classes[order]) != 0)
    position = np.empty(len(first), dtype=np.int64)
    position[order] = np.cumsum(np.append(0, is_new))
    return position[distinct] % n_folds


def held_out_shares(X, classes, weight, fraction):
    """Return the share of each row's weight that is held out, in [0, 1].

    >>> X, one = np.array([[3.0], [1.0], [2.0], [0.0]]), np.ones(4)
    >>> held_out_shares(X, np.zeros(4, int), one, 0.25)  # one of four
    array([0., 1., 0., 0.])
    >>> held_out_shares(np.ones((4, 1)), np.zeros(4, int), one, 0.25)  # of each copy
    array([0.25, 0.25, 0.25, 0.25])
    """
    # The distinct rows of a class form consecutive intervals, in the order of their
    # cells, each as long as its total weight. Of each ``1 / fraction`` units one is
    # held out. The unit is 1, or the mean weight of the distinct rows if that is less.
    # Nearly every row is held out completely or not at all. All copies of a row have
    # the same share. classes (int) and weight: (n_rows,).
    class_of, distinct = _distinct_rows(X, classes)
    total = np.bincount(distinct, weight)
    ends = np.cumsum(total)
    starts = ends - total
    # The intervals of each class begin at 0.
    is_first = np.append(True, class_of[1:] != class_of[:-1])
    class_start = starts[is_first][np.cumsum(is_first) - 1]
    unit = min(1.0, total.mean())
    held_out = _held_out_before((ends - class_start) / unit, fraction)
    held_out -= _held_out_before((starts - class_start) / unit, fraction)
    return np.clip(held_out * unit / total, 0.0, 1.0)[distinct]


def _held_out_before(position, fraction):
    """Return how many units before a position are held out, parts of units included."""
    whole = np.floor(position)
    before = np.floor(whole * fraction + 0.5)
    after = np.floor((whole + 1) * fraction + 0.5)
    return before + (position - whole) * (after - before)


def _distinct_rows(X, classes):
    """Return the class of each distinct row, sorted, and each row's distinct row."""
    keys = _row_keys(X)
    _, row = np.unique(keys, return_inverse=True)
    pairs, distinct = np.unique(
        np.stack([classes, row.ravel()], axis=1), axis=0, return_inverse=True
    )
    return pairs[:, 0], distinct.ravel()


def _row_keys(X):
    """Return a key for each row; equal rows have equal keys."""
    if sparse.issparse(X):
        X = X.tocsr().astype(np.float64)
        X.sum_duplicates()
        X.eliminate_zeros()
        columns = X.indices.astype(np.int64)
        ends = zip(X.indptr, X.indptr[1:])
        keys = [(columns[a:b].tobytes() + X.data[a:b].tobytes()) for a, b in ends]
        return np.array([*keys, None], dtype=object)[:-1]
    table = read_table(X)
    cells = np.empty((table.n_rows, table.n_columns))
    for j in range(table.n_columns):
        labels = table.labels(j)
        cells[:, j] = table.column(j) if labels is None else labels.codes
    cells[np.isnan(cells)] = np.nan  # all NaNs have the same bits
    cells += 0.0  # and -0.0 those of 0.0
    # Big-endian, so that the bytes of numbers ≥ 0 are sorted as the numbers are.
    return cells.astype(">f8").view(f"V{8 * cells.shape[1]}").ravel()


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

    temperature = 1.0  # of the ensemble

    # rows: TrainingRows, held out; member_type: a subclass of BoostedMembers.
    def __init__(self, rows, member_type, classes, n_iter_no_change, n_jobs):
        super().__init__(n_iter_no_change)
        self._rows, self._X = rows, member_type.read(rows.X)
        self._add_votes = member_type.add_votes
        self._classes, self._n_jobs = classes, n_jobs
        self._votes = np.zeros((len(rows.codes), len(classes)))

    def add(self, member, alpha):
        """Add the votes of a member; return whether boosting should stop."""
        self._add_votes(
            self._votes, member, alpha, self._X, self._classes, self._n_jobs
        )
        wrong = self._votes.argmax(axis=1) != self._rows.codes
        return self.append(np.average(wrong, weights=self._rows.weight))
