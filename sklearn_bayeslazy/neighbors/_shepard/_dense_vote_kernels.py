"""Numba kernels that add up the weighted votes of all rows, dense ones in blocks.

Weights are relative to that of a near row. Over all rows the nearest one is not known
beforehand: when a nearer one comes, the sums so far are multiplied by the ratio of the
weights. (The loop for the usual weight, 1 / d², does so only where a row is so much
nearer that the sums could lose digits.)

A query can be a training row, which is then excluded.
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel
from ...search import TILE, block_distances, least_of_block
from ._weighting import POWER, relate_block, relative_power, weigh_block

# Above this sum of a block's votes, a row is much nearer than the reference row.
_MAX_BLOCK_VOTES = 1e100


class BlockTargets(NamedTuple):
    """What the rows vote for, in blocks as a search has them."""

    weight: np.ndarray  # (n_blocks, width), 0 where a block has no row
    # The class of all rows of a block, to which its votes go; -1: they go to targets.
    block_class: np.ndarray  # (n_blocks,)
    targets: np.ndarray  # (n_blocks, n_targets, width)


class VoteSums(NamedTuple):
    """The votes of the rows for each query; the kernels sum for several exponents."""

    # All are relative to the weight of a row at the reduced distance `references`.

    sums: np.ndarray  # (…, m, n_outputs), votes times targets
    totals: np.ndarray  # (…, m), votes
    squares: np.ndarray  # (…, m), sample weight times squared weight by distance
    references: np.ndarray  # (m,)

    def entry(self, i):
        """Return the votes for one exponent, or k."""
        return self._replace(
            sums=self.sums[i], totals=self.totals[i], squares=self.squares[i]
        )


class Progress(NamedTuple):
    """How far the blocks are read for each query."""

    next_block: np.ndarray  # (m,), the first block not yet read
    # (m,), whether `sum_inverse_squares` can read it: the reference is above 0 and
    # finite.
    is_near: np.ndarray


@inlined
def _rescale(sums, totals, squares, references, q, least, exponents):
    """Make the sums so far relative to a nearer row."""
    for e in range(len(exponents)):
        if least == 0.0 or references[q] == np.inf:
            factor = 0.0
        else:
            factor = relative_power(least / references[q], exponents[e])
        for v in range(sums.shape[2]):
            sums[e, q, v] *= factor
        totals[e, q] *= factor
        squares[e, q] *= factor * factor
    references[q] = least


@inlined
def _add_block(weights, b, block_targets, sums, totals, squares, e, q):
    """Add the votes of block b, given its weights by distance, which become votes."""
    weight, block_class, targets = block_targets
    total0 = total1 = total2 = total3 = 0.0
    square0 = square1 = square2 = square3 = 0.0
    for r in range(0, weights.shape[0], 4):
        vote0, vote1 = weights[r] * weight[b, r], weights[r + 1] * weight[b, r + 1]
        vote2 = weights[r + 2] * weight[b, r + 2]
        vote3 = weights[r + 3] * weight[b, r + 3]
        total0 += vote0
        total1 += vote1
        total2 += vote2
        total3 += vote3
        square0 += vote0 * weights[r]
        square1 += vote1 * weights[r + 1]
        square2 += vote2 * weights[r + 2]
        square3 += vote3 * weights[r + 3]
        weights[r], weights[r + 1] = vote0, vote1
        weights[r + 2], weights[r + 3] = vote2, vote3
    total = (total0 + total1) + (total2 + total3)
    totals[e, q] += total
    squares[e, q] += (square0 + square1) + (square2 + square3)
    if block_class[b] >= 0:
        sums[e, q, block_class[b]] += total
    else:
        for v in range(sums.shape[2]):
            sum0 = sum1 = sum2 = sum3 = 0.0
            for r in range(0, weights.shape[0], 4):
                sum0 += weights[r] * targets[b, v, r]
                sum1 += weights[r + 1] * targets[b, v, r + 1]
                sum2 += weights[r + 2] * targets[b, v, r + 2]
                sum3 += weights[r + 3] * targets[b, v, r + 3]
            sums[e, q, v] += (sum0 + sum1) + (sum2 + sum3)


@kernel(reorder_sums=True, only_in_kernels=True)
def count_block(
    out, weights, b, excluded_position, block_targets, kind, exponents, vote_sums, q
):
    """Add the votes of block b, whose reduced distances to query q `out` holds."""
    # The row at excluded_position is left out, if that is in the block. out: (width,),
    # overwritten; weights: (width,), working memory.
    sums, totals, squares, references = vote_sums
    is_excluded = 0 <= excluded_position < out.shape[0]
    if is_excluded:
        out[excluded_position] = np.inf
    least = least_of_block(out, weights) if kind == POWER else 0.0
    if least < np.inf:
        if kind == POWER:
            if least < references[q]:
                _rescale(sums, totals, squares, references, q, least, exponents)
            relate_block(out, references[q])
        for e in range(len(exponents)):
            weigh_block(out, kind, exponents[e], weights)
            if is_excluded:
                weights[excluded_position] = 0.0
            _add_block(weights, b, block_targets, sums, totals, squares, e, q)


@inlined
def _votes_by_last_column(cells, b, queries, q, reference, weight, targets, out):
    """Return the sums over a block, one column being left."""
    # out: (width,), the squared distances over the columns before it.
    # weight: (n_blocks, width); targets: (width,).
    j = cells.shape[1] - 1
    x0 = queries[q, j]
    count, total, square = 0.0, 0.0, 0.0
    for r in range(cells.shape[2]):
        t0 = cells[b, j, r] - x0
        near = reference / (out[r] + t0 * t0)
        vote = near * weight[b, r]
        count += vote
        total += vote * targets[r]
        square += vote * near
    return count, total, square


@inlined
def _votes_by_last_four(cells, b, queries, q, reference, weight, targets, out):
    """Return the sums over a block, four columns being left."""
    j = cells.shape[1] - 4
    x0, x1 = queries[q, j], queries[q, j + 1]
    x2, x3 = queries[q, j + 2], queries[q, j + 3]
    count, total, square = 0.0, 0.0, 0.0
    for r in range(cells.shape[2]):
        t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
        t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
        near = reference / (out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3)
        vote = near * weight[b, r]
        count += vote
        total += vote * targets[r]
        square += vote * near
    return count, total, square


@inlined
def _votes_by_last_eight(cells, b, queries, q, reference, weight, targets, out):
    """Return the sums over a block, eight columns being left."""
    j = cells.shape[1] - 8
    x0, x1 = queries[q, j], queries[q, j + 1]
    x2, x3 = queries[q, j + 2], queries[q, j + 3]
    x4, x5 = queries[q, j + 4], queries[q, j + 5]
    x6, x7 = queries[q, j + 6], queries[q, j + 7]
    count, total, square = 0.0, 0.0, 0.0
    for r in range(cells.shape[2]):
        t0, t1 = cells[b, j, r] - x0, cells[b, j + 1, r] - x1
        t2, t3 = cells[b, j + 2, r] - x2, cells[b, j + 3, r] - x3
        t4, t5 = cells[b, j + 4, r] - x4, cells[b, j + 5, r] - x5
        t6, t7 = cells[b, j + 6, r] - x6, cells[b, j + 7, r] - x7
        near = out[r] + t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3
        near = reference / (near + t4 * t4 + t5 * t5 + t6 * t6 + t7 * t7)
        vote = near * weight[b, r]
        count += vote
        total += vote * targets[r]
        square += vote * near
    return count, total, square


@inlined
def _inverse_square_votes(cells, b, queries, q, reference, weight, targets, out):
    """Return the sum of a block's votes, of votes times targets, and of votes / d²."""
    # Votes are the weights reference / d², times the sample weights. The last sum has
    # the factor reference too: it is that of sample weight times squared weight.
    # One loop does everything from the last columns on, so that no weight is stored.
    # out: (width,), working memory.
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
def sum_all_rows(
    cells,
    queries,
    excluded,
    block_targets,
    metric,
    p,
    kind,
    exponents,
    until_near,
    progress,
    vote_sums,
):
    """Add up the weighted votes of all rows for each query, once for each exponent."""
    # cells: (n_blocks, d, width); queries: (m, d); metric, p: as in `block_distances`.
    # excluded: (m,), the position in the blocks, one after the other, of the training
    # row that a query is; -1 for none.
    # kind: `POWER`, or `COSINE` with one exponent, which is not read.
    # until_near: whether to stop where a reference is above 0. progress: a `Progress`,
    # overwritten like vote_sums.
    next_block, is_near = progress
    m, width, references = queries.shape[0], cells.shape[2], vote_sums.references
    out, weights = np.empty(width), np.empty(width)
    for first in range(0, m, TILE):
        for b in range(cells.shape[0]):
            for q in range(first, min(first + TILE, m)):
                if is_near[q] or next_block[q] != b:
                    continue
                block_distances(cells, b, queries, q, metric, p, out)
                count_block(
                    out,
                    weights,
                    b,
                    excluded[q] - b * width,
                    block_targets,
                    kind,
                    exponents,
                    vote_sums,
                    q,
                )
                next_block[q] = b + 1
                is_near[q] = until_near and 0.0 < references[q] < np.inf


