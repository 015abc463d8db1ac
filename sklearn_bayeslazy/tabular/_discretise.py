r"""Cut points for a column of numbers: quantile, uniform, MDLP and one binary cut.

Every function returns the sorted cut points v between adjacent bins. The bin of a
number x is the number of cut points ≤ x, so one cut point is the binary split
A < v / A ≥ v. NaN are ignored.

MDLP is Fayyad & Irani (1993), "Multi-interval discretization of continuous-valued
attributes for classification learning": a set S of total weight N is cut where the
class entropy of the two sides is least, and its sides are cut again, while

.. math::

    \mathrm{Gain} > \frac{\log_2(N - 1)}{N} + \frac{\log_2(3^k - 2)
    - k\,\mathrm{Ent}(S) + k_1 \mathrm{Ent}(S_1) + k_2 \mathrm{Ent}(S_2)}{N}

with k, k₁, k₂ the numbers of classes present in S and in its two sides.
"""

import numpy as np

from .._core._arrays import at_least_rows
from .._core._kernel import frozen, inlined, kernel
from ._number_codes import WINDOW

# Every bin of equal width is stored, also those without a value.
_MAX_UNIFORM_BINS = 2**20
# The relative rounding of sums of up to a million equal weights.
_MAX_ROUNDING = 1e-10
# A smaller part of the least weight is no unit of all weights.
_MIN_UNIT = 1e-3


def quantile_edges(x, n_bins, weight=None):
    """Return cut points that give bins of nearly equal weight.

    >>> quantile_edges(np.array([1., 2., 3., 4.]), 2)
    array([2.5])
    >>> quantile_edges(np.array([0., 0., 0., 7.]), 2)
    array([3.5])
    """
    # The k-th cut lies midway between the k/n_bins quantile (inverted CDF: the least
    # value whose cumulative weight reaches the share) and the next larger value, so
    # that no bin is empty if values are tied. There are fewer cuts if there are fewer
    # distinct values than bins.
    return quantile_cuts(*weighted_unique(x, weight), n_bins)


def quantile_cuts(values, weight, n_bins):
    """Return the `quantile_edges` of sorted distinct values and their weights.

    >>> quantile_cuts(np.array([1.0, 2.0, 4.0]), np.array([2, 1, 1]), 2)
    array([1.5])
    """
    if not len(values):
        return np.empty(0)
    cumulative = np.cumsum(_whole_multiples(weight))
    if cumulative[-1] > 1e290:  # n_bins times the weight would overflow
        cumulative = cumulative * 0.5**64
    n_bins = min(n_bins, 2**53)  # float64 cannot hold every integer
    total = max(cumulative[-1], np.nextafter(0, 1))
    # The number of shares k/n_bins of the weight that each value reaches. Compared as
    # (weight · n_bins ≥ total · k), because a quotient may be rounded.
    reached = np.floor(cumulative / total * n_bins)
    reached -= total * reached > cumulative * n_bins
    reached += total * (reached + 1) <= cumulative * n_bins
    reached = np.minimum(reached[:-1], n_bins - 1)
    is_quantile = np.diff(reached, prepend=0.0) > 0
    return midpoint(values[:-1][is_quantile], values[1:][is_quantile])


def frequent_value_cuts(values, weights, n_bins):
    """Return cut points of bins of nearly equal weight, with bins for frequent values.

    >>> values, weights = np.unique([0, 0, 0, 0, 0, 0, 1, 2, 3, 4], return_counts=True)
    >>> frequent_value_cuts(values, weights, 3)
    array([0.5, 2.5])
    """
    # values: sorted and distinct, with their total weights. A value of at least
    # 1/n_bins of the weight has a separate bin. The others share the remaining bins by
    # quantiles, and the rule is repeated until no value is that frequent. A column
    # whose cells are mostly 0 keeps bins for the numbers that are not.
    last = frequent_value_ends(weights, n_bins)
    return midpoint(values[last], values[last + 1])


