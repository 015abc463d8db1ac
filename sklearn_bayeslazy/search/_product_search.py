"""The nearest dense rows by matrix products in single precision, measured exactly.

With rows x and queries q less a common center, |q - x|² = |q|² + |x|² - 2 q·x. A matrix
product of rounded rows gives -2 q·x of many pairs several times faster than sums over
the columns in their order. It gives a lower and an upper bound of each |q - x|²:

1. A row is a candidate while its lower bound is at most the k-th smallest of the upper
   bounds so far. Only then can it be among the k nearest.
2. The candidates left in the end, about k, are measured term by term, as all searches
   measure. So neither the rounding nor the threads of the product change a result.

The bounds are |q - x|² ± s (|q|² + |x|²). A sum of d products, in any order, is off by
d u / (1 - d u) times the sum of their absolute values at most (Higham 2002, section
3.1), where u = 2**-24 in single precision; and 2 |q_j x_j| <= q_j² + x_j². Rounding the
cells, the squares and the last sum adds 5 u. The centers, squares and exact distances
in double precision add less than 4 (d + 64) 2**-53. `error_bound` is the sum of these.
Numbers that underflow add a small constant.

References
----------
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. SIAM.
"""

import math

import numpy as np
from sklearn import get_config

from .._core._kernel import frozen, inlined, kernel
from .._core._parallel import one_blas_thread, slices_of
from ._dense_kernels import snap_right_angle
from ._neighbor_lists import empty_lists, heap_push, sort_heap

# Queries per matrix product: their products with a block fit the L2 cache.
QUERIES_PER_PRODUCT = 512
# Rows that the center, the unit and the precision are learnt from, and how many of them
# are queries to learn the precision. Any values give right answers.
_SAMPLE, _SAMPLE_QUERIES = 1000, 32
# Precisions of products, and the part of the rows that may stay candidates: with more,
# products in double precision, or to measure all rows, are faster. It may be few rows.
_PRECISIONS, _FEW_ROWS = (("float32", 0.025), ("float64", 0.08)), 25
# The error of products is a small part of the distance unless there are millions of
# columns.
_MAX_ERROR = 0.1
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
_MIN_LIMIT = 3072
# Candidates of the queries of one product, or cells of these queries, at most; bytes of
# a candidate; queries per product if memory is short.
_NUMBERS_PER_TILE, _BYTES_PER_NUMBER, _MIN_QUERIES = 2**21, 16, 32


def error_bound(d, precision):
    """Return the relative error s of distances by products in a precision."""
    double = 4 * (d + 64) * 2.0**-53
    slack = (d + 16) * np.finfo(precision).eps / 2 + double
    return slack / (1 - slack) if slack < 1 else np.inf


