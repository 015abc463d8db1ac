"""Numba kernels that add up look-ups of symbols and differences of numbers.

The symbols of several columns are one joint code, so that one look-up adds up the
distances along all of them. Distances are measured for a block of rows at a time, which
stays in the cache, less the rows that `list_possible` shows to be too far.
"""

from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, kernel
from ._neighbor_lists import heap_push, sort_heap
from ._ties import add_tied_row


class QueryBounds(NamedTuple):
    """Lower bounds of the distances of queries to the training rows."""

    nearest: np.ndarray  # uint8 (m, n_symbolic): the symbol of the nearest value
    steps: np.ndarray  # uint16 (m, n_symbolic): the step of all other values
    base: np.ndarray  # (m,): the sum of the distances of the nearest values
    steps_per_unit: np.ndarray  # (m,): of a distance of 1; 0 if values are equally far

    @classmethod
    def of(cls, distances, m):
        """Return the bounds for the distances to all values of each column.

        >>> first, second = np.array([[0.0, 2.0, 3.0]]), np.array([[1.0, 1.5]])
        >>> bounds = QueryBounds.of([first, second], m=1)
        >>> bounds.nearest, bounds.steps
        (array([[0, 0]], dtype=uint8), array([[52000, 13000]], dtype=uint16))
        >>> bounds.base, bounds.steps_per_unit
        (array([1.]), array([26000.]))
        """
        # distances: (m, n_values) for each column. In the example a query is at the
        # distances 0, 2 and 3 from the values of one column, and at 1 and 1.5 from
        # those of another. A step is the gap from the nearest value to the second
        # nearest, rounded down: base + (sum of steps) / steps_per_unit is at most the
        # distance.
        nearest = np.zeros((m, len(distances)), dtype=np.int64)
        least, gaps = np.zeros(nearest.shape), np.zeros(nearest.shape)
        for j, apart in enumerate(distances):
            nearest[:, j] = apart.argmin(axis=1)
            least[:, j] = apart.min(axis=1)
            if apart.shape[1] > 1:
                gaps[:, j] = np.partition(apart, 1, axis=1)[:, 1] - least[:, j]
        total = gaps.sum(axis=1)
        unit = np.divide(_MAX_STEPS, total, out=np.zeros(m), where=total > 0)
        steps = np.floor(gaps * unit[:, None])
        return cls(
            as_symbols(nearest),
            frozen(steps, np.uint16),
            frozen(least.sum(axis=1), np.float64),
            frozen(unit, np.float64),
        )


_BLOCK = 2048  # a multiple of LANES
# A block is measured whole if more than one in this number of its rows may be near.
_MEASURE_ONE_IN = 4
# Bounds are not tried for this many blocks after one that is measured whole.
_BLOCKS_WITHOUT_BOUNDS = 7
# Queries that read a block of rows in turn while it is in the cache.
_QUERIES = 16


class LookupRowArrays(NamedTuple):
    """The training rows, column by column."""

    symbols: np.ndarray  # uint8 (n_symbolic, n): last bits of the codes of symbols
    # uint32 (n_groups, n): the joint code of each group of columns of symbols.
    # Unsigned, so that a look-up needs no test for a negative index.
    codes: np.ndarray
    numbers: np.ndarray  # (n_numbers, n), NaN for missing
    inverse_scales: np.ndarray  # (n_numbers,): factors of the gaps of numbers
    weights: np.ndarray  # (n_numbers,): of the columns of numbers
    missing: np.ndarray  # (n_numbers,): distance where missing, times the weight
    factor: float  # every sum is multiplied by it, unless over_present
    limit: float  # the largest gap of scaled numbers
    squared: bool  # whether differences are squared; in look-ups they already are
    # Whether sums are divided by the weights of the columns that both rows have.
    over_present: bool


class LookupQueryArrays(NamedTuple):
    """Queries as kernels read them."""

    lookup: np.ndarray  # (m, n_codes): distance to each joint code of all groups
    # (m, n_codes): weight of the columns present in both, or (m, 0): not over_present
    present: np.ndarray
    start: np.ndarray  # int (n_groups + 1,): where the codes of each group begin
    numbers: np.ndarray  # (m, n_numbers)
    exclude: np.ndarray  # int (m,): the training row that a query is; -1 for none
    bounds: QueryBounds


