"""Arrays as users give them, turned into the ones that the package computes with."""

from numbers import Real

import numpy as np

from ._kernel import frozen


def as_float_array(values, name, meaning="an array of real numbers"):
    """Return a float64 copy of what a user gave, or raise an error that says so.

    Parameters
    ----------
    values : array-like or number
    name : str
        The parameter, as the error names it.
    meaning : str
        What the parameter must be.

    Examples
    --------
    >>> as_float_array([1, 2], "feature_weights")
    array([1., 2.])
    >>> as_float_array(["1"], "m", "a number")
    Traceback (most recent call last):
    ValueError: m must be a number, got ['1'].
    """
    try:
        array = np.asarray(values)
        is_real = array.dtype.kind in "biuf" or (
            array.dtype == object and all(isinstance(v, Real) for v in array.flat)
        )
        if is_real:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):  # ragged lists, huge integers
        pass
    raise ValueError(f"{name} must be {meaning}, got {values!r}.")


def csr_arrays(indptr, indices, data):
    """Return the arrays of a CSR or CSC matrix as kernels read them."""
    return (
        frozen(indptr, np.int64),
        frozen(indices, np.int64),
        frozen(data, np.float64),
    )
