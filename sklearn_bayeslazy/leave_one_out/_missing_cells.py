"""Informative missingness: columns whose missing cells tell the targets.

Most learners leave missing cells out. That is right for cells that are missing by
chance. Where a cell is missing for a reason that depends on the target, such as the
cause of death of those who live, whether it is missing is one more column.
"""

import numpy as np

from ..tabular import number_of_equal_rows
from ._choice import mean_scores, rows_to_leave_out

# A column's missing cells tell the targets if they lower the squared error by more than
# this number of standard errors: of many columns some do so by chance.
_MIN_STANDARD_ERRORS = 2
# Rows that are left out one by one.
_MAX_ROWS = 10_000


def informatively_missing(table, targets_of, weight):
    """Return the columns whose missing cells tell the targets of left-out rows.

    >>> from sklearn_bayeslazy.tabular import read_table
    >>> table = read_table(np.array([[1.0, np.nan]] * 4 + [[np.nan, 1.0], [3.0, 2.0]]))
    >>> y = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    >>> informatively_missing(table, y.__getitem__, np.ones(6))
    array([1])
    """
    # targets_of(rows): (len(rows), n_targets), indicators of classes, or numbers;
    # weight: (n,). Each row is predicted by the mean of the other rows in which the
    # cell is missing or present as in it, with one more row of the mean of all others.
    rows = rows_to_leave_out(table.n_rows, _MAX_ROWS, random_state=0)
    table, targets, weight = table.take(rows), targets_of(rows), weight[rows]
    weight = weight / weight.sum() * number_of_equal_rows(weight)
    own, telling = weight[:, None] * targets, []
    with np.errstate(divide="ignore", invalid="ignore"):  # of a single row
        of_others = (own.sum(axis=0) - own) / (weight.sum() - weight)[:, None]
    error = ((targets - of_others) ** 2).sum(axis=1)
    for column in range(table.n_columns):
        is_missing = table.is_missing(column)
        if is_missing.all() or not is_missing.any():
            continue
        predicted = of_others.copy()
        for alike in (is_missing, ~is_missing):
            n_alike = (weight[alike].sum() - weight[alike] + 1)[:, None]
            predicted[alike] += own[alike].sum(axis=0) - own[alike]
            predicted[alike] /= n_alike
        gain = error - ((targets - predicted) ** 2).sum(axis=1)
        gain = mean_scores({"gain": gain[None]}, weight)
        if gain["mean_gain"] > _MIN_STANDARD_ERRORS * gain["standard_error_gain"]:
            telling.append(column)
    return np.array(telling, dtype=np.int64)