def frequent_value_ends(weights, n_bins):
    """Return the index of the last value of each of these bins but the last.

    >>> frequent_value_ends(np.array([6, 1, 1, 1, 1]), 3)
    array([0, 2])
    """
    weights = _whole_multiples(weights)
    if weights.sum() > 1e290:  # n_bins times the weight would overflow
        weights = weights * 0.5**64
    alone = np.zeros(len(weights), dtype=bool)
    free = min(n_bins, 2**53)  # float64 cannot hold every integer
    while free > 1:
        rest = weights[~alone].sum()
        frequent = ~alone & (weights * free >= rest)
        if not frequent.any() or frequent.sum() >= free:
            break
        alone |= frequent
        free -= int(frequent.sum())
    # Bins of the other values: how many shares of the weight end at or before a value.
    others = np.where(alone, 0, weights)
    share = np.cumsum(others) - others
    total = max(others.sum(), np.finfo(np.float64).tiny)
    bins = np.floor(share / total * free)
    return np.flatnonzero((np.diff(bins) > 0) | alone[1:] | alone[:-1])


def _whole_multiples(weights):
    """Return weights as whole multiples of a unit, if there is one but for rounding.

    >>> _whole_multiples(np.array([0.3, 0.4, 0.1 + 0.2]))
    array([3., 4., 3.])
    """
    # Sums of whole numbers are exact: a common factor of all weights moves no cut. The
    # unit is found by Euclid's algorithm, with remainders from -1/2 to 1/2.
    if not len(weights) or not weights.min() > _MAX_ROUNDING * weights.max():
        return weights
    unit = least = weights.min()
    while unit >= _MIN_UNIT * least:
        whole = np.round(weights / unit)
        remainder = np.abs(weights - whole * unit)
        has_remainder = remainder > _MAX_ROUNDING * weights
        if not has_remainder.any():
            return whole
        unit = remainder[has_remainder].min()
    return weights


def uniform_edges(x, n_bins, weight=None):
    """Return the cut points of `n_bins` bins of equal width.

    >>> uniform_edges(np.array([0., 1., 4.]), 4)
    array([1., 2., 3.])
    """
    if n_bins > _MAX_UNIFORM_BINS:
        raise ValueError(
            f"n_bins={n_bins!r:.40} bins of equal width exceed the memory: at most "
            f"{_MAX_UNIFORM_BINS} are supported. Use fewer bins, or quantiles."
        )
    x, weight = _without_nan(x, weight)
    if not len(x) or x.min() == x.max():
        return np.empty(0)
    share = np.arange(1, n_bins) / n_bins
    edges = np.unique(x.min() * (1 - share) + x.max() * share)  # never overflows
    return edges[edges > x.min()]  # rounding must not leave the first bin empty


def mdlp_edges(x, classes, n_classes, weight=None):
    """Return the cut points that the minimum description length principle accepts.

    >>> x = np.arange(12.)
    >>> mdlp_edges(x, (x > 5).astype(np.int32), 2)
    array([5.5])
    """
    x, classes, weight = _sorted(x, classes, weight)
    if not len(x):
        return np.empty(0)
    weight = at_least_rows(weight)  # the principle counts rows
    edges, intervals = [], [(0, len(x))]
    while intervals:
        start, stop = intervals.pop()
        rows = slice(start, stop)
        cut = _best_cut(x[rows], classes[rows], weight[rows], n_classes)
        if cut < 0:
            continue
        cut += start
        class_weights = [
            np.bincount(classes[a:b], weight[a:b], n_classes)
            for a, b in ((start, cut), (cut, stop))
        ]
        if _mdlp_accepts(*class_weights):
            edges.append(midpoint(x[cut - 1], x[cut]))
            intervals += [(start, cut), (cut, stop)]
    return np.sort(np.array(edges, dtype=np.float64))


