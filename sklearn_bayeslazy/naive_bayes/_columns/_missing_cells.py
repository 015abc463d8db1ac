"""Indicators of missing cells: whether a cell is missing is one more column.

Naive Bayes and AODE leave missing cells out of counts and products. That is right for
cells that are missing by chance. Where a cell is missing for a reason that depends on
the class, such as the cause of death of those who live, an indicator of the missing
cells is a column of the model, with a weight of its own.
"""

import numpy as np

from ...leave_one_out import classification_losses, mean_scores, rows_to_leave_out
from ...tabular import log_m_estimate, without_each_row

# An indicator is tried if it alone lowers the log loss of the class prior by more than
# this number of standard errors: of many columns some tell the class by chance.
_MIN_STANDARD_ERRORS = 2
# Rows on which indicators are judged.
_MAX_ROWS = 10_000
# Rows that the prior of an indicator counts as, half for each of its two values.
_M = 1.0


def fit_with_indicators(kind, batch, settings):
    """Return the model of a first batch, the batch it is of, and its indicators."""
    # kind: a `PenalizedModel`. The indicators, as indices of columns, are those of
    # all columns whose missing cells tell the class, or none. With them the log loss of
    # left-out rows has to be lower by one row's nat for each of them, since the weights
    # of their columns are learnt from these rows.
    model, none = kind.fit(batch, settings), np.array([], dtype=np.int64)
    if not settings.tunes_indicators or batch.table.is_sparse:
        return model, batch, none
    columns = telling_columns(batch.merged(), settings)
    if not len(columns):
        return model, batch, none
    more = batch.with_missing_indicators(columns)
    other = kind.fit(more, settings)
    least_gain = len(columns) / batch.merged().n_equal_rows
    if other.left_out_loss + least_gain < model.left_out_loss:
        return other, more, columns
    return model, batch, none


def telling_columns(batch, settings):
    """Return the columns whose missing cells tell the class of left-out rows."""
    # Each indicator is judged alone, beside the class prior.
    table = batch.table
    rows = rows_to_leave_out(table.n_rows, _MAX_ROWS, random_state=0)
    classes, weight = batch.classes[rows], batch.weight[rows]
    log_prior = batch.log_prior_without(rows, settings)
    loss_of_prior, _ = classification_losses(log_prior, classes, log_prior)
    class_count = without_each_row(batch.class_count, classes, weight)
    unit, telling = batch.likelihood_unit, []
    for column in range(table.n_columns):
        is_missing = table.is_missing(column).astype(np.int64)
        if is_missing.min() == is_missing.max():
            continue
        counts = np.zeros((2, batch.n_classes))
        np.add.at(counts, (is_missing, batch.classes), batch.weight)
        counts = without_each_row(counts[is_missing[rows]], classes, weight)
        joint = log_prior + log_m_estimate(counts, class_count, _M * unit, 0.5)
        losses, _ = classification_losses(joint, classes, log_prior)
        gain = mean_scores({"gain": [loss_of_prior - losses]}, weight / unit)
        if gain["mean_gain"] > _MIN_STANDARD_ERRORS * gain["standard_error_gain"]:
            telling.append(column)
    return np.array(telling, dtype=np.int64)
