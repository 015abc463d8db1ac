"""Loops that bin a column of numbers without sorting it; NaN are skipped."""

import numpy as np

from .._core._kernel import copy_numbers, kernel


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
