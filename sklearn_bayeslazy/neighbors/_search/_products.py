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
# Rows that the center and the unit are learnt from; any values give right answers.
_SAMPLE = 1000
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
# Numbers that the candidates of a tile, or its queries, may take at most.
_NUMBERS_PER_TILE = 2**22


def candidate_limit(width):
    """Return how many candidates of a query are kept, for lists of a width."""
    return 4 * width + 4096


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
        limit = candidate_limit(weighted_k.width)
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
        width = cells.shape[2]
        rounded = np.empty((d, width), dtype=np.float32)
        squares = np.empty(width, dtype=np.float32)
        products = np.empty((m, width), dtype=np.float32)
        slack = (d + 16) * 2.0**-24
        slack /= 1 - slack
        factors, gaps, sizes = self._rounded_queries(queries, slack)
        candidates = (
            np.empty((m, limit), dtype=np.int64),
            np.empty((m, limit), dtype=np.float32),
            sizes,
        )
        search = frozen(exclude, np.int64), weighted_k.weight, weighted_k.k
        center = frozen(self.center, np.float64)
        for b in range(len(cells)):
            round_block(cells, b, center, self.unit, 1 - slack, rounded, squares)
            np.matmul(factors, rounded, out=products)
            n_open = collect_candidates(
                products, squares, indices, b, gaps, *search, heaps, candidates
            )
            if 2 * n_open <= m:
                return np.ones(m, dtype=bool)
        is_open = sizes < 0
        measure_candidates(blocks, queries, *search, self.unit_length, heaps, candidates)
        return is_open

    def _rounded_queries(self, queries, slack):
        """Return -2 q rounded, the parts of the gaps, and sizes of no candidates."""
        centered = queries - self.center
        centered *= self.unit
        largest = abs(centered).max(axis=1)
        np.clip(centered, -_MAX_CELL, _MAX_CELL, out=centered)
        square = np.einsum("ij,ij->i", centered, centered)
        row_gap = 2 * slack / (1 - slack)
        gaps = 2 * slack * square + 4 * _UNDERFLOW * queries.shape[1]
        centered *= -2
        sizes = np.where(largest < _MAX_CELL, 0, -1)
        return centered.astype(np.float32), np.append(gaps, row_gap), sizes
