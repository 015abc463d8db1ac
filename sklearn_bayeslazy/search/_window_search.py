"""The rows of a window with their distances: the k nearest, or all within a bandwidth.

The distance of the k-th row is found by counting how many distances lie below a guess:
counting is vectorised, selection is not. From one query to the next the k-th distance
changes by at most the distance between the queries. Consecutive queries that are near
each other therefore need few guesses, and few rows to be measured. In a single column
the rows are sorted, and a window is a range of them.
"""

import math
from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, kernel

# Numbers in the lists of a block of queries, beside one window of all rows.
_LIST_LENGTH = 2**17
# A window of the k nearest is a list if it holds less than 1 / this number of all rows.
# Else it is the range of all rows, those outside of it at infinite distance.
_MIN_ROWS_PER_LISTED_ROW = 3
# The k-th distance is guessed to grow by these parts of the way between queries, of
# which the last is the most that is possible; then all rows are measured.
_GROWTHS = (0.2, 0.5, 1.0, math.inf)
# Bounds on rounding errors of a distance: relative, and near 0.
_RELATIVE_SLACK, _ABSOLUTE_SLACK = 1 + 1e-9, 1e-150
_MAX_FINITE = np.finfo(np.float64).max
# Guesses by interpolation, before the interval is halved; and how often it is cut to
# distances that occur.
_MAX_INTERPOLATIONS, _GUESSES_PER_CUT = 24, 8


class WindowRule(NamedTuple):
    """Which rows are in the window of a query, and its bandwidth."""

    k: int  # number of nearest rows, or 0
    bandwidth_sq_factor: float  # multiplies the squared distance of the k-th row
    # If k is 0, or the squared bandwidth by the k-th row is smaller than this one, all
    # rows within this one are taken. If infinite, the farthest row defines it.
    min_bandwidth_sq: float
    # Whether the kernel has weight beyond the bandwidth: windows by bandwidth then hold
    # all rows.
    infinite_support: bool


class Windows(NamedTuple):
    """The windows of m queries: each is a list of rows, or a range of rows."""

    starts: np.ndarray  # (m,); what describes window q begins at starts[q] ...
    counts: np.ndarray  # (m,); ... and has counts[q] numbers
    firsts: np.ndarray  # (m,), the first row of a range; -1 if the rows are listed
    indices: np.ndarray  # (size,), the listed rows; not set for ranges
    distances_sq: np.ndarray  # (size,); infinite for rows that are not in the window
    bandwidths_sq: np.ndarray  # (m,)

    @classmethod
    def empty(cls, m, size):
        """Return arrays to be filled."""
        integers = (np.empty(length, np.int64) for length in (m, m, m, size))
        return cls(*integers, np.empty(size), np.empty(m))

    @classmethod
    def of_lists(cls, counts, indices, distances_sq, bandwidths_sq):
        """Return the windows of lists, (m, width) each, cut to counts."""
        m, width = indices.shape
        firsts = np.full(m, -1)
        lists = indices.ravel(), distances_sq.ravel()
        return cls(np.arange(m) * width, counts, firsts, *lists, bandwidths_sq)

    def part(self, queries):
        """Return the windows of some of the queries."""
        of_queries = "starts", "counts", "firsts", "bandwidths_sq"
        return self._replace(
            **{name: getattr(self, name)[queries] for name in of_queries}
        )

    def frozen(self):
        """Return the arrays in the form that kernels read."""
        kinds = [np.int64] * 4 + [np.float64] * 2
        return Windows(*map(frozen, self, kinds))

    def positions(self):
        """Return where the numbers of the windows are, window after window."""
        shifts = self.starts - (np.cumsum(self.counts) - self.counts)
        return np.arange(self.counts.sum()) + np.repeat(shifts, self.counts)

    def with_rows(self):
        """Return the same windows as lists."""
        indices = self.indices.copy()
        for q in np.flatnonzero(self.firsts >= 0):
            start, count, first = self.starts[q], self.counts[q], self.firsts[q]
            indices[start : start + count] = np.arange(first, first + count)
        return self._replace(indices=indices, firsts=np.full_like(self.firsts, -1))

    def pairs(self):
        """Return the queries and the rows of all pairs of a query and a row near it."""
        at = self.positions()
        query = np.repeat(np.arange(len(self.counts)), self.counts)
        is_in = np.isfinite(self.distances_sq[at])
        return query[is_in], self.with_rows().indices[at[is_in]]


