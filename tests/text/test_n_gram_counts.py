"""Distinct keys are those of NumPy, and the hash distributes keys evenly.

Code under test: `text/_n_grams/_counts.py`, `text/_n_grams/_kernels.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.text._n_grams._counts import unique_inverse
from sklearn_bayeslazy.text._n_grams._kernels import hash_slot


@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 5000])
def test_distinct_keys_are_those_of_numpy(n):
    keys = np.random.default_rng(n).integers(0, 2**62, size=n) >> np.arange(n) % 60
    found, position = unique_inverse(keys)
    expected, inverse = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(position, inverse)


# A hash by the golden ratio alone maps steps of Fibonacci numbers to one long run.
@pytest.mark.parametrize("step", [1, 1000, 196418, 832040, 2**20, 2**40])
def test_keys_in_steps_do_not_form_long_runs(step):
    """512 keys in 1024 slots fill no run of more than 40; at random about 15."""
    shift = np.uint64(54)
    taken = np.zeros(1024, dtype=bool)
    taken[[hash_slot(np.int64(i * step), shift) for i in range(512)]] = True
    free = np.flatnonzero(~taken)
    assert np.diff(free, prepend=-1, append=1024).max() <= 41
