"""Numbers for keys are those of NumPy, and keys in steps are spread over the table."""

import numpy as np
import pytest

from sklearn_bayeslazy.language_model._counts import distinct
from sklearn_bayeslazy.language_model._language_model_kernels import slot_of


@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 5000])
def test_distinct_keys_are_those_of_numpy(n):
    keys = np.random.default_rng(n).integers(0, 2**62, size=n) >> np.arange(n) % 60
    found, place = distinct(keys)
    expected, where = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(place, where)


# Fibonacci numbers are what a hash by the golden ratio alone maps to one long run.
@pytest.mark.parametrize("step", [1, 1000, 196418, 832040, 2**20, 2**40])
def test_keys_in_steps_are_spread_over_the_table(step):
    """Of 1024 slots 512 keys then fill no run of more than 40; at random about 15."""
    shift = np.uint64(54)
    taken = np.zeros(1024, dtype=bool)
    taken[[slot_of(np.int64(i * step), shift) for i in range(512)]] = True
    free = np.flatnonzero(~taken)
    assert np.diff(free, prepend=-1, append=1024).max() <= 41
