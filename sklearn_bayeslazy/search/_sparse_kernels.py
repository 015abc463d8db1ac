"""Parts of numba kernels that compare sparse rows by columns in which both are not 0.

The training rows are postings: for each column, the positions of the rows in which it
is not 0. A query's dot products with all rows take one step for each entry in the
postings of its columns, and |a - b|² = |a|² + |b|² - 2 a·b. That loses digits where a
and b are close: distances that may matter are measured again, term by term.
"""

from .._core._kernel import inlined


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
