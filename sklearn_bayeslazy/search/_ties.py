"""Rows at equal distances: equal but for rounding, and those where weights reach k.

Sums of rounded terms set rows apart that are equally far, by a few units in the last
place, and another order of the columns sets others apart. Rows within the bound of the
rounding are therefore at one distance, the least of them. All rows at the distance
where the weights reach k share what is left of k, so that their order does not matter.
A list may lack some of them: these are summed up in one more pass over the rows.
"""

from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, kernel
from ._dense_kernels import block_distances, box_distance, snap_right_angle
from ._kd_tree import sort_rows
from ._neighbor_lists import WeightedK
from ._sparse_kernels import exact_distance, sparse_distances

# How many rows beyond k are listed where distances take few values. Most lists then
# hold all rows that tie with the last, and their queries need not be measured again.
ROWS_LISTED_FOR_TIES = 64
# The error of one rounding, relative.
UNIT_ROUNDOFF = np.finfo(np.float64).eps / 2
# That of each term of a sparse distance, in units of |a|² + |b|², with a margin.
_SPARSE_ROUNDING = 4 * 2.0**-52


class Rounding(NamedTuple):
    """How far rounding may set the reduced distances of equally far rows apart."""

    # The bound for a distance r is relative r + by_root √r + constant, and 0 for r = 0:
    # only equal rows are at distance 0.
    relative: np.ndarray | float  # each: one for all queries, or (m,)
    by_root: np.ndarray | float = 0.0  # an array is above 0 everywhere
    constant: np.ndarray | float = 0.0

    def farthest(self, reduced):
        """Return the largest distance that may equal each of (m,) or (m, width).

        >>> Rounding(0.5, 2.0).farthest(np.array([0.0, 4.0]))  # 4 + .5 · 4 + 2 · √4
        array([ 0., 10.])
        """
        relative, by_root, constant = self
        if reduced.ndim == 2:
            relative, by_root, constant = (np.reshape(x, (-1, 1)) for x in self)
        # Beyond the largest number all are equal. An infinite bound times 0 is none.
        with np.errstate(over="ignore", invalid="ignore"):
            farthest = reduced * (1 + relative)
            if np.any(by_root):
                by_root = by_root * np.sqrt(reduced)
                farthest += np.where(reduced > 0, by_root, 0.0)
            if np.any(constant):
                farthest += np.where(reduced > 0, constant, 0.0)
        return farthest

    def take(self, queries):
        """Return the rounding of some of the queries."""
        return Rounding(*(x if np.ndim(x) == 0 else x[queries] for x in self))


def merge_ties(lists, rounding):
    """Give rows that are equally far but for rounding one distance, sorted by index.

    >>> from sklearn_bayeslazy.search import full_lists
    >>> lists = full_lists(np.array([[0.3, 0.1 + 0.2, 1.0]]), np.array([[7, 4, 5]]))
    >>> merged = merge_ties(lists, Rounding(1e-15))
    >>> merged.indices, merged.reduced
    (array([[4, 7, 5]]), array([[0.3, 0.3, 1. ]]))
    """
    # From the nearest row on, each row is compared with the first of its group. Most
    # lists have no such rows, and are returned as they are.
    with np.errstate(all="ignore"):  # what is not listed has no meaning
        before, after = lists.reduced[:, :-1], lists.reduced[:, 1:]
        is_near = after <= rounding.farthest(before)
        is_near &= after > before
        rows = np.flatnonzero(is_near.any(axis=1))
        if len(rows):
            listed = np.arange(lists.reduced.shape[1]) < lists.counts[rows, None]
            reduced = np.where(listed, lists.reduced[rows], np.inf)
            _write_first_of_group(reduced, rounding.take(rows))
            last = np.iinfo(np.int64).max
            indices = np.where(listed, lists.indices[rows], last)
            order = np.lexsort((indices, reduced), axis=-1)
            lists.reduced[rows] = reduced
            lists.indices[rows] = np.take_along_axis(indices, order, axis=1)
    return lists


