"""Numbers get the same codes by the general loop and by that without gaps."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_bayeslazy.tabular._number_codes import WINDOW, NumberCodes

MIXED = [
    (np.array([1.0, 2.0, 5.0]), False),  # integers: looked up
    (np.array([0.5, 2.0, 7.25]), False),  # searched
    (np.array([2.0, 4.0]), True),  # cut points
    (np.empty(0), False),
    (np.arange(40.0), True),  # many cut points
]
WITHOUT_GAPS = [
    (np.arange(2.0, 6.0), False),
    (np.array([-3.0]), False),
    (np.arange(-3.0, 2.0), False),
    (np.empty(0), False),
    (1e10 + np.arange(WINDOW - 1.0), False),  # more than 32 bits hold
]
MISSING, UNKNOWN = -5, -6
NUMBERS = [-3, 0, 0.5, 1, 2, 4, 5, 5.5, 7.25, 2**40 + 1, 1e300]
NUMBERS += [1e10, 1e10 + 0.5, 1e10 + 4094, 1e10 + 4095]


def make_cells(dtype):
    """Return 60 × 5 numbers, for float64 with NaN and infinities."""
    rng = np.random.default_rng(0)
    cells = rng.choice(NUMBERS, size=(60, 5))
    if dtype == np.float64:
        cells[rng.random(cells.shape) < 0.2] = rng.choice([np.nan, np.inf, -np.inf])
        cells[0] = np.nan
    return np.where(cells == 1e300, 2**62, cells).astype(dtype)


def by_definition(cells, columns, offset):
    """Return the code of each cell, one by one."""
    codes = np.full(cells.shape, UNKNOWN)
    for i, j in np.ndindex(cells.shape):
        (values, is_cut), x = columns[j], cells[i, j]
        if np.isnan(x):
            codes[i, j] = MISSING
        elif is_cut:
            codes[i, j] = sum(value <= x for value in values) + offset[j]
        elif x in values:
            codes[i, j] = values.tolist().index(x) + offset[j]
    return codes


@pytest.mark.parametrize("step", [0, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("columns", [MIXED, WITHOUT_GAPS], ids=["mixed", "no gaps"])
def test_codes_follow_their_definition(columns, dtype, step):
    values, is_cut = zip(*columns)
    numbers = NumberCodes(list(values), np.array(is_cut), np.arange(5))
    cells, offset = make_cells(dtype), np.arange(5) * step
    codes = np.empty((60, 5), dtype=np.int32)
    numbers.encoder(offset, MISSING, UNKNOWN)(cells, codes)
    assert_array_equal(codes, by_definition(cells, columns, offset))
    assert len(np.unique(codes)) > 5


@pytest.mark.parametrize("columns", [MIXED, WITHOUT_GAPS], ids=["mixed", "no gaps"])
def test_other_columns_keep_their_codes(columns):
    position = np.array([0, 2, 3, 5, 6])
    values, is_cut = zip(*columns)
    numbers = NumberCodes(list(values), np.array(is_cut), position)
    cells, offset = make_cells(np.float64), np.zeros(5, dtype=np.int64)
    codes = np.full((60, 7), 99, dtype=np.int32)
    numbers.encoder(offset, MISSING, UNKNOWN)(cells, codes)
    assert_array_equal(codes[:, position], by_definition(cells, columns, offset))
    assert_array_equal(codes[:, [1, 4]], 99)
