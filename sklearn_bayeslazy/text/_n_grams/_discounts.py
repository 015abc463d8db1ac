"""Discounts of n-gram counts, and the counts of Kneser–Ney.

Kneser–Ney replaces the counts of n-grams that are shorter than the order. It does not
count occurrences but the distinct words that come before (n-grams that begin a sentence
keep their count). Its three discounts, for counts of 1, 2 and more, follow from the
numbers of n-grams with the counts 1 to 4, for each class and length (Chen & Goodman
1998, equation 26). If one of these numbers is 0, or if a discount lies outside [0,
count], the discounts are ½, 1 and 1½.
"""

import numpy as np

from ..._core._kernel import frozen
from ._counts import START
from ._kernels import find_suffixes

_DEFAULT_DISCOUNTS = np.array([0.5, 1.0, 1.5])
# The sum of ten weights of 0.1 may differ from 1 by less than this.
_ROUNDING = 1e-9
# Larger counts are tabulated as this one; only those up to 4 are used.
_MAX_TABULATED = 5


def suffixes_of(counts):
    """Return the node of each n-gram without its first word."""
    return find_suffixes(
        frozen(counts.word, np.int32),
        frozen(counts.first_child, np.int64),
        frozen(counts.history, np.int64),
        counts.level_start[2],
    )


def continuation_counts(counts, suffix=None):
    """Return the counts of Kneser–Ney: of distinct words before, if there are any."""
    # Returns (n_pairs,). The longest n-grams, those that begin with START, and those
    # before which no word ever comes (a document begins with them) keep their counts.
    history = counts.history
    suffix = suffixes_of(counts) if suffix is None else suffix
    begins = counts.word == START  # whether the first word is START
    for length in range(2, counts.order):
        first, last = counts.level_start[length : length + 2]
        begins[first:last] = begins[history[first:last]]
    node = counts.pair_node
    longer = slice(counts.pairs_of(2).start, None) if counts.order > 1 else slice(0, 0)
    shorter = counts.pairs(suffix[node[longer]], counts.pair_class[longer])
    n_before = np.bincount(shorter, counts.count[longer] > 0, len(node))
    keeps_count = begins[node] | (n_before == 0)
    keeps_count[counts.pairs_of(counts.order)] = True
    return np.where(keeps_count, counts.count, n_before)


def estimate_discounts(n_with_count):
    """Return the discounts for counts of 1, 2 and more (Chen & Goodman 1998, eq. 26).

    >>> estimate_discounts([10, 5, 3, 2]).round(3)
    array([0.5  , 1.1  , 1.667])
    """
    # n_with_count: the numbers of n-grams with the counts 1, 2, 3 and 4. In the example
    # Y = 10 / (10 + 2 · 5) = ½ and the discounts are 1 - 2 Y 5/10, 2 - 3 Y 3/5 and
    # 3 - 4 Y 2/3.
    n = np.asarray(n_with_count, dtype=np.float64)
    if np.any(n <= 0):
        return _DEFAULT_DISCOUNTS
    k = np.arange(1.0, 4.0)
    y = n[0] / (n[0] + 2 * n[1])
    discounts = k - (k + 1) * y * n[1:] / n[:-1]
    valid = np.all((discounts >= 0) & (discounts <= k))
    return discounts if valid else _DEFAULT_DISCOUNTS


def discounts_by_count(counts, count, parameter):
    """Return the discounts of shape (n_classes, order, 3): given, or estimated."""
    # count: (n_pairs,), the counts to be discounted; parameter: the given discounts, a
    # float, (order,) or (order, 3); None to estimate them.
    shape = (counts.n_classes, counts.order, 3)
    if parameter is not None:
        given = np.asarray(parameter)
        given = given[:, None] if given.ndim == 1 else given
        return np.broadcast_to(given, shape).copy()
    discounts = np.empty(shape)
    n_columns = _MAX_TABULATED + 1
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        rounded = _round_up(count[pairs]).clip(0, _MAX_TABULATED)
        key = counts.pair_class[pairs] * n_columns + rounded
        table = np.bincount(key, minlength=n_columns * counts.n_classes)
        for c, n_with_count in enumerate(table.reshape(-1, n_columns)[:, 1:5]):
            discounts[c, length - 1] = estimate_discounts(n_with_count)
    return discounts


def discount_of_pairs(counts, count, discounts):
    """Return the discount of each pair; 0 where there are no discounts."""
    if discounts is None:
        return 0.0
    discount = np.zeros(len(count))
    for length in range(1, counts.order + 1):
        pairs = counts.pairs_of(length)
        column = _round_up(count[pairs]).clip(1, 3) - 1
        discount[pairs] = discounts[counts.pair_class[pairs], length - 1, column]
    return discount


def _round_up(count):
    """Return counts up to 9 rounded up; weights that differ by rounding error agree."""
    return np.ceil(np.minimum(count, 9.0) * (1 - _ROUNDING)).astype(np.int64)
