"""Conversion of the user's arrays into those that the package computes with."""

from numbers import Real

import numpy as np

from ._kernel import frozen


def as_float_array(values, name, meaning="an array of real numbers"):
    """Return a float64 copy of an array or number of a user, or raise an error.

    Parameters
    ----------
    values : array-like or number
    name : str
        The name of the parameter in the error.
    meaning : str
        What the parameter must be, as the error describes it.

    Returns
    -------
    float64 array

    Raises
    ------
    ValueError
        If a value is not a real number, or lists differ in length.

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
    """Return the arrays of a CSR or CSC matrix in the one form that kernels take."""
    return (
        frozen(indptr, np.int64),
        frozen(indices, np.int64),
        frozen(data, np.float64),
    )