class Boxes(NamedTuple):
    """The leaves of a kd-tree, whose rows are consecutive."""

    # Consecutive leaves form groups of one size; a group is a node higher in the tree.
    # Bounds: the smallest and the largest values. d is 0 if one leaf holds all rows.
    starts: np.ndarray  # (n_leaves + 1,); leaf b holds rows starts[b]:starts[b + 1]
    leaf_bounds: np.ndarray  # (2, n_groups, d, group_size)
    group_bounds: np.ndarray  # (2, d, n_groups)


class WindowSearch:
    """Finds windows by a scan of the rows near a query."""

    # order: (n,), the row at each position; all rows of windows are positions.

    def __init__(self, search):
        # search: a `DenseSearch`.
        n, d = search.n_rows, search.blocks.cells.shape[1]
        self.is_sorted = d == 1
        order, starts = np.arange(n), np.array([0, n])
        leaf_bounds, group_bounds = np.empty((2, 1, 0, 1)), np.empty((2, 0, 1))
        if self.is_sorted:
            order = np.argsort(search.transformed_rows()[:, 0], kind="stable")
        elif search.has_tree:
            leaves = search.blocks.indices
            n_leaves = len(leaves)
            order = leaves[leaves >= 0]
            starts = np.append(0, np.cumsum(np.count_nonzero(leaves >= 0, axis=1)))
            n_groups = 1 << (n_leaves.bit_length() // 2)
            nodes = search.boxes
            groups = nodes[:, n_leaves - 1 :]
            groups = groups.reshape(2, n_groups, n_leaves // n_groups, d)
            leaf_bounds = groups.transpose(0, 1, 3, 2)
            group_bounds = nodes[:, n_groups - 1 : 2 * n_groups - 1].transpose(0, 2, 1)
        self.order = order
        bounds = (frozen(part, np.float64) for part in (leaf_bounds, group_bounds))
        self._boxes = Boxes(frozen(starts, np.int64), *bounds)

    def find(self, columns, points, removed, rule):
        """Yield slices of the queries, with their `Windows` until the next slice."""
        # columns: (d, n), the rows in this order, transposed; points: (m, d), fastest
        # if consecutive ones are near each other; removed: (m,), the position of a row
        # that is no part of the window, or -1.
        n, m = columns.shape[1], len(points)
        points, removed = frozen(points, np.float64), frozen(removed, np.int64)
        gaps = np.empty((2, max(bounds.shape[-1] for bounds in self._boxes[1:])))
        found = Windows.empty(m, n + min(_LIST_LENGTH, n * m))
        nearby, done = np.array([0.0, np.inf]), 0
        while done < m:
            first = done
            if self.is_sorted:
                done = find_ranges(columns, points, done, removed, rule, found)
            else:
                done = find_windows(
                    columns,
                    self._boxes,
                    points,
                    done,
                    removed,
                    rule,
                    nearby,
                    gaps,
                    found,
                )
            rows = slice(first, done)
            yield rows, found.part(rows)


@kernel(only_in_kernels=True)
def _count_within(values, bound):
    """Return how many values are at most bound."""
    count = 0
    for r in range(len(values)):
        count += values[r] <= bound
    return count


@kernel(only_in_kernels=True)
def _largest_within(values, bound):
    """Return the largest finite one of the values up to `bound`, or 0."""
    # Values are not negative.
    bound = min(bound, _MAX_FINITE)
    max0 = max1 = max2 = max3 = 0.0
    size = len(values)
    for r in range(0, size - size % 4, 4):  # four chains: maxima are not vectorised
        x0, x1, x2, x3 = values[r], values[r + 1], values[r + 2], values[r + 3]
        max0 = x0 if max0 < x0 <= bound else max0
        max1 = x1 if max1 < x1 <= bound else max1
        max2 = x2 if max2 < x2 <= bound else max2
        max3 = x3 if max3 < x3 <= bound else max3
    for r in range(size - size % 4, size):
        max0 = values[r] if max0 < values[r] <= bound else max0
    return max(max(max0, max1), max(max2, max3))


@kernel(only_in_kernels=True)
def _rank_distance(values, rank, low, high):
    """Return the rank-th smallest value; bounds, of any kind, only save work."""
    # Guesses assume that counts grow evenly between the bounds. They aim a little
    # beyond the rank, so that both bounds move. Also returned: a lower bound.
    n_low, n_high = _count_within(values, low), _count_within(values, high)
    if n_high < rank or high == math.inf:
        high = _largest_within(values, math.inf)
        n_high = _count_within(values, high)
        if n_high < rank:
            return math.inf, 0.0
    if low < 0.0 or n_low >= rank:
        low, n_low = 0.0, _count_within(values, 0.0)
        if n_low >= rank:
            return 0.0, 0.0
    n_guesses = 0
    while True:
        if n_high == rank or n_guesses % _GUESSES_PER_CUT == _GUESSES_PER_CUT - 1:
            high = _largest_within(values, high)
            before = np.nextafter(high, 0.0)
            n_before = _count_within(values, before)
            if n_before < rank:
                return high, low
            high, n_high = before, n_before
        if n_high - rank > rank - n_low:
            aim = rank - 0.5 + 0.7 * math.sqrt(rank - n_low)
        else:
            aim = rank - 0.5 - 0.7 * math.sqrt(n_high - rank)
        guess = low + (high - low) * ((max(aim, 0.5) - n_low) / (n_high - n_low))
        if n_guesses > _MAX_INTERPOLATIONS or not low < guess < high:
            guess = low + (high - low) / 2
            if not low < guess < high:
                return high, low
        n_guesses += 1
        n_guess = _count_within(values, guess)
        if n_guess >= rank:
            high, n_high = guess, n_guess
        else:
            low, n_low = guess, n_guess


@kernel(only_in_kernels=True)
def _write_gaps(lower, upper, query, gaps):
    """Write the squared distances of boxes from a query; 0 if boxes have no columns."""
    d, n_boxes = lower.shape
    for b in range(n_boxes):
        gaps[b] = 0.0
    for j in range(d):
        x = query[j]
        for b in range(n_boxes):
            t = max(max(lower[j, b] - x, x - upper[j, b]), 0.0)
            gaps[b] += t * t


@kernel(only_in_kernels=True)
def _measure(columns, first, query, distances_sq):
    """Write squared distances of consecutive rows, summed column by column."""
    d, last = len(columns), first + len(distances_sq)
    for r in range(len(distances_sq) if d < 4 else 0):
        distances_sq[r] = 0.0
    for j in range(0, d - d % 4, 4):
        x0, x1, x2, x3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        c0, c1 = columns[j, first:last], columns[j + 1, first:last]
        c2, c3 = columns[j + 2, first:last], columns[j + 3, first:last]
        for r in range(len(distances_sq)):
            t0, t1, t2, t3 = c0[r] - x0, c1[r] - x1, c2[r] - x2, c3[r] - x3
            partial = distances_sq[r] if j > 0 else 0.0
            distances_sq[r] = (((partial + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
    for j in range(d - d % 4, d):
        x0, c0 = query[j], columns[j, first:last]
        for r in range(len(distances_sq)):
            t0 = c0[r] - x0
            distances_sq[r] += t0 * t0


@kernel(only_in_kernels=True)
def _list_within(columns, boxes, query, radius_sq, gaps, indices, distances_sq):
    """List the rows up to a squared distance; if it is infinite, only all distances."""
    # Returned: their number.
    starts, leaf_bounds, group_bounds = boxes
    group_size = leaf_bounds.shape[3]
    size = np.uintp(0)  # unsigned: indexing needs no test for negative numbers
    if radius_sq == math.inf:
        n = columns.shape[1]
        _measure(columns, np.int64(0), query, distances_sq[:n])
        return n
    _write_gaps(group_bounds[0], group_bounds[1], query, gaps[0])
    for c in range(group_bounds.shape[2]):
        if not gaps[0, c] <= radius_sq:
            continue
        _write_gaps(leaf_bounds[0, c], leaf_bounds[1, c], query, gaps[1])
        for i in range(group_size):
            if not gaps[1, i] <= radius_sq:
                continue
            first = starts[c * group_size + i]
            n_rows = starts[c * group_size + i + 1] - first
            here = distances_sq[np.int64(size) : np.int64(size) + n_rows]
            _measure(columns, first, query, here)
            for r in range(n_rows):  # no branch: a row too far is overwritten
                distance_sq = here[r]
                distances_sq[size], indices[size] = distance_sq, first + r
                size += np.uintp(distance_sq <= radius_sq)
    return np.int64(size)


@inlined
def _drop(indices, distances_sq, size, radius_sq, removed):
    """Drop the rows beyond a squared distance, and one row; return how many stay."""
    count = np.uintp(0)
    for c in range(size):
        row, distance_sq = indices[c], distances_sq[c]
        indices[count], distances_sq[count] = row, distance_sq
        count += np.uintp((distance_sq <= radius_sq) & (row != removed))
    return np.int64(count)


@kernel
def find_windows(columns, boxes, points, q, removed, rule, nearby, gaps, found):
    """Write windows from query q on until the lists are full; return the next query."""
    # nearby: (2,), bounds of the k-th distance of the query before, 0 and infinity if
    # unknown. They only save work: a window depends on its query alone.
    k, factor, min_bandwidth_sq, infinite_support = rule
    starts, counts, firsts, all_indices, all_distances_sq, bandwidths_sq = found
    (d, n), m, used = columns.shape, len(points), np.int64(0)
    while q < m and len(all_indices) - used >= n:
        query, indices, distances_sq = (
            points[q],
            all_indices[used:],
            all_distances_sq[used:],
        )
        radius_sq, bandwidth_sq, size, is_listed = 0.0, -1.0, np.int64(0), True
        if k > 0:
            rank = min(k + (removed[q] >= 0), n)
            is_listed = _MIN_ROWS_PER_LISTED_ROW * rank < n
            shift = 0.0
            for j in range(d if q > 0 else 0):
                shift += (query[j] - points[q - 1, j]) ** 2
            shift = math.sqrt(shift)
            for growth in _GROWTHS:
                # The product is NaN if the shift is 0.
                radius = nearby[1] + (growth * shift if growth < math.inf else growth)
                radius_sq = (radius * _RELATIVE_SLACK + _ABSOLUTE_SLACK) ** 2
                if is_listed or size == 0:
                    within = radius_sq if is_listed else math.inf
                    size = _list_within(
                        columns, boxes, query, within, gaps, indices, distances_sq
                    )
                if _count_within(distances_sq[:size], radius_sq) >= rank:
                    break
            is_indexed = radius_sq < math.inf
            lower = (nearby[0] - shift) / _RELATIVE_SLACK - _ABSOLUTE_SLACK
            lower = lower * lower if lower > 0.0 else -1.0
            radius_sq, lower = _rank_distance(
                distances_sq[:size], rank, lower, radius_sq
            )
            nearby[0], nearby[1] = math.sqrt(lower), math.sqrt(radius_sq)
            if removed[q] >= 0:
                removed_sq = 0.0  # summed as in `_measure`
                for j in range(d):
                    removed_sq += (columns[j, removed[q]] - query[j]) ** 2
                if removed_sq >= radius_sq:  # it is none of the k nearest
                    radius_sq, lower = _rank_distance(
                        distances_sq[:size], rank - 1, -1.0, radius_sq
                    )
            bandwidth_sq = radius_sq * factor
            for r in range(size if is_listed and not is_indexed else 0):
                indices[r] = r
        if bandwidth_sq < min_bandwidth_sq:
            # The k-th row is nearer than the minimum bandwidth: all rows within that.
            is_listed = not infinite_support and min_bandwidth_sq < math.inf
            radius_sq = min_bandwidth_sq if is_listed else math.inf
            size = _list_within(
                columns, boxes, query, radius_sq, gaps, indices, distances_sq
            )
            bandwidth_sq = min_bandwidth_sq
            if bandwidth_sq == math.inf:
                bandwidth_sq = _largest_within(distances_sq[:size], math.inf)
        if is_listed:
            size = _drop(indices, distances_sq, size, radius_sq, removed[q])
        else:
            for r in range(size if radius_sq < math.inf else 0):
                is_in = distances_sq[r] <= radius_sq
                distances_sq[r] = distances_sq[r] if is_in else math.inf
            if removed[q] >= 0:
                distances_sq[removed[q]] = math.inf
        starts[q], counts[q], firsts[q] = used, size, -1 if is_listed else 0
        bandwidths_sq[q] = bandwidth_sq
        used += size
        q += 1
    return q


# A window among rows sorted by one column: a range of them.


@inlined
def _first_nearest(column, x, k):
    """Return the position where the k nearest rows begin."""
    low, high = 0, len(column) - k
    while low < high:
        middle = (low + high) // 2
        left, right = column[middle] - x, column[middle + k] - x
        if left >= 0.0 or (right > 0.0 and left * left <= right * right):
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def _rank_distance_in_range(column, x, rank):
    """Return the rank-th smallest squared distance from x."""
    nearest = _first_nearest(column, x, rank)
    left, right = column[nearest] - x, column[nearest + rank - 1] - x
    return max(left * left, right * right)


@inlined
def _first_beyond(column, x, radius_sq, low):
    """Return the first row from low on that is above x, and beyond a distance of it."""
    high = len(column)
    while low < high:
        middle = (low + high) // 2
        gap = column[middle] - x
        if gap > 0.0 and gap * gap > radius_sq:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def _first_within(column, x, radius_sq):
    """Return the first row that is above x, or within a squared distance of it."""
    low, high = 0, len(column)
    while low < high:
        middle = (low + high) // 2
        gap = column[middle] - x
        if gap >= 0.0 or gap * gap <= radius_sq:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def find_ranges(columns, points, q, removed, rule, found):
    """Do as `find_windows` does among rows that are sorted by their only column."""
    k, factor, min_bandwidth_sq, infinite_support = rule
    starts, counts, firsts, indices, all_distances_sq, bandwidths_sq = found
    column, n, m, used = columns[0], columns.shape[1], len(points), np.int64(0)
    while q < m and len(indices) - used >= n:
        x, radius_sq, bandwidth_sq = points[q, 0], math.inf, -1.0
        if k > 0:
            rank = min(k + (removed[q] >= 0), n)
            radius_sq = _rank_distance_in_range(column, x, rank)
            gap = column[removed[q]] - x if removed[q] >= 0 else 0.0
            if removed[q] >= 0 and gap * gap >= radius_sq:
                # The row removed is none of the k nearest.
                radius_sq = _rank_distance_in_range(column, x, rank - 1)
            bandwidth_sq = radius_sq * factor
        if bandwidth_sq < min_bandwidth_sq:
            bandwidth_sq = min_bandwidth_sq
            radius_sq = math.inf if infinite_support else bandwidth_sq
            if bandwidth_sq == math.inf:
                left, right = column[0] - x, column[n - 1] - x
                bandwidth_sq = max(left * left, right * right)
        first = _first_within(column, x, radius_sq)
        size = _first_beyond(column, x, radius_sq, first) - first
        near, distances_sq = column[first:], all_distances_sq[used:]
        for r in range(size):
            t = near[r] - x
            distances_sq[r] = t * t
        if first <= removed[q] < first + size:
            distances_sq[removed[q] - first] = math.inf
        starts[q], counts[q], firsts[q] = used, size, first
        bandwidths_sq[q] = bandwidth_sq
        used += size
        q += 1
    return q