def separate_frequent_values(edges, x, classes, n_classes, weight, n_bins):
    """Return cut points and those around values that MDLP parts from their bins.

    >>> x = np.array([1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0, 5.0])
    >>> separate_frequent_values(np.empty(0), x, (x == 3).astype(int), 2, None, 2)
    array([2.5, 3.5])
    """
    # A value of at least 1 / n_bins of the weight, as the 0 of an amount, may tell
    # something else than the values on both sides, which no single cut finds.
    x, classes, weight = _sorted(x, classes, weight)
    if not len(x):
        return edges
    weight = at_least_rows(weight)
    values, total = weighted_unique(x, weight)
    limit = (1 - _MAX_ROUNDING) * np.sum(total / n_bins)
    for v in np.flatnonzero(total >= limit):
        rows = np.searchsorted(edges, x, "right")
        rows = rows == np.searchsorted(edges, values[v], "right")
        is_value = x[rows] == values[v]
        parts = [
            np.bincount(classes[rows][some], weight[rows][some], n_classes)
            for some in (is_value, ~is_value)
        ]
        if _mdlp_accepts(*parts):
            near = values[max(v - 1, 0) : v + 2]
            edges = np.union1d(edges, midpoint(near[:-1], near[1:]))
    return edges


def binary_edge(x, classes, n_classes, weight=None):
    """Return the one cut point with the least class entropy, none if x is constant.

    >>> binary_edge(np.array([1., 2., 8., 9.]), np.array([0, 0, 1, 0], np.int32), 2)
    array([5.])
    """
    x, classes, weight = _sorted(x, classes, weight)
    cut = _best_cut(x, classes, weight, n_classes)
    return midpoint(x[[cut - 1]], x[[cut]]) if cut > 0 else np.empty(0)


def cut_points(x, binning, n_bins, classes=None, n_classes=0, weight=None):
    """Return the cut points of a column for one of the named ways of binning.

    >>> cut_points(np.array([1., 2., 3., 4.]), "quantile", 2)
    array([2.5])
    """
    if binning == "quantile":
        return quantile_edges(x, n_bins, weight)
    if binning == "frequent_values":
        return frequent_value_cuts(*weighted_unique(x, weight), n_bins)
    if binning == "uniform":
        return uniform_edges(x, n_bins, weight)
    by_class = mdlp_edges if binning == "mdlp" else binary_edge
    return by_class(x, classes, n_classes, weight)


def midpoint(low, high):
    """Return a number v with low < v ≤ high, the middle if a float lies between."""
    middle = 0.5 * low + 0.5 * high
    return np.where((middle > low) & (middle <= high), middle, high)


def _mdlp_accepts(left, right):
    """Return whether MDLP accepts a cut into class weights `left` and `right`."""
    whole = left + right
    n = whole.sum()
    if n <= 1 or np.count_nonzero(whole) == 1:
        return False
    if not (left.any() and right.any()):  # tiny weights have underflowed
        return False
    k, k_left, k_right = (np.count_nonzero(side) for side in (whole, left, right))
    ent, ent_left, ent_right = map(_entropy, (whole, left, right))
    gain = ent - (left.sum() * ent_left + right.sum() * ent_right) / n
    # log2(3^k - 2) without the power
    log_choices = k * np.log2(3) + np.log1p(-2 * 3.0**-k) / np.log(2)
    delta = log_choices - (k * ent - k_left * ent_left - k_right * ent_right)
    return gain > (np.log2(n - 1) + delta) / n


def _entropy(class_weights):
    share = class_weights / class_weights.sum()
    share = share[share > 0]  # of tiny weights it underflows
    return -np.sum(share * np.log2(share))


def _best_cut(x, classes, weight, n_classes):
    right = np.bincount(classes, weight, n_classes).astype(np.float64)
    return best_cut(
        frozen(x, np.float64),
        frozen(classes, np.int32),
        frozen(weight, np.float64),
        np.zeros(n_classes),
        right,
    )