def _write_first_of_group(reduced, rounding):
    """Replace sorted distances (m, width) by the first of those that are equal."""
    is_linked = reduced[:, 1:] <= rounding.farthest(reduced[:, :-1])
    starts = np.where(is_linked, 0, np.arange(1, reduced.shape[1]))
    starts = np.maximum.accumulate(np.pad(starts, ((0, 0), (1, 0))), axis=1)
    first = np.take_along_axis(reduced, starts, axis=1)
    is_chain = (reduced > rounding.farthest(first)).any(axis=1)
    chains = np.flatnonzero(is_chain)  # rare: the last of linked rows is too far
    if len(chains):
        first[chains] = _first_of_chains(reduced[chains], rounding.take(chains))
    reduced[:] = first


def _first_of_chains(reduced, rounding):
    """Return the first of each group, where linked rows are more than one group."""
    first = reduced[:, 0].copy()
    farthest = rounding.farthest(first)
    for c in range(1, reduced.shape[1]):
        is_new = reduced[:, c] > farthest
        first = np.where(is_new, reduced[:, c], first)
        farthest = np.where(is_new, rounding.farthest(first), farthest)
        reduced[:, c] = first
    return reduced


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


def lists_with_ties(search, queries, weighted_k, exclude, weight):
    """Return the nearest rows of total weight k, and all as far as the last of them."""
    # queries: (m, n_columns), dense or sparse; weight: (n,), as `WeightedK` was given.
    # exclude: (m,), the row that is left out, or -1.
    k, rows = weighted_k.given, slice(0, len(exclude))
    # The last row shows whether a list lacks rows at the distance where k is reached.
    longer_k = weighted_k.with_next
    lists = search.nearest(queries, rows, longer_k, exclude)
    is_open, listed = lack_ties(lists, exclude, weight, k), longer_k.k
    # With whole weights the number of searches would grow with log(total weight / k).
    while is_open.any() and listed < weighted_k.total:  # few, unless most are equal
        listed, rows = min(2 * listed, weighted_k.total), np.flatnonzero(is_open)
        longer_k = WeightedK(listed, np.minimum(weight, k))
        longer = search.nearest(
            queries[rows], slice(0, len(rows)), longer_k, exclude[rows]
        )
        lists.put(rows, longer)
        is_open[rows] = lack_ties(longer, exclude[rows], weight, k)
    return lists


# Numba kernels for the rows at the distance where the weights of neighbours reach k.
#
# All rows at this distance share what is left of k, so that their order does not
# matter. A list may lack some of them: these are summed up in one more pass over the
# rows.


@kernel
def share_weights(lists, weight, k, weights):
    """Write the weights of listed rows; rows tied where the sum reaches k share it."""
    # lists: reduced and indices (m, width), and counts (m,), which are cut to these
    # rows.
    # weight: (n,), of the training rows; k: (m,); weights: (m, width), output.
    # The rows at the last distance have the same share of their weight, so that all
    # weights sum to k.
    reduced, indices, counts = lists
    for q in range(indices.shape[0]):
        total, before, first = 0.0, 0.0, 0
        c = 0
        while c < counts[q]:
            if c > 0 and reduced[q, c] > reduced[q, c - 1]:
                if total >= k[q]:
                    break
                first, before = c, total
            weights[q, c] = weight[indices[q, c]]
            total += weights[q, c]
            c += 1
        counts[q] = c
        if total > k[q]:
            share = (k[q] - before) / (total - before)
            for t in range(first, c):
                weights[q, t] *= share


@kernel
def find_open_ties(reduced, indices, counts, exclude, weight, k, is_open):
    """Mark lists that may lack rows at the distance where the weights reach k."""
    # reduced, indices: (m, width); counts, exclude: (m,); weight: (n,).
    # is_open: (m,), False on entry. A list is closed if it holds all rows, or a row
    # beyond this distance.
    for q in range(reduced.shape[0]):
        n_rows = len(weight) - int(exclude[q] >= 0)
        last = counts[q] - 1
        if last < 0 or last + 1 == n_rows:
            continue
        reached = 0.0
        for c in range(last + 1):
            reached += weight[indices[q, c]]
            if reached >= k or c == last:
                is_open[q] = reduced[q, c] == reduced[q, last]
                break


