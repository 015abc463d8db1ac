"""How much each column of a table alone tells about the targets, by leave-one-out.

The weights of columns are powers of it.
"""

import numpy as np

from ..._core._arrays import at_least_rows
from ...tabular import Codebook, find_categories, quantile_edges, row_weight
from ._columns import ValueMeans

# Bins of equal weight into which numbers are cut.
N_BINS = 10


def column_relevance(table, targets, weight):
    """Return the share of the targets' variance that each column alone explains.

    >>> from sklearn_bayeslazy.tabular import read_table
    >>> table = read_table([["a", "p"], ["a", "q"], ["b", "r"], ["b", "s"]])
    >>> column_relevance(table, np.array([[0.0], [0.0], [1.0], [1.0]]), np.ones(4))
    array([0.75, 0.  ])
    """
    # targets: (n, n_targets); weight: (n,). The result, (n_columns,), is
    #     1 - Σᵢ wᵢ |yᵢ - ŷ₋ᵢ|² / Σᵢ wᵢ |yᵢ - ȳ|²,
    # where ŷ₋ᵢ is the m-estimated mean (m is the median weight of a row) of the targets
    # of the other rows with the same symbol, or with a number in the same of `N_BINS`
    # quantile bins; ȳ for a missing cell. A column of distinct symbols has relevance 0,
    # and one that is worse than the mean a negative one. All are 0 if the targets are
    # constant.
    # In the doctest each row without itself predicts its class by (1 + 1/2) / (1 + 1).
    mean = weight @ targets / weight.sum()
    relevance = np.zeros(table.n_columns)
    variance = weight @ ((targets - mean) ** 2).sum(axis=1)
    if variance == 0:
        return relevance
    one_row = row_weight(at_least_rows(weight))
    for j in range(table.n_columns):
        codes, n_values = _groups(table, j, weight)
        means = ValueMeans.fit(codes, n_values, targets, weight, one_row)
        left_out = means.left_out(codes, targets, weight)
        error = weight @ ((targets - left_out) ** 2).sum(axis=1)
        with np.errstate(over="ignore"):  # -inf: far worse than the mean
            relevance[j] = 1 - error / variance
    return relevance


def _groups(table, column, weight):
    """Return the group of each row by one column, -1 for missing, and their number."""
    if table.is_categorical(column):
        categories = find_categories(table, [column])
        codes = Codebook([column], categories, [False]).reader(table)
        return codes(slice(0, table.n_rows))[:, 0], max(len(categories[0]), 1)
    cells = table.column(column)
    edges = quantile_edges(cells, N_BINS, weight)
    bins = np.searchsorted(edges, cells, side="right")
    return np.where(np.isnan(cells), -1, bins), len(edges) + 1


# Weights of columns: powers of their relevance.


# Columns of less relevance have this one: they may still matter together with others.
MIN_RELEVANCE = 1e-3
# A column of more symbols that is not relevant is dropped. Its m-estimates are by few
# rows each, and set rows apart by chance.
MAX_VALUES_IF_IRRELEVANT = 10


def relevance_weights(relevance, n_values, exponent):
    """Return the factor of each column, relevance ** exponent.

    >>> relevance_weights(np.array([0.25, -0.1, -0.1]), np.array([0, 2, 500]), 0.5)
    array([0.5       , 0.03162278, 0.        ])
    """
    # relevance: (n_columns,), as `column_relevance` returns it; n_values: (n_columns,),
    # the number of values of a column of symbols, 0 for numbers. The exponent 0 gives
    # equal weights. Columns of many symbols that are not relevant, such as names of
    # rows, get 0. All get 1 if no column would be left.
    is_dropped = (relevance <= 0) & (n_values > MAX_VALUES_IF_IRRELEVANT)
    if is_dropped.all():
        return np.ones(len(relevance))
    weights = np.maximum(relevance, MIN_RELEVANCE) ** exponent
    return np.where(is_dropped, 0.0, weights)
