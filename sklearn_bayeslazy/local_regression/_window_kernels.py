"""Loops that list the rows of a window: the k nearest, or all within reach."""

import math

import numpy as np

from .._kernel import kernel
from ..neighbors._kd_tree_kernels import select
from ..neighbors._neighbor_kernels import SQUARED, box_distance, measure

# So many distances tell well enough where the k-th of all will lie.
_SAMPLE = 256


@kernel
def nearest_by_scan(cells, block_ids, queries, own, k, ids, squared):
    """Write the k nearest rows of each query, in no order; all distances are taken.

    A sample of the distances gives a bound that about k of them keep, give or take;
    among these the k nearest by (distance, row) are selected. This beats a heap where
    k is large.

    Parameters
    ----------
    cells, block_ids : the rows in blocks.
    queries : (m, d)
    own : (m,) row that is left out, or -1.
    k : int, fewer than there are rows.
    ids, squared : (m, k) out.
    """
    n_blocks, width = block_ids.shape
    n_places = n_blocks * width
    places = block_ids.ravel()
    distances = np.empty(n_places)
    value, row = np.empty(n_places + 1), np.empty(n_places + 1, dtype=np.int64)
    sample, unused = np.empty(_SAMPLE), np.zeros(_SAMPLE, dtype=np.int64)
    stride = n_places / _SAMPLE
    share = k / n_places
    rank = int(_SAMPLE * share + 3 * math.sqrt(_SAMPLE * share * (1 - share)) + 2)
    sampled = rank < _SAMPLE and n_places > 4 * _SAMPLE
    for q in range(len(queries)):
        for b in range(n_blocks):
            out = distances[b * width : (b + 1) * width]
            measure(cells, b, queries, q, SQUARED, 2.0, out)
        count = 0
        if sampled:
            for s in range(_SAMPLE):
                sample[s] = distances[int(s * stride)]
            select(sample, unused, 0, _SAMPLE, rank)
            bound = sample[rank]
            for j in range(n_places):  # no branch: the next row overwrites a far one
                value[count], row[count] = distances[j], places[j]
                count += distances[j] <= bound
            if bound == np.inf:
                count = 0
        if count < k + 1:
            count = 0
            for j in range(n_places):
                if places[j] >= 0:
                    value[count], row[count] = distances[j], places[j]
                    count += 1
        if own[q] >= 0:
            for c in range(count):
                if row[c] == own[q]:
                    count -= 1
                    value[c], row[c] = value[count], row[count]
                    break
        select(value, row, 0, count, k - 1)
        ids[q] = row[:k]
        squared[q] = value[:k]


@kernel
def list_within(
    cells, block_ids, lower, upper, queries, reach, starts, counts, ids, squared
):
    """List the rows whose squared distance is at most reach, in the order of blocks.

    Parameters
    ----------
    cells, block_ids : the rows in blocks.
    lower, upper : (n_nodes, d) boxes of a tree whose leaves are the blocks, or (0, d).
    queries : (m, d)
    reach : (m,)
    starts : (m,) where each list starts.
    counts : (m,) out; how many rows each list has.
    ids, squared : (size,) out; of length 0 if rows are only to be counted.
    """
    n_blocks, width = block_ids.shape
    out = np.empty(width)
    nodes = np.empty(128, dtype=np.int64)
    for q in range(len(queries)):
        count = 0
        nodes[0] = 0
        waiting = 1
        b = 0
        while b < n_blocks:
            if len(lower):  # the next leaf that is near enough, from left to right
                b = n_blocks
                while waiting > 0:
                    waiting -= 1
                    node = nodes[waiting]
                    if (
                        box_distance(lower, upper, node, queries, q, SQUARED, 2.0)
                        > (reach[q])
                    ):
                        continue
                    if node >= n_blocks - 1:
                        b = node - (n_blocks - 1)
                        break
                    nodes[waiting], nodes[waiting + 1] = 2 * node + 2, 2 * node + 1
                    waiting += 2
                if b == n_blocks:
                    break
            measure(cells, b, queries, q, SQUARED, 2.0, out)
            for r in range(width):
                if out[r] <= reach[q] and block_ids[b, r] >= 0:
                    if len(ids):
                        ids[starts[q] + count] = block_ids[b, r]
                        squared[starts[q] + count] = out[r]
                    count += 1
            if not len(lower):
                b += 1
        counts[q] = count
