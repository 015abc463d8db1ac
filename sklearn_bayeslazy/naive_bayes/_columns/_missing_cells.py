"""Indicators of missing cells, which become columns of the model if they help it.

Naive Bayes and AODE leave missing cells out of counts and products. An indicator of the
missing cells of a column has counts, and a weight of its own.
"""

import numpy as np

from ...leave_one_out import informatively_missing
from ...tabular import MAX_CLASSES


def fit_with_indicators(kind, batch, settings):
    """Return the model of a first batch, the batch it is of, and its indicators."""
    # kind: a `PenalizedModel`. The indicators, as indices of columns, are those of
    # all columns whose missing cells tell the class, or none. With them the log loss of
    # left-out rows has to be lower by one row's nat for each of them, since the weights
    # of their columns are learnt from these rows.
    model, none = kind.fit(batch, settings), np.array([], dtype=np.int64)
    if not settings.tunes_indicators or batch.table.is_sparse:
        return model, batch, none
    merged = batch.merged()
    frequent = np.argsort(-merged.class_count, kind="stable")[:MAX_CLASSES]

    def indicators_of_classes(rows):
        return (merged.classes[rows, None] == frequent).astype(np.float64)

    given = merged.table, indicators_of_classes, merged.weight
    columns = informatively_missing(*given)
    if not len(columns):
        return model, batch, none
    more = batch.with_missing_indicators(columns)
    other = kind.fit(more, settings)
    least_gain = len(columns) / merged.n_equal_rows
    if other.left_out_loss + least_gain < model.left_out_loss:
        return other, more, columns
    return model, batch, none
