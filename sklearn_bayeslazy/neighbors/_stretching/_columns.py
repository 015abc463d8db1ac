"""Columns on one scale: standardised numbers, and indicators of classes."""

import numpy as np

from ..._weights import divide_by_largest

# Each prediction of one row from another takes one step a class.
MAX_CLASSES = 200


def standardize(columns, weight):
    """Return columns of weighted mean 0 and standard deviation 1, and 1 / deviation.

    A constant column, or one whose deviation has no finite inverse, is all 0, and so
    is its factor.

    Examples
    --------
    >>> standardize(np.array([[1.0, 5.0], [3.0, 5.0]]), np.ones(2))
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([1., 0.]))
    """
    scaled, largest = divide_by_largest(columns)
    share = weight / weight.sum()
    centered = scaled - share @ scaled
    deviation = np.sqrt(share @ centered**2)
    constant = columns.max(axis=0) == columns.min(axis=0)
    with np.errstate(divide="ignore", over="ignore"):
        factor = 1 / (deviation * largest)
        constant |= (deviation == 0) | ~np.isfinite(factor)
        deviation[constant] = np.inf
        return centered / deviation, np.where(constant, 0.0, factor)


def class_indicators(codes, n_classes):
    """Return a column for each class with 1 for its rows, at most `MAX_CLASSES`.

    Examples
    --------
    >>> class_indicators(np.array([0, 1, 0]), 2)
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"y has {n_classes} classes; at most {MAX_CLASSES} are supported. For a "
            "numeric y use a regressor, or task='regression'."
        )
    return (codes[:, None] == np.arange(n_classes)).astype(np.float64)
