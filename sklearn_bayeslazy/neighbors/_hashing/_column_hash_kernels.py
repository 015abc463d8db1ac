"""Numba kernels of hashed sparse rows: sketches, columns in order of weight, distances.

A sparse matrix is a tuple of starts, columns and values, its columns ascending.
"""

import numpy as np

from ..._kernel import inlined, kernel
from .._search import EUCLIDEAN, measure_sparse, offer, select, sort_heap

# Squares beyond are measured in any case: a cell may overflow single precision.
_LARGEST = 1e60
# So many rows are asked at a time whether any of them may be near.
_LANES = 64
# Rounding of squared distances that products tell, relative to the squares, with
# queries in single precision.
_ROUNDING = 1e-6


@inlined
def cut_farthest(near, chosen, sizes, q, most):
    """Keep the nearest of a query's rows, at most so many; return the farthest."""
    if sizes[q] > most:
        select(near[q], chosen[q], 0, sizes[q], most)
        sizes[q] = most
    bound = -np.inf
    for c in range(sizes[q]):
        bound = max(bound, near[q, c])
    return bound


@kernel
def sketch_sparse_rows(rows, cells, signs, sketches):
    """Add each column of rows to a cell of their sketches, or take it away."""
    starts, columns, values = rows
    for i in range(len(sketches)):
        for j in range(starts[i], starts[i + 1]):
            column = columns[j]
            sketches[i, cells[column]] += values[j] * signs[column]


@kernel
def keep_heaviest(query, filled, n_read, kept):
    """Write queries' cells into kept as long as their columns hold n_read entries.

    Columns are taken by weight, the heaviest first, and the first of equals; filled
    counts the entries of each, and is 0 for those that are left out. kept is a sparse
    matrix, too; its starts begin with 0.
    """
    starts, columns, values = query
    kept_starts, kept_columns, kept_values = kept
    size = 0
    for q in range(len(kept_starts) - 1):
        begin, end = starts[q], starts[q + 1]
        order = np.argsort(-np.abs(values[begin:end]), kind="mergesort")
        wanted = np.zeros(end - begin, np.bool_)
        total = 0
        for i in order:
            n_entries = filled[columns[begin + i]]
            if total >= n_read:
                break
            wanted[i] = n_entries > 0
            total += n_entries
        for i in range(end - begin):
            if wanted[i]:
                kept_columns[size] = columns[begin + i]
                kept_values[size] = values[begin + i]
                size += 1
        kept_starts[q + 1] = size


@kernel
def take_likeliest(
    query, postings, base, squares, kind, exclude, shared, near, rows, sizes, bounds
):
    """Put the rows of a tile whose products say that they are near among the likeliest.

    Parameters
    ----------
    query : tuple
        The heaviest cells of queries, a sparse matrix.
    postings : tuple
        ends, places and weights of the tile, whose first row is base.
    squares : float32 array of shape (n_tile,)
        Of the rows.
    shared : bool
        Whether a row must share a column with the query.
    near, rows : arrays of shape (m, 2 * n_candidates)
        What `cut_farthest` keeps; sizes says how many there are.
    bounds : ndarray of shape (m,)
        Rows are ascending, so that one at the bound is never nearer than those there.
    """
    starts, columns, cells = query
    ends, places, weights = postings
    most, size = near.shape[1] // 2, len(squares)
    values = np.empty(size, np.float32)
    for q in range(len(sizes)):
        for r in range(size):
            values[r] = 0.0
        for i in range(starts[q], starts[q + 1]):
            column = columns[i]
            x = np.float32(-2.0 * cells[i])
            for j in range(ends[column], ends[column + 1]):
                values[np.uintp(places[j])] += x * weights[j]
        bound = bounds[q]
        for start in range(0, size, _LANES):
            stop = min(start + _LANES, size)
            count = 0
            if kind == EUCLIDEAN:
                for r in range(start, stop):
                    count += values[r] + squares[r] < bound
            else:
                for r in range(start, stop):
                    count += values[r] < bound
            for r in range(start, stop if count else start):
                value = values[r] + squares[r] if kind == EUCLIDEAN else values[r]
                if value >= bound or base + r == exclude[q]:
                    continue
                if shared and values[r] == 0.0:
                    continue
                near[q, sizes[q]], rows[q, sizes[q]] = value, base + r
                sizes[q] += 1
                if sizes[q] == 2 * most:
                    bound = cut_farthest(near, rows, sizes, q, most)
        bounds[q] = bound


