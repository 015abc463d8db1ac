"""Numba kernels that add up the weighted votes of all rows, dense ones in blocks.

Weights are relative to that of a near row. Over all rows the nearest one is not known
beforehand: when a nearer one comes, the sums so far are multiplied by the ratio of the
weights. (The loop for the usual weight, 1 / d², does so only where a row is so much
nearer that the sums could lose digits.)

A query can be a training row, one copy of which is then excluded.
"""

from typing import NamedTuple

import numpy as np

from ..._kernel import inlined, kernel
from .._search import SQUARED, TILE, block_distances, block_minimum
from ._weight_kernels import POWER, relative_power, weigh_block

# Above this sum of a block's votes, a row is much nearer than the reference row.
_MAX_BLOCK_VOTES = 1e100


class BlockTargets(NamedTuple):
    """What the rows vote for, in blocks as a search has them.

    weight (n_blocks, width) are the rows' weights, 0 where a block has no row. A block
    holds rows of one class, block_class (n_blocks,), to which its votes go; or
    block_class is -1 and the votes are for targets (n_blocks, n_targets, width).
    """

    weight: np.ndarray
    block_class: np.ndarray
    targets: np.ndarray


class Excluded(NamedTuple):
    """Where the training row lies that each query is; -1 for none.

    Block, and position within the block, of shape (m,).
    """

    block: np.ndarray
    position: np.ndarray


class VoteSums(NamedTuple):
    """The votes of all rows for each query.

    sums (m, n_outputs) and totals (m,) are relative to the weight of a row at the
    reduced distance references (m,).
    """

    sums: np.ndarray
    totals: np.ndarray
    references: np.ndarray


@inlined
def _rescale(sums, totals, references, q, least, exponent):
    """Make the sums so far relative to a nearer row."""
    if least == 0.0 or references[q] == np.inf:
        factor = 0.0
    else:
        factor = relative_power(least / references[q], exponent)
    for v in range(sums.shape[1]):
        sums[q, v] *= factor
    totals[q] *= factor
    references[q] = least


@inlined
def _add_block(out, b, block_targets, sums, totals, q):
    """Add the votes of block b, whose weights by distance `out` holds."""
    weight, block_class, targets = block_targets
    total0 = total1 = total2 = total3 = 0.0
    for r in range(0, out.shape[0], 4):
        out[r] *= weight[b, r]
        out[r + 1] *= weight[b, r + 1]
        out[r + 2] *= weight[b, r + 2]
        out[r + 3] *= weight[b, r + 3]
        total0 += out[r]
        total1 += out[r + 1]
        total2 += out[r + 2]
        total3 += out[r + 3]
    total = (total0 + total1) + (total2 + total3)
    totals[q] += total
    if block_class[b] >= 0:
        sums[q, block_class[b]] += total
    else:
        for v in range(sums.shape[1]):
            sum0 = sum1 = sum2 = sum3 = 0.0
            for r in range(0, out.shape[0], 4):
                sum0 += out[r] * targets[b, v, r]
                sum1 += out[r + 1] * targets[b, v, r + 1]
                sum2 += out[r + 2] * targets[b, v, r + 2]
                sum3 += out[r + 3] * targets[b, v, r + 3]
            sums[q, v] += (sum0 + sum1) + (sum2 + sum3)


@inlined
def count_block(out, b, excluded_position, block_targets, rule, vote_sums, q):
    """Add the votes of block b, whose reduced distances to query q `out` holds.

    One copy of the row at excluded_position is left out, -1 for none.
    """
    kind, exponent = rule
    sums, totals, references = vote_sums
    weight = block_targets[0]
    remaining = 1.0
    if excluded_position >= 0:
        whole = weight[b, excluded_position]
        remaining = 1.0 - min(1.0, whole) / whole
        if remaining == 0.0:
            out[excluded_position] = np.inf
    least = block_minimum(out) if kind == POWER else 0.0
    if least < np.inf:
        if kind == POWER and least < references[q]:
            _rescale(sums, totals, references, q, least, exponent)
        weigh_block(out, references[q], kind, exponent)
        if excluded_position >= 0:
            out[excluded_position] *= remaining
        _add_block(out, b, block_targets, sums, totals, q)


