"""Conversion of arrays: numbers of any type, and one error for everything else."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_bayeslazy._core._arrays import as_float_array, csr_arrays


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (2, 2.0),
        (2.5, 2.5),
        (np.float32(0.5), 0.5),
        (True, 1.0),
        ([1, 2.5], [1.0, 2.5]),
        ((1, 2), [1.0, 2.0]),
        (range(3), [0.0, 1.0, 2.0]),
        ([[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
        ([], []),
        ([True, False], [1.0, 0.0]),
        (np.array([1, 2], dtype=np.uint8), [1.0, 2.0]),
        (np.array([1, 2], dtype=">i4"), [1.0, 2.0]),
        (np.array([1, Fraction(1, 2), True], dtype=object), [1.0, 0.5, 1.0]),
        (np.array([2**70, 1], dtype=object), [2.0**70, 1.0]),
        (pd.Series([1, 2]), [1.0, 2.0]),
        ([np.nan, np.inf], [np.nan, np.inf]),
    ],
    ids=str,
)
def test_real_numbers_become_float64(values, expected):
    array = as_float_array(values, "m")
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, expected)
    assert array.shape == np.shape(expected)


@pytest.mark.parametrize(
    "values",
    [
        "1",
        ["1", "2"],
        [1, "a"],
        None,
        [None, 1],
        1j,
        [1, 2j],
        [[1, 2], [3]],
        [10**400],
        [Decimal(1)],
        {"a": 1},
        {1, 2},
        object(),
        np.array(["2020-01-31"], dtype="M8[D]"),
    ],
    ids=lambda values: type(values).__name__,
)
def test_anything_else_is_refused_by_name(values):
    with pytest.raises(ValueError, match=r"^m must be a number ≥ 0, got .*\.$"):
        as_float_array(values, "m", "a number ≥ 0")


def test_the_error_shows_the_value():
    with pytest.raises(ValueError, match="m must be an array of real numbers, got 'a'"):
        as_float_array("a", "m")


def test_the_result_is_a_copy():
    values = np.array([1.0, 2.0])
    as_float_array(values, "m")[0] = 7
    assert values.tolist() == [1, 2]


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
@pytest.mark.parametrize("convert", [sparse.csr_array, sparse.csc_array])
def test_sparse_arrays_have_one_form_for_kernels(convert, dtype, index_dtype):
    X = convert(np.array([[0, 2, 0], [1, 0, 3]], dtype=dtype))
    indptr, indices, data = csr_arrays(
        X.indptr.astype(index_dtype), X.indices.astype(index_dtype), X.data
    )
    assert (indptr.dtype, indices.dtype, data.dtype) == (np.int64, np.int64, np.float64)
    for array, original in zip((indptr, indices, data), (X.indptr, X.indices, X.data)):
        np.testing.assert_array_equal(array, original)
        assert not array.flags.writeable
        assert original.flags.writeable, "the caller's array stays as it was"


def test_sparse_arrays_in_that_form_are_not_copied():
    arrays = np.array([0, 1]), np.array([0]), np.array([2.0])
    for array, original in zip(csr_arrays(*arrays), arrays):
        assert np.shares_memory(array, original)