class BlockScratch(NamedTuple):
    """The measured rows of a block, and scratch memory to measure some of them."""

    # The width is that of a block. rows, reduced: (width,), the measured rows and their
    # reduced distances; codes, numbers: of these, (n_groups or n_numbers, width).
    rows: np.ndarray
    reduced: np.ndarray
    total: np.ndarray  # (width,)
    steps: np.ndarray  # uint16 (width,)
    codes: np.ndarray
    numbers: np.ndarray
    n_blocks_whole: np.ndarray  # int (m,): next blocks to be measured whole
    # The training rows, but codes and numbers are those above. They can only be read
    # here, as those of all rows, so that kernels are compiled once for both.
    some: LookupRowArrays

    @classmethod
    def of(cls, rows, m):
        """Return scratch memory to measure `LookupRowArrays` for m queries."""
        codes = np.empty((len(rows.codes), _BLOCK), dtype=np.uint32)
        numbers = np.empty((len(rows.numbers), _BLOCK))
        return cls(
            np.empty(_BLOCK, dtype=np.int64),
            np.empty(_BLOCK),
            np.empty(_BLOCK),
            np.empty(_BLOCK, dtype=np.uint16),
            codes,
            numbers,
            np.zeros(m, dtype=np.int64),
            rows._replace(
                codes=frozen(codes, np.uint32), numbers=frozen(numbers, np.float64)
            ),
        )


@kernel(only_in_kernels=True)
def _look_up(lookup, start, q, codes, first, out):
    """Write sums of look-ups of consecutive rows: four groups at a time."""
    # lookup: (m, n_codes), or (m, 0) for sums of 0; out: (width,).
    width, n_groups = out.shape[0], codes.shape[0] if lookup.shape[1] else 0
    last = first + width
    for r in range(width):
        out[r] = 0.0
    g = 0
    while g + 3 < n_groups:
        a, b = lookup[q, start[g] :], lookup[q, start[g + 1] :]
        c, d = lookup[q, start[g + 2] :], lookup[q, start[g + 3] :]
        i_a, i_b = codes[g, first:last], codes[g + 1, first:last]
        i_c, i_d = codes[g + 2, first:last], codes[g + 3, first:last]
        for r in range(width):
            out[r] += (a[i_a[r]] + b[i_b[r]]) + (c[i_c[r]] + d[i_d[r]])
        g += 4
    while g < n_groups:
        a, i_a = lookup[q, start[g] :], codes[g, first:last]
        for r in range(width):
            out[r] += a[i_a[r]]
        g += 1


@kernel(only_in_kernels=True)
def measure_block(rows, queries, q, first, total, out):
    """Write the reduced distances of consecutive rows from a query."""
    # out: (width,), for the rows first … first + width - 1; total: (width,), scratch.
    numbers, squared = rows.numbers, rows.squared
    width, limit = out.shape[0], rows.limit
    _look_up(queries.lookup, queries.start, q, rows.codes, first, out)
    if rows.over_present:
        _look_up(queries.present, queries.start, q, rows.codes, first, total)
    for j in range(numbers.shape[0]):
        x, scale = queries.numbers[q, j], rows.inverse_scales[j]
        w, unknown = rows.weights[j], rows.missing[j]
        for r in range(width):
            gap = abs(numbers[j, first + r] - x) * scale
            gap = limit if gap > limit else gap
            gap = gap * gap if squared else gap
            out[r] += unknown if gap != gap else gap * w
        if rows.over_present and x == x:
            for r in range(width):
                total[r] += w if numbers[j, first + r] == numbers[j, first + r] else 0.0
    if rows.over_present:
        for r in range(width):
            out[r] = out[r] / total[r] if total[r] > 0.0 else np.inf
    else:
        for r in range(width):
            out[r] *= rows.factor


@kernel(only_in_kernels=True)
def _measure_near(stored, queries, q, first, width, farthest, scratch):
    """Measure the rows of a block that may be as near as farthest; return how many."""
    # farthest: a reduced distance. The rows are scratch.rows[:count], their distances
    # scratch.reduced[:count]; farther rows may be among them. A sum over the columns
    # that are present is at most its mean times the weight of all.
    rows, reduced, total, steps, codes, numbers, n_blocks_whole, some = scratch
    limit = steps_within(queries.bounds, q, farthest / stored.factor)
    count = width
    if n_blocks_whole[q] > 0:
        n_blocks_whole[q] -= 1
    elif limit >= 0:
        count = list_possible(
            stored.symbols, queries.bounds, q, first, first + width, limit, steps, rows
        )
        if _MEASURE_ONE_IN * count > width:
            count, n_blocks_whole[q] = width, _BLOCKS_WITHOUT_BOUNDS
    if count == width:
        for r in range(width):
            rows[r] = first + r
        measure_block(stored, queries, q, first, total[:width], reduced[:width])
        return width
    for g in range(len(codes)):
        for c in range(count):
            codes[g, c] = stored.codes[g, rows[c]]
    for j in range(len(numbers)):
        for c in range(count):
            numbers[j, c] = stored.numbers[j, rows[c]]
    start = np.int64(0)  # 0 would be compiled as a literal
    measure_block(some, queries, q, start, total[:count], reduced[:count])
    return count


@inlined
def _n_rows(stored):
    n, m = stored.codes.shape[1], stored.numbers.shape[1]
    return n if n > m else m