@inlined
def x_log2_x(t):
    """Return t log2 t, 0 where rounding left t at or below 0."""
    return t * np.log2(t) if t > 0 else 0.0


@kernel
def best_cut(x, classes, weight, left, right):
    """Return the row of sorted x before which a cut leaves the least class entropy."""
    # -1 if x holds only one value. Ties go to the lower cut. x, classes, weight: (n,).
    # left (zeros) and right (the class weights): (n_classes,), overwritten.
    #
    # With f(t) = t log2 t, the entropy of a side of total weight N and class weights
    # T_c, times N, is f(N) - Σ f(T_c). Moving a row across the cut changes one class on
    # each side.
    total_left = total_right = sum_left = sum_right = 0.0
    for c in range(right.shape[0]):
        total_right += right[c]
        sum_right += x_log2_x(right[c])
    tolerance = 1e-12 * total_right
    best = -1
    least = np.inf
    for i in range(x.shape[0] - 1):
        c = classes[i]
        sum_left -= x_log2_x(left[c])
        sum_right -= x_log2_x(right[c])
        left[c] += weight[i]
        right[c] -= weight[i]
        sum_left += x_log2_x(left[c])
        sum_right += x_log2_x(right[c])
        total_left += weight[i]
        total_right -= weight[i]
        if x[i] < x[i + 1]:
            impurity = (x_log2_x(total_left) - sum_left) + (
                x_log2_x(total_right) - sum_right
            )
            if impurity < least - tolerance:
                least = impurity
                best = i + 1
    return best


def weighted_unique(x, weight=None):
    """Return the sorted distinct numbers and the total weight of each, without NaN.

    >>> weighted_unique(np.array([2.0, 1.0, np.nan, 2.0]))
    (array([1., 2.]), array([1, 2]))
    """
    x, weight = _without_nan(x, weight)
    if weight is None:
        return np.unique(x, return_counts=True)
    values, inverse = np.unique(x, return_inverse=True)
    return values, np.bincount(inverse, weight, minlength=len(values))


def merge_equal_rows(x, classes, weight=None):
    """Return the pairs of number and class and their weights, equal pairs merged.

    >>> x, classes = np.array([3.0, 1.0, 3.0, 3.0]), np.array([0, 1, 1, 0])
    >>> merge_equal_rows(x, classes)
    (array([1., 3., 3.]), array([1, 0, 1]), array([1., 2., 1.]))
    """
    # x, weight: (n_rows,). classes: (n_rows,), -1 where the class is missing, or None
    # for a column without classes. Cut points depend on the pairs only. NaN are
    # dropped. The rows are returned unmerged unless the numbers are whole steps of 1
    # and less than WINDOW apart.
    weight = np.ones(len(x)) if weight is None else weight
    classes = np.zeros(len(x), dtype=np.int32) if classes is None else classes
    if np.isnan(x).any():
        known = ~np.isnan(x)
        x, classes, weight = x[known], classes[known], weight[known]
    low = x.min(initial=np.inf)
    if not len(x) or not x.max() < low + WINDOW:  # a difference might overflow
        return x, classes, weight
    steps = (x - low).astype(np.int64)
    if np.any(steps + low != x):
        return x, classes, weight
    n_classes = int(classes.max()) + 2
    pair = steps * n_classes + (classes + 1)
    n_rows, total = np.bincount(pair), np.bincount(pair, weight)
    pair = np.flatnonzero(n_rows)
    return low + pair // n_classes, pair % n_classes - 1, total[pair]


def _without_nan(x, weight):
    known = ~np.isnan(x)
    return x[known], None if weight is None else weight[known]


def _sorted(x, classes, weight):
    weight = np.ones(len(x)) if weight is None else weight
    order = np.argsort(x, kind="stable")[: np.count_nonzero(~np.isnan(x))]
    return x[order], classes[order], weight[order]