@kernel
def keep_candidates(near, rows, sizes):
    """Cut each query's likeliest rows to half the room, which is what is wanted."""
    for q in range(len(sizes)):
        cut_farthest(near, rows, sizes, q, near.shape[1] // 2)


@inlined
def _square(rows, row):
    starts, _, values = rows
    total = 0.0
    for i in range(starts[row], starts[row + 1]):
        total += values[i] * values[i]
    return total


@inlined
def _product(spread, rows, row):
    """Return a row's product with a query that is spread out, and its square."""
    starts, columns, cells = rows
    product, square = 0.0, 0.0
    for i in range(starts[row], starts[row + 1]):
        product += cells[i] * spread[columns[i]]
        square += cells[i] * cells[i]
    return product, square


@kernel
def measure_sparse_candidates(
    chosen,
    sizes,
    sequence,
    query,
    rows,
    kind,
    n_columns,
    exclude,
    weight,
    k,
    reduced,
    ids,
    counts,
):
    """Fill reduced, ids and counts with the nearest of the rows chosen for each query.

    A row may have been chosen more than once. Products come first; rows that may be
    among the nearest within their rounding are measured term by term.
    """
    starts, columns, cells = query
    masses = np.zeros(len(counts))
    spread = np.zeros(n_columns, np.float32)
    for q in sequence:
        some = chosen[q, : sizes[q]]
        some.sort()
        square = 0.0
        for i in range(starts[q], starts[q + 1]):
            spread[columns[i]] = cells[i]
            square += cells[i] * cells[i]
        estimates = np.empty(len(some))
        size, before = 0, -1
        for row in some:
            if row != before:
                product, row_square = _product(spread, rows, row)
                estimates[size] = square + row_square - 2.0 * product
                some[size] = row
                size += 1
            before = row
        for i in range(starts[q], starts[q + 1]):
            spread[columns[i]] = 0.0
        bound = np.inf
        if size > k + 1 and square < _LARGEST:  # one of them may be the query itself
            ordered = estimates[:size].copy()
            select(ordered, np.zeros(size, np.int64), 0, size, k)
            farthest = ordered[k]
            bound = farthest + _ROUNDING * (square + abs(farthest))
        worst = np.inf
        for c in range(size):
            row = some[c]
            if not estimates[c] > bound:
                row_square = _square(rows, row)
                value = measure_sparse(query, q, rows, row, kind, square, row_square)
                worst = offer(
                    reduced,
                    ids,
                    counts,
                    masses,
                    q,
                    value,
                    row,
                    weight,
                    exclude[q],
                    k,
                    worst,
                )
        sort_heap(reduced, ids, counts, q)


@kernel
def sparse_distances_to(chosen, sizes, query, rows, kind, reduced):
    """Write the reduced distances of each query to the rows chosen for it."""
    for q in range(len(sizes)):
        square = _square(query, q)
        for c in range(sizes[q]):
            row = chosen[q, c]
            reduced[q, c] = measure_sparse(
                query, q, rows, row, kind, square, _square(rows, row)
            )


@kernel
def rank_likely(estimates, exclude, wanted, ranks):
    """Write how many rows seem at least as near as each of the wanted, by (value, row).

    The query itself, own, does not count.
    """
    for q in range(len(wanted)):
        estimate = estimates[q]
        for c in range(wanted.shape[1]):
            row, count = wanted[q, c], 0
            bound = estimate[row]
            for r in range(len(estimate)):
                near = estimate[r] < bound or (estimate[r] == bound and r <= row)
                count += near and r != exclude[q]
            ranks[q, c] = count
