"""Numba kernels that search cases: distances are sums of look-ups and of differences.

The symbols of several attributes are one joint code, so that one look-up adds up the
distances along all of them. Distances are measured for a block of cases at a time,
which stays in the cache, less the cases that `_bound_kernels` shows to be too far.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import kernel
from ...search import heap_push, remaining_weight, sort_heap
from ._bound_kernels import QueryBounds, list_possible, steps_within

_BLOCK = 2048  # a multiple of the LANES of `_bound_kernels`
# A block is measured whole if more than one in this number of its cases may be near.
_MEASURE_ONE_IN = 4
# Bounds are not tried for this many blocks after one that is measured whole.
_BLOCKS_WITHOUT_BOUNDS = 7
# Queries that read a block of cases in turn while it is in the cache.
_QUERIES = 16


class CaseArrays(NamedTuple):
    """The stored cases, attribute by attribute."""

    symbols: np.ndarray  # uint8 (n_symbolic, n): last bits of the symbolic codes
    # uint32 (n_groups, n): the joint code of each group of symbolic attributes.
    # Unsigned, so that a look-up needs no test for a negative index.
    codes: np.ndarray
    numbers: np.ndarray  # (n_numbers, n): scaled, NaN for missing
    weights: np.ndarray  # (n_numbers,): of the numeric attributes
    missing: np.ndarray  # (n_numbers,): distance where missing, times the weight
    factor: float  # every sum is multiplied by it
    squared: bool  # whether differences are squared; in look-ups they already are


class CaseQueryArrays(NamedTuple):
    """Queries as kernels read them."""

    lookup: np.ndarray  # (m, n_codes): distance to each joint code of all groups
    start: np.ndarray  # int (n_groups + 1,): where the codes of each group begin
    numbers: np.ndarray  # (m, n_numbers)
    exclude: np.ndarray  # int (m,): the stored case that a query is; -1 for none
    bounds: QueryBounds


class _BlockScratch(NamedTuple):
    """The measured cases of a block, and scratch memory to measure some of them."""

    # The width is that of a block. rows, reduced: (width,), the measured cases and
    # their reduced distances; codes, numbers: of these, (n_groups or n_numbers, width).
    rows: np.ndarray
    reduced: np.ndarray
    steps: np.ndarray  # uint16 (width,)
    codes: np.ndarray
    numbers: np.ndarray
    n_blocks_whole: np.ndarray  # int (m,): next blocks to be measured whole


@kernel(only_in_kernels=True)
def measure_block(cases, queries, q, first, out):
    """Write the reduced distances of consecutive cases from a query."""
    # out: (width,), for the cases first … first + width - 1. Four groups are looked up
    # at a time: fewer reads and writes of the sums.
    _, codes, numbers, weights, missing, factor, squared = cases
    lookup, start, query_numbers, _, _ = queries
    width, n_groups = out.shape[0], codes.shape[0]
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
    for j in range(numbers.shape[0]):
        x, w, unknown = query_numbers[q, j], weights[j], missing[j]
        for r in range(width):
            gap = abs(numbers[j, first + r] - x)
            gap = gap * gap if squared else gap
            out[r] += unknown if gap != gap else (gap * w if gap < 1.0 else w)
    for r in range(width):
        out[r] *= factor


@kernel(only_in_kernels=True)
def _make_scratch(cases, queries):
    return _BlockScratch(
        np.empty(_BLOCK, np.int64),
        np.empty(_BLOCK),
        np.empty(_BLOCK, np.uint16),
        np.empty((len(cases.codes), _BLOCK), np.uint32),
        np.empty((len(cases.numbers), _BLOCK)),
        np.zeros(len(queries.exclude), np.int64),
    )


@kernel(only_in_kernels=True)
def _measure_near(cases, queries, q, first, width, farthest, scratch):
    """Measure the cases of a block that may be as near as farthest; return how many."""
    # farthest: a reduced distance. The cases are scratch.rows[:count], their distances
    # scratch.reduced[:count]; farther cases may be among them.
    rows, reduced, steps, codes, numbers, n_blocks_whole = scratch
    limit = steps_within(queries.bounds, q, farthest / cases.factor)
    count = width
    if n_blocks_whole[q] > 0:
        n_blocks_whole[q] -= 1
    elif limit >= 0:
        count = list_possible(
            cases.symbols, queries.bounds, q, first, first + width, limit, steps, rows
        )
        if _MEASURE_ONE_IN * count > width:
            count, n_blocks_whole[q] = width, _BLOCKS_WITHOUT_BOUNDS
    if count == width:
        for r in range(width):
            rows[r] = first + r
        measure_block(cases, queries, q, first, reduced[:width])
        return width
    for g in range(len(codes)):
        for c in range(count):
            codes[g, c] = cases.codes[g, rows[c]]
    for j in range(len(numbers)):
        for c in range(count):
            numbers[j, c] = cases.numbers[j, rows[c]]
    _, _, _, weights, missing, factor, squared = cases
    some = CaseArrays(cases.symbols, codes, numbers, weights, missing, factor, squared)
    measure_block(some, queries, q, 0, reduced[:count])
    return count


@kernel
def nearest_cases(cases, queries, weight, k, heaps):
    """Fill heaps with each query's nearest cases, sorted."""
    reduced, indices, counts, totals = heaps
    n = max(cases.codes.shape[1], cases.numbers.shape[1])
    exclude, scratch = queries.exclude, _make_scratch(cases, queries)
    worst = np.full(len(exclude), np.inf)
    for top in range(0, len(exclude), _QUERIES):
        last = min(top + _QUERIES, len(exclude))
        for first in range(0, n, _BLOCK):
            width = min(_BLOCK, n - first)
            for q in range(top, last):
                count = _measure_near(
                    cases, queries, q, first, width, worst[q], scratch
                )
                for c in range(count):
                    if scratch.reduced[c] <= worst[q]:
                        worst[q] = heap_push(
                            reduced,
                            indices,
                            counts,
                            totals,
                            q,
                            scratch.reduced[c],
                            scratch.rows[c],
                            weight,
                            exclude[q],
                            k,
                            worst[q],
                        )
    for q in range(len(exclude)):
        sort_heap(reduced, indices, counts, q)


@kernel
def sum_tied_cases(cases, queries, distances, weight, row_targets, totals, sums):
    """Add up the weights and targets of the cases at one distance from each query."""
    codes, numbers = row_targets
    n = max(cases.codes.shape[1], cases.numbers.shape[1])
    exclude, scratch = queries.exclude, _make_scratch(cases, queries)
    for q in range(len(exclude)):
        for first in range(0, n, _BLOCK):
            width = min(_BLOCK, n - first)
            count = _measure_near(
                cases, queries, q, first, width, distances[q], scratch
            )
            for c in range(count):
                if scratch.reduced[c] == distances[q]:
                    row = scratch.rows[c]
                    row_weight = remaining_weight(weight, row, exclude[q])
                    totals[q] += row_weight
                    if len(codes):
                        sums[q, codes[row]] += row_weight
                    else:
                        for v in range(sums.shape[1]):
                            sums[q, v] += row_weight * numbers[row, v]