@inlined
def add_tied_row(row, exclude, weight, codes, numbers, q, totals, sums):
    """Add the weight and the weighted targets of a row to the sums of query q."""
    row_weight = 0.0 if row == exclude else weight[row]
    totals[q] += row_weight
    if len(codes):
        sums[q, codes[row]] += row_weight
    else:
        for v in range(sums.shape[1]):
            sums[q, v] += row_weight * numbers[row, v]


@kernel
def sum_ties_in_blocks(
    blocks,
    boxes,
    queries,
    nearest,
    farthest,
    exclude,
    weight,
    kind,
    p,
    row_targets,
    output,
):
    """Sum up the rows at one reduced distance from each query; skip far boxes."""
    # blocks: cells (n_blocks, d, width) and indices (n_blocks, width) of `Blocks`.
    # boxes: lower and upper corners (n_nodes, d) of the nodes of a kd-tree, of which
    # the blocks are the leaves, as in `nearest_in_tree`. (0, d): all rows are read.
    # queries: (m, d); nearest, farthest: (m,), reduced distances that are equal but for
    # rounding; weight: (n,).
    # exclude: (m,), the row that is left out, or -1.
    # row_targets: classes (n,), or none and numbers (n, n_outputs).
    # output: totals (m,), the weight of the rows, and sums (m, n_outputs), the weight
    # of each class, or of the numbers. kind, p: of `block_distances`.
    # Rows are added in their order, whatever the blocks.
    cells, block_indices = blocks
    lower, upper = boxes
    codes, numbers = row_targets
    totals, sums = output
    first_leaf = cells.shape[0] - 1
    out = np.empty(cells.shape[2])
    nodes = np.empty(128, dtype=np.int64)
    tied = np.empty(len(weight), dtype=np.int64)
    for q in range(queries.shape[0]):
        nodes[0] = 0
        n_stacked = 1
        n_tied = 0
        while n_stacked > 0:
            n_stacked -= 1
            node = nodes[n_stacked]
            if len(lower):
                bound = box_distance(lower, upper, node, queries, q, kind, p)
                if bound > farthest[q]:
                    continue
            if node < first_leaf:
                nodes[n_stacked], nodes[n_stacked + 1] = 2 * node + 1, 2 * node + 2
                n_stacked += 2
                continue
            b = node - first_leaf
            block_distances(cells, b, queries, q, kind, p, out)
            for r in range(out.shape[0]):
                if nearest[q] <= out[r] <= farthest[q] and block_indices[b, r] >= 0:
                    tied[n_tied] = block_indices[b, r]
                    n_tied += 1
        sort_rows(tied, 0, n_tied)
        for i in range(n_tied):
            add_tied_row(tied[i], exclude[q], weight, codes, numbers, q, totals, sums)


@kernel
def sum_ties_in_postings(
    query, arrays, nearest, farthest, exclude, weight, row_targets, output
):
    """Do the same for sparse rows; arrays are those of a `SparseSearch`."""
    postings, rows, row_at, squares, apart = arrays
    codes, numbers = row_targets
    totals, sums = output
    out = np.empty(len(row_at))
    for q in range(len(nearest)):
        square = sparse_distances(query, q, postings, squares, apart, out)
        # One rounding for each term of the dot product, and a margin for the squares.
        error = _SPARSE_ROUNDING * (query[0][q + 1] - query[0][q] + 64)
        for r in range(len(row_at)):
            row = row_at[r]
            if row < 0:
                continue
            apart_by = max(nearest[q] - out[r], out[r] - farthest[q])
            if apart_by > error * (square + squares[r]):
                continue
            value = out[r]
            if not (apart and (square == 0.0 or squares[r] == 0.0)):
                value = exact_distance(query, q, rows, row)
                if apart:
                    value = snap_right_angle(value)
            if nearest[q] <= value <= farthest[q]:
                add_tied_row(row, exclude[q], weight, codes, numbers, q, totals, sums)
