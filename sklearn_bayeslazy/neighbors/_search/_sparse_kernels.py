"""Numba kernels that compare sparse rows through the columns that both fill.

The training rows stand as postings: for each column the rows that fill it. A query's
dot products with all rows cost as many steps as the postings of its columns hold, and
|a - b|² = |a|² + |b|² - 2 a·b. That loses digits where a and b lie close together: what
may matter there is measured again, term by term.
"""

import numpy as np

from ..._kernel import inlined, kernel
from ._dense_kernels import offer, settle_unit, sort_heap

# Rounding, in units of |a|² + |b|²: for each term, with something to spare.
_EPSILON = 4 * 2.0**-52


@inlined
def sparse_distances(query, q, postings, squares, apart, out):
    """Write |a - b|² of query q and the rows at all places into out; return |a|².

    apart: rows of zeros are 2 apart from all others (cosine).
    """
    starts, columns, values = query
    ends, places, weights = postings
    out[:] = 0.0
    square = 0.0
    for i in range(starts[q], starts[q + 1]):
        x = values[i]
        square += x * x
        for j in range(ends[columns[i]], ends[columns[i] + 1]):
            out[places[j]] += x * weights[j]
    for r in range(out.shape[0]):
        if apart and (square == 0.0 or squares[r] == 0.0):
            out[r] = 2.0
        else:
            out[r] = max(square + squares[r] - 2 * out[r], 0.0)
    return square


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
    place_ids,
    squares,
    apart,
    exclude,
    weight,
    enough,
    reduced,
    ids,
    counts,
):
    """Fill reduced, ids and counts with the nearest rows, for queries from first on."""
    m = reduced.shape[0]
    out = np.empty(len(place_ids))
    masses = np.zeros(m)
    for q in range(m):
        square = sparse_distances(query, first + q, postings, squares, apart, out)
        starts = query[0]
        terms = starts[first + q + 1] - starts[first + q] + 64
        error = _EPSILON * terms
        worst = np.inf
        for r in range(len(place_ids)):
            row = place_ids[r]
            if row < 0 or out[r] - error * (square + squares[r]) > worst:
                continue
            value = out[r]
            if not (apart and (square == 0.0 or squares[r] == 0.0)):
                value = exact_distance(query, first + q, rows, row)
                if apart:
                    value = settle_unit(value)
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
                enough,
                worst,
            )
        sort_heap(reduced, ids, counts, q)
