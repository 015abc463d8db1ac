"""Lists of neighbours with all rows at the distance where the weights reach k."""

import numpy as np

from .._core._kernel import frozen
from ._list_kernels import find_open_ties
from ._neighbor_lists import NeighborLists, WeightedK

# How many rows beyond k are listed where distances take few values. Most lists then
# hold all rows that tie with the last, and their queries need not be measured again.
ROWS_LISTED_FOR_TIES = 64


def rows_beyond(k, weight, n_rows=1):
    """Return the `WeightedK` of lists with at least n_rows rows beyond the weight k."""
    # The last row shows whether a list lacks rows at the distance where k is reached.
    weight = np.minimum(weight, k + 1)
    return WeightedK(k + n_rows * weight.max(), weight)


def lack_ties(lists, exclude, weight, k):
    """Return which lists may lack rows at the distance where the weights reach k."""
    is_open = np.zeros(len(exclude), dtype=bool)
    find_open_ties(
        frozen(lists.reduced, np.float64),
        frozen(lists.indices, np.int64),
        frozen(lists.counts, np.int64),
        frozen(exclude, np.int64),
        frozen(weight, np.float64),
        float(k),
        is_open,
    )
    return is_open


def lists_with_ties(search, queries, k, exclude, weight):
    """Return the nearest rows of total weight k, and all as far as the last of them."""
    # queries: (m, n_columns), dense or sparse; weight: (n,).
    # exclude: (m,), the row of which one copy is left out, or -1.
    weighted_k = rows_beyond(k, weight)
    # With whole weights the number of searches would grow with log(total weight / k).
    cut = np.minimum(weight, k + 1)
    total = cut.sum()
    lists = search.nearest(queries, slice(0, len(exclude)), weighted_k, exclude)
    is_open, listed = lack_ties(lists, exclude, weight, k), weighted_k.k
    while is_open.any() and listed < total:  # few, unless most distances are equal
        listed, rows = min(2 * listed, total), np.flatnonzero(is_open)
        longer = search.nearest(
            queries[rows], slice(0, len(rows)), WeightedK(listed, cut), exclude[rows]
        )
        lists = replace_lists(lists, rows, longer)
        is_open[rows] = lack_ties(longer, exclude[rows], weight, k)
    return lists


def replace_lists(lists, rows, others):
    """Return lists of which those at rows are replaced by others."""
    width = others.indices.shape[1]
    n_more = max(width - lists.indices.shape[1], 0)
    reduced = np.pad(lists.reduced, ((0, 0), (0, n_more)))
    indices = np.pad(lists.indices, ((0, 0), (0, n_more)))
    reduced[rows, :width], indices[rows, :width] = others.reduced, others.indices
    counts = lists.counts.copy()
    counts[rows] = others.counts
    return NeighborLists(reduced, indices, counts)
