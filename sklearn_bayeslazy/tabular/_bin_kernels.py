"""Loops that bin a column of numbers without sorting it; NaN are passed over."""

import numpy as np

from .._kernel import kernel


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


@kernel
def spread(x, low, scale, bucket, count):
    """Write the bucket of each number, all of one width, and count the numbers in each.

    Buckets are ordered as their numbers are: each step rounds monotonically.
    """
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            k = np.uint16((x[i] - low) * scale)
            bucket[i] = k
            count[k] += np.uint32(1)


@kernel
def raise_to(x, bucket, largest):
    """Raise `largest` (n_buckets,) to the largest number of each bucket."""
    for i in range(x.shape[0]):
        if x[i] == x[i]:  # the buckets of NaN were never written
            largest[bucket[i]] = max(largest[bucket[i]], x[i])


@kernel
def gather(x, bucket, wanted, out):
    """Write the numbers of the buckets that are wanted, in the order of the rows."""
    n = 0
    for i in range(x.shape[0]):
        if x[i] == x[i]:
            out[n] = x[i]  # the next one overwrites what was not wanted
            n += wanted[bucket[i]]
            if n == out.shape[0]:
                return


@kernel
def encode_spread(x, bucket, first, last_values, missing, codes, least):
    """Write how many of `last_values`, the largest of each bin, are below each number.

    Shapes: first (n_buckets,) uint8, how many lie in buckets before; last_values
    (n_bins,) sorted, the last one infinite; least (n_bins,) infinite, to which the
    least number of each bin is written.
    """
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
