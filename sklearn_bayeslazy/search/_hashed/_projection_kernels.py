"""Parts of numba kernels that compare projections of queries with those of a bucket.

A *projection* is a short float32 image of a row, in which distances are nearly kept. A
*residual* is the part of the row's squared length that the projection loses. The
projections of a bucket are stored column after column and padded to whole vectors, so
that loops over its rows vectorise: with ``first, last = blocks[b : b + 2]`` row r of
bucket b has its column j at ``cells[first * p + j * (last - first) + r]``.

The sums of a row do not depend on the rows or queries beside it.
"""

from ..._core._kernel import inlined

# Buckets are padded to multiples of this, which is a multiple of every vector register.
LANES = 32
# The first columns, of largest variance, show for most buckets that they are too far.
_N_LEADING_COLUMNS = 16


@inlined
def widest_of(blocks):
    """Return the largest padded size of a bucket."""
    widest = 0
    for b in range(len(blocks) - 1):
        widest = max(widest, blocks[b + 1] - blocks[b])
    return widest


@inlined
def four_columns(cells, start, size):
    """Return four columns of a bucket, from a position on."""
    return (
        cells[start : start + size],
        cells[start + size : start + 2 * size],
        cells[start + 2 * size : start + 3 * size],
        cells[start + 3 * size : start + 4 * size],
    )


@inlined
def _add_columns(cells, start, size, projection, begin, end, out):
    """Add squared differences in some columns of a bucket to out, in order."""
    fours = end - (end - begin) % 4
    for j in range(begin, fours, 4):  # out is read and written once for four columns
        w, x, y, z = four_columns(cells, start + j * size, size)
        a, b, c, e = (
            projection[j],
            projection[j + 1],
            projection[j + 2],
            projection[j + 3],
        )
        for r in range(size):
            s, t, u, v = w[r] - a, x[r] - b, y[r] - c, z[r] - e
            out[r] = (((out[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, end):
        w = cells[start + j * size : start + (j + 1) * size]
        for r in range(size):
            s = w[r] - projection[j]
            out[r] += s * s


@inlined
def estimate(cells, residuals, first, last, projection, out):
    """Write the estimated squared distances of a query to a bucket's rows into out."""
    size = last - first
    for r in range(size):
        out[r] = residuals[first + r]
    _add_columns(
        cells, first * len(projection), size, projection, 0, len(projection), out
    )


@inlined
def estimate_within(cells, residuals, first, last, projection, limit, out):
    """Do what `estimate` does if any row may be within a limit; return whether."""
    size, p = last - first, len(projection)
    leading = min(p, _N_LEADING_COLUMNS)
    for r in range(size):
        out[r] = residuals[first + r]
    _add_columns(cells, first * p, size, projection, 0, leading, out)
    if not _any_within(out, size, limit):
        return False
    _add_columns(cells, first * p, size, projection, leading, p, out)
    return _any_within(out, size, limit)


@inlined
def _any_within(values, size, limit):
    n_within = 0
    for r in range(size):
        n_within += values[r] <= limit
    return n_within > 0


@inlined
def _estimate_three(cells, residuals, first, last, projections, three, out):
    """Do what `estimate` does for three queries, to the same bits."""
    # three: the numbers of three queries; out: (3, width). Each cell is read once for
    # all three: with four, registers do not hold all cells.
    p, size = projections.shape[1], last - first
    a, b, c = projections[three[0]], projections[three[1]], projections[three[2]]
    out0, out1, out2 = out[0], out[1], out[2]
    for r in range(size):
        out0[r] = out1[r] = out2[r] = residuals[first + r]
    fours = p - p % 4
    for j in range(0, fours, 4):
        w, x, y, z = four_columns(cells, first * p + j * size, size)
        a0, a1, a2, a3 = a[j], a[j + 1], a[j + 2], a[j + 3]
        b0, b1, b2, b3 = b[j], b[j + 1], b[j + 2], b[j + 3]
        c0, c1, c2, c3 = c[j], c[j + 1], c[j + 2], c[j + 3]
        for r in range(size):
            w0, x0, y0, z0 = w[r], x[r], y[r], z[r]
            s, t, u, v = w0 - a0, x0 - a1, y0 - a2, z0 - a3
            out0[r] = (((out0[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - b0, x0 - b1, y0 - b2, z0 - b3
            out1[r] = (((out1[r] + s * s) + t * t) + u * u) + v * v
            s, t, u, v = w0 - c0, x0 - c1, y0 - c2, z0 - c3
            out2[r] = (((out2[r] + s * s) + t * t) + u * u) + v * v
    for j in range(fours, p):
        w = cells[first * p + j * size : first * p + (j + 1) * size]
        for r in range(size):
            s, t, u = w[r] - a[j], w[r] - b[j], w[r] - c[j]
            out0[r] += s * s
            out1[r] += t * t
            out2[r] += u * u


@inlined
def estimate_next(cells, residuals, first, last, projections, queries, i, end, out):
    """Estimate distances of the next three queries, or of one; return how many."""
    if i + 3 <= end:
        three = queries[i], queries[i + 1], queries[i + 2]
        _estimate_three(cells, residuals, first, last, projections, three, out)
        return 3
    estimate(cells, residuals, first, last, projections[queries[i]], out[0])
    return 1