@kernel(reorder_sums=True)
def sum_inverse_squares(cells, queries, excluded, block_targets, progress, vote_sums):
    """Add up the votes by squared distances, for exponent 1 and at most one target."""
    # The arguments are as in `sum_all_rows`. Only queries that are near are answered,
    # up to a block that holds the excluded row or much nearer rows.
    weight, block_class, targets = block_targets
    sums, totals, squares, references = vote_sums
    next_block, is_near = progress
    m, n_targets, width = queries.shape[0], targets.shape[1], cells.shape[2]
    out = np.empty(width)
    for first in range(0, m, TILE):
        for b in range(cells.shape[0]):
            for q in range(first, min(first + TILE, m)):
                if not is_near[q] or next_block[q] != b:
                    continue
                if 0 <= excluded[q] - b * width < width:
                    is_near[q] = False
                    continue
                count, total, square = _inverse_square_votes(
                    cells,
                    b,
                    queries,
                    q,
                    references[q],
                    weight,
                    targets[b, 0] if n_targets else weight[b],
                    out,
                )
                if not count < _MAX_BLOCK_VOTES:
                    is_near[q] = False
                    continue
                next_block[q] = b + 1
                totals[0, q] += count
                squares[0, q] += square
                if n_targets:
                    sums[0, q, 0] += total
                else:
                    sums[0, q, block_class[b]] += count
