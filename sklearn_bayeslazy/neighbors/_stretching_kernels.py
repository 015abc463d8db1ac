"""Loops over left-out rows: the Shepard estimate without the row, and its gradient.

Rows lie in blocks of one width, features before rows, so that every inner loop runs
over neighbouring rows and is vectorised without reordering a sum. The last block is
filled up with rows of mass 0.
"""

import math

import numpy as np

from .._kernel import inlined, kernel

# Relative weights below exp(-this) are 0: even 10**6 such rows change no sum.
_NEGLIGIBLE = 50.0


@inlined
def _measure(blocks, place, s, floor, x, squared):
    """Write the stretched squared distances of all rows from the one at `place`."""
    n_blocks, n_features, width = blocks.shape
    total = 0.0
    for j in range(n_features):
        x[j] = blocks[place // width, j, place % width]
        total += s[j]
    for b in range(n_blocks):
        part = squared[b * width : (b + 1) * width]
        part[:] = floor * total
        for j in range(n_features):
            if s[j] > 0:
                for r in range(width):
                    gap = blocks[b, j, r] - x[j]
                    part[r] += s[j] * (gap * gap)


@inlined
def _is_after(squared, a, b):
    """Return whether row a is farther than row b; of equal rows, the later one is."""
    return squared[a] > squared[b] or (squared[a] == squared[b] and a > b)


@kernel
def keep_nearest(squared, k, heap, mass):
    """Set to 0 the mass of all but the nearest rows, whose masses then sum to k.

    Rows are taken in order of (distance, place); the last one is cut. `heap` is room
    for the places of the rows that are kept, the farthest first.
    """
    size = 0
    total = 0.0
    for new in range(squared.shape[0]):
        if mass[new] == 0:
            continue
        if total >= k and squared[new] >= squared[heap[0]]:
            continue
        total += mass[new]
        child = size
        size += 1
        while child > 0 and _is_after(squared, new, heap[(child - 1) // 2]):
            heap[child] = heap[(child - 1) // 2]
            child = (child - 1) // 2
        heap[child] = new
        while total - mass[heap[0]] >= k:  # the rest will do
            total -= mass[heap[0]]
            size -= 1
            last, parent = heap[size], 0
            while 2 * parent + 1 < size:
                child = 2 * parent + 1
                if child + 1 < size and _is_after(
                    squared, heap[child + 1], heap[child]
                ):
                    child += 1
                if not _is_after(squared, heap[child], last):
                    break
                heap[parent] = heap[child]
                parent = child
            heap[parent] = last
    kept = np.zeros(size)
    total = 0.0
    for i in range(size):
        kept[i] = mass[heap[i]]
        total += kept[i]
    kept[0] -= max(total - k, 0.0)
    mass[:] = 0.0
    for i in range(size):
        mass[heap[i]] = kept[i]


@kernel
def leave_rows_out(
    blocks, targets, mass, places, removed, s, floor, power, k, loss, gradient
):
    """Write each left-out row's squared error and its gradient.

    Parameters
    ----------
    blocks : (n_blocks, d, width) standardised rows.
    targets : (n, V) of all rows, n = n_blocks * width.
    mass : (n,) weights of all rows.
    places : (m,) which rows are left out, one by one.
    removed : (m,) how much of the mass of each goes.
    s : (d,) squared stretch of the axes.
    floor : float added to each squared difference.
    power : float p, weights are distance ** -p.
    k : float, mass of the neighbours; 0 for all rows.
    loss : (m,) out.
    gradient : (m, d + 2) out; by s, by p and by the floor.
    """
    n_blocks, n_features, width = blocks.shape
    n, n_targets = targets.shape
    x = np.empty(n_features)
    squared = np.empty(n)
    present = np.empty(n)
    weight = np.empty(n)
    heap = np.empty(n if k > 0 else 0, dtype=np.int64)
    lanes = np.empty((n_features, width))
    answer = np.empty(n_targets)
    error = np.empty(n_targets)
    for i in range(places.shape[0]):
        own = places[i]
        _measure(blocks, own, s, floor, x, squared)
        present[:] = mass
        present[own] -= removed[i]
        if k > 0:
            keep_nearest(squared, k, heap, present)

        nearest = np.inf
        for j in range(n):
            if present[j] > 0:
                nearest = min(nearest, squared[j])
        farthest = nearest * math.exp(min(2 * _NEGLIGIBLE / power, 700.0))
        total = 0.0
        answer[:] = 0.0
        for j in range(n):
            if present[j] == 0 or squared[j] > farthest:
                weight[j] = 0.0
                continue
            # present is of no more use: it takes the logarithm.
            log_ratio = math.log(squared[j] / nearest)
            weight[j] = present[j] * math.exp(-0.5 * power * log_ratio)
            present[j] = log_ratio
            total += weight[j]
            for v in range(n_targets):
                answer[v] += weight[j] * targets[j, v]
        loss[i] = 0.0
        slope = 0.0
        for v in range(n_targets):
            answer[v] /= total
            error[v] = answer[v] - targets[own, v]
            loss[i] += error[v] * error[v]
            slope += error[v] * answer[v]

        # With a_j the share of row j in the answer, the loss changes with log a_j by
        # 2 a_j error·(y_j - answer), and log a_j is -p/2 log d²_j, up to a constant.
        by_power = 0.0
        by_floor = 0.0
        lanes[:] = 0.0
        for b in range(n_blocks):
            touched = False
            for j in range(b * width, (b + 1) * width):
                if weight[j] > 0:
                    pull = -slope
                    for v in range(n_targets):
                        pull += error[v] * targets[j, v]
                    pull *= weight[j] / total
                    by_power -= pull * present[j]
                    weight[j] = -power * pull / squared[j]
                    by_floor += weight[j]
                    touched = True
            if touched:
                for f in range(n_features):
                    for r in range(width):
                        gap = blocks[b, f, r] - x[f]
                        lanes[f, r] += weight[b * width + r] * (gap * gap)
        gradient[i, n_features] = by_power
        gradient[i, n_features + 1] = by_floor * s.sum()
        for f in range(n_features):
            gradient[i, f] = floor * by_floor
            for r in range(width):
                gradient[i, f] += lanes[f, r]
