"""Numba kernels that choose rows by their projections: nearest, within a limit, ranks.

A table is a tuple of starts, order, blocks, cells and residuals, the arrays of
`HashTable`. `_bucket_kernels` explains the storage of a bucket.
"""

import numpy as np

from ..._core._kernel import inlined, kernel
from .._kd_tree import select
from ._bucket_kernels import estimate_next, estimate_within


@kernel(only_in_kernels=True)
def _bisect_bound(values, min_count, max_count, bound):
    """Return a bound that min_count to max_count of the values do not exceed."""
    # No value is below 0, and min_count of them are within the given bound. More than
    # max_count values are within the result only if values are equal. Bisection needs
    # no sorting, and its loop vectorises.
    low, high = np.float32(0.0), bound
    while True:
        middle = low + (high - low) * np.float32(0.5)
        if not low < middle < high:  # the values between are equal
            return high
        count = 0
        for r in range(len(values)):
            count += values[r] <= middle
        if count < min_count:
            low = middle
        elif count > max_count:
            high = middle
        else:
            return middle


@kernel(only_in_kernels=True)
def _keep_nearest(near, chosen, sizes, q, min_count, max_count, bound, keys):
    """Keep a query's nearest rows, min_count to max_count, and return their bound."""
    # near, chosen: (m, width); sizes: (m,). All distances of query q are within the
    # given bound. If too many of them are equal, the first min_count rows are kept.
    # keys: (width,) float64, scratch.
    distances, rows, n_rows = near[q], chosen[q], sizes[q]
    if bound == np.inf:
        bound = np.float32(0.0)
        for c in range(n_rows):
            bound = distances[c] if distances[c] > bound else bound
    bound = _bisect_bound(distances, min_count, max_count, bound)
    size = np.int64(0)  # with 0, `select` would be compiled for that literal too
    for c in range(n_rows):
        value, row = distances[c], rows[c]
        distances[size], rows[size] = value, row
        size += value <= bound
    if size > max_count:
        for c in range(size):  # `select` is compiled for float64 alone
            keys[c] = distances[c]
        select(keys, rows, np.int64(0), size, min_count)
        size = min_count
        for c in range(size):
            distances[c] = keys[c]
    for c in range(size, n_rows):
        distances[c] = np.inf
    sizes[q] = size
    return bound


@kernel(only_in_kernels=True)
def _initial_bound(estimates, padded_size, min_count, max_count, bound):
    """Return a bound that enough rows of a query's first bucket reach."""
    high = np.float32(0.0)
    for r in range(min_count):
        high = estimates[r] if estimates[r] > high else high
    if high < np.inf:
        bound = _bisect_bound(estimates[:padded_size], min_count, max_count, high)
    return bound


# Over twelve arguments: it is a part of the loop of `choose_candidates`.
@inlined
def _add_bucket(
    estimates,
    rows,
    q,
    exclude,
    alive,
    bound,
    min_count,
    max_count,
    near,
    chosen,
    sizes,
    within,
    keys,
):
    """Add the rows of a bucket within the bound to a query's; return the new bound."""
    n_within, n_kept, width = 0, sizes[q], near.shape[1]
    distances, numbers = near[q], chosen[q]
    # Each position is written, and the next one replaces it if it is not within: a
    # branch would often be predicted wrongly.
    for r in range(len(rows)):
        within[n_within] = r
        n_within += estimates[r] <= bound
    for i in range(n_within):
        if n_kept == width:
            sizes[q] = n_kept
            bound = _keep_nearest(
                near, chosen, sizes, q, min_count, max_count, bound, keys
            )
            n_kept = sizes[q]
        estimate, row = estimates[within[i]], rows[within[i]]
        counts = len(alive) == 0 or alive[row] > 0
        if estimate <= bound and row != exclude and counts:
            distances[n_kept], numbers[n_kept] = estimate, row
            n_kept += 1
    sizes[q] = n_kept
    return bound


