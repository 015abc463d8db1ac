"""Weights of columns: powers of their relevance."""

import numpy as np

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
