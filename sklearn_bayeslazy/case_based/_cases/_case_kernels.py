"""Numba kernels that search cases: distances are sums of look-ups and of differences.

The symbols of several attributes are one joint code, so that one look-up adds up the
distances along all of them. Distances are measured for a block of cases at a time,
which stays in the cache.
"""

from typing import NamedTuple

import numpy as np

from ..._kernel import kernel
from ...neighbors._search import heap_push, remaining_weight, sort_heap

_BLOCK = 1024
# Queries that read a block of cases in turn while it is in the cache.
_QUERIES = 16


class CaseArrays(NamedTuple):
    """The stored cases, attribute by attribute.

    Attributes
    ----------
    codes : uint32 array of shape (n_groups, n)
        The joint code of each group of symbolic attributes. Unsigned, so that a look-up
        needs no test for a negative index.
    numbers : ndarray of shape (n_numbers, n)
        Scaled numbers, NaN for missing.
    weights : ndarray of shape (n_numbers,)
        The weight of each numeric attribute.
    missing : ndarray of shape (n_numbers,)
        The distance where a number is missing, times the weight.
    factor : float
        Every sum is multiplied by it.
    squared : bool
        Whether differences of numbers are squared; those in look-ups are already.
    """

    codes: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    missing: np.ndarray
    factor: float
    squared: bool


class CaseQueryArrays(NamedTuple):
    """Queries as kernels read them.

    Attributes
    ----------
    lookup : ndarray of shape (m, n_codes)
        The distance of the query to each joint code of all groups.
    start : int array of shape (n_groups,)
        Where the codes of each group begin.
    numbers : ndarray of shape (m, n_numbers)
    exclude : int array of shape (m,)
        The stored case that a query is; -1 for none.
    """

    lookup: np.ndarray
    start: np.ndarray
    numbers: np.ndarray
    exclude: np.ndarray


@kernel(only_in_kernels=True)
def measure_block(cases, queries, q, first, out):
    """Write the reduced distances of some cases from a query.

    Four groups are looked up at a time: fewer reads and writes of the sums.
    """
    codes, numbers, weights, missing, factor, squared = cases
    lookup, start, query_numbers, _ = queries
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


@kernel
def nearest_cases(cases, queries, weight, k, heaps):
    """Fill heaps with each query's nearest cases, sorted."""
    reduced, indices, counts, totals = heaps
    n = max(cases.codes.shape[1], cases.numbers.shape[1])
    exclude = queries.exclude
    out, worst = np.empty(min(_BLOCK, n)), np.full(len(exclude), np.inf)
    for top in range(0, len(exclude), _QUERIES):
        last = min(top + _QUERIES, len(exclude))
        for first in range(0, n, _BLOCK):
            width = min(_BLOCK, n - first)
            for q in range(top, last):
                measure_block(cases, queries, q, first, out[:width])
                for r in range(width):
                    if out[r] <= worst[q]:
                        worst[q] = heap_push(
                            reduced,
                            indices,
                            counts,
                            totals,
                            q,
                            out[r],
                            first + r,
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
    exclude = queries.exclude
    out = np.empty(min(_BLOCK, n))
    for q in range(len(exclude)):
        for first in range(0, n, _BLOCK):
            width = min(_BLOCK, n - first)
            measure_block(cases, queries, q, first, out[:width])
            for r in range(width):
                if out[r] == distances[q]:
                    row = first + r
                    row_weight = remaining_weight(weight, row, exclude[q])
                    totals[q] += row_weight
                    if len(codes):
                        sums[q, codes[row]] += row_weight
                    else:
                        for v in range(sums.shape[1]):
                            sums[q, v] += row_weight * numbers[row, v]
