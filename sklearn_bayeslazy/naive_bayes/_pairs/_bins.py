"""The codes of columns for AODE: categories, distinct numbers, or bins of numbers."""

import numpy as np

from ...tabular import Codebook, cut_points, find_categories


def learn_codebook(batch, binning, n_bins):
    """Return the :class:`~...tabular.Codebook` of the columns of a batch."""
    # Labels are encoded by category. Numbers are cut into bins; `binning` is as in
    # `cut_points`.
    table = batch.table
    columns = np.arange(table.n_columns)
    values, is_cut = [], []
    for column in columns:
        is_cut.append(not table.is_categorical(column))
        if is_cut[-1]:
            cells = table.column(column)
            by_class = batch.classes, batch.n_classes, batch.weight
            values.append(cut_points(cells, binning, n_bins, *by_class))
        else:
            values.extend(find_categories(table, [column]))
    return Codebook(columns, values, is_cut)
