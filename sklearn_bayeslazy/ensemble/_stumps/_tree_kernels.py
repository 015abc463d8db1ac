"""Kernels of boosted trees: one tree grown on a binned table, and trees added to rows.

A node holds the weights of its rows of the class, p, and of the others, q. Its mean is
(p - q) / (p + q), and a split has the least weighted sum of squares about the means of
its sides, so the largest Σ (p - q)² / (p + q).
"""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import inlined, kernel
from ...tabular import LANES
from ._stump_kernels import TOLERANCE, WeightedRows, add_to_histograms


class TreeNodes(NamedTuple):
    """The nodes of a tree that grows, arrays with a row for each; the root is first."""

    column: np.ndarray  # int32, the column that is split
    child: np.ndarray  # int32, the left child, which the right one follows; 0: a leaf
    gain: np.ndarray  # float64, the decrease of the sum of squares
    goes_left: np.ndarray  # bool (n_nodes, 256), of each code of the column
    weights: np.ndarray  # float64 (n_nodes, 2), q and p


class TreeLimits(NamedTuple):
    """What limits the growth of a tree."""

    max_depth: int
    min_weight: float  # of a leaf
    smoothing: float  # weight of the node's mean in the means of categories
    category_score: float  # what each category beyond the second takes from the score
    rounding: float  # smaller weights of a code are differences of equal sums


class TreeWork(NamedTuple):
    """Arrays that a tree is grown in, of any contents."""

    rows: WeightedRows  # of right sides, while rows are parted
    histograms: np.ndarray  # (max_depth, n_groups, 2 * LANES * n_codes)
    waiting: np.ndarray  # int64 (max_depth + 1, 5), nodes that are not split yet
    leaf: np.ndarray  # int32 (n_rows,), where each row of the table ends
    order: np.ndarray  # int64 (n_codes,)
    mean: np.ndarray  # float64 (n_codes,)


@kernel(only_in_kernels=True)
def order_codes(weights, is_label, mean_of_node, limits, order, mean):
    """Write the codes in a node, categories ordered by mean; return how many."""
    # weights: (2, n_codes), q and p. The last code is that of missing cells.
    n_found = 0
    for k in range(weights.shape[1] - 1):
        order[n_found] = k  # without a branch; the next code overwrites it
        n_found += np.int64(weights[0, k] + weights[1, k] > limits.rounding)
    if is_label:
        for i in range(n_found):
            k, position = order[i], i
            q, p = weights[0, k], weights[1, k]
            mean[k] = (p - q + limits.smoothing * mean_of_node) / (
                q + p + limits.smoothing
            )
            above = mean[k] + TOLERANCE
            while position > 0 and mean[order[position - 1]] > above:
                order[position] = order[position - 1]
                position -= 1
            order[position] = k
    return n_found


@kernel(only_in_kernels=True)
def best_cut(weights, order, mean, totals, limits, best):
    """Return the best cut of ordered codes: its score, where, and the missing side."""
    # order: the codes of the node, of which the first go to the left; mean: those of
    # categories, which stay together if they are equal, or empty; totals: (2,), q and p
    # of the node; best: the score to exceed. A cut of 0 means that there is none.
    q_missing, p_missing = weights[0, -1], weights[1, -1]
    has_missing = q_missing + p_missing > limits.rounding
    total = totals[0] + totals[1]
    q_left, p_left = 0.0, 0.0
    cut, missing_left = np.int64(0), False
    for k in range(order.shape[0]):
        q_left += weights[0, order[k]]
        p_left += weights[1, order[k]]
        may_tie = mean.shape[0] > 0 and k + 1 < order.shape[0]
        if may_tie and mean[order[k + 1]] - mean[order[k]] <= TOLERANCE:
            continue
        for with_missing in range(1 + has_missing):
            q = q_left + (q_missing if with_missing else 0.0)
            p = p_left + (p_missing if with_missing else 0.0)
            left, right = q + p, total - q - p
            if left < limits.min_weight or right < limits.min_weight:
                continue
            difference = p - q
            rest = totals[1] - totals[0] - difference
            # Most cuts are worse; a division takes longer than all products.
            bound = (best + TOLERANCE * total) * (1.0 - TOLERANCE)
            if difference**2 * right + rest**2 * left < bound * left * right:
                continue
            score = difference * difference / left + rest * rest / right
            if score > best + TOLERANCE * total:
                best, cut = score, k + 1
                # Cells that are missing in other rows only go to the heavier side.
                is_heavier = left >= right - TOLERANCE * total
                missing_left = with_missing == 1 if has_missing else is_heavier
    return best, cut, missing_left