@kernel
def nearest_by_lookup(stored, queries, weight, k, heaps, worst, scratch):
    """Fill heaps with each query's nearest rows, sorted."""
    # worst: (m,), infinite before.
    reduced, indices, counts, totals = heaps
    n, exclude = _n_rows(stored), queries.exclude
    rows, near = scratch.rows, scratch.reduced
    for top in range(0, len(exclude), _QUERIES):
        last = top + _QUERIES if top + _QUERIES < len(exclude) else len(exclude)
        for first in range(0, n, _BLOCK):
            width = _BLOCK if first + _BLOCK < n else n - first
            for q in range(top, last):
                count = _measure_near(
                    stored, queries, q, first, width, worst[q], scratch
                )
                bound = worst[q]
                for c in range(count):
                    if near[c] <= bound and rows[c] != exclude[q]:
                        bound = heap_push(
                            reduced,
                            indices,
                            counts,
                            totals,
                            q,
                            near[c],
                            rows[c],
                            weight,
                            k,
                            bound,
                        )
                worst[q] = bound
    for q in range(len(exclude)):
        sort_heap(reduced, indices, counts, q)


@kernel
def sum_ties_by_lookup(
    stored, queries, nearest, farthest, weight, row_targets, output, scratch
):
    """Add up the weights and targets of the rows at one distance from each query."""
    codes, numbers = row_targets
    totals, sums = output
    n, exclude = _n_rows(stored), queries.exclude
    for q in range(len(exclude)):
        for first in range(0, n, _BLOCK):
            width = _BLOCK if first + _BLOCK < n else n - first
            count = _measure_near(
                stored, queries, q, first, width, farthest[q], scratch
            )
            for c in range(count):
                if nearest[q] <= scratch.reduced[c] <= farthest[q]:
                    row = scratch.rows[c]
                    add_tied_row(
                        row, exclude[q], weight, codes, numbers, q, totals, sums
                    )


# Lower bounds of distances between rows, to measure only those that may be near.
#
# Along each column of symbols a query has a nearest stored value; all other values are
# farther by a step at least. The sum of the steps of a row bounds its distance from
# below. For equality of symbols it is the distance. Steps are whole numbers of 16 bits:
# their sums take a tenth of the time of looking up distances.


# The largest sum of the steps of a query.
_MAX_STEPS = 65_000
# More than the rounding of distances, relative.
_SLACK = 1 + 1e-9
# Rows that are skipped together if none of them may be near. With a fixed number the
# loops over them take half the time.
LANES = 128
# More steps than any limit.
_TOO_MANY_STEPS = np.uint16(65_535)


def as_symbols(codes):
    """Return the last eight bits of codes. If these differ, so do the codes."""
    return frozen(np.bitwise_and(codes, 255), np.uint8)


@inlined
def steps_within(bounds, q, distance):
    """Return the most steps that a distance allows; -1 if it allows any number."""
    unit = bounds.steps_per_unit[q]
    if unit == 0.0:
        return np.int64(-1)
    allowed = (distance * _SLACK - bounds.base[q]) * unit + 1.0
    return np.int64(max(allowed, 0.0)) if allowed < _MAX_STEPS else np.int64(-1)


@kernel
def list_possible(symbols, bounds, q, first, last, limit, total, rows):
    """List the rows first:last with at most `limit` steps; return their number."""
    # symbols: uint8 (n_symbolic, n). total: uint16 (width,), overwritten; its width is
    # a multiple of LANES. rows: int (width,), gets the rows.
    nearest, steps = bounds.nearest[q], bounds.steps[q]
    n_symbolic, width = len(symbols), last - first
    zero = np.uint16(0)
    for r in range(width):
        total[r] = zero
    fours = n_symbolic - n_symbolic % 4
    for j in range(0, fours, 4):  # total is read and written once for four columns
        a, b, c, d = nearest[j], nearest[j + 1], nearest[j + 2], nearest[j + 3]
        s, t, u, v = steps[j], steps[j + 1], steps[j + 2], steps[j + 3]
        s_a, s_b = symbols[j, first:last], symbols[j + 1, first:last]
        s_c, s_d = symbols[j + 2, first:last], symbols[j + 3, first:last]
        for r in range(width):
            total[r] += (
                (zero if s_a[r] == a else s)
                + (zero if s_b[r] == b else t)
                + (zero if s_c[r] == c else u)
                + (zero if s_d[r] == d else v)
            )
    for j in range(fours, n_symbolic):
        a, s, s_a = nearest[j], steps[j], symbols[j, first:last]
        for r in range(width):
            total[r] += zero if s_a[r] == a else s
    for r in range(width, -(-width // LANES) * LANES):
        total[r] = _TOO_MANY_STEPS
    count, bound = np.uintp(0), np.uint16(limit)
    for begin in range(0, width, LANES):
        some, least = total[begin : begin + LANES], _TOO_MANY_STEPS
        for r in range(LANES):
            least = some[r] if some[r] < least else least
        for r in range(LANES if least <= bound else 0):
            rows[count] = first + begin + r  # no branch: the next row replaces another
            count += np.uintp(some[r] <= bound)
    return np.int64(count)