@inlined
def _votes_by_last_column(cells, b, queries, q, reference, weight, targets, out):
    """Return the sums of votes and of votes times targets, one column being left.

    `out` holds the squared distances over the columns before it.
    """
    j = cells.shape[1] - 1
    x0 = queries[q, j]
    count, total = 0.0, 0.0
    for r in range(cells.shape[2]):
        t0 = cells[b, j, r] - x0
        vote = reference / (out[r] + t0 * t0) * weight[b, r]
        count += vote
        total += vote * targets[r]
    return count, total


@inlined
def _votes_by_last_four(cells, b, queries, q, reference, weight, targets, out):
    """Return the same, four columns being left."""
    j = cells.shape[1] - 4
    x0, x1 = queries[q, j], queries[q, j + 1]
    x2, x3 = queries[q, j + 2], queries[q, j + 3]
    count, total = 0.0, 0.0
    for r in range(cells.shape[2]):
        t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
        t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
        near = out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3
        vote = reference / near * weight[b, r]
        count += vote
        total += vote * targets[r]
    return count, total


@inlined
def _votes_by_last_eight(cells, b, queries, q, reference, weight, targets, out):
    """Return the same, eight columns being left."""
    j = cells.shape[1] - 8
    x0, x1 = queries[q, j], queries[q, j + 1]
    x2, x3 = queries[q, j + 2], queries[q, j + 3]
    x4, x5 = queries[q, j + 4], queries[q, j + 5]
    x6, x7 = queries[q, j + 6], queries[q, j + 7]
    count, total = 0.0, 0.0
    for r in range(cells.shape[2]):
        t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
        t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
        t4, t5 = cells[b, j + 4, r] - x4, cells[b, j + 5, r] - x5
        t6, t7 = cells[b, j + 6, r] - x6, cells[b, j + 7, r] - x7
        near = out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3
        near = near + t4 * t4 + t5 * t5 + t6 * t6 + t7 * t7
        vote = reference / near * weight[b, r]
        count += vote
        total += vote * targets[r]
    return count, total


@inlined
def sum_inverse_squares(cells, b, queries, q, reference, weight, targets, out):
    """Return the sum of a block's votes reference / d², and of votes times targets.

    One loop does everything from the last columns on, so that no weight is stored.
    """
    d, width = cells.shape[1], cells.shape[2]
    n_left = 8 if d >= 8 else (4 if d >= 4 else 1)
    for r in range(width):
        out[r] = 0.0
    for i in range(d - n_left):
        x = queries[q, i]
        for r in range(width):
            t = cells[b, i, r] - x
            out[r] += t * t
    if n_left == 8:
        return _votes_by_last_eight(
            cells, b, queries, q, reference, weight, targets, out
        )
    if n_left == 4:
        return _votes_by_last_four(
            cells, b, queries, q, reference, weight, targets, out
        )
    return _votes_by_last_column(cells, b, queries, q, reference, weight, targets, out)


@kernel(reorder_sums=True)
def sum_all_rows(cells, queries, excluded, block_targets, metric, p, rule, vote_sums):
    """Add up the weighted votes of all rows for each query.

    cells are blocks of rows; metric and p are those of `block_distances`.
    """
    weight, block_class, targets = block_targets
    sums, totals, references = vote_sums
    excluded_block, excluded_position = excluded
    kind, exponent = rule
    m = queries.shape[0]
    out = np.empty(cells.shape[2])
    references[:] = np.inf
    n_targets = targets.shape[1]
    usual = metric == SQUARED and kind == POWER and exponent == 1.0 and n_targets <= 1
    for first in range(0, m, TILE):
        stop = min(first + TILE, m)
        for b in range(cells.shape[0]):
            for q in range(first, stop):
                position = excluded_position[q] if excluded_block[q] == b else -1
                if usual and position < 0 and 0.0 < references[q] < np.inf:
                    count, total = sum_inverse_squares(
                        cells,
                        b,
                        queries,
                        q,
                        references[q],
                        weight,
                        targets[b, 0] if n_targets else weight[b],
                        out,
                    )
                    if count < _MAX_BLOCK_VOTES:
                        totals[q] += count
                        if n_targets:
                            sums[q, 0] += total
                        else:
                            sums[q, block_class[b]] += count
                        continue
                block_distances(cells, b, queries, q, metric, p, out)
                count_block(out, b, position, block_targets, rule, vote_sums, q)
