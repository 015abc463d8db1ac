"""Few numbers are encoded by numpy, to the same codes as by the kernel."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_bayeslazy.tabular import Codebook, _codebook


@pytest.mark.parametrize("offset", [0, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_codes_of_few_numbers(dtype, offset, monkeypatch):
    values = [
        np.array([1.0, 2.0, 5.0]),  # integers: looked up
        np.array([0.5, 2.0, 7.25]),  # searched
        np.array([2.0, 4.0]),  # cut points
        np.empty(0),
        np.arange(40.0),  # many cut points
    ]
    book = Codebook(range(5), values, [False, False, True, False, True])
    rng = np.random.default_rng(0)
    cells = rng.choice([-3, 0, 0.5, 1, 2, 4, 5, 5.5, 7.25, 1e300], size=(60, 5))
    if dtype == np.float64:
        cells[rng.random(cells.shape) < 0.2] = rng.choice([np.nan, np.inf, -np.inf])
        cells[0] = np.nan
    cells = np.where(cells == 1e300, 2**62, cells).astype(dtype)
    encode = book._encoder(np.arange(5) * offset, -5, -6)
    by_numpy, by_kernel = np.empty((2, 60, 5), dtype=np.int32)
    encode(cells, by_numpy)
    monkeypatch.setattr(_codebook, "_MAX_COMPARISONS", 0)
    encode(cells, by_kernel)
    assert_array_equal(by_numpy, by_kernel)
    assert len(np.unique(by_numpy)) > 5
