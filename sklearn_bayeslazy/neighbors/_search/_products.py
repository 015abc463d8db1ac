"""The nearest dense rows by matrix products in single precision, measured exactly.

With rows x and queries q less a common center, |q - x|² = |q|² + |x|² - 2 q·x. A matrix
product of rounded rows gives -2 q·x for many pairs at once, about five times faster
than a sum over the columns in their order. Of each |q - x|² this leaves a lower and an
upper bound:

1. A row is a candidate while its lower bound is at most the k-th smallest of the upper
   bounds so far. Only then can it be among the k nearest.
2. The candidates left in the end, about k, are measured term by term, as all searches
   measure. So neither the rounding nor the threads of the product change a result.

The bounds. Let n = d + 16, u = 2**-24 and s = n u / (1 - n u). A sum of d products is
off by at most d u / (1 - d u) times the sum of their absolute values, in any order of
summation (Higham 2002, section 3.1), and this sum is at most |q|² + |x|². Rounding the
cells, the squares and the last sum adds a few u (|q|² + |x|²), and the double precision
of centers and of exact distances adds much less. So the bounds are |q - x|² ∓
s (|q|² + |x|²), less or plus a small constant for numbers that underflow.

References
----------
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. SIAM.
"""

import math

import numpy as np

from ..._kernel import frozen, inlined, kernel
from ._dense_kernels import snap_right_angle
from ._heap_kernels import heap_push, sort_heap
from ._neighbor_lists import empty_lists

# Queries per matrix product: their products with a block fit the L2 cache.
QUERIES_PER_PRODUCT = 512
# Rows that the center, the unit and the precision are learnt from, and how many of them
# are queries to learn the precision. Any values give right answers.
_SAMPLE, _SAMPLE_QUERIES = 1000, 32
# Precisions of products, and the part of the rows that may stay candidates: with more,
# products in double precision, or to measure all rows, are faster.
_PRECISIONS = (("float32", 0.025), ("float64", 0.08))
# Scaled cells are clipped here. Their products stay within single precision. Clipping
# brings no rows farther apart, so lower bounds stay right, but upper bounds do not.
_MAX_CELL = 1e15
_MAX_SQUARE = 0.5e30
# Products of cells that underflow: 2 (2 _MAX_CELL) 2**-126 per column.
_UNDERFLOW = 1e-22
# Medians of cells are brought near 1 within these bounds. So the squared distance of
# cells that are not clipped neither overflows nor underflows before it is scaled.
_SAFE = (1e-100, 1e100)
# Numbers that are greater by this fraction stay so when rounded to single precision.
_ROUNDED_UP = 1e-7
# Candidates that are kept of a query, besides four times the width of its list.
_MIN_LIMIT = 4096
# Numbers that the candidates of a tile, or its queries, may take at most.
_NUMBERS_PER_TILE = 2**22


def error_bound(d, precision):
    """Return the relative error s of distances by products in a precision."""
    double = 4 * (d + 64) * 2.0**-53
    slack = (d + 16) * np.finfo(precision).eps / 2 + double
    return slack / (1 - slack)


@kernel(reorder_sums=False)
def round_block(cells, b, center, unit, shrink, rounded, squares):
    """Write (x - center) unit of block b, rounded, and the squared lengths by shrink.

    A block has the shape (d, width): one row a column. Cells that hold no row are
    infinite, and get clipped.
    """
    d, width = rounded.shape
    totals = np.zeros(width)
    for j in range(d):
        c = center[j]
        for r in range(width):
            t = (cells[b, j, r] - c) * unit
            t = min(max(t, -_MAX_CELL), _MAX_CELL)
            rounded[j, r] = t
            totals[r] += t * t
    for r in range(width):
        squares[r] = totals[r] * shrink


@inlined
def _drop_far(positions, bounds, worst):
    """Keep the candidates up to a bound; return how many these are."""
    size = 0
    for i in range(len(positions)):
        if bounds[i] <= worst:
            positions[size] = positions[i]
            bounds[size] = bounds[i]
            size += 1
    return size