@kernel(only_in_kernels=True)
def write_left_codes(is_label, order, cut, missing_left, goes_left):
    """Write which codes go to the left."""
    # Numbers that no row of the node has go to the nearer side, and categories to the
    # side of missing cells.
    n_codes = goes_left.shape[0]
    last = n_codes
    if cut < order.shape[0]:
        last = (order[cut - 1] + order[cut]) // 2
    for k in range(n_codes):
        goes_left[k] = missing_left if is_label or k == n_codes - 1 else k <= last
    if is_label:
        for k in range(order.shape[0]):
            goes_left[order[k]] = k < cut


@inlined
def may_split(weights, limits):
    """Return whether a node of weights q and p may have a split that helps."""
    q, p = weights  # of residuals one of them may be negative
    return q != 0.0 and p != 0.0 and q + p >= 2.0 * limits.min_weight


@kernel(only_in_kernels=True)
def find_split(histogram, is_label, used, node, limits, nodes, work):
    """Write the best split of a node; return its column, -1 if there is none."""
    # histogram: (n_groups, 2 * LANES * n_codes).
    n_codes = work.mean.shape[0]
    totals = nodes.weights[node]
    if not may_split(totals, limits):
        return -1
    total, difference = totals[0] + totals[1], totals[1] - totals[0]
    score_of_node = difference * difference / total
    best, chosen = score_of_node, -1
    for j in used:
        weights = histogram[j // LANES].reshape(2, LANES, n_codes)[:, j % LANES]
        mean = difference / total
        n = order_codes(weights, is_label[j], mean, limits, work.order, work.mean)
        order = work.order[:n]
        means = work.mean if is_label[j] else work.mean[:0]
        taken = limits.category_score * max(n - 2, 0) if is_label[j] else 0.0
        score, cut, missing_left = best_cut(
            weights, order, means, totals, limits, best + taken
        )
        if cut > 0:
            best, chosen = score - taken, j
            nodes.gain[node] = best - score_of_node
            goes_left = nodes.goes_left[node, :n_codes]
            write_left_codes(is_label[j], order, cut, missing_left, goes_left)
    return chosen


@kernel(only_in_kernels=True)
def part_rows(codes, goes_left, rows, start, stop, spare, sums):
    """Move rows that go left to the front; return where those of the right begin."""
    # codes: (n_rows,); goes_left: (256,); spare: WeightedRows; sums: (2, 2), q and p of
    # the left and the right side, written.
    indices, class_start, weight = rows
    spare_indices, spare_class_start, spare_weight = spare
    sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1] = 0.0, 0.0, 0.0, 0.0
    n_left, n_right = start, 0
    for i in range(start, stop):
        # Written to both sides, without a branch; the next row overwrites one of them.
        row, of_class, added = indices[i], class_start[i], weight[i]
        left = np.int64(goes_left[codes[row]])
        indices[n_left], spare_indices[n_right] = row, row
        class_start[n_left], spare_class_start[n_right] = of_class, of_class
        weight[n_left], spare_weight[n_right] = added, added
        n_left += left
        n_right += 1 - left
        sums[1 - left, np.int64(of_class > 0)] += added
    for i in range(n_right):
        indices[n_left + i] = spare_indices[i]
        class_start[n_left + i] = spare_class_start[i]
        weight[n_left + i] = spare_weight[i]
    return n_left


@inlined
def push(waiting, n, node, start, stop, depth, slot):
    """Write a node that is to be split: its rows, depth and histogram."""
    waiting[n, 0], waiting[n, 1], waiting[n, 2] = node, start, stop
    waiting[n, 3], waiting[n, 4] = depth, slot


@kernel(only_in_kernels=True)
def write_leaf(indices, node, leaf):
    """Write the leaf where some rows end."""
    for i in indices:
        leaf[i] = node


@kernel(only_in_kernels=True)
def count_rows(codes, rows, first, last, n_columns, n_codes, histogram):
    """Write the histograms of some of the rows."""
    # histogram: (n_groups, 2 * LANES * n_codes).
    for g in range(histogram.shape[0]):
        for k in range(histogram.shape[1]):
            histogram[g, k] = 0.0
    indices, class_start, weight = rows
    add_to_histograms(
        codes,
        indices[first:last],
        class_start[first:last],
        weight[first:last],
        n_columns,
        n_codes,
        histogram,
    )