class BlockProducts:
    """Finds the nearest rows of blocks by products of rounded, centered rows."""

    # center: (d,); unit: a power of two that brings the centered rows near 1.
    # precision: "float32" or "float64", of the products; None if too many rows would
    # have to be measured.

    def __init__(self, blocks, rows, unit_length):
        # rows: (n, d), those of the blocks; unit_length: whether all have length one.
        self.blocks = blocks
        self.unit_length = unit_length
        sample = rows[:: -(-len(rows) // _SAMPLE)]
        with np.errstate(over="ignore", invalid="ignore"):
            center = np.median(sample[::4], axis=0)  # unlike means, not near outliers
            self.center = np.where(np.isfinite(center), center, 0.0)
            centered = sample - self.center
        size = np.quantile(_largest(centered), 0.5)
        size = min(max(size, _SAFE[0]), _SAFE[1])
        self.unit = math.ldexp(1.0, -math.frexp(size)[1])
        with one_blas_thread():
            self.precision = _choose_precision(self._scaled(centered)[0])

    def nearest_or_open(self, queries, weighted_k, exclude):
        """Return the lists of queries, and which queries have too many candidates."""
        # queries: (m, d); exclude: (m,). The second result is a bool array (m,): the
        # lists of these queries have no meaning, and all rows must be measured.
        m, d = queries.shape
        lists = empty_lists(m, weighted_k.width)
        is_open = np.ones(m, dtype=bool)
        limit = min(4 * weighted_k.width + _MIN_LIMIT, self.blocks.indices.size)
        budget = int(get_config()["working_memory"] * 2**20 // _BYTES_PER_NUMBER)
        most = min(budget, _NUMBERS_PER_TILE) // max(limit, d)
        step = min(max(most, _MIN_QUERIES), QUERIES_PER_PRODUCT)
        for tile in slices_of(range(m), step):
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
        squares, lower = np.empty(width), np.empty(width, dtype=self.precision)
        products = np.empty((m, width), dtype=self.precision)
        factors, gaps, sizes = self._rounded_queries(queries)
        candidates = (
            np.empty((m, limit), dtype=np.int64),
            np.empty((m, limit), dtype=self.precision),
            sizes,
        )
        exclude, enough = frozen(exclude, np.int64), (weighted_k.weight, weighted_k.k)
        shrink = 1 - error_bound(d, self.precision)
        for b in range(len(cells)):
            round_block(cells, b, center, self.unit, rounded, squares)
            lower[:] = squares * shrink
            np.matmul(factors, rounded, out=products)
            n_open = collect_candidates(
                products, lower, indices, b, gaps, exclude, *enough, heaps, candidates
            )
            if 2 * n_open <= m:
                return np.ones(m, dtype=bool)
        is_open = sizes < 0
        n_pairs = sizes[~is_open].sum()
        pairs, values = np.empty((2, n_pairs), dtype=np.int64), np.zeros(n_pairs)
        starts = np.zeros(indices.size + 2, dtype=np.int64)
        memory = candidates, starts, pairs, values
        measure_block_candidates(
            blocks, queries, *enough, self.unit_length, heaps, *memory
        )
        return is_open

    def _rounded_queries(self, queries):
        """Return -2 q rounded, the parts of the gaps, and sizes of no candidates."""
        d = queries.shape[1]
        with np.errstate(over="ignore"):
            centered, in_range = self._scaled(queries - self.center)
        error = error_bound(d, self.precision)
        gaps = 2 * error * np.einsum("ij,ij->i", centered, centered)
        gaps = np.append(gaps + 4 * _UNDERFLOW * d, 2 * error / (1 - error))
        centered *= -2
        return centered.astype(self.precision), gaps, np.where(in_range, 0, -1)

    def _scaled(self, centered):
        """Multiply centered rows by `unit`, clip them; return which rows fit, too."""
        with np.errstate(over="ignore"):
            centered *= self.unit
        in_range = _largest(centered) < _MAX_CELL
        return np.clip(centered, -_MAX_CELL, _MAX_CELL, out=centered), in_range


@kernel(reorder_sums=False)
def round_block(cells, b, center, unit, rounded, squares):
    """Write (x - center) unit of block b, rounded, and the squared lengths."""
    # cells: (n_blocks, d, width), one row a column; center: (d,); rounded: (d, width);
    # squares: (width,). Cells that hold no row are infinite, and get clipped.
    for r in range(len(squares)):
        squares[r] = 0.0
    for j in range(len(rounded)):
        for r in range(len(squares)):
            t = (cells[b, j, r] - center[j]) * unit
            t = min(max(t, -_MAX_CELL), _MAX_CELL)
            rounded[j, r] = t
            squares[r] += t * t


@inlined
def _drop_far(positions, bounds, size, worst):
    """Keep the candidates up to a bound; return how many these are."""
    n_kept = 0
    for i in range(size):
        if bounds[i] <= worst:
            positions[n_kept] = positions[i]
            bounds[n_kept] = bounds[i]
            n_kept += 1
    return n_kept


@kernel(reorder_sums=False)
def collect_candidates(
    products, squares, indices, b, gaps, exclude, weight, k, heaps, candidates
):
    """Add the rows of block b that may be among the nearest to the candidates."""
    # products: (m, width), -2 q·x; squares: (width,), (1 - s) |x|². Their sum is a
    # lower bound less a constant of the query.
    # indices: (n_blocks, width), -1 for no row.
    # gaps: (m + 1,). Upper less lower bound is gaps[q] + gaps[m] squares[r].
    # heaps: the smallest upper bounds. exclude, weight, k: as in `nearest_in_blocks`.
    # candidates: positions in the blocks and lower bounds (m, limit), and their number
    # (m,), -1 if there are too many. Returns how many queries do not have too many.
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
            row = indices[b, r]
            if bound > worst or row < 0 or row == exclude[q]:
                continue
            if size == limit:
                size = _drop_far(positions[q], bounds[q], size, worst)
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
                row,
                weight,
                k,
                worst,
            )
        sizes[q] = size
        n_open += size >= 0
    return n_open


@kernel(reorder_sums=False)
def measure_block_candidates(
    blocks, queries, weight, k, unit, heaps, candidates, starts, pairs, values
):
    """Replace the upper bounds in heaps by the nearest of the candidates, sorted."""
    # The candidates of all queries are measured block by block, so that each part of a
    # block is read from memory once, in order. unit: whether all rows have length one.
    # starts (n_blocks width + 2,) and values (n_pairs,) are zeros; pairs (2, n_pairs)
    # is empty, for at least as many pairs as candidates.
    cells, indices = blocks
    reduced, rows, counts, totals = heaps
    positions, bounds, sizes = candidates
    d, width = cells.shape[1], cells.shape[2]
    for q in range(len(sizes)):
        worst = reduced[q, 0] if totals[q] >= k else np.inf
        sizes[q] = _drop_far(positions[q], bounds[q], sizes[q], worst)
        counts[q], totals[q] = 0, 0.0
        for i in range(sizes[q]):
            starts[positions[q, i] + 2] += 1
    for position in range(indices.size):
        starts[position + 2] += starts[position + 1]
    for q in range(len(sizes)):
        for i in range(sizes[q]):
            position = positions[q, i]
            pair = starts[position + 1]
            pairs[0, pair], pairs[1, pair] = q, position % width
            starts[position + 1] += 1  # which then is where the pairs of a row stop
    fours = d - d % 4
    for b in range(len(cells)):
        of_block = range(starts[b * width], starts[(b + 1) * width])
        for j in range(0, fours, 4):  # a part of the block that stays in the L1 cache
            for i in of_block:
                q, r = pairs[0, i], pairs[1, i]
                t0 = cells[b, j, r] - queries[q, j]
                t1 = cells[b, j + 1, r] - queries[q, j + 1]
                t2 = cells[b, j + 2, r] - queries[q, j + 2]
                t3 = cells[b, j + 3, r] - queries[q, j + 3]
                value = (((values[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
                values[i] = value
        for i in of_block:
            q, r, value = pairs[0, i], pairs[1, i], values[i]
            for j in range(fours, d):
                t = cells[b, j, r] - queries[q, j]
                value += t * t
            heap_push(
                reduced,
                rows,
                counts,
                totals,
                q,
                snap_right_angle(value) if unit else value,
                indices[b, r],
                weight,
                k,
                reduced[q, 0] if totals[q] >= k else np.inf,
            )
    for q in range(len(sizes)):
        sort_heap(reduced, rows, counts, q)


def _largest(rows):
    """Return the largest absolute value of each row, without a copy of the rows."""
    return np.maximum(rows.max(axis=1), -rows.min(axis=1))


def _choose_precision(rows):
    """Return the precision by which few rows of a scaled sample stay candidates."""
    squares = np.einsum("ij,ij->i", rows, rows)
    queries = slice(None, None, -(-len(rows) // _SAMPLE_QUERIES))
    sizes = squares + squares[queries, None]
    distances = np.maximum(sizes - 2 * rows[queries] @ rows.T, 0.0)
    second = min(1, len(rows) - 1)  # the nearest is the row itself
    for precision, most in _PRECISIONS:
        error = error_bound(rows.shape[1], precision)
        nearest = np.partition(distances + 2 * error * sizes, second)[:, second]
        n_near = (distances <= nearest[:, None]).sum(axis=1).mean()
        if error < _MAX_ERROR and n_near <= max(most * len(rows), _FEW_ROWS):
            return precision
    return None
