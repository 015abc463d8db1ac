"""What the machine allows: bytes read, and products summed, in a second."""

from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

_N_NUMBERS = 2**26  # half a gigabyte: far more than all caches
_SIDE = 1536


def read_bandwidth(n_threads, repeats=5):
    """Return the bytes a second that threads read together, by sums of parts."""
    numbers = np.ones(_N_NUMBERS)
    parts = np.array_split(numbers, n_threads)
    with ThreadPoolExecutor(n_threads) as pool:

        def read():
            start = perf_counter()
            list(pool.map(np.sum, parts))
            return perf_counter() - start

        read()
        return numbers.nbytes / median(read() for _ in range(repeats))


def multiply_add_rate(n_threads, repeats=5):
    """Return the products summed in a second, by a product of square matrices."""
    a = np.random.default_rng(0).random((_SIDE, _SIDE))

    def multiply():
        start = perf_counter()
        a @ a
        return perf_counter() - start

    with threadpool_limits(n_threads):
        multiply()
        return _SIDE**3 / median(multiply() for _ in range(repeats))