@kernel(only_in_kernels=True)
def _nearer_half_first(near, chosen, q, n_candidates, bound):
    """Move about the nearer half of a query's rows to the front."""
    half = n_candidates // 2 if n_candidates > 1 else 1
    bound = _bisect_bound(near[q], half, half + half // 4, bound)
    front = 0
    for c in range(n_candidates):
        row = chosen[q, c]
        if near[q, c] <= bound:
            chosen[q, c], chosen[q, front] = chosen[q, front], row
            near[q, c] = near[q, front]
            front += 1


# Over twelve arguments: scratch comes as plain arrays, quicker to pass than a tuple.
@kernel(fuse_products=True)
def choose_candidates(
    table,
    group_starts,
    group_queries,
    projections,
    exclude,
    alive,
    n_candidates,
    near,
    chosen,
    sizes,
    out,
    bounds,
    within,
    keys,
):
    """List those rows of each query's buckets whose projections are nearest to it."""
    # table: `HashTable.arrays`; group_starts, group_queries: the queries that read each
    # bucket, as `group_queries` lists them; projections: (m, p); exclude: (m,),
    # -1 = none; alive: (n,), 0 for rows that do not count, empty if all do.
    # Written: near: (m, width) float32, squared distances, infinite before;
    # chosen: (m, width), row numbers, the nearer half first where rows were dropped;
    # sizes: (m,), their number, 0 before. The width is above 2 * n_candidates.
    # Scratch: out: (3, widest bucket) float32; bounds: (m,) float32, infinite before;
    # within: (widest bucket,); keys: (width,).
    starts, order, blocks, cells, residuals = table
    n_buckets, width = len(starts) - 1, near.shape[1]
    max_count = n_candidates + n_candidates // 4
    for g in range(2 * n_buckets):
        i, end = group_starts[g], group_starts[g + 1]
        if i == end:
            continue
        b = g % n_buckets
        first, last = blocks[b], blocks[b + 1]
        rows = order[starts[b] : starts[b + 1]]
        while i < end:
            step = estimate_next(
                cells, residuals, first, last, projections, group_queries, i, end, out
            )
            for c in range(step):
                q = group_queries[i + c]
                bound = bounds[q]
                if sizes[q] == 0 and len(rows) > width and len(alive) == 0:
                    bound = _initial_bound(  # one row more: one may be excluded
                        out[c], last - first, n_candidates + 1, max_count + 1, bound
                    )
                bounds[q] = _add_bucket(
                    out[c],
                    rows,
                    q,
                    exclude[q],
                    alive,
                    bound,
                    n_candidates,
                    max_count,
                    near,
                    chosen,
                    sizes,
                    within,
                    keys,
                )
            i += step
    for q in range(len(sizes)):
        if sizes[q] > n_candidates:
            bound = _keep_nearest(
                near, chosen, sizes, q, n_candidates, n_candidates, bounds[q], keys
            )
            _nearer_half_first(near, chosen, q, n_candidates, bound)


@kernel
def list_within(table, projections, exclude, limits, chosen, sizes, out):
    """List all rows whose projections are within a limit of each query's."""
    # table: with residuals of 0, since they do not count; projections: (m, p);
    # exclude: (m,); limits: (m,) float32, squared distances between projections.
    # Written: chosen: (m, width), row numbers; sizes: (m,), their number, 0 before,
    # which may exceed the width. out: (widest bucket,) float32, scratch.
    starts, order, blocks, cells, residuals = table
    m, width = chosen.shape
    for b in range(len(starts) - 1):  # a bucket stays in the cache for all queries
        first, last = blocks[b], blocks[b + 1]
        for q in range(m):
            limit, projection = limits[q], projections[q]
            if not estimate_within(
                cells, residuals, first, last, projection, limit, out
            ):
                continue
            for r in range(starts[b + 1] - starts[b]):
                if out[r] <= limit and order[starts[b] + r] != exclude[q]:
                    if sizes[q] < width:
                        chosen[q, sizes[q]] = order[starts[b] + r]
                    sizes[q] += 1


@kernel
def rank_by_projections(
    table,
    buckets,
    positions,
    projections,
    exclude,
    neighbors,
    ranks,
    bounds,
    farthest,
    out,
):
    """Write how many rows have projections at most as far as that of each neighbour."""
    # buckets: (n,), that of each row; positions: (n,), in the bucket; projections:
    # (m, p); neighbors: (m, k), row numbers; ranks: (m, k), 0 before. The excluded row
    # of a query, -1 for none, is not counted.
    # Scratch, float32: bounds: (m, k); farthest: (m,), 0 before; out: (widest bucket,).
    starts, _, blocks, cells, residuals = table
    m, k = ranks.shape
    for q in range(m):
        for c in range(k):
            row = neighbors[q, c]
            first, last = blocks[buckets[row]], blocks[buckets[row] + 1]
            limit = np.float32(np.inf)
            estimate_within(cells, residuals, first, last, projections[q], limit, out)
            bound = bounds[q, c] = out[positions[row]]
            farthest[q] = bound if bound > farthest[q] else farthest[q]
    for b in range(len(starts) - 1):  # a bucket stays in the cache for all queries
        first, last = blocks[b], blocks[b + 1]
        for q in range(m):
            projection, limit = projections[q], farthest[q]
            if not estimate_within(
                cells, residuals, first, last, projection, limit, out
            ):
                continue
            if exclude[q] >= 0 and buckets[exclude[q]] == b:
                out[positions[exclude[q]]] = np.inf
            for c in range(k):
                for r in range(last - first):
                    ranks[q, c] += out[r] <= bounds[q, c]