@kernel(only_in_kernels=True)
def lead_others(codes, nodes, leaf):
    """Write where the rows end that a tree was not grown to, whose leaf is below 0."""
    for i in range(leaf.shape[0]):
        node = max(leaf[i], 0)  # a leaf has no child
        while nodes.child[node] > 0:
            j = nodes.column[node]
            is_left = nodes.goes_left[node, codes[j // LANES, i, j % LANES]]
            node = nodes.child[node] + 1 - np.int32(is_left)
        leaf[i] = node


@kernel
def grow_tree(codes, is_label, used, rows, limits, nodes, work):
    """Grow a tree, one branch after the other; return its number of nodes."""
    # codes: uint8 (n_groups, n_rows, LANES); is_label: bool (n_columns,); used: int64,
    # the columns that may be split; rows: WeightedRows, reordered.
    indices, class_start, weight = rows
    for i in range(work.leaf.shape[0]):
        work.leaf[i] = -1
    histograms, waiting = work.histograms, work.waiting
    n_codes, n_columns = work.mean.shape[0], is_label.shape[0]
    sums = np.zeros((2, 2))
    for i in range(indices.shape[0]):
        sums[0, np.int64(class_start[i] > 0)] += weight[i]
    nodes.weights[0, 0], nodes.weights[0, 1], nodes.child[0] = sums[0, 0], sums[0, 1], 0
    n_rows = indices.shape[0]
    count_rows(codes, rows, np.int64(0), n_rows, n_columns, n_codes, histograms[0])
    push(waiting, 0, 0, 0, n_rows, 0, 0)
    n_waiting, n_nodes = 1, 1
    while n_waiting > 0:
        n_waiting -= 1
        node, start, stop, depth, slot = waiting[n_waiting]
        parent = histograms[slot]
        j = find_split(parent, is_label, used, node, limits, nodes, work)
        if j < 0:
            write_leaf(indices[start:stop], node, work.leaf)
            continue
        column, goes_left = codes[j // LANES, :, j % LANES], nodes.goes_left[node]
        middle = part_rows(column, goes_left, rows, start, stop, work.rows, sums)
        nodes.column[node], nodes.child[node] = j, n_nodes
        for side in range(2):
            nodes.child[n_nodes + side] = 0
            for k in range(2):
                nodes.weights[n_nodes + side, k] = sums[side, k]
        n_nodes += 2
        depth += 1
        left, right = nodes.weights[n_nodes - 2], nodes.weights[n_nodes - 1]
        if depth == limits.max_depth or not (
            may_split(left, limits) or may_split(right, limits)
        ):
            write_leaf(indices[start:middle], n_nodes - 2, work.leaf)
            write_leaf(indices[middle:stop], n_nodes - 1, work.leaf)
            continue
        # The smaller side is counted, and its branch is grown first, in the histograms
        # from `depth` on. That of the larger side is the difference.
        small, large = n_nodes - 2, n_nodes - 1
        bounds = (start, middle, middle, stop)
        if middle - start > stop - middle:
            small, large = large, small
            bounds = (middle, stop, start, middle)
        first, last, first_of_large, last_of_large = bounds
        counted = histograms[depth]
        count_rows(codes, rows, first, last, n_columns, n_codes, counted)
        for g in range(counted.shape[0]):
            for k in range(counted.shape[1]):
                parent[g, k] -= counted[g, k]
        push(waiting, n_waiting, large, first_of_large, last_of_large, depth, slot)
        push(waiting, n_waiting + 1, small, first, last, depth, depth)
        n_waiting += 2
    lead_others(codes, nodes, work.leaf)
    return n_nodes


@inlined
def child_of(codes, i, node, root, trees):
    """Return the node that a row goes to from a node that is split."""
    column, child, goes_left = trees
    j = column[node]
    code = codes[j // LANES, i, j % LANES]
    is_left = (goes_left[node, code >> 3] >> (code & 7)) & 1
    return root + child[node] + 1 - is_left


@kernel
def add_trees(codes, trees, value, starts, sums):
    """Add the values of the leaves that rows reach in some trees."""
    # codes: (n_groups, n_rows, LANES); trees: (column, child, goes_left) of the nodes
    # of all trees, as in `TreeNodes`, but a bit for each code, uint8 (n_nodes, 32);
    # value: (n_nodes,); starts: (n_trees,), where the nodes of each tree begin; sums:
    # (n_rows,).
    for root in starts:
        for i in range(sums.shape[0]):
            node = root
            while trees[1][node] > 0:
                node = child_of(codes, i, node, root, trees)
            sums[i] += value[node]


@kernel
def add_paths(codes, trees, value, starts, sums):
    """Add the changes of the value on the paths of rows to those of their columns."""
    # sums: (n_columns, n_rows); the others: as in `add_trees`.
    for root in starts:
        for i in range(sums.shape[1]):
            node = root
            while trees[1][node] > 0:
                side = child_of(codes, i, node, root, trees)
                sums[trees[0][node], i] += value[side] - value[node]
                node = side
