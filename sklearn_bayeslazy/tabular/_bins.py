"""A whole table as small codes, for learners that read it many times.

Numbers are encoded by ordered bins: one for each distinct value, or quantile bins.
Each category has a code. The last code stands for missing cells.
"""

from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config

from .._core._kernel import copy_numbers, frozen, kernel
from .._core._parallel import map_tasks, slices_of
from ._discretise import midpoint, quantile_cuts, weighted_unique
from ._table import infinity_error

# Columns whose codes are interleaved: one read of a row serves all of them.
LANES = 4
# One byte encodes 255 bins, or 254 categories and "other", and missing cells.
_N_BYTE_CODES = 256
MAX_BINS = _N_BYTE_CODES - 1
_MAX_CATEGORIES = _N_BYTE_CODES - 2
# Fewer rows are sorted, which is then cheaper than buckets.
_MIN_ROWS_FOR_BUCKETS = 4096
_MAX_BUCKETS = 2**14  # their counts fit the cache
# Columns read together: the numbers of one cache line.
_MAX_COLUMNS_READ = 8


@dataclass
class CodeTable:
    """A table as codes."""

    # The codes of column j are codes[j // LANES, :, j % LANES], uint8 or uint16.

    codes: np.ndarray  # (ceil(n_columns / LANES), n_rows, LANES)
    n_codes: int  # of each column; the last is that of missing cells
    n_bins: np.ndarray  # (n_columns,): the codes below it are bins or categories
    cuts: list  # of each column: the cut points, as in `_discretise`; None for labels
    categories: list  # of each column: all categories; None for numbers
    category_of_code: list  # of each column: an index of categories; None for numbers

    @property
    def missing(self):
        """The code of missing cells."""
        return self.n_codes - 1

    def column(self, j):
        """Return the codes of a column."""
        return self.codes[j // LANES, :, j % LANES]


def code_table(table, max_bins=255, weight=None, n_jobs=None):
    """Return a :class:`CodeTable` of a table."""
    # max_bins: from 2 to 255; codes are then bytes. None: a bin for each value, of
    # which there must be fewer than 65 535; codes take two bytes if a column has more
    # than 255 values. weight: (n_rows,), for weighted quantiles, or None.
    n_rows, n_columns = table.n_rows, table.n_columns
    if weight is not None and np.all(weight == weight[0]):
        weight = None
    labels = [table.labels(j) for j in range(n_columns)]
    numeric = np.flatnonzero([column is None for column in labels])
    n_codes = _N_BYTE_CODES
    if max_bins is None:
        n_values = [len(np.unique(table.column(j))) for j in numeric]
        n_codes = max([n_codes, *(n + 1 for n in n_values)])
        max_bins = n_codes - 1
    coded = CodeTable(
        np.zeros(
            (-(-n_columns // LANES), n_rows, LANES),
            dtype=np.uint8 if n_codes == _N_BYTE_CODES else np.uint16,
        ),
        n_codes,
        np.zeros(n_columns, np.int64),
        *([None] * n_columns for _ in range(3)),
    )
    n_threads = max(min(effective_n_jobs(n_jobs), len(numeric)), 1)
    size = _columns_per_block(n_rows, n_threads)

    def encode_columns(share):
        block = np.empty((size, n_rows))  # reused, because fresh memory is slow
        for some in slices_of(range(len(share)), size):
            columns = share[some]
            table.read_by_column(columns, block[: len(columns)])
            for j, cells in zip(columns, block):
                x = frozen(cells, np.float64)
                low, high, n_present = span = extent(x)
                if n_present and np.isinf([low, high]).any():
                    raise infinity_error(table.names[j])
                codes = coded.column(j)
                cuts = _encode(x, span, max_bins, weight, coded.missing, codes)
                coded.cuts[j], coded.n_bins[j] = cuts, len(cuts) + 1

    map_tasks(encode_columns, np.array_split(numeric, n_threads), n_jobs=n_jobs)
    for j, column in enumerate(labels):
        if column is not None:
            _encode_labels(coded, j, column, weight)
    return coded


def _columns_per_block(n_rows, n_workers):
    """Return how many columns each thread may hold as numbers."""
    budget = get_config()["working_memory"] * 2**20 / n_workers
    return int(np.clip(budget // (8 * max(n_rows, 1)), 1, _MAX_COLUMNS_READ))


def _encode_labels(coded, j, labels, weight):
    """Write the codes of a column of labels; the rarest of many share a code."""
    n_categories = len(labels.categories)
    kept = np.arange(n_categories)
    if n_categories > _MAX_CATEGORIES:
        known = labels.codes >= 0
        label_weight = np.bincount(
            labels.codes[known],
            None if weight is None else weight[known],
            minlength=n_categories,
        )
        kept = np.sort(np.argsort(-label_weight, kind="stable")[:_MAX_CATEGORIES])
    other = coded.missing - 1
    code_of = np.full(n_categories + 1, other, dtype=coded.codes.dtype)
    code_of[kept] = np.arange(len(kept))
    code_of[-1] = coded.missing  # where a code is -1
    coded.column(j)[:] = code_of[labels.codes]
    coded.n_bins[j] = len(kept)
    coded.categories[j] = labels.categories
    coded.category_of_code[j] = kept


def split_points(x, max_bins, weight=None):
    """Return the cut points between all values, or quantiles if there are too many.

    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 3)
    array([1.5, 2.5])
    >>> split_points(np.array([3.0, 1.0, 1.0, 2.0]), 2)
    array([1.5])
    """
    values, value_weight = weighted_unique(x, weight)
    if len(values) <= max_bins:
        return midpoint(values[:-1], values[1:])
    return quantile_cuts(values, value_weight, max_bins)


def _encode(x, span, max_bins, weight, missing, codes):
    """Write the codes of a column's numbers; return its :func:`split_points`."""
    fits_buckets = len(x) >= _MIN_ROWS_FOR_BUCKETS and max_bins <= MAX_BINS
    if weight is None and fits_buckets:
        cuts = _encode_by_buckets(x, span, max_bins, missing, codes)
        if cuts is not None:
            return cuts
    cuts = split_points(x, max_bins, weight)
    codes[:] = np.searchsorted(cuts, x, side="right")
    codes[np.isnan(x)] = missing
    return cuts


def _encode_by_buckets(x, span, max_bins, missing, codes):
    """Do as `_encode` without a sort; return None if values are spaced too unevenly."""
    low, high, n_present = span
    n_buckets = min(_MAX_BUCKETS, 2 ** int(np.log2(len(x))))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = (n_buckets - 1) / (np.float64(high) - low)
    if not 0 < scale < np.inf:
        return None
    sizes = n_present, n_buckets, max_bins
    last, least = bin_by_buckets(x, low, high, *sizes, missing, codes)
    return midpoint(last[:-1], least[1:]) if len(last) else None


# Loops that bin a column of numbers without sorting it; NaN are skipped.


@kernel
def extent(x):
    """Return the least number, the largest one, and how many there are."""
    low, high, n_present = np.inf, -np.inf, 0
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            low = min(low, x[i])
            high = max(high, x[i])
            n_present += 1
    return low, high, n_present


@kernel(only_in_kernels=True)
def assign_buckets(x, low, scale, bucket, count):
    """Write the bucket of each number, and count the numbers in each."""
    # bucket: uint16 (n,), count: uint32 (n_buckets,). All buckets have the same width.
    # They are ordered as their numbers are, because each step rounds monotonically.
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            k = np.uint16((x[i] - low) * scale)
            bucket[i] = k
            count[k] += np.uint32(1)


@kernel
def quantiles(x, bucket, count, n_present, n_bins):
    """Return the k/n_bins quantiles (inverted CDF), distinct and sorted."""
    # x, bucket: (n,); count: (n_buckets,). Only the numbers in the buckets that hold a
    # quantile are sorted.
    start = np.full(count.shape[0], -1, dtype=np.int32)
    value = np.empty(n_bins - 1, dtype=np.int32)  # index of each among the gathered
    k, below, n_gathered = 1, 0, 0
    for b in range(count.shape[0]):
        while k < n_bins and (n_present * k - 1) // n_bins < below + count[b]:
            start[b] = n_gathered
            value[k - 1] = n_gathered + (n_present * k - 1) // n_bins - below
            k += 1
        below += count[b]
        if start[b] >= 0:
            n_gathered += count[b]
    gathered = np.empty(n_gathered)
    free = start.copy()
    for i in range(x.shape[0]):
        if x[i] == x[i] and start[bucket[i]] >= 0:
            gathered[free[bucket[i]]] = x[i]
            free[bucket[i]] += 1
    for b in range(count.shape[0]):
        if start[b] >= 0:
            gathered[start[b] : free[b]].sort()
    found = gathered[value]
    n_found = 1
    for k in range(1, found.shape[0]):
        if found[k] > found[n_found - 1]:
            found[n_found] = found[k]
            n_found += 1
    return found[:n_found]


@kernel
def largest_of_buckets(x, bucket, count):
    """Return the largest number of each bucket that is not empty."""
    largest = np.full(count.shape[0], -np.inf)
    for i in range(x.shape[0]):
        if x[i] == x[i]:  # the buckets of NaN are not initialised
            largest[bucket[i]] = max(largest[bucket[i]], x[i])
    return largest[count > 0]


@kernel(only_in_kernels=True)
def encode_by_buckets(x, bucket, first, last_values, missing, codes, least):
    """Write the bin of each number: how many of `last_values` are below it."""
    # x, bucket, codes: (n,). first: uint8 (n_buckets,), how many of `last_values` lie
    # in earlier buckets. last_values: (n_bins,), the largest number of each bin,
    # sorted; the last one is infinite. least: (n_bins,), given infinite, gets the least
    # of each bin.
    for i in range(x.shape[0]):
        if x[i] != x[i]:
            codes[i] = missing
            continue
        k = np.uintp(first[bucket[i]])
        while last_values[k] < x[i]:
            k += np.uintp(1)
        codes[i] = k
        if x[i] < least[k]:
            least[k] = x[i]


@kernel
def bin_by_buckets(x, low, high, n_present, n_buckets, max_bins, missing, codes):
    """Write the bin of each number; return the largest and the least of each bin."""
    # codes: (n,), written. There is a bin for each value if there are at most
    # `max_bins` values, otherwise quantile bins. Numbers are counted in many buckets of
    # equal width. The arrays returned are empty if two values that need separate bins
    # share a bucket.
    scale = (n_buckets - 1) / (high - low)
    bucket = np.empty(x.shape[0], dtype=np.uint16)
    count = np.zeros(n_buckets, dtype=np.uint32)
    assign_buckets(x, low, scale, bucket, count)
    n_nonempty = (count > 0).sum()
    if n_nonempty > max_bins:
        last = quantiles(x, bucket, count, n_present, max_bins)
    else:
        last = largest_of_buckets(x, bucket, count)
    # The last bin ends at the largest number.
    n = last.shape[0] - (last[-1] == high)
    limits = np.full(n + 1, np.inf)
    copy_numbers(last[:n], limits)
    first = np.empty(n_buckets, dtype=np.uint8)
    k = 0
    for b in range(n_buckets):
        first[b] = k
        while k < n and np.uint16((limits[k] - low) * scale) == b:
            k += 1
    least = np.full(n + 1, np.inf)
    encode_by_buckets(x, bucket, first, limits, missing, codes, least)
    limits[n] = high
    if n_nonempty <= max_bins and np.any(least != limits):
        return limits[:0], least[:0]
    return limits, least