@kernel(reorder_sums=False)
def collect_candidates(
    products, squares, indices, b, gaps, exclude, weight, k, heaps, candidates
):
    """Add the rows of block b that may be among the nearest to the candidates.

    Parameters
    ----------
    products : float32 array of shape (m, width)
        -2 q·x.
    squares : float32 array of shape (width,)
        (1 - s) |x|². With the products, lower bounds less a constant of the query.
    indices : int array of shape (n_blocks, width)
    gaps : ndarray of shape (m + 1,)
        Upper less lower bound of each query's rows, without the part of the row: this
        is the last number times `squares`.
    exclude, weight, k : as in `nearest_in_blocks`
    heaps : NeighborHeaps
        The smallest upper bounds.
    candidates : tuple of arrays
        Positions (m, limit) in the blocks, lower bounds (m, limit), and their number
        (m,); -1 if there are too many.

    Returns
    -------
    n_open : int
        The number of queries without too many candidates.
    """
    reduced, rows, counts, totals = heaps
    positions, bounds, sizes = candidates
    m, width = products.shape
    limit = positions.shape[1]
    n_open = 0
    for q in range(m):
        size = sizes[q]
        worst = reduced[q, 0] if totals[q] >= k else np.inf
        product = products[q]
        near = np.float32(worst + abs(worst) * _ROUNDED_UP)
        n_near = 0
        for r in range(width):  # without a branch, so that it vectorises
            n_near += product[r] + squares[r] <= near
        for r in range(width if n_near > 0 and size >= 0 else 0):
            bound = product[r] + squares[r]
            if bound > worst or indices[b, r] < 0:
                continue
            if size == limit:
                size = _drop_far(positions[q], bounds[q], worst)
                if 2 * size > limit:
                    size = -1
                    break
            positions[q, size] = b * width + r
            bounds[q, size] = bound
            size += 1
            if squares[r] > _MAX_SQUARE:
                continue
            worst = heap_push(
                reduced,
                rows,
                counts,
                totals,
                q,
                bound + (gaps[q] + gaps[m] * squares[r]),
                indices[b, r],
                weight,
                exclude[q],
                k,
                worst,
            )
        sizes[q] = size
        n_open += size >= 0
    return n_open


