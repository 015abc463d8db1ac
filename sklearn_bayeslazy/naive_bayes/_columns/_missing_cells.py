"""Indicators of missing cells, which become columns of the model if they help it.

Naive Bayes and AODE leave missing cells out of counts and products. An indicator of the
missing cells of a column has counts, and a weight of its own.
"""

import numpy as np

from ...leave_one_out import informatively_missing
from ...tabular import frequent_class_indicators


def fit_with_indicators(kind, batch, settings):
    """Return the model of a first batch, the batch it is of, and its indicators."""
    # kind: a `PenalizedModel`. The indicators, as indices of columns, are those of
    # all columns whose missing cells tell the class, or none. With them the log loss of
    # left-out rows has to be lower by one row's nat for each of them, since the weights
    # of their columns are learnt from these rows.
    model, none = kind.fit(batch, settings), np.array([], dtype=np.int64)
    may_have_some = settings.tunes_indicators and not batch.table.is_sparse
    if not (may_have_some and batch.table.has_missing_cells()):
        return model, batch, none
    merged = batch.merged()

    def targets_of(rows):
        return frequent_class_indicators(merged.classes[rows], merged.class_count)

    columns = informatively_missing(merged.table, targets_of, merged.weight)
    if not len(columns):
        return model, batch, none
    more = batch.with_missing_indicators(columns)
    other = kind.fit(more, settings)
    least_gain = len(columns) / merged.n_equal_rows
    if other.left_out_loss + least_gain < model.left_out_loss:
        return other, more, columns
    return model, batch, none
