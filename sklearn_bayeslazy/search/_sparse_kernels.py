"""Numba kernels that compare sparse rows through the columns in which both are not 0.

The training rows are postings: for each column, the positions of the rows in which it
is not 0. A query's dot products with all rows take one step for each entry in the
postings of its columns, and |a - b|² = |a|² + |b|² - 2 a·b. That loses digits where a
and b are close: distances that may matter are measured again, term by term.
"""

import numpy as np

from .._core._kernel import inlined, kernel
from ._dense_kernels import snap_right_angle
from ._neighbor_lists import heap_push, sort_heap

# Rounding of each term, in units of |a|² + |b|², with a margin.
_EPSILON = 4 * 2.0**-52


@inlined
def sparse_distances(query, q, postings, squared_norms, is_cosine, out):
    """Write |a - b|² of query q and the rows at all positions into out; return |a|²."""
    # postings: CSC arrays of the rows, by position; squared_norms, out: (n_positions,).
    # is_cosine: rows of zeros have the squared distance 2 from all others (cosine).
    starts, columns, values = query
    column_starts, positions, cells = postings
    out[:] = 0.0
    square = 0.0
    for i in range(starts[q], starts[q + 1]):
        x = values[i]
        square += x * x
        for j in range(column_starts[columns[i]], column_starts[columns[i] + 1]):
            out[positions[j]] += x * cells[j]
    for r in range(out.shape[0]):
        if is_cosine and (square == 0.0 or squared_norms[r] == 0.0):
            out[r] = 2.0
        else:
            out[r] = max(square + squared_norms[r] - 2 * out[r], 0.0)
    return square


@inlined
def rounding_error(query, q):
    """Return the error of a query's distances, at most, in units of |a|² + |b|²."""
    # One rounding for each term of the dot product, and a margin for the squares.
    starts = query[0]
    return _EPSILON * (starts[q + 1] - starts[q] + 64)


@inlined
def exact_distance(query, q, rows, row):
    """Return |a - b|² of two sparse rows, summed in the order of the columns."""
    starts, columns, values = query
    row_starts, row_columns, row_values = rows
    i, stop_i = starts[q], starts[q + 1]
    j, stop_j = row_starts[row], row_starts[row + 1]
    total = 0.0
    while i < stop_i or j < stop_j:
        if j == stop_j or (i < stop_i and columns[i] < row_columns[j]):
            t = values[i]
            i += 1
        elif i == stop_i or row_columns[j] < columns[i]:
            t = row_values[j]
            j += 1
        else:
            t = values[i] - row_values[j]
            i += 1
            j += 1
        total += t * t
    return total


@kernel
def nearest_in_postings(
    query,
    first,
    postings,
    rows,
    row_at,
    squared_norms,
    is_cosine,
    exclude,
    weight,
    k,
    heaps,
):
    """Fill heaps with the nearest rows, sorted, for queries from first on."""
    # query, rows: CSR arrays; postings, squared_norms, is_cosine: as in
    # `sparse_distances`. row_at: (n_positions,), the row at each position, -1 for none;
    # exclude: (m,), the row that is left out, or -1; weight: (n,); heaps:
    # `NeighborHeaps`.
    reduced, indices, counts, totals = heaps
    out = np.empty(len(row_at))
    for q in range(len(reduced)):
        square = sparse_distances(
            query, first + q, postings, squared_norms, is_cosine, out
        )
        error = rounding_error(query, first + q)
        worst = np.inf
        for r in range(len(row_at)):
            row = row_at[r]
            if row < 0 or row == exclude[q]:
                continue
            if out[r] - error * (square + squared_norms[r]) > worst:
                continue
            value = out[r]
            if not (is_cosine and (square == 0.0 or squared_norms[r] == 0.0)):
                value = exact_distance(query, first + q, rows, row)
                if is_cosine:
                    value = snap_right_angle(value)
            worst = heap_push(
                reduced, indices, counts, totals, q, value, row, weight, k, worst
            )
        sort_heap(reduced, indices, counts, q)