@kernel(reorder_sums=False)
def measure_candidates(blocks, queries, exclude, weight, k, unit, heaps, candidates):
    """Replace the upper bounds in heaps by the nearest of the candidates, sorted.

    The candidates of all queries are measured block by block, so that a part of a block
    is read from memory once.
    """
    cells, indices = blocks
    reduced, rows, counts, totals = heaps
    positions, bounds, sizes = candidates
    m, (n_blocks, d, width) = len(sizes), cells.shape
    starts = np.zeros(n_blocks + 1, dtype=np.int64)
    for q in range(m):
        worst = reduced[q, 0] if totals[q] >= k else np.inf
        size = 0
        for i in range(sizes[q]):
            if bounds[q, i] <= worst:
                positions[q, size] = positions[q, i]
                starts[positions[q, i] // width + 1] += 1
                size += 1
        sizes[q] = min(size, sizes[q])
        counts[q], totals[q] = 0, 0.0
    for b in range(n_blocks):
        starts[b + 1] += starts[b]
    n_pairs = starts[n_blocks]
    query_of, row_of = np.empty(n_pairs, np.int64), np.empty(n_pairs, np.int64)
    values = np.zeros(n_pairs)
    fours = d - d % 4
    n_filled = starts.copy()
    for q in range(m):
        for i in range(sizes[q]):
            b = positions[q, i] // width
            query_of[n_filled[b]] = q
            row_of[n_filled[b]] = positions[q, i] - b * width
            n_filled[b] += 1
    for b in range(n_blocks):
        for j in range(0, fours, 4):  # a part of the block that stays in the L1 cache
            for i in range(starts[b], starts[b + 1]):
                q, r = query_of[i], row_of[i]
                t0 = cells[b, j, r] - queries[q, j]
                t1 = cells[b, j + 1, r] - queries[q, j + 1]
                t2 = cells[b, j + 2, r] - queries[q, j + 2]
                t3 = cells[b, j + 3, r] - queries[q, j + 3]
                value = (((values[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
                values[i] = value
        for i in range(starts[b], starts[b + 1]):
            for j in range(fours, d):
                t = cells[b, j, row_of[i]] - queries[query_of[i], j]
                values[i] += t * t
        for i in range(starts[b], starts[b + 1]):
            q = query_of[i]
            heap_push(
                reduced,
                rows,
                counts,
                totals,
                q,
                snap_right_angle(values[i]) if unit else values[i],
                indices[b, row_of[i]],
                weight,
                exclude[q],
                k,
                reduced[q, 0] if totals[q] >= k else np.inf,
            )
    for q in range(m):
        sort_heap(reduced, rows, counts, q)


class ProductSearch:
    """Finds the nearest rows of blocks by products of rounded, centered rows.

    Parameters
    ----------
    blocks : Blocks
    rows : ndarray of shape (n, d)
        The rows of the blocks.
    unit_length : bool
        Whether all rows have length one (`UNIT`).

    Attributes
    ----------
    center : ndarray of shape (d,)
    unit : float
        A power of two that brings the centered rows near 1.
    precision : {"float32", "float64"} or None
        Of the products; None if too many rows would have to be measured.
    """

    def __init__(self, blocks, rows, unit_length):
        self.blocks = blocks
        self.unit_length = unit_length
        sample = rows[:: -(-len(rows) // _SAMPLE)]
        with np.errstate(over="ignore", invalid="ignore"):
            center = sample.mean(axis=0)
            self.center = np.where(np.isfinite(center), center, 0.0)
            size = np.quantile(abs(sample - self.center).max(axis=1), 0.5)
        size = min(max(size, _SAFE[0]), _SAFE[1])
        self.unit = math.ldexp(1.0, -math.frexp(size)[1])
        self.precision = self._choose_precision(sample)

    def nearest(self, queries, weighted_k, exclude):
        """Return the lists of queries, and which queries have too many candidates.

        Parameters
        ----------
        queries : ndarray of shape (m, d)
        weighted_k : WeightedK
        exclude : int array of shape (m,)

        Returns
        -------
        lists : NeighborLists
        is_open : bool array of shape (m,)
            The lists of these queries have no meaning: measure all rows.
        """
        m, d = queries.shape
        lists = empty_lists(m, weighted_k.width)
        is_open = np.ones(m, dtype=bool)
        limit = min(4 * weighted_k.width + _MIN_LIMIT, self.blocks.indices.size)
        step = min(QUERIES_PER_PRODUCT, max(_NUMBERS_PER_TILE // max(limit, d), 64))
        for first in range(0, m, step):
            tile = slice(first, first + step)
            is_open[tile] = self._answer(
                queries[tile], weighted_k, exclude[tile], lists.heaps(tile), limit
            )
            if is_open[tile].all():  # this is so for the other queries too, probably
                break
        return lists, is_open

    def _answer(self, queries, weighted_k, exclude, heaps, limit):
        """Fill the heaps of a few queries; return which have too many candidates."""
        m, d = queries.shape
        blocks = cells, indices = self.blocks.arrays()
        center, width = frozen(self.center, np.float64), cells.shape[2]
        rounded = np.empty((d, width), dtype=self.precision)
        squares = np.empty(width, dtype=self.precision)
        products = np.empty((m, width), dtype=self.precision)
        factors, gaps, sizes = self._rounded_queries(queries)
        candidates = (
            np.empty((m, limit), dtype=np.int64),
            np.empty((m, limit), dtype=self.precision),
            sizes,
        )
        search = frozen(exclude, np.int64), weighted_k.weight, weighted_k.k
        shrink = 1 - error_bound(d, self.precision)
        for b in range(len(cells)):
            round_block(cells, b, center, self.unit, shrink, rounded, squares)
            np.matmul(factors, rounded, out=products)
            n_open = collect_candidates(
                products, squares, indices, b, gaps, *search, heaps, candidates
            )
            if 2 * n_open <= m:
                return np.ones(m, dtype=bool)
        is_open = sizes < 0
        measure_candidates(
            blocks, queries, *search, self.unit_length, heaps, candidates
        )
        return is_open

    def _rounded_queries(self, queries):
        """Return -2 q rounded, the parts of the gaps, and sizes of no candidates."""
        d = queries.shape[1]
        centered, in_range = self._centered(queries)
        error = error_bound(d, self.precision)
        gaps = 2 * error * np.einsum("ij,ij->i", centered, centered)
        gaps = np.append(gaps + 4 * _UNDERFLOW * d, 2 * error / (1 - error))
        centered *= -2
        return centered.astype(self.precision), gaps, np.where(in_range, 0, -1)

    def _centered(self, rows):
        """Return centered rows times `unit`, clipped, and which rows are not clipped."""
        with np.errstate(over="ignore"):
            centered = (rows - self.center) * self.unit
        in_range = (abs(centered) < _MAX_CELL).all(axis=1)
        return np.clip(centered, -_MAX_CELL, _MAX_CELL, out=centered), in_range

    def _choose_precision(self, sample):
        """Return the precision by which few rows of a sample stay candidates."""
        rows = self._centered(sample)[0]
        squares = np.einsum("ij,ij->i", rows, rows)
        queries = slice(None, None, -(-len(rows) // _SAMPLE_QUERIES))
        sizes = squares + squares[queries, None]
        distances = np.maximum(sizes - 2 * rows[queries] @ rows.T, 0.0)
        for precision, most in _PRECISIONS:
            gaps = 2 * error_bound(rows.shape[1], precision) * sizes
            nearest = np.partition(distances + gaps, 1, axis=1)[:, 1]  # not the row
            if (distances <= nearest[:, None]).mean() <= most:
                return precision
        return None
